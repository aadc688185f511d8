package signin_test

import (
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/lists"
	"portico/portal/onboarding"
	"portico/portal/portaltest"
	"portico/portal/portaltest/companytest"
	"portico/portal/portaltest/credentialtest"
	"portico/portal/portaltest/onboardingtest"
	"portico/portal/portaltest/sessiontest"
	"portico/portal/signin"
	"portico/store"
)

func TestAnOrderOfTheShopIsSeenAndConfirmedInTheBackOffice(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		result, _ := onboardingtest.OpenSandboxFor(p, portaltest.NewPhone, onboardingtest.Seafood)
		s := sessiontest.StoredSession(p.Platform, result.LoginResult, portaltest.AccountHost)
		shop := sessiontest.EnterAccount(p, s, onboardingtest.RoleAccount(p, s, "shop", true))
		if own, err := p.Shop.OwnOrders(t.Context(), shop.Landing, 0); err != nil || len(own.Orders) != 0 {
			t.Errorf("orders of others are shown: %d, %v", len(own.Orders), err)
		}
		placed := companytest.OrderFirstProduct(p, shop.Landing, "3")
		office := sessiontest.SwitchVisit(p, shop)
		if office.Member.Side != store.Mgr || office.Member.CompanyID != shop.Member.CompanyID {
			t.Errorf("the other side is %+v", office.Member.Account)
		}
		list, err := p.Lists.Orders.Page(t.Context(), office.Landing, lists.Input{}, "zh")
		if err != nil || list.Rows[0].ID != placed.ID || list.Rows[0].State != store.OrderNew ||
			list.Rows[0].ClientName != "试用客户" {
			t.Errorf("the newest is %+v, %v", list.Rows[0], err)
		}
		portaltest.NoError(t, p.Shop.ConfirmOrder(p.From(portaltest.HomeAddress), office.Landing, placed.ID))
		back := sessiontest.SwitchVisit(p, office)
		if back.Member.ID != shop.Member.ID {
			t.Errorf("back at %+v", back.Member.Account)
		}
		own, err := p.Shop.OwnOrder(t.Context(), back.Landing, placed.ID, "zh")
		if err != nil || own.State != store.OrderConfirmed || own.ConfirmedBy != office.Member.Name ||
			own.ConfirmedAt != store.At(p.Clock.Now()) {
			t.Errorf("%+v, %v", own, err)
		}
	})
}

func TestSidesAreSwitchedOnlyInSandboxes(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		real := p.SignIn(portaltest.AccountHost, portaltest.BothPhone)
		v := sessiontest.EnterAccount(p, real.Session, p.Account("trial"))
		_, err := sessiontest.SwitchSideWithCookie(p, t.Context(), v, v.Token)
		portaltest.Refused(t, err, access.NotFound)
		// who also has real ones
		result, _ := onboardingtest.OpenSandboxFor(p, portaltest.BothPhone, onboardingtest.Seafood)
		s := sessiontest.StoredSession(p.Platform, result.LoginResult, portaltest.AccountHost)
		sandbox := sessiontest.EnterAccount(p, s, onboardingtest.RoleAccount(p, s, "mgr", false))
		if other := sessiontest.SwitchVisit(p, sandbox); other.Member.CompanyID != result.CompanyID ||
			other.Member.Side != store.Shop {
			t.Errorf("the other side is %+v", other.Member.Account)
		}
		real = p.SignIn(portaltest.AccountHost, portaltest.BothPhone)
		v = sessiontest.EnterAccount(p, real.Session, p.Account("trial"))
		_, err = sessiontest.SwitchSideWithCookie(p, t.Context(), v, v.Token)
		portaltest.Refused(t, err, access.NotFound)
		_, err = sessiontest.SwitchSideWithCookie(p, t.Context(), sandbox, "")
		portaltest.Refused(t, err, access.LoginRequired)
		_, err = p.SignOut(t.Context(), result.Token, p.Place(portaltest.AccountHost))
		portaltest.NoError(t, err)
		_, err = sessiontest.SwitchSideWithCookie(p, t.Context(), sandbox, sandbox.Token)
		portaltest.Refused(t, err, access.LoginRequired)
	})
}

