package api

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/portal/core"
	"portico/portal/onboarding"
	"portico/store"
)

const (
	openSandboxPath  = "/v1/account/experienceRegister"
	enterSandboxPath = "/v1/account/getExperienceUser"
)

type sandboxData struct {
	CompanyID int64  `json:"company_id_"`
	Ticket    string `json:"ticket_"`
}

// sandboxParams returns the parameters of experienceRegister. change replaces or adds parameters.
func sandboxParams(phone, code string, change ...string) []string {
	return withChanges([]string{"phone_", phone, "code_", code, "industry_id_", "118"}, change...)
}

// openSandbox opens a sandbox by calls.
func (s *site) openSandbox(phone, industry string) sandboxData {
	s.t.Helper()
	s.get("", "/v1/base/experience/experienceCode", "phone_", phone).wantCode(s.t, "ok", phone)
	return dataOf[sandboxData](
		s.t,
		s.post("", openSandboxPath, sandboxParams(phone, s.lastCode(strings.ReplaceAll(phone, " ", "")), "industry_id_",
			industry)...),
	)
}

// enterSandbox enters the shop ("shop") or the back office ("mgr") of a sandbox.
func (s *site) enterSandbox(token, role string, more ...string) userData {
	s.t.Helper()
	return dataOf[userData](s.t, s.post(token, enterSandboxPath, append([]string{"role_", role}, more...)...))
}

func TestSandboxIsOpenedAndEnteredOnBothSides(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		sandbox := s.openSandbox("139 1234 5678", "118")
		c, err := s.db.Companies.ByID(t.Context(), sandbox.CompanyID)
		noError(t, err)
		if !c.Sandbox || c.IndustryID != 118 || c.EndsAt != store.At(s.now().Add(onboarding.SandboxLife)) ||
			c.Name == "" {
			t.Errorf("%+v", c)
		}
		products := func() int {
			products, err := s.db.Catalogue.Products(t.Context(), c.ID)
			noError(t, err)
			return len(products)
		}
		shop := s.enterSandbox(sandbox.Ticket, "shop")
		if shop.Type != store.TypeShop || shop.CompanyID != c.ID || shop.Token == "" || products() != 0 {
			t.Errorf("%+v, %d products", shop, products())
		}
		mgr := s.enterSandbox(sandbox.Ticket, "mgr", "industry_id_", "118", "import_", "1")
		filled := products()
		if mgr.Type != store.TypeAdministrator || mgr.CompanyID != c.ID || filled < 12 {
			t.Errorf("%+v, %d products", mgr, filled)
		}
		s.enterSandbox(sandbox.Ticket, "shop", "import_", "1")
		if products() != filled {
			t.Errorf("filled twice: %d products", products())
		}
		if other := s.enterSandbox(mgr.Token, "shop"); other.ID != shop.ID {
			t.Errorf("%+v is not %+v", other, shop)
		}
		for _, user := range []userData{shop, mgr} {
			sent := dataOf[authCode](
				t, s.get(user.Token, "/openapi/v1/auth/getAuthCode", "account_id_", fmt.Sprint(user.ID)),
			)
			landed := dataOf[userData](t, s.get("", "/v1/account/getLoginUserByAuthCode", "auth_code_", sent.Code))
			if landed.ID != user.ID {
				t.Errorf("%+v is not %+v", landed, user)
			}
			if list := dataOf[[]companyAccounts](
				t, s.get(landed.Token, "/v1/account/getAccountList"),
			); len(list) != 1 ||
				len(list[0].Mgr)+len(list[0].Shop) != 1 {
				t.Errorf("a token of one site lists %+v", list)
			}
		}
		s.post(mgr.Token, initialisePath, "industry_id_", "118", "import_", "1").
			wantCode(t, "wrong_parameters", "a sandbox cannot be initialised")
		s.get(sandbox.Ticket, "/v1/account/getAccountList").wantCode(t, "ok")
		s.post(sandbox.Ticket, "/v1/account/bindJpushId", "user_id_", fmt.Sprint(mgr.ID), "jpush_id_", "x").
			wantCode(t, "login_required", "a ticket is not a token")
		s.advance(core.TicketLife)
		s.post(sandbox.Ticket, enterSandboxPath, "role_", "mgr").wantCode(t, "login_required", "the ticket has expired")
		s.enterSandbox(shop.Token, "mgr")
		s.advance(onboarding.SandboxLife)
		s.post(mgr.Token, enterSandboxPath, "role_", "mgr").wantCode(t, "trial_ended")
	})
}

