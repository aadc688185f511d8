package office_test

import (
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/credentials"
	"portico/portal/office"
	"portico/portal/portaltest"
	"portico/portal/portaltest/companytest"
	"portico/portal/portaltest/credentialtest"
	"portico/store"
)

func TestACompanyLearnsOnlyTwentyExclusivePhonesOfOthers(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		phones := companytest.AddExclusiveCompany(p, 21)
		open := func(phone string) error {
			_, err := companytest.OpenAccount(p, office.OpenAccountInput{Side: "mgr", Type: 2, Name: "谁", Phone: phone})
			return err
		}
		for _, phone := range phones[:20] {
			portaltest.Refused(t, open(phone), access.PhoneBoundElsewhere)
		}
		// nor which are free
		for _, phone := range []string{phones[20], phones[0], portaltest.NewPhone} {
			if with := portaltest.Refused(t, open(phone), access.TooManyAttempts); with.Wait == 0 {
				t.Errorf("%+v", with)
			}
		}
		// tells of none
		// reveals no phone
		_, err := companytest.OpenAccount(p, office.OpenAccountInput{Side: "mgr", Type: 2, Name: "谁"})
		portaltest.NoError(t, err)
		p.Clock.Advance(core.LookupWindow + time.Second)
		portaltest.Refused(t, open(phones[20]), access.PhoneBoundElsewhere)
		portaltest.NoError(t, open(portaltest.NewPhone))
	})
}

func TestFirstPasswordsOfACompanyAreLimitedPerHour(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		id := credentialtest.OpenAccountWithFirstPassword(p, "newcomer").Member.ID
		for range credentials.FirstPasswordsAnHour - 1 {
			_, err := p.Backoffice.GiveFirstPassword(t.Context(), p.Administrator(), id, "")
			portaltest.NoError(t, err)
		}
		before := p.Account("newcomer")
		_, err := p.Backoffice.GiveFirstPassword(t.Context(), p.Administrator(), id, "")
		portaltest.Refused(t, err, access.TooManyAttempts)
		_, err = companytest.OpenAccount(p, office.OpenAccountInput{Side: "mgr", Type: 2, Name: "谁"})
		portaltest.Refused(t, err, access.TooManyAttempts)
		if p.Account("newcomer").PasswordHash != before.PasswordHash {
			t.Error("it has another password")
		}
		_, err = p.Backoffice.GiveFirstPassword(
			t.Context(),
			p.LandingFor(p.Account("northwind")),
			companytest.AddAccount(p, "others", 1003, store.Mgr, "").ID,
			"",
		)
		portaltest.NoError(t, err)
		p.Clock.Advance(time.Hour + time.Second)
		_, err = p.Backoffice.GiveFirstPassword(t.Context(), p.Administrator(), id, "")
		portaltest.NoError(t, err)
	})
}
