package components

import (
	"strings"
	"testing"
)

// A state that is about a company shows its shop, whose shutters are up only when it is open. Other states have a
// drawing.
func TestStateShowsTheShopOfItsCompany(t *testing.T) {
	const shop, shutters = `class="front mark-owner"`, `class="slats"`
	owner := Owner{Name: "金穗粮油"}
	for _, c := range []struct {
		drawing        string
		owner          Owner
		isShop, isOpen bool
	}{
		{"d-open", owner, true, true}, {"d-review", owner, true, false}, {"d-rejected", owner, true, false},
		{"d-locked", owner, true, false}, {"d-lost", owner, false, false}, {"d-locked", Owner{}, false, false},
	} {
		var page strings.Builder
		if err := Scene(c.drawing, c.owner).Render(t.Context(), &page); err != nil {
			t.Fatal(err)
		}
		got := page.String()
		if strings.Contains(got, shop) != c.isShop || strings.Contains(got, `class="drawing"`) == c.isShop {
			t.Errorf("%s of %q shows a shop: %v", c.drawing, c.owner.Name, !c.isShop)
		}
		if strings.Contains(got, shutters) != (c.isShop && !c.isOpen) {
			t.Errorf("%s of %q is open: %v", c.drawing, c.owner.Name, !c.isOpen)
		}
	}
}
