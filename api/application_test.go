package api

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/portal"
	"portico/portal/application"
	"portico/portal/core"
	"portico/portal/signin"
	"portico/store"
)

const (
	sendApplicationPath  = "/v1/shopRegister/noAuth/save"
	applicationStatePath = "/v1/shopRegister/noAuth/checkPhoneOrOpenId"
	lastApplicationPath  = "/v1/shopRegister/noAuth/getByPhoneOrOpenId"
	applicationPath      = "/v1/shopRegister/noAuth/getById/"
)

// applicationData is an application as a client reads it.
type applicationData struct {
	ID           int64   `json:"id_"`
	CompanyID    int64   `json:"company_id_"`
	State        string  `json:"state_"`
	CompanyName  *string `json:"company_name_"`
	LicenceKey   *string `json:"licence_key_"`
	RejectReason *string `json:"reject_reason_"`
	Admin        *struct {
		Name  string `json:"name_"`
		Phone string `json:"phone_"`
	} `json:"admin_"`
	CreatedAt *int64 `json:"created_at_"`
}

// applicationParams returns the parameters of the call "save". change replaces or adds parameters: name, value, …
func applicationParams(company, ticket string, change ...string) []string {
	return withChanges([]string{
		"company_id_",
		company,
		"ticket_",
		ticket,
		"company_name_",
		"Lin's Grain",
		"contact_name_",
		"林静",
		"position_",
		"Buyer",
		"province_",
		"440000",
		"city_",
		"440100",
		"district_",
		"440106",
		"address_",
		"天河路 1 号",
		"reason_",
		"We sell rice",
		"contact_phone_",
		"139 1234 5670",
	}, change...)
}

// proveApplicant verifies a phone for a company and returns the ticket.
func (s *site) proveApplicant(phone, company string) (ticket string) {
	s.t.Helper()
	s.get("", "/v1/shopRegister/noAuth/registerCode", "phone_", phone, "company_id_", company).wantCode(s.t, "ok",
		phone)
	if s.options.Strict {
		s.restart() // waits for the message, which strict mode sends in the background
	}
	proven := s.post(
		"", "/v1/shopRegister/noAuth/checkCode", "phone_", phone, "company_id_", company, "code_",
		s.lastCode(strings.ReplaceAll(phone, " ", "")),
	)
	return dataOf[applicantTicket](s.t, proven).Ticket
}

// sendApplication verifies a phone, sends an application, and returns both the application and the ticket.
func (s *site) sendApplication(phone, company string) (a applicationData, ticket string) {
	s.t.Helper()
	ticket = s.proveApplicant(phone, company)
	return dataOf[applicationData](s.t, s.post("", sendApplicationPath, applicationParams(company, ticket)...)), ticket
}

// decideApplication approves or rejects an application as the company's back office does.
func (s *site) decideApplication(a applicationData, state store.ApplicationState, reason string) {
	s.t.Helper()
	noError(s.t, s.db.Applications.Decide(
		s.t.Context(),
		store.Application{ID: a.ID, CompanyID: a.CompanyID, State: state, RejectReason: reason, DecidedAt: 1},
	))
}

// applicationState returns the state_ of a phone's application to a company.
func (s *site) applicationState(phone, company string) string {
	s.t.Helper()
	return string(dataOf[applicantState](s.t,
		s.post("", applicationStatePath, "phone_", phone, "company_id_", company)).State)
}

// changeCompany changes a company and waits a second, after which calls use the new values.
func (s *site) changeCompany(id int64, change func(*store.Company)) {
	s.t.Helper()
	c, err := s.db.Companies.ByID(s.t.Context(), id)
	noError(s.t, err)
	change(&c)
	noError(s.t, s.db.Companies.Update(s.t.Context(), c))
	s.advance(time.Second)
}

func TestGetByCompanyReturnsApplicationSettings(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		const path = "/v1/shopRegisterSetting/noAuth/getByCompany"
		for id, want := range map[string]string{
			"1001": `{"open_":true,"review_":true,"required_":["company_name_","contact_name_"],` +
				`"admin_":{"name_":"陈静","phone_":"13700000001"}}`,
			"1002": `{"open_":true,"review_":false,"required_":["company_name_","contact_name_"],` +
				`"admin_":{"name_":"Lucía Ramos","phone_":"13700000002"}}`,
			"1003": `{"open_":false,"review_":true,"required_":["company_name_","contact_name_"],` +
				`"admin_":{"name_":"Alan Reed","phone_":"13700000003"}}`,
		} {
			if got := s.get("", path, "company_id_", id); string(rawData(t, got)) != want {
				t.Errorf("%s: %s", id, got.body)
			}
		}
		s.changeCompany(1001, func(c *store.Company) {
			c.ApplicationsRequired = strings.Join(application.ApplicationFields, " ")
			c.ContactName, c.ContactPhone = "", ""
		})
		const allFields = `["company_name_","contact_name_","position_","province_","city_","district_","address_",` +
			`"reason_","licence_key_","contact_phone_"]`
		if got := s.get("", path, "company_id_", "1001"); string(
			rawData(t, got),
		) != `{"open_":true,"review_":true,"required_":`+allFields+`,"admin_":{"name_":null,"phone_":null}}` {
			t.Errorf("%s", got.body)
		}
		described := publishedDescription(t).Paths.Value(sendApplicationPath).Post
		names := slices.Sorted(slices.Values(parametersOf(described)))
		for _, name := range strings.Split(strings.Trim(allFields, `[]"`), `","`) {
			if !slices.Contains(names, name) {
				t.Errorf("save has no parameter %s", name)
			}
		}
		if got := s.get("", path).wantCode(t, "validation_failed"); got.refusalDetail(t).Fields["company_id_"] == "" {
			t.Errorf("%s", got.body)
		}
		s.get("", path, "company_id_", "9999").wantCode(t, "not_found")
	})
}

