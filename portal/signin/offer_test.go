package signin_test

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/application"
	"portico/portal/core"
	"portico/portal/office"
	"portico/portal/onboarding"
	"portico/portal/portaltest"
	"portico/portal/portaltest/applicationtest"
	"portico/portal/portaltest/companytest"
	"portico/portal/portaltest/credentialtest"
	"portico/portal/portaltest/onboardingtest"
	"portico/portal/signin"
	"portico/store"
	"portico/store/storetest"
)

func TestANumberGivenUpOpensNothingOfItsNextHolderWhateverOffersWait(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(p *portaltest.SMSPlatform, offer store.Member)
	}{
		{"pending", func(*portaltest.SMSPlatform, store.Member) {}},
		{"expired", func(p *portaltest.SMSPlatform, _ store.Member) {
			p.Clock.Advance(8 * 24 * time.Hour)
		}},
		{"renewed", func(p *portaltest.SMSPlatform, offer store.Member) {
			p.Clock.Advance(8 * 24 * time.Hour)
			portaltest.NoError(p.T, p.Backoffice.InviteAgain(p.T.Context(), p.LandingFor(p.Account("sur")), offer.ID))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
				offer := companytest.OfferAccount(p.Platform, portaltest.BuyerPhone)
				c.change(p, offer)
				before := p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone)
				unbindOnlyAccount(p, portaltest.BuyerPhone, "buyer1")
				portaltest.Refused(t, p.RequestSignedIn(before.Token, portaltest.AccountHost), access.LoginRequired)
				_, err := p.Login(p.LoginInput(portaltest.BuyerPhone))
				portaltest.Refused(t, err, access.PhoneNotBound)
				p.Clock.Advance(24 * time.Hour)
				if c.name == "expired" {
					portaltest.NoError(
						t, p.Backoffice.InviteAgain(t.Context(), p.LandingFor(p.Account("sur")), offer.ID),
					)
				}
				in := onboardingtest.ProvenCompleteInput(p, 1002, portaltest.BuyerPhone)
				in.Password, in.Confirm = credentialtest.OtherPassword, credentialtest.OtherPassword
				next, err := onboardingtest.Complete(p, in)
				portaltest.NoError(t, err)
				if next.Member.ID != offer.ID {
					t.Errorf("the next holder accepted %+v", next.Member.Account)
				}
				_, err = p.Login(p.LoginInput(portaltest.BuyerPhone))
				portaltest.Refused(t, err, access.WrongPassword)
				if !credentialtest.AcceptsPassword(p, portaltest.BuyerPhone, credentialtest.OtherPassword) {
					t.Error("the next holder's password does not open it")
				}
			})
		})
	}
}

func TestAnOfferChangesNothingForTheHolderOfTheNumber(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		offer := companytest.OfferAccount(p.Platform, portaltest.BuyerPhone)
		signed := p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone)
		want := signin.Step{Kind: signin.StepEnter, CompanyID: 1001, AccountID: p.Account("buyer1").ID}
		if signed.Step != want {
			t.Errorf("signing in leads to %+v", signed.Step)
		}
		companytest.WantAccounts(p.Platform, signed.Session, "1001 shop:buyer1")
		result, err := p.Signin.ClientLogin(p.From(portaltest.HomeAddress), signin.ClientLoginInput{
			Login: portaltest.BuyerPhone, Password: onboarding.DemoPassword, Client: signin.ClientApp,
		})
		portaltest.NoError(t, err)
		if result.User == nil || result.User.CompanyID != 1001 {
			t.Errorf("the user is %+v", result.User)
		}
		_, err = p.Entry.Enter(t.Context(), access.EnterInput{
			Session: signed.Session, AccountID: offer.ID, Place: p.Place(portaltest.AccountHost),
			Device: portaltest.PhoneScreen,
		})
		portaltest.Refused(t, err, access.Offered)
		_, err = p.Accounts.ChooseCompany(t.Context(),
			signin.ChooseCompanyInput{Session: signed.Session, CompanyID: 1002})
		portaltest.Refused(t, err, access.NotFound)
		portaltest.Refused(t, p.Accounts.SetDefaultCompany(t.Context(), signed.Session, 1002, ""), access.Forbidden)
		portaltest.Refused(t, p.Accounts.HideAccount(t.Context(), signed.Session, offer.ID), access.Offered)
	})
}

