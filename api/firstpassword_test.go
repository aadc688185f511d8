package api

import (
	"fmt"
	"testing"

	"portico/portal/access"
	"portico/portal/credentials"
)

// giveFirstPassword gives an account of company 1001 a first password, as its administrator does. It returns the id of
// the account and the password.
func (s *site) giveFirstPassword(login string) (id int64, password string) {
	s.t.Helper()
	administrator, err := s.db.Accounts.ByLogin(s.t.Context(), "jinsui")
	noError(s.t, err)
	member, err := s.db.Accounts.ByLogin(s.t.Context(), login)
	noError(s.t, err)
	given, err := s.portal.Backoffice.GiveFirstPassword(s.t.Context(), access.Landing{Member: administrator[0]},
		member[0].ID, "")
	noError(s.t, err)
	return member[0].ID, given.Password
}

func TestFirstPasswordMustBeReplacedBeforeOtherCalls(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		old := s.signIn("nophone").token(t)
		id, password := s.giveFirstPassword("nophone")
		s.get(old, "/v1/account/getAccountList").wantCode(t, "login_required",
			"the session of the old password has ended")
		signed := s.wantSignIn("nophone", password, "ok")
		token, account := signed.token(t), fmt.Sprint(id)
		wantCodes := func(token, code string) {
			s.get(token, "/v1/account/getAccountList").wantCode(t, code)
			s.get(token, "/openapi/v1/auth/getAuthCode", "account_id_", account).wantCode(t, code)
			s.post(token, "/v1/account/setDefaultCompany", "company_id_", "1001").wantCode(t, code)
			s.post(token, chooseAccountPath, "account_id_", account).wantCode(t, code)
		}
		wantCodes(token, "password_not_set")
		wantCodes(signed.Ticket, "password_not_set")
		s.post(token, "/v1/account/bindJpushId", "user_id_", account, "jpush_id_", "abc").
			wantCode(t, "password_not_set")
		s.post(token, "/v1/account/noAuth/markDoNotRemindBindPhone/"+account, "user_id_", account).
			wantCode(t, "password_not_set")
		s.post(token, "/v1/account/updateAndImportTrade", "industry_id_", "118", "import_", "1").
			wantCode(t, "password_not_set")
		s.post(token, "/v1/account/getExperienceUser", "role_", "shop").wantCode(t, "password_not_set")
		if got := s.get(token, "/v1/account/unbindPhoneCode").
			wantCode(t, "password_not_set"); got.Status != 1028 ||
			got.Message == "" {
			t.Errorf("%s", got.body)
		}
		s.post(
			token, "/v1/account/modifyPwd", "old_password_", password, "password_", newPassword, "confirm_password_",
			newPassword,
		).
			wantCode(t, "ok")
		wantCodes(token, "ok")
		s.wantSignIn("nophone", password, "wrong_password")

		_, password = s.giveFirstPassword("nophone")
		s.advance(credentials.FirstPasswordLife)
		got := s.post("", "/v1/account/mixedLogin", "login_", "nophone", "password_", password).
			wantCode(t, "password_not_set", "expired")
		if d := got.refusalDetail(t); len(d.Contacts) == 0 || d.CompanyID != 1001 {
			t.Errorf("no contact in %s", got.body)
		}
	})
}
