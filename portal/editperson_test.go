package portal_test

import (
	"fmt"
	"strings"
	"testing"

	"portico/portal"
	"portico/store"
)

func TestAnAdministratorEditsAnAccount(t *testing.T) {
	eachCondition(t, func(t *testing.T, p *platform) {
		m := p.account("buyer1")
		other, err := p.db.NewClient(t.Context(), store.Client{CompanyID: 1001, Name: "新店", State: store.ClientPartner, CreatedAt: 1})
		noError(t, err)
		in := portal.PersonInput{Name: " 王小芳 ", Position: "采购", Department: "粮油部", ClientID: other, Seen: portal.PersonDetails(m).Seen}
		for range 2 { // sent twice
			noError(t, p.EditPerson(t.Context(), p.boss(), m.ID, in))
		}
		now := p.account("buyer1")
		if now.Name != "王小芳" || now.DutyName != "采购" || now.DeptName != "粮油部" || now.ClientID != other || p.events(1001, "account_edited") != 1 {
			t.Errorf("%+v", now.Account)
		}
		in.Name, in.Department = "王大芳", ""
		field(t, p.EditPerson(t.Context(), p.boss(), m.ID, in), "seen", portal.PersonChanged)
		in.Seen = portal.PersonDetails(now).Seen
		noError(t, p.EditPerson(t.Context(), p.boss(), m.ID, in))
		if now := p.account("buyer1"); now.Name != "王大芳" || now.DeptName != "" {
			t.Errorf("%+v", now.Account)
		}
		staff := p.account("li.manager")
		noError(t, p.EditPerson(t.Context(), p.boss(), staff.ID, portal.PersonInput{Name: "李伟", Department: "销售部", ClientID: other}))
		if now := p.account("li.manager"); now.ClientID != 0 || now.DeptName != "销售部" {
			t.Errorf("an employee's customer: %+v", now.Account)
		}
	})
}

func TestAnEditOfAnAccountRefusesWhatDoesNotFit(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		m := p.account("buyer1")
		before := p.rows("attempts")
		for _, c := range []struct {
			field  string
			want   portal.Problem
			change func(*portal.PersonInput)
		}{
			{"name", portal.NameRequired, func(in *portal.PersonInput) { in.Name = "" }},
			{"name", portal.NameMalformed, func(in *portal.PersonInput) { in.Name = strings.Repeat("王", 41) }},
			{"position", portal.TextMalformed, func(in *portal.PersonInput) { in.Position = strings.Repeat("长", 41) }},
			{"department", portal.TextMalformed, func(in *portal.PersonInput) { in.Department = strings.Repeat("部", 41) }},
			{"client_id", portal.ClientRequired, func(in *portal.PersonInput) { in.ClientID = 0 }},
			{"client_id", portal.ClientRequired, func(in *portal.PersonInput) { in.ClientID = p.account("former").ClientID }},
		} {
			in := portal.PersonDetails(m)
			c.change(&in)
			field(t, p.EditPerson(t.Context(), p.boss(), m.ID, in), c.field, c.want)
		}
		in := portal.PersonDetails(m)
		in.ClientID = p.account("li.lights").ClientID
		refused(t, p.EditPerson(t.Context(), p.boss(), m.ID, in), portal.NotFound)
		if p.rows("attempts") != before {
			t.Error("something was written")
		}
		in = portal.PersonDetails(m)
		in.Department = strings.Repeat("部", 40)
		noError(t, p.EditPerson(t.Context(), p.boss(), m.ID, in))
	})
}