func TestApplicationIsSentReviewedAndReadByCalls(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		if state := s.applicationState(unregisteredPhone, "1001"); state != "none" {
			t.Error(state)
		}
		ticket := s.proveApplicant("139 1234 5678", "1001")
		s.get("", lastApplicationPath, "phone_", unregisteredPhone, "company_id_", "1001", "ticket_",
			ticket).wantCode(t, "not_found")
		first := s.call(apiRequest{method: post, path: sendApplicationPath,
			json: asJSON(applicationParams("1001", ticket)), lang: "es"})
		a := dataOf[applicationData](t, first)
		want := fmt.Sprintf(
			`{"id_":%d,"company_id_":1001,"state_":"pending","company_name_":"Lin's Grain","contact_name_":"林静",`+
				`"position_":"Buyer",`+
				`"province_":"440000","city_":"440100","district_":"440106","address_":"天河路 1 号","reason_":"We `+
				`sell rice","licence_key_":null,"contact_phone_":"13912345670",`+
				`"reject_reason_":null,"admin_":{"name_":"陈静","phone_":"13700000001"},"created_at_":%d}`,
			a.ID,
			s.now().UnixMilli(),
		)
		if string(first.Data) != want || a.ID < 1<<52 || a.ID >= 1<<53 {
			t.Errorf("%s", first.body)
		}
		row, err := s.db.Applications.ByID(t.Context(), a.ID)
		noError(t, err)
		if row.Phone != unregisteredPhone || row.Lang != "es" || row.AccountID != 0 || row.DecidedBy != 0 {
			t.Errorf("%+v", row)
		}
		stateOnly := fmt.Sprintf(
			`{"id_":%d,"company_id_":1001,"state_":"pending","company_name_":null,"contact_name_":null,`+
				`"position_":null,"province_":null,"city_":null,"district_":null,`+
				`"address_":null,"reason_":null,"licence_key_":null,"contact_phone_":null,"reject_reason_":null,`+
				`"admin_":null,"created_at_":null}`,
			a.ID,
		)
		id := fmt.Sprint(a.ID)
		for what, got := range map[string][2]apiResponse{
			"by phone": {s.get("", lastApplicationPath, "phone_", unregisteredPhone, "company_id_", "1001"), s.get(
				"", lastApplicationPath, "phone_", unregisteredPhone, "company_id_", "1001", "ticket_", ticket,
			)},
			"by number": {s.get("", applicationPath+id), s.get("", applicationPath+id, "ticket_", ticket)},
		} {
			withoutTicket := stateOnly
			if what == "by phone" {
				withoutTicket = strings.Replace(stateOnly, id, "null", 1)
			}
			if string(rawData(t, got[0])) != withoutTicket || string(rawData(t, got[1])) != want {
				t.Errorf("%s: %s, with the ticket %s", what, got[0].body, got[1].body)
			}
		}
		if state := s.applicationState(unregisteredPhone, "1001"); state != "pending" {
			t.Error(state)
		}
		s.decideApplication(a, store.ApplicationRejected, "Falta la licencia")
		if state := s.applicationState(unregisteredPhone, "1001"); state != "rejected" {
			t.Error(state)
		}
		got := dataOf[applicationData](t, s.get("", applicationPath+id))
		if got.State != "rejected" || got.RejectReason != nil {
			t.Errorf("%+v", got)
		}
		if got := dataOf[applicationData](t, s.get("", applicationPath+id, "ticket_",
			ticket)); got.RejectReason == nil ||
			*got.RejectReason != "Falta la licencia" {
			t.Errorf("%+v", got)
		}
		s.advance(time.Second)
		again := dataOf[applicationData](t, s.post("", sendApplicationPath, applicationParams("1001", ticket)...))
		last := dataOf[applicationData](
			t, s.get("", lastApplicationPath, "phone_", unregisteredPhone, "company_id_", "1001", "ticket_", ticket),
		)
		if again.ID == a.ID || last.ID != again.ID || last.State != "pending" {
			t.Errorf("%+v %+v", again, last)
		}
		if strings.Contains(s.log.String(), unregisteredPhone) || strings.Contains(s.log.String(), ticket) {
			t.Error("a phone or a ticket is in the log")
		}
	})
}

