package sessiontest

import (
	"context"
	"portico/portal/access"
	"portico/portal/entry"
	"portico/portal/portaltest"
	"portico/portal/signin"
	"portico/store"
)

func RenewedSession(p *portaltest.Platform,
	ctx context.Context, cookie string, place access.Place,
) (access.Session, string, error) {
	return p.Portal.Sessions.RenewedSession(p.Sessions.LoadSession(ctx, cookie), place)
}

func SwitchSide(p *portaltest.Platform,
	ctx context.Context, cookie string, place access.Place, slot store.Slot, device access.Device, lang string,
) (entry.Destination, error) {
	return p.Portal.Landing.SwitchSide(p.Sessions.LoadSession(ctx, cookie), place, slot, device, lang)
}

// StoredSession reads a session as the next request would find it.
func StoredSession(p *portaltest.Platform, signed signin.LoginResult, host string) store.Session {
	p.T.Helper()
	s, err := p.SignedIn(p.T.Context(), signed.Token, p.Place(host))
	portaltest.NoError(p.T, err)
	return s
}

// SignInRemembered signs in at the account site and asks to be remembered.
func SignInRemembered(p *portaltest.Platform, who string) signin.LoginResult {
	p.T.Helper()
	in := p.LoginInput(who)
	in.Remember = true
	result, err := p.Login(in)
	portaltest.NoError(p.T, err)
	return result
}
