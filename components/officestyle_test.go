package components

import (
	"slices"
	"testing"

	"portico/assets"
)

func TestBackOfficeLinksItsSheetsAndContainsNone(t *testing.T) {
	both := []string{assets.SheetURL, assets.MoreURL}
	for _, has := range []Sheets{{}, {Inside: true}, {More: true}, {Inside: true, More: true}} {
		s := StyleFor("", has, PartOffice)
		if !slices.Equal(s.Linked, both) || len(s.Prefetch) > 0 || len(s.Inline) > 1000 {
			t.Errorf("%+v: links %q, prefetches %q, contains %d bytes", has, s.Linked, s.Prefetch, len(s.Inline))
		}
		if isNew := has != (Sheets{Inside: true, More: true}); isNew != (s.Gives != "") {
			t.Errorf("%+v: the cookie becomes %q", has, s.Gives)
		}
	}
}