func TestNoCodeToSignInGoesToANumberKnownByOffersAlone(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		companytest.OfferAccount(p.Platform, portaltest.NewPhone)
		for _, purpose := range []access.Purpose{core.ForLogin, core.ForReset} {
			_, err := p.AskCode(p.CodeRequest(purpose, portaltest.NewPhone, core.NewFlow()))
			portaltest.Refused(t, err, access.PhoneNotBound)
		}
		if n := len(p.Sms.Messages()); n != 0 {
			t.Errorf("%d messages went out", n)
		}
		known, err := p.Limits.PhoneKnown(p.From(portaltest.HomeAddress), core.PhoneInput{Phone: portaltest.NewPhone})
		if err != nil || *known.Exists || *known.Bound {
			t.Errorf("exists %v, bound %v, %v", *known.Exists, *known.Bound, err)
		}
		inCompany, err := p.Limits.PhoneInCompany(p.From(portaltest.HomeAddress),
			core.PhoneInput{Phone: portaltest.NewPhone, CompanyID: 1002})
		if err != nil || *inCompany.Exists {
			t.Errorf("exists in 1002: %v, %v", *inCompany.Exists, err)
		}
	})
}

func TestExclusivePhonesAreNotWalkedAroundBySigningIn(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		offer := companytest.OfferAccount(p.Platform, portaltest.BuyerPhone)
		p.UpdateCompany(1001, func(c *store.Company) { c.ExclusivePhones = true })
		signed := p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone)
		_, err := p.Accounts.ChooseCompany(t.Context(),
			signin.ChooseCompanyInput{Session: signed.Session, CompanyID: 1002})
		portaltest.Refused(t, err, access.NotFound)
		_, err = p.Accounts.AcceptOffer(p.From(portaltest.HomeAddress),
			signin.OfferInput{Session: signed.Session, AccountID: offer.ID})
		portaltest.Refused(t, err, access.PhoneBoundElsewhere)
		p.UpdateCompany(1001, func(c *store.Company) { c.ExclusivePhones = false })
		p.UpdateCompany(1002, func(c *store.Company) { c.ExclusivePhones = true })
		_, err = p.Accounts.AcceptOffer(p.From(portaltest.HomeAddress),
			signin.OfferInput{Session: signed.Session, AccountID: offer.ID})
		portaltest.Refused(t, err, access.PhoneBoundElsewhere)
	})
}

func TestOfTwoExclusiveCompaniesOneGetsThePersonWhoAcceptsBothAtOnce(t *testing.T) {
	portaltest.EachConditionWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		p.UpdateCompany(1001, func(c *store.Company) { c.ExclusivePhones = true })
		p.UpdateCompany(1002, func(c *store.Company) { c.ExclusivePhones = true })
		for round := range 5 {
			offers := []store.Member{
				companytest.OfferAccount(p.Platform, portaltest.UnboundPhone),
				addOfferFrom(p.Platform, 1001, portaltest.UnboundPhone),
			}
			signed := p.SignIn(portaltest.AccountHost, portaltest.UnboundPhone)
			var all sync.WaitGroup
			var accepted atomic.Int32
			for _, offer := range offers {
				all.Go(func() {
					if _, err := acceptOffer(p.Platform, signed.Session, offer); err == nil {
						accepted.Add(1)
					}
				})
			}
			all.Wait()
			if accepted.Load() != 1 {
				t.Fatalf("round %d: %d accepted", round, accepted.Load())
			}
			for _, offer := range offers { // the next round begins anew
				storetest.Exec(t, p.DB, fmt.Sprintf("DELETE FROM accounts WHERE id = %d", offer.ID))
			}
		}
	})
}

