package portal_test

import (
	"fmt"
	"testing"
	"time"

	"portico/portal"
	"portico/store"
)

// keeper is company 1008 that keeps its phones to itself, with so many accounts whose phones are made up from the number.
func (p *platform) keeper(accounts int) (phones []string) {
	p.t.Helper()
	p.updateCompany(1008, func(c *store.Company) { c.ExclusivePhones = true })
	for i := range accounts {
		phone := fmt.Sprintf("139888%05d", i)
		_, err := p.db.AddPhone(p.t.Context(), store.Phone{Phone: phone, CreatedAt: 1})
		noError(p.t, err)
		p.addAccount(fmt.Sprintf("kept%d", i), 1008, store.Shop, phone)
		phones = append(phones, phone)
	}
	return phones
}

func TestACompanyLearnsOfFewPhonesThatOthersKeepThem(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		phones := p.keeper(portal.PhonesTold + 1)
		open := func(phone string) error {
			_, err := p.opens1001(portal.OpenAccountInput{Side: "mgr", Type: 2, Name: "谁", Phone: phone})
			return err
		}
		for _, phone := range phones[:portal.PhonesTold] {
			refused(t, open(phone), portal.PhoneBoundElsewhere)
		}
		for _, phone := range []string{phones[portal.PhonesTold], phones[0], newPhone} { // nor which are free
			if with := refused(t, open(phone), portal.TooManyAttempts); with.Wait == 0 {
				t.Errorf("%+v", with)
			}
		}
		_, err := p.opens1001(portal.OpenAccountInput{Side: "mgr", Type: 2, Name: "谁"}) // tells of none
		noError(t, err)
		p.clock.advance(portal.LookupWindow + time.Second)
		refused(t, open(phones[portal.PhonesTold]), portal.PhoneBoundElsewhere)
		noError(t, open(newPhone))
	})
}

func TestWhatIsRefusedCountsAsAnAccountOpened(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		taken := portal.OpenAccountInput{Side: "mgr", Type: 2, Name: "谁", Phone: managerPhone}
		for range portal.AccountsOpened {
			_, err := p.opens1001(taken)
			refused(t, err, portal.PhoneRegistered)
		}
		_, err := p.opens1001(taken)
		refused(t, err, portal.TooManyAttempts)
	})
}

func TestACompanyHasSoManyFirstPasswordsMadeAnHour(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		id := p.first("newcomer").Member.ID
		for range portal.FirstPasswordsAnHour - 1 {
			_, err := p.GiveFirstPassword(t.Context(), p.boss(), id, "")
			noError(t, err)
		}
		before := p.account("newcomer")
		_, err := p.GiveFirstPassword(t.Context(), p.boss(), id, "")
		refused(t, err, portal.TooManyAttempts)
		_, err = p.opens1001(portal.OpenAccountInput{Side: "mgr", Type: 2, Name: "谁"})
		refused(t, err, portal.TooManyAttempts)
		if p.account("newcomer").PasswordHash != before.PasswordHash {
			t.Error("it has another password")
		}
		_, err = p.GiveFirstPassword(t.Context(), p.at(p.account("northwind")), p.addAccount("others", 1003, store.Mgr, "").ID, "")
		noError(t, err)
		p.clock.advance(time.Hour + time.Second)
		_, err = p.GiveFirstPassword(t.Context(), p.boss(), id, "")
		noError(t, err)
	})
}
