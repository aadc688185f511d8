package core

// Limits counts attempts and refuses callers over a limit. It is safe for concurrent use.
type Limits struct {
	core *Core

	crowdProofs *Recent[string, struct{}]
	publicCalls publicCalls
}
