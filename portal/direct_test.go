package portal_test

import (
	"strings"
	"testing"
	"time"

	"portico/gateway"
	"portico/portal"
	"portico/portal/picturetest"
)

// direct is a store to which people send files themselves.
type direct struct{ *gateway.Dir }

func (direct) Post(name, kind string, _ int64, _ time.Time) (string, map[string]string, bool) {
	return "https://files.test/", map[string]string{"key": name, "Content-Type": kind}, true
}

func TestAFileSentStraightToTheStoreIsCleanedWhenAnApplicationTakesIt(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		files, err := gateway.NewDir(t.TempDir())
		noError(t, err)
		p.restart(func(o *portal.Options) { o.Files = direct{files} })
		arrives := func(data []byte) string {
			t.Helper()
			form, err := p.UploadToken(p.from(homeAddress), portal.UploadTokenInput{Name: "a.jpg", Type: "image/jpeg", Size: 4000, CompanyID: 1001})
			noError(t, err)
			if form.URL != "https://files.test/" || form.Fields["key"] != "incoming/"+form.Key {
				t.Fatalf("%+v", form)
			}
			if data != nil {
				noError(t, files.Put(t.Context(), form.Fields["key"], "image/jpeg", data))
			}
			return form.Key
		}
		take := func(key, phone string) error { return p.TakeLicence(p.from(homeAddress), key, 1001, phone) }
		unknownLicence(t, take(arrives(nil), senderPhone))
		for _, data := range [][]byte{[]byte("<svg/>"), picturetest.JPEG(40, 30)[:300], append(picturetest.JPEG(40, 30), make([]byte, portal.MaxUpload)...)} {
			key := arrives(data)
			if err := take(key, senderPhone); err == nil {
				t.Error("it was taken")
			}
			p.missing("licence/" + key)
		}
		photo := append(picturetest.WithSegment(picturetest.JPEG(400, 300), 0xe1, picturetest.Exif(6)), picturetest.Canary...)
		key := arrives(photo)
		noError(t, take(key, senderPhone))
		p.missing("incoming/" + key)
		kept := string(p.kept("licence/" + key))
		if strings.Contains(kept, "canary") || strings.Contains(kept, picturetest.GPS) {
			t.Error("something of the file is left")
		}
		noError(t, take(key, senderPhone))
		unknownLicence(t, take(key, "13900000778"))
		noError(t, p.UseUpload(t.Context(), key, 1001))
		noError(t, take(arrives(photo), senderPhone))                            // the same picture again, in another application
		noError(t, files.Put(t.Context(), "incoming/"+key, "image/jpeg", photo)) // sent again
		left := arrives(photo)
		p.clock.advance(portal.UploadLife + portal.AbandonedAfter + time.Minute)
		noError(t, p.Sweep(t.Context()))
		p.missing("incoming/" + key)
		p.missing("incoming/" + left)
		p.kept("licence/" + key)
	})
}
