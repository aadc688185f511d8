package api

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/portal/onboarding"
	"portico/portal/sessions"
	"portico/store"
)

const (
	tryPath  = "/v1/account/experienceRegister"
	rolePath = "/v1/account/getExperienceUser"
)

type answeredExperience struct {
	CompanyID int64  `json:"company_id_"`
	Ticket    string `json:"ticket_"`
}

// tryingOf are the parameters of experienceRegister; change replaces or adds some of them.
func tryingOf(phone, code string, change ...string) []string {
	return changed([]string{"phone_", phone, "code_", code, "industry_id_", "118"}, change...)
}

// tried opens a sandbox by signed calls.
func (s *site) tried(phone, industry string) answeredExperience {
	s.t.Helper()
	s.get("", "/v1/base/experience/experienceCode", "phone_", phone).want(s.t, "ok", phone)
	return dataOf[answeredExperience](
		s.t,
		s.post("", tryPath, tryingOf(phone, s.code(strings.ReplaceAll(phone, " ", "")), "industry_id_", industry)...),
	)
}

// role enters the shop or the back office of the sandbox.
func (s *site) role(token, role string, more ...string) answeredUser {
	s.t.Helper()
	return dataOf[answeredUser](s.t, s.post(token, rolePath, append([]string{"role_", role}, more...)...))
}

func TestTryingBothSidesByCalls(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		tried := s.tried("139 1234 5678", "118")
		c, err := s.db.Companies.ByID(t.Context(), tried.CompanyID)
		noError(t, err)
		if !c.Sandbox || c.IndustryID != 118 || c.EndsAt != store.At(s.now().Add(onboarding.SandboxLife)) ||
			c.Name == "" {
			t.Errorf("%+v", c)
		}
		products := func() int {
			all, err := s.db.Catalogue.Products(t.Context(), c.ID)
			noError(t, err)
			return len(all)
		}
		shop := s.role(tried.Ticket, "shop")
		if shop.Type != store.TypeShop || shop.CompanyID != c.ID || shop.Token == "" || products() != 0 {
			t.Errorf("%+v, %d products", shop, products())
		}
		mgr := s.role(tried.Ticket, "mgr", "industry_id_", "118", "import_", "1")
		filled := products()
		if mgr.Type != store.TypeAdministrator || mgr.CompanyID != c.ID || filled < 12 {
			t.Errorf("%+v, %d products", mgr, filled)
		}
		s.role(tried.Ticket, "shop", "import_", "1")
		if products() != filled {
			t.Errorf("filled twice: %d products", products())
		}
		if other := s.role(mgr.Token, "shop"); other.ID != shop.ID {
			t.Errorf("%+v is not %+v", other, shop)
		}
		for _, user := range []answeredUser{shop, mgr} {
			sent := dataOf[authCode](
				t, s.get(user.Token, "/openapi/v1/auth/getAuthCode", "account_id_", fmt.Sprint(user.ID)),
			)
			landed := dataOf[answeredUser](t, s.get("", "/v1/account/getLoginUserByAuthCode", "auth_code_", sent.Code))
			if landed.ID != user.ID {
				t.Errorf("%+v is not %+v", landed, user)
			}
			if list := dataOf[[]companyAccounts](
				t, s.get(landed.Token, "/v1/account/getAccountList"),
			); len(list) != 1 ||
				len(list[0].Mgr)+len(list[0].Shop) != 1 {
				t.Errorf("a site's token sees %+v", list)
			}
		}
		s.post(mgr.Token, initialisePath, "industry_id_", "118", "import_", "1").
			want(t, "wrong_parameters", "a sandbox is no company of one's own")
		s.get(tried.Ticket, "/v1/account/getAccountList").want(t, "ok")
		s.post(tried.Ticket, "/v1/account/bindJpushId", "user_id_", fmt.Sprint(mgr.ID), "jpush_id_", "x").
			want(t, "login_required", "a ticket is no token")
		s.advance(sessions.TicketLife)
		s.post(tried.Ticket, rolePath, "role_", "mgr").want(t, "login_required", "a ticket ends")
		s.role(shop.Token, "mgr")
		s.advance(onboarding.SandboxLife)
		s.post(mgr.Token, rolePath, "role_", "mgr").want(t, "trial_ended")
	})
}

