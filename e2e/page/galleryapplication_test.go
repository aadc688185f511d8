package page

import (
	"cmp"
	"fmt"

	"portico/e2e/browser"
	"portico/e2e/program"
	"portico/e2e/steps"
	"portico/store"
)

// applicationViews are the pages on which a customer applies to a company, and those of its back office. One browser is
// signed in to both.
var applicationViews = []view{
	{"applications-none", func(b *browser.Tab) {
		b.ClearCookies()
		b.Company, b.Applicant = b.Server.AddCompany(
			b.T, cmp.Or(b.Lang, "zh"), "region address reason licence contact_phone", true,
		), program.NewApplicant()
		b.SetLanguage(b.Company.Host())
		steps.SignIn(b, b.Company.Phone)
		b.Follow(steps.ApplicationsLink)
	}},
	{"settings", func(b *browser.Tab) { b.Follow(steps.SettingsLink) }},
	{"registration", func(b *browser.Tab) { steps.OfficePage(b, b.Company, "/settings/registration") }},
	{"registration-refused", func(b *browser.Tab) {
		b.Fill("contact_phone", "123")
		b.Follow(steps.SettingButton)
	}},
	{"appearance", func(b *browser.Tab) { steps.OfficePage(b, b.Company, "/settings/appearance") }},
	{"appearance-refused", func(b *browser.Tab) { b.Fill("theme", "ab12"); b.Follow(steps.SaveButton) }},
	{"appearance-domain", func(b *browser.Tab) {
		steps.OfficePage(b, b.Company, "/settings/appearance")
		b.Press(`.advanced summary`)
		b.Fill("domain", fmt.Sprintf("shop%d.example.cn", b.Company.ID))
		b.Follow(`button[name=action][value=domain_add]`)
	}},
	{"bank", func(b *browser.Tab) { steps.OfficePage(b, b.Company, "/settings/bank") }},
	{"bank-refused", func(b *browser.Tab) { b.Fill("bank_card", "6222"); b.Follow(`#bank .button`) }},
	{"employees", func(b *browser.Tab) { steps.OfficePage(b, b.Company, "/settings/employees") }},
	{"customer-types", func(b *browser.Tab) { steps.OfficePage(b, b.Company, "/settings/customer-types") }},
	{"customer-types-saved", func(b *browser.Tab) { b.Fill("new", "零售店"); b.Follow(`#types .button`) }},
	{"customer-types-refused", func(b *browser.Tab) { b.Fill("new", "零售店"); b.Follow(`#types .button`) }},
	{"people", func(b *browser.Tab) { steps.OfficePage(b, b.Company, "/people") }},
	{"people-new", func(b *browser.Tab) { steps.OfficePage(b, b.Company, "/people/new") }},
	{"people-new-refused", func(b *browser.Tab) { b.Follow(steps.OpenAccountButton) }},
	{"hand-over-nobody", func(b *browser.Tab) {
		steps.OfficePage(b, b.Company, "/settings")
		b.Follow(steps.RoleLink)
	}},
	{"person", func(b *browser.Tab) {
		b.Server.AddStaff(b.T, b.Company, store.TypeEmployee, program.NewPhone(), "店员")
		steps.OfficePage(b, b.Company, "/people")
		b.Follow(`main .rows tbody a`)
	}},
	{"person-refused", func(b *browser.Tab) { b.Fill("name", ""); b.Follow(`#edit .button`) }},
	{"person-role", func(b *browser.Tab) { b.Follow(steps.RoleLink) }},
	{"person-role-refused", func(b *browser.Tab) { b.Follow(`#role .button[value=hand_over]`) }},
	{"hand-over", func(b *browser.Tab) { steps.OfficePage(b, b.Company, "/settings"); b.Follow(steps.RoleLink) }},
	{"people-new-again", func(b *browser.Tab) { steps.OfficePage(b, b.Company, "/people/new") }},
	{"first-password", func(b *browser.Tab) { b.Fill("name", "小二"); b.Follow(steps.OpenAccountButton) }},
	{"person-first-password", func(b *browser.Tab) { b.Follow(`main .actions a`) }},
	{"people-new-shop", func(b *browser.Tab) { steps.OfficePage(b, b.Company, "/people/new?side=shop") }},
	{"person-invited", func(b *browser.Tab) {
		b.Fill("client_name", "老饭馆")
		b.Fill("name", "来宾")
		b.Fill("phone", program.NewPhone())
		b.Follow(steps.OpenAccountButton)
	}},
	{"customer", func(b *browser.Tab) {
		steps.OfficePage(b, b.Company, "/customers")
		b.Follow(`main .rows tbody a`)
	}},
	{"customer-ended", func(b *browser.Tab) { b.Follow(steps.EndButton) }},
	{"audit", func(b *browser.Tab) { steps.OfficePage(b, b.Company, "/audit") }},
	{"visits", func(b *browser.Tab) {
		steps.AddVisits(b, b.Company.ID)
		steps.OfficePage(b, b.Company, "/settings/visits")
	}},
	{"apply-prove", func(b *browser.Tab) { b.Visit(b.Company.Host(), "/register/more") }},
	{"apply-prove-refused", func(b *browser.Tab) { b.Follow(steps.MainButton) }},
	{"apply", func(b *browser.Tab) { steps.Apply(b, b.Company, b.Applicant) }},
	{"apply-refused", func(b *browser.Tab) { b.Follow(steps.MainButton) }},
	{"apply-region", func(b *browser.Tab) {
		if b.Screen.Mobile {
			b.Press(`.opener`)
			return
		}
		steps.ChooseRegion(b)
	}},
	{"apply-attached", func(b *browser.Tab) {
		b.Visit(b.Company.Host(), "/register/more")
		steps.DescribeApplicant(b, b.Applicant)
		b.Fill("reason", b.Applicant.Reason)
		b.Fill("address", "文三路 1 号")
		b.Fill("contact_phone", b.Applicant.Phone)
		steps.ChooseRegion(b)
		steps.AttachLicence(b, &b.Applicant)
	}},
	{"application-pending", func(b *browser.Tab) { b.Follow(steps.MainButton) }},
	{"office-waiting", func(b *browser.Tab) { steps.OfficePage(b, b.Company, "") }},
	{"filters", func(b *browser.Tab) {
		steps.OfficePage(b, b.Company, "/applications/filters?back=state%3Dpending")
		b.Fill("name", "2026")
		b.Follow(`#filter .button`)
		steps.OfficePage(b, b.Company, "/applications/filters?back=state%3Dpending")
	}},
	{"applications", func(b *browser.Tab) { b.Follow(steps.ApplicationsLink) }},
	{"applications-chosen", func(b *browser.Tab) { b.Press(`tbody .pick input`) }},
	{"applications-bulk", func(b *browser.Tab) { b.Follow(`.actbar button[value=reject]`) }},
	{"applications-bulk-refused", func(b *browser.Tab) { b.Follow(`#bulk button[value=reject]`) }},
	{"application", func(b *browser.Tab) {
		b.Follow(`main .rows tbody a`)
		steps.WantPicture(b, `.licence img`)
		b.MustEval(`() => scrollTo(0, 0)`)
	}},
	{"application-refused", func(b *browser.Tab) {
		steps.OpenRejection(b)
		b.Follow(steps.RejectButton)
	}},
	{"application-decided", func(b *browser.Tab) { b.Fill("reason", "字迹不清"); b.Follow(steps.RejectButton) }},
	{"application-rejected", func(b *browser.Tab) {
		b.Visit(b.Company.Host(), applicationPath(b))
		b.Press(`.sent-in summary`)
		steps.WantPicture(b, `.licence img`) // scrolls down to it
		b.Press(`.sent-in summary`)
		b.MustEval(`() => scrollTo(0, 0)`)
	}},
	{"application-approved", func(b *browser.Tab) {
		b.Visit(b.Company.Host(), "/register/more")
		b.Follow(steps.MainButton)
		steps.OfficePage(b, b.Company, "/applications")
		b.Follow(`main .rows tbody a`)
		steps.WantPicture(b, `.licence img`)
		b.Follow(steps.ApproveButton)
		b.Visit(b.Company.Host(), "/register/more")
	}},
	{"complete-proven", func(b *browser.Tab) { b.Follow(steps.AgainLink) }},
	{"application-stranger", func(b *browser.Tab) {
		path := applicationPath(b)
		b.ClearCookies()
		b.Visit(b.Company.Host(), path)
	}},
	{"application-prove", func(b *browser.Tab) { b.Follow(`main a[href$="prove=1"]`) }},
	{"apply-closed", func(b *browser.Tab) { b.Visit("store1003", "/register/more") }},
	{"apply-no-company", func(b *browser.Tab) { b.Visit("account", "/register/more") }},
	{"offers", func(b *browser.Tab) {
		b.ClearCookies()
		holder, other := b.Server.AddCompany(b.T, "zh", "", true), b.Server.AddCompany(b.T, "zh", "", true)
		b.Server.OfferAccount(b.T, other, holder.Phone)
		b.SetLanguage("account")
		steps.SignIn(b, holder.Phone)
		b.Visit("account", "/offers")
	}},
	{"accounts-with-an-offer", func(b *browser.Tab) { b.Visit("account", "/accounts?all=1") }},
}

// applicationPath is the back office's path of the first application of the tab's applicant, the rejected one.
func applicationPath(b *browser.Tab) string {
	b.T.Helper()
	return fmt.Sprintf(
		"/register/result?id=%d",
		b.Server.Count(b.T, "SELECT id FROM applications WHERE phone = ? ORDER BY created_at", b.Applicant.Phone),
	)
}
