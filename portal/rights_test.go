package portal_test

import (
	"context"
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"portico/portal"
	"portico/store"
)

// deed is an operation that takes a right, done with the ids of company 1001. Own says that it has no id: everybody does it
// in their own company.
type deed struct {
	name  string
	right portal.Right
	own   bool
	do    func(ctx context.Context, here portal.Landing) error
}

func (p *platform) deeds() []deed {
	p.t.Helper()
	o, err := p.order(p.landed("buyer1", phoneScreen), p.product(1001).ID, "1", portal.NewForm())
	noError(p.t, err)
	person, client := p.account("former").ID, p.account("former").ClientID
	const applied = 1<<52 + 7
	_, err = p.db.AddApplication(p.t.Context(), store.Application{ID: applied, CompanyID: 1001, Phone: newPhone, State: store.ApplicationPending, CompanyName: "桥头", ContactName: "阮", CreatedAt: 1})
	noError(p.t, err)
	return []deed{
		{"CompanyApplications", portal.RightApplications, true, func(ctx context.Context, here portal.Landing) error {
			_, err := p.CompanyApplications(ctx, here, portal.ApplicationsFrom{})
			return err
		}},
		{"CompanyApplication", portal.RightApplications, false, func(ctx context.Context, here portal.Landing) error {
			_, err := p.CompanyApplication(ctx, here, applied)
			return err
		}},
		{"Review", portal.RightReview, false, func(ctx context.Context, here portal.Landing) error {
			_, _, err := p.Review(ctx, here, portal.ReviewInput{ID: applied, Approve: true})
			return err
		}},
		{"Audit", portal.RightAudit, true, func(ctx context.Context, here portal.Landing) error {
			_, err := p.Audit(ctx, here, "", 0)
			return err
		}},
		{"AuditAll", portal.RightAudit, true, func(ctx context.Context, here portal.Landing) error {
			_, err := p.AuditAll(ctx, here, "")
			return err
		}},
		{"VisitsOf", portal.RightAudit, true, func(ctx context.Context, here portal.Landing) error {
			_, err := p.VisitsOf(ctx, here, 30)
			return err
		}},
		{"VisitRows", portal.RightAudit, true, func(ctx context.Context, here portal.Landing) error {
			_, err := p.VisitRows(ctx, here, 30)
			return err
		}},
		{"ApplicationSettingOf", portal.RightSettings, true, func(ctx context.Context, here portal.Landing) error {
			_, err := p.ApplicationSettingOf(ctx, here)
			return err
		}},
		{"AppearanceOf", portal.RightSettings, true, func(ctx context.Context, here portal.Landing) error {
			_, err := p.AppearanceOf(ctx, here)
			return err
		}},
		{"LookBefore", portal.RightSettings, true, func(ctx context.Context, here portal.Landing) error {
			_, _, err := p.LookBefore(ctx, here)
			return err
		}},
		{"KeptDraft", portal.RightSettings, true, func(ctx context.Context, here portal.Landing) error {
			_, _, err := p.KeptDraft(ctx, here)
			return err
		}},
		{"LookToken", portal.RightSettings, true, func(_ context.Context, here portal.Landing) error {
			_, err := p.LookToken(here)
			return err
		}},
		{"PreviewLook", portal.RightSettings, false, func(ctx context.Context, here portal.Landing) error {
			token, err := p.LookToken(p.boss())
			noError(p.t, err)
			_, err = p.PreviewLook(ctx, here, token)
			return err
		}},
		{"DropLook", portal.RightSettings, true, func(ctx context.Context, here portal.Landing) error { return p.DropLook(ctx, here) }},
		{"Domains", portal.RightSettings, true, func(ctx context.Context, here portal.Landing) error {
			_, err := p.Domains(ctx, here)
			return err
		}},
		{"CompanyOrders", portal.RightOrders, true, func(ctx context.Context, here portal.Landing) error {
			_, err := p.CompanyOrders(ctx, here, 0, "zh")
			return err
		}},
		{"CompanyOrder", portal.RightOrders, false, func(ctx context.Context, here portal.Landing) error {
			_, err := p.CompanyOrder(ctx, here, o.ID, "zh")
			return err
		}},
		{"ConfirmOrder", portal.RightOrders, false, func(ctx context.Context, here portal.Landing) error { return p.ConfirmOrder(ctx, here, o.ID) }},
		{"Customers", portal.RightCustomers, true, func(ctx context.Context, here portal.Landing) error {
			_, err := p.Customers(ctx, here, 0, "zh")
			return err
		}},
		{"Customer", portal.RightCustomers, false, func(ctx context.Context, here portal.Landing) error {
			_, err := p.Customer(ctx, here, client, "zh")
			return err
		}},
		{"EndPartnership", portal.RightManageCustomers, false, func(ctx context.Context, here portal.Landing) error {
			return p.EndPartnership(ctx, here, client)
		}},
		{"ResumePartnership", portal.RightManageCustomers, false, func(ctx context.Context, here portal.Landing) error {
			return p.ResumePartnership(ctx, here, client)
		}},
		{"People", portal.RightPeople, true, func(ctx context.Context, here portal.Landing) error {
			_, err := p.People(ctx, here, "", 0)
			return err
		}},
		{"PersonHere", portal.RightPeople, false, func(ctx context.Context, here portal.Landing) error {
			_, err := p.PersonHere(ctx, here, person)
			return err
		}},
		{"Partners", portal.RightManagePeople, true, func(ctx context.Context, here portal.Landing) error {
			_, err := p.Partners(ctx, here, "zh")
			return err
		}},
		{"OpenAccount", portal.RightManagePeople, false, func(ctx context.Context, here portal.Landing) error {
			_, err := p.OpenAccount(ctx, here, portal.OpenAccountInput{Side: "shop", Type: 3, Name: "谁", ClientID: p.client()})
			return err
		}},
		{"EnablePerson", portal.RightManagePeople, false, func(ctx context.Context, here portal.Landing) error {
			return p.EnablePerson(ctx, here, person)
		}},
		{"DisablePerson", portal.RightManagePeople, false, func(ctx context.Context, here portal.Landing) error {
			return p.DisablePerson(ctx, here, person)
		}},
		{"GiveFirstPassword", portal.RightManagePeople, false, func(ctx context.Context, here portal.Landing) error {
			_, err := p.GiveFirstPassword(ctx, here, person, "")
			return err
		}},
		{"EmployeeRights", portal.RightSettings, true, func(ctx context.Context, here portal.Landing) error {
			_, err := p.EmployeeRights(ctx, here)
			return err
		}},
		{"SetEmployeeRights", portal.RightSettings, true, func(ctx context.Context, here portal.Landing) error {
			return p.SetEmployeeRights(ctx, here,
				portal.EmployeeRightsInput{Rights: []portal.Right{portal.RightOrders}})
		}},
		{"Samples", portal.RightSettings, true, func(ctx context.Context, here portal.Landing) error {
			_, err := p.Samples(ctx, here, "zh")
			return err
		}},
		{"ClearSamples", portal.RightSettings, true, func(ctx context.Context, here portal.Landing) error {
			_, err := p.ClearSamples(ctx, here)
			return err
		}},
		{"EditPerson", portal.RightManagePeople, false, func(ctx context.Context, here portal.Landing) error {
			return p.EditPerson(ctx, here, person, portal.PersonInput{Name: "吴雷", ClientID: client})
		}},
		{"CustomerTypes", portal.RightCustomers, true, func(ctx context.Context, here portal.Landing) error {
			_, err := p.CustomerTypes(ctx, here)
			return err
		}},
		{"SetCustomerTypes", portal.RightManageCustomers, true, func(ctx context.Context, here portal.Landing) error {
			return p.SetCustomerTypes(ctx, here, portal.CustomerTypesInput{New: "酒店"})
		}},
		{"SetCustomerType", portal.RightManageCustomers, false, func(ctx context.Context, here portal.Landing) error {
			return p.SetCustomerType(ctx, here, client, portal.CustomerTypeInput{TypeID: 2})
		}},
		{"SetApplicationSetting", portal.RightSettings, true, func(ctx context.Context, here portal.Landing) error {
			return p.SetApplicationSetting(ctx, here, portal.ApplicationSettingInput{Open: true})
		}},
	}
}

