package company

import (
	"fmt"
	"testing"
	"time"

	"portico/e2e/browser"
	"portico/e2e/program"
	"portico/e2e/steps"
	"portico/e2e/testscope"
)

func TestBothSidesOfATrialShowItsOrder(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/onboarding")
	browser.InEveryMode(t, browser.ScriptsOff(browser.Desktop, "zh"), func(b *browser.Tab, text func(string) string) {
		f := program.NewFounder()
		b.Visit("account", "/login")
		b.Follow(`.trades a[href^="/experience?industry=121"]`)
		b.WantLang(b.Lang)
		b.WantText(text("experience.heading"), text("experience.pick"))
		steps.EnterTrial(b, f.Phone, 121, "shop")
		tried := b.Server.CompanyOf(b.T, f.Phone)
		steps.WantSide(b, "shop", tried, "")
		b.WantText(text("land.try_shop"), text("land.mine"))

		goods := steps.FirstProduct(b)
		steps.PlaceOrder(b, "3")
		steps.WantSide(b, "shop", tried, "/orders")
		b.WantToast(
			program.FillIn(
				text("order.ordered"),
				"num",
				b.Server.Count(b.T, "SELECT MAX(number) FROM orders WHERE company_id = ?", tried),
			),
		)
		b.WantCount(steps.PlacedOrder, 1)
		b.WantText(text("order.new"))
		order := browser.Eval[string](b, `s => document.querySelector(s).pathname.split("/").pop()`, steps.PlacedOrder)
		b.Follow(steps.PlacedOrder)
		b.WantText(goods, text("order.new"))

		b.Follow(steps.SwitchButton)
		steps.WantSide(b, "mgr", tried, "")
		b.WantLang(b.Lang)
		b.WantText(text("land.try_mgr"))
		b.Follow(steps.PlacedOrder) // the newest order
		steps.WantSide(b, "mgr", tried, "/orders/"+order)
		b.WantText(goods)
		b.Follow(steps.ConfirmButton)
		steps.WantSide(b, "mgr", tried, "/orders/"+order)
		b.WantText(text("order.confirmed"), text("order.confirmed_at"))
		b.WantCount(steps.ConfirmButton, 0)

		b.Follow(steps.SwitchButton)
		steps.WantSide(b, "shop", tried, "")
		b.Follow(steps.OrdersLink)
		b.WantText(text("order.confirmed"))
		b.WantNoText(text("order.new"))
		b.WantNoSecrets()
	})
}

func TestRegisteringTurnsATrialIntoTheCompany(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/onboarding; another flow registers a company")
	browser.InMode(t, browser.Scripted(browser.Phone, "es"), func(b *browser.Tab, text func(string) string) {
		f := program.NewFounder()
		steps.EnterTrial(b, f.Phone, 118, "shop")
		goods := steps.FirstProduct(b)
		steps.PlaceOrder(b, "2")
		b.WantCount(steps.PlacedOrder, 1)
		tried := b.Server.CompanyOf(b.T, f.Phone)

		b.Follow(steps.MineLink)
		b.WantAt("account", "/register")
		b.WantText(text("register.own_heading"), text("register.own_lead"))
		for _, name := range []string{"phone", "code"} {
			b.WantCount(browser.Field(name), 0)
		}
		b.Follow(steps.MainButton)
		steps.WantMistakes(b, "password", "name", "company_name", "agree")
		steps.DescribeCompany(b, f)
		b.Follow(steps.MainButton)
		b.WantAt("account", "/register/result")
		b.WantText(program.FillIn(text("register.created_long"), "company", f.Company))
		b.Follow(steps.EnterButton)
		enterSide(b, "mgr")
		b.WantArrived(steps.BackOfficeOf(b, f))
		b.WantCount(".try", 0)
		b.Follow(steps.PlacedOrder)
		b.WantText(goods, text("order.new"))
		steps.WantCompanies(b, f.Phone, 1)
		if b.Server.CompanyOf(b.T, f.Phone) != tried {
			b.T.Error("the trial became another company")
		}
		b.ClearCookies()
		steps.SignInAt(b, "account", f.Phone, program.NewPassword)
		enterSide(b, "mgr")
		b.WantArrived(steps.BackOfficeOf(b, f))
	})
}

// enterSide chooses a side of a company in which the person has both.
func enterSide(b *browser.Tab, side string) {
	b.T.Helper()
	b.WantAt("account", "/enter")
	b.Follow(steps.SideButton(side))
}

