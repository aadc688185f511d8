package api

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/portal/application"
	"portico/portal/replay"
	"portico/store"
)

// Nothing is stored without a code that was right for the phone and the company.
func TestNothingIsSentInWithoutAProvenPhone(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		ticket := s.applying(nobodys, "1001")
		signedIn := s.signIn("buyer1").Ticket
		s.unchanged("applying without proof", func() {
			for what, params := range map[string][]string{
				"no ticket": applicationTo("1001", ""), "noise": applicationTo("1001", "noise"),
				"another company's": applicationTo("1002", ticket), "a sign-in's": applicationTo("1001", signedIn),
				"a changed one": applicationTo("1001", ticket[:len(ticket)-2]+"AA"),
			} {
				s.post("", savePath, params...).want(t, "code_expired", what)
			}
			got := s.post("", savePath, applicationTo("", ticket)...).want(t, "validation_failed")
			if got.detail(t).Fields["company_id_"] == "" {
				t.Errorf("%s", got.body)
			}
			s.post("", savePath, applicationTo("9999", ticket)...).want(t, "not_found")
		})
	})
}

func TestACodeProvesAnApplicantsPhoneOnce(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		prove := func(code string, change ...string) answered {
			return s.post(
				"",
				"/v1/shopRegister/noAuth/checkCode",
				changed([]string{"phone_", nobodys, "company_id_", "1001", "code_", code}, change...)...)
		}
		prove("123456").want(t, "code_expired", "none was sent")
		s.get("", "/v1/shopRegister/noAuth/registerCode", "phone_", nobodys, "company_id_", "1001").want(t, "ok")
		code := s.code(nobodys)
		for field, value := range map[string]string{"phone_": "1", "code_": "x", "company_id_": ""} {
			if got := prove(code, field, value).want(t, "validation_failed", field); got.detail(t).Fields[field] == "" {
				t.Errorf("%s: %s", field, got.body)
			}
		}
		prove(code, "company_id_", "1002").want(t, "code_expired", "another company's")
		prove(code, "phone_", "13912345679").want(t, "code_expired", "another phone's")
		prove(other(code)).want(t, "code_wrong")
		s.call(asked{
			method: post, path: "/v1/shopRegister/noAuth/checkCode", kind: "PC",
			params: []string{"phone_", nobodys, "company_id_", "1001", "code_", code},
		}).
			want(t, "code_expired", "another kind of client")
		prove(code).want(t, "ok")
		prove(code).want(t, "ok", "the same again")
		prove(code, "company_id_", "1002").want(t, "code_expired", "used, for another company")
		s.advance(replay.RepeatWindow)
		prove(code).want(t, "code_expired", "used")
		if s.rows("applications") != "0" {
			t.Error("an application was made")
		}
	})
}

func TestAnApplicationsFieldsAreJudged(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		ticket := s.applying(nobodys, "1001")
		s.company(
			1001,
			func(c *store.Company) { c.ApplicationsRequired = strings.Join(application.ApplicationFields, " ") },
		)
		s.unchanged("malformed", func() {
			for _, c := range []struct{ field, value, tells string }{
				{"company_name_", " ", ""}, {"contact_name_", "a\u202eb", ""}, {"position_", "", ""},
				{"province_", "", ""}, {"city_", "999999", "province_"}, {"district_", "110101", "province_"},
				{"address_", strings.Repeat("x", application.MaxAddress+1), ""}, {"reason_", "", ""},
				{"contact_phone_", "", ""}, {"contact_phone_", "123", ""}, {"licence_key_", "", ""},
			} {
				got := s.post("", savePath, applicationTo("1001", ticket, c.field, c.value)...).
					want(t, "validation_failed", c.field)
				if got.detail(t).Fields[or(c.tells, c.field)] == "" {
					t.Errorf("%s: %s", c.field, got.body)
				}
			}
		})
		s.company(1001, func(c *store.Company) { c.ApplicationsRequired = "" })
		least := []string{
			"company_id_", "1001", "ticket_", ticket, "company_name_", "Lin's Grain", "contact_name_", "林静",
		}
		s.post("", savePath, least...).want(t, "ok", "what is always needed is enough")
	})
}

// Parameters for values that the server decides are ignored, in JSON and in a form.
func TestFieldsOfAnApplicationAreNotTheClients(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		ticket := s.applying(nobodys, "1001")
		extra := append(
			[]string{
				"state_", "id_", "account_id_", "decided_by_", "decided_at_", "reject_reason_", "admin_", "created_at_",
				"lang", "Lang", "-", "licence", "phone_",
			},
			forbiddenFields...)
		inJSON := applicationTo("1001", ticket)
		for _, field := range extra {
			if !slices.Contains(inJSON, field) { // a few are listed twice
				inJSON = append(inJSON, field, "1")
			}
		}
		sent := s.call(asked{method: post, path: savePath, json: asJSON(inJSON)})
		first := dataOf[answeredApplication](t, sent)
		params := applicationTo(
			"1001", ticket, "state_", "approved", "id_", "7", "account_id_", "1", "decided_by_", "1", "phone_",
			"13912345679", "lang", "es", "Lang", "es",
		)
		a := dataOf[answeredApplication](t, s.post("", savePath, params...))
		row, err := s.db.Applications.ByID(t.Context(), a.ID)
		noError(t, err)
		if a.ID != first.ID {
			t.Errorf("the form made the application %d beside %d", a.ID, first.ID)
		}
		if a.ID == 7 || row.State != store.ApplicationPending || row.AccountID != 0 || row.DecidedBy != 0 ||
			row.Phone != nobodys ||
			row.Lang != "en" {
			t.Errorf("%+v", row)
		}
	})
}

