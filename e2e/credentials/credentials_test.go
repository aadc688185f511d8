package e2e

import (
	"fmt"
	"strings"
	"testing"
)

func TestAForgottenPasswordIsSetAnewByPhone(t *testing.T) {
	t.Parallel()
	eachManner(t, func(b *tab, text func(string) string) {
		who := b.site.register(b.t)
		b.visit("account", "/login")
		b.follow(`main a[href="/forget/phone"]`)
		b.wantLang(b.lang)
		b.fill("phone", who.phone)
		code := b.askCode(who.phone)
		b.wantText(filled(text("code.sent"), "phone", grouped(who.phone)))
		b.fill("password", newPassword)
		b.fill("confirm_password", newPassword)
		b.enterCode(wrong(code))
		b.wantRefusedWith("code", text("error.code_wrong"))
		b.wantTyped("phone", grouped(who.phone), "code", wrong(code), "password", "", "confirm_password", "")
		b.visit("account", "/forget/phone") // begun anew: the phone and the countdown are there
		b.wantWaiting()
		b.wantTyped("phone", grouped(who.phone))
		b.fill("password", newPassword)
		b.fill("confirm_password", newPassword)
		b.enterCode(code)
		b.wantAt("account", "/login")
		b.wantToast(text("login.reset"))
		b.back()
		b.wantAt("account", "/forget/phone")
		b.setAgain("phone", who.phone, "code", code, "password", "Wanderfalke8", "confirm_password", "Wanderfalke8")
		b.follow(careButton)
		b.wantRefusedWith("code", text("error.code_expired"))
		b.signInAt("account", who.phone, newPassword)
		b.wantArrived(who.landing(b.screen))
		b.wantNoSecrets()
	})
}

func TestAForgottenPasswordIsSetAnewByAccountName(t *testing.T) {
	t.Parallel()
	crosswise(t, func(b *tab, text func(string) string) {
		who := b.site.register(b.t)
		first, second := step(text, 1), step(text, 2)
		b.visit("account", "/login/account")
		b.follow(`main a[href="/forget/account"]`)
		b.wantText(first)
		b.follow(careButton)
		b.wantRefusedWith("login", text("problem.login_missing"))
		b.fill("login", who.login)
		b.follow(careButton)
		code := b.received(who.phone, 1)
		for range 2 {
			b.wantAt("account", "/forget/account")
			b.wantText(second, filled(text("forget.code_lead"), "login", who.login), masked(who.phone))
			if b.holds(who.phone) || b.holds(grouped(who.phone)) {
				b.t.Error("the page tells the phone")
			}
			b.reload()
		}
		b.fill("code", wrong(code))
		b.fill("password", newPassword)
		b.fill("confirm_password", newPassword)
		b.follow(careButton)
		b.wantRefusedWith("code", text("error.code_wrong"))
		b.wantText(second)
		b.wantTyped("code", wrong(code), "password", "", "confirm_password", "")

		b.follow(`main .links a[href="/forget/account"]`) // the first step again; the code is on its way
		b.wantText(first)
		b.fill("login", who.login)
		b.follow(careButton)
		b.wantText(second)
		b.received(who.phone, 1)
		b.fill("password", newPassword)
		b.fill("confirm_password", newPassword)
		b.enterCode(code)
		b.wantAt("account", "/login/account")
		b.wantToast(text("login.reset"))
		b.visit("account", "/forget/account") // nothing is left of it
		b.wantText(first)
		b.signInAt("account", who.login, newPassword)
		b.wantArrived(who.landing(b.screen))
		b.wantNoSecrets()
	})
}

func TestWithoutAPhoneTheAdministratorIsToBeCalled(t *testing.T) {
	t.Parallel()
	crosswise(t, func(b *tab, text func(string) string) {
		who := b.site.enroll(b.t)
		b.visit("account", "/forget/account")
		b.fill("login", who.login)
		b.follow(careButton)
		b.wantStatus(422)
		b.wantLang(b.lang)
		b.wantText(text("forget.no_phone"), text("forget.no_phone_body"))
		b.find(`main a[href="tel:13700000001"]`)
		b.follow(`main a[href="/login/account"]`)
		b.wantAt("account", "/login/account")
	})
}