func TestASandboxIsOneForAPhoneAndAnIndustry(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		first := s.tried(nobodys, "118")
		s.advance(time.Minute)
		if again := s.tried(nobodys, "118"); again.CompanyID != first.CompanyID || again.Ticket == first.Ticket {
			t.Errorf("%+v, then %+v", first, again)
		}
		s.advance(time.Minute)
		second := s.tried(nobodys, "729")
		if second.CompanyID == first.CompanyID {
			t.Error("two industries in one sandbox")
		}
		if user := s.role(second.Ticket, "mgr", "industry_id_", "118"); user.CompanyID != first.CompanyID {
			t.Errorf("%+v", user)
		}
		if user := s.role(second.Ticket, "mgr"); user.CompanyID != second.CompanyID {
			t.Errorf("%+v", user)
		}
		s.post(second.Ticket, rolePath, "role_", "mgr", "industry_id_", "724").
			want(t, "wrong_parameters", "never opened")
		registered := s.tried("13800000001", "118") // a phone with a company and a password
		if user := s.role(registered.Ticket, "shop"); user.CompanyID == 1001 || user.CompanyID == first.CompanyID {
			t.Errorf("%+v", user)
		}
		s.signsIn("13800000001", onboarding.DemoPassword, "ok")
		named := dataOf[answeredExperience](t, func() answered {
			const phone = "13912345670"
			s.get("", "/v1/base/experience/experienceCode", "phone_", phone).want(t, "ok")
			return s.call(asked{
				method: post, path: tryPath,
				json: asJSON(tryingOf(phone, s.code(phone), "name_", "林静", "company_name_", "林记")),
			})
		}())
		if c, err := s.db.Companies.ByID(t.Context(), named.CompanyID); err != nil || c.Name != "林记" {
			t.Errorf("%+v %v", c, err)
		}
	})
}

func TestASandboxNeedsAProofAndIsOpenedOnce(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		open := func(params ...string) answered { return s.post("", tryPath, params...) }
		companies, phones := s.rows("companies"), s.rows("phones")
		open(tryingOf(nobodys, "123456")...).want(t, "code_expired", "none was sent")
		s.get("", "/v1/base/experience/experienceCode", "phone_", nobodys).want(t, "ok")
		code := s.code(nobodys)
		open(tryingOf(nobodys, other(code))...).want(t, "code_wrong")
		open(tryingOf("13912345679", code)...).want(t, "code_expired", "another phone's")
		for field, value := range map[string]string{
			"phone_": "1", "code_": "x", "industry_id_": "5", "name_": "\u202e", "company_name_": "\u202e",
		} {
			got := open(tryingOf(nobodys, code, field, value)...).want(t, "validation_failed", field)
			if got.detail(t).Fields[field] == "" {
				t.Errorf("%s: %s", field, got.body)
			}
		}
		if d := open().want(t, "validation_failed").detail(t); len(d.Fields) != 3 || d.Fields["industry_id_"] == "" {
			t.Errorf("%v", d.Fields)
		}
		if s.rows("companies") != companies || s.rows("phones") != phones {
			t.Error("something arose")
		}

		in := asked{
			method: post, path: tryPath, params: tryingOf(nobodys, code),
			headers: map[string]string{"Idempotency-Key": "k"},
		}
		answers := make(chan answered, 20)
		var all sync.WaitGroup
		for range cap(answers) {
			all.Go(func() { answers <- s.call(in) })
		}
		all.Wait()
		close(answers)
		first := ""
		for got := range answers {
			if got.want(t, "ok"); first != "" && first != string(got.Data) {
				t.Errorf("two answers:\n%s\n%s", first, got.Data)
			}
			first = string(got.Data)
		}
		companies = s.rows("companies")
		again := dataOf[answeredExperience](t, open(tryingOf(nobodys, code)...))
		if fmt.Sprintf(`{"company_id_":%d,"ticket_":%q}`, again.CompanyID, again.Ticket) == first {
			t.Error("without a key the ticket is the same")
		}
		s.role(again.Ticket, "shop")
		open(
			tryingOf(
				nobodys, code, "industry_id_", "729",
			)...).want(t, "wrong_parameters", "the same proof for something else")
		in.params = tryingOf(nobodys, code, "industry_id_", "729")
		s.call(in).want(t, "wrong_parameters", "the same key for something else")
		if s.rows("companies") != companies {
			t.Error("a repetition made something")
		}
	})
}

