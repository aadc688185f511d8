package api

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"portico/portal"
	"portico/portal/access"
	"portico/portal/chatapps"
	"portico/portal/chatlogin"
	"portico/portal/limits"
	"portico/portal/signin"
	"portico/store"
)

// The WeChat identity that a client names proves nothing.
func TestAnOpenIDAloneIsRefused(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		_, ticket := s.applied(nobodys, "1001")
		for what, params := range map[string][]string{
			"alone": {}, "with a phone": {"phone_", nobodys},
			"with the phone's ticket": {"phone_", nobodys, "ticket_", ticket}, "with noise": {"ticket_", "noise"},
		} {
			params = append(params, "open_id_", "o6_bmjrPTlm6_2sgVt7hMZOPfL2M", "company_id_", "1001")
			for _, got := range []answered{s.post("", standingPath, params...), s.get("", byPhonePath, params...)} {
				if got.want(t, "login_required", what).http != http.StatusUnauthorized {
					t.Errorf("%s: %d", what, got.http)
				}
			}
		}
		for field, all := range map[string][][]string{
			"phone_":      {{"company_id_", "1001"}, {"company_id_", "1001", "ticket_", ticket}},
			"company_id_": {{"phone_", nobodys}},
		} {
			for _, params := range all {
				for _, got := range []answered{s.post("", standingPath, params...), s.get("", byPhonePath, params...)} {
					if got.want(t, "validation_failed", field).detail(t).Fields[field] == "" {
						t.Errorf("%s: %s", field, got.body)
					}
				}
			}
		}
	})
}

// With the ticket of an identity a client finds the application of that identity, without a look-up, and no other.
func TestAnIdentityFindsItsApplication(t *testing.T) {
	eachChat(t, func(t *testing.T, s *chatSite) {
		a, _ := s.applied(nobodys, "1001")
		s.applicant(somebody("o-lin"), nobodys)
		of := func(i answeredIdentity, params ...string) (standing, found answered) {
			params = changed([]string{"company_id_", "1001", "open_id_", i.OpenID, "ticket_", i.Ticket}, params...)
			return s.post("", standingPath, params...), s.get("", byPhonePath, params...)
		}
		lin := s.recognised(somebody("o-lin"), "company_id_", "1001")
		if !lin.Applied || lin.Linked {
			t.Errorf("%+v", lin)
		}
		for _, id := range []string{"o-lin", ""} {
			stands, found := of(lin, "open_id_", id)
			if got := dataOf[answeredApplication](
				t, found,
			); got.ID != a.ID || got.State != "pending" || got.CompanyName != nil ||
				string(dataRaw(t, stands)) != `{"state_":"pending"}` {
				t.Errorf("%s %s", stands.body, found.body)
			}
		}
		other := s.recognised(somebody("o-other"), "company_id_", "1001")
		stands, found := of(other)
		if found.want(t, "not_found"); string(dataRaw(t, stands)) != `{"state_":"none"}` {
			t.Errorf("%s", stands.body)
		}
		s.link(platformWeChat, "o-wang", "13800000001")
		if stands, _ := of(s.recognised(somebody("o-wang"))); string(dataRaw(t, stands)) != `{"state_":"member"}` {
			t.Errorf("%s", stands.body)
		}
		for what, params := range map[string][]string{
			"another's open id": {"open_id_", "o-lin"}, "another company": {"company_id_", "1002"},
			"made up": {"open_id_", "o-made-up"},
		} {
			stands, found := of(other, params...)
			stands.want(t, "login_required", what)
			found.want(t, "login_required", what)
		}
		noError(t, s.portal.Operator.SetCompany(t.Context(), 1001, "chat", "off"))
		stands, found = of(lin)
		stands.want(t, "wechat_failed", "switched off")
		found.want(t, "wechat_failed")
		noError(t, s.portal.Operator.SetCompany(t.Context(), 1001, "chat", "on"))
		s.decides(a, store.ApplicationRejected, "Not in our region")
		if again := s.recognised(somebody("o-lin"), "company_id_", "1001"); !again.Applied {
			t.Errorf("rejected: %+v", again)
		}
		s.advance(signin.IdentityTicketLife + time.Second)
		stands, found = of(lin)
		stands.want(t, "wechat_expired")
		found.want(t, "wechat_expired")
	})
}

// applicant makes an identity one that applies to 1001 with a phone, as the browser does.
func (s *chatSite) applicant(who chatapps.ProviderIdentity, phone string) {
	s.t.Helper()
	const flow = "a browser"
	place, err := s.portal.Access.Locate(s.t.Context(), access.LocateInput{Host: "store1001.portico.test"})
	noError(s.t, err)
	to, err := s.portal.Chatlogin.BeginAuthorisation(s.t.Context(), chatlogin.BeginAuthorisationInput{
		Provider: access.WeChat, Place: place, Agent: "MicroMessenger/8", Mobile: true, Flow: flow,
	})
	noError(s.t, err)
	code, state := s.wechat.agree(s.t, to, who)
	back, err := s.portal.Chatlogin.FinishAuthorisation(s.t.Context(), chatlogin.CallbackInput{
		Provider: access.WeChat, Code: code, State: state, Flow: flow, Browser: access.Browser{Place: place},
	})
	noError(s.t, err)
	noError(s.t, s.portal.Chatlogin.NoteApplicant(s.t.Context(), back.Ticket, flow, 1001, phone))
}

// All look-ups of these calls share one rate limit, also those of random application numbers. A call with a ticket is
// not a look-up.
func TestLookingApplicantsUpSharesTheBudget(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		a, ticket := s.applied(nobodys, "1001")
		own := func() answered { return s.get("", byIDPath+fmt.Sprint(a.ID), "ticket_", ticket) }
		ask := func(i int) answered {
			phone := fmt.Sprintf("1390000%04d", i)
			switch i % 3 {
			case 0:
				return s.post("", standingPath, "phone_", phone, "company_id_", "1001")
			case 1:
				return s.get("", byPhonePath, "phone_", phone, "company_id_", "1001")
			}
			return s.get("", byIDPath+fmt.Sprint(a.ID+int64(i)))
		}
		for i := range limits.LookupLimit {
			own().want(t, "ok")
			if got := ask(i); got.Code == "too_many_attempts" {
				t.Fatalf("number %d: %s", i, got.body)
			}
		}
		for i := range 3 {
			got := ask(102+i).want(t, "too_many_attempts", i)
			if got.http != http.StatusTooManyRequests || got.header.Get("Retry-After") == "" {
				t.Errorf("%d %v", got.http, got.header)
			}
		}
		s.get("", byIDPath+fmt.Sprint(a.ID)).want(t, "too_many_attempts", "an application that is there")
		s.get("", byIDPath+fmt.Sprint(a.ID), "ticket_", "noise").
			want(t, "too_many_attempts", "with a ticket that is none")
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
		for _, got := range []answered{
			s.get("", byIDPath+fmt.Sprint(a.ID), "ticket_", ticket),
			s.get("", byPhonePath, "phone_", nobodys, "company_id_", "1001", "ticket_", ticket),
		} {
			if dataOf[answeredApplication](t, got).CompanyName == nil {
				t.Errorf("%s", got.body)
			}
		}
	}, func(o *portal.Options) { o.Strict = true })
}
