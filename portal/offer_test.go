package portal_test

import (
	"testing"
	"time"

	"portico/portal"
	"portico/store"
)

// offers opens a customer's account of company 1002 for a phone, by the company's administrator.
func (p *platform) offers(number string) store.Member {
	p.t.Helper()
	in := portal.OpenAccountInput{Side: "shop", Type: 3, Name: "采购", ClientName: "Cliente", Phone: number}
	opened, err := p.OpenAccount(p.t.Context(), p.at(p.account("sur")), in)
	noError(p.t, err)
	return opened.Member
}

// givesUp takes the phone off the only account of a person.
func (p *carer) givesUp(phone, login string) {
	p.t.Helper()
	in := p.unbinding(p.signIn(accountHost, phone).Session, login)
	in.Code = p.sent(p.askToUnbind(in))
	in.Password, in.Confirm = newPassword, newPassword
	noError(p.t, p.unbind(in))
}

func TestANumberGivenUpOpensNothingOfItsNextHolderWhateverOffersWait(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(p *carer, offer store.Member)
	}{
		{"pending", func(*carer, store.Member) {}},
		{"expired", func(p *carer, _ store.Member) { p.clock.advance(portal.InvitationLife + 24*time.Hour) }},
		{"renewed", func(p *carer, offer store.Member) {
			p.clock.advance(portal.InvitationLife + 24*time.Hour)
			noError(p.t, p.InviteAgain(p.t.Context(), p.at(p.account("sur")), offer.ID))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			eachCare(t, func(t *testing.T, p *carer) {
				offer := p.offers(buyerPhone)
				c.change(p, offer)
				before := p.signIn(accountHost, buyerPhone)
				p.givesUp(buyerPhone, "buyer1")
				refused(t, p.signedIn(before.Token, accountHost), portal.LoginRequired)
				_, err := p.login(p.as(buyerPhone))
				refused(t, err, portal.PhoneNotBound)
				p.clock.advance(24 * time.Hour)
				if c.name == "expired" {
					noError(t, p.InviteAgain(t.Context(), p.at(p.account("sur")), offer.ID))
				}
				in := p.provenComplete(1002, buyerPhone)
				in.Password, in.Confirm = otherPassword, otherPassword
				next, err := p.complete(in)
				noError(t, err)
				if next.Member.ID != offer.ID {
					t.Errorf("the next holder accepted %+v", next.Member.Account)
				}
				_, err = p.login(p.as(buyerPhone))
				refused(t, err, portal.WrongPassword)
				if !p.opens(buyerPhone, otherPassword) {
					t.Error("the next holder's password does not open it")
				}
			})
		})
	}
}

func TestAnOfferChangesNothingForTheHolderOfTheNumber(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		offer := p.offers(buyerPhone)
		signed := p.signIn(accountHost, buyerPhone)
		want := portal.Step{Kind: portal.StepEnter, CompanyID: 1001, AccountID: p.account("buyer1").ID}
		if signed.Step != want {
			t.Errorf("signing in leads to %+v", signed.Step)
		}
		p.wantList(signed.Session, "1001 shop:buyer1")
		result, err := p.MixedLogin(p.from(homeAddress), portal.MixedLoginInput{
			Login: buyerPhone, Password: portal.DemoPassword, Client: portal.ClientApp,
		})
		noError(t, err)
		if result.User == nil || result.User.CompanyID != 1001 {
			t.Errorf("the user is %+v", result.User)
		}
		_, err = p.Enter(t.Context(), portal.EnterInput{
			Session: signed.Session, AccountID: offer.ID, Place: p.place(accountHost), Device: phoneScreen,
		})
		refused(t, err, portal.Offered)
		_, err = p.ChooseCompany(t.Context(), portal.ChooseCompanyInput{Session: signed.Session, CompanyID: 1002})
		refused(t, err, portal.NotFound)
		refused(t, p.SetDefaultCompany(t.Context(), signed.Session, 1002), portal.Forbidden)
		refused(t, p.HideAccount(t.Context(), signed.Session, offer.ID), portal.Offered)
	})
}

func TestNoCodeToSignInGoesToANumberKnownByOffersAlone(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		p.offers(newPhone)
		for _, purpose := range []portal.Purpose{portal.ForLogin, portal.ForReset} {
			_, err := p.ask(p.asking(purpose, newPhone, portal.NewFlow()))
			refused(t, err, portal.PhoneNotBound)
		}
		if n := len(p.sms.messages()); n != 0 {
			t.Errorf("%d messages went out", n)
		}
		known, err := p.PhoneKnown(p.from(homeAddress), portal.PhoneInput{Phone: newPhone})
		if err != nil || *known.Exists || *known.Bound {
			t.Errorf("exists %v, bound %v, %v", *known.Exists, *known.Bound, err)
		}
		inCompany, err := p.PhoneInCompany(p.from(homeAddress), portal.PhoneInput{Phone: newPhone, CompanyID: 1002})
		if err != nil || *inCompany.Exists {
			t.Errorf("exists in 1002: %v, %v", *inCompany.Exists, err)
		}
	})
}

func TestExclusivePhonesAreNotWalkedAroundBySigningIn(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		offer := p.offers(buyerPhone)
		p.updateCompany(1001, func(c *store.Company) { c.ExclusivePhones = true })
		signed := p.signIn(accountHost, buyerPhone)
		_, err := p.ChooseCompany(t.Context(), portal.ChooseCompanyInput{Session: signed.Session, CompanyID: 1002})
		refused(t, err, portal.NotFound)
		_, err = p.AcceptOffer(p.from(homeAddress), portal.OfferInput{Session: signed.Session, AccountID: offer.ID})
		refused(t, err, portal.PhoneBoundElsewhere)
		p.updateCompany(1001, func(c *store.Company) { c.ExclusivePhones = false })
		p.updateCompany(1002, func(c *store.Company) { c.ExclusivePhones = true })
		_, err = p.AcceptOffer(p.from(homeAddress), portal.OfferInput{Session: signed.Session, AccountID: offer.ID})
		refused(t, err, portal.PhoneBoundElsewhere)
	})
}
