package portal_test

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"portico/portal"
	"portico/store"
	"portico/store/storetest"
)

// offers opens a customer's account of company 1002 for a phone, by the company's administrator.
func (p *platform) offers(number string) store.Member {
	p.t.Helper()
	in := portal.OpenAccountInput{
		Side: "shop", Type: 3, Name: "采购", ClientName: "Cliente", Phone: number, Again: true,
	}
	opened, err := p.OpenAccount(p.t.Context(), p.at(p.account("sur")), in)
	noError(p.t, err)
	return opened.Member
}

// givesUp unbinds the phone from the only account of a person.
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

func TestOfTwoExclusiveCompaniesOneGetsThePersonWhoAcceptsBothAtOnce(t *testing.T) {
	eachCareCondition(t, func(t *testing.T, p *carer) {
		p.updateCompany(1001, func(c *store.Company) { c.ExclusivePhones = true })
		p.updateCompany(1002, func(c *store.Company) { c.ExclusivePhones = true })
		for round := range 5 {
			offers := []store.Member{p.offers(unboundPhone), p.offersOf(1001, unboundPhone)}
			signed := p.signIn(accountHost, unboundPhone)
			var all sync.WaitGroup
			var accepted atomic.Int32
			for _, offer := range offers {
				all.Go(func() {
					if _, err := p.accepts(signed.Session, offer); err == nil {
						accepted.Add(1)
					}
				})
			}
			all.Wait()
			if accepted.Load() != 1 {
				t.Fatalf("round %d: %d accepted", round, accepted.Load())
			}
			for _, offer := range offers { // the next round begins anew
				storetest.Exec(t, p.db, fmt.Sprintf("DELETE FROM accounts WHERE id = %d", offer.ID))
			}
		}
	})
}

// offersOf makes an offer by a company directly in the database.
func (p *platform) offersOf(company int64, number string) store.Member {
	p.t.Helper()
	now := store.At(p.clock.now())
	id, err := p.db.AddAccount(p.t.Context(), store.Account{
		CompanyID: company, Side: store.Mgr, Type: store.TypeEmployee, Login: fmt.Sprintf("offer%d", now), Name: "谁",
		PhoneID: phoneOf(p.t, p.db, number).ID, State: store.AccountActive, Invited: true, CreatedAt: now,
	})
	noError(p.t, err)
	m, err := p.db.MemberByID(p.t.Context(), company, id)
	noError(p.t, err)
	return m
}

// offered reads the offers to the person of a session.
func (p *platform) offered(s portal.Session) portal.Offers {
	p.t.Helper()
	offers, err := p.Offers(p.t.Context(), s, "")
	noError(p.t, err)
	return offers
}

func (p *platform) accepts(s portal.Session, offer store.Member) (portal.Step, error) {
	return p.AcceptOffer(p.from(homeAddress), portal.OfferInput{Session: s, AccountID: offer.ID, Lang: "zh"})
}

func (p *platform) declines(s portal.Session, offer store.Member) error {
	return p.DeclineOffer(p.from(homeAddress), portal.OfferInput{Session: s, AccountID: offer.ID})
}

func TestAcceptingAnOfferMakesTheAccountOnesOwn(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		offer := p.offers(buyerPhone)
		s := p.signIn(accountHost, buyerPhone).Session
		if offers := p.offered(s); offers.All != 1 || offers.Shown[0].Member.ID != offer.ID {
			t.Errorf("%+v", offers)
		}
		in := portal.OfferInput{Session: s, AccountID: offer.ID, Version: "2026-10-01", Lang: "zh"}
		for range 2 { // as if the first answer was lost
			step, err := p.AcceptOffer(p.from(homeAddress), in)
			want := portal.Step{Kind: portal.StepEnter, CompanyID: 1002, AccountID: offer.ID}
			if err != nil || step != want {
				t.Errorf("it leads to %+v, %v", step, err)
			}
		}
		p.wantList(s, "1001 shop:buyer1", "1002 shop:"+offer.Login)
		if n := p.events(1002, "account_set_up"); n != 1 {
			t.Errorf("%d audit events", n)
		}
		if accepted, err := p.Accepted(t.Context(), s); err != nil || accepted.Version != "2026-10-01" {
			t.Errorf("the agreement accepted is %+v, %v", accepted, err)
		}
		if offers := p.offered(s); offers.All != 0 {
			t.Errorf("%+v", offers)
		}
	})
}