func TestTrialCanBeStartedAgainAfterReloads(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/onboarding")
	browser.InMode(t, browser.ScriptsOff(browser.Desktop, "zh"), func(b *browser.Tab, text func(string) string) {
		number := program.NewPhone()
		b.Visit("account", "/experience/role") // nothing was opened
		b.WantAt("account", "/experience")
		b.Follow(steps.MainButton)
		steps.WantMistakes(b, "industry", "phone", "code", "agree")
		b.Fill("phone", number)
		code := steps.RequestCode(b, number)
		b.Visit("account", "/experience")
		steps.WantCountdown(b)
		steps.WantTyped(b, "phone", program.Grouped(number))
		steps.ChooseIndustry(b, 128)
		steps.AcceptAgreement(b)
		steps.EnterCode(b, program.WrongCode(code))
		steps.WantRefusedWith(b, "code", text("error.code_wrong"))
		wantChosen(b, `input[name=industry][value="128"]`)
		wantChosen(b, browser.Field("agree"))
		steps.EnterCode(b, code)
		for range 2 {
			b.WantAt("account", "/experience/role")
			b.WantText(text("role.heading"))
			b.Reload()
		}
		b.Press(browser.Field("import")) // without samples
		b.Follow(steps.RoleButton("mgr"))
		tried := b.Server.CompanyOf(b.T, number)
		steps.WantSide(b, "mgr", tried, "")
		b.WantText(text("order.none"))
		b.Follow(steps.SwitchButton)
		steps.WantSide(b, "shop", tried, "")
		b.WantText(text("shop.empty"))

		b.Visit("account", "/experience") // a signed-in person opens another trial without a code
		b.WantCount(browser.Field("phone"), 0)
		steps.ChooseIndustry(b, 725)
		steps.AcceptAgreement(b)
		steps.PressTwiceTo(b, steps.MainButton, "account", "/experience/role")
		b.Follow(steps.RoleButton("shop"))
		steps.WantSide(b, "shop", b.Server.CompanyOf(b.T, number), "")
		b.Find(steps.MoreButton)
		b.Visit("account", "/experience/role")
		if n := b.Server.Count(
			b.T, "SELECT COUNT(*) FROM sandboxes s JOIN phones p ON p.id = s.phone_id WHERE p.phone = ?", number,
		); n != 2 {
			b.T.Errorf("%d sandboxes, want 2", n)
		}
	})
}

// Nobody can adopt another person's trial.
func TestTrialCannotBeAdoptedByAnotherPerson(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/onboarding")
	theirs, b := browser.NewTab(t, browser.Normal, browser.Phone), browser.NewTab(t, browser.Normal, browser.Phone)
	owner, f := program.NewPhone(), program.NewFounder()
	steps.EnterTrial(theirs, owner, 118, "mgr")
	taken := browser.Normal.CompanyOf(t, owner)
	steps.EnterTrial(b, f.Phone, 121, "mgr")
	b.Visit("account", fmt.Sprintf("/register?sandbox=%d", taken))
	steps.WantResent(
		b,
		422,
		"/register",
		"sandbox",
		fmt.Sprint(taken),
		"password",
		program.NewPassword,
		"name",
		f.Name,
		"company_name",
		f.Company,
		"agree",
		"1",
	)
	if browser.Normal.Count(t, "SELECT COUNT(*) FROM companies WHERE id = ? AND sandbox = ?", taken, true) != 1 {
		t.Error("the company is not a trial any more")
	}
	theirs.Reload()
	steps.WantSide(theirs, "mgr", taken, "")
}

func TestExpiredTrialBlocksSigningInUntilItIsExtended(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/onboarding")
	browser.InMode(t, browser.Scripted(browser.Phone, "zh"), func(b *browser.Tab, text func(string) string) {
		f := b.Server.RegisterCompany(b.T, b.Lang, 0)
		id := b.Server.CompanyOf(b.T, f.Phone)
		b.Server.SetTrialEnd(b.T, id, 71*time.Hour)
		steps.SignInAt(b, "account", f.Phone, program.NewPassword)
		b.WantArrived(steps.BackOfficeOf(b, f))
		b.WantText(program.FillIn(text("land.trial_soon"), "num", 3), text("land.trial_renew"))
		b.Find(`main .note a[href="tel:` + program.SupportPhone + `"]`)

		b.Server.SetTrialEnd(b.T, id, -time.Minute)
		b.Reload()
		b.WantText(text("error.trial_ended"))
		b.ClearCookies()
		steps.SignInAt(b, "account", f.Phone, program.NewPassword)
		steps.WantRefused(b, text("error.trial_ended"), program.SupportPhone)

		b.Must(b.Server.Run("company", "extend-trial", fmt.Sprint(id), "10"))
		steps.SignInAt(b, "account", f.Phone, program.NewPassword)
		b.WantArrived(steps.BackOfficeOf(b, f))
		b.WantCount(`main .note.warn`, 0)
		b.WantText(program.FillIn(text("chip.trial"), "num", 10))
	})
}
