package signin

import (
	"fmt"
	"strings"
	"testing"

	"portico/components"
	"portico/portal/access"
	"portico/portal/accounts"
	"portico/store"
)

// The street has the first companies' shops, with their marks and colours. One that cannot be entered by any side is
// shut. A page without companies has no street.
func TestStreetHasTheFirstCompanies(t *testing.T) {
	t.Parallel()
	shell := components.Shell{Platform: true}
	showCompanies(&shell, nil)
	if shell.Panel || len(shell.Street) != 0 {
		t.Error("a page without companies has a street")
	}
	var to []accounts.Destination
	for id := range int64(mostShops + 2) {
		c := store.Company{ID: id, Name: fmt.Sprintf("%c Trading", 'A'+rune(id)), Theme: "d0451b"}
		office := accounts.Destination{Company: c, Side: store.Mgr}
		shop := accounts.Destination{Company: c, Side: store.Shop, Blocked: access.AccountDisabled}
		if id == 1 {
			office.Blocked = access.CompanyDisabled
		}
		to = append(to, office, shop)
	}
	all := shopsOf(to)
	showCompanies(&shell, all)
	if !shell.Panel || len(shell.Street) != mostShops {
		t.Fatalf("%d shops on the panel, want %d", len(shell.Street), mostShops)
	}
	for i, front := range shell.Street {
		if front.Mark != markClass(all[i].Company) || front.Initial != all[i].Name[:1] || front.Shut != (i == 1) {
			t.Errorf("shop %d is %+v, want that of %s", i, front, all[i].Name)
		}
	}
	for _, c := range all {
		if !strings.Contains(shell.Marks, "."+markClass(c.Company)+"{") {
			t.Errorf("the mark of %s has no colours", c.Name)
		}
	}
}
