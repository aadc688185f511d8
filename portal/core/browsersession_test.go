package core_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/portaltest"
	"portico/portal/portaltest/credentialtest"
	"portico/portal/portaltest/sessiontest"
	"portico/portal/signin"
	"portico/store"
)

func TestACookieOfThePreviousVersionStaysValid(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		cookie := addFormerSession(p, func(string, *store.Session) {})
		s, renewed, err := sessiontest.RenewedSession(p, t.Context(), cookie, p.Place(portaltest.AccountHost))
		portaltest.NoError(t, err)
		if renewed != "" || s.PersonID == 0 {
			t.Errorf("%q, %+v", renewed, s)
		}
		destination := p.Enter(signin.LoginResult{Session: s}, portaltest.AccountHost, "buyer1", portaltest.PhoneScreen)
		landed, err := p.Redeem(destination, "")
		portaltest.NoError(t, err)
		_, err = p.LandingAt(destination, landed.Token)
		portaltest.NoError(t, err)
		_, err = p.SignOut(t.Context(), cookie, p.Place(portaltest.AccountHost))
		portaltest.NoError(t, err)
		portaltest.Refused(t, p.RequestSignedIn(cookie, portaltest.AccountHost), access.LoginRequired)
	})
}

func TestACookieRenewedByThePreviousVersionIsSentAgain(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		cookie := addFormerSession(p, func(cookie string, s *store.Session) {
			s.FormerID, s.FormerUntil, s.Renewal = s.ID, s.SeenAt+60_000, "salt"
			s.ID = access.Hashed(derivedCookie(p, "salt", cookie))
		})
		_, renewed, err := sessiontest.RenewedSession(p, t.Context(), cookie, p.Place(portaltest.AccountHost))
		portaltest.NoError(t, err)
		if renewed != derivedCookie(p, "salt", cookie) {
			t.Errorf("renewed %q", renewed)
		}
		portaltest.NoError(t, p.RequestSignedIn(renewed, portaltest.AccountHost))
		portaltest.Refused(t, p.RequestSignedIn(cookie, portaltest.AccountHost), access.LoginRequired)
	})
}

func TestOnlyTheFormerCookieOpensTheNewOne(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		place, here := p.Place(portaltest.AccountHost), p.From(portaltest.HomeAddress)
		signed := p.ConfirmSession(p.SignIn(portaltest.AccountHost, portaltest.ManagerPhone))
		fresh, err := credentialtest.ChangePasswordWithCookie(p, signed)
		portaltest.NoError(t, err)
		if strings.Contains(p.DumpRows(), fresh) {
			t.Error("the new cookie can be read in the database")
		}
		again := credentialtest.ChangePasswordInput(p, signed.Session, portaltest.NewPassword)
		again.Session.ID, again.Password, again.Confirm = access.Hashed(fresh), "Third2026", "Third2026"
		p.Clock.Advance(core.RepeatWindow)
		second, err := p.Credentials.ChangePassword(p.Sessions.LoadSession(here, fresh), again)
		portaltest.NoError(t, err)
		_, renewed, err := sessiontest.RenewedSession(p.Platform, here, fresh, place)
		portaltest.NoError(t, err)
		if renewed != second {
			t.Errorf("renewed %q, want %q", renewed, second)
		}
		portaltest.Refused(t, p.RequestSignedIn(signed.Token, portaltest.AccountHost), access.LoginRequired)
	})
}

func TestASlowRequestOfARenewedSessionStaysSignedIn(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		signed := p.SignIn(portaltest.AccountHost, portaltest.ManagerPhone)
		// it has to store that the cookie was received
		slow := p.Sessions.LoadSession(p.From(portaltest.HomeAddress), signed.Token)
		fresh, err := credentialtest.ChangePasswordWithCookie(p, p.ConfirmSession(signed))
		portaltest.NoError(t, err)
		s, renewed, err := p.Portal.Sessions.RenewedSession(slow, p.Place(portaltest.AccountHost))
		portaltest.NoError(t, err)
		if renewed != fresh || s.PersonID == 0 {
			t.Errorf("renewed %q, want %q; %+v", renewed, fresh, s)
		}
		portaltest.NoError(t, p.RequestSignedIn(fresh, portaltest.AccountHost))
	})
}

func TestASlowRequestOfAnEndedSessionMustSignIn(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		place := p.Place(portaltest.AccountHost)
		for name, end := range map[string]func(signed signin.LoginResult) error{
			"signed out": func(signed signin.LoginResult) error {
				_, err := p.SignOut(p.From(portaltest.HomeAddress), signed.Token, place)
				return err
			},
			"ended by its phone": func(signed signin.LoginResult) error {
				return p.DB.Sessions.EndPerson(t.Context(), signed.Session.PersonID, "")
			},
			"ended by its family": func(signed signin.LoginResult) error {
				return p.DB.Sessions.EndFamily(t.Context(), signed.Session.Family)
			},
		} {
			signed := p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone)
			slow := p.Sessions.LoadSession(p.From(portaltest.HomeAddress), signed.Token)
			portaltest.NoError(t, end(signed))
			if _, err := p.Portal.Sessions.Session(slow, place); !errors.Is(err, access.LoginRequired) {
				t.Errorf("%s: %v", name, err)
			}
			portaltest.Refused(t, p.RequestSignedIn(signed.Token, portaltest.AccountHost), access.LoginRequired)
		}
	})
}

func TestTheSessionManagerRunsNoBackgroundWork(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone)
		stacks := make([]byte, 1<<22)
		if stacks := string(stacks[:runtime.Stack(stacks, true)]); strings.Contains(stacks, "memstore") {
			t.Error("the manager's memory store is cleaned up in a goroutine")
		}
	})
}

// derivedCookie returns the cookie of a session that an earlier version, which derived cookies from a salt, renewed.
func derivedCookie(p *portaltest.Platform, salt, former string) string {
	return p.Sealing.Tag("renewed session", salt+"\x00"+access.Hashed(former))
}

// addFormerSession stores a session as versions before the session manager scs did, and returns its cookie.
func addFormerSession(p *portaltest.Platform, change func(cookie string, s *store.Session)) string {
	p.T.Helper()
	cookie, now := strings.Repeat("c", 43), store.At(p.Clock.Now())
	person, err := p.DB.Persons.ByNumber(p.T.Context(), portaltest.BuyerPhone)
	portaltest.NoError(p.T, err)
	s := store.Session{
		ID: access.Hashed(cookie), Host: portaltest.AccountHost, Family: "family", Device: "device",
		PersonID:  person.ID,
		Confirmed: true, CreatedAt: now, SeenAt: now, IdleUntil: now + 3_600_000, EndsAt: now + 2*3_600_000,
	}
	change(cookie, &s)
	portaltest.NoError(p.T, p.DB.Sessions.Add(p.T.Context(), s))
	return cookie
}
