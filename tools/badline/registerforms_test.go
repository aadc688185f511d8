package badline_test

import (
	"fmt"
	"strings"

	"portico/portal/picturetest"
)

func formRegister(x *scene) {
	phone := newPhone()
	name, code := "Company "+phone, x.requestCode("account", "/register", phone)
	x.page(onAccount, "/register", "company_name", "", func(f *form) {
		fillPresent(f, "phone", phone, "code", code, "password", newPassword)
		f.fill("name", "Ana", "company_name", name, "agree", "1")
	})
	x.effect = func() int { return x.s.count(x.t, "SELECT COUNT(*) FROM companies WHERE name = ?", name) }
	x.home = "account /accounts?all=1"
}

// registerCompany registers a company without a fault and returns its id.
func (x *scene) registerCompany() int64 {
	x.t.Helper()
	phone := newPhone()
	code := x.requestCode("account", "/register", phone)
	x.b.open("account", "/register").form("company_name").
		fill("phone", phone, "code", code, "password", newPassword, "name", "Ana", "company_name", "Company "+phone,
			"agree", "1").press("")
	return int64(x.s.count(x.t, "SELECT id FROM companies WHERE name = ?", "Company "+phone))
}

// countImports returns 1 if a company has each row of the sample data once, 0 if it has none, and more if rows are
// doubled.
func (x *scene) countImports(companyID int64) int {
	x.t.Helper()
	all := x.s.count(x.t, "SELECT COUNT(*) FROM products WHERE company_id = ?", companyID)
	kinds := x.s.count(x.t, "SELECT COUNT(DISTINCT sample) FROM products WHERE company_id = ?", companyID)
	if all == 0 {
		return 0
	}
	return 1 + all - kinds
}

func formInitialise(x *scene) {
	id := x.registerCompany()
	x.page(onAccount, "/register/init", "industry", "import=1", func(f *form) { f.fill("industry", "118") })
	x.effect = func() int { return x.countImports(id) }
	x.home = "account /accounts?all=1"
}

func formOpenTrial(x *scene) {
	phone := newPhone()
	code := x.requestCode("account", "/experience", phone)
	x.page(onAccount, "/experience", "industry", "", func(f *form) {
		fillPresent(f, "phone", phone, "code", code)
		f.fill("industry", "118", "agree", "1")
	})
	x.effect = func() int {
		return x.s.count(x.t, "SELECT COUNT(*) FROM sandboxes b JOIN phones p ON p.id = b.phone_id WHERE p.phone = ?",
			phone)
	}
	x.home = "account /experience/role"
}

func formChooseTrialSide(x *scene) {
	formOpenTrial(x)
	phone := x.lastPhone()
	x.sendOnce()
	x.page(onAccount, "/experience/role", "role=shop", "role=shop", nil)
	x.effect = func() int {
		return x.countImports(int64(x.s.count(x.t,
			"SELECT company_id FROM sandboxes b JOIN phones p ON p.id = b.phone_id WHERE p.phone = ?", phone)))
	}
	x.home = "account /accounts?all=1"
}

// lastPhone returns the phone in the form of this scene.
func (x *scene) lastPhone() string {
	x.t.Helper()
	r, at := x.open()
	if at != nil {
		x.t.Fatal(at.summary())
	}
	body := string(r.body)
	for pair := range strings.SplitSeq(body, "&") {
		if value, ok := strings.CutPrefix(pair, "phone="); ok {
			return value
		}
	}
	x.t.Fatal("the form has no phone")
	return ""
}

func formApply(withFile bool) func(*scene) {
	return func(x *scene) {
		company, phone := x.newCompany(), newPhone()
		code := x.requestCode(company.host(), "/register/more", phone)
		x.b.open(company.host(), "/register/more").form("code").fill("phone", phone, "code", code).press("")
		x.page(company.host, "/register/more", "company_name", "", func(f *form) {
			f.fill("company_name", "Corner shop", "contact_name", "Wang", "address", "1 Main Street", "reason",
				"We are near.")
			if withFile {
				f.attach("licence", picturetest.PNG(60, 40))
			}
		})
		x.effect = func() int {
			n := x.s.count(x.t, "SELECT COUNT(*) FROM applications WHERE company_id = ?", company.id)
			if withFile {
				n += x.s.count(x.t, "SELECT COUNT(*) FROM uploads WHERE company_id = ? AND used_at > 0", company.id) - 1
			}
			return n
		}
	}
}

func formSetUpAccount(x *scene) {
	company, phone := x.newCompany(), newPhone()
	owner := newBrowser(x.t, x.s, desktopAgent)
	owner.signIn(company.owner)
	p := owner.open(company.host(), fmt.Sprint("/mgr/people/new?side=shop&client_id=",
		company.clientID)).form("client_id").fill("name", "Bo", "phone", phone).press("")
	_, link, _ := strings.Cut(p.body, `id="link" type="text" readonly value="`)
	link, _, _ = strings.Cut(link, `"`)
	link = strings.ReplaceAll(link, "&amp;", "&")
	answered := x.b.must(x.b.get(link)).form("action=send_code").fill("phone", phone).press("action=send_code")
	x.wantNoFailurePage(answered)
	code := x.s.awaitCode(x.t, phone)
	x.open = func() (request, *page) {
		p := x.b.must(x.b.get(link))
		f := p.find("code")
		if f == nil {
			return request{}, p
		}
		return fillPresent(f, "phone", phone, "code", code, "name", "Bo", "password", newPassword, "confirm_password",
			newPassword).request(""), nil
	}
	x.effect = func() int { return x.events("account_set_up", company.id) }
}

func formAnswerOffer(action, event string) func(*scene) {
	return func(x *scene) {
		company := x.newCompany()
		offered := x.s.newCompany(x.t).buyer
		company.offerAccount(x.t, offered.phone)
		x.b.signIn(offered)
		x.page(onAccount, "/offers", "action="+action, "action="+action, nil)
		x.effect, x.home = func() int { return x.events(event, company.id) }, "account /accounts?all=1"
	}
}
