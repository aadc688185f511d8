package company

import (
	"fmt"
	"testing"

	"portico/e2e/browser"
	"portico/e2e/program"
	"portico/e2e/steps"
	"portico/e2e/testscope"
)

func TestEmployeeCannotChangeSettings(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/office")
	browser.InMode(t, browser.Scripted(browser.Phone, "en"), func(b *browser.Tab, text func(string) string) {
		steps.SignIn(b, "13800000003")
		b.Follow(steps.DestinationButton(1001, "mgr"))
		steps.WantSide(b, "mgr", 1001, "")
		b.WantCount(steps.SettingsLink, 0)
		b.WantCount(`main a[href$="/settings/initialisation"]`, 0)
		host, root := steps.SideOf(b, "mgr", 1001)
		b.Visit(host, root+"/settings/initialisation")
		b.WantStatus(403)
		b.WantText(text("error.forbidden"))
	})
}

func TestEmployeeSignsInWithAFirstPasswordUntilDisabled(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/office and pages/entry")
	browser.InMode(t, browser.ScriptsOff(browser.Desktop, "zh"), func(b *browser.Tab, text func(string) string) {
		company := b.Server.AddCompany(b.T, b.Lang, "", true)
		steps.SignIn(b, company.Phone)
		steps.OfficePage(b, company, "/people/new")
		b.Follow(steps.OpenAccountButton)
		steps.WantMistakes(b, "name")
		b.Fill("name", "小二")
		b.Follow(steps.OpenAccountButton)
		b.WantText(text("person.given_once"))
		login, first := browser.Eval[string](
			b, `() => document.querySelector(".given dd").innerText`,
		), browser.Eval[string](b, `() => document.querySelector(".secret").innerText`)
		b.AuthCodes = append(b.AuthCodes, first) // WantNoSecrets searches for it
		b.Follow(`main .actions a`)
		b.WantText("小二", login, text("people.state_first_password"))
		if steps.MarkupContains(b, first) {
			b.T.Error("the first password is shown again")
		}
		b.WantNoSecrets()

		other := browser.OpenOtherBrowser(b)
		steps.SignInAt(other, "account", login, first)
		other.WantAt("account", "/password")
		other.WantText(text("first_password.heading"), text("first_password.lead"))
		other.Visit("account", "/accounts?all=1") // no other page can be opened before
		other.WantAt("account", "/password")
		steps.ChangePassword(other, first)
		other.WantAt("account", "/bind")
		other.Follow(steps.SkipButton)
		host, root := steps.SideOf(other, "mgr", company.ID)
		other.WantArrived(browser.Arrival{Host: host, Path: root, Holder: "小二", Company: company.Name})
		other.AuthCodes = append(other.AuthCodes, first)
		other.WantNoSecrets()
		other.Find(steps.OrdersLink)
		for _, path := range []string{"/people", "/settings/registration", "/applications"} {
			steps.OfficePage(other, company, path)
			other.WantStatus(403)
		}

		person := b.Address()
		steps.OfficePage(b, company, "/settings/employees")
		b.Press(`input[name=rights][value=orders]`)
		b.Press(`input[name=rights][value=applications]`)
		b.Follow(`#employees .button`)
		b.WantToast(text("employees.saved"))
		steps.OfficePage(other, company, "")
		other.WantCount(steps.OrdersLink, 0)
		steps.OfficePage(other, company, "/orders")
		other.WantStatus(403)
		steps.OfficePage(other, company, "/applications")
		other.WantStatus(200)

		b.VisitURL(person)
		b.Follow(steps.DisableButton)
		b.WantToast(text("person.disabled"))
		b.WantText(text("people.state_disabled"))
		other.Follow(steps.CustomersLink)
		other.WantText(text("login.session_ended"))
		other.WantNoText("小二")
		steps.SignInAt(other, "account", login, program.NewPassword)
		other.WantText(text("error.account_disabled"))
		other.Find(fmt.Sprintf(`main a[href="tel:%s"]`, company.Phone))
	})
}

