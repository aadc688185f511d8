package core

import (
	"context"

	"portico/portal/access"
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
func (v *Verification) proofKey(in AskCodeInput, c store.Code) string {
	if in.Browser && in.Purpose == ForOldPhone { // the second code that a change of phone needs
		return "asks:" + v.Flow("old phone:"+in.Flow)
	}
	if in.Browser {
		return "asks:" + v.Flow(in.Flow)
	}
	return "asks:" + v.Flow("phone:"+c.Subject+":"+c.Purpose+":"+access.Decimal(c.CompanyID))
}

// mayAsk refuses a request while the countdown of the last code runs, past a cap, and when the caller did not send a
// proof that is due. A browser does the work in a script or answers a question; a program does the work. The refusal
// contains the work and the question.
func (v *Verification) mayAsk(ctx context.Context, in *AskCodeInput, to Recipient, c store.Code) error {
	before, err := v.core.DB.Codes.Of(ctx, c.Subject, c.Purpose, c.CompanyID)
	if err == nil && v.resendAfter(before) > 0 {
		return &access.Refused{Refusal: access.CodeAlreadySent, Wait: v.resendAfter(before)}
	}
	if v.core.NoLimit {
		return nil
	}
	caps := v.caps(ctx, *in, to)
	counts, err := v.readCounts(ctx, *in, to, caps)
	if err != nil {
		return err
	}
	if err := v.hasRoom(caps, counts); err != nil {
		return err
	}
	in.asks = counts.asks
	size, due := v.workDue(ctx, *in, to, caps, counts)
	if !due {
		return nil
	}
	in.proven = v.workDone(*in) || in.Browser && v.core.Limits.Answered(in.proofKey, in.asks, in.Question, in.Answer)
	if in.proven {
		return nil
	}
	return v.askForProof(*in, size)
}

// workDue returns the size of the proof for a request, and whether it is due. The more of the asker's share of the hour
// is spent, the larger it is. From half of the share on, and for a number in a run of consecutive numbers, it is due
// from the first ask.
func (v *Verification) workDue(
	ctx context.Context, in AskCodeInput, to Recipient, caps []MessageCap, counts messageCounts,
) (size int, due bool) {
	due = counts.in[addressMessages(ctx)] >= FreeAsksAddress || in.Browser && counts.in[in.proofKey] >= FreeAsksBrowser
	size = WorkBits
	for _, c := range caps {
		if c.dayKey == "" || c.mode == silently {
			continue
		}
		quarters := 4 * counts.in[c.Key] / c.limitNow(counts.in)
		size = min(max(size, WorkBits+quarters), MaxWorkBits)
		due = due || quarters >= 2
	}
	if block := v.numberBlock(to); block != "" && counts.in[block] >= RunLength {
		return MaxWorkBits, true
	}
	return size, due
}

// askForProof returns the refusal that contains the work to do.
func (v *Verification) askForProof(in AskCodeInput, size int) error {
	work := SealedWork{
		Flow: v.Flow(in.proofKey), Asks: in.asks, Bits: size, Until: v.core.Now().Add(QuestionLife).Unix(),
	}
	token, err := v.core.Sealing.Seal("work", work)
	if err != nil {
		return err
	}
	refused := &access.Refused{Refusal: access.ValidationFailed, Work: &access.Work{Token: token, Bits: size}}
	if !in.Browser {
		refused.Fields = access.Fields{"work": access.WorkRequired}
		return refused
	}
	refused.Fields = access.Fields{"answer": access.AnswerRequired}
	if in.Answer != "" {
		refused.Fields["answer"] = access.AnswerWrong
	}
	if refused.Question, err = v.core.Limits.Ask(in.proofKey, in.asks); err != nil {
		return err
	}
	return refused
}

// workDone says whether the caller did the work that was set for this request. It checks the size that was set then,
// not the size that a new request would need.
func (v *Verification) workDone(in AskCodeInput) bool {
	var w SealedWork
	if v.core.Sealing.Unseal("work", in.Proof, &w) != nil || w.Flow != v.Flow(in.proofKey) {
		return false
	}
	if w.Asks != in.asks || w.Until <= v.core.Now().Unix() {
		return false
	}
	return IsWork(in.Proof, in.Work, w.Bits)
}
