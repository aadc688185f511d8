package api

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/signin"
	"portico/store"
)

func TestAuthCodeIsRedeemedOnce(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		login := s.signIn("13800000003")
		code := func(account int64, more ...string) apiResponse {
			return s.get(
				login.Ticket,
				"/openapi/v1/auth/getAuthCode",
				append([]string{"account_id_", fmt.Sprint(account)}, more...)...)
		}
		redeem := func(code string) apiResponse {
			return s.get("", "/v1/account/getLoginUserByAuthCode", "auth_code_", code)
		}
		first := dataOf[authCode](t, code(login.Shop[0].ID))
		if !strings.HasPrefix(first.Redirect, "http://m.portico.test/shop?companyId=1001&auth_code_=") {
			t.Errorf("%s", first.Redirect)
		}
		answer := redeem(first.Code)
		if path, has := dataOf[map[string]any](t, answer)["return_"]; !has || path != nil {
			t.Errorf("return_ is %v", path)
		}
		user := dataOf[userData](t, answer)
		if user.ID != login.Shop[0].ID || user.Token == "" {
			t.Errorf("%+v", user)
		}
		list := dataOf[[]companyAccounts](t, s.get(user.Token, "/v1/account/getAccountList"))
		if len(list) != 1 || len(list[0].Shop) != 1 || len(list[0].Mgr) != 0 {
			t.Errorf("a redeemed token gives access to other accounts: %+v", list)
		}
		if got := redeem(first.Code).wantCode(t, "login_required",
			"the second time"); got.http != http.StatusUnauthorized {
			t.Errorf("%d", got.http)
		}
		s.get(user.Token, "/v1/account/getAccountList").
			wantCode(t, "login_required", "the second use revoked the token of the first")

		late := dataOf[authCode](t, code(login.Mgr[0].ID))
		s.advance(61 * time.Second)
		redeem(late.Code).wantCode(t, "login_required", "after 61 seconds")
		for _, noise := range []string{"", "x", late.Code[:20], late.Code + "a", login.Ticket} {
			redeem(noise).wantCode(t, "login_required", noise)
		}
		otherSite := dataOf[authCode](t, code(login.Mgr[0].ID))
		s.call(apiRequest{
			method: get, path: "/v1/account/getLoginUserByAuthCode", params: []string{"auth_code_", otherSite.Code},
			headers: map[string]string{"X-Company-Id": "1003"},
		}).
			wantCode(t, "login_required")

		for target, want := range map[string]string{
			"mMgr": "http://mgr.portico.test/home?companyId=", "pcMgr": "/mgr?auth_code_=",
		} {
			got := dataOf[authCode](t, code(login.Mgr[0].ID, "target_", target))
			if !strings.Contains(got.Redirect, want) {
				t.Errorf("%s: %s", target, got.Redirect)
			}
			code(login.Shop[0].ID, "target_", target).wantCode(t, "wrong_parameters", target)
		}
		code(login.Shop[0].ID, "target_", "desktop").wantCode(t, "validation_failed")
		code(0).wantCode(t, "validation_failed")
		code(s.signIn("13800000001").User.ID).wantCode(t, "not_found", "another person's")
	})
}

func TestAuthCodeRedeemedByPageIsRefusedByAPI(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		login := s.signIn("13800000001")
		sent := dataOf[authCode](
			t, s.get(login.token(t), "/openapi/v1/auth/getAuthCode", "account_id_", fmt.Sprint(login.User.ID)),
		)
		place, err := s.portal.Access.Locate(t.Context(), access.LocateInput{Host: "m.portico.test"})
		noError(t, err)
		if _, err := s.portal.Landing.Redeem(
			t.Context(), signin.RedeemInput{Code: sent.Code, Place: place, Slot: store.MobileShop},
		); err != nil {
			t.Fatalf("the page refuses a code of the API: %v", err)
		}
		s.get("", "/v1/account/getLoginUserByAuthCode", "auth_code_", sent.Code).
			wantCode(t, "login_required", "used by the page")
	})
}

func TestAuthCodesAreRateLimited(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		login := s.signIn("13800000001")
		issue := func() apiResponse {
			return s.get(login.token(t), "/openapi/v1/auth/getAuthCode", "account_id_", fmt.Sprint(login.User.ID))
		}
		for range 60 {
			issue().wantCode(t, "ok")
		}
		issue().wantCode(t, "too_many_attempts")
		for range 60 {
			s.get("", "/v1/account/getLoginUserByAuthCode", "auth_code_", "noise").wantCode(t, "login_required")
		}
		s.get("", "/v1/account/getLoginUserByAuthCode", "auth_code_", "noise").wantCode(t, "too_many_attempts")
	})
}
