package company

import (
	"testing"
	"time"

	"portico/e2e/browser"
	"portico/e2e/program"
	"portico/e2e/steps"
	"portico/e2e/testscope"
	"portico/store"
)

func TestPersonRegistersAndEntersACompany(t *testing.T) {
	t.Parallel()
	browser.InEveryMode(t, browser.Scripted(browser.Desktop, "en"), func(b *browser.Tab, text func(string) string) {
		f := program.NewFounder()
		b.Visit("account", "/login")
		b.Follow(`main a[href="/register"]`)
		b.WantLang(b.Lang)
		b.Fill("phone", f.Phone)
		code := steps.RequestCode(b, f.Phone)
		b.WantText(program.FillIn(text("code.sent"), "phone", program.Grouped(f.Phone)))
		steps.DescribeCompany(b, f)
		steps.EnterCode(b, code)
		b.WantAt("account", "/register/init")
		b.WantText(program.FillIn(text("register.created_long"), "company", f.Company), text("register.created"))
		steps.ChooseIndustry(b, 118)
		b.Follow(steps.ImportButton)
		b.WantAt("account", "/register/result")
		b.WantText(program.FillIn(text("register.initialised_long"), "company", f.Company), text("trade.118"))
		b.Follow(steps.EnterButton)
		b.WantArrived(steps.BackOfficeOf(b, f))
		b.WantText(program.FillIn(text("chip.trial"), "num", 15))
		b.WantText(text("setup.heading"), text("setup.applications"), text("setup.bank"))
		b.WantCount(steps.PlacedOrder, 5)
		b.WantLang(b.Lang)
		b.WantNoSecrets()
		steps.WantCompanies(b, f.Phone, 1)
	})
}

func TestReloadingAtEveryRegistrationStepContinues(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/onboarding")
	browser.InEveryMode(t, browser.ScriptsOff(browser.Phone, "es"), func(b *browser.Tab, text func(string) string) {
		f := program.NewFounder()
		b.Visit("account", "/register")
		b.Fill("phone", f.Phone)
		code := steps.RequestCode(b, f.Phone)
		b.Visit("account", "/register") // starts again with the phone and the countdown
		steps.WantCountdown(b)
		steps.WantTyped(b, "phone", program.Grouped(f.Phone))
		steps.DescribeCompany(b, f)
		steps.EnterCode(b, code)
		for range 2 {
			b.WantAt("account", "/register/init")
			b.WantText(program.FillIn(text("init.lead"), "company", f.Company))
			b.Reload()
		}
		b.Follow(steps.ImportButton)
		steps.WantMistakes(b, "industry")
		b.Reload()
		steps.ChooseIndustry(b, 725)
		b.Follow(steps.ImportButton)
		b.WantAt("account", "/register/result")
		b.Visit("account", "/register/init") // redirects, because the company is set up
		b.WantAt("account", "/register/result")
		b.WantText(text("register.initialised"), text("trade.725"))
		b.Follow(steps.EnterButton)
		b.Reload()
		b.WantArrived(steps.BackOfficeOf(b, f))
		b.WantCount(".toast", 0)
		steps.WantCompanies(b, f.Phone, 1)
	})
}

func TestGoingBackAndPressingAgainRegistersNoSecondCompany(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "badline sends the form twice")
	browser.InMode(t, browser.ScriptsOff(browser.Phone, "en"), func(b *browser.Tab, text func(string) string) {
		f := program.NewFounder()
		b.Visit("account", "/register")
		b.Fill("phone", f.Phone)
		code := steps.RequestCode(b, f.Phone)
		b.Visit("account", "/register") // the history has no entry for the response to a form
		steps.DescribeCompany(b, f)
		steps.EnterCode(b, code)
		b.Back()
		b.WantAt("account", "/register")
		steps.WantResent(
			b,
			200,
			"/register",
			"phone",
			f.Phone,
			"code",
			code,
			"password",
			program.NewPassword,
			"name",
			f.Name,
			"company_name",
			f.Company,
			"agree",
			"1",
		)
		b.Visit("account", "/register/init")
		b.WantAt("account", "/register/init")
		steps.WantCompanies(b, f.Phone, 1)
		steps.ChooseIndustry(b, 121)
		b.Follow(steps.ImportButton)
		b.WantAt("account", "/register/result")
		b.Back()
		if b.Has(steps.ImportButton) { // the browser kept the page
			steps.ChooseIndustry(b, 725)
			b.Follow(steps.ImportButton)
		}
		b.Visit("account", "/register/result")
		b.WantText(text("trade.121"))
		wantImportedOnce(b, f)
		steps.WantCompanies(b, f.Phone, 1)
	})
}

func TestPressingRegisterTwiceRegistersOneCompany(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/onboarding")
	browser.InMode(t, browser.ScriptsOff(browser.Desktop, "zh"), func(b *browser.Tab, _ func(string) string) {
		f := program.NewFounder()
		b.Visit("account", "/register")
		b.Fill("phone", f.Phone)
		b.Fill("code", steps.RequestCode(b, f.Phone)) // before the other fields, because a complete form submits itself
		steps.DescribeCompany(b, f)
		steps.PressTwiceTo(b, steps.MainButton, "account", "/register/init")
		steps.WantCompanies(b, f.Phone, 1)
		steps.ChooseIndustry(b, 118)
		steps.PressTwiceTo(b, steps.ImportButton, "account", "/register/result")
		wantImportedOnce(b, f)
	})
}

