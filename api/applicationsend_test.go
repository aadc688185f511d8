package api

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/e2e/testscope"
	"portico/portal/application"
	"portico/portal/core"
	"portico/store"
)

// Nothing is stored before a right code for the phone and the company was sent in.
func TestApplicationWithoutVerifiedPhoneIsRefused(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		ticket := s.proveApplicant(unregisteredPhone, "1001")
		signedIn := s.signIn("buyer1").Ticket
		s.wantUnchanged("applying without proof", func() {
			for what, params := range map[string][]string{
				"no ticket": applicationParams("1001", ""), "an invalid ticket": applicationParams("1001", "noise"),
				"another company's ticket": applicationParams("1002", ticket),
				"a sign-in ticket":         applicationParams("1001", signedIn),
				"a changed ticket":         applicationParams("1001", testscope.Changed(ticket)),
			} {
				s.post("", sendApplicationPath, params...).wantCode(t, "code_expired", what)
			}
			got := s.post("", sendApplicationPath, applicationParams("", ticket)...).wantCode(t, "validation_failed")
			if got.refusalDetail(t).Fields["company_id_"] == "" {
				t.Errorf("%s", got.body)
			}
			s.post("", sendApplicationPath, applicationParams("9999", ticket)...).wantCode(t, "not_found")
		})
	})
}

func TestApplicantCodeVerifiesPhoneOnce(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		prove := func(code string, change ...string) apiResponse {
			return s.post(
				"",
				"/v1/shopRegister/noAuth/checkCode",
				withChanges([]string{"phone_", unregisteredPhone, "company_id_", "1001", "code_", code}, change...)...)
		}
		prove("123456").wantCode(t, "code_expired", "none was sent")
		s.get("", "/v1/shopRegister/noAuth/registerCode", "phone_", unregisteredPhone, "company_id_",
			"1001").wantCode(t, "ok")
		code := s.lastCode(unregisteredPhone)
		for field, value := range map[string]string{"phone_": "1", "code_": "x", "company_id_": ""} {
			if got := prove(code, field, value).wantCode(t, "validation_failed",
				field); got.refusalDetail(t).Fields[field] == "" {
				t.Errorf("%s: %s", field, got.body)
			}
		}
		prove(code, "company_id_", "1002").wantCode(t, "code_expired", "another company's")
		prove(code, "phone_", "13912345679").wantCode(t, "code_expired", "another phone's")
		prove(differentCode(code)).wantCode(t, "code_wrong")
		s.call(apiRequest{
			method: post, path: "/v1/shopRegister/noAuth/checkCode", kind: "PC",
			params: []string{"phone_", unregisteredPhone, "company_id_", "1001", "code_", code},
		}).
			wantCode(t, "code_expired", "another kind of client")
		prove(code).wantCode(t, "ok")
		prove(code).wantCode(t, "ok", "the same again")
		prove(code, "company_id_", "1002").wantCode(t, "code_expired", "used, for another company")
		s.advance(core.RepeatWindow)
		prove(code).wantCode(t, "code_expired", "used")
		if s.countRows("applications") != "0" {
			t.Error("an application was created")
		}
	})
}

func TestApplicationFieldsAreValidated(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		ticket := s.proveApplicant(unregisteredPhone, "1001")
		s.changeCompany(
			1001,
			func(c *store.Company) { c.ApplicationsRequired = strings.Join(application.ApplicationFields, " ") },
		)
		s.wantUnchanged("malformed", func() {
			for _, c := range []struct{ field, value, problemField string }{
				{"company_name_", " ", ""}, {"contact_name_", "a\u0007b", ""}, {"position_", "", ""},
				{"province_", "", ""}, {"city_", "999999", "province_"}, {"district_", "110101", "province_"},
				{"address_", strings.Repeat("x", application.MaxAddress+1), ""}, {"reason_", "", ""},
				{"contact_phone_", "", ""}, {"contact_phone_", "123", ""}, {"licence_key_", "", ""},
			} {
				got := s.post("", sendApplicationPath, applicationParams("1001", ticket, c.field, c.value)...).
					wantCode(t, "validation_failed", c.field)
				if got.refusalDetail(t).Fields[cmp.Or(c.problemField, c.field)] == "" {
					t.Errorf("%s: %s", c.field, got.body)
				}
			}
		})
		s.changeCompany(1001, func(c *store.Company) { c.ApplicationsRequired = "" })
		least := []string{
			"company_id_", "1001", "ticket_", ticket, "company_name_", "Lin's Grain", "contact_name_", "林静",
		}
		s.post("", sendApplicationPath, least...).wantCode(t, "ok", "the required fields are enough")
	})
}

// Parameters for values that the server decides are ignored, in JSON and in a form.
func TestApplicationIgnoresFieldsThatTheServerSets(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		ticket := s.proveApplicant(unregisteredPhone, "1001")
		extra := append(
			[]string{
				"state_", "id_", "account_id_", "decided_by_", "decided_at_", "reject_reason_", "admin_", "created_at_",
				"lang", "Lang", "-", "licence", "phone_",
			},
			forbiddenFields...)
		inJSON := applicationParams("1001", ticket)
		for _, field := range extra {
			if !slices.Contains(inJSON, field) { // a few are listed twice
				inJSON = append(inJSON, field, "1")
			}
		}
		sent := s.call(apiRequest{method: post, path: sendApplicationPath, json: asJSON(inJSON)})
		first := dataOf[applicationData](t, sent)
		params := applicationParams(
			"1001", ticket, "state_", "approved", "id_", "7", "account_id_", "1", "decided_by_", "1", "phone_",
			"13912345679", "lang", "es", "Lang", "es",
		)
		a := dataOf[applicationData](t, s.post("", sendApplicationPath, params...))
		row, err := s.db.Applications.ByID(t.Context(), a.ID)
		noError(t, err)
		if a.ID != first.ID {
			t.Errorf("the form created another application: %d, not %d", a.ID, first.ID)
		}
		if a.ID == 7 || row.State != store.ApplicationPending || row.AccountID != 0 || row.DecidedBy != 0 ||
			row.Phone != unregisteredPhone ||
			row.Lang != "en" {
			t.Errorf("%+v", row)
		}
	})
}

