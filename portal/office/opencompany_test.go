package office_test

import (
	"strings"
	"testing"

	"portico/portal/access"
	"portico/portal/office"
	"portico/portal/portaltest"
	"portico/portal/signin"
	"portico/store"
)

func TestOperatorOpensACompanyWithAFirstPassword(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		opened, err := p.Operator.OpenCompany(t.Context(), office.OpenCompanyInput{
			Name: " Sur ", Language: "es", AdminName: "Ana",
		})
		portaltest.NoError(t, err)
		c, m := p.Company(opened.Member.CompanyID), opened.Member
		if c.Name != "Sur" || c.ConfirmedName != "Sur" || c.Language != "es" || c.Standing != store.Trial ||
			c.EndsAt != store.At(p.Clock.Now().Add(access.TrialLife)) || c.Mall != store.MallOpen {
			t.Errorf("the company is %+v", c)
		}
		if m.Type != store.TypeAdministrator || m.Side != store.Mgr || m.Invited || opened.Link != "" ||
			p.CountEvents(c.ID, "company_opened") != 1 {
			t.Errorf("the administrator is %+v", m.Account)
		}
		_, err = p.Signin.Login(t.Context(), signin.LoginInput{
			ByName: true, Login: m.Login, Password: opened.First.Password,
		})
		portaltest.NoError(t, err)
	})
}

func TestOperatorOpensACompanyForAPhone(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		opened, err := p.Operator.OpenCompany(t.Context(), office.OpenCompanyInput{
			Name: "Sur", Language: "es", AdminName: "Ana", AdminPhone: portaltest.NewPhone,
		})
		portaltest.NoError(t, err)
		if !opened.Member.Invited || opened.First.Password != "" ||
			!strings.Contains(opened.Link, "/register/complete?invite=") || opened.LinkUntil == 0 {
			t.Errorf("%+v", opened)
		}
		token := opened.Link[strings.Index(opened.Link, "=")+1:]
		in, ok, err := p.Credentials.Invitation(t.Context(), token)
		if err != nil || !ok || in.CompanyID != opened.Member.CompanyID {
			t.Errorf("the link is for %+v, %t, %v", in, ok, err)
		}
	})
}

func TestOperatorOpensNoCompanyWithMalformedInput(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		before, err := p.DB.Companies.Find(t.Context(), store.CompanyQuery{Limit: 100})
		portaltest.NoError(t, err)
		for _, in := range []office.OpenCompanyInput{
			{Language: "es", AdminName: "Ana"},
			{Name: strings.Repeat("a", access.MaxCompanyName+1), Language: "es", AdminName: "Ana"},
			{Name: "Sur", Language: "fr", AdminName: "Ana"},
			{Name: "Sur", Language: "es"},
			{Name: "Sur", Language: "es", AdminName: "Ana", AdminPhone: "12345"},
		} {
			if _, err := p.Operator.OpenCompany(t.Context(), in); err == nil {
				t.Errorf("accepted %+v", in)
			}
		}
		after, err := p.DB.Companies.Find(t.Context(), store.CompanyQuery{Limit: 100})
		if err != nil || len(after) != len(before) {
			t.Errorf("%d companies became %d, %v", len(before), len(after), err)
		}
	})
}
