package portal_test

import (
	"context"
	"testing"
	"time"

	"portico/portal"
	"portico/store"
)

// The two sides of a sandbox, and what becomes of it.

// switchSide takes a browser with a session cookie from a visit to the other side.
func (p *carer) switchSide(ctx context.Context, v visit, cookie string) (portal.Destination, error) {
	return p.SwitchSide(ctx, cookie, p.arrival(v.destination).Place, v.destination.Slot, phoneScreen, "zh")
}

// switches takes a visit to the other side.
func (p *carer) switches(v visit) visit {
	p.t.Helper()
	destination, err := p.switchSide(p.from(homeAddress), v, v.token)
	noError(p.t, err)
	return p.arrives(destination)
}

// orders places an order of the first product there is.
func (p *carer) orders(v portal.Landing, quantity string) store.Order {
	p.t.Helper()
	all, err := p.Catalogue(p.t.Context(), v, "zh")
	noError(p.t, err)
	o, err := p.PlaceOrder(p.from(homeAddress), v, portal.OrderInput{ProductID: all[0].Products[0].ID, Quantity: quantity, Form: portal.NewForm()})
	noError(p.t, err)
	return o
}

func TestAnOrderOfOneSideIsSeenAndConfirmedOnTheOther(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		result, _ := p.tried(newPhone, seafood)
		s := p.stored(result.LoginResult, accountHost)
		shop := p.visits(s, p.role(s, "shop", true))
		if own, err := p.OwnOrders(t.Context(), shop.Landing, 0, "zh"); err != nil || len(own.Orders) != 0 {
			t.Errorf("orders of others are shown: %d, %v", len(own.Orders), err)
		}
		placed := p.orders(shop.Landing, "3")
		office := p.switches(shop)
		if office.Member.Side != store.Mgr || office.Member.CompanyID != shop.Member.CompanyID {
			t.Errorf("the other side is %+v", office.Member.Account)
		}
		list, err := p.CompanyOrders(t.Context(), office.Landing, 0, "zh")
		if err != nil || list.Orders[0].ID != placed.ID || list.Orders[0].State != store.OrderNew || list.Orders[0].ClientName != "试用客户" {
			t.Errorf("the newest is %+v, %v", list.Orders[0], err)
		}
		noError(t, p.ConfirmOrder(p.from(homeAddress), office.Landing, placed.ID))
		back := p.switches(office)
		if back.Member.ID != shop.Member.ID {
			t.Errorf("back at %+v", back.Member.Account)
		}
		own, err := p.OwnOrder(t.Context(), back.Landing, placed.ID, "zh")
		if err != nil || own.State != store.OrderConfirmed || own.ConfirmedBy != office.Member.Name || own.ConfirmedAt != store.At(p.clock.now()) {
			t.Errorf("%+v, %v", own, err)
		}
	})
}

func TestSidesAreSwitchedInSandboxesAlone(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		real := p.signIn(accountHost, bothPhone)
		v := p.visits(real.Session, p.account("trial"))
		_, err := p.switchSide(t.Context(), v, v.token)
		refused(t, err, portal.NotFound)
		result, _ := p.tried(bothPhone, seafood) // who also has real ones
		s := p.stored(result.LoginResult, accountHost)
		sandbox := p.visits(s, p.role(s, "mgr", false))
		if other := p.switches(sandbox); other.Member.CompanyID != result.CompanyID || other.Member.Side != store.Shop {
			t.Errorf("the other side is %+v", other.Member.Account)
		}
		real = p.signIn(accountHost, bothPhone)
		v = p.visits(real.Session, p.account("trial"))
		_, err = p.switchSide(t.Context(), v, v.token)
		refused(t, err, portal.NotFound)
		_, err = p.switchSide(t.Context(), sandbox, "")
		refused(t, err, portal.LoginRequired)
		_, err = p.SignOut(t.Context(), result.Token, p.place(accountHost))
		noError(t, err)
		_, err = p.switchSide(t.Context(), sandbox, sandbox.token)
		refused(t, err, portal.LoginRequired)
	})
}

func TestOfTwoSandboxesTheOtherSideIsOfTheSame(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		first, _ := p.tried(newPhone, seafood)
		s := p.stored(first.LoginResult, accountHost)
		v := p.visits(s, p.role(s, "shop", false))
		second := p.trying("", "", "", groceries)
		second.Session = s
		_, err := p.try(second)
		noError(t, err)
		if other := p.switches(v); other.Member.CompanyID != first.CompanyID || other.Member.Side != store.Mgr {
			t.Errorf("the other side is %+v", other.Member.Account)
		}
	})
}