// Any phone may try, also one that is registered while it does.
func TestAPhoneRegisteredMeanwhileTriesAllTheSame(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		s.get("", "/v1/base/experience/experienceCode", "phone_", nobodys).want(t, "ok")
		code, got := s.code(nobodys), make(chan answered)
		noError(t, s.db.Tx(t.Context(), func(tx *store.DB) error {
			_, err := tx.Phones.Add(t.Context(), store.Phone{Phone: nobodys, PasswordHash: "x", CreatedAt: 1})
			go func() { got <- s.post("", tryPath, tryingOf(nobodys, code)...) }()
			time.Sleep(300 * time.Millisecond) // it has read that nobody has the phone, and waits
			return err
		}))
		(<-got).want(t, "ok")
	})
}

func TestAPhoneThatACompanyKeepsToItselfTriesNothing(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		s.keepsPhones(1001)
		companies := s.rows("companies")
		s.get("", "/v1/base/experience/experienceCode", "phone_", "13800000001").want(t, "ok")
		s.post("", tryPath, tryingOf("13800000001", s.code("13800000001"))...).want(t, "phone_bound_elsewhere")
		if s.rows("companies") != companies {
			t.Error("a sandbox was made")
		}
	})
}

func TestOnlyASandboxOfOnesOwnIsEntered(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		tried := s.tried(nobodys, "118")
		shop := s.role(tried.Ticket, "shop")
		many := s.signIn("13800000003").Ticket
		byName, byPhone := s.signIn("jinsui").token(t), s.signIn("13800000001").token(t)
		sent := dataOf[authCode](
			t, s.get(shop.Token, "/openapi/v1/auth/getAuthCode", "account_id_", fmt.Sprint(shop.ID)),
		)
		landed := dataOf[answeredUser](t, s.get("", "/v1/account/getLoginUserByAuthCode", "auth_code_", sent.Code))
		s.get(landed.Token, "/v1/account/getAccountList").want(t, "ok", "its first use is written down")
		s.unchanged("refused", func() {
			for what, token := range map[string]string{"a name's": byName, "a phone's": byPhone, "a ticket": many} {
				got := s.post(token, rolePath, "role_", "mgr", "import_", "1").want(t, "wrong_parameters", what)
				if len(got.Data) > 4 { // null
					t.Errorf("%s: %s", what, got.body)
				}
				s.post(
					token, rolePath, "role_", "shop", "industry_id_", "118", "company_id_", fmt.Sprint(tried.CompanyID),
					"id_", fmt.Sprint(shop.ID),
				).
					want(t, "wrong_parameters", what)
			}
			s.post(landed.Token, rolePath, "role_", "mgr").
				want(t, "wrong_parameters", "a site's token is good for its account alone")
			s.post("", rolePath, "role_", "mgr").want(t, "login_required")
			s.call(asked{
				method: post, path: rolePath, token: tried.Ticket, kind: "PC", source: "PC",
				params: []string{"role_", "mgr"},
			}).
				want(t, "login_required", "another kind of client")
			for _, role := range []string{"", "admin", "Mgr"} {
				got := s.post(tried.Ticket, rolePath, "role_", role).want(t, "validation_failed", role)
				if got.detail(t).Fields["role_"] == "" {
					t.Errorf("%q: %s", role, got.body)
				}
			}
		})
		s.role(landed.Token, "shop")
	})
}

// A sandbox that the operator has blocked opens neither its shop nor its back office.
func TestABlockedSandboxIsNotEntered(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		tried := s.tried(nobodys, "118")
		c, err := s.db.Companies.ByID(t.Context(), tried.CompanyID)
		noError(t, err)
		c.Disabled = true
		noError(t, s.db.Companies.Update(t.Context(), c))
		for _, role := range []string{"shop", "mgr"} {
			s.post(tried.Ticket, rolePath, "role_", role, "import_", "1").want(t, "company_disabled", role)
		}
		if products, err := s.db.Catalogue.Products(t.Context(), c.ID); err != nil || len(products) != 0 {
			t.Errorf("it was filled with %d products, %v", len(products), err)
		}
	})
}