func TestAcceptingAnOfferMakesTheAccountOnesOwn(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		offer := companytest.OfferAccount(p.Platform, portaltest.BuyerPhone)
		s := p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone).Session
		if offers := readOffers(p.Platform, s); offers.All != 1 || offers.Shown[0].Member.ID != offer.ID {
			t.Errorf("%+v", offers)
		}
		in := signin.OfferInput{Session: s, AccountID: offer.ID, Version: "2026-10-01", Lang: "zh"}
		for range 2 { // as if the first answer was lost
			step, err := p.Accounts.AcceptOffer(p.From(portaltest.HomeAddress), in)
			want := signin.Step{Kind: signin.StepEnter, CompanyID: 1002, AccountID: offer.ID}
			if err != nil || step != want {
				t.Errorf("it leads to %+v, %v", step, err)
			}
		}
		companytest.WantAccounts(p.Platform, s, "1001 shop:buyer1", "1002 shop:"+offer.Login)
		if n := p.CountEvents(1002, "account_set_up"); n != 1 {
			t.Errorf("%d audit events", n)
		}
		accepted, err := p.Accounts.Agreements.Accepted(t.Context(), s)
		if err != nil || accepted.Version != "2026-10-01" {
			t.Errorf("the agreement accepted is %+v, %v", accepted, err)
		}
		if offers := readOffers(p.Platform, s); offers.All != 0 {
			t.Errorf("%+v", offers)
		}
	})
}

func TestAnOfferIsAnsweredByTheHolderOfTheNumberAlone(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		offer := companytest.OfferAccount(p.Platform, portaltest.ManyPhone)
		other := p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone).Session
		// an account of the same phone, by its own password
		byName := p.SignIn(portaltest.AccountHost, "li.shop").Session
		elsewhere := p.SignIn("store1001.portico.test", portaltest.ManyPhone).Session
		for name, s := range map[string]access.Session{"another's": other, "at another company": elsewhere} {
			_, err := acceptOffer(p.Platform, s, offer)
			portaltest.Refused(t, err, access.NotFound)
			portaltest.NoError(t, declineOffer(p.Platform, s, offer))
			if offers := readOffers(p.Platform, s); offers.All != 0 {
				t.Errorf("%s: %+v", name, offers)
			}
		}
		_, err := acceptOffer(p.Platform, byName, offer)
		portaltest.Refused(t, err, access.LoginRequired)
		portaltest.Refused(t, declineOffer(p.Platform, byName, offer), access.LoginRequired)
		if offers := readOffers(p.Platform, byName); offers.All != 0 || !p.Account(offer.Login).Invited {
			t.Errorf("%+v", offers)
		}
		if m := p.Account(offer.Login); m.DeclinedAt != 0 || m.Phone != portaltest.ManyPhone {
			t.Errorf("it was declined: %+v", m.Account)
		}
	})
}

func TestADeclinedOfferIsNobodysForEverAndNotMadeAgainForNinetyDays(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		offer, sur := companytest.OfferAccount(p.Platform, portaltest.BuyerPhone), p.LandingFor(p.Account("sur"))
		token, err := p.Credentials.Invite(t.Context(), 1002, offer.ID)
		portaltest.NoError(t, err)
		s := p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone).Session
		portaltest.NoError(t, declineOffer(p.Platform, s, offer))
		portaltest.NoError(t, declineOffer(p.Platform, s, offer))
		_, err = acceptOffer(p.Platform, s, offer)
		portaltest.Refused(t, err, access.NotFound)
		if m := p.Account(offer.Login); m.Phone != "" || office.PersonStateOf(m) != office.PersonDeclined {
			t.Errorf("%+v", m.Account)
		}
		if _, ok, err := p.Credentials.Invitation(t.Context(), token); ok || err != nil {
			t.Errorf("the link works: %v", err)
		}
		portaltest.Refused(t, p.Backoffice.InviteAgain(t.Context(), sur, offer.ID), access.WrongParameters)
		_, err = p.Backoffice.GiveFirstPassword(t.Context(), sur, offer.ID, "")
		portaltest.Refused(t, err, access.WrongParameters)
		again := office.OpenAccountInput{Side: "mgr", Type: 2, Name: "谁", Phone: portaltest.BuyerPhone}
		_, err = p.Backoffice.OpenAccount(t.Context(), sur, again)
		portaltest.WantField(t, err, "phone", access.OfferDeclined)
		_, err = companytest.OpenAccount(p.Platform, again) // another company may
		portaltest.NoError(t, err)
		p.Clock.Advance(90*24*time.Hour - time.Second)
		portaltest.NoError(t, p.Sweep(t.Context()))
		_, err = p.Backoffice.OpenAccount(t.Context(), sur, again)
		portaltest.WantField(t, err, "phone", access.OfferDeclined)
		p.Clock.Advance(time.Second)
		portaltest.NoError(t, p.Sweep(t.Context()))
		_, err = p.Backoffice.OpenAccount(t.Context(), sur, again)
		portaltest.NoError(t, err)
		if n := p.CountEvents(1002, "offer_declined"); n != 1 {
			t.Errorf("%d audit events", n)
		}
	})
}