func TestACompanyNamesTheTypesOfItsCustomers(t *testing.T) {
	eachCondition(t, func(t *testing.T, p *platform) {
		sur := p.office("sur")
		add := func(name string) error {
			stored, err := p.CustomerTypes(t.Context(), sur)
			noError(t, err)
			stored.New = name
			return p.SetCustomerTypes(t.Context(), sur, stored)
		}
		types := func() string {
			stored, err := p.CustomerTypes(t.Context(), sur)
			noError(t, err)
			var all []string
			for _, one := range stored.Types {
				all = append(all, fmt.Sprint(one.ID, "=", one.Name))
			}
			return strings.Join(all, " ")
		}
		for range 2 { // the same form, sent twice
			noError(t, p.SetCustomerTypes(t.Context(), sur, portal.CustomerTypesInput{New: "Minorista"}))
		}
		noError(t, add("Cadena"))
		noError(t, add(strings.Repeat("a", 30)))
		field(t, add(strings.Repeat("a", 31)), "new", portal.TextMalformed)
		field(t, add("CADENA"), "new", portal.CustomerTypeTwice)
		stored, err := p.CustomerTypes(t.Context(), sur)
		noError(t, err)
		stored.Types[0].Name, stored.Types[2].Name = "Tienda", ""
		noError(t, p.SetCustomerTypes(t.Context(), sur, stored))
		if types() != "1=Tienda 2=Cadena" {
			t.Errorf("%s", types())
		}
		stored.Types[0].Name = "Comercio" // shown before the change above
		field(t, p.SetCustomerTypes(t.Context(), sur, stored), "seen", portal.CustomerTypesChanged)
		noError(t, add("Restaurante"))
		noError(t, add(strings.Repeat("a", 30))) // one that was removed comes back under its number
		if want := "1=Tienda 2=Cadena 3=" + strings.Repeat("a", 30) + " 4=Restaurante"; types() != want {
			t.Errorf("%s", types())
		}
		if ours, err := p.CustomerTypes(t.Context(), p.boss()); err != nil || len(ours.Types) != 3 {
			t.Errorf("another company has %+v", ours.Types)
		}
	})
}

func TestACompanyHasThirtyTypesAndTwoHundredEver(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		sur := p.office("sur")
		add := func(name string) error {
			return p.SetCustomerTypes(t.Context(), sur, portal.CustomerTypesInput{New: name})
		}
		for i := range 30 {
			noError(t, add(fmt.Sprint("type ", i)))
		}
		field(t, add("one more"), "new", portal.CustomerTypesFull)
		for i := range 30 {
			noError(t, p.db.PutCustomerType(t.Context(), store.CustomerType{CompanyID: 1002, ID: int64(i + 1), Name: fmt.Sprint("type ", i), Removed: true}))
		}
		noError(t, p.db.PutCustomerType(t.Context(), store.CustomerType{CompanyID: 1002, ID: 199, Name: "old", Removed: true}))
		noError(t, add("the last one"))
		field(t, add("one too many"), "new", portal.CustomerTypesFull)
	})
}

func TestACustomerHasATypeThatProgramsGet(t *testing.T) {
	eachCondition(t, func(t *testing.T, p *platform) {
		shown, err := p.Customer(t.Context(), p.boss(), p.client(), "zh")
		noError(t, err)
		in := portal.CustomerTypeInput{TypeID: 2, Seen: portal.CustomerTypeTag(shown.Client)}
		for range 2 { // sent twice
			noError(t, p.SetCustomerType(t.Context(), p.boss(), p.client(), in))
		}
		if here := p.landed("buyer1", phoneScreen); here.User.ClientTypeID != 2 || p.events(1001, "customer_type_set") != 1 {
			t.Errorf("%d", here.User.ClientTypeID)
		}
		in.TypeID = 3
		field(t, p.SetCustomerType(t.Context(), p.boss(), p.client(), in), "seen", portal.CustomerChanged)
		in.Seen, in.TypeID = "", 9
		field(t, p.SetCustomerType(t.Context(), p.boss(), p.client(), in), "client_type_id", portal.CustomerTypeGone)
		noError(t, p.SetCustomerTypes(t.Context(), p.boss(), portal.CustomerTypesInput{Types: []store.CustomerType{{ID: 2}, {ID: 3}}}))
		if here := p.landed("buyer1", phoneScreen); here.User.ClientTypeID != 2 {
			t.Error("a customer loses a type that was removed")
		}
		in.TypeID = 3
		field(t, p.SetCustomerType(t.Context(), p.boss(), p.client(), in), "client_type_id", portal.CustomerTypeGone)
		in.TypeID = 0
		noError(t, p.SetCustomerType(t.Context(), p.boss(), p.client(), in))
		if here := p.landed("buyer1", phoneScreen); here.User.ClientTypeID != 0 {
			t.Error("none is none")
		}
	})
}
