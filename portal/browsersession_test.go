package portal_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"portico/portal"
	"portico/store"
)

// Operations take the browser's session from the context of the request. Tests name the cookie that the browser sends.

func (p *platform) Session(ctx context.Context, cookie string, place portal.Place) (portal.Session, error) {
	return p.Portal.Session(p.LoadSession(ctx, cookie), place)
}

func (p *platform) RenewedSession(
	ctx context.Context, cookie string, place portal.Place,
) (portal.Session, string, error) {
	return p.Portal.RenewedSession(p.LoadSession(ctx, cookie), place)
}

func (p *platform) SignedIn(ctx context.Context, cookie string, place portal.Place) (portal.Session, error) {
	return p.Portal.SignedIn(p.LoadSession(ctx, cookie), place)
}

func (p *platform) SignOut(ctx context.Context, cookie string, place portal.Place) (string, error) {
	return p.Portal.SignOut(p.LoadSession(ctx, cookie), place)
}

func (p *platform) Landing(
	ctx context.Context, cookie string, place portal.Place, slot store.Slot,
) (portal.Landing, error) {
	return p.Portal.Landing(p.LoadSession(ctx, cookie), place, slot)
}

func (p *platform) Asked(
	ctx context.Context, cookie string, place portal.Place, slot store.Slot,
) (portal.Landing, error) {
	return p.Portal.Asked(p.LoadSession(ctx, cookie), place, slot)
}

func (p *platform) AnswerAsked(
	ctx context.Context, cookie string, place portal.Place, slot store.Slot, yes bool,
) (string, error) {
	return p.Portal.AnswerAsked(p.LoadSession(ctx, cookie), place, slot, yes)
}

func (p *platform) SwitchSide(
	ctx context.Context, cookie string, place portal.Place, slot store.Slot, device portal.Device, lang string,
) (portal.Destination, error) {
	return p.Portal.SwitchSide(p.LoadSession(ctx, cookie), place, slot, device, lang)
}

func (p *platform) AppCode(ctx context.Context, cookie string, place portal.Place, slot store.Slot) (string, error) {
	return p.Portal.AppCode(p.LoadSession(ctx, cookie), place, slot)
}

func (p *platform) CountMenu(
	ctx context.Context, cookie string, place portal.Place, chosen portal.Screen, on portal.DeviceKind,
) error {
	return p.Portal.CountMenu(p.LoadSession(ctx, cookie), place, chosen, on)
}

// formerProgram stores a session as the version before scs did, and returns its cookie.
func (p *platform) formerProgram(change func(cookie string, s *store.Session)) string {
	p.t.Helper()
	cookie, now := strings.Repeat("c", 43), store.At(p.clock.now())
	phone, err := p.db.PhoneByNumber(p.t.Context(), buyerPhone)
	noError(p.t, err)
	s := store.Session{
		ID: portal.Hashed(cookie), Host: accountHost, Family: "family", Device: "device", PhoneID: phone.ID,
		Confirmed: true, CreatedAt: now, SeenAt: now, IdleUntil: now + 3_600_000, EndsAt: now + 2*3_600_000,
	}
	change(cookie, &s)
	noError(p.t, p.db.AddSession(p.t.Context(), s))
	return cookie
}

func TestACookieOfThePreviousVersionStaysSignedIn(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		cookie := p.formerProgram(func(string, *store.Session) {})
		s, renewed, err := p.RenewedSession(t.Context(), cookie, p.place(accountHost))
		noError(t, err)
		if renewed != "" || s.PhoneID == 0 {
			t.Errorf("%q, %+v", renewed, s)
		}
		destination := p.enter(portal.LoginResult{Session: s}, accountHost, "buyer1", phoneScreen)
		landed, err := p.redeem(destination, "")
		noError(t, err)
		_, err = p.landing(destination, landed.Token)
		noError(t, err)
		_, err = p.SignOut(t.Context(), cookie, p.place(accountHost))
		noError(t, err)
		refused(t, p.signedIn(cookie, accountHost), portal.LoginRequired)
	})
}

func TestACookieThatThePreviousVersionRenewedIsSentAgain(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		cookie := p.formerProgram(func(cookie string, s *store.Session) {
			s.FormerID, s.FormerUntil, s.Renewal = s.ID, s.SeenAt+60_000, "salt"
			s.ID = portal.Hashed(p.DerivedCookie("salt", cookie))
		})
		_, renewed, err := p.RenewedSession(t.Context(), cookie, p.place(accountHost))
		noError(t, err)
		if renewed != p.DerivedCookie("salt", cookie) {
			t.Errorf("renewed %q", renewed)
		}
		noError(t, p.signedIn(renewed, accountHost))
		refused(t, p.signedIn(cookie, accountHost), portal.LoginRequired)
	})
}

