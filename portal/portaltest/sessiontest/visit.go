package sessiontest

import (
	"context"
	"portico/portal/access"
	"portico/portal/entry"
	"portico/portal/portaltest"
	"portico/store"
)

// Visit is a browser on a landing page.
type Visit struct {
	access.Landing
	Destination entry.Destination
	Token       string
}

// EnterAccount enters an account of a session and follows the redirect to the landing page.
func EnterAccount(p *portaltest.SMSPlatform, s access.Session, m store.Member) Visit {
	p.T.Helper()
	destination, err := p.Entry.Enter(p.From(portaltest.HomeAddress), access.EnterInput{
		Session: s, AccountID: m.ID, Place: p.Place(portaltest.AccountHost), Device: portaltest.PhoneScreen,
	})
	portaltest.NoError(p.T, err)
	return follow(p, destination)
}

// follow follows a redirect to the landing page.
func follow(p *portaltest.SMSPlatform, destination entry.Destination) Visit {
	p.T.Helper()
	redeemed, err := p.Redeem(destination, "")
	portaltest.NoError(p.T, err)
	landing, err := p.LandingAt(destination, redeemed.Token)
	portaltest.NoError(p.T, err)
	return Visit{landing, destination, redeemed.Token}
}

// SwitchSideWithCookie takes a browser with a session cookie from a visit to the other side.
func SwitchSideWithCookie(
	p *portaltest.SMSPlatform, ctx context.Context, v Visit, cookie string,
) (entry.Destination, error) {
	return SwitchSide(
		p.Platform, ctx, cookie, p.RedeemInput(v.Destination).Place, v.Destination.Slot, portaltest.PhoneScreen, "zh",
	)
}

// SwitchVisit takes a visit to the other side.
func SwitchVisit(p *portaltest.SMSPlatform, v Visit) Visit {
	p.T.Helper()
	destination, err := SwitchSideWithCookie(p, p.From(portaltest.HomeAddress), v, v.Token)
	portaltest.NoError(p.T, err)
	return follow(p, destination)
}
