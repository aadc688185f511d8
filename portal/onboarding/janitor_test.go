package onboarding_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"portico/portal"
	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/onboarding"
	"portico/portal/portaltest"
	"portico/portal/portaltest/companytest"
	"portico/portal/portaltest/credentialtest"
	"portico/portal/portaltest/onboardingtest"
	"portico/portal/portaltest/sessiontest"
	"portico/portal/signin"
	"portico/store"
)

// TablesKept are the tables whose rows stay when a sandbox is removed: counters, acceptances, the audit log, people
// without their number, and, until they expire, sessions of landing hosts in which nobody is signed in any more.
var TablesKept = []string{
	"attempts", "codes", "audit_events", "phones", "acceptances", "known_devices", "lookups", "sessions", "last_ids",
}

func TestAnEndedSandboxIsRemovedWithAllItsRows(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		before := p.CountRows(TablesKept...)
		result, in := onboardingtest.OpenSandboxFor(p, portaltest.NewPhone, onboardingtest.Seafood)
		s := sessiontest.StoredSession(p.Platform, result.LoginResult, portaltest.AccountHost)
		shop := sessiontest.EnterAccount(p, s, onboardingtest.RoleAccount(p, s, "shop", true))
		placed := companytest.OrderFirstProduct(p, shop.Landing, "2")
		office := sessiontest.SwitchVisit(p, shop)
		portaltest.NoError(t, p.Shop.ConfirmOrder(t.Context(), office.Landing, placed.ID))
		user, err := p.Onboarding.ExperienceUser(
			p.From(portaltest.HomeAddress), onboarding.RoleInput{Role: "mgr", Session: s}, signin.ClientApp,
		)
		portaltest.NoError(t, err)
		_, err = p.Entry.Enter(p.From(portaltest.HomeAddress), access.EnterInput{
			Session: s, AccountID: shop.Member.ID, Place: p.Place(portaltest.AccountHost), Device: portaltest.Desktop,
		})
		portaltest.NoError(t, err)
		p.Clock.Advance(7*24*time.Hour - time.Millisecond)
		onboardingtest.RemoveSandboxes(p, 0)
		p.Clock.Advance(time.Millisecond)
		onboardingtest.RemoveSandboxes(p, 1)
		onboardingtest.RemoveSandboxes(p, 0)
		if after := p.CountRows(TablesKept...); after != before {
			t.Errorf("it left %s, before %s", after, before)
		}
		if _, err := p.DB.Persons.ByNumber(t.Context(), portaltest.NewPhone); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("the number still belongs to a person: %v", err)
		}
		if sessions, err := p.DB.Sessions.OfHolder(t.Context(), s.PersonID, 0, store.At(p.Clock.Now())); err != nil ||
			len(sessions) != 0 {
			t.Errorf("%d sign-ins are left, %v", len(sessions), err)
		}
		_, err = credentialtest.TokenSession(p, string(user.Token))
		portaltest.Refused(t, err, access.LoginRequired)
		if again, err := onboardingtest.OpenSandbox(p, in); err == nil || again.Token != "" {
			t.Error("its proof signs in")
		}
		if log := p.Log.Count(`"sandboxes removed"`, `"number":1`); log != 1 {
			t.Errorf("the log has it %d times", log)
		}
	})
}

func TestRunningSandboxesAndAdoptedOnesAreKept(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		ended, _ := onboardingtest.OpenSandboxFor(p, "13900000091", onboardingtest.Seafood)
		registered, _ := onboardingtest.OpenSandboxFor(p, "13900000092", onboardingtest.Seafood)
		p.Clock.Advance(core.DefaultResend)
		onboardingtest.RegisterPhone(p, "13900000092")
		extended, _ := onboardingtest.OpenSandboxFor(p, "13900000093", onboardingtest.Seafood)
		portaltest.NoError(t, p.Operator.ExtendTrial(t.Context(), extended.CompanyID, 1))
		p.Clock.Advance(onboarding.SandboxLife - time.Second)
		running, _ := onboardingtest.OpenSandboxFor(p, "13900000094", onboardingtest.Seafood)
		onboardingtest.RemoveSandboxes(p, 1)
		for what, c := range map[string]struct {
			company int64
			left    bool
		}{
			"the ended one": {ended.CompanyID, false}, "the registered one": {registered.CompanyID, true},
			"the extended one": {extended.CompanyID, true}, "the running one": {running.CompanyID, true},
		} {
			if _, err := p.DB.Companies.ByID(t.Context(), c.company); (err == nil) != c.left {
				t.Errorf("%s: %v", what, err)
			}
		}
		p.Clock.Advance(30 * 24 * time.Hour)
		onboardingtest.RemoveSandboxes(p, 2)
		if p.Company(registered.CompanyID).Name != onboardingtest.CompanyName ||
			companytest.CountCompanies(p.Platform) != 9 {
			t.Errorf("%d companies are left", companytest.CountCompanies(p.Platform))
		}
	})
}

