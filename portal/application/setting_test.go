package application_test

import (
	"strings"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/application"
	"portico/portal/core"
	"portico/portal/portaltest"
	"portico/portal/portaltest/applicationtest"
	"portico/store"
)

func TestTheApplicationSettingTakesEffectAtOnceEverywhere(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		here := p.Office("jinsui")
		in := applicationtest.New(p, 1001, portaltest.NewPhone)
		setting, err := p.Application.ApplicationSettingOf(t.Context(), here)
		portaltest.NoError(t, err)
		setting.Open = false
		portaltest.NoError(t, p.Application.SetApplicationSetting(p.From(portaltest.HomeAddress), here, setting))
		_, err = applicationtest.Send(p, in)
		with := portaltest.Refused(t, err, access.ApplicationsClosed)
		if len(with.Contacts) == 0 || with.Contacts[0].Phone != setting.ContactPhone {
			t.Errorf("whom to call: %+v", with.Contacts)
		}
		p.Clock.Advance(2 * time.Minute)
		ask := p.CodeRequest(core.ForApplication, "13911110009", core.NewFlow())
		ask.CompanyID = 1001
		_, err = p.AskCode(ask)
		portaltest.Refused(t, err, access.ApplicationsClosed)
		if open, err := p.Application.ApplicationSetting(t.Context(), 1001); err != nil || open.Open {
			t.Errorf("%+v %v", open, err)
		}

		setting.Seen, setting.Open, setting.Required = "", true, []string{"reason", "position"}
		portaltest.NoError(t, p.Application.SetApplicationSetting(p.From(portaltest.HomeAddress), here, setting))
		in.Position, in.Reason = "", " "
		_, err = applicationtest.Send(p, in)
		if with := portaltest.Refused(t, err, access.ValidationFailed); len(with.Fields) != 2 {
			t.Errorf("%v", with.Fields)
		}
		setting.Review, setting.Required = false, nil
		portaltest.NoError(t, p.Application.SetApplicationSetting(p.From(portaltest.HomeAddress), here, setting))
		a, err := applicationtest.Send(p, in)
		if err != nil || a.State != store.ApplicationApproved {
			t.Errorf("%+v %v", a, err)
		}
		if p.CountEvents(1001, "registration_set") != 3 {
			t.Error("not in the audit log")
		}
	})
}

func TestTheApplicationSettingIsStoredNormalised(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		here := p.Office("sur")
		portaltest.NoError(
			t, p.Application.SetApplicationSetting(t.Context(), here, application.ApplicationSettingInput{
				Open: true, ContactName: "  Ana Ruiz ", ContactPhone: "+86 139-0000-0111",
				Required: []string{"licence", "position", "licence"}, ExclusivePhones: true,
			}),
		)
		c := p.Company(1002)
		if !c.ApplicationsOpen || c.ApplicationsReviewed || !c.ExclusivePhones || c.ContactName != "Ana Ruiz" ||
			c.ContactPhone != "13900000111" || c.ApplicationsRequired != "position licence" {
			t.Errorf("%+v", c)
		}
		portaltest.NoError(
			t, p.Application.SetApplicationSetting(t.Context(), here, application.ApplicationSettingInput{}),
		)
		if c := p.Company(1002); c.ApplicationsOpen || c.ContactName+c.ContactPhone+c.ApplicationsRequired != "" {
			t.Errorf("%+v", c)
		}
	})
}

func TestAMalformedApplicationSettingChangesNothing(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		here, before := p.Office("sur"), p.DumpRows()
		good := application.ApplicationSettingInput{Open: true, ContactName: "Ana", ContactPhone: "13900000111"}
		for field, change := range map[string]func(*application.ApplicationSettingInput){
			"contact_name": func(in *application.ApplicationSettingInput) { in.ContactName = "a\u0007b" },
			"contact_name ": func(in *application.ApplicationSettingInput) {
				in.ContactName = strings.Repeat("a", access.MaxName+1)
			},
			"contact_name  ": func(in *application.ApplicationSettingInput) { in.ContactName = "" },
			"contact_phone":  func(in *application.ApplicationSettingInput) { in.ContactPhone = "12345" },
			"contact_phone ": func(in *application.ApplicationSettingInput) { in.ContactPhone = "" },
			"required": func(in *application.ApplicationSettingInput) {
				in.Required = []string{
					"position", "password",
				}
			},
		} {
			in := good
			change(&in)
			if with := portaltest.Refused(
				t, p.Application.SetApplicationSetting(t.Context(), here, in), access.ValidationFailed,
			); with.Fields[strings.TrimSpace(field)] == "" || len(with.Fields) != 1 {
				t.Errorf("%s: %v", field, with.Fields)
			}
		}
		for login, want := range map[string]access.Refusal{"li.manager": access.Forbidden, "buyer1": access.NotFound} {
			portaltest.Refused(t, p.Application.SetApplicationSetting(t.Context(), p.Office(login), good), want)
			_, err := p.Application.ApplicationSettingOf(t.Context(), p.Office(login))
			portaltest.Refused(t, err, want)
		}
		if p.DumpRows() != before {
			t.Error("something was written")
		}
	})
}

func TestASandboxTakesNoApplicationsAndATrialDoes(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		here := p.Office("trial")
		portaltest.NoError(
			t, p.Application.SetApplicationSetting(t.Context(), here, application.ApplicationSettingInput{Open: true}),
		)
		if !p.Company(1008).ApplicationsOpen {
			t.Error("a company on trial takes nobody")
		}
		p.UpdateCompany(1008, func(c *store.Company) { c.Sandbox, c.ApplicationsOpen = true, false })
		here = p.Office("trial")
		if with := portaltest.Refused(
			t, p.Application.SetApplicationSetting(t.Context(), here, application.ApplicationSettingInput{Open: true}),
			access.ValidationFailed,
		); with.Fields["open"] != access.NotWhileTrying {
			t.Errorf("%v", with.Fields)
		}
		portaltest.NoError(
			t,
			p.Application.SetApplicationSetting(t.Context(), here, application.ApplicationSettingInput{Review: true}),
		)
	})
}
