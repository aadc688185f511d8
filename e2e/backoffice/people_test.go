package e2e

import (
	"fmt"
	"testing"
)

func TestAFirstPasswordLetsAnEmployeeInUntilTheyAreDisabled(t *testing.T) {
	t.Parallel()
	crosswise(t, func(b *tab, text func(string) string) {
		h := b.site.house(b.t, b.lang, "", true)
		b.signIn(h.phone)
		b.officePage(h, "/people/new")
		b.follow(openAccountButton)
		b.wantMistakes("name")
		b.fill("name", "小二")
		b.follow(openAccountButton)
		b.wantText(text("person.given_once"))
		login, first := ask[string](b, `() => document.querySelector(".given dd").innerText`), ask[string](b, `() => document.querySelector(".secret").innerText`)
		b.codes = append(b.codes, first) // to be found nowhere
		b.follow(`main .actions a`)
		b.wantText("小二", login, text("people.state_first_password"))
		if b.holds(first) {
			b.t.Error("the first password is shown again")
		}
		b.wantNoSecrets()

		other := b.someone()
		other.signInAt("account", login, first)
		other.wantAt("account", "/password")
		other.wantText(text("first_password.heading"), text("first_password.lead"))
		other.visit("account", "/accounts?all=1") // there is no way round it
		other.wantAt("account", "/password")
		other.change(first)
		other.wantAt("account", "/bind")
		other.follow(skipButton)
		host, root := other.sideOf("mgr", h.id)
		other.wantArrived(arrival{host, root, "小二", h.company})
		other.codes = append(other.codes, first)
		other.wantNoSecrets()
		other.find(ordersLink)
		for _, path := range []string{"/people", "/settings/registration", "/applications"} {
			other.officePage(h, path)
			other.wantStatus(403)
		}

		person := b.here()
		b.officePage(h, "/settings/employees")
		b.press(`input[name=rights][value=orders]`)
		b.press(`input[name=rights][value=applications]`)
		b.follow(`#employees .button`)
		b.wantToast(text("employees.saved"))
		other.officePage(h, "")
		other.wantCount(ordersLink, 0)
		other.officePage(h, "/orders")
		other.wantStatus(403)
		other.officePage(h, "/applications")
		other.wantStatus(200)

		b.visitURL(person)
		b.follow(disableButton)
		b.wantToast(text("person.disabled"))
		b.wantText(text("people.state_disabled"))
		other.follow(customersLink)
		other.wantText(text("login.session_ended"))
		other.wantNoText("小二")
		other.signInAt("account", login, newPassword)
		other.wantText(text("error.account_disabled"))
		other.find(fmt.Sprintf(`main a[href="tel:%s"]`, h.phone))
	})
}

func TestAnInvitingLinkOpensInAnotherBrowser(t *testing.T) {
	t.Parallel()
	crosswise(t, func(b *tab, text func(string) string) {
		h, number := b.site.house(b.t, b.lang, "", true), newPhone()
		b.signIn(h.phone)
		b.officePage(h, "/people/new")
		b.fill("name", "同事")
		b.fill("phone", number)
		b.follow(openAccountButton)
		b.wantToast(text("person.opened"))
		b.wantText(text("people.state_invited"))
		b.find(".qr")
		link := ask[string](b, `() => document.getElementById("link").value`)

		other := b.someone()
		other.speak(h.host())
		other.visitURL(link)
		other.wantAt(h.host(), "/register/complete")
		other.wantLang(b.lang)
		other.wantText(filled(text("complete.lead"), "company", h.company))
		if !other.has(field("phone")) || other.value("phone") == "" {
			other.fill("phone", number)
		}
		code := other.askCode(number)
		other.fill("name", "同事")
		other.fill("password", newPassword)
		other.fill("confirm_password", newPassword)
		other.enterCode(code)
		host, root := other.sideOf("mgr", h.id)
		other.wantArrived(arrival{host, root, "同事", h.company})
		other.wantNoSecrets()
		b.reload()
		b.wantText(text("people.state_active"))
		b.wantCount(".qr", 0)
	})
}

func TestACustomerWhoIsNoPartnerAnyMoreIsOut(t *testing.T) {
	t.Parallel()
	crosswise(t, func(b *tab, text func(string) string) {
		h, a := b.site.house(b.t, b.lang, "", true), newApplicant()
		b.site.admit(b.t, h, a)
		other := b.someone()
		other.signIn(a.phone)
		other.wantArrived(other.shop(h, a))
		b.signIn(h.phone)
		b.follow(customersLink)
		b.follow(`main .list a.line`)
		b.wantText(a.company, masked(a.phone))
		b.follow(endButton)
		b.wantToast(text("customer.ended"))
		other.reload()
		other.wantNoText(a.name)
		other.signIn(a.phone)
		other.wantRefused(text("error.partner_ended"), h.phone)
		b.follow(resumeButton)
		b.wantToast(text("customer.resumed"))
		other.signIn(a.phone)
		other.wantArrived(other.shop(h, a))
	})
}

func TestTheOfficeSetsHowCustomersMeetTheCompany(t *testing.T) {
	t.Parallel()
	crosswise(t, func(b *tab, text func(string) string) {
		h, other := b.site.house(b.t, b.lang, "", true), b.someone()
		other.speak(h.host())
		b.signIn(h.phone)
		b.follow(settingsLink)
		b.follow(`main a[href$="/settings/appearance"]`)
		b.fill("theme", "ab12")
		b.follow(saveButton)
		b.wantMistakes("theme")
		b.fill("theme", "d9480f")
		if b.plain {
			b.follow(previewButton)
			b.wantStatus(200)
		}
		b.await("the colour in the preview", `() => {
			const colour = s => getComputedStyle(document.querySelector(s)).backgroundColor
			return colour(".sample .button") !== colour("button[value=save]")
		}`)
		shown := ask[string](b, `() => getComputedStyle(document.querySelector(".sample .button")).backgroundColor`)
		b.follow(saveButton)
		b.wantToast(text("settings.saved"))
		other.visit(h.host(), "/login")
		other.wantText(h.company)
		if got := ask[string](other, `s => getComputedStyle(document.querySelector(s)).backgroundColor`, signInButton); got != shown {
			b.t.Errorf("the sign-in page is %s, the preview %s", got, shown)
		}

		b.officePage(h, "/settings/registration")
		b.press(field("open"))
		b.fill("contact_name", "前台")
		b.follow(settingButton)
		b.wantToast(text("settings.saved"))
		b.wantText(text("registration.address_closed"))
		other.visit(h.host(), "/register/more")
		other.wantText(text("error.registration_closed"), "前台")
		other.find(fmt.Sprintf(`main a[href="tel:%s"]`, h.phone))
		b.officePage(h, "/audit")
		b.wantText(text("audit.registration_set"), text("audit.appearance_set"), h.name)
		b.wantNoSecrets()
	})
}
