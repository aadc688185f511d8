package onboarding_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"portico/portal"
	"portico/portal/access"
	"portico/portal/landing"
	"portico/portal/onboarding"
	"portico/portal/portaltest"
	"portico/portal/verification"
	"portico/store"
)

// TablesKept are the tables whose rows stay when a sandbox is removed: counters, acceptances, the audit log, people
// without their number, and, until they expire, sessions of landing hosts in which nobody is signed in any more.
var TablesKept = []string{
	"attempts", "codes", "audit_events", "phones", "acceptances", "known_devices", "lookups", "sessions", "last_ids",
}

func TestAnEndedSandboxIsRemovedWithAllItsRows(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		before := p.Counted(TablesKept...)
		result, in := p.Tried(portaltest.NewPhone, portaltest.Seafood)
		s := p.Stored(result.LoginResult, portaltest.AccountHost)
		shop := p.Visits(s, p.Role(s, "shop", true))
		placed := p.Orders(shop.Landing, "2")
		office := p.Switches(shop)
		portaltest.NoError(t, p.Backoffice.ConfirmOrder(t.Context(), office.Landing, placed.ID))
		user, err := p.Onboarding.ExperienceUser(
			p.From(portaltest.HomeAddress), onboarding.RoleInput{Role: "mgr", Session: s}, landing.ClientApp,
		)
		portaltest.NoError(t, err)
		_, err = p.Entry.Enter(p.From(portaltest.HomeAddress), access.EnterInput{
			Session: s, AccountID: shop.Member.ID, Place: p.Place(portaltest.AccountHost), Device: portaltest.Desktop,
		})
		portaltest.NoError(t, err)
		p.Clock.Advance(onboarding.SandboxLife - time.Millisecond)
		p.Sweeps(0)
		p.Clock.Advance(time.Millisecond)
		p.Sweeps(1)
		p.Sweeps(0)
		if after := p.Counted(TablesKept...); after != before {
			t.Errorf("it left %s, before %s", after, before)
		}
		if _, err := p.Db.Phones.ByNumber(t.Context(), portaltest.NewPhone); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("the number still belongs to a person: %v", err)
		}
		if sessions, err := p.Db.Sessions.OfOwner(t.Context(), s.PhoneID, 0, store.At(p.Clock.Now())); err != nil ||
			len(sessions) != 0 {
			t.Errorf("%d sign-ins are left, %v", len(sessions), err)
		}
		_, err = p.TokenSession(string(user.Token))
		portaltest.Refused(t, err, access.LoginRequired)
		if again, err := p.Try(in); err == nil || again.Token != "" {
			t.Error("its proof signs in")
		}
		if log := p.Log.Count(`"sandboxes removed"`, `"number":1`); log != 1 {
			t.Errorf("the log has it %d times", log)
		}
	})
}

func TestRunningSandboxesAndAdoptedOnesAreKept(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		ended, _ := p.Tried("13900000091", portaltest.Seafood)
		registered, _ := p.Tried("13900000092", portaltest.Seafood)
		p.Clock.Advance(verification.DefaultResend)
		p.Registered("13900000092")
		extended, _ := p.Tried("13900000093", portaltest.Seafood)
		portaltest.NoError(t, p.Operator.ExtendTrial(t.Context(), extended.CompanyID, 1))
		p.Clock.Advance(onboarding.SandboxLife - time.Second)
		running, _ := p.Tried("13900000094", portaltest.Seafood)
		p.Sweeps(1)
		for what, c := range map[string]struct {
			company int64
			left    bool
		}{
			"the ended one": {ended.CompanyID, false}, "the registered one": {registered.CompanyID, true},
			"the extended one": {extended.CompanyID, true}, "the running one": {running.CompanyID, true},
		} {
			if _, err := p.Db.Companies.ByID(t.Context(), c.company); (err == nil) != c.left {
				t.Errorf("%s: %v", what, err)
			}
		}
		p.Clock.Advance(30 * 24 * time.Hour)
		p.Sweeps(2)
		if p.Company(registered.CompanyID).Name != portaltest.OwnCompany || p.Companies() != 9 {
			t.Errorf("%d companies are left", p.Companies())
		}
	})
}

func TestASandboxThatTheOperatorMadeFormalIsKept(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		result, _ := p.Tried(portaltest.NewPhone, portaltest.Seafood)
		portaltest.NoError(t, p.Operator.RenewCompany(t.Context(), result.CompanyID, p.Clock.In(30*24*time.Hour)))
		p.Clock.Advance(31 * 24 * time.Hour)
		p.Sweeps(0)
		if _, err := p.Db.Companies.ByID(t.Context(), result.CompanyID); err != nil {
			t.Errorf("a formal company whose term ended: %v", err)
		}
	})
}