func TestACompanyThatTenNumbersDeclinedWaitsADay(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		sur := p.LandingFor(p.Account("sur"))
		decline := func(i int) {
			m := companytest.OfferAccount(p, fmt.Sprintf("1391111%04d", i))
			portaltest.NoError(t, declineOffer(p, access.Session{PersonID: m.PersonID}, m))
		}
		open := func(number string) error {
			in := office.OpenAccountInput{Side: "mgr", Type: 2, Name: "谁", Phone: number, Again: true}
			_, err := p.Backoffice.OpenAccount(t.Context(), sur, in)
			return err
		}
		for i := range 9 {
			decline(i)
		}
		portaltest.NoError(t, open("13922220001"))
		decline(9)
		if wait := portaltest.Refused(t, open("13922220002"), access.TooManyAttempts).Wait; wait != 24*time.Hour {
			t.Errorf("it waits %v", wait)
		}
		portaltest.NoError(t, open("")) // an account without a phone is no offer
		p.Clock.Advance(24*time.Hour - time.Second)
		portaltest.Refused(t, open("13922220002"), access.TooManyAttempts)
		p.Clock.Advance(time.Second)
		portaltest.NoError(t, open("13922220002"))
		decline(10)
		portaltest.Refused(t, open("13922220003"), access.TooManyAttempts)
		p.Clock.Advance(29*24*time.Hour - time.Second)
		decline(11)
		portaltest.Refused(t, open("13922220003"), access.TooManyAttempts)
		p.Clock.Advance(time.Second) // the first ten no longer count
		portaltest.NoError(t, open("13922220003"))
	})
}

// Applicants could otherwise keep a company from opening accounts: they apply, and decline what they applied for.
func TestDecliningWhatOneAppliedForDoesNotCountAgainstTheCompany(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		in := applicationtest.New(p, 1002, portaltest.BuyerPhone)
		a, err := applicationtest.Send(p, in)
		portaltest.NoError(t, err)
		s := p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone).Session
		offers := readOffers(p.Platform, s)
		if offers.All != 1 || !offers.Shown[0].Applied || offers.Shown[0].Member.ID != a.AccountID {
			t.Fatalf("%+v", offers)
		}
		portaltest.NoError(t, declineOffer(p.Platform, s, offers.Shown[0].Member))
		companytest.OfferAccount(p.Platform, portaltest.BuyerPhone) // the company may offer another one
	})
}

