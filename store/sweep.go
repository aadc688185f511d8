package store

// SweepStep is how many rows one statement of a sweep removes. Every function whose name begins with Forget removes no
// more than that, finds them by an index, and returns how many there were, so that a sweep never keeps the database
// from others for long.
const SweepStep = 1000
