package e2e

import (
	"cmp"
	"fmt"

	"portico/store"
)

// joiningViews are the pages by which a customer joins a company, and those of the back office that answers. One browser
// holds both.
var joiningViews = []view{
	{"applications-none", func(b *tab) {
		b.forget()
		b.house, b.applicant = b.site.house(b.t, cmp.Or(b.lang, "zh"), "region address reason licence contact_phone", true), newApplicant()
		b.speak(b.house.host())
		b.signIn(b.house.phone)
		b.follow(applicationsLink)
	}},
	{"settings", func(b *tab) { b.follow(settingsLink) }},
	{"registration", func(b *tab) { b.officePage(b.house, "/settings/registration") }},
	{"registration-refused", func(b *tab) {
		b.fill("contact_phone", "123")
		b.follow(settingButton)
	}},
	{"appearance", func(b *tab) { b.officePage(b.house, "/settings/appearance") }},
	{"appearance-refused", func(b *tab) { b.fill("theme", "ab12"); b.follow(saveButton) }},
	{"appearance-domain", func(b *tab) {
		b.officePage(b.house, "/settings/appearance")
		b.fill("domain", fmt.Sprintf("shop%d.example.cn", b.house.id))
		b.follow(`button[name=action][value=domain_add]`)
	}},
	{"bank", func(b *tab) { b.officePage(b.house, "/settings/bank") }},
	{"bank-refused", func(b *tab) { b.fill("bank_card", "6222"); b.follow(`#bank .button`) }},
	{"employees", func(b *tab) { b.officePage(b.house, "/settings/employees") }},
	{"customer-types", func(b *tab) { b.officePage(b.house, "/settings/customer-types") }},
	{"customer-types-saved", func(b *tab) { b.fill("new", "零售店"); b.follow(`#types .button`) }},
	{"customer-types-refused", func(b *tab) { b.fill("new", "零售店"); b.follow(`#types .button`) }},
	{"people", func(b *tab) { b.officePage(b.house, "/people") }},
	{"people-new", func(b *tab) { b.officePage(b.house, "/people/new") }},
	{"people-new-refused", func(b *tab) { b.follow(openAccountButton) }},
	{"hand-over-nobody", func(b *tab) {
		b.officePage(b.house, "/settings")
		b.follow(roleLink)
	}},
	{"person", func(b *tab) {
		b.site.employ(b.t, b.house, store.TypeEmployee, newPhone(), "店员")
		b.officePage(b.house, "/people")
		b.follow(`main .list li:last-child a.line`)
	}},
	{"person-refused", func(b *tab) { b.fill("name", ""); b.follow(`#edit .button`) }},
	{"person-role", func(b *tab) { b.follow(roleLink) }},
	{"person-role-refused", func(b *tab) { b.follow(`#role .button[value=hand_over]`) }},
	{"hand-over", func(b *tab) { b.officePage(b.house, "/settings"); b.follow(roleLink) }},
	{"people-new-again", func(b *tab) { b.officePage(b.house, "/people/new") }},
	{"first-password", func(b *tab) { b.fill("name", "小二"); b.follow(openAccountButton) }},
	{"person-first-password", func(b *tab) { b.follow(`main .actions a`) }},
	{"people-new-shop", func(b *tab) { b.officePage(b.house, "/people/new?side=shop") }},
	{"person-invited", func(b *tab) {
		b.fill("client_name", "老饭馆")
		b.fill("name", "来宾")
		b.fill("phone", newPhone())
		b.follow(openAccountButton)
	}},
	{"customer", func(b *tab) {
		b.officePage(b.house, "/customers")
		b.follow(`main .list a.line`)
	}},
	{"customer-ended", func(b *tab) { b.follow(endButton) }},
	{"audit", func(b *tab) { b.officePage(b.house, "/audit") }},
	{"visits", func(b *tab) { b.officePage(b.house, "/settings/visits") }},
	{"apply-prove", func(b *tab) { b.visit(b.house.host(), "/register/more") }},
	{"apply-prove-refused", func(b *tab) { b.follow(careButton) }},
	{"apply", func(b *tab) { b.apply(b.house, b.applicant) }},
	{"apply-refused", func(b *tab) { b.follow(careButton) }},
	{"apply-region", func(b *tab) {
		if b.screen.mobile {
			b.press(`.opener`)
			return
		}
		b.chooseRegion()
	}},
	{"apply-attached", func(b *tab) {
		b.visit(b.house.host(), "/register/more")
		b.describeApplicant(b.applicant)
		b.fill("reason", b.applicant.reason)
		b.fill("address", "文三路 1 号")
		b.fill("contact_phone", b.applicant.phone)
		b.chooseRegion()
		b.attach(&b.applicant)
	}},
	{"application-pending", func(b *tab) { b.follow(careButton) }},
	{"office-waiting", func(b *tab) { b.officePage(b.house, "") }},
	{"applications", func(b *tab) { b.follow(applicationsLink) }},
	{"application", func(b *tab) { b.follow(`main .list a.line`); b.wantPicture(`.licence img`) }},
	{"application-refused", func(b *tab) { b.follow(rejectButton) }},
	{"application-decided", func(b *tab) { b.fill("reason", "字迹不清"); b.follow(rejectButton) }},
	{"application-rejected", func(b *tab) { b.visit(b.house.host(), b.applicationPath()); b.wantPicture(`.licence img`) }},
	{"application-approved", func(b *tab) {
		b.visit(b.house.host(), "/register/more")
		b.follow(careButton)
		b.officePage(b.house, "/applications")
		b.follow(`main .list a.line`)
		b.wantPicture(`.licence img`)
		b.follow(approveButton)
		b.visit(b.house.host(), "/register/more")
	}},
	{"complete-proven", func(b *tab) { b.follow(againLink) }},
	{"application-stranger", func(b *tab) {
		path := b.applicationPath()
		b.forget()
		b.visit(b.house.host(), path)
	}},
	{"application-prove", func(b *tab) { b.follow(`main a[href$="prove=1"]`) }},
	{"apply-closed", func(b *tab) { b.visit("store1003", "/register/more") }},
	{"apply-no-company", func(b *tab) { b.visit("account", "/register/more") }},
	{"offers", func(b *tab) {
		b.forget()
		holder, other := b.site.house(b.t, "zh", "", true), b.site.house(b.t, "zh", "", true)
		b.site.offer(b.t, other, holder.phone)
		b.speak("account")
		b.signIn(holder.phone)
		b.visit("account", "/offers")
	}},
	{"accounts-with-an-offer", func(b *tab) { b.visit("account", "/accounts?all=1") }},
}

// applicationPath is where the first application of the tab's applicant stands, the rejected one.
func (b *tab) applicationPath() string {
	b.t.Helper()
	return fmt.Sprintf("/register/result?id=%d", b.site.count(b.t, "SELECT id FROM applications WHERE phone = ? ORDER BY created_at", b.applicant.phone))
}
