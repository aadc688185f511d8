package portal_test

import (
	"strings"
	"testing"
	"time"

	"portico/portal"
	"portico/store"
)

func TestTheApplicationSettingTakesEffectAtOnceEverywhere(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		here := p.office("jinsui")
		in := p.applies(1001, newPhone)
		setting, err := p.ApplicationSettingOf(t.Context(), here)
		noError(t, err)
		setting.Open = false
		noError(t, p.SetApplicationSetting(p.from(homeAddress), here, setting))
		_, err = p.apply(in)
		with := refused(t, err, portal.ApplicationsClosed)
		if len(with.Contacts) == 0 || with.Contacts[0].Phone != setting.ContactPhone {
			t.Errorf("whom to call: %+v", with.Contacts)
		}
		p.clock.advance(2 * time.Minute)
		ask := p.asking(portal.ForApplication, "13911110009", portal.NewFlow())
		ask.CompanyID = 1001
		_, err = p.ask(ask)
		refused(t, err, portal.ApplicationsClosed)
		if open, err := p.ApplicationSetting(t.Context(), 1001); err != nil || open.Open {
			t.Errorf("%+v %v", open, err)
		}

		setting.Seen, setting.Open, setting.Required = "", true, []string{"reason", "position"}
		noError(t, p.SetApplicationSetting(p.from(homeAddress), here, setting))
		in.Position, in.Reason = "", " "
		_, err = p.apply(in)
		if with := refused(t, err, portal.ValidationFailed); len(with.Fields) != 2 {
			t.Errorf("%v", with.Fields)
		}
		setting.Review, setting.Required = false, nil
		noError(t, p.SetApplicationSetting(p.from(homeAddress), here, setting))
		a, err := p.apply(in)
		if err != nil || a.State != store.ApplicationApproved {
			t.Errorf("%+v %v", a, err)
		}
		if p.events(1001, "registration_set") != 3 {
			t.Error("not in the audit log")
		}
	})
}

func TestTheApplicationSettingIsStoredNormalised(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		here := p.office("sur")
		noError(t, p.SetApplicationSetting(t.Context(), here, portal.ApplicationSettingInput{
			Open: true, ContactName: "  Ana Ruiz ", ContactPhone: "+86 139-0000-0111", Required: []string{"licence", "position", "licence"}, ExclusivePhones: true,
		}))
		c := p.company(1002)
		if !c.ApplicationsOpen || c.ApplicationsReviewed || !c.ExclusivePhones || c.ContactName != "Ana Ruiz" || c.ContactPhone != "13900000111" || c.ApplicationsRequired != "position licence" {
			t.Errorf("%+v", c)
		}
		noError(t, p.SetApplicationSetting(t.Context(), here, portal.ApplicationSettingInput{}))
		if c := p.company(1002); c.ApplicationsOpen || c.ContactName+c.ContactPhone+c.ApplicationsRequired != "" {
			t.Errorf("%+v", c)
		}
	})
}

func TestAMalformedApplicationSettingChangesNothing(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		here, before := p.office("sur"), p.rows()
		good := portal.ApplicationSettingInput{Open: true, ContactName: "Ana", ContactPhone: "13900000111"}
		for field, change := range map[string]func(*portal.ApplicationSettingInput){
			"contact_name":   func(in *portal.ApplicationSettingInput) { in.ContactName = "a\u202eb" },
			"contact_name ":  func(in *portal.ApplicationSettingInput) { in.ContactName = strings.Repeat("a", portal.MaxName+1) },
			"contact_name  ": func(in *portal.ApplicationSettingInput) { in.ContactName = "" },
			"contact_phone":  func(in *portal.ApplicationSettingInput) { in.ContactPhone = "12345" },
			"contact_phone ": func(in *portal.ApplicationSettingInput) { in.ContactPhone = "" },
			"required":       func(in *portal.ApplicationSettingInput) { in.Required = []string{"position", "password"} },
		} {
			in := good
			change(&in)
			if with := refused(t, p.SetApplicationSetting(t.Context(), here, in), portal.ValidationFailed); with.Fields[strings.TrimSpace(field)] == "" || len(with.Fields) != 1 {
				t.Errorf("%s: %v", field, with.Fields)
			}
		}
		for login, want := range map[string]portal.Refusal{"li.manager": portal.Forbidden, "buyer1": portal.NotFound} {
			refused(t, p.SetApplicationSetting(t.Context(), p.office(login), good), want)
			_, err := p.ApplicationSettingOf(t.Context(), p.office(login))
			refused(t, err, want)
		}
		if p.rows() != before {
			t.Error("something was written")
		}
	})
}

func TestASandboxTakesNobodyFromOutsideAndATrialDoes(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		here := p.office("trial")
		noError(t, p.SetApplicationSetting(t.Context(), here, portal.ApplicationSettingInput{Open: true}))
		if !p.company(1008).ApplicationsOpen {
			t.Error("a company on trial takes nobody")
		}
		p.updateCompany(1008, func(c *store.Company) { c.Sandbox, c.ApplicationsOpen = true, false })
		here = p.office("trial")
		if with := refused(t, p.SetApplicationSetting(t.Context(), here, portal.ApplicationSettingInput{Open: true}), portal.ValidationFailed); with.Fields["open"] != portal.NotWhileTrying {
			t.Errorf("%v", with.Fields)
		}
		noError(t, p.SetApplicationSetting(t.Context(), here, portal.ApplicationSettingInput{Review: true}))
	})
}
