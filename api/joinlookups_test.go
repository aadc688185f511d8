package api

import (
	"fmt"
	"net/http"
	"testing"

	"portico/portal"
)

// Requirement 70: the WeChat identity that a client names proves nothing.
func TestAnOpenIDIsKnownToNobody(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		s.applied(nobodys, "1001")
		if got := s.post("", standingPath, "open_id_", "o6_bmjrPTlm6_2sgVt7hMZOPfL2M", "company_id_", "1001"); string(dataRaw(t, got)) != `{"state_":"none"}` {
			t.Errorf("%s", got.body)
		}
		s.get("", byPhonePath, "open_id_", "o6_bmjrPTlm6_2sgVt7hMZOPfL2M", "company_id_", "1001").want(t, "not_found")
		if got := s.post("", standingPath, "open_id_", "o6_x", "phone_", nobodys, "company_id_", "1001"); string(dataRaw(t, got)) != `{"state_":"pending"}` {
			t.Errorf("%s", got.body)
		}
		for field, params := range map[string][]string{"phone_": {"company_id_", "1001"}, "company_id_": {"phone_", nobodys}} {
			for _, got := range []answered{s.post("", standingPath, params...), s.get("", byPhonePath, params...)} {
				if got.want(t, "validation_failed", field).detail(t).Fields[field] == "" {
					t.Errorf("%s: %s", field, got.body)
				}
			}
		}
	})
}

// Requirement 12: the look-ups among these calls draw on the same budget, random numbers of applications too; a ticket is no
// look-up.
func TestLookingApplicantsUpSharesTheBudget(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		a, ticket := s.applied(nobodys, "1001")
		own := func() answered { return s.get("", byIDPath+fmt.Sprint(a.ID), "ticket_", ticket) }
		ask := func(i int) answered {
			phone := fmt.Sprintf("1390000%04d", i)
			switch i % 4 {
			case 0:
				return s.post("", standingPath, "phone_", phone, "company_id_", "1001")
			case 1:
				return s.get("", byPhonePath, "phone_", phone, "company_id_", "1001")
			case 2:
				return s.get("", byIDPath+fmt.Sprint(a.ID+int64(i)))
			}
			return s.post("", standingPath, "open_id_", "o"+phone, "company_id_", "1001")
		}
		for i := range portal.LookupLimit {
			own().want(t, "ok")
			if got := ask(i); got.Code == "too_many_attempts" {
				t.Fatalf("number %d: %s", i, got.body)
			}
		}
		for i := range 4 {
			if got := ask(100+i).want(t, "too_many_attempts", i); got.http != http.StatusTooManyRequests || got.header.Get("Retry-After") == "" {
				t.Errorf("%d %v", got.http, got.header)
			}
		}
		s.get("", byIDPath+fmt.Sprint(a.ID)).want(t, "too_many_attempts", "an application that is there")
		s.get("", byIDPath+fmt.Sprint(a.ID), "ticket_", "noise").want(t, "too_many_attempts", "with a ticket that is none")
		own().want(t, "ok", "the ticket of the phone")
		s.get("", byPhonePath, "phone_", nobodys, "company_id_", "1001", "ticket_", ticket).want(t, "ok")
	})
}

func TestStrictTellsNobodyWhoApplied(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		a, ticket := s.applied(nobodys, "1001")
		for _, phone := range []string{nobodys, "13800000001", "13912345679"} {
			if state := s.stands(phone, "1001"); state != "none" {
				t.Errorf("%s: %s", phone, state)
			}
			s.get("", byPhonePath, "phone_", phone, "company_id_", "1001").want(t, "not_found", phone)
		}
		s.get("", byIDPath+fmt.Sprint(a.ID)).want(t, "not_found")
		for _, got := range []answered{s.get("", byIDPath+fmt.Sprint(a.ID), "ticket_", ticket), s.get("", byPhonePath, "phone_", nobodys, "company_id_", "1001", "ticket_", ticket)} {
			if dataOf[answeredApplication](t, got).CompanyName == nil {
				t.Errorf("%s", got.body)
			}
		}
	}, func(o *portal.Options) { o.Strict = true })
}
