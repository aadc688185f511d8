package components

import (
	"slices"
	"strings"
	"testing"

	"portico/assets"
)

func TestBackOfficeLinksItsSheetsAndContainsNone(t *testing.T) {
	all := []string{assets.SheetURL, assets.LandingURL, assets.OfficeURL}
	for _, has := range []Sheets{
		{}, {Inside: true}, {Landing: true}, {Inside: true, Landing: true}, {Inside: true, Flows: true},
	} {
		s := StyleFor("", has, PartOffice)
		if !slices.Equal(s.Linked, all) || len(s.Prefetch) > 0 || len(s.Inline) > 1000 {
			t.Errorf("%+v: links %q, prefetches %q, contains %d bytes", has, s.Linked, s.Prefetch, len(s.Inline))
		}
		knows := has.Inside && has.Landing
		if knows != (s.Gives == "") {
			t.Errorf("%+v: the cookie becomes %q", has, s.Gives)
		}
		if after := SheetsOf(s.Gives); !knows && after != (Sheets{Inside: true, Flows: has.Flows, Landing: true}) {
			t.Errorf("%+v: the cookie says %+v", has, after)
		}
	}
}

func TestOtherPagesHaveNoStylesOfTheBackOffice(t *testing.T) {
	for _, part := range []Part{PartSignIn, PartInside, PartFlows, PartLanding, PartOverview} {
		s := StyleFor("", Sheets{}, part)
		if slices.Contains(slices.Concat(s.Linked, s.Prefetch), assets.OfficeURL) ||
			strings.Contains(s.Inline, assets.OfficeStyle()) || strings.Contains(s.Inline, ".rows") {
			t.Errorf("part %d has the sheet of the back office", part)
		}
	}
}

func TestOnlyTheOverviewHasItsStyles(t *testing.T) {
	for _, part := range []Part{PartSignIn, PartInside, PartFlows, PartLanding, PartOverview, PartOffice} {
		for _, has := range []Sheets{{}, {Inside: true}, {Inside: true, Landing: true}} {
			s := StyleFor("", has, part)
			contains := strings.Contains(s.Inline, assets.OverviewStyle())
			links := slices.Contains(s.Linked, assets.OverviewURL)
			if (contains || links) != (part == PartOverview) || contains && links {
				t.Errorf("part %d, %+v: contains the sheet: %v, links it: %v", part, has, contains, links)
			}
		}
	}
}