func TestAnOfferIsAnsweredByTheHolderOfTheNumberAlone(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		offer := p.offers(manyPhone)
		other := p.signIn(accountHost, buyerPhone).Session
		byName := p.signIn(accountHost, "li.shop").Session // an account of the same phone, by its own password
		elsewhere := p.signIn("store1001.portico.test", manyPhone).Session
		for name, s := range map[string]portal.Session{"another's": other, "at another company": elsewhere} {
			_, err := p.accepts(s, offer)
			refused(t, err, portal.NotFound)
			noError(t, p.declines(s, offer))
			if offers := p.offered(s); offers.All != 0 {
				t.Errorf("%s: %+v", name, offers)
			}
		}
		_, err := p.accepts(byName, offer)
		refused(t, err, portal.LoginRequired)
		refused(t, p.declines(byName, offer), portal.LoginRequired)
		if offers := p.offered(byName); offers.All != 0 || !p.account(offer.Login).Invited {
			t.Errorf("%+v", offers)
		}
		if m := p.account(offer.Login); m.DeclinedAt != 0 || m.Phone != manyPhone {
			t.Errorf("it was declined: %+v", m.Account)
		}
	})
}

func TestADeclinedOfferIsNobodysForEverAndNotMadeAgainForNinetyDays(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		offer, sur := p.offers(buyerPhone), p.at(p.account("sur"))
		token, err := p.Invite(t.Context(), 1002, offer.ID)
		noError(t, err)
		s := p.signIn(accountHost, buyerPhone).Session
		noError(t, p.declines(s, offer))
		noError(t, p.declines(s, offer))
		_, err = p.accepts(s, offer)
		refused(t, err, portal.NotFound)
		if m := p.account(offer.Login); m.Phone != "" || portal.PersonStateOf(m) != portal.PersonDeclined {
			t.Errorf("%+v", m.Account)
		}
		if _, ok, err := p.Invitation(t.Context(), token); ok || err != nil {
			t.Errorf("the link works: %v", err)
		}
		refused(t, p.InviteAgain(t.Context(), sur, offer.ID), portal.WrongParameters)
		_, err = p.GiveFirstPassword(t.Context(), sur, offer.ID, "")
		refused(t, err, portal.WrongParameters)
		again := portal.OpenAccountInput{Side: "mgr", Type: 2, Name: "谁", Phone: buyerPhone}
		_, err = p.OpenAccount(t.Context(), sur, again)
		field(t, err, "phone", portal.OfferDeclined)
		_, err = p.opens1001(again) // another company may
		noError(t, err)
		p.clock.advance(90*24*time.Hour - time.Second)
		noError(t, p.Sweep(t.Context()))
		_, err = p.OpenAccount(t.Context(), sur, again)
		field(t, err, "phone", portal.OfferDeclined)
		p.clock.advance(time.Second)
		noError(t, p.Sweep(t.Context()))
		_, err = p.OpenAccount(t.Context(), sur, again)
		noError(t, err)
		if n := p.events(1002, "offer_declined"); n != 1 {
			t.Errorf("%d audit events", n)
		}
	})
}

func TestACompanyThatTenNumbersDeclinedWaitsADay(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		sur := p.at(p.account("sur"))
		decline := func(i int) {
			m := p.offers(fmt.Sprintf("1391111%04d", i))
			noError(t, p.declines(portal.Session{PhoneID: m.PhoneID}, m))
		}
		open := func(number string) error {
			in := portal.OpenAccountInput{Side: "mgr", Type: 2, Name: "谁", Phone: number, Again: true}
			_, err := p.OpenAccount(t.Context(), sur, in)
			return err
		}
		for i := range 9 {
			decline(i)
		}
		noError(t, open("13922220001"))
		decline(9)
		if wait := refused(t, open("13922220002"), portal.TooManyAttempts).Wait; wait != 24*time.Hour {
			t.Errorf("it waits %v", wait)
		}
		noError(t, open("")) // an account without a phone is no offer
		p.clock.advance(24*time.Hour - time.Second)
		refused(t, open("13922220002"), portal.TooManyAttempts)
		p.clock.advance(time.Second)
		noError(t, open("13922220002"))
		decline(10)
		refused(t, open("13922220003"), portal.TooManyAttempts)
		p.clock.advance(29 * 24 * time.Hour) // the first ten no longer count
		decline(11)
		noError(t, open("13922220003"))
	})
}

