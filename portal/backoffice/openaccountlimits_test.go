package backoffice_test

import (
	"fmt"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/backoffice"
	"portico/portal/credentials"
	"portico/portal/limits"
	"portico/portal/portaltest"
	"portico/portal/portaltest/companytest"
	"portico/portal/portaltest/credentialtest"
	"portico/store"
)

func TestACompanyLearnsOnlyFewExclusivePhonesOfOthers(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		phones := addExclusiveCompany(p, backoffice.PhonesRevealed+1)
		open := func(phone string) error {
			_, err := companytest.OpenAccount(
				p, backoffice.OpenAccountInput{Side: "mgr", Type: 2, Name: "谁", Phone: phone},
			)
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
		// tells of none
		// reveals no phone
		_, err := companytest.OpenAccount(p, backoffice.OpenAccountInput{Side: "mgr", Type: 2, Name: "谁"})
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
			_, err := companytest.OpenAccount(p, taken)
			portaltest.Refused(t, err, access.PhoneRegistered)
		}
		_, err := companytest.OpenAccount(p, taken)
		portaltest.Refused(t, err, access.TooManyAttempts)
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
		_, err = companytest.OpenAccount(p, backoffice.OpenAccountInput{Side: "mgr", Type: 2, Name: "谁"})
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

// addExclusiveCompany gives company 1008 exclusive phones and adds accounts to it. It returns the phone numbers of the
// accounts.
func addExclusiveCompany(p *portaltest.Platform, accounts int) (phones []string) {
	p.T.Helper()
	p.UpdateCompany(1008, func(c *store.Company) { c.ExclusivePhones = true })
	for i := range accounts {
		phone := fmt.Sprintf("139888%05d", i)
		_, err := p.Db.Phones.Add(p.T.Context(), store.Phone{Phone: phone, CreatedAt: 1})
		portaltest.NoError(p.T, err)
		companytest.AddAccount(p, fmt.Sprintf("kept%d", i), 1008, store.Shop, phone)
		phones = append(phones, phone)
	}
	return phones
}
