// Package pictures checks the pictures that people upload, decodes them within limits of time and memory, writes them
// anew without metadata, and keeps them.
package pictures

import (
	"portico/portal/core"
)

// Pictures cleans and stores uploaded pictures. It is safe for concurrent use.
type Pictures struct {
	core *core.Core

	turns *core.Turns
	heavy *core.Turns
	Files Files
}

// New makes a Pictures.
func New(c *core.Core, files Files) *Pictures {
	return &Pictures{
		core:  c,
		turns: core.NewTurns(turnsRule),
		heavy: core.NewTurns(heavyRule),
		Files: files,
	}
}
