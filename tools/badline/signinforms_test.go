package badline_test

import (
	"net/http"

	"portico/store"
)

func formSignIn(x *scene) {
	who := x.newCompany().buyer
	x.page(onAccount, "/login", "password", "", func(f *form) { f.fill("phone", who.phone, "password", password) })
	x.home, x.effect = "account /accounts?all=1", x.signedInOnce(who.phone)
}

// enterSide applies the fault to the redirect after a sign-in. When the person opens the account site again, the site
// offerAccount to continue.
func (x *scene) enterSide(who person, slot string) {
	x.open = func() (request, *page) {
		x.t.Helper()
		p := x.b.open("account", "/login")
		f := p.find("action=continue")
		var r request
		if f != nil {
			r = f.request("action=continue")
		} else {
			r = p.form("password").fill("phone", who.phone, "password", password).request("")
		}
		return x.redirect(r), nil
	}
	x.effect = func() int {
		return x.s.count(x.t, `SELECT COUNT(*) FROM session_slots l JOIN sessions s ON s.id = l.session_id
			WHERE l.account_id = ? AND l.state = 'in' AND s.confirmed AND l.slot = ?`, who.accountID, slot)
	}
	x.home = "account /accounts?all=1"
}

// redirect sends a form and returns the request that the browser makes next.
func (x *scene) redirect(r request) request {
	x.t.Helper()
	for range maxHops {
		answer, body, err := x.b.sendOne(r)
		if err != nil {
			x.t.Fatal(err)
		}
		next, err := answer.Request.URL.Parse(answer.Header.Get("Location"))
		if err != nil || answer.StatusCode != http.StatusSeeOther {
			x.t.Fatalf("no redirect: %d %v %.300s", answer.StatusCode, err, body)
		}
		r = r.redirected(answer, next, r.origin)
		if next.Query().Has("auth_code_") {
			return r
		}
	}
	x.t.Fatal("no code in any redirect")
	return r
}

func formEnterShop(x *scene) {
	x.enterSide(x.newCompany().buyer, "mShop")
	x.after = func(last *page) *page {
		x.wantNoFailurePage(last)
		return x.b.open("m", "/shop") // the reload of a person
	}
}

func formEnterBackOffice(x *scene) {
	x.enterSide(x.newCompany().owner, "mMgr")
	x.after = func(last *page) *page {
		x.wantNoFailurePage(last)
		return x.b.open("mgr", "/home")
	}
}

// formEnterShopBesideBackOffice enters the shop from the company's own host, where the back office is open: one cookie
// carries both.
func formEnterShopBesideBackOffice(x *scene) {
	company := x.newCompany()
	both := company.addAccount(x.t, store.TypeShop, company.owner.phone)
	x.b.t = x.t
	x.open = func() (request, *page) {
		x.t.Helper()
		if x.home == "" {
			x.b.open(company.host(), "/login").form("password").fill("phone", company.owner.phone, "password",
				password).press("").form("side=mgr").press("side=mgr")
			x.home = company.host() + " /mgr"
		}
		return x.redirect(x.b.open(company.host(), "/enter").form("side=shop").request("side=shop")), nil
	}
	x.effect = func() int {
		return x.s.count(x.t, `SELECT COUNT(*) FROM session_slots l JOIN sessions s ON s.id = l.session_id
			WHERE l.account_id = ? AND l.state = 'in' AND s.confirmed`, both.accountID)
	}
	x.after = func(last *page) *page {
		x.wantNoFailurePage(last)
		if p := x.b.open(company.host(), "/accounts?all=1"); p.url.Path != "/accounts" {
			x.t.Errorf("the person is signed out of the account site, too: %s", p.summary())
		}
		return x.b.open(company.host(), "/home")
	}
}

// codePage makes a scene of the request for a code. The code that arrives must then be accepted.
func (x *scene) codePage(host func() string, path, phone string, fill func(*form)) {
	x.page(host, path, "action=send_code", "action=send_code", func(f *form) { f.fill("phone", phone) })
	x.effect = func() int { return len(x.s.inbox(x.t, phone)) - x.countNotices(phone) }
	x.after = func(last *page) *page {
		x.t.Helper()
		x.wantNoFailurePage(last)
		f := last.form("code").fill("code", x.s.awaitCode(x.t, phone))
		fillPresent(f, "phone", phone)
		if fill != nil {
			fill(f)
		}
		return f.press("")
	}
}

// countNotices counts the messages to a phone that contain no code.
func (x *scene) countNotices(phone string) int {
	n := 0
	for _, m := range x.s.inbox(x.t, phone) {
		if m.Code == "" {
			n++
		}
	}
	return n
}

func formCodeToSignIn(x *scene) {
	x.codePage(onAccount, "/login/code", x.newCompany().buyer.phone, nil)
}

func formCodeToRegister(x *scene) {
	phone := newPhone()
	x.codePage(onAccount, "/register", phone, func(f *form) {
		f.fill("password", newPassword, "name", "Ana", "company_name", "Company "+phone, "agree", "1")
	})
}

func formCodeToTry(x *scene) {
	x.codePage(onAccount, "/experience", newPhone(), func(f *form) { f.fill("industry", "118", "agree", "1") })
}

func formCodeToReset(x *scene) {
	x.codePage(onAccount, "/forget/phone", x.newCompany().buyer.phone,
		func(f *form) { f.fill("password", newPassword, "confirm_password", newPassword) })
}

func formCodeToApply(x *scene) { x.codePage(x.newCompany().host, "/register/more", newPhone(), nil) }

// requestCode requests a code without a fault and returns it.
func (x *scene) requestCode(host, path, phone string) string {
	x.t.Helper()
	p := x.b.open(host, path).form("action=send_code")
	fillPresent(p, "phone", phone)
	p.press("action=send_code")
	return x.s.awaitCode(x.t, phone)
}

func formDefaultCompany(x *scene) {
	company := x.newCompany()
	x.s.newCompany(x.t).addAccount(x.t, store.TypeShop, company.buyer.phone)
	if p := x.b.signIn(company.buyer); p.url.Path != "/company" {
		x.t.Fatal(p.summary())
	}
	x.page(
		onAccount,
		"/company?all=1",
		"action=star",
		"action=star",
		nil,
	) // the company with the smaller id comes first
	x.effect = func() int {
		return x.s.count(
			x.t,
			"SELECT COUNT(*) FROM phones WHERE phone = ? AND default_company_id = ?",
			company.buyer.phone,
			company.id,
		)
	}
	x.home = "account /accounts?all=1"
}

func formSignOut(x *scene) {
	who := x.newCompany().buyer
	x.b.signIn(who)
	x.open = func() (request, *page) {
		p := x.b.open("account", "/accounts?all=1")
		for _, f := range p.forms() {
			if f.action.Path == "/logout" {
				return f.request(""), nil
			}
		}
		p.url.RawQuery = "" // that the session has ended is the truth here
		return request{}, p
	}
	x.effect = func() int {
		return 1 + x.s.count(x.t,
			"SELECT COUNT(*) FROM sessions s JOIN phones p ON p.id = s.phone_id WHERE p.phone = ?", who.phone)
	}
	x.after = func(last *page) *page {
		if p := x.b.open("m", "/shop"); p.url.Path != "/login" {
			x.t.Errorf("the shop is still open: %s", p.summary())
		}
		return last
	}
}
