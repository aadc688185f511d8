package office_test

import (
	"fmt"
	"strings"
	"testing"

	"portico/portal/access"
	"portico/portal/office"
	"portico/portal/portaltest"
	"portico/portal/portaltest/companytest"
	"portico/store"
)

func TestAnAdministratorEditsAnAccount(t *testing.T) {
	portaltest.EachCondition(t, func(t *testing.T, p *portaltest.Platform) {
		m := p.Account("buyer1")
		other, err := p.DB.Clients.Add(t.Context(), store.Client{
			CompanyID: 1001, Name: "新店", State: store.ClientPartner, CreatedAt: 1,
		})
		portaltest.NoError(t, err)
		in := office.PersonInput{
			Name: " 王小芳 ", Position: "采购", Department: "粮油部", ClientID: other, Seen: office.PersonDetails(m).Seen,
		}
		for range 2 { // sent twice
			portaltest.NoError(t, p.Backoffice.EditPerson(t.Context(), p.Administrator(), m.ID, in))
		}
		now := p.Account("buyer1")
		if now.Name != "王小芳" || now.DutyName != "采购" || now.DeptName != "粮油部" || now.ClientID != other ||
			p.CountEvents(1001, "account_edited") != 1 {
			t.Errorf("%+v", now.Account)
		}
		in.Name, in.Department = "王大芳", ""
		portaltest.WantField(
			t, p.Backoffice.EditPerson(t.Context(), p.Administrator(), m.ID, in), "seen", office.PersonChanged,
		)
		in.Seen = office.PersonDetails(now).Seen
		portaltest.NoError(t, p.Backoffice.EditPerson(t.Context(), p.Administrator(), m.ID, in))
		if now := p.Account("buyer1"); now.Name != "王大芳" || now.DeptName != "" {
			t.Errorf("%+v", now.Account)
		}
		staff := p.Account("li.manager")
		portaltest.NoError(
			t,
			p.Backoffice.EditPerson(t.Context(), p.Administrator(), staff.ID, office.PersonInput{
				Name: "李伟", Department: "销售部", ClientID: other,
			}),
		)
		if now := p.Account("li.manager"); now.ClientID != 0 || now.DeptName != "销售部" {
			t.Errorf("an employee's customer: %+v", now.Account)
		}
	})
}

func TestEditingAnAccountRefusesInvalidInput(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		m := p.Account("buyer1")
		before := p.DumpRows("attempts")
		for _, c := range []struct {
			field  string
			want   access.Problem
			change func(*office.PersonInput)
		}{
			{"name", access.NameRequired, func(in *office.PersonInput) { in.Name = "" }},
			{"name", access.NameMalformed, func(in *office.PersonInput) { in.Name = strings.Repeat("王", 41) }},
			{
				"position", access.TextMalformed,
				func(in *office.PersonInput) { in.Position = strings.Repeat("长", 41) },
			},
			{
				"department", access.TextMalformed,
				func(in *office.PersonInput) { in.Department = strings.Repeat("部", 41) },
			},
			{"client_id", access.ClientRequired, func(in *office.PersonInput) { in.ClientID = 0 }},
			{
				"client_id", access.ClientRequired,
				func(in *office.PersonInput) { in.ClientID = p.Account("former").ClientID },
			},
		} {
			in := office.PersonDetails(m)
			c.change(&in)
			portaltest.WantField(t, p.Backoffice.EditPerson(t.Context(), p.Administrator(), m.ID, in), c.field, c.want)
		}
		in := office.PersonDetails(m)
		in.ClientID = p.Account("li.lights").ClientID
		portaltest.Refused(t, p.Backoffice.EditPerson(t.Context(), p.Administrator(), m.ID, in), access.NotFound)
		if p.DumpRows("attempts") != before {
			t.Error("something was written")
		}
		in = office.PersonDetails(m)
		in.Department = strings.Repeat("部", 40)
		portaltest.NoError(t, p.Backoffice.EditPerson(t.Context(), p.Administrator(), m.ID, in))
	})
}

