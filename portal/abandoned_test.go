package portal_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"portico/gateway"
	"portico/portal"
	"portico/portal/picturetest"
	"portico/store"
)

// stubborn is a place for files that would not delete some of them.
type stubborn struct {
	*gateway.Dir
	kept *string // the end of their names; "" for none
}

func (s stubborn) Delete(ctx context.Context, name string) error {
	if *s.kept != "" && strings.HasSuffix(name, *s.kept) {
		return errors.New("permission denied")
	}
	return s.Dir.Delete(ctx, name)
}

func TestAFileThatCannotBeRemovedHoldsNoOtherUp(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		files, err := gateway.NewDir(t.TempDir())
		noError(t, err)
		kept := ""
		p.restart(func(o *portal.Options) { o.Files = stubborn{files, &kept} })
		now := store.At(p.clock.now())
		for i := range 130 { // more than are looked for at once
			noError(t, added(p.db.AddUpload(t.Context(), store.Upload{
				ID: fmt.Sprintf("%023d-", i), CompanyID: 1001, Purpose: store.UploadLicence, Owner: "x", CreatedAt: now, SentUntil: now,
			})))
		}
		p.clock.advance(time.Second)
		u, err := p.licence(1001, senderPhone, picturetest.JPEG(60, 40))
		noError(t, err)
		p.clock.advance(portal.AbandonedAfter + time.Second)
		kept = "-"
		noError(t, p.Sweep(t.Context()))
		p.missing("licence/" + u.ID)
		left := func(want int) {
			t.Helper()
			at := store.At(p.clock.now())
			ended, err := p.db.EndedUploads(t.Context(), at, store.Upload{CreatedAt: -1}, 1000)
			noError(t, err)
			sent, err := p.db.SentUploads(t.Context(), at, store.Upload{}, 1000)
			noError(t, err)
			if len(ended) != want || len(sent) != want {
				t.Errorf("%d and %d are left, want %d", len(ended), len(sent), want)
			}
		}
		left(130)
		if n := p.log.count(`"file not removed"`, `"permission denied"`); n < 130 {
			t.Errorf("the log tells of %d", n)
		}
		kept = fmt.Sprintf("%023d-", 7)
		noError(t, p.Sweep(t.Context()))
		left(1)
		kept = ""
		noError(t, p.Sweep(t.Context()))
		left(0)
	})
}

func TestAFileThatWasSentAndCannotBeRemovedHoldsNoOtherUp(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		files, err := gateway.NewDir(t.TempDir())
		noError(t, err)
		kept := "a"
		p.restart(func(o *portal.Options) { o.Files = stubborn{files, &kept} })
		now := store.At(p.clock.now())
		for _, id := range []string{"a", "b"} {
			u := store.Upload{ID: id, CompanyID: 1001, Purpose: store.UploadLicence, Owner: "x", Content: "c", CreatedAt: now, UsedAt: now, SentUntil: now}
			noError(t, added(p.db.AddUpload(t.Context(), u)))
			noError(t, files.Put(t.Context(), "incoming/"+id, "image/jpeg", []byte("x")))
		}
		p.clock.advance(portal.AbandonedAfter + time.Second)
		noError(t, p.Sweep(t.Context()))
		p.kept("incoming/a")
		p.missing("incoming/b")
		kept = ""
		noError(t, p.Sweep(t.Context()))
		p.missing("incoming/a")
	})
}

// added demands that a row is new.
func added(is bool, err error) error {
	if err == nil && !is {
		err = errors.New("it is there already")
	}
	return err
}
