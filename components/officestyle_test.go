package components

import (
	"slices"
	"strings"
	"testing"

	"portico/assets"
)

func TestBackOfficeLinksItsSheetsAndContainsNone(t *testing.T) {
	all := []string{assets.LandingURL, assets.OfficeURL}
	for _, has := range []Sheets{
		{}, {Account: true}, {Landing: true}, {Account: true, Landing: true}, {Account: true, Flows: true},
	} {
		s := StyleFor("", has, PartOffice)
		if !slices.Equal(s.Linked, all) || len(s.Prefetch) > 0 || len(s.Inline) > 1000 {
			t.Errorf("%+v: links %q, prefetches %q, contains %d bytes", has, s.Linked, s.Prefetch, len(s.Inline))
		}
		knows := has.Landing
		if knows != (s.Gives == "") {
			t.Errorf("%+v: the cookie becomes %q", has, s.Gives)
		}
		want := has
		want.Landing = true
		if after := SheetsOf(s.Gives); !knows && after != want {
			t.Errorf("%+v: the cookie says %+v", has, after)
		}
	}
}

func TestOtherPagesHaveNoStylesOfTheBackOffice(t *testing.T) {
	for _, part := range []Part{PartSignIn, PartAccount, PartFlows, PartLanding, PartRecords, PartOverview} {
		s := StyleFor("", Sheets{}, part)
		if slices.Contains(slices.Concat(s.Linked, s.Prefetch), assets.OfficeURL) ||
			strings.Contains(s.Inline, assets.OfficeStyle()) || strings.Contains(s.Inline, ".rows") {
			t.Errorf("part %d has the sheet of the back office", part)
		}
	}
}

func TestOnlyTheOverviewHasItsStyles(t *testing.T) {
	for part := PartSignIn; part <= PartOffice; part++ {
		for _, has := range []Sheets{{}, {Account: true}, {Account: true, Landing: true}} {
			s := StyleFor("", has, part)
			contains := strings.Contains(s.Inline, assets.OverviewStyle())
			links := slices.Contains(s.Linked, assets.OverviewURL)
			if (contains || links) != (part == PartOverview) || contains && links {
				t.Errorf("part %d, %+v: contains the sheet: %v, links it: %v", part, has, contains, links)
			}
		}
	}
}
