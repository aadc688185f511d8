package signin_test

import (
	"strings"
	"testing"

	"portico/portal/access"
	"portico/portal/portaltest"
	"portico/portal/portaltest/credentialtest"
	"portico/store/storetest"
)

func TestAVersionOfTheAgreementIsAcceptedOnceByAPersonAndKept(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		ctx, person := p.From(portaltest.HomeAddress), p.SignIn(portaltest.AccountHost, "13800000002").Session
		const first, second = "2026-11-01", "2027-02-01"
		for _, version := range []string{first, first, second, first} {
			portaltest.NoError(t, p.Accounts.Agreements.Accept(ctx, person, version, "es"))
		}
		kept, err := p.DB.Acceptances.OfPerson(ctx, person.PersonID)
		portaltest.NoError(t, err)
		if len(kept) != 2 || kept[0].Version != first || kept[1].Version != second || kept[1].Lang != "es" ||
			kept[1].Address != portaltest.HomeAddress {
			t.Errorf("%+v", kept)
		}
		if newest, err := p.Accounts.Agreements.Accepted(ctx, person); err != nil || newest.Version != second ||
			newest.At.Time() != p.Clock.Now() {
			t.Errorf("%+v %v", newest, err)
		}
	})
}

func TestTheAgreementIsAskedForOnlyWhereAVersionDemandsIt(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		ctx, person := p.From(portaltest.HomeAddress), p.SignIn(portaltest.AccountHost, "13800000002").Session
		asked := func(s access.Session, demanded string) bool {
			t.Helper()
			due, err := p.Accounts.Agreements.Due(ctx, s, demanded)
			portaltest.NoError(t, err)
			return due
		}
		if asked(person, "") || !asked(person, "2027-02-01") {
			t.Error("a person is asked without a demand, or not with one")
		}
		portaltest.NoError(t, p.Accounts.Agreements.Accept(ctx, person, "2027-03-01", "zh"))
		if asked(person, "2027-02-01") || asked(person, "2027-03-01") || !asked(person, "2027-04-01") {
			t.Error("a newer version counts for an older demand, and for no later one")
		}
		if byName := p.SignIn(portaltest.AccountHost, "jinsui").Session; asked(byName, "2027-03-01") {
			t.Error("the person is another by account name")
		}
	})
}

func TestAnAccountWithoutAPhoneAcceptsForItself(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		ctx, s := p.From(portaltest.HomeAddress), p.SignIn(portaltest.AccountHost, "nophone").Session
		const first, second = "2026-11-01", "2027-02-01"
		wantAgreementDue(p, s, second, true)
		for _, version := range []string{first, second, second, first} {
			portaltest.NoError(t, p.Accounts.Agreements.Accept(ctx, s, version, "en"))
		}
		account := p.Account("nophone")
		kept, err := p.DB.Acceptances.OfAccount(ctx, account.CompanyID, account.ID)
		portaltest.NoError(t, err)
		if len(kept) != 2 || kept[1].Version != second || kept[1].Lang != "en" ||
			kept[1].Address != portaltest.HomeAddress || kept[1].AccountID != account.ID ||
			kept[1].At.Time() != p.Clock.Now() {
			t.Errorf("%+v", kept)
		}
		if newest, err := p.Accounts.Agreements.Accepted(ctx, s); err != nil || newest.Version != second {
			t.Errorf("%+v %v", newest, err)
		}
		wantAgreementDue(p, s, second, false)
		wantAgreementDue(p, p.SignIn(portaltest.AccountHost, "nophone").Session, second, false)
		wantAgreementDue(p, p.SignIn(portaltest.AccountHost, "northwind").Session, second, true)
		wantAgreementDue(p, p.SignIn(portaltest.AccountHost, "13800000002").Session, second, true)
		portaltest.Refused(t, p.Accounts.Agreements.Accept(ctx, access.Session{}, second, "zh"), access.LoginRequired)
	})
}

