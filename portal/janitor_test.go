package portal_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"portico/portal"
	"portico/store"
)

// lasting is what stays when a sandbox is gone: what was counted, who agreed to what, the audit log, people without
// their number, and until they end the sessions of landing hosts in which nobody is signed in any more.
var lasting = []string{"attempts", "codes", "audit_events", "phones", "acceptances", "known_devices", "lookups", "sessions", "last_ids"}

func (p *carer) sweeps(want int) {
	p.t.Helper()
	n, err := p.RemoveSandboxes(p.t.Context())
	if err != nil || n != want {
		p.t.Errorf("removed %d, want %d: %v", n, want, err)
	}
}

func TestAnEndedSandboxGoesWithEverythingInIt(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		before := p.counted(lasting...)
		result, in := p.tried(newPhone, seafood)
		s := p.stored(result.LoginResult, accountHost)
		shop := p.visits(s, p.role(s, "shop", true))
		placed := p.orders(shop.Landing, "2")
		office := p.switches(shop)
		noError(t, p.ConfirmOrder(t.Context(), office.Landing, placed.ID))
		user, err := p.ExperienceUser(p.from(homeAddress), portal.RoleInput{Role: "mgr", Session: s}, portal.ClientApp)
		noError(t, err)
		_, err = p.Enter(p.from(homeAddress), portal.EnterInput{Session: s, AccountID: shop.Member.ID, Place: p.place(accountHost), Device: desktop})
		noError(t, err)
		p.clock.advance(portal.SandboxLife - time.Millisecond)
		p.sweeps(0)
		p.clock.advance(time.Millisecond)
		p.sweeps(1)
		p.sweeps(0)
		if after := p.counted(lasting...); after != before {
			t.Errorf("it left %s, before %s", after, before)
		}
		if _, err := p.db.PhoneByNumber(t.Context(), newPhone); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("the number is still somebody's: %v", err)
		}
		if sessions, err := p.db.SessionsOf(t.Context(), s.PhoneID, 0, store.At(p.clock.now())); err != nil || len(sessions) != 0 {
			t.Errorf("%d sign-ins are left, %v", len(sessions), err)
		}
		_, err = p.tokenSession(string(user.Token))
		refused(t, err, portal.LoginRequired)
		if again, err := p.try(in); err == nil || again.Token != "" {
			t.Error("its proof signs in")
		}
		if log := p.log.count(`"sandboxes removed"`, `"number":1`); log != 1 {
			t.Errorf("the log tells of it %d times", log)
		}
	})
}

func TestWhatRunsOrWasMadeACompanyIsLeft(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		ended, _ := p.tried("13900000091", seafood)
		registered, _ := p.tried("13900000092", seafood)
		p.clock.advance(portal.DefaultResend)
		p.registered("13900000092")
		extended, _ := p.tried("13900000093", seafood)
		noError(t, p.ExtendTrial(t.Context(), extended.CompanyID, 1))
		p.clock.advance(portal.SandboxLife - time.Second)
		running, _ := p.tried("13900000094", seafood)
		p.sweeps(1)
		for what, c := range map[string]struct {
			company int64
			left    bool
		}{"the ended one": {ended.CompanyID, false}, "the registered one": {registered.CompanyID, true}, "the extended one": {extended.CompanyID, true}, "the running one": {running.CompanyID, true}} {
			if _, err := p.db.CompanyByID(t.Context(), c.company); (err == nil) != c.left {
				t.Errorf("%s: %v", what, err)
			}
		}
		p.clock.advance(30 * 24 * time.Hour)
		p.sweeps(2)
		if p.company(registered.CompanyID).Name != ownCompany || p.companies() != 9 {
			t.Errorf("%d companies are left", p.companies())
		}
	})
}

func TestASandboxThatTheOperatorMadeFormalIsNoTrialAnyMore(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		result, _ := p.tried(newPhone, seafood)
		noError(t, p.RenewCompany(t.Context(), result.CompanyID, p.clock.in(30*24*time.Hour)))
		p.clock.advance(31 * 24 * time.Hour)
		p.sweeps(0)
		if _, err := p.db.CompanyByID(t.Context(), result.CompanyID); err != nil {
			t.Errorf("a formal company whose term ended: %v", err)
		}
	})
}

