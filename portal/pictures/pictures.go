// Package pictures checks the pictures that people upload, decodes them within limits of time and memory, writes them
// anew without metadata, and keeps them.
package pictures

import (
	"log/slog"

	"portico/portal/access"
	"portico/portal/core"
	"portico/store"
)

// Pictures cleans and stores uploaded pictures. It is safe for concurrent use.
type Pictures struct {
	db  *store.DB
	log *slog.Logger

	turns *core.Turns
	heavy *core.Turns
	Files Files

	counted access.Counted

	access *access.Access
}

// New makes a Pictures from the settings of the installation and the districts below.
func New(
	o access.Platform,
	files Files,
	access *access.Access,
) *Pictures {
	return &Pictures{
		db:      o.DB,
		log:     o.Log,
		turns:   core.NewTurns(turnsRule),
		heavy:   core.NewTurns(heavyRule),
		counted: o.Counted,
		Files:   files,
		access:  access,
	}
}
