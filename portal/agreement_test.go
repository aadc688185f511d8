package portal_test

import (
	"strings"
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

func TestAnAccountWithoutAPhoneAcceptsForItself(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		ctx, s := p.from(homeAddress), p.signIn(accountHost, "nophone").Session
		const first, second = "2026-11-01", "2027-02-01"
		p.wantDue(s, second, true)
		for _, version := range []string{first, second, second, first} {
			noError(t, p.AcceptAgreement(ctx, s, version, "en"))
		}
		account := p.account("nophone")
		kept, err := p.db.AcceptancesOfAccount(ctx, account.CompanyID, account.ID)
		noError(t, err)
		if len(kept) != 2 || kept[1].Version != second || kept[1].Lang != "en" || kept[1].Address != homeAddress || kept[1].AccountID != account.ID || kept[1].At.Time() != p.clock.now() {
			t.Errorf("%+v", kept)
		}
		if newest, err := p.Accepted(ctx, s); err != nil || newest.Version != second {
			t.Errorf("%+v %v", newest, err)
		}
		p.wantDue(s, second, false)
		p.wantDue(p.signIn(accountHost, "nophone").Session, second, false)
		p.wantDue(p.signIn(accountHost, "northwind").Session, second, true)
		p.wantDue(p.signIn(accountHost, "13800000002").Session, second, true)
		refused(t, p.AcceptAgreement(ctx, portal.Session{}, second, "zh"), portal.LoginRequired)
	})
}

func TestWhatAnAccountAcceptedIsItsPersonsWhileItIsBound(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		ctx, s, account := p.from(homeAddress), p.signIn(accountHost, "nophone").Session, p.account("nophone")
		const first, second = "2026-11-01", "2027-02-01"
		noError(t, p.AcceptAgreement(ctx, s, first, "zh"))
		noError(t, p.db.BindPhone(ctx, account.CompanyID, account.ID, phoneOf(t, p.db, managerPhone)))
		person := p.signIn(accountHost, managerPhone).Session
		for _, s := range []portal.Session{s, person, p.signIn(accountHost, "nophone").Session} {
			p.wantDue(s, first, false)
			p.wantDue(s, second, true)
		}
		noError(t, p.AcceptAgreement(ctx, p.signIn(accountHost, "nophone").Session, second, "zh"))
		p.wantDue(person, second, false)
		if own, err := p.db.AcceptancesOfAccount(ctx, account.CompanyID, account.ID); err != nil || len(own) != 1 {
			t.Errorf("what a person accepted is kept for an account: %+v %v", own, err)
		}
		noError(t, p.db.UnbindPhone(ctx, account.CompanyID, account.ID, person.PhoneID))
		p.wantDue(person, second, false)
		alone := p.signIn(accountHost, "nophone").Session
		p.wantDue(alone, first, false)
		p.wantDue(alone, second, true)
	})
}

func TestWhoeverIsGivenAnAccountAcceptsAnew(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		ctx, account := p.from(homeAddress), p.account("nophone")
		const version = "2027-02-01"
		noError(t, p.AcceptAgreement(ctx, p.signIn(accountHost, "nophone").Session, version, "zh"))
		given, err := p.GiveFirstPassword(ctx, p.boss(), account.ID, "")
		noError(t, err)
		signed, err := p.login(p.named("nophone", given.Password))
		noError(t, err)
		p.wantDue(signed.Session, version, false) // an administrator knows this password: nobody accepts by it
		refused(t, p.AcceptAgreement(ctx, signed.Session, version, "zh"), portal.LoginRequired)
		token, err := p.replace(signed.Session, given.Password, ownChoice)
		noError(t, err)
		s, err := p.SignedIn(ctx, token, p.place(accountHost))
		noError(t, err)
		p.wantDue(s, version, true)
		noError(t, p.AcceptAgreement(ctx, s, version, "es"))
		p.wantDue(s, version, false)
		if kept, err := p.db.AcceptancesOfAccount(ctx, account.CompanyID, account.ID); err != nil || len(kept) != 1 || kept[0].Lang != "es" {
			t.Errorf("%+v %v", kept, err)
		}
		rows, err := p.db.RowCounts(ctx)
		if noError(t, err); !strings.Contains(rows, "account_acceptances=2 ") {
			t.Error("what was accepted before is gone:", rows)
		}
	})
}

// wantDue checks whether a session is asked for a version.
func (p *platform) wantDue(s portal.Session, demanded string, want bool) {
	p.t.Helper()
	due, err := p.AgreementDue(p.t.Context(), s, demanded)
	if noError(p.t, err); due != want {
		p.t.Errorf("account %d, phone %d: asked for %s: %v", s.AccountID, s.PhoneID, demanded, due)
	}
}
