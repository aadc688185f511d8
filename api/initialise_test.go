package api

import (
	"fmt"
	"sync"
	"testing"
)

// A company is initialised once, after it was registered, by its administrator.
func TestInitialisingIsDoneOnceByTheAdministrator(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		init := func(token string, params ...string) answered { return s.post(token, initialisePath, params...) }
		wanted := []string{"industry_id_", "118", "import_", "1"}
		s.unchanged("before there is a company", func() {
			init("", wanted...).want(t, "login_required")
			init("noise", wanted...).want(t, "login_required")
		})
		made, second := s.registered(nobodys), s.registered("13912345679")
		ticket := s.signIn("13800000003").Ticket
		buyer, employee, elsewhere := s.signIn("buyer1").
			token(t),
			s.signIn("li.manager").
				token(t),
			s.signIn("jinsui").
				token(t)
		s.unchanged("refused", func() {
			init(ticket, wanted...).want(t, "login_required", "a ticket")
			init(buyer, wanted...).want(t, "forbidden")
			init(employee, wanted...).want(t, "forbidden")
			init(elsewhere, wanted...).want(t, "wrong_parameters", "a company that runs")
			s.call(asked{
				method: post, path: initialisePath, token: made.Token, params: wanted,
				headers: map[string]string{"X-Company-Id": fmt.Sprint(second.CompanyID)},
			}).
				want(t, "login_required", "another company")
			for _, bad := range [][]string{
				{"import_", "1"}, {"industry_id_", "5", "import_", "0"}, {"industry_id_", "5", "import_", "1"},
			} {
				got := init(made.Token, bad...).want(t, "validation_failed", bad)
				if got.detail(t).Fields["industry_id_"] == "" {
					t.Errorf("%v: %s", bad, got.body)
				}
			}
			init(made.Token, "industry_id_", "-118").want(t, "bad_request")
			init(made.Token, "industry_id_", "118", "import_", "yes").want(t, "bad_request")
		})
		init(
			made.Token,
			changed(wanted, "company_id_", fmt.Sprint(second.CompanyID), "id_", fmt.Sprint(second.ID))...).want(t, "ok")
		if c, err := s.db.Companies.ByID(t.Context(), second.CompanyID); err != nil || c.InitialisedAt != 0 {
			t.Errorf("another company was initialised: %+v %v", c, err)
		}
		s.unchanged("twice", func() {
			init(made.Token, wanted...).want(t, "ok", "the same again")
			init(made.Token, changed(wanted, "import_", "0")...).want(t, "wrong_parameters", "not the same")
			init(made.Token, "industry_id_", "729", "import_", "0").want(t, "wrong_parameters")
		})
		if got := init(second.Token, "import_", "0"); string(dataRaw(t, got)) != fmt.Sprintf(
			`{"company_id_":%d,"industry_id_":null,"imported_":false}`, second.CompanyID,
		) {
			t.Errorf("skipped: %s", got.body)
		}
		if products, err := s.db.Catalogue.Products(t.Context(), second.CompanyID); err != nil || len(products) != 0 {
			t.Errorf("%d products, %v", len(products), err)
		}
	})
}

func TestSamplesAreImportedOnceWhoeverCallsAtOnce(t *testing.T) {
	eachCondition(t, func(t *testing.T, s *site) {
		one, two := s.registered(nobodys), s.registered("13912345679")
		run := func(token string, headers map[string]string) (ok int) {
			answers := make(chan answered, 8)
			var all sync.WaitGroup
			for range cap(answers) {
				all.Go(func() {
					answers <- s.call(asked{
						method: post, path: initialisePath, token: token, headers: headers,
						json: `{"industry_id_":118,"import_":true}`,
					})
				})
			}
			all.Wait()
			close(answers)
			for got := range answers {
				if got.want(t, "ok"); got.Code == "ok" {
					ok++
				}
			}
			return ok
		}
		if ok := run(one.Token, nil); ok != 8 {
			t.Errorf("without a key: %d done", ok)
		}
		if ok := run(two.Token, map[string]string{"Idempotency-Key": "k"}); ok != 8 {
			t.Errorf("under a key: %d done", ok)
		}
		first, err := s.db.Catalogue.Products(t.Context(), one.CompanyID)
		noError(t, err)
		second, err := s.db.Catalogue.Products(t.Context(), two.CompanyID)
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