func TestChangingThePasswordSignsOtherBrowsersOut(t *testing.T) {
	t.Parallel()
	crosswise(t, func(b *tab, text func(string) string) {
		who := b.site.register(b.t)
		other := newTab(b.t, b.site, b.screen)
		for _, one := range []*tab{other, b} {
			one.signIn(who.phone)
			one.wantArrived(who.landing(b.screen))
		}
		b.openCare()
		b.follow(`main a[href="/password"]`)
		b.wantLang(b.lang)
		b.change("wrong-password")
		b.wantRefusedWith("old_password", text("error.old_password_wrong"))
		b.wantTyped("old_password", "", "password", "", "confirm_password", "")
		b.change(password)
		b.wantAt("account", "/accounts")
		b.wantToast(text("password.changed"))
		b.wantNoSecrets()
		b.wantSentAgain(422, "/password", "old_password", password, "password", "Wanderfalke8", "confirm_password", "Wanderfalke8")
		b.wantText(who.login)

		other.reload()
		other.wantAt(map[bool]string{true: "account", false: "store1001"}[b.screen.mobile], "/login")
	})
}

// change fills in the form of a new password and sends it.
func (b *tab) change(old string) {
	b.t.Helper()
	b.fill("old_password", old)
	b.fill("password", newPassword)
	b.fill("confirm_password", newPassword)
	b.follow(careButton)
}

// The three cases of a phone: nobody registered it; someone did, and knows its password; or does not.
func TestBindingAPhone(t *testing.T) {
	t.Parallel()
	for what, bind := range map[string]func(b *tab, text func(string) string){
		"an unknown phone": func(b *tab, text func(string) string) {
			who := b.site.enroll(b.t)
			b.proveBinding(text, who, who.phone)
			b.wantText(filled(text("bind.new_lead"), "phone", grouped(who.phone)))
			b.fill("password", newPassword)
			b.fill("confirm_password", newPassword)
			b.wantBound(text)
			b.forget()
			b.signInAt("account", who.phone, newPassword)
			b.wantArrived(who.landing(b.screen))
		},
		"a registered phone by its password": func(b *tab, text func(string) string) {
			who, owner := b.site.enroll(b.t), b.site.register(b.t)
			b.proveBinding(text, who, owner.phone)
			b.wantText(filled(text("bind.confirm_lead"), "phone", grouped(owner.phone)))
			b.fill("password", password)
			b.wantBound(text)
			b.wantAccounts(owner, 2)
		},
		"a registered phone by a new password": func(b *tab, text func(string) string) {
			who, owner := b.site.enroll(b.t), b.site.register(b.t)
			b.proveBinding(text, who, owner.phone)
			b.follow(`button[name=action][value=new_password]`)
			b.wantText(filled(text("bind.new_lead"), "phone", grouped(owner.phone)), text("bind.others"), "金穗粮油 · "+owner.login)
			b.fill("password", newPassword)
			b.fill("confirm_password", newPassword)
			b.wantBound(text)
			b.forget()
			b.signInAt("account", owner.phone, newPassword)
			b.wantText(who.login, owner.login)
		},
	} {
		t.Run(what, func(t *testing.T) { crosswise(t, bind) })
	}
}

// proveBinding goes from the sign-in to the second step of the binding.
func (b *tab) proveBinding(text func(string) string, who newcomer, number string) {
	b.t.Helper()
	b.signIn(who.login)
	b.wantAt("account", "/bind")
	b.wantText(step(text, 1), filled(text("bind.lead"), "login", who.login))
	b.fill("phone", number)
	code := b.askCode(number)
	b.enterCode(code)
	b.wantAt("account", "/bind")
	b.wantText(step(text, 2))
}

// wantBound sends the second step: the phone is bound, once.
func (b *tab) wantBound(text func(string) string) {
	b.t.Helper()
	b.follow(careButton)
	b.wantAt("account", "/accounts")
	b.wantToast(text("bind.done"))
	b.wantNoSecrets()
	b.visit("account", "/bind") // it is, and goes on
	b.wantAt("account", "/company")
	b.wantStatus(200)
}