func TestACompanyNamesItsCustomerTypes(t *testing.T) {
	portaltest.EachCondition(t, func(t *testing.T, p *portaltest.Platform) {
		sur := p.Office("sur")
		add := func(name string) error {
			stored, err := p.Backoffice.CustomerTypes(t.Context(), sur)
			portaltest.NoError(t, err)
			stored.New = name
			return p.Backoffice.SetCustomerTypes(t.Context(), sur, stored)
		}
		types := func() string {
			stored, err := p.Backoffice.CustomerTypes(t.Context(), sur)
			portaltest.NoError(t, err)
			var all []string
			for _, one := range stored.Types {
				all = append(all, fmt.Sprint(one.ID, "=", one.Name))
			}
			return strings.Join(all, " ")
		}
		for range 2 { // the same form, sent twice
			portaltest.NoError(
				t, p.Backoffice.SetCustomerTypes(t.Context(), sur, office.CustomerTypesInput{New: "Minorista"}),
			)
		}
		portaltest.NoError(t, add("Cadena"))
		portaltest.NoError(t, add(strings.Repeat("a", 30)))
		portaltest.WantField(t, add(strings.Repeat("a", 31)), "new", access.TextMalformed)
		portaltest.WantField(t, add("CADENA"), "new", office.CustomerTypeTwice)
		stored, err := p.Backoffice.CustomerTypes(t.Context(), sur)
		portaltest.NoError(t, err)
		stored.Types[0].Name, stored.Types[2].Name = "Tienda", ""
		portaltest.NoError(t, p.Backoffice.SetCustomerTypes(t.Context(), sur, stored))
		if types() != "1=Tienda 2=Cadena" {
			t.Errorf("%s", types())
		}
		stored.Types[0].Name = "Comercio" // shown before the change above
		portaltest.WantField(
			t, p.Backoffice.SetCustomerTypes(t.Context(), sur, stored), "seen", office.CustomerTypesChanged,
		)
		portaltest.NoError(t, add("Restaurante"))
		portaltest.NoError(t, add(strings.Repeat("a", 30))) // one that was removed comes back under its number
		if want := "1=Tienda 2=Cadena 3=" + strings.Repeat("a", 30) + " 4=Restaurante"; types() != want {
			t.Errorf("%s", types())
		}
		if ours, err := p.Backoffice.CustomerTypes(t.Context(), p.Administrator()); err != nil || len(ours.Types) != 3 {
			t.Errorf("another company has %+v", ours.Types)
		}
	})
}

func TestACompanyHasAtMostThirtyCustomerTypesAndTwoHundredEver(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		sur := p.Office("sur")
		add := func(name string) error {
			return p.Backoffice.SetCustomerTypes(t.Context(), sur, office.CustomerTypesInput{New: name})
		}
		for i := range 30 {
			portaltest.NoError(t, add(fmt.Sprint("type ", i)))
		}
		portaltest.WantField(t, add("one more"), "new", office.CustomerTypesFull)
		for i := range 30 {
			portaltest.NoError(
				t,
				p.DB.Clients.PutType(t.Context(), store.CustomerType{
					CompanyID: 1002, ID: int64(i + 1), Name: fmt.Sprint("type ", i), Removed: true,
				}),
			)
		}
		portaltest.NoError(
			t,
			p.DB.Clients.PutType(t.Context(), store.CustomerType{CompanyID: 1002, ID: 199, Name: "old", Removed: true}),
		)
		portaltest.NoError(t, add("the last one"))
		portaltest.WantField(t, add("one too many"), "new", office.CustomerTypesFull)
	})
}

func TestACustomersTypeIsReturnedToPrograms(t *testing.T) {
	portaltest.EachCondition(t, func(t *testing.T, p *portaltest.Platform) {
		shown, err := p.Backoffice.Customer(t.Context(), p.Administrator(), companytest.PartnerID(p))
		portaltest.NoError(t, err)
		in := office.CustomerTypeInput{TypeID: 2, Seen: office.CustomerTypeTag(shown.Client)}
		for range 2 { // sent twice
			portaltest.NoError(
				t, p.Backoffice.SetCustomerType(t.Context(), p.Administrator(), companytest.PartnerID(p), in),
			)
		}
		if here := p.Land("buyer1", portaltest.PhoneScreen); here.User.ClientTypeID != 2 ||
			p.CountEvents(1001, "customer_type_set") != 1 {
			t.Errorf("%d", here.User.ClientTypeID)
		}
		in.TypeID = 3
		portaltest.WantField(
			t,
			p.Backoffice.SetCustomerType(t.Context(), p.Administrator(), companytest.PartnerID(p), in),
			"seen",
			office.CustomerChanged,
		)
		in.Seen, in.TypeID = "", 9
		portaltest.WantField(
			t,
			p.Backoffice.SetCustomerType(t.Context(), p.Administrator(), companytest.PartnerID(p), in),
			"client_type_id",
			office.CustomerTypeGone,
		)
		portaltest.NoError(
			t,
			p.Backoffice.SetCustomerTypes(t.Context(), p.Administrator(), office.CustomerTypesInput{
				Types: []store.CustomerType{{ID: 2}, {ID: 3}},
			}),
		)
		if here := p.Land("buyer1", portaltest.PhoneScreen); here.User.ClientTypeID != 2 {
			t.Error("a customer loses a type that was removed")
		}
		in.TypeID = 3
		portaltest.WantField(
			t,
			p.Backoffice.SetCustomerType(t.Context(), p.Administrator(), companytest.PartnerID(p), in),
			"client_type_id",
			office.CustomerTypeGone,
		)
		in.TypeID = 0
		portaltest.NoError(
			t, p.Backoffice.SetCustomerType(t.Context(), p.Administrator(), companytest.PartnerID(p), in),
		)
		if here := p.Land("buyer1", portaltest.PhoneScreen); here.User.ClientTypeID != 0 {
			t.Error("none is none")
		}
	})
}
