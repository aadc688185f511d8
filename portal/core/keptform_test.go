package core_test

import (
	"net/url"
	"strconv"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/portaltest"
)

func TestAKeptFormCanBeOpenedForADay(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		id := keepForm(p, 1, "a name")
		p.Clock.Advance(24*time.Hour - time.Millisecond)
		portaltest.NoError(t, p.Sweep(t.Context()))
		if f, err := p.Limits.KeptForm(t.Context(), id); err != nil || f.Fields.Get("name") != "a name" {
			t.Errorf("%+v, %v", f, err)
		}
		p.Clock.Advance(time.Millisecond)
		_, err := p.Limits.KeptForm(t.Context(), id)
		portaltest.Refused(t, err, access.NotFound)
	})
}

func TestTheTenNewestFormsOfAPersonAreKept(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		other := keepForm(p, 2, "another person's")
		var ids []string
		for n := range 11 {
			p.Clock.Advance(time.Second)
			ids = append(ids, keepForm(p, 1, strconv.Itoa(n)))
		}
		_, err := p.Limits.KeptForm(t.Context(), ids[0])
		portaltest.Refused(t, err, access.NotFound)
		for _, id := range append(ids[1:], other) {
			_, err := p.Limits.KeptForm(t.Context(), id)
			portaltest.NoError(t, err)
		}
	})
}

// keepForm keeps a form of a person, and returns its id. It fails the test if that is refused.
func keepForm(p *portaltest.Platform, personID int64, name string) string {
	p.T.Helper()
	id, err := p.Limits.KeepForm(p.T.Context(), core.KeptForm{
		Owner: core.FormOwner{PersonID: personID}, Path: "/profile", Fields: url.Values{"name": {name}},
	})
	portaltest.NoError(p.T, err)
	return id
}
