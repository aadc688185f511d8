package company

import (
	"strings"
	"testing"

	"portico/e2e/browser"
	"portico/e2e/program"
	"portico/e2e/steps"
)

// awaitFragments waits until htmx has taken over the links and forms of the page.
func awaitFragments(b *browser.Tab) {
	b.T.Helper()
	b.Await("htmx", `() => !!document.querySelector("[data-htmx-powered]")`)
}

// stay marks the document, and wantSame fails the test if the tab has loaded another one since.
func stay(b *browser.Tab) { browser.Eval[any](b, `() => { window.stayed = true }`) }

func wantSame(b *browser.Tab) {
	b.T.Helper()
	if !browser.Eval[bool](b, `() => window.stayed === true`) {
		b.T.Errorf("the whole page was loaded, at %s", b.Address())
	}
}

func TestListIsRenewedWithoutLoadingThePage(t *testing.T) {
	t.Parallel()
	browser.InMode(t, browser.Scripted(browser.Desktop, "en"), func(b *browser.Tab, _ func(string) string) {
		company := b.Server.AddCompany(b.T, b.Lang, "", true)
		addOrders(b, company, 30)
		_, err := b.Server.Database(b.T).ChangeRows(b.T.Context(),
			`UPDATE orders SET state = 'confirmed' WHERE company_id = ? AND number < 9003`, company.ID)
		b.Must(err)
		steps.SignIn(b, company.Phone)
		steps.OfficePage(b, company, "/orders")
		if scriptless(b) {
			b.Follow(`.states a[href$="state=confirmed"]`)
			b.WantCount(`.rows tbody tr`, 2)
			return
		}
		awaitTools(b)
		awaitFragments(b)
		stay(b)
		b.WantCount(`.rows tbody tr`, 25)

		// A tab: the address has it, and it keeps the focus.
		b.Press(`.states a[href$="state=confirmed"]`)
		b.Await("two orders", `() => document.querySelectorAll(".rows tbody tr").length === 2`)
		b.Await("the address", `() => location.search === "?state=confirmed"`)
		b.Await("the current tab has the focus", `() => document.activeElement.matches(".states [aria-current]")`)
		b.Await("the number is said",
			`() => [...document.querySelectorAll("body > [role=status]")].some(e => e.textContent === "2 found")`)
		if href := browser.Eval[string](b, `() => document.querySelector("#foot-languages a").href`); !strings.Contains(
			href, "state=confirmed") {
			b.T.Errorf("another language shows another list: %s", href)
		}
		wantSame(b)

		// Back and forward.
		browser.Eval[any](b, `() => { history.back() }`)
		b.Await("the first list", `() => document.querySelectorAll(".rows tbody tr").length === 25 && !location.search`)
		browser.Eval[any](b, `() => { history.forward() }`)
		b.Await("the second list",
			`() => document.querySelectorAll(".rows tbody tr").length === 2 && location.search === "?state=confirmed"`)
		browser.Eval[any](b, `() => { history.back() }`)
		b.Await("the first list", `() => document.querySelectorAll(".rows tbody tr").length === 25 && !location.search`)
		wantSame(b)

		// The next page is shown from its top.
		b.Press(`.pages a:last-child`)
		b.Await("the last orders", `() => document.querySelectorAll(".rows tbody tr").length === 5`)
		b.Await("the top of the list", `() => document.querySelector("h1").getBoundingClientRect().top >= 0`)
		wantSame(b)

		// A row that was chosen is not another one after the list is sorted.
		b.Press(`.rows tbody tr:first-child .pick input`)
		b.WantCount(`.pick [name=id]:checked`, 1)
		b.Press(`.rows thead a[href*="sort=date"]`)
		b.Await("the oldest order", `() => document.querySelector(".rows tbody th").textContent.includes("9001")`)
		chosen := browser.Eval[string](b, `() => [...document.querySelectorAll(".pick [name=id]:checked")]
			.map(e => e.closest("tr").querySelector("th").textContent.trim()).join()`)
		if strings.Contains(chosen, "9001") {
			b.T.Errorf("%s is chosen, which nobody has chosen", chosen)
		}
		wantSame(b)

		// What is chosen is shown before it is done, and done without leaving the page.
		browser.Eval[any](b, `() => { for (const e of document.querySelectorAll(".pick :checked")) e.click() }`)
		b.Press(`.rows tbody tr:nth-child(4) .pick input`)
		b.Follow(`.actbar button[value=confirm]`)
		b.WantText("Confirm 1 order?", "Order 9004")
		wantSame(b)
		b.Follow(`#bulk button[value=confirm]`)
		b.WantText("1 order confirmed")
		b.Await("the number of orders that wait",
			`() => document.querySelector("#waiting-orders .count").textContent === "27"`)
		wantSame(b)
		b.Reload()
		b.WantText("1 order confirmed")
	})
}