// employeeWith is an employee of 1001 whose company stores these rights, whatever they are.
func (p *platform) employeeWith(rights ...portal.Right) portal.Landing {
	p.t.Helper()
	var names []string
	for _, right := range rights {
		names = append(names, string(right))
	}
	p.updateCompany(1001, func(c *store.Company) { c.EmployeeRights = strings.Join(names, " ") })
	return p.at(p.account("li.manager"))
}

func TestEveryOperationOfTheOfficeTakesItsRight(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		deeds := p.deeds()
		all := make([]portal.Right, len(portal.Rights))
		for i, row := range portal.Rights {
			all[i] = row.Right
		}
		before := p.rows("companies", "orders", "audit_events", "attempts") // an employee who may confirms the order
		for _, d := range deeds {
			i := slices.IndexFunc(portal.Rights, func(row portal.RightRow) bool { return row.Right == d.right })
			without := slices.DeleteFunc(slices.Clone(all), func(right portal.Right) bool { return right == d.right })
			for _, here := range []portal.Landing{p.employeeWith(), p.employeeWith(without...)} {
				if err := d.do(t.Context(), here); !errors.Is(err, portal.Forbidden) {
					t.Errorf("%s by an employee who may not: %v", d.name, err)
				}
			}
			if err := d.do(t.Context(), p.employeeWith(all...)); portal.Rights[i].Alone && !errors.Is(err, portal.Forbidden) {
				t.Errorf("%s is the administrators' alone: %v", d.name, err)
			} else if !portal.Rights[i].Alone && err != nil {
				t.Errorf("%s by an employee who may: %v", d.name, err)
			}
			if err := d.do(t.Context(), p.at(p.account("buyer1"))); !errors.Is(err, portal.NotFound) {
				t.Errorf("%s by a customer: %v", d.name, err)
			}
			if d.own {
				continue
			}
			if err := d.do(t.Context(), p.at(p.account("northwind"))); !errors.Is(err, portal.NotFound) {
				t.Errorf("%s by another company: %v", d.name, err)
			}
		}
		if p.rows("companies", "orders", "audit_events", "attempts") != before || p.events(1001, "order_confirmed") != 1 {
			t.Error("something was written for those who may not")
		}
		for _, d := range deeds {
			if err := d.do(t.Context(), p.boss()); err != nil {
				t.Errorf("%s by an administrator: %v", d.name, err)
			}
		}
	})
}

