package badline_test

import (
	"fmt"
	"strconv"
	"time"

	"portico/store"
)

// login signs a person in with the API.
func (x *callScene) login(p person) envelope {
	x.t.Helper()
	who := p.phone
	if who == "" {
		who = p.login
	}
	return x.api.do(post, "/v1/account/mixedLogin", "", "login_", who, "password_", password)
}

// code sets the parameters of a call that requests a code. Its effect is the message.
func (x *callScene) code(phone string, more ...string) {
	x.params = append([]string{"phone_", phone}, more...)
	x.effect = func() int { return len(x.s.inbox(x.t, phone)) }
}

// requestCode requests a code with a call without a fault, and returns the code.
func (x *callScene) requestCode(path, token, phone string, more ...string) string {
	x.t.Helper()
	x.api.do(get, path, token, append([]string{"phone_", phone}, more...)...)
	return x.s.awaitCode(x.t, phone)
}

// countRows makes the effect the result of a query.
func (x *callScene) countRows(query string, args ...any) {
	x.effect = func() int { return x.s.count(x.t, query, args...) }
}

// countNoticesTo makes the effect the number of messages to a phone without a code.
func (x *callScene) countNoticesTo(phone string) {
	count := func() (n int) {
		for _, m := range x.s.inbox(x.t, phone) {
			if m.Code == "" {
				n++
			}
		}
		return n
	}
	x.effect = func() int { // messages are sent after the answer
		for deadline := time.Now().Add(10 * time.Second); count() == 0 && time.Now().Before(deadline); {
			time.Sleep(20 * time.Millisecond)
		}
		return count()
	}
}

func callBindCode(x *callScene) {
	who := x.newCompany().addAccount(x.t, store.TypeShop, "")
	x.code(newPhone())
	x.token = x.login(who).read("user_", "token_")
}

func callUnbindCode(x *callScene) {
	who := x.newCompany().buyer
	x.code(who.phone)
	x.params, x.token = nil, x.login(who).read("user_", "token_")
}

// inviteCustomer opens an account for a phone. Its holder has to set it up.
func (x *callScene) inviteCustomer() (phone, company string) {
	x.t.Helper()
	h, phone := x.newCompany(), newPhone()
	who := h.addAccount(x.t, store.TypeShop, phone)
	x.s.change(x.t, "UPDATE accounts SET invited = 1, invited_at = created_at, password_hash = '' WHERE id = ?",
		who.accountID)
	x.s.change(x.t, "UPDATE phones SET password_hash = '' WHERE phone = ?", phone)
	return phone, strconv.FormatInt(h.id, 10)
}

func callInvitedCode(x *callScene) {
	phone, company := x.inviteCustomer()
	x.code(phone, "company_id_", company)
}

func callApplicantCode(x *callScene) {
	x.code(newPhone(), "company_id_", strconv.FormatInt(x.newCompany().id, 10))
}

func callCreateCompany(x *callScene) {
	phone := newPhone()
	code := x.requestCode("/v1/account/registCode", "", phone)
	x.params = []string{
		"phone_", phone, "code_", code, "password_", newPassword, "name_", "Ana", "company_name_", "Company " + phone,
		"agree_", "1",
	}
	x.countRows("SELECT COUNT(*) FROM companies WHERE name = ?", "Company "+phone)
}

func callInitialise(x *callScene) {
	callCreateCompany(x)
	user := x.api.do(post, "/v1/account/createCompany", "", x.params...)
	x.token, x.params = user.read("token_"), []string{"industry_id_", "118", "import_", "1"}
	x.countRows(`SELECT CASE COUNT(*) WHEN 0 THEN 0 ELSE 1 + COUNT(*) - COUNT(DISTINCT sample) END FROM products
		WHERE company_id = ?`, user.read("company_id_"))
}

func callTry(x *callScene) {
	phone := newPhone()
	x.params = []string{"phone_", phone, "code_", x.requestCode("/v1/base/experience/experienceCode", "", phone),
		"industry_id_", "118"}
	x.countRows("SELECT COUNT(*) FROM sandboxes b JOIN phones p ON p.id = b.phone_id WHERE p.phone = ?", phone)
}

func callRole(x *callScene) {
	callTry(x)
	opened := x.api.do(post, "/v1/account/experienceRegister", "", x.params...)
	x.token, x.params = opened.read("ticket_"), []string{"role_", "shop", "industry_id_", "118", "import_", "1"}
	x.countRows(`SELECT CASE COUNT(*) WHEN 0 THEN 0 ELSE 1 + COUNT(*) - COUNT(DISTINCT sample) END FROM products
		WHERE company_id = ?`, opened.read("company_id_"))
}

func callComplete(x *callScene) {
	phone, company := x.inviteCustomer()
	code := x.requestCode("/v1/account/shopRegisterCode", "", phone, "company_id_", company)
	x.params = []string{
		"phone_", phone, "code_", code, "company_id_", company, "name_", "Bo", "password_", newPassword,
		"confirm_password_", newPassword,
	}
	x.countRows("SELECT COUNT(*) FROM audit_events WHERE kind = 'account_set_up' AND company_id = ?", x.company.id)
}

func callCheckCode(x *callScene) {
	phone, company := newPhone(), strconv.FormatInt(x.newCompany().id, 10)
	x.params = []string{"company_id_", company, "phone_", phone}
	x.params = append(x.params, "code_", x.requestCode("/v1/shopRegister/noAuth/registerCode", "", phone, "company_id_",
		company))
	x.effect = func() int { // the ticket is good for an application
		x.must(x.api.send(x.api.sign(post, "/v1/shopRegister/noAuth/save", "", "", true,
			applicationWith(company, x.last.read("ticket_")))))
		return x.s.count(x.t, "SELECT COUNT(*) FROM applications WHERE company_id = ?", x.company.id)
	}
}

