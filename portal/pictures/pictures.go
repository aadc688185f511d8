// Package pictures checks the pictures that people upload, decodes them within limits of time and memory, writes them
// anew without metadata, and keeps them.
package pictures

import (
	"log/slog"

	"portico/portal/access"
	"portico/portal/turns"
	"portico/store"
)

// Pictures cleans and stores uploaded pictures. It is safe for concurrent use.
type Pictures struct {
	db  *store.DB
	log *slog.Logger

	turns *turns.Turns
	heavy *turns.Turns
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
		turns:   turns.New(turnsRule),
		heavy:   turns.New(heavyRule),
		counted: o.Counted,
		Files:   files,
		access:  access,
	}
}