func TestAPersonKeepsTheNumberWhileAnythingIsLeft(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		in := p.trying("", "", "", seafood)
		signed := p.remembered(managerPhone)
		in.Session = signed.Session
		_, err := p.try(in) // someone with a password
		noError(t, err)
		p.invites(1001, "invited", "13900000091")
		invited, _ := p.tried("13900000091", seafood) // someone whom a company invited
		two, _ := p.tried("13900000092", seafood)     // someone with two, one of which runs longer
		other := p.trying("", "", "", groceries)
		other.Session = two.Session
		second, err := p.try(other)
		noError(t, err)
		noError(t, p.ExtendTrial(t.Context(), second.CompanyID, 1))
		p.clock.advance(portal.SandboxLife)
		signed = p.remembered(managerPhone)
		p.sweeps(3)
		p.wantList(signed.Session, "1001 mgr:jinsui")
		if step, err := p.Continue(t.Context(), p.stored(signed, accountHost)); err != nil || step.AccountID != p.account("jinsui").ID {
			t.Errorf("%+v, %v", step, err)
		}
		for _, number := range []string{managerPhone, "13900000091", "13900000092"} {
			if phone := phoneOf(t, p.db, number); phone.Phone != number {
				t.Errorf("%+v", phone)
			}
		}
		if len(p.offersIn(1001, "13900000091")) != 1 || len(p.membersOf("13900000092")) != 2 || invited.CompanyID == second.CompanyID {
			t.Error("other accounts went as well")
		}
		p.clock.advance(24 * time.Hour)
		p.sweeps(1)
		if _, err := p.db.PhoneByNumber(t.Context(), "13900000092"); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("with the last one gone: %v", err)
		}
	})
}

func TestASignInOfSomeoneOfWhomNothingIsLeftIsOver(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		in := p.trying(newPhone, "", portal.NewFlow(), seafood)
		in.Browser.Remember = true
		in.Code = p.sent(p.asking(portal.ForExperience, newPhone, in.Flow))
		result, err := p.try(in)
		noError(t, err)
		s := p.stored(result.LoginResult, accountHost)
		v := p.visits(s, p.role(s, "shop", false))
		p.clock.advance(portal.SandboxLife)
		p.sweeps(1)
		refused(t, p.signedIn(result.Token, accountHost), portal.LoginRequired)
		_, err = p.landing(v.destination, v.token)
		refused(t, err, portal.LoginRequired)
		if list := p.list(s); len(list) != 0 { // of a request that read its session before
			t.Errorf("%q", listed(list))
		}
		_, err = p.Continue(t.Context(), s)
		refused(t, err, portal.PhoneNotBound)
		_, err = p.rolling(portal.RoleInput{Role: "mgr", Session: s})
		refused(t, err, portal.WrongParameters)
		_, waits, err := p.ToInitialise(t.Context(), s)
		if err != nil || waits {
			t.Errorf("something waits: %v", err)
		}
		before := p.companies()
		mine := p.adding(s, ownCompany)
		mine.Password = newPassword
		_, err = p.register(mine)
		refused(t, err, portal.LoginRequired)
		again := p.trying("", "", "", seafood)
		again.Session = s
		_, err = p.try(again)
		refused(t, err, portal.LoginRequired)
		if p.companies() != before {
			t.Error("a company was made for nobody")
		}
	})
}

func TestATrialThatIsExtendedWhileTheJanitorWorksKeepsItsSignIns(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		in := p.trying(newPhone, "", portal.NewFlow(), seafood)
		in.Browser.Remember = true
		in.Code = p.sent(p.asking(portal.ForExperience, newPhone, in.Flow))
		result, err := p.try(in)
		noError(t, err)
		s := p.stored(result.LoginResult, accountHost)
		v := p.visits(s, p.role(s, "shop", false))
		late := true // for the list of ended ones; then its end lies ahead, as if it had been moved
		p.restart(func(o *portal.Options) {
			o.Now = func() time.Time {
				if late {
					late = false
					return p.clock.in(portal.SandboxLife)
				}
				return p.clock.now()
			}
		})
		if _, err := p.RemoveSandboxes(t.Context()); err != nil {
			t.Errorf("%v", err)
		}
		if _, err := p.landing(v.destination, v.token); err != nil || p.company(result.CompanyID).ID == 0 {
			t.Errorf("the side is left: %v", err)
		}
	})
}

func TestTheJanitorStopsWhenItIsTold(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		for i := range 3 {
			p.tried(fmt.Sprintf("1390000009%d", i), seafood)
		}
		p.clock.advance(portal.SandboxLife)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := p.RemoveSandboxes(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
		n, err := p.RemoveSandboxes(t.Context())
		if left, listing := p.db.EndedSandboxes(t.Context(), store.At(p.clock.now()), 10); err != nil || listing != nil || len(left) != 0 {
			t.Errorf("%d were removed, %d are left: %v, %v", n, len(left), err, listing)
		}
	})
}