func TestSwitchingSidesStaysInTheSameSandbox(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		first, _ := onboardingtest.OpenSandboxFor(p, portaltest.NewPhone, onboardingtest.Seafood)
		s := sessiontest.StoredSession(p.Platform, first.LoginResult, portaltest.AccountHost)
		v := sessiontest.EnterAccount(p, s, onboardingtest.RoleAccount(p, s, "shop", false))
		second := onboardingtest.SandboxInput(p, "", "", "", onboardingtest.Groceries)
		second.Session = s
		_, err := onboardingtest.OpenSandbox(p, second)
		portaltest.NoError(t, err)
		if other := sessiontest.SwitchVisit(p, v); other.Member.CompanyID != first.CompanyID ||
			other.Member.Side != store.Mgr {
			t.Errorf("the other side is %+v", other.Member.Account)
		}
	})
}

func TestAnEndedTrialIsRefusedAtTheNextRequest(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		in := onboardingtest.SandboxInput(p, portaltest.NewPhone, "", core.NewFlow(), onboardingtest.Seafood)
		in.Browser.Remember = true
		in.Code = p.ReceiveCode(p.CodeRequest(core.ForExperience, portaltest.NewPhone, in.Flow))
		result, err := onboardingtest.OpenSandbox(p, in)
		portaltest.NoError(t, err)
		p.ConfirmSession(result.LoginResult)
		p.Clock.Advance(onboarding.SandboxLife - time.Minute)
		s := sessiontest.StoredSession(p.Platform, result.LoginResult, portaltest.AccountHost)
		v := sessiontest.EnterAccount(p, s, onboardingtest.RoleAccount(p, s, "shop", true))
		user, err := p.Onboarding.ExperienceUser(p.From(portaltest.HomeAddress),
			onboarding.RoleInput{Role: "mgr", Session: s}, signin.ClientApp)
		portaltest.NoError(t, err)
		if v.DaysLeft != 1 {
			t.Errorf("%d days are left", v.DaysLeft)
		}
		p.Clock.Advance(time.Minute - time.Millisecond)
		_, err = p.LandingAt(v.Destination, v.Token)
		portaltest.NoError(t, err)
		p.Clock.Advance(time.Millisecond)
		_, err = p.LandingAt(v.Destination, v.Token)
		if with := portaltest.Refused(t, err, access.TrialEnded); with.Company == nil ||
			with.Company.ID != result.CompanyID {
			t.Errorf("%+v", with)
		}
		_, err = credentialtest.TokenSession(p, string(user.Token))
		portaltest.Refused(t, err, access.TrialEnded)
		_, err = p.Entry.Enter(t.Context(), access.EnterInput{Session: s, AccountID: v.Member.ID,
			Place: p.Place(portaltest.AccountHost)})
		portaltest.Refused(t, err, access.TrialEnded)
		_, err = onboardingtest.ChooseRole(p, onboarding.RoleInput{Role: "mgr", Session: s})
		portaltest.Refused(t, err, access.WrongParameters)
		if _, ok, err := p.Onboarding.Sandbox(t.Context(), s, 0); err != nil || ok {
			t.Errorf("it is still one: %v", err)
		}
		_, err = p.Accounts.Continue(t.Context(), s)
		portaltest.Refused(t, err, access.TrialEnded)
		// the next one begins empty
		again, _ := onboardingtest.OpenSandboxFor(p, portaltest.NewPhone, onboardingtest.Seafood)
		if got := onboardingtest.CountGoods(p.Platform, again.CompanyID); got != "0 0 1 0" ||
			!p.Company(again.CompanyID).Sandbox ||
			len(companytest.AccountsOfPhone(p.Platform, portaltest.NewPhone)) != 2 {
			t.Errorf("a new one holds %s", got)
		}
	})
}

