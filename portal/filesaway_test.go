package portal_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"portico/gateway"
	"portico/portal"
	"portico/portal/picturetest"
)

func TestNothingIsHalfStoredWhenThereIsNoRoom(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		at := t.TempDir()
		files, err := gateway.NewDir(at)
		noError(t, err)
		p.restart(func(o *portal.Options) { o.Files = files })
		noError(t, os.WriteFile(filepath.Join(at, "licence"), nil, 0o600)) // nothing can be put below it
		token, err := p.LicenceToken(t.Context(), 1001, senderPhone)
		noError(t, err)
		send := func() error {
			_, err := p.UploadLicence(p.from(homeAddress), portal.UploadInput{Token: token, Body: bytes.NewReader(picturetest.JPEG(60, 40))})
			return err
		}
		refused(t, send(), portal.NotAvailable)
		if left, err := os.ReadDir(filepath.Join(at, "half")); err != nil || len(left) > 0 {
			t.Errorf("%v %v", left, err)
		}
		noError(t, os.Remove(filepath.Join(at, "licence")))
		noError(t, send()) // with the same token
		p.restart(func(o *portal.Options) { o.Files = nil })
		_, err = p.UploadToken(p.from(homeAddress), portal.UploadTokenInput{Name: "a.jpg", Type: "image/jpeg", Size: 9})
		refused(t, err, portal.NotAvailable)
		refused(t, p.SetIcon(p.from(homeAddress), p.landed("jinsui", phoneScreen), bytes.NewReader(nil)), portal.NotAvailable)
	})
}