func TestWhatAnAccountAcceptedIsItsPersonsWhileItIsBound(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		ctx, s, account := p.From(portaltest.HomeAddress), p.SignIn(portaltest.AccountHost, "nophone").Session,
			p.Account("nophone")
		const first, second = "2026-11-01", "2027-02-01"
		portaltest.NoError(t, p.Accounts.Agreements.Accept(ctx, s, first, "zh"))
		portaltest.NoError(t, p.DB.Persons.Bind(ctx, account.CompanyID, account.ID,
			portaltest.PersonOf(t, p.DB, portaltest.ManagerPhone)))
		person := p.SignIn(portaltest.AccountHost, portaltest.ManagerPhone).Session
		for _, s := range []access.Session{s, person, p.SignIn(portaltest.AccountHost, "nophone").Session} {
			wantAgreementDue(p, s, first, false)
			wantAgreementDue(p, s, second, true)
		}
		portaltest.NoError(t, p.Accounts.Agreements.Accept(ctx, p.SignIn(portaltest.AccountHost, "nophone").Session,
			second, "zh"))
		wantAgreementDue(p, person, second, false)
		if own, err := p.DB.Acceptances.OfAccount(ctx, account.CompanyID, account.ID); err != nil || len(own) != 1 {
			t.Errorf("what a person accepted is kept for an account: %+v %v", own, err)
		}
		portaltest.NoError(t, p.DB.Persons.Unbind(ctx, account.CompanyID, account.ID, person.PersonID))
		wantAgreementDue(p, person, second, false)
		alone := p.SignIn(portaltest.AccountHost, "nophone").Session
		wantAgreementDue(p, alone, first, false)
		wantAgreementDue(p, alone, second, true)
	})
}

func TestWhoeverIsGivenAnAccountAcceptsAnew(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		ctx, account := p.From(portaltest.HomeAddress), p.Account("nophone")
		const version = "2027-02-01"
		portaltest.NoError(t, p.Accounts.Agreements.Accept(ctx, p.SignIn(portaltest.AccountHost, "nophone").Session,
			version, "zh"))
		given, err := p.Backoffice.GiveFirstPassword(ctx, p.Administrator(), account.ID, "")
		portaltest.NoError(t, err)
		signed, err := p.Login(credentialtest.NamedLoginInput(p, "nophone", given.Password))
		portaltest.NoError(t, err)
		// an administrator knows this password: nobody accepts by it
		wantAgreementDue(p, signed.Session, version, false)
		portaltest.Refused(t, p.Accounts.Agreements.Accept(ctx, signed.Session, version, "zh"), access.LoginRequired)
		token, err := credentialtest.ReplacePassword(p, signed.Session, given.Password, credentialtest.ChosenPassword)
		portaltest.NoError(t, err)
		s, err := p.SignedIn(ctx, token, p.Place(portaltest.AccountHost))
		portaltest.NoError(t, err)
		wantAgreementDue(p, s, version, true)
		portaltest.NoError(t, p.Accounts.Agreements.Accept(ctx, s, version, "es"))
		wantAgreementDue(p, s, version, false)
		if kept, err := p.DB.Acceptances.OfAccount(ctx, account.CompanyID, account.ID); err != nil || len(kept) != 1 ||
			kept[0].Lang != "es" {
			t.Errorf("%+v %v", kept, err)
		}
		rows, err := storetest.RowCounts(ctx, p.DB)
		if portaltest.NoError(t, err); !strings.Contains(rows, "account_acceptances=2 ") {
			t.Error("what was accepted before is gone:", rows)
		}
	})
}

// wantAgreementDue fails the test unless a session has to accept the demanded version of the agreement, or has not to.
func wantAgreementDue(p *portaltest.Platform, s access.Session, demanded string, want bool) {
	p.T.Helper()
	due, err := p.Accounts.Agreements.Due(p.T.Context(), s, demanded)
	if portaltest.NoError(p.T, err); due != want {
		p.T.Errorf("account %d, phone %d: asked for %s: %v", s.AccountID, s.PersonID, demanded, due)
	}
}