func TestSettingIsSavedWithoutLoadingThePage(t *testing.T) {
	t.Parallel()
	browser.InMode(t, browser.Scripted(browser.Phone, "es"), func(b *browser.Tab, text func(string) string) {
		company := b.Server.AddCompany(b.T, b.Lang, "", true)
		steps.SignIn(b, company.Phone)
		steps.OfficePage(b, company, "/settings/employees")
		if !scriptless(b) {
			awaitFragments(b)
			stay(b)
		}
		b.Press(`#rights input[value=orders]`)
		const isGiven = `() => document.querySelector("#rights input[value=orders]").checked`
		was := browser.Eval[bool](b, isGiven)
		b.Follow(`.save-bar button`)
		b.WantText(text("employees.saved"))
		if scriptless(b) {
			return
		}
		b.WantToast(text("employees.saved"))
		wantSame(b)
		b.Reload()
		if is := browser.Eval[bool](b, isGiven); is != was {
			b.T.Errorf("saved as %t, and shown as %t", was, is)
		}
		steps.OfficePage(b, company, "/settings/registration")
		awaitFragments(b)
		stay(b)
		b.Fill("contact_phone", "123")
		b.Press(`.save-bar button`)
		b.Await("the summary has the focus", `() => document.activeElement.id === "summary"`)
		b.Await("the field has a message", `() => document.querySelector("[name=contact_phone][aria-invalid=true]")`+
			` !== null`)
		if typed := b.Value("contact_phone"); strings.ReplaceAll(typed, " ", "") != "123" {
			b.T.Errorf("%q is in the field", typed)
		}
		wantSame(b)
	})
}

func TestSessionThatEndedLeadsFromAFragmentToTheSignInPageAndBack(t *testing.T) {
	t.Parallel()
	b := browser.NewScriptedTab(t, browser.Normal, browser.Desktop)
	company := b.Server.AddCompany(t, "en", "", true)
	b.ClearCookies()
	addOrders(b, company, 3)
	steps.SignIn(b, company.Phone)
	steps.OfficePage(b, company, "/orders")
	awaitFragments(b)
	browser.Eval[any](b, `async () => { // in another tab
		const form = document.querySelector("form[action='/logout']")
		await fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)), redirect: "manual" })
	}`)
	b.Follow(`.states a[href$="state=new"]`)
	if at := b.Address(); !strings.Contains(at, "/login?return=%2Fmgr%2Forders%3Fstate%3Dnew") {
		t.Errorf("after signing in, the person does not come back to the list: %s", at)
	}
}

func TestShopIsSearchedWithoutLoadingThePageAndNoQuantityIsLost(t *testing.T) {
	t.Parallel()
	b := browser.NewScriptedTab(t, browser.Normal, browser.Phone)
	b.ClearCookies()
	steps.EnterTrial(b, program.NewPhone(), 121, "shop")
	awaitFragments(b)
	b.Await("the script of the cart", `() => document.querySelector("[data-island=cart]").dataset.ready === ""`)
	stay(b)
	goods, field := steps.FirstProduct(b), steps.QuantityField(b, 0)
	b.Press(`.stepper[data-product="` + strings.TrimPrefix(field, "quantity_") + `"] [name=more]`)
	b.Fill("q", goods)
	b.Press(`.finder .find`) // before the quantity was sent
	b.Await("one product",
		`() => document.querySelectorAll(".offer").length === 1 && location.search.startsWith("?q=")`)
	b.Await("the cart has it", `() => !document.querySelector(".cart-bar").hidden`)
	wantSame(b)
	b.Await("the script of the cart", `() => document.querySelector("[data-island=cart]").dataset.ready === ""`)
	steps.TypeQuantity(b, 0, "3")
	b.Await("the menu has it", `() => document.querySelector("#waiting-cart .count").textContent === "1"`)
	browser.Eval[any](b, `() => { history.back() }`)
	b.Await("all products", `() => document.querySelectorAll(".offer").length > 1 && !location.search`)
	if got := b.Value(field); got != "3" {
		t.Errorf("after going back, the product has the quantity %q", got)
	}
	wantSame(b)
}