// applicationWith returns the parameters of an application.
func applicationWith(company, ticket string) []string {
	return []string{"company_id_", company, "ticket_", ticket, "company_name_", "Corner shop", "contact_name_", "Wang",
		"address_", "1 Main Street"}
}

func callSave(x *callScene) {
	callCheckCode(x)
	ticket := x.api.do(post, "/v1/shopRegister/noAuth/checkCode", "", x.params...).read("ticket_")
	x.asJSON, x.params = true, applicationWith(x.params[1], ticket)
	x.countRows("SELECT COUNT(*) FROM applications WHERE company_id = ?", x.company.id)
}

func callLogin(x *callScene) {
	x.params = []string{"login_", x.newCompany().buyer.phone, "password_", password}
	x.effect = func() int { return 1 } // each token is a sign-in of its own
}

func callLoginAs(x *callScene) {
	who := x.newCompany().buyer
	x.s.newCompany(x.t).addAccount(x.t, store.TypeShop, who.phone)
	x.token, x.params = x.login(who).read("ticket_"), []string{"account_id_", strconv.FormatInt(who.accountID, 10)}
	x.effect = func() int { return 1 }
}

func callAuthCode(x *callScene) {
	who := x.newCompany().buyer
	x.token, x.params = x.login(who).read("ticket_"), []string{"account_id_", strconv.FormatInt(who.accountID, 10),
		"target_", "mShop"}
	x.effect = func() int { return 1 } // each code is a new one and can be used once
}

func callRedeem(x *callScene) {
	callAuthCode(x)
	code := x.api.do(get, "/openapi/v1/auth/getAuthCode", x.token, x.params...).read("auth_code_")
	x.token, x.params = "", []string{"auth_code_", code}
	x.countRows("SELECT COUNT(*) FROM sessions WHERE acting_id = ? AND purpose = 'code'", x.company.buyer.accountID)
}

func callDefault(x *callScene) {
	who := x.newCompany().buyer
	x.s.newCompany(x.t).addAccount(x.t, store.TypeShop, who.phone)
	x.token, x.params = x.login(who).read("ticket_"), []string{"company_id_", strconv.FormatInt(x.company.id, 10)}
	x.countRows("SELECT COUNT(*) FROM phones WHERE phone = ? AND default_company_id = ?", who.phone, x.company.id)
}

func callBind(x *callScene) {
	who, phone := x.newCompany().addAccount(x.t, store.TypeShop, ""), newPhone()
	x.token = x.login(who).read("user_", "token_")
	code := x.requestCode("/v1/account/bindPhoneCode", x.token, phone)
	x.params = []string{"phone_", phone, "code_", code, "password_", newPassword}
	x.countRows("SELECT COUNT(*) FROM audit_events WHERE kind = 'phone_bound' AND account_id = ?", who.accountID)
}

func callBindPassword(x *callScene) {
	callBind(x)
	x.api.do(post, "/v1/account/bindPhone", x.token, x.params[:4]...)
	x.params = []string{"password_", newPassword, "confirm_password_", newPassword}
}

func callUnbind(x *callScene) {
	who := x.newCompany().buyer
	x.token = x.login(who).read("user_", "token_")
	x.api.do(get, "/v1/account/unbindPhoneCode", x.token)
	x.params = []string{"code_", x.s.awaitCode(x.t, who.phone), "password_", password}
	x.countRows("SELECT COUNT(*) FROM audit_events WHERE kind = 'phone_unbound' AND account_id = ?", who.accountID)
}

func callReset(x *callScene) {
	who := x.newCompany().buyer
	code := x.requestCode("/v1/account/resetCode", "", who.phone)
	x.params = []string{"phone_", who.phone, "code_", code, "password_", newPassword, "confirm_password_", newPassword}
	x.countNoticesTo(who.phone)
}

func callModify(x *callScene) {
	who := x.newCompany().buyer
	x.token = x.login(who).read("user_", "token_")
	x.params = []string{"old_password_", password, "password_", newPassword, "confirm_password_", newPassword}
	x.countNoticesTo(who.phone)
}

func callPush(x *callScene) {
	who := x.newCompany().buyer
	x.token = x.login(who).read("user_", "token_")
	id := fmt.Sprint("push", numbers.Add(1))
	x.params = []string{"user_id_", strconv.FormatInt(who.accountID, 10), "jpush_id_", id}
	x.countRows("SELECT COUNT(*) FROM push_ids WHERE jpush_id = ?", id)
}

func callNoReminder(x *callScene) {
	who := x.newCompany().addAccount(x.t, store.TypeShop, "")
	x.s.change(x.t, "UPDATE accounts SET bind_reminder = 1 WHERE id = ?", who.accountID)
	x.token = x.login(who).read("user_", "token_")
	x.params = []string{"user_id_", strconv.FormatInt(who.accountID, 10)}
	x.countRows("SELECT COUNT(*) FROM accounts WHERE id = ? AND NOT bind_reminder", who.accountID)
}

func callUploadToken(x *callScene) {
	x.params = []string{"name_", "licence.png", "size_", "1000", "type_", "image/png"}
	x.effect = func() int { return 1 } // each token is a new one, and nothing is stored
}
