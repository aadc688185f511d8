package portal

import (
	"context"
	"errors"
	"slices"

	"portico/store"
)

func questionOf(err error) *Question {
	refused := new(Refused)
	if !errors.As(err, &refused) {
		return nil
	}
	return refused.Question
}

// checkPassword counts the try, then compares. The guard it returns is cleared by signIn; before are those of
// the accounts tried already in this sign-in.
func (p *Portal) checkPassword(ctx context.Context, in LoginInput, c candidate, before []guard) (guard, error) {
	g, err := p.guardFor(ctx, c.subject, in.Device)
	if err != nil {
		return g, err
	}
	lane := laneStrangers
	if g.known || in.SignedIn {
		lane = laneProven
	}
	place, err := p.hasher.queue.reserve(ctx, lane)
	if err != nil {
		return g, err
	}
	defer place.leave()
	same := slices.IndexFunc(before, func(b guard) bool { return b.key == g.key && b.counted.Failures > 0 })
	if same >= 0 { // two accounts of one person: one try
		g = before[same]
	} else if g.counted, err = p.admit(ctx, in, c, g, place.crowded()); err != nil {
		return g, err
	}
	ok, weak, err := p.hasher.verifyAt(ctx, place, c.hash, in.Password)
	if err != nil { // nothing was compared
		return g, errors.Join(err, p.forgive(store.AfterRequest(ctx), g))
	}
	if !ok {
		p.log.LogAttrs(ctx, logInfo, "security", logEvent("sign_in_failed"), logCaller(ctx), logSubject(c.subject))
		wrong := &Refused{Refusal: WrongPassword, Left: max(0, ProofFailures-g.counted.WindowFailures)}
		if c.hash == "" && c.phone.ID != 0 {
			wrong.Refusal = PasswordNotSet
		}
		return g, p.withQuestion(ctx, wrong, c.subject, g)
	}
	if weak {
		return g, p.rehash(ctx, c, in.Password)
	}
	return g, nil
}

// admit counts an attempt whose question or proof of work, if one is due, is correct.
func (p *Portal) admit(ctx context.Context, in LoginInput, c candidate, g guard, crowded bool) (store.Attempts, error) {
	proof, failures, err := p.needsProof(ctx, g)
	if err != nil {
		return store.Attempts{}, err
	}
	answered := p.answered(c.subject, failures, in.Question, in.Answer)
	if proof && !answered {
		return store.Attempts{}, p.askFirst(ctx, c, g, in)
	}
	if crowded && !p.noLimit && !p.crowdWorkDone(ctx, c.subject, in) && (!answered || !p.useCrowdProof(in.Question)) {
		return store.Attempts{}, p.askInCrowd(ctx, c, failures, in)
	}
	counted, err := p.attempt(ctx, g)
	if err != nil {
		return store.Attempts{}, p.withQuestion(ctx, err, c.subject, g)
	}
	return counted, nil
}

// askInCrowd refuses a stranger's attempt while too many wait, with work to do or a question to answer.
func (p *Portal) askInCrowd(ctx context.Context, c candidate, failures int, in LoginInput) error {
	refused := &Refused{Refusal: ValidationFailed, Fields: Fields{"answer": AnswerRequired}}
	if in.Answer != "" {
		refused.Fields["answer"] = AnswerWrong
	}
	var err error
	if refused.Question, err = p.ask(c.subject, failures); err != nil {
		return err
	}
	if refused.Work, err = p.setCrowdWork(ctx, c.subject); err != nil {
		return err
	}
	return refused
}

// askFirst refuses a try that did not answer the question, with a new one.
func (p *Portal) askFirst(ctx context.Context, c candidate, g guard, in LoginInput) error {
	problem := AnswerRequired
	if in.Answer != "" {
		problem = AnswerWrong
	}
	return p.withQuestion(ctx, &Refused{Refusal: ValidationFailed, Fields: Fields{"answer": problem}}, c.subject, g)
}

// withQuestion adds a fresh question to a refusal when the next try under the guard will need one.
func (p *Portal) withQuestion(ctx context.Context, err error, subject string, g guard) error {
	refused := new(Refused)
	if !errors.As(err, &refused) {
		return err
	}
	needed, failures, proofErr := p.needsProof(ctx, g)
	if proofErr != nil || !needed {
		return errors.Join(proofErr, err)
	}
	refused.Question, proofErr = p.ask(subject, failures)
	return errors.Join(proofErr, err)
}

// neutral makes unknown, wrong and locked alike when the deployment asks for it (PORTICO_PRIVACY=strict). A refusal of
// the caller's address says nothing about whom it asked for, and stays as it is.
func (p *Portal) neutral(ctx context.Context, err error) error {
	if !p.strict {
		return err
	}
	refused := new(Refused)
	if !errors.As(err, &refused) {
		return err
	}
	switch {
	case refused.Refusal == TooManyAttempts && refused.OfAddress:
		return err
	case refused.Refusal == TooManyAttempts:
		if err := p.hasher.queue.pause(ctx); err != nil {
			return err
		}
		return &Refused{Refusal: WrongPassword, Left: LeftUntold, Question: refused.Question}
	}
	switch refused.Refusal {
	case WrongPassword, PasswordNotSet, AccountNotFound, PhoneNotBound:
		return &Refused{Refusal: WrongPassword, Left: LeftUntold, Question: refused.Question}
	}
	return err
}

// rehash stores the password at today's cost.
func (p *Portal) rehash(ctx context.Context, c candidate, password string) error {
	hash, err := p.hasher.hash(ctx, password)
	if err != nil {
		return err
	}
	if c.member.ID != 0 {
		return p.db.SetAccountPasswordHash(ctx, c.member.CompanyID, c.member.ID, c.hash, hash)
	}
	return p.db.SetPhonePasswordHash(ctx, c.phone.ID, c.hash, hash)
}
