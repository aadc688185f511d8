// Package sessiontest uses the sessions of browsers and native apps in tests.
package sessiontest

import (
	"context"

	"portico/portal/access"
	"portico/portal/portaltest"
	"portico/portal/signin"
	"portico/store"
)

// AppCode returns the code with which a native app takes over the landing page of a cookie, or the refusal.
func AppCode(
	p *portaltest.Platform, ctx context.Context, cookie string, place access.Place, slot store.Slot,
) (string, error) {
	return p.Portal.Landing.AppCode(p.Sessions.LoadSession(ctx, cookie), place, slot)
}

// LandedBrowser is a browser on a landing page: its sign-in, its destination and its cookie there.
type LandedBrowser struct {
	Signed signin.LoginResult
	To     signin.Redirect
	Cookie string
}

// LandBrowser signs in and enters an account from a phone. It fails the test if a step is refused.
func LandBrowser(p *portaltest.Platform, who, login string) LandedBrowser {
	p.T.Helper()
	signed := p.SignIn(portaltest.AccountHost, who)
	to := p.Enter(signed, portaltest.AccountHost, login, portaltest.PhoneScreen)
	result, err := p.Redeem(to, "")
	portaltest.NoError(p.T, err)
	return LandedBrowser{signed, to, result.Token}
}

// AppCodeFor returns the code with which a native app takes over a browser's landing page, or the refusal.
func AppCodeFor(p *portaltest.Platform, a LandedBrowser) (string, error) {
	return AppCode(p, p.From(portaltest.HomeAddress), a.Cookie, p.RedeemInput(a.To).Place, a.To.Slot)
}

// RedeemForApp redeems a code as a native app and returns the user with its token, or the refusal.
func RedeemForApp(p *portaltest.Platform, code string) (signin.RedeemedUser, error) {
	return p.Landing.RedeemForClient(p.From(portaltest.HomeAddress), code, signin.ClientApp, 0)
}

// AppLogin signs a browser in at a host with the token of its native app and returns the operation's result.
func AppLogin(p *portaltest.Platform, token, host string) (signin.LoginResult, error) {
	return p.Landing.AppLogin(p.From(portaltest.HomeAddress),
		signin.AppLoginInput{Token: token, Browser: access.Browser{Place: p.Place(host), Width: 390}})
}

// AppSession returns the session of a native app's token, or the refusal.
func AppSession(p *portaltest.Platform, token string) (access.Session, error) {
	return p.Landing.Token(p.From(portaltest.HomeAddress), signin.TokenInput{Token: token, Client: signin.ClientApp})
}
