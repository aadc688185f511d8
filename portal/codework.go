package portal

import (
	"context"

	"portico/store"
)

const (
	// FreeAsksBrowser and FreeAsksAddress are how many codes a browser in a day, and an address in an hour, may request
	// before a proof is due. A program has no browser, so only its address counts.
	FreeAsksBrowser = 1
	FreeAsksAddress = 3
)

// proofKey is the counter whose value a proof names, so that a proof works for one request: the browser's counter, or
// for a program, which has no browser, that of the phone.
func (p *Portal) proofKey(in AskCodeInput, c store.Code) string {
	if in.Browser && in.Purpose == ForOldPhone { // the second code that a change of phone needs
		return "asks:" + p.flow("old phone:"+in.Flow)
	}
	if in.Browser {
		return "asks:" + p.flow(in.Flow)
	}
	return "asks:" + p.flow("phone:"+c.Subject+":"+c.Purpose+":"+decimal(c.CompanyID))
}

// mayAsk refuses a request while the countdown of the last code runs, past a cap, and when the caller did not send a
// proof that is due. A browser does the work in a script or answers a question; a program does the work. The refusal
// contains the work and the question.
func (p *Portal) mayAsk(ctx context.Context, in *AskCodeInput, to recipient, c store.Code) error {
	before, err := p.db.CodeOf(ctx, c.Subject, c.Purpose, c.CompanyID)
	if err == nil && p.resendAfter(before) > 0 {
		return &Refused{Refusal: CodeAlreadySent, Wait: p.resendAfter(before)}
	}
	if p.noLimit {
		return nil
	}
	caps := p.caps(ctx, *in, to)
	counts, err := p.readCounts(ctx, *in, to, caps)
	if err != nil {
		return err
	}
	if err := p.hasRoom(caps, counts); err != nil {
		return err
	}
	in.asks = counts.asks
	size, due := p.workDue(ctx, *in, to, caps, counts)
	if !due {
		return nil
	}
	in.proven = p.workDone(*in) || in.Browser && p.answered(in.proofKey, in.asks, in.Question, in.Answer)
	if in.proven {
		return nil
	}
	return p.askForProof(*in, size)
}

// workDue returns the size of the proof for a request, and whether it is due. The more of the asker's share of the hour
// is spent, the larger it is. From half of the share on, and for a number in a run of consecutive numbers, it is due
// from the first ask.
func (p *Portal) workDue(
	ctx context.Context, in AskCodeInput, to recipient, caps []messageCap, counts messageCounts,
) (size int, due bool) {
	due = counts.in[addressMessages(ctx)] >= FreeAsksAddress || in.Browser && counts.in[in.proofKey] >= FreeAsksBrowser
	size = WorkBits
	for _, c := range caps {
		if c.dayKey == "" || c.mode == silently {
			continue
		}
		quarters := 4 * counts.in[c.key] / c.limitNow(counts.in)
		size = min(max(size, WorkBits+quarters), MaxWorkBits)
		due = due || quarters >= 2
	}
	if block := p.numberBlock(to); block != "" && counts.in[block] >= RunLength {
		return MaxWorkBits, true
	}
	return size, due
}

// askForProof returns the refusal that contains the work to do.
func (p *Portal) askForProof(in AskCodeInput, size int) error {
	work := sealedWork{Flow: p.flow(in.proofKey), Asks: in.asks, Bits: size, Until: p.now().Add(QuestionLife).Unix()}
	token, err := p.seal("work", work)
	if err != nil {
		return err
	}
	refused := &Refused{Refusal: ValidationFailed, Work: &Work{Token: token, Bits: size}}
	if !in.Browser {
		refused.Fields = Fields{"work": WorkRequired}
		return refused
	}
	refused.Fields = Fields{"answer": AnswerRequired}
	if in.Answer != "" {
		refused.Fields["answer"] = AnswerWrong
	}
	if refused.Question, err = p.ask(in.proofKey, in.asks); err != nil {
		return err
	}
	return refused
}

// workDone says whether the caller did the work that was set for this request. It checks the size that was set then,
// not the size that a new request would need.
func (p *Portal) workDone(in AskCodeInput) bool {
	var w sealedWork
	if p.unseal("work", in.Proof, &w) != nil || w.Flow != p.flow(in.proofKey) {
		return false
	}
	if w.Asks != in.asks || w.Until <= p.now().Unix() {
		return false
	}
	return isWork(in.Proof, in.Work, w.Bits)
}