func TestARefusedBindingLosesNothing(t *testing.T) {
	t.Parallel()
	text := texts(t, "zh")
	eachWay(t, phone, func(b *tab) {
		who, owner := b.site.enroll(b.t), b.site.register(b.t)
		b.signIn(who.login)
		b.fill("phone", owner.phone)
		code := b.askCode(owner.phone)
		b.enterCode(wrong(code))
		b.wantRefusedWith("code", text("error.code_wrong"))
		b.wantTyped("phone", grouped(owner.phone), "code", wrong(code))
		b.follow(languageButton("es"))
		b.wantTyped("phone", grouped(owner.phone), "code", wrong(code))
		b.follow(languageButton("zh"))
		b.enterCode(code)
		for range 2 {
			b.wantText(step(text, 2))
			b.reload()
		}
		b.follow(`main .links a[href="/bind"]`) // another phone, or this one after all
		b.wantText(step(text, 1))
		b.fill("phone", owner.phone)
		b.enterCode(code)
		b.wantText(step(text, 2))
		b.fill("password", "wrong-password")
		b.follow(careButton)
		b.wantRefusedWith("password", strings.Split(text("error.wrong_password"), "{left}")[0])
		b.wantTyped("password", "")
		b.follow(`button[name=action][value=new_password]`)
		b.fill("password", newPassword)
		b.fill("confirm_password", "other")
		b.follow(careButton)
		b.wantRefusedWith("confirm_password", text("problem.passwords_differ"))
		b.wantTyped("password", "", "confirm_password", "")
		b.fill("password", newPassword)
		b.fill("confirm_password", newPassword)
		b.wantBound(text)
	})
}

func TestThePhoneToBindIsThereAfterAReload(t *testing.T) {
	t.Parallel()
	eachWay(t, desktop, func(b *tab) {
		who := b.site.enroll(b.t)
		b.signIn(who.login)
		b.fill("phone", who.phone)
		b.askCode(who.phone)
		b.visit("account", "/bind")
		b.wantWaiting()
		b.wantTyped("phone", grouped(who.phone))
	})
}

func TestGoingBackFromTheSecondStepShowsTheFirst(t *testing.T) {
	t.Parallel()
	text := texts(t, "zh")
	b := scriptedTab(t, normal, desktop)
	who := b.site.register(t)
	b.visit("account", "/forget/account")
	b.fill("login", who.login)
	b.follow(careButton)
	b.wantText(step(text, 2))
	b.back()
	b.wantText(step(text, 1))
	b.wantTyped("login", who.login)
	b.follow(careButton)
	b.wantText(step(text, 2))
	b.received(who.phone, 1)

	other := b.site.enroll(t)
	b.signIn(other.login)
	b.fill("phone", other.phone)
	b.enterCode(b.askCode(other.phone))
	b.wantText(step(text, 2))
	b.back()
	b.wantText(step(text, 1))
	b.wantTyped("phone", grouped(other.phone))
	b.follow(careButton)
	b.wantText(step(text, 2))
}

func TestTheOfferToBindIsSkippedOrRefused(t *testing.T) {
	t.Parallel()
	eachManner(t, func(b *tab, text func(string) string) {
		who := b.site.enroll(b.t)
		b.signIn(who.login)
		b.wantAt("account", "/bind")
		b.wantText(text("bind.skip"), text("bind.never"))
		b.follow(skipButton)
		b.wantArrived(who.landing(b.screen))
		b.visit("account", "/bind")
		b.follow(`button[name=remind][value="0"]`)
		b.wantArrived(who.landing(b.screen))
		b.forget()
		b.signIn(who.login)
		b.wantArrived(who.landing(b.screen))
	})
}

