package companytest

import (
	"errors"

	"portico/portal/pictures"
	"portico/portal/portaltest"
)

// ReadFile returns the content of a stored file. It fails the test if there is no such file.
func ReadFile(p *portaltest.Platform, name string) []byte {
	p.T.Helper()
	data, err := p.Options.Files.Get(p.T.Context(), name, 16<<20)
	portaltest.NoError(p.T, err)
	return data
}

// WantNoFile fails the test if the file store has a file of this name.
func WantNoFile(p *portaltest.Platform, name string) {
	p.T.Helper()
	if _, err := p.Options.Files.Get(p.T.Context(), name, 16<<20); !errors.Is(err, pictures.ErrNoFile) {
		p.T.Errorf("%s: %v", name, err)
	}
}