func TestWhoMayWhatIsTheTable(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		for _, row := range portal.Rights {
			employee := p.employeeWith(row.Right)
			if portal.May(employee.Member, row.Right) == row.Alone || !portal.May(p.boss().Member, row.Right) || portal.May(p.at(p.account("buyer1")).Member, row.Right) {
				t.Errorf("%+v does not hold", row)
			}
			if portal.May(p.employeeWith().Member, row.Right) {
				t.Errorf("an employee has %s without being allowed", row.Right)
			}
			err := p.SetEmployeeRights(t.Context(), p.boss(),
				portal.EmployeeRightsInput{Rights: []portal.Right{row.Right}})
			if row.Alone {
				field(t, err, "rights", portal.ChoiceRequired)
			} else if err != nil {
				t.Error(err)
			}
		}
		if portal.May(p.boss().Member, "everything") {
			t.Error("an administrator has a right that is none")
		}
		field(t, p.SetEmployeeRights(t.Context(), p.boss(),
			portal.EmployeeRightsInput{Rights: []portal.Right{"everything"}}), "rights", portal.ChoiceRequired)
	})
}

func TestTheDocumentsTableIsTheTable(t *testing.T) {
	page, err := os.ReadFile("../docs/back-office.md")
	noError(t, err)
	var told []portal.RightRow
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\| [^|]+ \\| (where allowed|never) \\|$").FindAllStringSubmatch(string(page), -1) {
		told = append(told, portal.RightRow{Right: portal.Right(row[1]), Alone: row[2] == "never"})
	}
	if !slices.Equal(told, portal.Rights) {
		t.Errorf("the page tells %v, the program does %v", told, portal.Rights)
	}
}
