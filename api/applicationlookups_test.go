package api

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"portico/portal"
	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/signin"
	"portico/store"
)

// The WeChat identity that a client names proves nothing.
func TestOpenIDWithoutItsTicketIsRefused(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		_, ticket := s.sendApplication(unregisteredPhone, "1001")
		for what, params := range map[string][]string{
			"alone": {}, "with a phone": {"phone_", unregisteredPhone},
			"with the phone's ticket": {"phone_", unregisteredPhone, "ticket_", ticket},
			"with noise":              {"ticket_", "noise"},
		} {
			params = append(params, "open_id_", "o6_bmjrPTlm6_2sgVt7hMZOPfL2M", "company_id_", "1001")
			for _, got := range []apiResponse{s.post("", applicationStatePath, params...),
				s.get("", lastApplicationPath, params...)} {
				if got.wantCode(t, "login_required", what).http != http.StatusUnauthorized {
					t.Errorf("%s: %d", what, got.http)
				}
			}
		}
		for field, all := range map[string][][]string{
			"phone_":      {{"company_id_", "1001"}, {"company_id_", "1001", "ticket_", ticket}},
			"company_id_": {{"phone_", unregisteredPhone}},
		} {
			for _, params := range all {
				for _, got := range []apiResponse{s.post("", applicationStatePath, params...),
					s.get("", lastApplicationPath, params...)} {
					if got.wantCode(t, "validation_failed", field).refusalDetail(t).Fields[field] == "" {
						t.Errorf("%s: %s", field, got.body)
					}
				}
			}
		}
	})
}

// The ticket of an identity finds the application of that identity, without a look-up, and no other application.
func TestIdentityTicketFindsOnlyItsOwnApplication(t *testing.T) {
	eachDatabaseWithChat(t, func(t *testing.T, s *chatSite) {
		a, _ := s.sendApplication(unregisteredPhone, "1001")
		s.noteApplicant(identityOf("o-lin"), unregisteredPhone)
		lookUp := func(i identityData, params ...string) (state, found apiResponse) {
			params = withChanges([]string{"company_id_", "1001", "open_id_", i.OpenID, "ticket_", i.Ticket}, params...)
			return s.post("", applicationStatePath, params...), s.get("", lastApplicationPath, params...)
		}
		lin := s.weChatIdentity(identityOf("o-lin"), "company_id_", "1001")
		if !lin.Applied || lin.Linked {
			t.Errorf("%+v", lin)
		}
		for _, id := range []string{"o-lin", ""} {
			state, found := lookUp(lin, "open_id_", id)
			if got := dataOf[applicationData](
				t, found,
			); got.ID != a.ID || got.State != "pending" || got.CompanyName != nil ||
				string(rawData(t, state)) != `{"state_":"pending"}` {
				t.Errorf("%s %s", state.body, found.body)
			}
		}
		other := s.weChatIdentity(identityOf("o-other"), "company_id_", "1001")
		state, found := lookUp(other)
		if found.wantCode(t, "not_found"); string(rawData(t, state)) != `{"state_":"none"}` {
			t.Errorf("%s", state.body)
		}
		s.linkIdentity(platformWeChat, "o-wang", "13800000001")
		if state, _ := lookUp(s.weChatIdentity(identityOf("o-wang"))); string(rawData(t,
			state)) != `{"state_":"member"}` {
			t.Errorf("%s", state.body)
		}
		for what, params := range map[string][]string{
			"another's open id": {"open_id_", "o-lin"}, "another company": {"company_id_", "1002"},
			"unknown": {"open_id_", "o-made-up"},
		} {
			state, found := lookUp(other, params...)
			state.wantCode(t, "login_required", what)
			found.wantCode(t, "login_required", what)
		}
		noError(t, s.portal.Operator.SetCompany(t.Context(), 1001, "chat", "off"))
		state, found = lookUp(lin)
		state.wantCode(t, "wechat_failed", "chat is turned off")
		found.wantCode(t, "wechat_failed")
		noError(t, s.portal.Operator.SetCompany(t.Context(), 1001, "chat", "on"))
		s.decideApplication(a, store.ApplicationRejected, "Not in our region")
		if again := s.weChatIdentity(identityOf("o-lin"), "company_id_", "1001"); !again.Applied {
			t.Errorf("rejected: %+v", again)
		}
		s.advance(signin.IdentityTicketLife + time.Second)
		state, found = lookUp(lin)
		state.wantCode(t, "wechat_expired")
		found.wantCode(t, "wechat_expired")
	})
}

