package components

import (
	"strings"
	"testing"
)

// A state shows the shop of the company that it is about, else the platform's. Its shutters are up only when it is
// open. What was not found has a signpost instead of a shop.
func TestStateShowsTheShopOfItsCompany(t *testing.T) {
	const shop, logo, shutters = `class="front mark-owner"`, `class="logo"`, `class="slats"`
	owner := Owner{Name: "金穗粮油"}
	for scene := range plates {
		for _, owner := range []Owner{owner, {}} {
			var page strings.Builder
			if err := ScenePicture(scene, owner).Render(t.Context(), &page); err != nil {
				t.Fatal(err)
			}
			got, owned := page.String(), owner.Name != ""
			if strings.Contains(got, shop) != owned || strings.Contains(got, logo) == owned {
				t.Errorf("%s of %q shows the company's shop: %v", scene, owner.Name, !owned)
			}
			if strings.Contains(got, shutters) != (scene != SceneOpen) {
				t.Errorf("%s of %q is open: %v", scene, owner.Name, scene != SceneOpen)
			}
			if _, plate, _ := strings.Cut(got, `<span class="plate`); !strings.Contains(plate, `<path d="`) {
				t.Errorf("%s of %q has nothing on its plate", scene, owner.Name)
			}
		}
	}
	var lost strings.Builder
	if err := ScenePicture(SceneLost, owner).Render(t.Context(), &lost); err != nil {
		t.Fatal(err)
	}
	if got := lost.String(); !strings.Contains(got, ">?</text>") || strings.Contains(got, "plate") ||
		strings.Contains(got, shop) {
		t.Errorf("what was not found has no signpost, or a shop: %s", got)
	}
}
