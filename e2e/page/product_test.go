package page

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-rod/rod/lib/proto"

	"portico/e2e/browser"
	"portico/e2e/program"
	"portico/e2e/steps"
)

// pictured are the companies in the pictures of the product: one for each language, and who opens its back office.
var pictured = []struct {
	lang    string
	company int64
	staff   string
}{{"zh", 1001, "jinsui"}, {"es", 1002, "sur"}, {"en", 1003, "northwind"}}

const (
	// productScale makes the pictures twice as wide as the panel of the sign-in page shows them.
	productScale = 1.125
	// productQuality keeps small text legible.
	productQuality = 55
)

// TestPicturesOfTheProduct takes the pictures of the product for the panel of the sign-in page: `make product`.
// PORTICO_PRODUCT names the folder. For each language and colour scheme there is a back office and a shop on a phone,
// as the program shows them with the demo data.
func TestPicturesOfTheProduct(t *testing.T) {
	dir := os.Getenv("PORTICO_PRODUCT")
	if dir == "" {
		t.Skip("PORTICO_PRODUCT names no folder: the pictures are part of the program")
	}
	for _, p := range pictured {
		b := browser.NewTab(t, browser.Normal, browser.Window)
		b.Lang = p.lang
		b.ClearCookies()
		steps.SignInAt(b, fmt.Sprintf("store%d", p.company), p.staff, program.Password)
		if b.Has(steps.SkipButton) { // no phone yet
			b.Follow(steps.SkipButton)
		}
		b.WantAt(steps.SideOf(b, "mgr", p.company))
		takeProduct(b, dir, "office")

		shopper := program.NewApplicant()
		b.Server.AddCustomer(t, program.Company{ID: p.company}, shopper)
		b.SetScreen(browser.Handset)
		b.ClearCookies()
		steps.SignIn(b, shopper.Phone)
		steps.TypeQuantity(b, 0, "2")
		steps.TypeQuantity(b, 1, "3")
		browser.Eval[any](b, `() => scrollBy(0, document.querySelector(".offer").getBoundingClientRect().top - 52)`)
		takeProduct(b, dir, "shop")
	}
}

// hideScrollbar also takes the focus away.
const hideScrollbar = `() => {
	document.activeElement.blur()
	document.documentElement.style.scrollbarWidth = "none"
}`

// takeProduct takes the picture of the page in both colour schemes. Nothing on the page may be covered or cut off.
func takeProduct(b *browser.Tab, dir, name string) {
	b.T.Helper()
	for _, fault := range browser.Eval[[]string](b, coveredOrCut) {
		b.T.Errorf("the picture %s in %s: %s", name, b.Lang, fault)
	}
	browser.Eval[any](b, hideScrollbar)
	b.Must(b.Mouse.MoveTo(proto.Point{})) // off the button that was pressed
	for _, scheme := range []string{"light", "dark"} {
		browser.SetColourScheme(b, scheme)
		file := fmt.Sprintf("%s-%s-%s.webp", name, b.Lang, scheme)
		browser.TakeSharpPicture(b, filepath.Join(dir, file), productScale, productQuality)
	}
}
