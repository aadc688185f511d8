package application_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"portico/gateway"
	"portico/portal"
	"portico/portal/access"
	"portico/portal/application"
	"portico/portal/picturetest"
	"portico/portal/portaltest"
	"portico/portal/portaltest/applicationtest"
)

func TestAFullDiskLeavesNoIncompleteFile(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		at := t.TempDir()
		files, err := gateway.NewDir(at)
		portaltest.NoError(t, err)
		p.Restart(func(o *portal.Options) { o.Files = files })
		portaltest.NoError(t, os.WriteFile(filepath.Join(at, "licence"), nil, 0o600)) // nothing can be put below it
		token, err := p.Licences.LicenceToken(t.Context(), 1001, applicationtest.SenderPhone)
		portaltest.NoError(t, err)
		send := func() error {
			_, err := p.Licences.UploadLicence(p.From(portaltest.HomeAddress), application.UploadInput{
				Token: token, Body: bytes.NewReader(picturetest.JPEG(60, 40)),
			})
			return err
		}
		portaltest.Refused(t, send(), access.NotAvailable)
		if left, err := os.ReadDir(filepath.Join(at, "half")); err != nil || len(left) > 0 {
			t.Errorf("%v %v", left, err)
		}
		portaltest.NoError(t, os.Remove(filepath.Join(at, "licence")))
		portaltest.NoError(t, send()) // with the same token
		p.Restart(func(o *portal.Options) { o.Files = nil })
		_, err = p.Licences.UploadToken(p.From(portaltest.HomeAddress), application.UploadTokenInput{
			Name: "a.jpg", Type: "image/jpeg", Size: 9,
		})
		portaltest.Refused(t, err, access.NotAvailable)
		portaltest.Refused(
			t,
			p.Branding.SetIcon(
				p.From(portaltest.HomeAddress), p.Land("jinsui", portaltest.PhoneScreen), bytes.NewReader(nil),
			), access.NotAvailable,
		)
	})
}
