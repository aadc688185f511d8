package limits

import (
	"context"

	"portico/portal/access"
	"portico/portal/recent"
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
func newCrowdProofs() *recent.Recent[string, struct{}] {
	return recent.New[string, struct{}](QuestionLife, crowdProofsHeld)
}

// SetCrowdWork creates the work that a stranger has to do before the next attempt at a subject.
func (l *Limits) SetCrowdWork(ctx context.Context, subject string) (*access.Work, error) {
	token, err := l.sealing.Seal("crowd", sealedCrowdWork{
		Subject: l.sealing.Tag("crowd", subject)[:8],
		Network: l.sealing.Tag("crowd", access.Network(access.CallerOf(ctx).Address))[:8],
		Until:   l.now().Add(QuestionLife).Unix(),
	})
	return &access.Work{Token: token, Bits: WorkBits}, err
}

// CrowdWorkDone says whether a stranger did the work that was set for this attempt.
func (l *Limits) CrowdWorkDone(ctx context.Context, subject string, in access.PasswordTry) bool {
	var w sealedCrowdWork
	if l.sealing.Unseal("crowd", in.Proof, &w) != nil || w.Until <= l.now().Unix() ||
		w.Subject != l.sealing.Tag("crowd", subject)[:8] ||
		w.Network != l.sealing.Tag("crowd", access.Network(access.CallerOf(ctx).Address))[:8] {
		return false
	}
	return IsWork(in.Proof, in.Work, WorkBits) && l.UseCrowdProof(in.Proof)
}

// UseCrowdProof marks a proof of work or a question as used. It returns false when it was used before.
func (l *Limits) UseCrowdProof(token string) bool {
	_, used := l.crowdProofs.Add(access.Hashed(token), struct{}{}, l.now())
	return !used
}