// Applicants could otherwise keep a company from opening accounts: they apply, and decline what they applied for.
func TestDecliningWhatOneAppliedForDoesNotCountAgainstTheCompany(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		in := p.applies(1002, buyerPhone)
		a, err := p.apply(in)
		noError(t, err)
		s := p.signIn(accountHost, buyerPhone).Session
		offers := p.offered(s)
		if offers.All != 1 || !offers.Shown[0].Applied || offers.Shown[0].Member.ID != a.AccountID {
			t.Fatalf("%+v", offers)
		}
		noError(t, p.declines(s, offers.Shown[0].Member))
		p.offers(buyerPhone) // the company may offer another one
	})
}

func TestAnExpiredOfferIsNotShownAndIsAcceptedOnceItIsRenewed(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		offer, sur := p.offers(buyerPhone), p.at(p.account("sur"))
		s := p.signIn(accountHost, buyerPhone).Session
		p.clock.advance(7 * 24 * time.Hour)
		if n := p.offered(s).All; n != 1 {
			t.Errorf("%d offers in the last second", n)
		}
		p.clock.advance(time.Second)
		if n := p.offered(s).All; n != 0 {
			t.Errorf("%d offers after it expired", n)
		}
		_, err := p.accepts(s, offer)
		refused(t, err, portal.Offered)
		noError(t, p.InviteAgain(t.Context(), sur, offer.ID))
		_, err = p.accepts(s, offer)
		noError(t, err)

		second := p.offers(managerPhone)
		s = p.signIn(accountHost, managerPhone).Session
		p.clock.advance(8 * 24 * time.Hour)
		noError(t, p.declines(s, second))
		if m := p.account(second.Login); portal.PersonStateOf(m) != portal.PersonDeclined {
			t.Errorf("an expired offer was not declined: %+v", m.Account)
		}
	})
}

func TestThreeOffersAreShownAndTheRestIsCounted(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		for i, company := range []int64{1008, 1001, 1002, 1003} {
			p.invites(company, fmt.Sprint("offer", i), unboundPhone)
			p.clock.advance(time.Minute)
		}
		offers := p.offered(p.signIn(accountHost, unboundPhone).Session)
		var order []int64
		for _, offer := range offers.Shown {
			order = append(order, offer.Member.CompanyID)
		}
		if offers.All != 4 || !slices.Equal(order, []int64{1003, 1002, 1001}) { // 1008 is on trial
			t.Errorf("%v of %d", order, offers.All)
		}
		p.updateCompany(1003, func(c *store.Company) { c.Disabled = true })
		p.updateCompany(1002, func(c *store.Company) { c.EndsAt = 1 })
		offers = p.offered(p.signIn(accountHost, unboundPhone).Session)
		if offers.All != 2 || offers.Shown[0].Member.CompanyID != 1001 || !offers.Shown[1].Trial {
			t.Errorf("%+v", offers)
		}
	})
}

// A name that nobody checked could be another company's; a person's name could be anything.
func TestAnOfferNamesItsCompanyOnlyByAConfirmedName(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		p.updateCompany(1002, func(c *store.Company) { c.Name = "金穗粮油" })
		p.offers(buyerPhone)
		s := p.signIn(accountHost, buyerPhone).Session
		if o := p.offered(s).Shown[0]; o.Name != "" || o.Claimed != "金穗粮油" || o.Opener != "" {
			t.Errorf("named %q, claims %q, opened by %q", o.Name, o.Claimed, o.Opener)
		}
	})
}

func TestAPersonWithOffersAloneIsSignedInToAnswerThem(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		_, err := p.login(p.as(unboundPhone))
		refused(t, err, portal.PhoneNotBound)
		offer := p.offers(unboundPhone)
		signed, err := p.login(p.as(unboundPhone))
		noError(t, err)
		if want := (portal.Step{Kind: portal.StepCompany}); signed.Step != want {
			t.Errorf("it leads to %+v", signed.Step)
		}
		ask := p.asking(portal.ForLogin, unboundPhone, portal.NewFlow())
		byCode, err := p.codeLogin(p.withCode(unboundPhone, p.sent(ask), ask.Flow))
		noError(t, err)
		if step, err := p.Continue(t.Context(), byCode.Session); err != nil || step.Kind != portal.StepCompany {
			t.Errorf("%+v, %v", step, err)
		}
		in := p.as(unboundPhone)
		in.Place = p.place("store1001.portico.test")
		_, err = p.login(in) // another company's site
		refused(t, err, portal.PhoneNotBound)
		step, err := p.accepts(signed.Session, offer)
		if err != nil || step.AccountID != offer.ID {
			t.Errorf("%+v, %v", step, err)
		}
		if signed := p.signIn(accountHost, unboundPhone); signed.Step.AccountID != offer.ID {
			t.Errorf("then it leads to %+v", signed.Step)
		}
	})
}

