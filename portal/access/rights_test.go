package access_test

import (
	"errors"
	"os"
	"regexp"
	"slices"
	"testing"

	"portico/portal/access"
	"portico/portal/office"
	"portico/portal/portaltest"
	"portico/portal/portaltest/companytest"
)

func TestEveryOperationOfTheBackOfficeNeedsItsRight(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		deeds := companytest.Operations(p)
		all := make([]access.Right, len(access.Rights))
		for i, row := range access.Rights {
			all[i] = row.Right
		}
		// an employee who may confirms the order
		before := p.DumpRows("companies", "orders", "audit_events", "attempts")
		for _, d := range deeds {
			i := slices.IndexFunc(access.Rights, func(row access.RightRow) bool { return row.Right == d.Right })
			without := slices.DeleteFunc(slices.Clone(all), func(right access.Right) bool { return right == d.Right })
			for _, here := range []access.Landing{companytest.EmployeeWithRights(p),
				companytest.EmployeeWithRights(p, without...)} {
				if err := d.Do(t.Context(), here); !errors.Is(err, access.Forbidden) {
					t.Errorf("%s by an employee who may not: %v", d.Name, err)
				}
			}
			if err := d.Do(t.Context(), companytest.EmployeeWithRights(p, all...)); access.Rights[i].Alone &&
				!errors.Is(err, access.Forbidden) {
				t.Errorf("%s is the administrators' alone: %v", d.Name, err)
			} else if !access.Rights[i].Alone && err != nil {
				t.Errorf("%s by an employee who may: %v", d.Name, err)
			}
			if err := d.Do(t.Context(), p.LandingFor(p.Account("buyer1"))); !errors.Is(err, access.NotFound) {
				t.Errorf("%s by a customer: %v", d.Name, err)
			}
			if d.Own {
				continue
			}
			if err := d.Do(t.Context(), p.LandingFor(p.Account("northwind"))); !errors.Is(err, access.NotFound) {
				t.Errorf("%s by another company: %v", d.Name, err)
			}
		}
		if p.DumpRows("companies", "orders", "audit_events", "attempts") != before ||
			p.CountEvents(1001, "order_confirmed") != 1 {
			t.Error("something was written for those who may not")
		}
		for _, d := range deeds {
			if err := d.Do(t.Context(), p.Administrator()); err != nil {
				t.Errorf("%s by an administrator: %v", d.Name, err)
			}
		}
	})
}

func TestRolesHaveTheRightsOfTheTable(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		for _, row := range access.Rights {
			employee := companytest.EmployeeWithRights(p, row.Right)
			if access.May(employee.Member, row.Right) == row.Alone ||
				!access.May(p.Administrator().Member, row.Right) ||
				access.May(p.LandingFor(p.Account("buyer1")).Member, row.Right) {
				t.Errorf("%+v does not hold", row)
			}
			if access.May(companytest.EmployeeWithRights(p).Member, row.Right) {
				t.Errorf("an employee has %s without being allowed", row.Right)
			}
			err := p.Backoffice.SetEmployeeRights(t.Context(), p.Administrator(),
				office.EmployeeRightsInput{Rights: []access.Right{row.Right}})
			if row.Alone {
				portaltest.WantField(t, err, "rights", access.ChoiceRequired)
			} else if err != nil {
				t.Error(err)
			}
		}
		if access.May(p.Administrator().Member, "everything") {
			t.Error("an administrator has a right that is none")
		}
		portaltest.WantField(t, p.Backoffice.SetEmployeeRights(t.Context(), p.Administrator(),
			office.EmployeeRightsInput{Rights: []access.Right{"everything"}}), "rights", access.ChoiceRequired)
	})
}

func TestTheDocumentedTableOfRightsMatchesTheCode(t *testing.T) {
	page, err := os.ReadFile("../../docs/back-office.md")
	portaltest.NoError(t, err)
	var told []access.RightRow
	rows := regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\| [^|]+ \\| (where allowed|never) \\|$")
	for _, row := range rows.FindAllStringSubmatch(string(page), -1) {
		told = append(told, access.RightRow{Right: access.Right(row[1]), Alone: row[2] == "never"})
	}
	if !slices.Equal(told, access.Rights) {
		t.Errorf("the document lists %v, the program has %v", told, access.Rights)
	}
}
