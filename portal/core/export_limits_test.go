package core

// PublicNetworks is how many networks' public calls are counted.
func (l *Limits) PublicNetworks() int { return len(l.publicCalls.counts) }

// CrowdProofs is how many used proofs of work are remembered.
func (l *Limits) CrowdProofs() int { return l.crowdProofs.Size() }