// wantImportedOnce checks that a founder's company has the sample data, each row once.
func wantImportedOnce(b *browser.Tab, f program.Founder) {
	b.T.Helper()
	id := b.Server.CompanyOf(b.T, f.Phone)
	for _, table := range []string{"products", "orders"} {
		all := b.Server.Count(b.T, "SELECT COUNT(*) FROM "+table+" WHERE company_id = ?", id)
		different := b.Server.Count(b.T, "SELECT COUNT(DISTINCT sample) FROM "+table+" WHERE company_id = ?", id)
		if all == 0 || all != different {
			b.T.Errorf("%d %s, %d of them different", all, table, different)
		}
	}
}

func TestCompanyCanStartWithoutSamples(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/onboarding")
	browser.InMode(t, browser.ScriptsOff(browser.Phone, "zh"), func(b *browser.Tab, text func(string) string) {
		f := program.NewFounder()
		steps.RegisterCompany(b, f)
		b.Follow(steps.EmptyButton)
		b.WantAt("account", "/register/result")
		b.Follow(steps.EnterButton)
		b.WantArrived(steps.BackOfficeOf(b, f))
		b.WantText(text("order.none"))
		b.WantNoText(text("office.set_up"))
		b.WantCount(steps.PlacedOrder, 0)
	})
}

func TestInitialisationCanBeFinishedLater(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/onboarding")
	browser.InMode(t, browser.ScriptsOff(browser.Desktop, "es"), func(b *browser.Tab, text func(string) string) {
		f := program.NewFounder()
		steps.RegisterCompany(b, f)
		b.ClearCookies()
		steps.SignInAt(b, "account", f.Phone, program.NewPassword)
		b.WantArrived(steps.BackOfficeOf(b, f))
		b.WantText(text("office.set_up"))
		b.Follow(`main a[href$="/register/init"]`)
		b.WantAt("account", "/register/init")
		steps.ChooseIndustry(b, 128)
		b.Follow(steps.ImportButton)
		b.Follow(steps.EnterButton)
		b.WantArrived(steps.BackOfficeOf(b, f))
		b.WantNoText(text("office.set_up"))
		b.WantCount(steps.PlacedOrder, 5)
	})
}

func TestRegisteredPhoneAddsACompany(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/onboarding")
	browser.InMode(t, browser.ScriptsOff(browser.Phone, "es"), func(b *browser.Tab, text func(string) string) {
		for _, number := range []string{"13800000001", "13800000011"} {
			b.Visit("account", "/register")
			b.Fill("phone", number)
			b.Follow(steps.SendCodeButton)
			steps.WantRefusedWith(b, "phone", text("error.phone_registered"))
			b.Find(`main .cards a[href="/login"]`)
		}
		who := b.Server.AddPerson(b.T)
		b.Fill("phone", who.Phone)
		b.Follow(steps.SendCodeButton)
		b.Follow(`main a[href="/register?add=1"]`)
		b.WantText(text("register.add_heading"), text("register.add_lead"))
		b.WantCount(browser.Field("password"), 0)
		f := program.Founder{Phone: who.Phone, Name: who.Name, Company: "新店" + who.Phone[7:]}
		b.Fill("phone", f.Phone)
		code := steps.RequestCode(b, f.Phone)
		steps.DescribeCompany(b, f)
		steps.EnterCode(b, code)
		b.WantAt("account", "/register/init")
		steps.WantCompanies(b, f.Phone, 1)
		b.ClearCookies()
		steps.SignIn(b, who.Phone) // with the old password
		b.WantAt("account", "/company")
		b.WantText("金穗粮油", f.Company)
	})
}

func TestPhoneWithoutAnAccountAddsACompany(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/onboarding")
	b := browser.NewScriptedTab(t, browser.Normal, browser.Phone)
	f, db := program.NewFounder(), browser.Normal.Database(t)
	like, err := db.Persons.ByNumber(t.Context(), "13800000011")
	b.Must(err)
	_, err = db.Persons.Add(
		t.Context(), store.Person{Phone: f.Phone, PasswordHash: like.PasswordHash, CreatedAt: store.At(time.Now())},
	)
	b.Must(err)
	b.Visit("account", "/register?add=1")
	b.Fill("phone", f.Phone)
	code := steps.RequestCode(b, f.Phone)
	steps.DescribeCompany(b, f)
	steps.EnterCode(b, code)
	b.Follow(steps.EmptyButton)
	b.WantAt("account", "/register/result")
	b.Follow(steps.EnterButton)
	b.WantArrived(steps.BackOfficeOf(b, f))
	b.ClearCookies()
	steps.SignIn(b, f.Phone)
	b.WantArrived(steps.BackOfficeOf(b, f))
}

func TestSignedInPersonAddsACompanyWithoutACode(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/onboarding")
	browser.InMode(t, browser.ScriptsOff(browser.Desktop, "es"), func(b *browser.Tab, text func(string) string) {
		who := b.Server.AddPerson(b.T)
		steps.SignIn(b, who.Phone)
		b.Visit("account", "/register")
		b.WantText(program.FillIn(text("register.signed_in_lead"), "phone", program.Masked(who.Phone)))
		for _, name := range []string{"phone", "code", "password"} {
			b.WantCount(browser.Field(name), 0)
		}
		f := program.Founder{Phone: who.Phone, Name: who.Name, Company: "新店" + who.Phone[7:]}
		steps.DescribeCompany(b, f)
		steps.PressTwiceTo(b, steps.MainButton, "account", "/register/init")
		steps.WantCompanies(b, f.Phone, 1)
		if codes := steps.CodesSentTo(b, f.Phone); len(codes) > 0 {
			b.T.Errorf("%d codes were sent", len(codes))
		}
	})
}