func TestAnExpiredOfferIsNotShownAndIsAcceptedOnceItIsRenewed(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		offer, sur := companytest.OfferAccount(p.Platform, portaltest.BuyerPhone), p.LandingFor(p.Account("sur"))
		s := p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone).Session
		p.Clock.Advance(7 * 24 * time.Hour)
		if n := readOffers(p.Platform, s).All; n != 1 {
			t.Errorf("%d offers in the last second", n)
		}
		p.Clock.Advance(time.Second)
		if n := readOffers(p.Platform, s).All; n != 0 {
			t.Errorf("%d offers after it expired", n)
		}
		_, err := acceptOffer(p.Platform, s, offer)
		portaltest.Refused(t, err, access.Offered)
		portaltest.NoError(t, p.Backoffice.InviteAgain(t.Context(), sur, offer.ID))
		_, err = acceptOffer(p.Platform, s, offer)
		portaltest.NoError(t, err)

		second := companytest.OfferAccount(p.Platform, portaltest.ManagerPhone)
		s = p.SignIn(portaltest.AccountHost, portaltest.ManagerPhone).Session
		p.Clock.Advance(8 * 24 * time.Hour)
		portaltest.NoError(t, declineOffer(p.Platform, s, second))
		if m := p.Account(second.Login); office.PersonStateOf(m) != office.PersonDeclined {
			t.Errorf("an expired offer was not declined: %+v", m.Account)
		}
	})
}

func TestThreeOffersAreShownAndTheRestIsCounted(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		for i, company := range []int64{1008, 1001, 1002, 1003} {
			companytest.AddOffer(p, company, fmt.Sprint("offer", i), portaltest.UnboundPhone)
			p.Clock.Advance(time.Minute)
		}
		offers := readOffers(p, p.SignIn(portaltest.AccountHost, portaltest.UnboundPhone).Session)
		var order []int64
		for _, offer := range offers.Shown {
			order = append(order, offer.Member.CompanyID)
		}
		if offers.All != 4 || !slices.Equal(order, []int64{1003, 1002, 1001}) { // 1008 is on trial
			t.Errorf("%v of %d", order, offers.All)
		}
		p.UpdateCompany(1003, func(c *store.Company) { c.Disabled = true })
		p.UpdateCompany(1002, func(c *store.Company) { c.EndsAt = 1 })
		offers = readOffers(p, p.SignIn(portaltest.AccountHost, portaltest.UnboundPhone).Session)
		if offers.All != 2 || offers.Shown[0].Member.CompanyID != 1001 || !offers.Shown[1].Trial {
			t.Errorf("%+v", offers)
		}
	})
}

// A name that nobody checked could be another company's; a person's name could be anything.
func TestAnOfferNamesItsCompanyOnlyByAConfirmedName(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		p.UpdateCompany(1002, func(c *store.Company) { c.Name = "金穗粮油" })
		companytest.OfferAccount(p, portaltest.BuyerPhone)
		s := p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone).Session
		if o := readOffers(p, s).Shown[0]; o.Name != "" || o.Claimed != "金穗粮油" || o.Opener != "" {
			t.Errorf("named %q, claims %q, opened by %q", o.Name, o.Claimed, o.Opener)
		}
	})
}

func TestAPersonWithOffersAloneIsSignedInToAnswerThem(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		_, err := p.Login(p.LoginInput(portaltest.UnboundPhone))
		portaltest.Refused(t, err, access.PhoneNotBound)
		offer := companytest.OfferAccount(p.Platform, portaltest.UnboundPhone)
		signed, err := p.Login(p.LoginInput(portaltest.UnboundPhone))
		portaltest.NoError(t, err)
		if want := (signin.Step{Kind: signin.StepCompany}); signed.Step != want {
			t.Errorf("it leads to %+v", signed.Step)
		}
		ask := p.CodeRequest(core.ForLogin, portaltest.UnboundPhone, core.NewFlow())
		byCode, err := p.CodeLogin(p.CodeLoginInput(portaltest.UnboundPhone, p.ReceiveCode(ask), ask.Flow))
		portaltest.NoError(t, err)
		if step, err := p.Accounts.Continue(t.Context(), byCode.Session); err != nil ||
			step.Kind != signin.StepCompany {
			t.Errorf("%+v, %v", step, err)
		}
		in := p.LoginInput(portaltest.UnboundPhone)
		in.Place = p.Place("store1001.portico.test")
		_, err = p.Login(in) // another company's site
		portaltest.Refused(t, err, access.PhoneNotBound)
		step, err := acceptOffer(p.Platform, signed.Session, offer)
		if err != nil || step.AccountID != offer.ID {
			t.Errorf("%+v, %v", step, err)
		}
		if signed := p.SignIn(portaltest.AccountHost, portaltest.UnboundPhone); signed.Step.AccountID != offer.ID {
			t.Errorf("then it leads to %+v", signed.Step)
		}
	})
}