// An offer does not hide why a person's own account is blocked.
func TestABlockedPersonIsToldWhyWhateverOffersWait(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		p.offers("13800000005") // disabled in 1001
		_, err := p.login(p.as("13800000005"))
		refused(t, err, portal.AccountDisabled)
	})
}

func TestProgramsListOffersAndCannotChooseThem(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		offer := p.offers(buyerPhone)
		in := portal.MixedLoginInput{Login: buyerPhone, Password: portal.DemoPassword, Client: portal.ClientApp}
		result, err := p.MixedLogin(p.from(homeAddress), in)
		noError(t, err)
		if len(result.Shop) != 2 || result.Shop[1].ID != offer.ID || result.Shop[1].Blocked != portal.Offered {
			t.Errorf("%+v", result.Shop)
		}
		in.AccountID = offer.ID
		_, err = p.MixedLogin(p.from(homeAddress), in)
		refused(t, err, portal.Offered)
		s, err := p.Token(t.Context(), portal.TokenInput{Token: result.Ticket, Client: portal.ClientApp, Ticket: true})
		noError(t, err)
		list, err := p.AccountList(t.Context(), s)
		if err != nil || len(list) != 2 || list[1].Company.ID != 1002 || list[1].Shop[0].Blocked != portal.Offered {
			t.Errorf("%+v, %v", list, err)
		}
		_, err = p.LoginAs(t.Context(), s, portal.LoginAsInput{AccountID: offer.ID, Client: portal.ClientApp})
		refused(t, err, portal.Offered)
	})
}

func TestAnApprovedApplicantWithAPasswordAcceptsAfterSigningIn(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		a, err := p.apply(p.applies(1001, unboundPhone))
		noError(t, err)
		review := portal.ReviewInput{ID: a.ID, Approve: true}
		a, _, err = p.Review(t.Context(), p.landed("jinsui", phoneScreen), review)
		noError(t, err)
		for _, host := range []string{"store1001.portico.test", accountHost} {
			offers := p.offered(p.signIn(host, unboundPhone).Session)
			if offers.All != 1 || !offers.Shown[0].Applied || offers.Shown[0].Member.ID != a.AccountID {
				t.Fatalf("at %s: %+v", host, offers)
			}
		}
		step, err := p.accepts(p.signIn(accountHost, unboundPhone).Session, p.offersIn(1001, unboundPhone)[0])
		if err != nil || step.AccountID != a.AccountID {
			t.Errorf("%+v, %v", step, err)
		}
		state, err := p.LookUpApplicationState(
			t.Context(), portal.LookUpApplicantInput{Phone: unboundPhone, CompanyID: 1001},
		)
		if err != nil || state != portal.ApplicantMember {
			t.Errorf("the applicant is %s, %v", state, err)
		}
	})
}

func TestAnApplicantWhoDeclinedMayApplyAgain(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		_, err := p.apply(p.applies(1002, unboundPhone))
		noError(t, err)
		s := p.signIn(accountHost, unboundPhone).Session
		noError(t, p.declines(s, p.offersIn(1002, unboundPhone)[0]))
		in := portal.LookUpApplicantInput{Phone: unboundPhone, CompanyID: 1002}
		state, err := p.LookUpApplicationState(t.Context(), in)
		if err != nil || state != portal.ApplicantNone {
			t.Errorf("the applicant is %s, %v", state, err)
		}
		p.clock.advance(10 * time.Minute)
		_, err = p.apply(p.applies(1002, unboundPhone))
		noError(t, err)
		if n := len(p.offersIn(1002, unboundPhone)); n != 1 {
			t.Errorf("%d offers", n)
		}
	})
}

func TestEveryReadOfAnAccountKnowsThatItIsOffered(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		offer := p.offers(buyerPhone)
		byID, err := p.db.MemberByID(t.Context(), 1002, offer.ID)
		noError(t, err)
		ofSession, err := p.db.MemberOfAccount(t.Context(), offer.ID)
		noError(t, err)
		ofToken, err := p.db.StandingOfAccount(t.Context(), offer.ID)
		noError(t, err)
		for _, m := range []store.Member{byID, ofSession, ofToken} {
			if got := portal.BlockedBy(m, false, p.clock.now()); got != portal.Offered {
				t.Errorf("blocked by %q", got)
			}
		}
		byLogin, err := p.db.MembersByLogin(t.Context(), offer.Login)
		if err != nil || len(byLogin) != 0 {
			t.Errorf("by its login: %v, %v", byLogin, err)
		}
	})
}
