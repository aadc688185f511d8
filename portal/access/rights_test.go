package access_test

import (
	"errors"
	"os"
	"regexp"
	"slices"
	"testing"

	"portico/portal/access"
	"portico/portal/backoffice"
	"portico/portal/portaltest"
)

func TestEveryOperationOfTheBackOfficeNeedsItsRight(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		deeds := p.Deeds()
		all := make([]access.Right, len(access.Rights))
		for i, row := range access.Rights {
			all[i] = row.Right
		}
		before := p.Rows("companies", "orders", "audit_events", "attempts") // an employee who may confirms the order
		for _, d := range deeds {
			i := slices.IndexFunc(access.Rights, func(row access.RightRow) bool { return row.Right == d.Right })
			without := slices.DeleteFunc(slices.Clone(all), func(right access.Right) bool { return right == d.Right })
			for _, here := range []access.Landing{p.EmployeeWith(), p.EmployeeWith(without...)} {
				if err := d.Do(t.Context(), here); !errors.Is(err, access.Forbidden) {
					t.Errorf("%s by an employee who may not: %v", d.Name, err)
				}
			}
			if err := d.Do(t.Context(), p.EmployeeWith(all...)); access.Rights[i].Alone &&
				!errors.Is(err, access.Forbidden) {
				t.Errorf("%s is the administrators' alone: %v", d.Name, err)
			} else if !access.Rights[i].Alone && err != nil {
				t.Errorf("%s by an employee who may: %v", d.Name, err)
			}
			if err := d.Do(t.Context(), p.At(p.Account("buyer1"))); !errors.Is(err, access.NotFound) {
				t.Errorf("%s by a customer: %v", d.Name, err)
			}
			if d.Own {
				continue
			}
			if err := d.Do(t.Context(), p.At(p.Account("northwind"))); !errors.Is(err, access.NotFound) {
				t.Errorf("%s by another company: %v", d.Name, err)
			}
		}
		if p.Rows("companies", "orders", "audit_events", "attempts") != before ||
			p.Events(1001, "order_confirmed") != 1 {
			t.Error("something was written for those who may not")
		}
		for _, d := range deeds {
			if err := d.Do(t.Context(), p.Boss()); err != nil {
				t.Errorf("%s by an administrator: %v", d.Name, err)
			}
		}
	})
}

func TestRolesHaveTheRightsOfTheTable(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		for _, row := range access.Rights {
			employee := p.EmployeeWith(row.Right)
			if access.May(employee.Member, row.Right) == row.Alone || !access.May(p.Boss().Member, row.Right) ||
				access.May(p.At(p.Account("buyer1")).Member, row.Right) {
				t.Errorf("%+v does not hold", row)
			}
			if access.May(p.EmployeeWith().Member, row.Right) {
				t.Errorf("an employee has %s without being allowed", row.Right)
			}
			err := p.Backoffice.SetEmployeeRights(t.Context(), p.Boss(),
				backoffice.EmployeeRightsInput{Rights: []access.Right{row.Right}})
			if row.Alone {
				portaltest.Field(t, err, "rights", access.ChoiceRequired)
			} else if err != nil {
				t.Error(err)
			}
		}
		if access.May(p.Boss().Member, "everything") {
			t.Error("an administrator has a right that is none")
		}
		portaltest.Field(t, p.Backoffice.SetEmployeeRights(t.Context(), p.Boss(),
			backoffice.EmployeeRightsInput{Rights: []access.Right{"everything"}}), "rights", access.ChoiceRequired)
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
