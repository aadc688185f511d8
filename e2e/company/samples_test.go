package company

import (
	"fmt"
	"testing"

	"portico/e2e/browser"
	"portico/e2e/program"
	"portico/e2e/steps"
	"portico/e2e/testscope"
)

func TestClearingSamplesKeepsWhatARealOrderUses(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/onboarding")
	browser.InMode(t, browser.ScriptsOff(browser.Desktop, "es"), func(b *browser.Tab, text func(string) string) {
		number := program.NewPhone()
		steps.EnterTrial(b, number, 121, "shop")
		goods := steps.FirstProduct(b)
		steps.PlaceOrder(b, "1")
		b.Follow(steps.SwitchButton)
		b.Follow(steps.SettingsLink)
		b.Follow(steps.SamplesLink)
		b.WantText(
			text("office.clear_what"),
			text("office.clear_kept"),
			text("office.clear_kept_why"),
			text("office.clear_final"),
			goods,
		)
		b.Follow(steps.ClearButton)
		for range 2 {
			steps.WantSide(b, "mgr", b.Server.CompanyOf(b.T, number), "/settings/initialisation")
			b.WantText(text("office.clear_nothing"), text("office.clear_kept"), goods)
			b.WantCount(steps.ClearButton, 0)
			b.Reload()
		}
		b.Follow(steps.OrdersLink)
		b.WantCount(steps.PlacedOrder, 1)
		b.Follow(steps.SwitchButton)
		b.WantCount(".offer", 1)
		b.WantText(goods)
	})
}

func TestSamplesOfADemoCompanyAreCleared(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/onboarding")
	text := program.Texts(t, "zh")
	b := browser.NewScriptedTab(t, browser.Normal, browser.Desktop)
	steps.SignIn(b, "13800000012")
	b.Follow(steps.SideButton("mgr"))
	b.WantCount(steps.PlacedOrder, 5)
	b.Follow(steps.SettingsLink)
	b.Follow(steps.SamplesLink)
	shown := browser.Eval[[]int](
		b, `() => [...document.querySelectorAll("main .figure strong")].map(e => parseInt(e.innerText))`,
	)
	var want []int
	for _, table := range []string{"categories", "products", "clients", "orders"} {
		want = append(
			want, b.Server.Count(t, "SELECT COUNT(*) FROM "+table+" WHERE company_id = 1008 AND sample <> ''"),
		)
	}
	if fmt.Sprint(shown) != fmt.Sprint(want) || want[1] < 12 {
		t.Errorf("the page counts %d, want %d", shown, want)
	}
	b.Follow(steps.ClearButton)
	b.WantToast(text("office.cleared"))
	b.WantText(text("office.clear_nothing"))
	b.WantNoText(text("office.clear_kept"))
	b.Follow(steps.OrdersLink)
	b.WantText(text("order.none"), text("order.none_office"))
	b.Follow(steps.CustomersLink)
	b.WantText("试用客户") // it is no sample
	b.Visit("account", "/enter")
	b.Follow(steps.SideButton("shop"))
	b.WantText(text("shop.empty"))
}