// An offer does not hide why a person's own account is blocked.
func TestABlockedPersonIsToldWhyWhateverOffersWait(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		companytest.OfferAccount(p, "13800000005") // disabled in 1001
		_, err := p.Login(p.LoginInput("13800000005"))
		portaltest.Refused(t, err, access.AccountDisabled)
	})
}

func TestProgramsListOffersAndCannotChooseThem(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		offer := companytest.OfferAccount(p.Platform, portaltest.BuyerPhone)
		in := signin.ClientLoginInput{Login: portaltest.BuyerPhone, Password: onboarding.DemoPassword,
			Client: signin.ClientApp}
		result, err := p.Signin.ClientLogin(p.From(portaltest.HomeAddress), in)
		portaltest.NoError(t, err)
		if len(result.Shop) != 2 || result.Shop[1].ID != offer.ID || result.Shop[1].Blocked != access.Offered {
			t.Errorf("%+v", result.Shop)
		}
		in.AccountID = offer.ID
		_, err = p.Signin.ClientLogin(p.From(portaltest.HomeAddress), in)
		portaltest.Refused(t, err, access.Offered)
		s, err := p.Landing.Token(t.Context(),
			signin.TokenInput{Token: result.Ticket, Client: signin.ClientApp, Ticket: true})
		portaltest.NoError(t, err)
		list, err := p.Accounts.AccountList(t.Context(), s)
		if err != nil || len(list) != 2 || list[1].Company.ID != 1002 || list[1].Shop[0].Blocked != access.Offered {
			t.Errorf("%+v, %v", list, err)
		}
		_, err = p.Chatlogin.LoginAs(t.Context(), s,
			signin.LoginAsInput{AccountID: offer.ID, Client: signin.ClientApp})
		portaltest.Refused(t, err, access.Offered)
	})
}

func TestAnApprovedApplicantWithAPasswordAcceptsAfterSigningIn(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		a, err := applicationtest.Send(p, applicationtest.New(p, 1001, portaltest.UnboundPhone))
		portaltest.NoError(t, err)
		review := application.ReviewInput{ID: a.ID, Approve: true}
		a, _, err = p.Application.Review(t.Context(), p.Land("jinsui", portaltest.PhoneScreen), review)
		portaltest.NoError(t, err)
		for _, host := range []string{"store1001.portico.test", portaltest.AccountHost} {
			offers := readOffers(p.Platform, p.SignIn(host, portaltest.UnboundPhone).Session)
			if offers.All != 1 || !offers.Shown[0].Applied || offers.Shown[0].Member.ID != a.AccountID {
				t.Fatalf("at %s: %+v", host, offers)
			}
		}
		step, err := acceptOffer(p.Platform, p.SignIn(portaltest.AccountHost, portaltest.UnboundPhone).Session,
			companytest.OffersIn(p.Platform, 1001, portaltest.UnboundPhone)[0])
		if err != nil || step.AccountID != a.AccountID {
			t.Errorf("%+v, %v", step, err)
		}
		state, err := p.Application.LookUpApplicationState(
			t.Context(), application.LookUpApplicantInput{Phone: portaltest.UnboundPhone, CompanyID: 1001},
		)
		if err != nil || state != application.ApplicantMember {
			t.Errorf("the applicant is %s, %v", state, err)
		}
	})
}

