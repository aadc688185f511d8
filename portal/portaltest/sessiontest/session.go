package sessiontest

import (
	"context"

	"portico/portal/access"
	"portico/portal/portaltest"
	"portico/portal/signin"
	"portico/store"
)

// RenewedSession returns the session of a cookie at a place, and the new cookie if the session was renewed.
func RenewedSession(p *portaltest.Platform,
	ctx context.Context, cookie string, place access.Place,
) (access.Session, string, error) {
	return p.Portal.Sessions.RenewedSession(p.Sessions.LoadSession(ctx, cookie), place)
}

// SwitchSide returns where the other side of a landing is, for the browser with a cookie.
func SwitchSide(p *portaltest.Platform,
	ctx context.Context, cookie string, place access.Place, slot store.Slot, device access.Device, lang string,
) (signin.Redirect, error) {
	return p.Portal.Landing.SwitchSide(p.Sessions.LoadSession(ctx, cookie), place, slot, device, lang)
}

// StoredSession returns the session of a sign-in as the next request finds it. It fails the test if nobody is signed
// in.
func StoredSession(p *portaltest.Platform, signed signin.LoginResult, host string) store.Session {
	p.T.Helper()
	s, err := p.SignedIn(p.T.Context(), signed.Token, p.Place(host))
	portaltest.NoError(p.T, err)
	return s
}

// SignInRemembered signs in at the account site and asks to stay signed in. It fails the test if that is refused.
func SignInRemembered(p *portaltest.Platform, who string) signin.LoginResult {
	p.T.Helper()
	in := p.LoginInput(who)
	in.Remember = true
	result, err := p.Login(in)
	portaltest.NoError(p.T, err)
	return result
}
