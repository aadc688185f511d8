package application_test

import (
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/application"
	"portico/portal/portaltest"
	"portico/portal/portaltest/applicationtest"
	"portico/portal/portaltest/companytest"
	"portico/store"
)

// administratorIn returns the name and phone of the administrator among contacts, "" for none.
func administratorIn(contacts []access.Contact) string {
	for _, c := range contacts {
		if c.Role == access.RoleAdministrator {
			return c.Name + " " + c.Phone
		}
	}
	return ""
}

func TestApplicantsMayCallTheFirstAdministratorOfACompanyWithoutAContact(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		const set = "Lucía Ramos 13700000002"
		founder := companytest.AddCompany(p.Platform, "es")
		companytest.AddAccount(p.Platform, "second", founder.CompanyID, store.Mgr, "13800000011")
		p.UpdateCompany(founder.CompanyID, func(c *store.Company) {
			c.ApplicationsOpen, c.ApplicationsReviewed = true, true
		})
		pending := applicationtest.New(p, founder.CompanyID, "13900000111")
		a, err := applicationtest.Send(p, pending)
		portaltest.NoError(t, err)
		want := func(when, ticket, want string) {
			t.Helper()
			view, err := p.Application.ApplicationByID(t.Context(), a.ID, ticket)
			portaltest.NoError(t, err)
			if got := administratorIn(view.Contacts); got != want {
				t.Errorf("%s: %q is to be called, want %q", when, got, want)
			}
		}
		own := founder.Name + " " + founder.Phone
		want("pending", pending.Ticket, own)
		want("with the link alone", "", "")
		other := applicationtest.New(p, founder.CompanyID, "13900000222")
		want("another applicant", other.Ticket, "")
		_, _, err = p.Application.Review(t.Context(), p.LandingFor(founder),
			application.ReviewInput{ID: a.ID, Reason: "Sin cupo"})
		portaltest.NoError(t, err)
		want("rejected", pending.Ticket, own)

		// Strangers who ask how the company accepts customers get no number.
		setting, err := p.Application.ApplicationSetting(t.Context(), founder.CompanyID)
		if got := administratorIn(setting.Contacts); err != nil || got != "" {
			t.Errorf("the setting has %q, %v", got, err)
		}
		p.UpdateCompany(founder.CompanyID, func(c *store.Company) {
			c.ContactName, c.ContactPhone = "Lucía Ramos", "13700000002"
		})
		p.Clock.Advance(2 * time.Second) // past the cache of companies
		want("with a contact", pending.Ticket, set)
		want("with a contact, by the link alone", "", set)
	})
}

func TestBlockedPeopleMayCallTheFirstAdministratorOfACompanyWithoutAContact(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		boss := p.Account("jinsui")
		p.UpdateCompany(boss.CompanyID, func(c *store.Company) { c.ContactName, c.ContactPhone = "", "" })
		want := boss.Name + " " + boss.Phone
		for phone, reason := range map[string]access.Refusal{
			"13800000004": access.UnderReview, "13800000005": access.AccountDisabled,
			"13800000006": access.PartnerEnded,
		} {
			_, err := p.Login(p.LoginInput(phone))
			with := portaltest.Refused(t, err, reason)
			if got := administratorIn(with.Contacts); got != want {
				t.Errorf("%s: %q is to be called, want %q", reason, got, want)
			}
		}
		// The list of companies of somebody who may enter others.
		p.SetAccountState("li.manager", store.AccountDisabled)
		p.SetAccountState("li.shop", store.AccountDisabled)
		for _, c := range companytest.ListAccounts(p, companytest.SessionOf(p.Account("li.manager"))) {
			if _, contacts := c.Blocked(); c.Company.ID == boss.CompanyID && administratorIn(contacts) != want {
				t.Errorf("in the list %v are to be called, want %q", contacts, want)
			}
		}
		// A wrong password, and an administrator who is blocked: nobody else, and not they themselves.
		in := p.LoginInput("13800000005")
		in.Password = "Wrong2026"
		wrong := portaltest.Refused(t, second(p.Login(in)), access.WrongPassword)
		if administratorIn(wrong.Contacts) != "" {
			t.Errorf("after a wrong password %v are named", wrong.Contacts)
		}
		p.UpdateCompany(boss.CompanyID, func(c *store.Company) { c.Disabled = true })
		_, err := p.Login(p.LoginInput("13800000002"))
		with := portaltest.Refused(t, err, access.CompanyDisabled)
		if got := administratorIn(with.Contacts); got != "" {
			t.Errorf("the administrator is to call %q", got)
		}
	})
}

// second returns the error of a call.
func second[T any](_ T, err error) error { return err }