func TestPhoneHasOneSandboxPerIndustry(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		first := s.openSandbox(unregisteredPhone, "118")
		s.advance(time.Minute)
		if again := s.openSandbox(unregisteredPhone, "118"); again.CompanyID != first.CompanyID ||
			again.Ticket == first.Ticket {
			t.Errorf("%+v, then %+v", first, again)
		}
		s.advance(time.Minute)
		second := s.openSandbox(unregisteredPhone, "729")
		if second.CompanyID == first.CompanyID {
			t.Error("two industries in one sandbox")
		}
		if user := s.enterSandbox(second.Ticket, "mgr", "industry_id_", "118"); user.CompanyID != first.CompanyID {
			t.Errorf("%+v", user)
		}
		if user := s.enterSandbox(second.Ticket, "mgr"); user.CompanyID != second.CompanyID {
			t.Errorf("%+v", user)
		}
		s.post(second.Ticket, enterSandboxPath, "role_", "mgr", "industry_id_", "724").
			wantCode(t, "wrong_parameters", "this sandbox was never opened")
		registered := s.openSandbox("13800000001", "118") // a phone with a company and a password
		if user := s.enterSandbox(registered.Ticket, "shop"); user.CompanyID == 1001 ||
			user.CompanyID == first.CompanyID {
			t.Errorf("%+v", user)
		}
		s.wantSignIn("13800000001", onboarding.DemoPassword, "ok")
		named := dataOf[sandboxData](t, func() apiResponse {
			const phone = "13912345670"
			s.get("", "/v1/base/experience/experienceCode", "phone_", phone).wantCode(t, "ok")
			return s.call(apiRequest{
				method: post, path: openSandboxPath,
				json: asJSON(sandboxParams(phone, s.lastCode(phone), "name_", "林静", "company_name_", "林记")),
			})
		}())
		if c, err := s.db.Companies.ByID(t.Context(), named.CompanyID); err != nil || c.Name != "林记" {
			t.Errorf("%+v %v", c, err)
		}
	})
}

func TestSandboxNeedsCodeAndIsOpenedOnce(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		open := func(params ...string) apiResponse { return s.post("", openSandboxPath, params...) }
		companies, phones := s.countRows("companies"), s.countRows("phones")
		open(sandboxParams(unregisteredPhone, "123456")...).wantCode(t, "code_expired", "none was sent")
		s.get("", "/v1/base/experience/experienceCode", "phone_", unregisteredPhone).wantCode(t, "ok")
		code := s.lastCode(unregisteredPhone)
		open(sandboxParams(unregisteredPhone, differentCode(code))...).wantCode(t, "code_wrong")
		open(sandboxParams("13912345679", code)...).wantCode(t, "code_expired", "another phone's")
		for field, value := range map[string]string{
			"phone_": "1", "code_": "x", "industry_id_": "5", "name_": "\u0007", "company_name_": "\u0007",
		} {
			got := open(sandboxParams(unregisteredPhone, code, field, value)...).wantCode(t, "validation_failed", field)
			if got.refusalDetail(t).Fields[field] == "" {
				t.Errorf("%s: %s", field, got.body)
			}
		}
		if d := open().wantCode(t, "validation_failed").refusalDetail(t); len(d.Fields) != 3 ||
			d.Fields["industry_id_"] == "" {
			t.Errorf("%v", d.Fields)
		}
		if s.countRows("companies") != companies || s.countRows("phones") != phones {
			t.Error("a company or phone was created")
		}

		in := apiRequest{
			method: post, path: openSandboxPath, params: sandboxParams(unregisteredPhone, code),
			headers: map[string]string{"Idempotency-Key": "k"},
		}
		answers := make(chan apiResponse, 20)
		var group sync.WaitGroup
		for range cap(answers) {
			group.Go(func() { answers <- s.call(in) })
		}
		group.Wait()
		close(answers)
		first := ""
		for got := range answers {
			if got.wantCode(t, "ok"); first != "" && first != string(got.Data) {
				t.Errorf("two answers:\n%s\n%s", first, got.Data)
			}
			first = string(got.Data)
		}
		companies = s.countRows("companies")
		again := dataOf[sandboxData](t, open(sandboxParams(unregisteredPhone, code)...))
		if fmt.Sprintf(`{"company_id_":%d,"ticket_":%q}`, again.CompanyID, again.Ticket) == first {
			t.Error("without a key the ticket is the same")
		}
		s.enterSandbox(again.Ticket, "shop")
		open(
			sandboxParams(
				unregisteredPhone, code, "industry_id_", "729",
			)...).wantCode(t, "wrong_parameters", "the same code with other content")
		in.params = sandboxParams(unregisteredPhone, code, "industry_id_", "729")
		s.call(in).wantCode(t, "wrong_parameters", "the same key with other content")
		if s.countRows("companies") != companies {
			t.Error("a repeated call created a company")
		}
	})
}