// A phone has at most one pending application at a company, and applications a day are limited.
func TestAnApplicationIsSentInOnce(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		a, ticket := s.applied(nobodys, "1001")
		s.unchanged("sent in again", func() {
			for range 50 {
				again := dataOf[answeredApplication](t, s.post("", savePath, applicationTo("1001", ticket)...))
				if again.ID != a.ID {
					t.Fatalf("another one: %+v", again)
				}
				other := applicationTo("1001", ticket, "reason_", "Another")
				s.post("", savePath, other...).want(t, "application_exists", "other content")
			}
		})
		for range application.ApplicationsADay - 1 {
			s.decides(a, store.ApplicationRejected, "No")
			s.advance(time.Second)
			a = dataOf[answeredApplication](t, s.post("", savePath, applicationTo("1001", ticket)...))
		}
		s.decides(a, store.ApplicationRejected, "No")
		got := s.post("", savePath, applicationTo("1001", ticket)...).want(t, "too_many_attempts")
		if got.header.Get("Retry-After") == "" {
			t.Errorf("%v", got.header)
		}
		if n := s.rows("applications"); n != fmt.Sprint(application.ApplicationsADay) {
			t.Errorf("%s applications", n)
		}
	})
}

func TestOfManyApplicationsAtOnceOneIsTaken(t *testing.T) {
	eachCondition(t, func(t *testing.T, s *site) {
		ticket := s.applying(nobodys, "1001")
		codes := make(chan string, 12)
		var all sync.WaitGroup
		for range cap(codes) {
			all.Go(func() { codes <- s.post("", savePath, applicationTo("1001", ticket)...).Code })
		}
		all.Wait()
		close(codes)
		n := map[string]int{}
		for code := range codes {
			n[code]++
		}
		if n["ok"] != cap(codes) || s.rows("applications") != "1" {
			t.Errorf("%v", n)
		}
	})
}

func TestARepetitionUnderAKeyAppliesOnce(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		in := asked{
			method: post, path: savePath, json: asJSON(applicationTo("1001", s.applying(nobodys, "1001"))),
			headers: map[string]string{"Idempotency-Key": "k"},
		}
		first := s.call(in).want(t, "ok")
		s.unchanged("repeated", func() {
			if again := s.call(in); string(again.Data) != string(first.Data) {
				t.Errorf("%s, then %s", first.body, again.body)
			}
		})
		in.json = strings.Replace(in.json, "林静", "别人", 1)
		s.call(in).want(t, "wrong_parameters")
	})
}

// When a company closes registration or is blocked, every call refuses within a second.
func TestAClosedCompanyTakesNoApplications(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		s.get("", "/v1/shopRegister/noAuth/registerCode", "phone_", nobodys, "company_id_", "1003").
			want(t, "registration_closed")
		ticket := s.applying(nobodys, "1001")
		var was store.Company
		for code, block := range map[string]func(*store.Company){
			"registration_closed": func(c *store.Company) { c.ApplicationsOpen = false },
			"company_disabled":    func(c *store.Company) { c.Disabled = true },
			"company_expired":     func(c *store.Company) { c.EndsAt = 1 },
			"trial_ended":         func(c *store.Company) { c.Standing, c.EndsAt = store.Trial, 1 },
		} {
			s.company(1001, func(c *store.Company) { was = *c; block(c) })
			s.unchanged(code, func() {
				got := s.post("", savePath, applicationTo("1001", ticket)...).want(t, code)
				if contacts := got.detail(t).Contacts; code == "registration_closed" &&
					(len(contacts) == 0 || contacts[0].Phone != "13700000001") {
					t.Errorf("%s", got.body)
				}
			})
			s.get("", "/v1/shopRegister/noAuth/registerCode", "phone_", "13912345679", "company_id_", "1001").
				want(t, code)
			s.company(1001, func(c *store.Company) { *c = was })
		}
		s.post("", savePath, applicationTo("1001", ticket)...).want(t, "ok", "open again")
	})
}

func TestAPhoneThatBelongsElsewhereIsNotTaken(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		const buyer = "13800000001"
		ticket := s.applying(buyer, "1002")
		s.keepsPhones(1001)
		s.unchanged(
			"refused",
			func() { s.post("", savePath, applicationTo("1002", ticket)...).want(t, "phone_bound_elsewhere") },
		)
		s.post("", savePath, applicationTo("1001", s.applying(buyer, "1001"))...).want(t, "phone_registered")
		if state := s.stands(buyer, "1001"); state != "member" {
			t.Error(state)
		}
	})
}
