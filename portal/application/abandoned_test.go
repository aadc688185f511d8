package application_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"portico/gateway"
	"portico/portal"
	"portico/portal/pictures"
	"portico/portal/picturetest"
	"portico/portal/portaltest"
	"portico/portal/portaltest/applicationtest"
	"portico/portal/portaltest/companytest"
	"portico/store"
)

// UndeletableFiles is a file store that cannot delete the files whose names end in *Kept.
type UndeletableFiles struct {
	*gateway.Dir
	Kept *string // "": it deletes every file
}

// Delete deletes a file, or fails if its name ends in *Kept.
func (s UndeletableFiles) Delete(ctx context.Context, name string) error {
	if *s.Kept != "" && strings.HasSuffix(name, *s.Kept) {
		return errors.New("permission denied")
	}
	return s.Dir.Delete(ctx, name)
}

func TestAFileThatCannotBeRemovedDoesNotDelayOthers(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		files, err := gateway.NewDir(t.TempDir())
		portaltest.NoError(t, err)
		kept := ""
		p.Restart(func(o *portal.Options) { o.Files = UndeletableFiles{files, &kept} })
		now := store.At(p.Clock.Now())
		for i := range 130 { // more than are looked for at once
			portaltest.NoError(t, ErrorUnless(p.DB.Uploads.Add(t.Context(), store.Upload{
				ID: fmt.Sprintf("%018d------", i), CompanyID: 1001, Purpose: store.UploadLicence, Owner: "x",
				CreatedAt: now,
				SentUntil: now,
			})))
		}
		p.Clock.Advance(time.Second)
		u, err := applicationtest.UploadLicence(p.Platform, 1001, applicationtest.SenderPhone, picturetest.JPEG(60, 40))
		portaltest.NoError(t, err)
		p.Clock.Advance(pictures.AbandonedAfter + time.Second)
		kept = "------"
		portaltest.NoError(t, p.Sweep(t.Context()))
		companytest.WantNoFile(p.Platform, "licence/"+u.ID)
		left := func(want int) {
			t.Helper()
			at := store.At(p.Clock.Now())
			ended, err := p.DB.Uploads.Ended(t.Context(), at, store.Upload{CreatedAt: -1}, 1000)
			portaltest.NoError(t, err)
			sent, err := p.DB.Uploads.Sent(t.Context(), at, store.Upload{}, 1000)
			portaltest.NoError(t, err)
			if len(ended) != want || len(sent) != want {
				t.Errorf("%d and %d are left, want %d", len(ended), len(sent), want)
			}
		}
		left(130)
		if n := p.Log.Count(`"file not removed"`, `"permission denied"`); n < 130 {
			t.Errorf("the log has %d", n)
		}
		kept = fmt.Sprintf("%018d------", 7)
		portaltest.NoError(t, p.Sweep(t.Context()))
		left(1)
		kept = ""
		portaltest.NoError(t, p.Sweep(t.Context()))
		left(0)
	})
}

func TestAnUploadThatCannotBeRemovedDoesNotDelayOthers(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		files, err := gateway.NewDir(t.TempDir())
		portaltest.NoError(t, err)
		kept := "a"
		p.Restart(func(o *portal.Options) { o.Files = UndeletableFiles{files, &kept} })
		now := store.At(p.Clock.Now())
		for _, id := range []string{"a", "b"} {
			u := store.Upload{
				ID: id, CompanyID: 1001, Purpose: store.UploadLicence, Owner: "x", Content: "c", CreatedAt: now,
				UsedAt: now, SentUntil: now,
			}
			portaltest.NoError(t, ErrorUnless(p.DB.Uploads.Add(t.Context(), u)))
			portaltest.NoError(t, files.Put(t.Context(), "incoming/"+id, "image/jpeg", []byte("x")))
		}
		p.Clock.Advance(pictures.AbandonedAfter + time.Second)
		portaltest.NoError(t, p.Sweep(t.Context()))
		companytest.ReadFile(p, "incoming/a")
		companytest.WantNoFile(p, "incoming/b")
		kept = ""
		portaltest.NoError(t, p.Sweep(t.Context()))
		companytest.WantNoFile(p, "incoming/a")
	})
}

// ErrorUnless returns err, or an error if a row was not added because it exists already.
func ErrorUnless(added bool, err error) error {
	if err == nil && !added {
		err = errors.New("the row exists already")
	}
	return err
}