func TestAPersonKeepsTheirNumberWhileAnyAccountIsLeft(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		in := p.Trying("", "", "", portaltest.Seafood)
		signed := p.Remembered(portaltest.ManagerPhone)
		in.Session = signed.Session
		_, err := p.Try(in) // a person with a password
		portaltest.NoError(t, err)
		p.Invites(1001, "invited", "13900000091")
		invited, _ := p.Tried("13900000091", portaltest.Seafood) // a person whom a company invited
		two, _ := p.Tried("13900000092", portaltest.Seafood)     // a person with two trials, one of which lasts longer
		other := p.Trying("", "", "", portaltest.Groceries)
		other.Session = two.Session
		second, err := p.Try(other)
		portaltest.NoError(t, err)
		portaltest.NoError(t, p.Operator.ExtendTrial(t.Context(), second.CompanyID, 1))
		p.Clock.Advance(onboarding.SandboxLife)
		signed = p.Remembered(portaltest.ManagerPhone)
		p.Sweeps(3)
		p.WantList(signed.Session, "1001 mgr:jinsui")
		if step, err := p.Accounts.Continue(t.Context(), p.Stored(signed, portaltest.AccountHost)); err != nil ||
			step.AccountID != p.Account("jinsui").ID {
			t.Errorf("%+v, %v", step, err)
		}
		for _, number := range []string{portaltest.ManagerPhone, "13900000091", "13900000092"} {
			if phone := portaltest.PhoneOf(t, p.Db, number); phone.Phone != number {
				t.Errorf("%+v", phone)
			}
		}
		if len(p.OffersIn(1001, "13900000091")) != 1 || len(p.MembersOf("13900000092")) != 2 ||
			invited.CompanyID == second.CompanyID {
			t.Error("other accounts went as well")
		}
		p.Clock.Advance(24 * time.Hour)
		p.Sweeps(1)
		if _, err := p.Db.Phones.ByNumber(t.Context(), "13900000092"); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("with the last one gone: %v", err)
		}
	})
}

func TestASessionEndsWhenNothingOfItsPersonIsLeft(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		in := p.Trying(portaltest.NewPhone, "", verification.NewFlow(), portaltest.Seafood)
		in.Browser.Remember = true
		in.Code = p.Sent(p.Asking(verification.ForExperience, portaltest.NewPhone, in.Flow))
		result, err := p.Try(in)
		portaltest.NoError(t, err)
		s := p.Stored(result.LoginResult, portaltest.AccountHost)
		v := p.Visits(s, p.Role(s, "shop", false))
		p.Clock.Advance(onboarding.SandboxLife)
		p.Sweeps(1)
		portaltest.Refused(t, p.RequestSignedIn(result.Token, portaltest.AccountHost), access.LoginRequired)
		_, err = p.LandAt(v.Destination, v.Token)
		portaltest.Refused(t, err, access.LoginRequired)
		if list := p.List(s); len(list) != 0 { // of a request that read its session before
			t.Errorf("%q", portaltest.Listed(list))
		}
		_, err = p.Accounts.Continue(t.Context(), s)
		portaltest.Refused(t, err, access.PhoneNotBound)
		_, err = p.Rolling(onboarding.RoleInput{Role: "mgr", Session: s})
		portaltest.Refused(t, err, access.WrongParameters)
		_, waits, err := p.Onboarding.ToInitialise(t.Context(), s)
		if err != nil || waits {
			t.Errorf("something waits: %v", err)
		}
		before := p.Companies()
		mine := p.Adding(s, portaltest.OwnCompany)
		mine.Password = portaltest.NewPassword
		_, err = p.Register(mine)
		portaltest.Refused(t, err, access.LoginRequired)
		again := p.Trying("", "", "", portaltest.Seafood)
		again.Session = s
		_, err = p.Try(again)
		portaltest.Refused(t, err, access.LoginRequired)
		if p.Companies() != before {
			t.Error("a company was made for nobody")
		}
	})
}

func TestATrialExtendedWhileTheJanitorRunsKeepsItsSessions(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		in := p.Trying(portaltest.NewPhone, "", verification.NewFlow(), portaltest.Seafood)
		in.Browser.Remember = true
		in.Code = p.Sent(p.Asking(verification.ForExperience, portaltest.NewPhone, in.Flow))
		result, err := p.Try(in)
		portaltest.NoError(t, err)
		s := p.Stored(result.LoginResult, portaltest.AccountHost)
		v := p.Visits(s, p.Role(s, "shop", false))
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
		if _, err := p.LandAt(v.Destination, v.Token); err != nil || p.Company(result.CompanyID).ID == 0 {
			t.Errorf("the side is left: %v", err)
		}
	})
}

func TestTheJanitorStopsWhenItsContextEnds(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		for i := range 3 {
			p.Tried(fmt.Sprintf("1390000009%d", i), portaltest.Seafood)
		}
		p.Clock.Advance(onboarding.SandboxLife)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := p.Onboarding.RemoveSandboxes(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
		n, err := p.Onboarding.RemoveSandboxes(t.Context())
		if left, listing := p.Db.Sandboxes.Ended(t.Context(), store.At(p.Clock.Now()), 10); err != nil ||
			listing != nil || len(left) != 0 {
			t.Errorf("%d were removed, %d are left: %v, %v", n, len(left), err, listing)
		}
	})
}
