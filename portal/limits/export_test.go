package limits

// PublicNetworks is how many networks' public calls are counted.
func (l *Limits) PublicNetworks() int { return len(l.publicCalls.counts) }