// Any phone may open a sandbox, also one that is registered during the call.
func TestPhoneRegisteredDuringCallOpensSandbox(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		s.get("", "/v1/base/experience/experienceCode", "phone_", unregisteredPhone).wantCode(t, "ok")
		code, got := s.lastCode(unregisteredPhone), make(chan apiResponse)
		noError(t, s.db.Tx(t.Context(), func(tx *store.DB) error {
			_, err := tx.Persons.Add(t.Context(),
				store.Person{Phone: unregisteredPhone, PasswordHash: "x", CreatedAt: 1})
			go func() { got <- s.post("", openSandboxPath, sandboxParams(unregisteredPhone, code)...) }()
			time.Sleep(300 * time.Millisecond) // the call has found no such phone, and waits
			return err
		}))
		(<-got).wantCode(t, "ok")
	})
}

func TestExclusivePhoneCannotOpenSandbox(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		s.makePhonesExclusive(1001)
		companies := s.countRows("companies")
		s.get("", "/v1/base/experience/experienceCode", "phone_", "13800000001").wantCode(t, "ok")
		s.post("", openSandboxPath, sandboxParams("13800000001", s.lastCode("13800000001"))...).
			wantCode(t, "phone_bound_elsewhere")
		if s.countRows("companies") != companies {
			t.Error("a sandbox was created")
		}
	})
}

func TestOnlyTheOwnerEntersASandbox(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		sandbox := s.openSandbox(unregisteredPhone, "118")
		shop := s.enterSandbox(sandbox.Ticket, "shop")
		ticket := s.signIn("13800000003").Ticket
		byName, byPhone := s.signIn("jinsui").token(t), s.signIn("13800000001").token(t)
		sent := dataOf[authCode](
			t, s.get(shop.Token, "/openapi/v1/auth/getAuthCode", "account_id_", fmt.Sprint(shop.ID)),
		)
		landed := dataOf[userData](t, s.get("", "/v1/account/getLoginUserByAuthCode", "auth_code_", sent.Code))
		s.get(landed.Token, "/v1/account/getAccountList").wantCode(t, "ok", "the first use of the token writes a row")
		s.wantUnchanged("refused", func() {
			for what, token := range map[string]string{"signed in by name": byName, "signed in by phone": byPhone,
				"a ticket": ticket} {
				got := s.post(token, enterSandboxPath, "role_", "mgr", "import_", "1").wantCode(t, "wrong_parameters",
					what)
				if len(got.Data) > 4 { // null
					t.Errorf("%s: %s", what, got.body)
				}
				s.post(
					token, enterSandboxPath, "role_", "shop", "industry_id_", "118", "company_id_",
					fmt.Sprint(sandbox.CompanyID),
					"id_", fmt.Sprint(shop.ID),
				).
					wantCode(t, "wrong_parameters", what)
			}
			s.post(landed.Token, enterSandboxPath, "role_", "mgr").
				wantCode(t, "wrong_parameters", "a token of one site is valid only for its account")
			s.post("", enterSandboxPath, "role_", "mgr").wantCode(t, "login_required")
			s.call(apiRequest{
				method: post, path: enterSandboxPath, token: sandbox.Ticket, kind: "PC", source: "PC",
				params: []string{"role_", "mgr"},
			}).
				wantCode(t, "login_required", "another kind of client")
			for _, role := range []string{"", "admin", "Mgr"} {
				got := s.post(sandbox.Ticket, enterSandboxPath, "role_", role).wantCode(t, "validation_failed", role)
				if got.refusalDetail(t).Fields["role_"] == "" {
					t.Errorf("%q: %s", role, got.body)
				}
			}
		})
		s.enterSandbox(landed.Token, "shop")
	})
}

// A sandbox that the operator has blocked opens neither its shop nor its back office.
func TestBlockedSandboxCannotBeEntered(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		sandbox := s.openSandbox(unregisteredPhone, "118")
		c, err := s.db.Companies.ByID(t.Context(), sandbox.CompanyID)
		noError(t, err)
		c.Disabled = true
		noError(t, s.db.Companies.Update(t.Context(), c))
		for _, role := range []string{"shop", "mgr"} {
			s.post(sandbox.Ticket, enterSandboxPath, "role_", role, "import_", "1").wantCode(t, "company_disabled",
				role)
		}
		if products, err := s.db.Catalogue.Products(t.Context(), c.ID); err != nil || len(products) != 0 {
			t.Errorf("it has %d products, %v", len(products), err)
		}
	})
}
