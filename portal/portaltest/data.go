package portaltest

import (
	"slices"
	"strings"
	"testing"

	"portico/portal/access"
	"portico/store"
	"portico/store/storetest"
)

// Phones of the demo data, and a new phone and password.
const (
	BuyerPhone   = "13800000001" // buyer1 in 1001
	ManagerPhone = "13800000002" // jinsui in 1001
	ManyPhone    = "13800000003" // li.manager and li.shop in 1001, sur in 1002, li.lights in 1003
	UnboundPhone = "13800000011" // registered, bound to no account
	BothPhone    = "13800000012" // trial and trial.shop in 1008
	NewPhone     = "13912345678" // nobody's
	NewPassword  = "Blauwal77"
)

// PersonOf reads the row of a phone number. It fails the test if there is none.
func PersonOf(t *testing.T, db *store.DB, number string) store.Person {
	t.Helper()
	person, err := db.Persons.ByNumber(t.Context(), number)
	NoError(t, err)
	return person
}

// Account returns the account of a name, which may be an offer. It fails the test unless exactly one account has the
// name.
func (p *Platform) Account(login string) store.Member {
	p.T.Helper()
	members, err := p.DB.Accounts.ByLogin(p.T.Context(), login)
	NoError(p.T, err)
	for company := int64(1001); len(members) == 0 && company <= 1010; company++ {
		members, err = p.DB.Accounts.After(p.T.Context(), company, "", 0, 1000)
		NoError(p.T, err)
		members = slices.DeleteFunc(members, func(m store.Member) bool { return m.Login != login })
	}
	if len(members) != 1 {
		p.T.Fatalf("%d accounts are named %s", len(members), login)
	}
	return members[0]
}

// SetAccountState changes the state of an account in the database. It fails the test if the account cannot be changed.
func (p *Platform) SetAccountState(login string, state store.AccountState) {
	p.T.Helper()
	m := p.Account(login)
	NoError(p.T, p.DB.Accounts.SetState(p.T.Context(), m.CompanyID, m.ID, state))
}

// LandingFor reads an account again and returns a landing for it. It fails the test if the account is missing.
func (p *Platform) LandingFor(m store.Member) access.Landing {
	p.T.Helper()
	fresh, err := p.DB.Accounts.ByID(p.T.Context(), m.CompanyID, m.ID)
	NoError(p.T, err)
	return access.Landing{Member: fresh}
}

// Office returns a landing for the account of a name, as if it had entered the back office.
func (p *Platform) Office(login string) access.Landing { return p.LandingFor(p.Account(login)) }

// Administrator returns a landing for the administrator of company 1001.
func (p *Platform) Administrator() access.Landing {
	p.T.Helper()
	return p.LandingFor(p.Account("jinsui"))
}

// Company reads a company. It fails the test if the company is missing.
func (p *Platform) Company(id int64) store.Company {
	p.T.Helper()
	c, err := p.DB.Companies.ByID(p.T.Context(), id)
	NoError(p.T, err)
	return c
}

// UpdateCompany changes a company in the database, without the checks of the operator's commands. It fails the test if
// the company cannot be changed.
func (p *Platform) UpdateCompany(id int64, change func(*store.Company)) {
	p.T.Helper()
	c, err := p.DB.Companies.ByID(p.T.Context(), id)
	NoError(p.T, err)
	change(&c)
	NoError(p.T, p.DB.Companies.Update(p.T.Context(), c))
}

// CountEvents returns the number of audit events of a kind. Company 0 is the platform. It fails the test if they cannot
// be read.
func (p *Platform) CountEvents(company int64, kind string) (n int) {
	p.T.Helper()
	all, err := p.DB.Audit.Events(p.T.Context(), company, 10_000)
	NoError(p.T, err)
	for _, e := range all {
		if e.Kind == kind {
			n++
		}
	}
	return n
}

// DumpRows returns the rows of all tables except the named ones as sorted text, so that a test can see that nothing
// changed. It fails the test if they cannot be read.
func (p *Platform) DumpRows(but ...string) string {
	p.T.Helper()
	dump, err := storetest.Dump(p.T.Context(), p.DB)
	NoError(p.T, err)
	var kept []string
	for line := range strings.Lines(dump) {
		if table, _, _ := strings.Cut(line, " "); !slices.Contains(but, table) {
			kept = append(kept, line)
		}
	}
	slices.Sort(kept)
	return strings.Join(kept, "")
}

// CountRows returns the number of rows of each table except the named ones, as "table=number table=number". It fails
// the test if they cannot be counted.
func (p *Platform) CountRows(but ...string) string {
	p.T.Helper()
	counts, err := storetest.RowCounts(p.T.Context(), p.DB)
	NoError(p.T, err)
	words := strings.Fields(counts)
	return strings.Join(slices.DeleteFunc(words, func(word string) bool {
		table, _, _ := strings.Cut(word, "=")
		return slices.Contains(but, table)
	}), " ")
}
