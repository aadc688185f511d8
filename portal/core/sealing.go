package core

// Sealing seals with the newest master key and opens what any known master key has sealed. It is safe for concurrent
// use.
type Sealing struct {
	core *Core

	Keys keys // set by SetKeys
}
