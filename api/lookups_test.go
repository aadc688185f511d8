package api

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"portico/portal"
	"portico/portal/core"
	"portico/store"
)

func TestLookupsReturnPhonesAndContacts(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		for _, c := range []struct{ phone, company, want string }{
			{"13800000001", "1001", `{"exists_":true}`}, {"138 0000 0001", "1002", `{"exists_":false}`},
			{"13800000011", "1001", `{"exists_":false}`}, {"13812345678", "1001", `{"exists_":false}`},
		} {
			got := s.post("", "/v1/account/checkPhoneExitInCompany", "phone_", c.phone, "company_id_", c.company)
			if string(got.Data) != c.want {
				t.Errorf("%s in %s: %s", c.phone, c.company, got.body)
			}
		}
		for phone, want := range map[string]string{
			"13800000001": `{"exists_":true,"bound_":true}`, "13800000011": `{"exists_":true,"bound_":false}`,
			"13812345678": `{"exists_":false,"bound_":false}`,
		} {
			if got := s.post("", "/v1/account/checkPhoneExitInUser", "phone_", phone); string(got.Data) != want {
				t.Errorf("%s: %s", phone, got.body)
			}
		}
		if got := s.get("", "/v1/account/getAdminByLogin", "login_", "BUYER1"); string(
			got.Data,
		) != `{"name_":"陈静","phone_":"13700000001"}` {
			t.Errorf("%s", got.body)
		}
		s.get("", "/v1/account/getAdminByLogin", "login_", "nobody").wantCode(t, "account_not_found")
		for path, params := range map[string][]string{
			"/v1/account/checkPhoneExitInUser":    {"phone_", "1380000000"},
			"/v1/account/checkPhoneExitInCompany": {"phone_", "13800000001"},
		} {
			s.post("", path, params...).wantCode(t, "validation_failed", path)
		}
		for _, login := range []string{"", "a\u0007b", "x\u001by"} {
			if d := s.get("", "/v1/account/getAdminByLogin", "login_", login).
				wantCode(t, "validation_failed", login).
				refusalDetail(t); d.Fields["login_"] == "" {
				t.Errorf("%q: %+v", login, d)
			}
		}
	})
}

// The number of different phones and names that an address may look up in an hour is limited, for pages and calls
// together.
func TestLookupsShareOneRateLimit(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		lookUp := func(i int, address string) apiResponse {
			phone := fmt.Sprintf("1390000%04d", i)
			switch i % 4 {
			case 0:
				return s.call(apiRequest{
					method: post, path: "/v1/account/checkPhoneExitInUser", params: []string{"phone_", phone},
					address: address,
				})
			case 1:
				return s.call(apiRequest{
					method: post, path: "/v1/account/checkPhoneExitInCompany",
					params: []string{"phone_", phone, "company_id_", "1001"}, address: address,
				})
			case 2:
				return s.call(apiRequest{
					method: get, path: "/v1/account/getAdminByLogin", params: []string{"login_", "name" + phone},
					address: address,
				})
			}
			return s.call(apiRequest{
				method: post, path: "/v1/account/mixedLogin",
				params: []string{"login_", phone, "password_", "Wrong2026"}, address: address,
			})
		}
		for i := range core.LookupLimit {
			if got := lookUp(i, ""); got.Code == "too_many_attempts" {
				t.Fatalf("number %d: %s", i, got.body)
			}
		}
		for i := range 4 {
			got := lookUp(100+i, "").wantCode(t, "too_many_attempts", i)
			if got.http != http.StatusTooManyRequests || got.header.Get("Retry-After") == "" {
				t.Errorf("%d %v", got.http, got.header)
			}
		}
		if got := lookUp(0, "198.51.100.7"); got.Code != "ok" {
			t.Errorf("another address: %s", got.body)
		}
		s.advance(time.Hour + time.Second)
		lookUp(0, "").wantCode(t, "ok", "an hour later")
	})
}

func TestStrictPrivacyLookupsDiscloseNothing(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		for _, phone := range []string{"13800000001", "13812345678"} {
			if got := s.post("", "/v1/account/checkPhoneExitInUser", "phone_", phone); string(
				got.Data,
			) != `{"exists_":null,"bound_":null}` {
				t.Errorf("%s: %s", phone, got.body)
			}
			if got := s.post("", "/v1/account/checkPhoneExitInCompany", "phone_", phone, "company_id_", "1001"); string(
				got.Data,
			) != `{"exists_":null}` {
				t.Errorf("%s: %s", phone, got.body)
			}
		}
		for _, login := range []string{"buyer1", "nobody"} {
			if got := s.get("", "/v1/account/getAdminByLogin", "login_", login); string(
				got.Data,
			) != `{"name_":null,"phone_":null}` {
				t.Errorf("%s: %s", login, got.body)
			}
		}
		known := s.post("", "/v1/account/mixedLogin", "login_", "13800000001", "password_", "Wrong2026").
			wantCode(t, "wrong_password")
		unknown := s.post("", "/v1/account/mixedLogin", "login_", "13812345678", "password_", "Wrong2026").
			wantCode(t, "wrong_password")
		if known.Message != unknown.Message || string(known.Data) != string(unknown.Data) {
			t.Errorf("%s %s", known.body, unknown.body)
		}
	}, func(o *portal.Options) { o.Strict = true })
}

