package application_test

import (
	"strings"
	"testing"
	"time"

	"portico/gateway"
	"portico/portal"
	"portico/portal/access"
	"portico/portal/application"
	"portico/portal/pictures"
	"portico/portal/picturetest"
	"portico/portal/portaltest"
	"portico/portal/portaltest/applicationtest"
	"portico/portal/portaltest/companytest"
)

// DirectUploads is a file store to which browsers upload directly.
type DirectUploads struct{ *gateway.Dir }

// Post returns the address and the form fields of an upload.
func (DirectUploads) Post(name, kind string, _ int64, _ time.Time) (string, map[string]string, bool) {
	return "https://files.test/", map[string]string{"key": name, "Content-Type": kind}, true
}

func TestAFileUploadedToTheFileStoreIsCleanedWhenAnApplicationUsesIt(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		files, err := gateway.NewDir(t.TempDir())
		portaltest.NoError(t, err)
		p.Restart(func(o *portal.Options) { o.Files = DirectUploads{files} })
		arrives := func(data []byte) string {
			t.Helper()
			form, err := p.Licences.UploadToken(
				p.From(portaltest.HomeAddress),
				application.UploadTokenInput{Name: "a.jpg", Type: "image/jpeg", Size: 4000, CompanyID: 1001},
			)
			portaltest.NoError(t, err)
			if form.URL != "https://files.test/" || form.Fields["key"] != "incoming/"+form.Key {
				t.Fatalf("%+v", form)
			}
			if data != nil {
				portaltest.NoError(t, files.Put(t.Context(), form.Fields["key"], "image/jpeg", data))
			}
			return form.Key
		}
		take := func(key, phone string) error {
			return p.Licences.TakeLicence(p.From(portaltest.HomeAddress), key, 1001, phone)
		}
		WantUnknownLicence(t, take(arrives(nil), applicationtest.SenderPhone))
		for _, data := range [][]byte{
			[]byte("<svg/>"), picturetest.JPEG(40, 30)[:300],
			append(picturetest.JPEG(40, 30), make([]byte, access.MaxUpload)...),
		} {
			key := arrives(data)
			if err := take(key, applicationtest.SenderPhone); err == nil {
				t.Error("it was taken")
			}
			companytest.WantNoFile(p, "licence/"+key)
		}
		photo := append(
			picturetest.WithSegment(picturetest.JPEG(400, 300), 0xe1, picturetest.Exif(6)), picturetest.Canary...,
		)
		key := arrives(photo)
		portaltest.NoError(t, take(key, applicationtest.SenderPhone))
		companytest.WantNoFile(p, "incoming/"+key)
		kept := string(companytest.ReadFile(p, "licence/"+key))
		if strings.Contains(kept, "canary") || strings.Contains(kept, picturetest.GPS) {
			t.Error("something of the file is left")
		}
		portaltest.NoError(t, take(key, applicationtest.SenderPhone))
		WantUnknownLicence(t, take(key, "13900000778"))
		portaltest.NoError(t, p.Licences.UseUpload(t.Context(), key, 1001))
		// the same picture again, in another application
		portaltest.NoError(t, take(arrives(photo), applicationtest.SenderPhone))
		portaltest.NoError(t, files.Put(t.Context(), "incoming/"+key, "image/jpeg", photo)) // sent again
		left := arrives(photo)
		p.Clock.Advance(application.UploadLife + pictures.AbandonedAfter + time.Minute)
		portaltest.NoError(t, p.Sweep(t.Context()))
		companytest.WantNoFile(p, "incoming/"+key)
		companytest.WantNoFile(p, "incoming/"+left)
		companytest.ReadFile(p, "licence/"+key)
	})
}