func TestATrialThatBecomesACompanyKeepsItsData(t *testing.T) {
	for name, register := range map[string]func(p *portaltest.SMSPlatform,
		tried onboarding.Experience) (onboarding.Registered, error){
		"by a code": func(p *portaltest.SMSPlatform, _ onboarding.Experience) (onboarding.Registered, error) {
			in := onboardingtest.RegisterInput(p, portaltest.NewPhone, "", core.NewFlow())
			in.Code = p.ReceiveCode(p.CodeRequest(core.ForRegister, portaltest.NewPhone, in.Flow))
			return onboardingtest.Register(p, in)
		},
		"signed in": func(p *portaltest.SMSPlatform, tried onboarding.Experience) (onboarding.Registered, error) {
			in := onboardingtest.AddCompanyInput(p,
				sessiontest.StoredSession(p.Platform, tried.LoginResult, portaltest.AccountHost),
				onboardingtest.CompanyName)
			in.SandboxID, in.Password = tried.CompanyID, portaltest.NewPassword
			return onboardingtest.Register(p, in)
		},
	} {
		t.Run(name, func(t *testing.T) {
			portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
				tried, _ := onboardingtest.OpenSandboxFor(p, portaltest.NewPhone, onboardingtest.Seafood)
				s := sessiontest.StoredSession(p.Platform, tried.LoginResult, portaltest.AccountHost)
				shop := sessiontest.EnterAccount(p, s, onboardingtest.RoleAccount(p, s, "shop", true))
				placed := companytest.OrderFirstProduct(p, shop.Landing, "2")
				goods, filled := onboardingtest.CountGoods(p.Platform, tried.CompanyID), p.Company(
					tried.CompanyID,
				).InitialisedAt
				p.Clock.Advance(time.Hour)

				result, err := register(p, tried)
				portaltest.NoError(t, err)

				c := p.Company(tried.CompanyID)
				if result.Member.CompanyID != c.ID || c.Sandbox || c.Name != onboardingtest.CompanyName ||
					c.Standing != store.Trial || c.IndustryID != onboardingtest.Seafood || c.InitialisedAt != filled ||
					c.EndsAt != store.At(p.Clock.Now().Add(access.TrialLife)) {
					t.Errorf("the company is %+v", c)
				}
				if m := result.Member; m.Name != onboardingtest.PersonName || m.Side != store.Mgr ||
					m.Type != store.TypeAdministrator || m.Phone != portaltest.NewPhone {
					t.Errorf("the administrator is %+v", m.Account)
				}
				o, err := p.Shop.CompanyOrder(t.Context(), p.LandingFor(result.Member), placed.ID, "es")
				if got := onboardingtest.CountGoods(p.Platform, c.ID); err != nil || got != goods ||
					o.Total != placed.Total {
					t.Errorf("the goods are %s, were %s; the order is %+v, %v", got, goods, o, err)
				}
				if left, err := p.DB.Sandboxes.OfPerson(t.Context(), result.Member.PersonID, 0); err != nil ||
					len(left) != 0 {
					t.Errorf("%d sandboxes are left, %v", len(left), err)
				}
				if !credentialtest.AcceptsPassword(p, portaltest.NewPhone, portaltest.NewPassword) ||
					p.CountEvents(c.ID, "company_registered") != 1 {
					t.Error("it is not signed in to, or not in the audit log")
				}
				p.Clock.Advance(onboarding.SandboxLife)
				portaltest.NoError(t, p.Sweep(t.Context()))
				if p.Company(c.ID).ID != c.ID {
					t.Error("the janitor took it")
				}
				p.Clock.Advance(core.DefaultResend)
				// there is room for another one
				next, _ := onboardingtest.OpenSandboxFor(p, portaltest.NewPhone, onboardingtest.Seafood)
				if next.CompanyID == c.ID {
					t.Error("the company is a sandbox again")
				}
			})
		})
	}
}
