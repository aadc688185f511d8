package portaltest

import (
	"context"
	"errors"
	"net/url"
	"testing"

	"portico/portal/access"
	"portico/portal/entry"
	"portico/portal/landing"
	"portico/portal/signin"
)

// Enter takes a browser into an account from a host.
func (p *Platform) Enter(signed signin.LoginResult, host, login string, device access.Device) entry.Destination {
	p.T.Helper()
	destination, err := p.Entry.Enter(p.From(HomeAddress),
		access.EnterInput{Session: signed.Session, AccountID: p.Account(login).ID, Place: p.Place(host),
			Device: device})
	NoError(p.T, err)
	return destination
}

// Redeem opens a destination in a browser that holds a cookie there, "" for none.
func (p *Platform) Redeem(d entry.Destination, token string) (landing.RedeemResult, error) {
	p.T.Helper()
	return p.redeemWithContext(p.From(HomeAddress), d, token)
}

// redeemWithContext does what Redeem does, with the caller of ctx.
func (p *Platform) redeemWithContext(
	ctx context.Context, d entry.Destination, token string,
) (landing.RedeemResult, error) {
	p.T.Helper()
	return p.Landing.Redeem(p.Sessions.LoadSession(ctx, token), p.RedeemInput(d))
}

// RedeemInput returns the input with which a browser redeems the code of a destination.
func (p *Platform) RedeemInput(d entry.Destination) landing.RedeemInput {
	p.T.Helper()
	target, err := url.Parse(d.URL)
	NoError(p.T, err)
	return landing.RedeemInput{Code: target.Query().Get("auth_code_"), Place: p.Place(target.Host), Slot: d.Slot}
}

// LandingAt reads the side a destination leads to.
func (p *Platform) LandingAt(d entry.Destination, token string) (access.Landing, error) {
	p.T.Helper()
	return p.LandingOf(p.T.Context(), token, p.RedeemInput(d).Place, d.Slot)
}

// Land signs in by name and goes all the way to the landing page.
func (p *Platform) Land(login string, device access.Device) access.Landing {
	p.T.Helper()
	destination := p.Enter(p.SignIn(AccountHost, login), AccountHost, login, device)
	result, err := p.Redeem(destination, "")
	NoError(p.T, err)
	landing, err := p.LandingAt(destination, result.Token)
	NoError(p.T, err)
	return landing
}

// RefusalOf returns a refusal without its question, which differs from one attempt to the next.
func RefusalOf(t *testing.T, err error) access.Refused {
	t.Helper()
	with := new(access.Refused)
	if !errors.As(err, &with) {
		t.Fatalf("no refusal: %v", err)
	}
	got := *with
	if got.Question != nil {
		got.Question = &access.Question{}
	}
	return got
}

// RequestSignedIn makes a request that needs a sign-in, with a cookie on a host.
func (p *Platform) RequestSignedIn(token, host string) error {
	p.T.Helper()
	_, err := p.SignedIn(p.T.Context(), token, p.Place(host))
	return err
}
