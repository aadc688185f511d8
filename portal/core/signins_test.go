package core_test

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/portaltest"
	"portico/store"
)

// signIns writes the counts and returns the sign-ins of a company in short: "password 2" and "!blocked 1".
func signIns(p *portaltest.Platform, companyID int64) (all []string) {
	p.T.Helper()
	portaltest.NoError(p.T, p.Statistics.WriteViews(p.T.Context()))
	s, err := p.Statistics.SignInsOf(p.T.Context(), companyID)
	portaltest.NoError(p.T, err)
	var total, refused int64
	for _, w := range s.Ways {
		all = append(all, fmt.Sprint(w.Way, " ", w.Count))
		total += w.Count
	}
	for _, f := range s.Failures {
		all = append(all, fmt.Sprint("!", f.Failure, " ", f.Count))
		refused += f.Count
	}
	today := s.Days[len(s.Days)-1]
	if s.Total != total || s.Refused != refused || len(s.Days) != core.SignInDays ||
		today.SignIns != total || today.Refused != refused {
		p.T.Errorf("%+v does not add up", s)
	}
	return all
}

func TestSignInsAreCountedByWayAndFailureAtEachCompanyOfThePerson(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, plain *portaltest.Platform) {
		p := portaltest.NewSMSPlatform(t, plain.DB)
		several, err := p.DB.Accounts.ByPerson(t.Context(), portaltest.PersonOf(t, p.DB, "13800000003").ID)
		portaltest.NoError(t, err)
		p.SignIn(portaltest.AccountHost, "13800000003")
		p.SignIn(portaltest.AccountHost, "jinsui")
		_, err = p.SignInByCode(portaltest.AccountHost, "13800000003")
		portaltest.NoError(t, err)
		for _, who := range []string{"13800000003", "jinsui", "13800009999"} {
			if _, err := p.Login(p.WrongLoginInput(who)); err == nil {
				t.Fatal("a wrong password signs in")
			}
		}
		p.Clock.Advance(time.Minute) // until the next code may be sent
		ask := p.CodeRequest(core.ForLogin, "13800000003", core.NewFlow())
		code := portaltest.WrongCode(p.ReceiveCode(ask))
		if _, err := p.CodeLogin(p.CodeLoginInput("13800000003", code, ask.Flow)); err == nil {
			t.Fatal("a wrong code signs in")
		}
		elsewhere := p.WrongLoginInput("13800009999")
		elsewhere.Place = p.Place("store1001.portico.test")
		if _, err := p.Login(elsewhere); err == nil {
			t.Fatal("a stranger signs in")
		}
		for _, m := range several {
			if m.CompanyID == 1001 || access.BlockedBy(m, false, p.Clock.Now()) != "" {
				continue
			}
			want := []string{"code 1", "password 1", "!code 1", "!password 1"}
			if got := signIns(p.Platform, m.CompanyID); !haveTheSame(got, want) {
				t.Errorf("company %d has %q", m.CompanyID, got)
			}
		}
		want := []string{"password 2", "code 1", "!password 2", "!code 1", "!unknown 1"}
		if got := signIns(p.Platform, 1001); !reflect.DeepEqual(got, want) {
			t.Errorf("company 1001 has %q, not %q", got, want)
		}
		p.SetAccountState("jinsui", store.AccountDisabled)
		if _, err := p.Login(p.LoginInput("jinsui")); err == nil {
			t.Fatal("a disabled account signs in")
		}
		if got := signIns(p.Platform, 1001); !haveTheSame(got, append(want, "!blocked 1")) {
			t.Errorf("after a blocked one: %q", got)
		}
	})
}

func TestSignInsAreNoPageViews(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		p.SignIn(portaltest.AccountHost, "jinsui")
		p.Statistics.CountView("shop", 1001, core.OnPhone)
		portaltest.NoError(t, p.Statistics.WriteViews(t.Context()))
		here := p.Administrator()
		visits, err := p.Statistics.VisitsOf(t.Context(), here, core.VisitWeek)
		portaltest.NoError(t, err)
		if visits.Total != 1 || len(visits.Screens) != 1 || len(visits.Menu) != 0 {
			t.Errorf("the visits are %+v", visits)
		}
		week, err := p.Statistics.VisitWeek(t.Context(), 1001)
		portaltest.NoError(t, err)
		if today := week[len(week)-1]; today.Views != 1 {
			t.Errorf("%d views today", today.Views)
		}
		for _, total := range p.Statistics.ViewTotals() {
			if total.On == "" {
				t.Errorf("sign-ins are among the totals: %+v", total)
			}
		}
	})
}

func haveTheSame(a, b []string) bool {
	count := map[string]int{}
	for _, s := range a {
		count[s]++
	}
	for _, s := range b {
		count[s]--
	}
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return true
}
