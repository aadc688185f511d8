package backoffice_test

import (
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/backoffice"
	"portico/portal/credentials"
	"portico/portal/limits"
	"portico/portal/portaltest"
	"portico/store"
)

func TestACompanyLearnsOnlyFewExclusivePhonesOfOthers(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		phones := p.Keeper(backoffice.PhonesRevealed + 1)
		open := func(phone string) error {
			_, err := p.Opens1001(backoffice.OpenAccountInput{Side: "mgr", Type: 2, Name: "谁", Phone: phone})
			return err
		}
		for _, phone := range phones[:backoffice.PhonesRevealed] {
			portaltest.Refused(t, open(phone), access.PhoneBoundElsewhere)
		}
		// nor which are free
		for _, phone := range []string{phones[backoffice.PhonesRevealed], phones[0], portaltest.NewPhone} {
			if with := portaltest.Refused(t, open(phone), access.TooManyAttempts); with.Wait == 0 {
				t.Errorf("%+v", with)
			}
		}
		_, err := p.Opens1001(backoffice.OpenAccountInput{Side: "mgr", Type: 2, Name: "谁"}) // reveals no phone
		portaltest.NoError(t, err)
		p.Clock.Advance(limits.LookupWindow + time.Second)
		portaltest.Refused(t, open(phones[backoffice.PhonesRevealed]), access.PhoneBoundElsewhere)
		portaltest.NoError(t, open(portaltest.NewPhone))
	})
}

func TestARefusedAccountCountsAsOpened(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		taken := backoffice.OpenAccountInput{Side: "mgr", Type: 2, Name: "谁", Phone: portaltest.ManagerPhone}
		for range backoffice.AccountsOpened {
			_, err := p.Opens1001(taken)
			portaltest.Refused(t, err, access.PhoneRegistered)
		}
		_, err := p.Opens1001(taken)
		portaltest.Refused(t, err, access.TooManyAttempts)
	})
}

func TestFirstPasswordsOfACompanyAreLimitedPerHour(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		id := p.First("newcomer").Member.ID
		for range credentials.FirstPasswordsAnHour - 1 {
			_, err := p.Backoffice.GiveFirstPassword(t.Context(), p.Boss(), id, "")
			portaltest.NoError(t, err)
		}
		before := p.Account("newcomer")
		_, err := p.Backoffice.GiveFirstPassword(t.Context(), p.Boss(), id, "")
		portaltest.Refused(t, err, access.TooManyAttempts)
		_, err = p.Opens1001(backoffice.OpenAccountInput{Side: "mgr", Type: 2, Name: "谁"})
		portaltest.Refused(t, err, access.TooManyAttempts)
		if p.Account("newcomer").PasswordHash != before.PasswordHash {
			t.Error("it has another password")
		}
		_, err = p.Backoffice.GiveFirstPassword(
			t.Context(), p.At(p.Account("northwind")), p.AddAccount("others", 1003, store.Mgr, "").ID, "",
		)
		portaltest.NoError(t, err)
		p.Clock.Advance(time.Hour + time.Second)
		_, err = p.Backoffice.GiveFirstPassword(t.Context(), p.Boss(), id, "")
		portaltest.NoError(t, err)
	})
}
