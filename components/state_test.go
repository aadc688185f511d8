package components

import (
	"strings"
	"testing"
)

// A state shows the shop of the company that it is about, else the platform's. Its shutters are up only when it is
// open.
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
			if !strings.Contains(got, `class="icon"`) {
				t.Errorf("%s of %q has no icon on its plate", scene, owner.Name)
			}
		}
	}
}