func TestAnApplicantWhoDeclinedMayApplyAgain(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		_, err := applicationtest.Send(p, applicationtest.New(p, 1002, portaltest.UnboundPhone))
		portaltest.NoError(t, err)
		s := p.SignIn(portaltest.AccountHost, portaltest.UnboundPhone).Session
		portaltest.NoError(
			t, declineOffer(p.Platform, s, companytest.OffersIn(p.Platform, 1002, portaltest.UnboundPhone)[0]),
		)
		in := application.LookUpApplicantInput{Phone: portaltest.UnboundPhone, CompanyID: 1002}
		state, err := p.Application.LookUpApplicationState(t.Context(), in)
		if err != nil || state != application.ApplicantNone {
			t.Errorf("the applicant is %s, %v", state, err)
		}
		p.Clock.Advance(10 * time.Minute)
		_, err = applicationtest.Send(p, applicationtest.New(p, 1002, portaltest.UnboundPhone))
		portaltest.NoError(t, err)
		if n := len(companytest.OffersIn(p.Platform, 1002, portaltest.UnboundPhone)); n != 1 {
			t.Errorf("%d offers", n)
		}
	})
}

func TestEveryReadOfAnAccountKnowsThatItIsOffered(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		offer := companytest.OfferAccount(p, portaltest.BuyerPhone)
		byID, err := p.DB.Accounts.ByID(t.Context(), 1002, offer.ID)
		portaltest.NoError(t, err)
		ofSession, err := p.DB.Accounts.OfAnyCompany(t.Context(), offer.ID)
		portaltest.NoError(t, err)
		ofToken, err := p.DB.Accounts.EntryState(t.Context(), offer.ID)
		portaltest.NoError(t, err)
		for _, m := range []store.Member{byID, ofSession, ofToken} {
			if got := access.BlockedBy(m, false, p.Clock.Now()); got != access.Offered {
				t.Errorf("blocked by %q", got)
			}
		}
		byLogin, err := p.DB.Accounts.ByLogin(t.Context(), offer.Login)
		if err != nil || len(byLogin) != 0 {
			t.Errorf("by its login: %v, %v", byLogin, err)
		}
	})
}

// unbindOnlyAccount unbinds the phone from the only account of a person. It fails the test if that is refused.
func unbindOnlyAccount(p *portaltest.SMSPlatform, phone, login string) {
	p.T.Helper()
	in := credentialtest.UnbindInput(p, p.SignIn(portaltest.AccountHost, phone).Session, login)
	in.Code = p.ReceiveCode(credentialtest.UnbindCodeRequest(p, in))
	in.Password, in.Confirm = portaltest.NewPassword, portaltest.NewPassword
	portaltest.NoError(p.T, credentialtest.Unbind(p, in))
}

// addOfferFrom adds an offer of a company directly to the database and returns the account.
func addOfferFrom(p *portaltest.Platform, company int64, number string) store.Member {
	p.T.Helper()
	now := store.At(p.Clock.Now())
	id, err := p.DB.Accounts.Add(p.T.Context(), store.Account{
		CompanyID: company, Side: store.Mgr, Type: store.TypeEmployee, Login: fmt.Sprintf("offer%d", now), Name: "谁",
		PersonID: portaltest.PersonOf(p.T, p.DB, number).ID, State: store.AccountActive, Invited: true, CreatedAt: now,
	})
	portaltest.NoError(p.T, err)
	m, err := p.DB.Accounts.ByID(p.T.Context(), company, id)
	portaltest.NoError(p.T, err)
	return m
}

// readOffers returns the offers to the person of a session. It fails the test if they cannot be read.
func readOffers(p *portaltest.Platform, s access.Session) signin.Offers {
	p.T.Helper()
	offers, err := p.Accounts.Offers(p.T.Context(), s, "")
	portaltest.NoError(p.T, err)
	return offers
}

// acceptOffer accepts an offer and returns the operation's result.
func acceptOffer(p *portaltest.Platform, s access.Session, offer store.Member) (signin.Step, error) {
	return p.Accounts.AcceptOffer(
		p.From(portaltest.HomeAddress), signin.OfferInput{Session: s, AccountID: offer.ID, Lang: "zh"},
	)
}

// declineOffer declines an offer and returns the operation's error.
func declineOffer(p *portaltest.Platform, s access.Session, offer store.Member) error {
	return p.Accounts.DeclineOffer(p.From(portaltest.HomeAddress), signin.OfferInput{Session: s, AccountID: offer.ID})
}
