package portaltest

import (
	"context"

	"portico/portal/access"
	"portico/store"
)

const ()

const ()

var ()

// Operations take the browser's session from the context of the request. Tests name the cookie that the browser sends.

func (p *Platform) Session(ctx context.Context, cookie string, place access.Place) (access.Session, error) {
	return p.Portal.Sessions.Session(p.Sessions.LoadSession(ctx, cookie), place)
}

func (p *Platform) SignedIn(ctx context.Context, cookie string, place access.Place) (access.Session, error) {
	return p.Portal.Sessions.SignedIn(p.Sessions.LoadSession(ctx, cookie), place)
}

func (p *Platform) SignOut(ctx context.Context, cookie string, place access.Place) (string, error) {
	return p.Portal.Sessions.SignOut(p.Sessions.LoadSession(ctx, cookie), place)
}

func (p *Platform) LandingOf(
	ctx context.Context, cookie string, place access.Place, slot store.Slot,
) (access.Landing, error) {
	return p.Portal.Landing.Landing(p.Sessions.LoadSession(ctx, cookie), place, slot)
}