// noteApplicant records that an identity applies to company 1001 with a phone, as a page does.
func (s *chatSite) noteApplicant(identity signin.ProviderIdentity, phone string) {
	s.t.Helper()
	const flow = "a browser"
	place, err := s.portal.Access.Locate(s.t.Context(), access.LocateInput{Host: "store1001.portico.test"})
	noError(s.t, err)
	to, err := s.portal.Chatlogin.BeginAuthorisation(s.t.Context(), signin.BeginAuthorisationInput{
		Provider: access.WeChat, Place: place, Agent: "MicroMessenger/8", Mobile: true, Flow: flow,
	})
	noError(s.t, err)
	code, state := s.wechat.authorise(s.t, to, identity)
	back, err := s.portal.Chatlogin.FinishAuthorisation(s.t.Context(), signin.CallbackInput{
		Provider: access.WeChat, Code: code, State: state, Flow: flow, Browser: access.Browser{Place: place},
	})
	noError(s.t, err)
	noError(s.t, s.portal.Chatlogin.NoteApplicant(s.t.Context(), back.Ticket, flow, 1001, phone))
}

// All look-ups of these calls share one rate limit, also those of random application numbers. A call with a ticket is
// not a look-up.
func TestApplicationLookupsShareOneRateLimit(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		a, ticket := s.sendApplication(unregisteredPhone, "1001")
		getOwn := func() apiResponse { return s.get("", applicationPath+fmt.Sprint(a.ID), "ticket_", ticket) }
		lookUp := func(i int) apiResponse {
			phone := fmt.Sprintf("1390000%04d", i)
			switch i % 3 {
			case 0:
				return s.post("", applicationStatePath, "phone_", phone, "company_id_", "1001")
			case 1:
				return s.get("", lastApplicationPath, "phone_", phone, "company_id_", "1001")
			}
			return s.get("", applicationPath+fmt.Sprint(a.ID+int64(i)))
		}
		for i := range core.LookupLimit {
			getOwn().wantCode(t, "ok")
			if got := lookUp(i); got.Code == "too_many_attempts" {
				t.Fatalf("number %d: %s", i, got.body)
			}
		}
		for i := range 3 {
			got := lookUp(102+i).wantCode(t, "too_many_attempts", i)
			if got.http != http.StatusTooManyRequests || got.header.Get("Retry-After") == "" {
				t.Errorf("%d %v", got.http, got.header)
			}
		}
		s.get("", applicationPath+fmt.Sprint(a.ID)).wantCode(t, "too_many_attempts", "an existing application")
		s.get("", applicationPath+fmt.Sprint(a.ID), "ticket_", "noise").
			wantCode(t, "too_many_attempts", "with an invalid ticket")
		getOwn().wantCode(t, "ok", "the ticket of the phone")
		s.get("", lastApplicationPath, "phone_", unregisteredPhone, "company_id_", "1001", "ticket_",
			ticket).wantCode(t, "ok")
	})
}

func TestStrictPrivacyDoesNotDiscloseApplications(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		a, ticket := s.sendApplication(unregisteredPhone, "1001")
		for _, phone := range []string{unregisteredPhone, "13800000001", "13912345679"} {
			if state := s.applicationState(phone, "1001"); state != "none" {
				t.Errorf("%s: %s", phone, state)
			}
			s.get("", lastApplicationPath, "phone_", phone, "company_id_", "1001").wantCode(t, "not_found", phone)
		}
		s.get("", applicationPath+fmt.Sprint(a.ID)).wantCode(t, "not_found")
		for _, got := range []apiResponse{
			s.get("", applicationPath+fmt.Sprint(a.ID), "ticket_", ticket),
			s.get("", lastApplicationPath, "phone_", unregisteredPhone, "company_id_", "1001", "ticket_", ticket),
		} {
			if dataOf[applicationData](t, got).CompanyName == nil {
				t.Errorf("%s", got.body)
			}
		}
	}, func(o *portal.Options) { o.Strict = true })
}
