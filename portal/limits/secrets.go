package limits

// Ended says whether a moment (Unix ms) has come. A thing that ends at a moment no longer works at that moment.
func (l *Limits) Ended(until int64) bool { return until <= l.now().UnixMilli() }