// A phone has at most one pending application at a company, and applications a day are limited.
func TestPendingApplicationIsNotDuplicated(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		a, ticket := s.sendApplication(unregisteredPhone, "1001")
		s.wantUnchanged("sent in again", func() {
			for range 50 {
				again := dataOf[applicationData](t,
					s.post("", sendApplicationPath, applicationParams("1001", ticket)...))
				if again.ID != a.ID {
					t.Fatalf("another one: %+v", again)
				}
				other := applicationParams("1001", ticket, "reason_", "Another")
				s.post("", sendApplicationPath, other...).wantCode(t, "application_exists", "other content")
			}
		})
		for range application.ApplicationsADay - 1 {
			s.decideApplication(a, store.ApplicationRejected, "No")
			s.advance(time.Second)
			a = dataOf[applicationData](t, s.post("", sendApplicationPath, applicationParams("1001", ticket)...))
		}
		s.decideApplication(a, store.ApplicationRejected, "No")
		got := s.post("", sendApplicationPath, applicationParams("1001", ticket)...).wantCode(t, "too_many_attempts")
		if got.header.Get("Retry-After") == "" {
			t.Errorf("%v", got.header)
		}
		if n := s.countRows("applications"); n != fmt.Sprint(application.ApplicationsADay) {
			t.Errorf("%s applications", n)
		}
	})
}

func TestParallelApplicationsCreateOne(t *testing.T) {
	eachCondition(t, func(t *testing.T, s *site) {
		ticket := s.proveApplicant(unregisteredPhone, "1001")
		codes := make(chan string, 12)
		var group sync.WaitGroup
		for range cap(codes) {
			group.Go(func() { codes <- s.post("", sendApplicationPath, applicationParams("1001", ticket)...).Code })
		}
		group.Wait()
		close(codes)
		n := map[string]int{}
		for code := range codes {
			n[code]++
		}
		if n["ok"] != cap(codes) || s.countRows("applications") != "1" {
			t.Errorf("%v", n)
		}
	})
}

func TestRepeatedApplicationWithIdempotencyKeyIsStoredOnce(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		in := apiRequest{
			method: post, path: sendApplicationPath,
			json:    asJSON(applicationParams("1001", s.proveApplicant(unregisteredPhone, "1001"))),
			headers: map[string]string{"Idempotency-Key": "k"},
		}
		first := s.call(in).wantCode(t, "ok")
		s.wantUnchanged("repeated", func() {
			if again := s.call(in); string(again.Data) != string(first.Data) {
				t.Errorf("%s, then %s", first.body, again.body)
			}
		})
		in.json = strings.Replace(in.json, "林静", "别人", 1)
		s.call(in).wantCode(t, "wrong_parameters")
	})
}

// When a company closes registration or is blocked, every call refuses within a second.
func TestClosedOrBlockedCompanyRefusesApplications(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		s.get("", "/v1/shopRegister/noAuth/registerCode", "phone_", unregisteredPhone, "company_id_", "1003").
			wantCode(t, "registration_closed")
		ticket := s.proveApplicant(unregisteredPhone, "1001")
		var original store.Company
		for code, block := range map[string]func(*store.Company){
			"registration_closed": func(c *store.Company) { c.ApplicationsOpen = false },
			"company_disabled":    func(c *store.Company) { c.Disabled = true },
			"company_expired":     func(c *store.Company) { c.EndsAt = 1 },
			"trial_ended":         func(c *store.Company) { c.Standing, c.EndsAt = store.Trial, 1 },
		} {
			s.changeCompany(1001, func(c *store.Company) { original = *c; block(c) })
			s.wantUnchanged(code, func() {
				got := s.post("", sendApplicationPath, applicationParams("1001", ticket)...).wantCode(t, code)
				if contacts := got.refusalDetail(t).Contacts; code == "registration_closed" &&
					(len(contacts) == 0 || contacts[0].Phone != "13700000001") {
					t.Errorf("%s", got.body)
				}
			})
			s.get("", "/v1/shopRegister/noAuth/registerCode", "phone_", "13912345679", "company_id_", "1001").
				wantCode(t, code)
			s.changeCompany(1001, func(c *store.Company) { *c = original })
		}
		s.post("", sendApplicationPath, applicationParams("1001", ticket)...).wantCode(t, "ok", "open again")
	})
}

func TestApplicationOfExclusivePhoneIsRefused(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		const buyer = "13800000001"
		ticket := s.proveApplicant(buyer, "1002")
		s.makePhonesExclusive(1001)
		s.wantUnchanged(
			"refused",
			func() {
				s.post("", sendApplicationPath, applicationParams("1002", ticket)...).
					wantCode(t, "phone_bound_elsewhere")
			},
		)
		s.post("", sendApplicationPath, applicationParams("1001", s.proveApplicant(buyer, "1001"))...).
			wantCode(t, "phone_registered")
		if state := s.applicationState(buyer, "1001"); state != "member" {
			t.Error(state)
		}
	})
}