func TestCompanyIsFoundByIDAndHost(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		type company struct {
			ID       int64  `json:"id_"`
			Name     string `json:"name_"`
			Language string `json:"language_type_"`
			State    string `json:"state_"`
		}
		for id, state := range map[string]string{
			"1001": "active", "1004": "disabled", "1005": "trial_ended", "1006": "expired", "1007": "active",
			"1008": "trial",
		} {
			got := dataOf[company](t, s.get("", "/v1/account/getCompanyById/"+id))
			if fmt.Sprint(got.ID) != id || got.State != state || got.Name == "" {
				t.Errorf("%s: %+v", id, got)
			}
		}
		s.get("", "/v1/account/getCompanyById/9999").wantCode(t, "not_found")
		for host, id := range map[string]int64{
			"store1001.portico.test": 1001, "ASTORE1002.portico.test.:80": 1002, "bstore1003.portico.test:8080": 1003,
			"jinsui.test": 1001, "www.jinsui.test": 0,
			"store5.evil.test": 0, "store1001.portico.test.evil.test": 0, "xstore1001.portico.test": 0,
			"store1001portico.test": 0, "portico.test": 0, "account.portico.test": 0,
			"store1001.portico.test@evil.test": 0, "a,b": 0, "store9999.portico.test": 0, "store-1.portico.test": 0,
			"store\u0665.portico.test": 0,
		} {
			got := s.get("", "/v1/base/company/noAuth/getByHost", "host_", host).wantCode(t, "ok", host)
			if id == 0 && string(got.Data) != "null" {
				t.Errorf("%s: %s", host, got.Data)
			}
			if id != 0 && dataOf[company](t, got).ID != id {
				t.Errorf("%s: %s", host, got.Data)
			}
		}
		s.get("", "/v1/base/company/noAuth/getByHost").wantCode(t, "validation_failed")
		for id, want := range map[string]string{
			"":     `{"shop_skin_color_":"20ade5","theme_":"20ade5","language_type_":"zh","version_":"1.0"}`,
			"1001": `{"shop_skin_color_":"20ade5","theme_":"20ade5","language_type_":"zh","version_":"1.0"}`,
			"1002": `{"shop_skin_color_":"d9480f","theme_":"d9480f","language_type_":"es","version_":"1.0"}`,
		} {
			got := s.get("", "/v1/base/company/noAuth/getDefaultSetting", "company_id_", id)
			if string(got.Data) != want {
				t.Errorf("%q: %s", id, got.body)
			}
		}
		s.get("", "/v1/base/company/noAuth/getDefaultSetting", "company_id_", "9999").wantCode(t, "not_found")
	})
}

func TestCompanyHasExactlyTheDescribedFields(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		s.changeCompany(1002, func(c *store.Company) {
			c.IconURL, c.LoginStyleURL = "/icon/mark.png", "/style/0123456789abcdef01234567.css"
		})
		for what, got := range map[string]apiResponse{
			"by id":   s.get("", "/v1/account/getCompanyById/1002"),
			"by host": s.get("", "/v1/base/company/noAuth/getByHost", "host_", "store1002.portico.test"),
		} {
			company := dataOf[map[string]any](t, got)
			style, _, _ := strings.Cut(fmt.Sprint(company["login_page_style_url_"]), "?")
			if company["login_page_style_url_"] = style; len(company) != 8 {
				t.Errorf("%s: %d fields", what, len(company))
			}
			for name, want := range map[string]any{
				"id_": 1002.0, "name_": "Mariscos del Sur", "theme_": "d9480f", "mini_web_icon_": "/icon/mark.png",
				"login_page_style_url_": "/style/0123456789abcdef01234567.css", "view_count_url_": "",
				"language_type_": "es", "state_": "active",
			} {
				if company[name] != want {
					t.Errorf("%s: %s is %v, want %v", what, name, company[name], want)
				}
			}
		}
	})
}

func TestCompanyChangeIsVisibleWithinOneSecond(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		s.get("", "/v1/account/getCompanyById/1001").wantCode(t, "ok")
		c, err := s.db.Companies.ByID(t.Context(), 1001)
		noError(t, err)
		c.Standing, c.EndsAt = store.Trial, store.At(s.now().Add(time.Hour))
		noError(t, s.db.Companies.Update(t.Context(), c))
		s.advance(time.Second)
		got := dataOf[struct {
			State string `json:"state_"`
		}](t, s.get("", "/v1/account/getCompanyById/1001"))
		if got.State != "trial" {
			t.Errorf("%+v", got)
		}
	})
}
