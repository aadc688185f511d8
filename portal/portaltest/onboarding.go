package portaltest

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"portico/portal/access"
	"portico/store"
)

const ()

// DumpRows dumps the database without the named tables, so that tests can see that nothing changed.
func (p *Platform) DumpRows(but ...string) string {
	p.T.Helper()
	dump, err := p.Db.Dump(p.T.Context())
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

// CountRows counts the rows of all tables except the named ones.
func (p *Platform) CountRows(but ...string) string {
	p.T.Helper()
	counts, err := p.Db.RowCounts(p.T.Context())
	NoError(p.T, err)
	words := strings.Fields(counts)
	return strings.Join(slices.DeleteFunc(words, func(word string) bool {
		table, _, _ := strings.Cut(word, "=")
		return slices.Contains(but, table)
	}), " ")
}

// Company reads a company.
func (p *Platform) Company(id int64) store.Company {
	p.T.Helper()
	c, err := p.Db.Companies.ByID(p.T.Context(), id)
	NoError(p.T, err)
	return c
}

// LandingFor reads an account again and returns its landing.
func (p *Platform) LandingFor(m store.Member) access.Landing {
	p.T.Helper()
	fresh, err := p.Db.Accounts.ByID(p.T.Context(), m.CompanyID, m.ID)
	NoError(p.T, err)
	return access.Landing{Member: fresh}
}

// Together calls run n times at once and waits for all calls.
func Together(n int, run func(i int)) {
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() { run(i) })
	}
	group.Wait()
}

// WantField requires that exactly one field is refused, for a reason.
func WantField(t *testing.T, err error, name string, want access.Problem) {
	t.Helper()
	if with := Refused(t, err, access.ValidationFailed); len(with.Fields) != 1 || with.Fields[name] != want {
		t.Errorf("got %v, want %s: %s", with.Fields, name, want)
	}
}