func TestASandboxThatTheOperatorMadeFormalIsKept(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		result, _ := onboardingtest.OpenSandboxFor(p, portaltest.NewPhone, onboardingtest.Seafood)
		portaltest.NoError(t, p.Operator.RenewCompany(t.Context(), result.CompanyID, p.Clock.In(30*24*time.Hour)))
		p.Clock.Advance(31 * 24 * time.Hour)
		onboardingtest.RemoveSandboxes(p, 0)
		if _, err := p.DB.Companies.ByID(t.Context(), result.CompanyID); err != nil {
			t.Errorf("a formal company whose term ended: %v", err)
		}
	})
}

func TestAPersonKeepsTheirNumberWhileAnyAccountIsLeft(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		in := onboardingtest.SandboxInput(p, "", "", "", onboardingtest.Seafood)
		signed := sessiontest.SignInRemembered(p.Platform, portaltest.ManagerPhone)
		in.Session = signed.Session
		_, err := onboardingtest.OpenSandbox(p, in) // a person with a password
		portaltest.NoError(t, err)
		companytest.AddOffer(p.Platform, 1001, "invited", "13900000091")
		// a person whom a company invited
		invited, _ := onboardingtest.OpenSandboxFor(p, "13900000091", onboardingtest.Seafood)
		// a person with two trials, one of which lasts longer
		two, _ := onboardingtest.OpenSandboxFor(p, "13900000092", onboardingtest.Seafood)
		other := onboardingtest.SandboxInput(p, "", "", "", onboardingtest.Groceries)
		other.Session = two.Session
		second, err := onboardingtest.OpenSandbox(p, other)
		portaltest.NoError(t, err)
		portaltest.NoError(t, p.Operator.ExtendTrial(t.Context(), second.CompanyID, 1))
		p.Clock.Advance(onboarding.SandboxLife)
		signed = sessiontest.SignInRemembered(p.Platform, portaltest.ManagerPhone)
		onboardingtest.RemoveSandboxes(p, 3)
		companytest.WantAccounts(p.Platform, signed.Session, "1001 mgr:jinsui")
		if step, err := p.Accounts.Continue(
			t.Context(), sessiontest.StoredSession(p.Platform, signed, portaltest.AccountHost),
		); err != nil ||
			step.AccountID != p.Account("jinsui").ID {
			t.Errorf("%+v, %v", step, err)
		}
		for _, number := range []string{portaltest.ManagerPhone, "13900000091", "13900000092"} {
			if person := portaltest.PersonOf(t, p.DB, number); person.Phone != number {
				t.Errorf("%+v", person)
			}
		}
		if len(companytest.OffersIn(p.Platform, 1001, "13900000091")) != 1 ||
			len(companytest.AccountsOfPhone(p.Platform, "13900000092")) != 2 ||
			invited.CompanyID == second.CompanyID {
			t.Error("other accounts went as well")
		}
		p.Clock.Advance(24 * time.Hour)
		onboardingtest.RemoveSandboxes(p, 1)
		if _, err := p.DB.Persons.ByNumber(t.Context(), "13900000092"); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("with the last one gone: %v", err)
		}
	})
}

