package portal

import (
	"context"
	"errors"
	"slices"
)

// PasswordTry is one attempt at a password, with the answers to what an earlier refusal asked for.
type PasswordTry struct {
	Password string
	Question string // the token of a question that was asked
	Answer   string
	Proof    string // the token of a proof of work that was set
	Work     string // the number that proves it
	Device   string // the browser's own id, "" when it has none
	SignedIn bool   // a signed-in person confirms the password
}

func questionOf(err error) *Question {
	refused := new(Refused)
	if !errors.As(err, &refused) {
		return nil
	}
	return refused.Question
}

// tryPassword compares a password for an operation that asks for it and then uses a transaction of its own. It counts
// and refuses a wrong password; the right one clears the counter.
func (p *Portal) tryPassword(ctx context.Context, in PasswordTry, c candidate) error {
	g, right, err := p.compare(ctx, in, c, nil)
	if err != nil {
		return err
	}
	if !right {
		_, err = p.wrong(ctx, c, g)
		return err
	}
	return p.settle(ctx, g)
}

// compare compares a password, unless the try is refused before that. It writes no counter, so a caller has to count a
// wrong password (wrong) and settle a right one (settle, passed). before are the guards of the accounts that this
// sign-in has compared already.
func (p *Portal) compare(
	ctx context.Context, in PasswordTry, c candidate, before []guard,
) (g guard, right bool, err error) {
	if g, err = p.guardFor(ctx, c.subject, in.Device); err != nil {
		return g, false, err
	}
	lane := laneStrangers
	if g.known || in.SignedIn {
		lane = laneProven
	}
	place, err := p.hasher.queue.reserve(ctx, lane)
	if err != nil {
		return g, false, err
	}
	defer place.leave()
	isFirst := !slices.ContainsFunc(before, func(b guard) bool { return b.key == g.key })
	if isFirst { // two accounts of one person are one try
		if err := p.admit(ctx, in, c, g, place.crowded()); err != nil {
			return g, false, err
		}
	}
	right, weak, err := p.hasher.verifyAt(ctx, place, c.hash, in.Password)
	if err == nil && weak && right {
		g.rehashed, err = true, p.rehash(ctx, c, in.Password)
	}
	return g, right, err
}

// wrong counts a wrong password and returns its refusal: WrongPassword or PasswordNotSet, or TooManyAttempts as failed
// says. It also counts when the caller has disconnected.
func (p *Portal) wrong(ctx context.Context, c candidate, g guard) (guard, error) {
	g, err := p.failed(context.WithoutCancel(ctx), g)
	if err == nil {
		p.logSecurity(ctx, logInfo, "sign_in_failed", logSubject(c.subject))
	}
	return g, p.wrongRefusal(c, g, err)
}

// wrongRefusal returns the refusal of a wrong password. counting is the error of failed, nil when the password was
// counted.
func (p *Portal) wrongRefusal(c candidate, g guard, counting error) error {
	if counting != nil {
		return counting
	}
	refused := &Refused{Refusal: WrongPassword, Left: max(0, ProofFailures-g.counter.WindowFailures)}
	if c.hash == "" && c.phone.ID != 0 {
		refused.Refusal = PasswordNotSet
	}
	return p.withQuestion(refused, c.subject, g)
}

// admit refuses a try whose subject or address must wait, and one without the right answer to the question or proof of
// work that is due.
func (p *Portal) admit(ctx context.Context, in PasswordTry, c candidate, g guard, crowded bool) error {
	failures := g.counter.Failures
	answered := p.answered(c.subject, failures, in.Question, in.Answer)
	if p.needsProof(g) && !answered {
		return p.askFirst(c, g, in)
	}
	if crowded && !p.noLimit && !p.crowdWorkDone(ctx, c.subject, in) && (!answered || !p.useCrowdProof(in.Question)) {
		return p.askInCrowd(ctx, c, failures, in)
	}
	return p.withQuestion(p.refuseBlocked(g), c.subject, g)
}

// askInCrowd refuses a stranger's attempt while too many wait, with work to do or a question to answer.
func (p *Portal) askInCrowd(ctx context.Context, c candidate, failures int, in PasswordTry) error {
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
func (p *Portal) askFirst(c candidate, g guard, in PasswordTry) error {
	problem := AnswerRequired
	if in.Answer != "" {
		problem = AnswerWrong
	}
	return p.withQuestion(&Refused{Refusal: ValidationFailed, Fields: Fields{"answer": problem}}, c.subject, g)
}

// withQuestion adds a fresh question to a refusal when the next try under the guard will need one.
func (p *Portal) withQuestion(err error, subject string, g guard) error {
	refused := new(Refused)
	if !errors.As(err, &refused) || !p.needsProof(g) {
		return err
	}
	var asking error
	refused.Question, asking = p.ask(subject, g.counter.Failures)
	return errors.Join(asking, err)
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
		if !refused.compared {
			if err := p.hasher.queue.pause(ctx); err != nil {
				return err
			}
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
