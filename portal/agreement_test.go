package portal_test

import (
	"testing"

	"portico/portal"
)

func TestAVersionOfTheAgreementIsAcceptedOnceByAPersonAndKept(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		ctx, person := p.from(homeAddress), p.signIn(accountHost, "13800000002").Session
		const first, second = "2026-11-01", "2027-02-01"
		for _, version := range []string{first, first, second, first} {
			noError(t, p.AcceptAgreement(ctx, person, version, "es"))
		}
		kept, err := p.db.Acceptances(ctx, person.PhoneID)
		noError(t, err)
		if len(kept) != 2 || kept[0].Version != first || kept[1].Version != second || kept[1].Lang != "es" || kept[1].Address != homeAddress {
			t.Errorf("%+v", kept)
		}
		if newest, err := p.Accepted(ctx, person); err != nil || newest.Version != second || newest.At.Time() != p.clock.now() {
			t.Errorf("%+v %v", newest, err)
		}
	})
}

func TestTheAgreementIsAskedForOnlyWhereAVersionDemandsIt(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		ctx, person := p.from(homeAddress), p.signIn(accountHost, "13800000002").Session
		asked := func(s portal.Session, demanded string) bool {
			t.Helper()
			due, err := p.AgreementDue(ctx, s, demanded)
			noError(t, err)
			return due
		}
		if asked(person, "") || !asked(person, "2027-02-01") {
			t.Error("a person is asked without a demand, or not with one")
		}
		noError(t, p.AcceptAgreement(ctx, person, "2027-03-01", "zh"))
		if asked(person, "2027-02-01") || asked(person, "2027-03-01") || !asked(person, "2027-04-01") {
			t.Error("a newer version counts for an older demand, and for no later one")
		}
		if byName := p.signIn(accountHost, "jinsui").Session; asked(byName, "2027-03-01") {
			t.Error("the person is another by account name")
		}
	})
}

func TestNobodyIsAskedWhoseAcceptanceCouldNotBeKept(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		ctx, s := p.from(homeAddress), p.signIn(accountHost, "nophone").Session
		due, err := p.AgreementDue(ctx, s, "2027-02-01")
		if noError(t, err); due {
			t.Error("asked")
		}
		refused(t, p.AcceptAgreement(ctx, s, "2027-02-01", "zh"), portal.LoginRequired)
	})
}