func TestUnbindingOneOfSeveralAccounts(t *testing.T) {
	t.Parallel()
	crosswise(t, func(b *tab, text func(string) string) {
		kept := b.site.register(b.t)
		given := b.site.another(b.t, kept)
		b.signIn(kept.phone)
		b.visit("account", "/unbind")
		b.wantAt("account", "/accounts")
		b.openCare()
		b.follow(fmt.Sprintf(`main a[href="/unbind?account_id=%d"]`, given.accountID))
		b.wantText(masked(kept.phone), given.login)
		if b.holds(kept.phone) || b.holds(grouped(kept.phone)) {
			b.t.Error("the page tells the phone")
		}
		code := b.askCode(kept.phone)
		b.enterCode(wrong(code))
		b.wantRefusedWith("code", text("error.code_wrong"))
		b.wantTyped("code", wrong(code))
		b.enterCode(code)
		b.wantAt("account", "/accounts")
		b.wantToast(text("unbind.done"))
		b.wantText(kept.login)
		b.wantNoText(given.login)
		b.wantNoSecrets()
		b.wantSentAgain(200, "/unbind", "account_id", fmt.Sprint(given.accountID), "code", code)
		b.wantAccounts(kept, 1)
		b.signIn(given.login)
		b.wantAt("account", "/bind")
	})
}

// wantAccounts counts the accounts bound to a phone.
func (b *tab) wantAccounts(who newcomer, want int) {
	b.t.Helper()
	if n := b.site.count(b.t, "SELECT COUNT(*) FROM accounts WHERE phone_id = ?", who.phoneID); n != want {
		b.t.Errorf("%d accounts have the phone, want %d", n, want)
	}
}

// openCare shows the links to one's password and phone on the list of accounts.
func (b *tab) openCare() {
	b.t.Helper()
	b.visit("account", "/accounts?all=1")
	b.press(`details:has(a[href="/password"]) summary`)
}

// wantRefusedWith checks that a form came back with a message beside a field, tied to it.
func (b *tab) wantRefusedWith(name, message string) {
	b.t.Helper()
	b.wantStatus(422)
	got := ask[string](b, `s => {
		const e = document.querySelector(s)
		return e?.getAttribute("aria-invalid") === "true" ? e.getAttribute("aria-describedby").split(" ").map(id => document.getElementById(id).innerText).join("\n") : ""
	}`, field(name))
	if !strings.Contains(got, message) {
		b.t.Errorf("beside %s stands %q, want %q\n%s", name, got, message, b.seen())
	}
}

// wantTyped checks what fields hold, by their names. Only scripts group a phone while one types.
func (b *tab) wantTyped(pairs ...string) {
	b.t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		got, want := b.value(pairs[i]), pairs[i+1]
		if got != want && !(b.plain && got == strings.ReplaceAll(want, " ", "")) {
			b.t.Errorf("%s holds %q, want %q", pairs[i], got, want)
		}
	}
}

// setAgain fills fields in unseen by scripts, whether or not the browser kept what they held.
func (b *tab) setAgain(pairs ...string) {
	b.t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		ask[any](b, `(s, text) => { document.querySelector(s).value = text }`, field(pairs[i]), pairs[i+1])
	}
}

// wantSentAgain sends a form a second time and checks what becomes of it.
func (b *tab) wantSentAgain(status int, path string, pairs ...string) {
	b.t.Helper()
	got := ask[int](b, `async (path, pairs) => {
		const body = new URLSearchParams()
		for (let i = 0; i < pairs.length; i += 2) body.set(pairs[i], pairs[i + 1])
		return (await fetch(path, {method: "POST", body})).status
	}`, path, pairs)
	if got != status {
		b.t.Errorf("%s sent again has status %d, want %d", path, got, status)
	}
}

// holds looks for a text in the page's markup.
func (b *tab) holds(text string) bool {
	b.t.Helper()
	return ask[bool](b, `text => document.documentElement.outerHTML.includes(text)`, text)
}

// filled puts a value into a text.
func filled(text, name string, value any) string {
	return strings.ReplaceAll(text, "{"+name+"}", fmt.Sprint(value))
}

func step(text func(string) string, n int) string {
	return filled(filled(text("care.step"), "num", n), "of", 2)
}
