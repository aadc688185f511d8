package sessiontest

import (
	"context"

	"portico/portal/access"
	"portico/portal/portaltest"
	"portico/portal/signin"
	"portico/store"
)

// Visit is a browser on a landing page: its landing, its destination and its cookie there.
type Visit struct {
	access.Landing
	Destination signin.Redirect
	Token       string
}

// EnterAccount enters an account with a session and follows the redirect to the landing page. It fails the test if a
// step is refused.
func EnterAccount(p *portaltest.SMSPlatform, s access.Session, m store.Member) Visit {
	p.T.Helper()
	destination, err := p.Entry.Enter(p.From(portaltest.HomeAddress), access.EnterInput{
		Session: s, AccountID: m.ID, Place: p.Place(portaltest.AccountHost), Device: portaltest.PhoneScreen,
	})
	portaltest.NoError(p.T, err)
	return follow(p, destination)
}

// follow follows a redirect to the landing page. It fails the test if a step is refused.
func follow(p *portaltest.SMSPlatform, destination signin.Redirect) Visit {
	p.T.Helper()
	redeemed, err := p.Redeem(destination, "")
	portaltest.NoError(p.T, err)
	landing, err := p.LandingAt(destination, redeemed.Token)
	portaltest.NoError(p.T, err)
	return Visit{landing, destination, redeemed.Token}
}

// SwitchSideWithCookie returns where the other side of a visit is, for a browser with another session cookie.
func SwitchSideWithCookie(
	p *portaltest.SMSPlatform, ctx context.Context, v Visit, cookie string,
) (signin.Redirect, error) {
	return SwitchSide(
		p.Platform, ctx, cookie, p.RedeemInput(v.Destination).Place, v.Destination.Slot, portaltest.PhoneScreen, "zh",
	)
}

// SwitchVisit enters the other side of a visit. It fails the test if a step is refused.
func SwitchVisit(p *portaltest.SMSPlatform, v Visit) Visit {
	p.T.Helper()
	destination, err := SwitchSideWithCookie(p, p.From(portaltest.HomeAddress), v, v.Token)
	portaltest.NoError(p.T, err)
	return follow(p, destination)
}