func TestInvitationLinkWorksInAnotherBrowser(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/office")
	browser.InMode(t, browser.ScriptsOff(browser.Phone, "zh"), func(b *browser.Tab, text func(string) string) {
		company, number := b.Server.AddCompany(b.T, b.Lang, "", true), program.NewPhone()
		steps.SignIn(b, company.Phone)
		steps.OfficePage(b, company, "/people/new")
		b.Fill("name", "同事")
		b.Fill("phone", number)
		b.Follow(steps.OpenAccountButton)
		b.WantText(text("person.opened"), text("people.state_invited"))
		b.Find(".qr")
		link := browser.Eval[string](b, `() => document.getElementById("link").value`)

		other := browser.OpenOtherBrowser(b)
		other.SetLanguage(company.Host())
		other.VisitURL(link)
		other.WantAt(company.Host(), "/register/complete")
		other.WantLang(b.Lang)
		other.WantText(program.FillIn(text("complete.lead"), "company", company.Name))
		if !other.Has(browser.Field("phone")) || other.Value("phone") == "" {
			other.Fill("phone", number)
		}
		code := steps.RequestCode(other, number)
		other.Fill("name", "同事")
		other.Fill("password", program.NewPassword)
		other.Fill("confirm_password", program.NewPassword)
		steps.EnterCode(other, code)
		host, root := steps.SideOf(other, "mgr", company.ID)
		other.WantArrived(browser.Arrival{Host: host, Path: root, Holder: "同事", Company: company.Name})
		other.WantNoSecrets()
		b.Reload()
		b.WantText(text("people.state_active"))
		b.WantCount(".qr", 0)
	})
}

func TestEndedPartnershipSignsTheCustomerOut(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/office")
	browser.InMode(t, browser.Scripted(browser.Desktop, "es"), func(b *browser.Tab, text func(string) string) {
		company, a := b.Server.AddCompany(b.T, b.Lang, "", true), program.NewApplicant()
		b.Server.AddCustomer(b.T, company, a)
		other := browser.OpenOtherBrowser(b)
		steps.SignIn(other, a.Phone)
		other.WantArrived(steps.ShopOf(other, company, a))
		steps.SignIn(b, company.Phone)
		b.Follow(steps.CustomersLink)
		b.Follow(`main .rows tbody a`)
		b.WantText(a.Company, program.Masked(a.Phone))
		b.Follow(steps.EndButton)
		b.WantToast(text("customer.ended"))
		other.Reload()
		other.WantNoText(a.Name)
		steps.SignIn(other, a.Phone)
		steps.WantRefused(other, text("error.partner_ended"), company.Phone)
		b.Follow(steps.ResumeButton)
		b.WantToast(text("customer.resumed"))
		steps.SignIn(other, a.Phone)
		other.WantArrived(steps.ShopOf(other, company, a))
	})
}

func TestBackOfficeSetsAppearanceAndRegistration(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/office")
	browser.InMode(t, browser.ScriptsOff(browser.Phone, "es"), func(b *browser.Tab, text func(string) string) {
		company, other := b.Server.AddCompany(b.T, b.Lang, "", true), browser.OpenOtherBrowser(b)
		other.SetLanguage(company.Host())
		steps.SignIn(b, company.Phone)
		b.Follow(steps.SettingsLink)
		b.Follow(`main a[href$="/settings/appearance"]`)
		b.Fill("theme", "ab12")
		b.Follow(steps.SaveButton)
		steps.WantMistakes(b, "theme")
		b.Fill("theme", "d9480f")
		if b.NoScripts {
			b.Follow(steps.PreviewButton)
			b.WantStatus(200)
		}
		b.Await("the colour in the preview", `() => {
			const colour = s => getComputedStyle(document.querySelector(s)).backgroundColor
			return colour(".sample .button") !== colour("button[value=save]")
		}`)
		shown := browser.Eval[string](
			b, `() => getComputedStyle(document.querySelector(".sample .button")).backgroundColor`,
		)
		b.Follow(steps.SaveButton)
		b.WantToast(text("settings.saved"))
		other.Visit(company.Host(), "/login")
		other.WantText(company.Name)
		if got := browser.Eval[string](
			other, `s => getComputedStyle(document.querySelector(s)).backgroundColor`, steps.SignInButton,
		); got != shown {
			b.T.Errorf("the sign-in page is %s, the preview %s", got, shown)
		}

		steps.OfficePage(b, company, "/settings/registration")
		b.Press(browser.Field("open"))
		b.Fill("contact_name", "前台")
		b.Follow(steps.SettingButton)
		b.WantToast(text("settings.saved"))
		b.WantText(text("registration.address_closed"))
		other.Visit(company.Host(), "/register/more")
		other.WantText(text("error.registration_closed"), "前台")
		other.Find(fmt.Sprintf(`main a[href="tel:%s"]`, company.Phone))
		steps.OfficePage(b, company, "/audit")
		b.WantText(text("audit.registration_set"), text("audit.appearance_set"), company.Administrator)
		b.WantNoSecrets()
	})
}
