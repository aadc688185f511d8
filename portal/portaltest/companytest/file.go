package companytest

import (
	"errors"
	"portico/portal/pictures"
	"portico/portal/portaltest"
)

// ReadFile reads a file from the file store.
func ReadFile(p *portaltest.Platform, name string) []byte {
	p.T.Helper()
	data, err := p.Options.Files.Get(p.T.Context(), name, 16<<20)
	portaltest.NoError(p.T, err)
	return data
}

// WantNoFile requires that the file store has no file of a name.
func WantNoFile(p *portaltest.Platform, name string) {
	p.T.Helper()
	if _, err := p.Options.Files.Get(p.T.Context(), name, 16<<20); !errors.Is(err, pictures.ErrNoFile) {
		p.T.Errorf("%s: %v", name, err)
	}
}
