package core_test

import (
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/office"
	"portico/portal/portaltest"
	"portico/portal/portaltest/companytest"
)

// The administrator ends all their sign-ins while another person's request in one of them compares the password.
func TestARoleIsNotChangedWhenTheSignInEndsMeanwhile(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		signed := p.SignIn(portaltest.AccountHost, portaltest.ManagerPhone)
		boss := p.LandWithSession(signed.Session, "jinsui")
		in := companytest.RoleChangeInput("li.manager", p, office.MakeAdministrator)
		leave := p.Passwords.CrowdHashQueue(0)
		changed := make(chan error)
		go func() { changed <- p.Backoffice.ChangeRole(t.Context(), boss, in) }()
		for p.Passwords.WaitForHash() == 0 {
			time.Sleep(time.Millisecond)
		}
		portaltest.NoError(t, p.DB.Sessions.EndPerson(t.Context(), signed.Session.PersonID, ""))
		leave()
		portaltest.Refused(t, <-changed, access.LoginRequired)
		if companytest.AccountTypes(p, "li.manager") != "2" {
			t.Error("it was changed")
		}
	})
}