func TestASessionEndsWhenNothingOfItsPersonIsLeft(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		in := onboardingtest.SandboxInput(p, portaltest.NewPhone, "", core.NewFlow(), onboardingtest.Seafood)
		in.Browser.Remember = true
		in.Code = p.ReceiveCode(p.CodeRequest(core.ForExperience, portaltest.NewPhone, in.Flow))
		result, err := onboardingtest.OpenSandbox(p, in)
		portaltest.NoError(t, err)
		s := sessiontest.StoredSession(p.Platform, result.LoginResult, portaltest.AccountHost)
		v := sessiontest.EnterAccount(p, s, onboardingtest.RoleAccount(p, s, "shop", false))
		p.Clock.Advance(onboarding.SandboxLife)
		onboardingtest.RemoveSandboxes(p, 1)
		portaltest.Refused(t, p.RequestSignedIn(result.Token, portaltest.AccountHost), access.LoginRequired)
		_, err = p.LandingAt(v.Destination, v.Token)
		portaltest.Refused(t, err, access.LoginRequired)
		// of a request that read its session before
		if list := companytest.ListAccounts(p.Platform, s); len(list) != 0 {
			t.Errorf("%q", companytest.DescribeAccounts(list))
		}
		_, err = p.Accounts.Continue(t.Context(), s)
		portaltest.Refused(t, err, access.PhoneNotBound)
		_, err = onboardingtest.ChooseRole(p, onboarding.RoleInput{Role: "mgr", Session: s})
		portaltest.Refused(t, err, access.WrongParameters)
		_, waits, err := p.Onboarding.ToInitialise(t.Context(), s)
		if err != nil || waits {
			t.Errorf("something waits: %v", err)
		}
		before := companytest.CountCompanies(p.Platform)
		mine := onboardingtest.AddCompanyInput(p, s, onboardingtest.CompanyName)
		mine.Password = portaltest.NewPassword
		_, err = onboardingtest.Register(p, mine)
		portaltest.Refused(t, err, access.LoginRequired)
		again := onboardingtest.SandboxInput(p, "", "", "", onboardingtest.Seafood)
		again.Session = s
		_, err = onboardingtest.OpenSandbox(p, again)
		portaltest.Refused(t, err, access.LoginRequired)
		if companytest.CountCompanies(p.Platform) != before {
			t.Error("a company was made for nobody")
		}
	})
}

func TestATrialExtendedWhileTheJanitorRunsKeepsItsSessions(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		in := onboardingtest.SandboxInput(p, portaltest.NewPhone, "", core.NewFlow(), onboardingtest.Seafood)
		in.Browser.Remember = true
		in.Code = p.ReceiveCode(p.CodeRequest(core.ForExperience, portaltest.NewPhone, in.Flow))
		result, err := onboardingtest.OpenSandbox(p, in)
		portaltest.NoError(t, err)
		s := sessiontest.StoredSession(p.Platform, result.LoginResult, portaltest.AccountHost)
		v := sessiontest.EnterAccount(p, s, onboardingtest.RoleAccount(p, s, "shop", false))
		late := true // for the list of ended ones; then its end lies ahead, as if it had been moved
		p.Restart(func(o *portal.Options) {
			o.Now = func() time.Time {
				if late {
					late = false
					return p.Clock.In(onboarding.SandboxLife)
				}
				return p.Clock.Now()
			}
		})
		if _, err := p.Onboarding.RemoveSandboxes(t.Context()); err != nil {
			t.Errorf("%v", err)
		}
		if _, err := p.LandingAt(v.Destination, v.Token); err != nil || p.Company(result.CompanyID).ID == 0 {
			t.Errorf("the side is left: %v", err)
		}
	})
}

func TestTheJanitorStopsWhenItsContextEnds(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		for i := range 3 {
			onboardingtest.OpenSandboxFor(p, fmt.Sprintf("1390000009%d", i), onboardingtest.Seafood)
		}
		p.Clock.Advance(onboarding.SandboxLife)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := p.Onboarding.RemoveSandboxes(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
		n, err := p.Onboarding.RemoveSandboxes(t.Context())
		if left, listing := p.DB.Sandboxes.Ended(t.Context(), store.At(p.Clock.Now()), 10); err != nil ||
			listing != nil || len(left) != 0 {
			t.Errorf("%d were removed, %d are left: %v, %v", n, len(left), err, listing)
		}
	})
}