func TestApplicationIsApprovedAtOnceWithoutReview(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		a, ticket := s.sendApplication(unregisteredPhone, "1002")
		if a.State != "approved" || s.applicationState(unregisteredPhone, "1002") != "approved" {
			t.Errorf("%+v", a)
		}
		other := applicationParams("1002", ticket, "reason_", "Another")
		s.post("", sendApplicationPath, other...).wantCode(t, "phone_registered",
			"approved, but the account is not set up")
		s.get("", "/v1/account/shopRegisterCode", "phone_", unregisteredPhone, "company_id_", "1002").wantCode(t, "ok")
		user := dataOf[userData](
			t, s.post("", setupPath, setupParams(unregisteredPhone, s.lastCode(unregisteredPhone), "company_id_",
				"1002")...),
		)
		if user.CompanyID != 1002 || user.Type != store.TypeShop {
			t.Errorf("%+v", user)
		}
		if state := s.applicationState(unregisteredPhone, "1002"); state != "member" {
			t.Error(state)
		}
		s.advance(core.RepeatWindow)
		s.post("", sendApplicationPath, applicationParams("1002", ticket)...).wantCode(t, "phone_registered")
		if state := s.applicationState(unregisteredPhone, "1001"); state != "none" {
			t.Errorf("at another company: %s", state)
		}
	})
}

// The ticket, number or company of another applicant finds nothing: the response is the same as for an application that
// does not exist.
func TestOnlyTheApplicantSeesAllFieldsOfAnApplication(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		const other = "13912345679"
		a, ticket := s.sendApplication(unregisteredPhone, "1001")
		foreign := map[string]string{
			"of another phone":   s.proveApplicant(other, "1001"),
			"of another company": s.proveApplicant(unregisteredPhone, "1002"),
			"that is invalid":    "noise",
		}
		id := fmt.Sprint(a.ID)
		unknown := s.get("", applicationPath+fmt.Sprint(a.ID^1)).wantCode(t, "not_found")
		wantNotFound := func(what string, got apiResponse) {
			t.Helper()
			got.wantCode(t, "not_found", what)
			if want := bytes.ReplaceAll(
				unknown.body, []byte(unknown.RequestID), []byte(got.RequestID),
			); got.http != http.StatusNotFound ||
				!bytes.Equal(got.body, want) {
				t.Errorf("%s: %d %s", what, got.http, got.body)
			}
		}
		s.wantUnchanged("reading", func() {
			for what, t := range foreign {
				wantNotFound("by number with a ticket "+what, s.get("", applicationPath+id, "ticket_", t))
				wantNotFound(
					"by phone with a ticket "+what,
					s.get("", lastApplicationPath, "phone_", unregisteredPhone, "company_id_", "1001", "ticket_", t),
				)
			}
			wantNotFound("a phone without an application",
				s.get("", lastApplicationPath, "phone_", other, "company_id_", "1001"))
			wantNotFound("at another company", s.get(
				"", lastApplicationPath, "phone_", unregisteredPhone, "company_id_", "1002", "ticket_",
				foreign["of another company"],
			))
			wantNotFound("at an unknown company",
				s.get("", lastApplicationPath, "phone_", unregisteredPhone, "company_id_", "9999"))
			wantNotFound("on another company's site", s.call(apiRequest{
				method: get, path: applicationPath + id, params: []string{"ticket_", ticket},
				headers: map[string]string{"X-Company-Id": "1002"},
			}))
			wantNotFound(
				"the state at an unknown company",
				s.post("", applicationStatePath, "phone_", unregisteredPhone, "company_id_", "9999"),
			)
		})
		got := s.call(apiRequest{
			method: get, path: applicationPath + id, params: []string{"ticket_", ticket},
			headers: map[string]string{"X-Company-Id": "1001"},
		})
		if dataOf[applicationData](t, got).CompanyName == nil {
			t.Errorf("%s", got.body)
		}
		s.advance(signin.ApplicantLife + time.Second)
		for _, number := range []string{id, fmt.Sprint(a.ID ^ 1)} {
			s.get("", applicationPath+number, "ticket_", ticket).wantCode(t, "code_expired", number)
		}
		s.get("", lastApplicationPath, "phone_", unregisteredPhone, "company_id_", "1001", "ticket_",
			ticket).wantCode(t, "code_expired")
		s.post("", sendApplicationPath, applicationParams("1001", ticket)...).wantCode(t, "code_expired")
	}, func(o *portal.Options) { o.NoLimit = true })
}
