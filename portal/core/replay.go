package core

// Replay recognises requests that were sent before. It is safe for concurrent use.
type Replay struct {
	core *Core

	Replays *replays  // signatures of this and other instances
	Proofs  keyedLock // by MadeBy.ID
}
