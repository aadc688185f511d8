package portal

import "context"

// While HashCrowded strangers wait for a password hash, the next ones do a proof of work, or answer a question where
// there are no scripts. It costs a flood about as much processor time as the hash costs this program. Each proof is
// good for one try of one subject from one network.

// crowdProofsHeld is how many used proofs are remembered; about 10 MB.
const crowdProofsHeld = 50_000

type sealedCrowdWork struct {
	Subject string `json:"s"`
	Network string `json:"n"`
	Until   int64  `json:"u"` // Unix s: keeps the token short enough for one block of the hash
}

// setCrowdWork creates the work that a stranger has to do before the next attempt at a subject.
func (p *Portal) setCrowdWork(ctx context.Context, subject string) (*Work, error) {
	token, err := p.seal("crowd", sealedCrowdWork{
		Subject: p.tag("crowd", subject)[:8], Network: p.tag("crowd", network(callerOf(ctx).Address))[:8],
		Until: p.now().Add(QuestionLife).Unix(),
	})
	return &Work{Token: token, Bits: WorkBits}, err
}

// crowdWorkDone says whether a stranger did the work that was set for this attempt.
func (p *Portal) crowdWorkDone(ctx context.Context, subject string, in PasswordTry) bool {
	var w sealedCrowdWork
	if p.unseal("crowd", in.Proof, &w) != nil || w.Until <= p.now().Unix() || w.Subject != p.tag("crowd", subject)[:8] ||
		w.Network != p.tag("crowd", network(callerOf(ctx).Address))[:8] {
		return false
	}
	return isWork(in.Proof, in.Work, WorkBits) && p.useCrowdProof(in.Proof)
}

// useCrowdProof marks a proof of work or a question as used. It returns false when it was used before.
func (p *Portal) useCrowdProof(token string) bool {
	_, used := p.crowdProofs.add(hashed(token), struct{}{}, p.now())
	return !used
}