func TestOnlyTheFormerCookieOpensTheNewOne(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		place, here := p.place(accountHost), p.from(homeAddress)
		signed := p.shows(p.signIn(accountHost, managerPhone))
		fresh, err := p.changeIn(signed)
		noError(t, err)
		if strings.Contains(p.rows(), fresh) {
			t.Error("the new cookie can be read in the database")
		}
		again := p.changing(signed.Session, newPassword)
		again.Session.ID, again.Password, again.Confirm = portal.Hashed(fresh), "Third2026", "Third2026"
		p.clock.advance(portal.RepeatWindow)
		second, err := p.ChangePassword(p.LoadSession(here, fresh), again)
		noError(t, err)
		_, renewed, err := p.RenewedSession(here, fresh, place)
		noError(t, err)
		if renewed != second {
			t.Errorf("renewed %q, want %q", renewed, second)
		}
		refused(t, p.signedIn(signed.Token, accountHost), portal.LoginRequired)
	})
}

func TestASlowRequestOfASessionThatWasRenewedMeanwhileStaysSignedIn(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		signed := p.signIn(accountHost, managerPhone)
		slow := p.LoadSession(p.from(homeAddress), signed.Token) // it has to store that the cookie was received
		fresh, err := p.changeIn(p.shows(signed))
		noError(t, err)
		s, renewed, err := p.Portal.RenewedSession(slow, p.place(accountHost))
		noError(t, err)
		if renewed != fresh || s.PhoneID == 0 {
			t.Errorf("renewed %q, want %q; %+v", renewed, fresh, s)
		}
		noError(t, p.signedIn(fresh, accountHost))
	})
}

func TestASlowRequestOfASessionThatEndedMeanwhileHasToSignIn(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		place := p.place(accountHost)
		for name, end := range map[string]func(signed portal.LoginResult) error{
			"signed out": func(signed portal.LoginResult) error {
				_, err := p.SignOut(p.from(homeAddress), signed.Token, place)
				return err
			},
			"ended by its phone": func(signed portal.LoginResult) error {
				return p.db.EndPhone(t.Context(), signed.Session.PhoneID, "")
			},
			"ended by its family": func(signed portal.LoginResult) error {
				return p.db.EndFamily(t.Context(), signed.Session.Family)
			},
		} {
			signed := p.signIn(accountHost, buyerPhone)
			slow := p.LoadSession(p.from(homeAddress), signed.Token)
			noError(t, end(signed))
			if _, err := p.Portal.Session(slow, place); !errors.Is(err, portal.LoginRequired) {
				t.Errorf("%s: %v", name, err)
			}
			refused(t, p.signedIn(signed.Token, accountHost), portal.LoginRequired)
		}
	})
}

func TestASignInThatIsRolledBackLeavesTheBrowsersSessionAndNoOther(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		old := p.shows(p.signIn(accountHost, buyerPhone))
		other := p.shows(p.signIn(accountHost, managerPhone))
		p.clock.advance(2 * time.Minute) // the use of the old session has to be stored
		request := p.LoadSession(p.from(homeAddress), old.Token)
		_, err := p.LoginSlowly(request, p.as(managerPhone), func() {
			_, err := p.changeIn(other) // the password was right, and is replaced before the sign-in commits
			noError(t, err)
		})
		refused(t, err, portal.WrongPassword)
		s, err := p.Portal.SignedIn(request, p.place(accountHost))
		noError(t, err)
		if s.ID != old.Session.ID {
			t.Errorf("the request has the session %+v", s)
		}
		p.clock.advance(time.Hour)
		noError(t, p.signedIn(old.Token, accountHost))
		sessions, err := p.db.SessionsOf(t.Context(), other.Session.PhoneID, 0, store.At(p.clock.now()))
		noError(t, err)
		if len(sessions) != 1 || sessions[0].Family != other.Session.Family {
			t.Errorf("%d sessions: %+v", len(sessions), sessions)
		}
	})
}

func TestTheSessionManagerRunsNothingInTheBackground(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		p.signIn(accountHost, buyerPhone)
		stacks := make([]byte, 1<<22)
		if stacks := string(stacks[:runtime.Stack(stacks, true)]); strings.Contains(stacks, "memstore") {
			t.Error("the manager's memory store is cleaned up in a goroutine")
		}
	})
}