func TestATrialEndsAtTheNextRequest(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		in := p.trying(newPhone, "", portal.NewFlow(), seafood)
		in.Browser.Remember = true
		in.Code = p.sent(p.asking(portal.ForExperience, newPhone, in.Flow))
		result, err := p.try(in)
		noError(t, err)
		p.shows(result.LoginResult)
		p.clock.advance(portal.SandboxLife - time.Minute)
		s := p.stored(result.LoginResult, accountHost)
		v := p.visits(s, p.role(s, "shop", true))
		user, err := p.ExperienceUser(p.from(homeAddress), portal.RoleInput{Role: "mgr", Session: s}, portal.ClientApp)
		noError(t, err)
		if v.DaysLeft != 1 {
			t.Errorf("%d days are left", v.DaysLeft)
		}
		p.clock.advance(time.Minute - time.Millisecond)
		_, err = p.landing(v.destination, v.token)
		noError(t, err)
		p.clock.advance(time.Millisecond)
		_, err = p.landing(v.destination, v.token)
		if with := refused(t, err, portal.TrialEnded); with.Company == nil || with.Company.ID != result.CompanyID {
			t.Errorf("%+v", with)
		}
		_, err = p.tokenSession(string(user.Token))
		refused(t, err, portal.TrialEnded)
		_, err = p.Enter(t.Context(), portal.EnterInput{Session: s, AccountID: v.Member.ID, Place: p.place(accountHost)})
		refused(t, err, portal.TrialEnded)
		_, err = p.rolling(portal.RoleInput{Role: "mgr", Session: s})
		refused(t, err, portal.WrongParameters)
		if _, ok, err := p.Sandbox(t.Context(), s, 0); err != nil || ok {
			t.Errorf("it is still one: %v", err)
		}
		_, err = p.Continue(t.Context(), s)
		refused(t, err, portal.TrialEnded)
		again, _ := p.tried(newPhone, seafood) // the next one begins empty
		if got := p.goods(again.CompanyID); got != "0 0 1 0" || !p.company(again.CompanyID).Sandbox || len(p.membersOf(newPhone)) != 2 {
			t.Errorf("a new one holds %s", got)
		}
	})
}

func TestATrialBecomesTheCompanyWithAllThatWasMadeInIt(t *testing.T) {
	for name, register := range map[string]func(p *carer, tried portal.Experience) (portal.Registered, error){
		"by a code": func(p *carer, _ portal.Experience) (portal.Registered, error) {
			in := p.registering(newPhone, "", portal.NewFlow())
			in.Code = p.sent(p.asking(portal.ForRegister, newPhone, in.Flow))
			return p.register(in)
		},
		"signed in": func(p *carer, tried portal.Experience) (portal.Registered, error) {
			in := p.adding(p.stored(tried.LoginResult, accountHost), ownCompany)
			in.SandboxID, in.Password = tried.CompanyID, newPassword
			return p.register(in)
		},
	} {
		t.Run(name, func(t *testing.T) {
			eachCare(t, func(t *testing.T, p *carer) {
				tried, _ := p.tried(newPhone, seafood)
				s := p.stored(tried.LoginResult, accountHost)
				shop := p.visits(s, p.role(s, "shop", true))
				placed := p.orders(shop.Landing, "2")
				held, filled := p.goods(tried.CompanyID), p.company(tried.CompanyID).InitialisedAt
				p.clock.advance(time.Hour)

				result, err := register(p, tried)
				noError(t, err)

				c := p.company(tried.CompanyID)
				if result.Member.CompanyID != c.ID || c.Sandbox || c.Name != ownCompany || c.Standing != store.Trial || c.IndustryID != seafood || c.InitialisedAt != filled ||
					c.EndsAt != store.At(p.clock.now().Add(portal.TrialLife)) {
					t.Errorf("the company is %+v", c)
				}
				if m := result.Member; m.Name != ownName || m.Side != store.Mgr || m.Type != store.TypeAdministrator || m.Phone != newPhone {
					t.Errorf("the administrator is %+v", m.Account)
				}
				o, err := p.CompanyOrder(t.Context(), p.at(result.Member), placed.ID, "es")
				if got := p.goods(c.ID); err != nil || got != held || o.Total != placed.Total {
					t.Errorf("it holds %s, held %s; the order is %+v, %v", got, held, o, err)
				}
				if left, err := p.db.Sandboxes(t.Context(), result.Member.PhoneID, 0); err != nil || len(left) != 0 {
					t.Errorf("%d sandboxes are left, %v", len(left), err)
				}
				if !p.opens(newPhone, newPassword) || p.events(c.ID, "company_registered") != 1 {
					t.Error("it is not signed in to, or not in the audit log")
				}
				p.clock.advance(portal.SandboxLife)
				noError(t, p.Sweep(t.Context()))
				if p.company(c.ID).ID != c.ID {
					t.Error("the janitor took it")
				}
				p.clock.advance(portal.DefaultResend)
				next, _ := p.tried(newPhone, seafood) // there is room for another one
				if next.CompanyID == c.ID {
					t.Error("the company is a sandbox again")
				}
			})
		})
	}
}
