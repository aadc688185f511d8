// Package companytest adds companies, accounts, customers and orders to a platform for tests, and reads them.
package companytest

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"portico/portal/access"
	"portico/portal/office"
	"portico/portal/portaltest"
	"portico/portal/signin"
	"portico/store"
)

// AddOffer adds an offered shop account of a company for a new phone number and returns it. It fails the test if the
// database refuses it.
func AddOffer(p *portaltest.Platform, company int64, login, number string) store.Member {
	p.T.Helper()
	ctx, now := p.T.Context(), store.At(p.Clock.Now())
	_, err := p.DB.Persons.Add(ctx, store.Person{Phone: number, CreatedAt: now})
	portaltest.NoError(p.T, err)
	id, err := p.DB.Accounts.Add(ctx, store.Account{
		CompanyID: company, Side: store.Shop, Type: store.TypeShop, Login: login, Name: "采购",
		PersonID: portaltest.PersonOf(p.T, p.DB, number).ID,
		ClientID: p.Account("buyer1").ClientID, State: store.AccountActive, Invited: true, CreatedAt: now,
	})
	portaltest.NoError(p.T, err)
	m, err := p.DB.Accounts.ByID(ctx, company, id)
	portaltest.NoError(p.T, err)
	return m
}

// AccountsOfPhone returns the accounts of a phone number. It fails the test if the number is unknown.
func AccountsOfPhone(p *portaltest.Platform, number string) []store.Member {
	p.T.Helper()
	members, err := p.DB.Accounts.ByPerson(p.T.Context(), portaltest.PersonOf(p.T, p.DB, number).ID)
	portaltest.NoError(p.T, err)
	return members
}

// OffersIn returns the accounts that a company offers to a phone number. It fails the test if the number is unknown.
func OffersIn(p *portaltest.Platform, company int64, number string) []store.Member {
	p.T.Helper()
	offers, err := p.DB.Offers.InCompany(p.T.Context(), company, portaltest.PersonOf(p.T, p.DB, number).ID)
	portaltest.NoError(p.T, err)
	return offers
}

// SessionOf returns a session of the person of an account.
func SessionOf(m store.Member) access.Session { return access.Session{ID: "s", PersonID: m.PersonID} }

// OfferAccount opens a customer's account of company 1002 for a phone number, as the company's administrator, and
// returns it. It fails the test if that is refused.
func OfferAccount(p *portaltest.Platform, number string) store.Member {
	p.T.Helper()
	in := office.OpenAccountInput{
		Side: "shop", Type: 3, Name: "采购", ClientName: "Cliente", Phone: number, Again: true,
	}
	opened, err := p.Backoffice.OpenAccount(p.T.Context(), p.LandingFor(p.Account("sur")), in)
	portaltest.NoError(p.T, err)
	return opened.Member
}

// UserJSON returns the JSON of a user, as fields and as text. It fails the test if the user has no JSON.
func UserJSON(t *testing.T, u access.User) (fields map[string]any, text string) {
	t.Helper()
	raw, err := json.Marshal(u)
	portaltest.NoError(t, err)
	portaltest.NoError(t, json.Unmarshal(raw, &fields))
	return fields, string(raw)
}

// DescribeAccounts returns a line for each company of a list: the company, "default" for the default company, and each
// account as side:name with the reason that blocks it.
func DescribeAccounts(list []signin.CompanyAccounts) (text []string) {
	for _, c := range list {
		line := fmt.Sprint(c.Company.ID)
		if c.Default {
			line += " default"
		}
		for _, a := range append(slices.Clone(c.Mgr), c.Shop...) {
			line += " " + string(a.Side) + ":" + a.Login
			if a.Blocked != "" {
				line += "(" + string(a.Blocked) + ")"
			}
		}
		text = append(text, line)
	}
	return text
}

// ListAccounts returns the account list of a session. It fails the test if the list cannot be read.
func ListAccounts(p *portaltest.Platform, s store.Session) []signin.CompanyAccounts {
	p.T.Helper()
	list, err := p.Accounts.Accounts(p.T.Context(), s)
	portaltest.NoError(p.T, err)
	return list
}

// WantAccounts fails the test unless the account list of a session is as described, in the form of DescribeAccounts.
func WantAccounts(p *portaltest.Platform, s store.Session, want ...string) {
	p.T.Helper()
	if got := DescribeAccounts(ListAccounts(p, s)); !slices.Equal(got, want) {
		p.T.Errorf("list %q, want %q", got, want)
	}
}

// AddAccount adds an account with the demo password to a phone number, "" for none, and returns it. It fails the test
// if the database refuses it.
func AddAccount(p *portaltest.Platform, login string, company int64, side store.Side, number string) store.Member {
	p.T.Helper()
	a := store.Account{CompanyID: company, Side: side, Type: store.TypeShop, Login: login, State: store.AccountActive,
		CreatedAt: store.At(p.Clock.Now()), PasswordHash: p.Account("buyer1").PasswordHash}
	if side == store.Mgr {
		a.Type = store.TypeEmployee
	}
	if number != "" {
		person, err := p.DB.Persons.ByNumber(p.T.Context(), number)
		portaltest.NoError(p.T, err)
		a.PersonID = person.ID
	}
	id, err := p.DB.Accounts.Add(p.T.Context(), a)
	portaltest.NoError(p.T, err)
	m, err := p.DB.Accounts.ByID(p.T.Context(), company, id)
	portaltest.NoError(p.T, err)
	return m
}
