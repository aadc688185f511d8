package api

import (
	"fmt"
	"sync"
	"testing"
)

// A company is initialised once, after it was registered, by its administrator.
func TestOnlyTheAdministratorInitialisesACompanyOnce(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		init := func(token string, params ...string) apiResponse {
			return s.post(token, initialisePath, params...)
		}
		params := []string{"industry_id_", "118", "import_", "1"}
		s.wantUnchanged("before there is a company", func() {
			init("", params...).wantCode(t, "login_required")
			init("noise", params...).wantCode(t, "login_required")
		})
		first, second := s.registerCompany(unregisteredPhone), s.registerCompany("13912345679")
		ticket := s.signIn("13800000003").Ticket
		buyer, employee, otherCompany := s.signIn("buyer1").
			token(t),
			s.signIn("li.manager").
				token(t),
			s.signIn("jinsui").
				token(t)
		s.wantUnchanged("refused", func() {
			init(ticket, params...).wantCode(t, "login_required", "a ticket")
			init(buyer, params...).wantCode(t, "forbidden")
			init(employee, params...).wantCode(t, "forbidden")
			init(otherCompany, params...).wantCode(t, "wrong_parameters", "this company was initialised before")
			s.call(apiRequest{
				method: post, path: initialisePath, token: first.Token, params: params,
				headers: map[string]string{"X-Company-Id": fmt.Sprint(second.CompanyID)},
			}).
				wantCode(t, "login_required", "another company")
			for _, bad := range [][]string{
				{"import_", "1"}, {"industry_id_", "5", "import_", "0"}, {"industry_id_", "5", "import_", "1"},
			} {
				got := init(first.Token, bad...).wantCode(t, "validation_failed", bad)
				if got.refusalDetail(t).Fields["industry_id_"] == "" {
					t.Errorf("%v: %s", bad, got.body)
				}
			}
			init(first.Token, "industry_id_", "-118").wantCode(t, "bad_request")
			init(first.Token, "industry_id_", "118", "import_", "yes").wantCode(t, "bad_request")
		})
		init(
			first.Token,
			withChanges(params, "company_id_", fmt.Sprint(second.CompanyID), "id_",
				fmt.Sprint(second.ID))...).wantCode(t, "ok")
		if c, err := s.db.Companies.ByID(t.Context(), second.CompanyID); err != nil || c.InitialisedAt != 0 {
			t.Errorf("another company was initialised: %+v %v", c, err)
		}
		s.wantUnchanged("twice", func() {
			init(first.Token, params...).wantCode(t, "ok", "the same again")
			init(first.Token, withChanges(params, "import_", "0")...).wantCode(t, "wrong_parameters", "other content")
			init(first.Token, "industry_id_", "729", "import_", "0").wantCode(t, "wrong_parameters")
		})
		if got := init(second.Token, "import_", "0"); string(rawData(t, got)) != fmt.Sprintf(
			`{"company_id_":%d,"industry_id_":null,"imported_":false}`, second.CompanyID,
		) {
			t.Errorf("skipped: %s", got.body)
		}
		if products, err := s.db.Catalogue.Products(t.Context(), second.CompanyID); err != nil || len(products) != 0 {
			t.Errorf("%d products, %v", len(products), err)
		}
	})
}

func TestParallelInitialisationImportsSamplesOnce(t *testing.T) {
	eachCondition(t, func(t *testing.T, s *site) {
		firstCompany, secondCompany := s.registerCompany(unregisteredPhone), s.registerCompany("13912345679")
		run := func(token string, headers map[string]string) (ok int) {
			answers := make(chan apiResponse, 8)
			var group sync.WaitGroup
			for range cap(answers) {
				group.Go(func() {
					answers <- s.call(apiRequest{
						method: post, path: initialisePath, token: token, headers: headers,
						json: `{"industry_id_":118,"import_":true}`,
					})
				})
			}
			group.Wait()
			close(answers)
			for got := range answers {
				if got.wantCode(t, "ok"); got.Code == "ok" {
					ok++
				}
			}
			return ok
		}
		if ok := run(firstCompany.Token, nil); ok != 8 {
			t.Errorf("without a key: %d succeeded", ok)
		}
		if ok := run(secondCompany.Token, map[string]string{"Idempotency-Key": "k"}); ok != 8 {
			t.Errorf("with a key: %d succeeded", ok)
		}
		first, err := s.db.Catalogue.Products(t.Context(), firstCompany.CompanyID)
		noError(t, err)
		second, err := s.db.Catalogue.Products(t.Context(), secondCompany.CompanyID)
		noError(t, err)
		if len(first) == 0 || len(first) != len(second) {
			t.Errorf("%d and %d products", len(first), len(second))
		}
	})
}

// forbiddenFields are values that the server decides: no call may set them.
var forbiddenFields = []string{
	"phone_verified",
	"bind_phone_",
	"type_",
	"status",
	"role",
	"id_",
	"account_id_",
	"token_",
	"state_",
	"sandbox_",
	"sandbox",
	"add",
	"add_",
	"Add",
	"SandboxID",
	"Session",
	"Flow",
	"flow",
	"Client",
	"Version",
	"Lang",
	"Browser",
	"Names",
	"Invite",
	"invite",
	"Company",
	"company",
	"login_",
	"invited",
	"industry",
	"agree",
}
