package core

import (
	"context"

	"portico/portal/access"
)

// While HashCrowded strangers wait for a password hash, the next ones must do a proof of work, or answer a question if
// they have no scripts. A flood then spends about as much processor time as the hashes cost this program. Each proof
// works for one try of one subject from one network.

// crowdProofsHeld is how many used proofs are remembered; about 10 MB.
const crowdProofsHeld = 50_000

type sealedCrowdWork struct {
	Subject string `json:"s"`
	Network string `json:"n"`
	Until   int64  `json:"u"` // Unix s: keeps the token short enough for one block of the hash
}

// newCrowdProofs makes the memory of the proofs of work that were used.
func newCrowdProofs() *Recent[string, struct{}] {
	return NewRecent[string, struct{}](QuestionLife, crowdProofsHeld)
}

// SetCrowdWork creates the work that a stranger has to do before the next attempt at a subject.
func (l *Limits) SetCrowdWork(ctx context.Context, subject string) (*access.Work, error) {
	token, err := l.core.Sealing.Seal("crowd", sealedCrowdWork{
		Subject: l.core.Sealing.Tag("crowd", subject)[:8],
		Network: l.core.Sealing.Tag("crowd", access.Network(access.CallerOf(ctx).Address))[:8],
		Until:   l.core.Now().Add(QuestionLife).Unix(),
	})
	return &access.Work{Token: token, Bits: WorkBits}, err
}

// CrowdWorkDone says whether a stranger did the work that was set for this attempt.
func (l *Limits) CrowdWorkDone(ctx context.Context, subject string, in access.PasswordTry) bool {
	w, done := l.crowdWork(ctx, in)
	return done && w.Subject == l.core.Sealing.Tag("crowd", subject)[:8] && l.UseCrowdProof(in.Proof)
}

// crowdWork opens the proof of work of an attempt, and says whether the work was set for this network and done in time.
func (l *Limits) crowdWork(ctx context.Context, in access.PasswordTry) (w sealedCrowdWork, done bool) {
	done = l.core.Sealing.Unseal("crowd", in.Proof, &w) == nil && w.Until > l.core.Now().Unix() &&
		w.Network == l.core.Sealing.Tag("crowd", access.Network(access.CallerOf(ctx).Address))[:8] &&
		IsWork(in.Proof, in.Work, WorkBits)
	return w, done
}

// MayHaveWorked says whether the proof of work of an attempt, or its answer to a question, can be valid for some
// subject: this program set the task, and it was solved in time and not used before. It reads no database and uses up
// nothing.
func (l *Limits) MayHaveWorked(ctx context.Context, in access.PasswordTry) bool {
	if _, done := l.crowdWork(ctx, in); done && !l.crowdProofUsed(in.Proof) {
		return true
	}
	_, right := l.answer(in.Question, in.Answer)
	return right && !l.crowdProofUsed(in.Question)
}

// UseCrowdProof marks a proof of work or a question as used. It returns false when it was used before.
func (l *Limits) UseCrowdProof(token string) bool {
	_, used := l.crowdProofs.Add(access.Hashed(token), struct{}{}, l.core.Now())
	return !used
}

// crowdProofUsed says whether UseCrowdProof has marked a token.
func (l *Limits) crowdProofUsed(token string) bool {
	_, used := l.crowdProofs.Get(access.Hashed(token))
	return used
}
