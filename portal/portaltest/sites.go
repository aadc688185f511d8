package portaltest

import (
	"context"
	"net/url"

	"portico/portal/access"
	"portico/portal/signin"
	"portico/store"
)

// Enter enters the account of a name with a signed-in session and returns where the browser is redirected. It fails the
// test if the account cannot be entered.
func (p *Platform) Enter(signed signin.LoginResult, host, login string, device access.Device) signin.Redirect {
	p.T.Helper()
	destination, err := p.Entry.Enter(p.From(HomeAddress),
		access.EnterInput{Session: signed.Session, AccountID: p.Account(login).ID, Place: p.Place(host),
			Device: device})
	NoError(p.T, err)
	return destination
}

// Redeem opens a destination in a browser. token is the browser's cookie there, "" for none. It returns the operation's
// result and error.
func (p *Platform) Redeem(d signin.Redirect, token string) (signin.RedeemResult, error) {
	p.T.Helper()
	return p.redeemWithContext(p.From(HomeAddress), d, token)
}

// RedeemWithAgent does what Redeem does, in a browser with another User-Agent.
func (p *Platform) RedeemWithAgent(agent string, d signin.Redirect, token string) (signin.RedeemResult, error) {
	p.T.Helper()
	ctx := access.WithCaller(p.T.Context(), access.Caller{RequestID: "r-2", Address: HomeAddress, Agent: agent})
	return p.redeemWithContext(ctx, d, token)
}

// OtherAgent is a User-Agent for RedeemWithAgent: a browser other than the one that signed in.
const OtherAgent = "another browser"

// redeemWithContext does what Redeem does, with the caller of ctx.
func (p *Platform) redeemWithContext(
	ctx context.Context, d signin.Redirect, token string,
) (signin.RedeemResult, error) {
	p.T.Helper()
	return p.Landing.Redeem(p.Sessions.LoadSession(ctx, token), p.RedeemInput(d))
}

// RedeemInput returns the input with which a browser redeems the code of a destination. It fails the test if the
// destination is not a URL.
func (p *Platform) RedeemInput(d signin.Redirect) signin.RedeemInput {
	p.T.Helper()
	target, err := url.Parse(d.URL)
	NoError(p.T, err)
	return signin.RedeemInput{Code: target.Query().Get("auth_code_"), Place: p.Place(target.Host), Slot: d.Slot}
}

// LandingOf returns the landing that a cookie has at a place and slot, or the refusal.
func (p *Platform) LandingOf(
	ctx context.Context, cookie string, place access.Place, slot store.Slot,
) (access.Landing, error) {
	return p.Portal.Landing.Landing(p.Sessions.LoadSession(ctx, cookie), place, slot)
}

// LandingAt returns the landing that a cookie has where a destination leads, or the refusal.
func (p *Platform) LandingAt(d signin.Redirect, token string) (access.Landing, error) {
	p.T.Helper()
	return p.LandingOf(p.T.Context(), token, p.RedeemInput(d).Place, d.Slot)
}

// Land signs in by account name, enters the account and returns its landing. It fails the test if a step is refused.
func (p *Platform) Land(login string, device access.Device) access.Landing {
	p.T.Helper()
	destination := p.Enter(p.SignIn(AccountHost, login), AccountHost, login, device)
	result, err := p.Redeem(destination, "")
	NoError(p.T, err)
	landing, err := p.LandingAt(destination, result.Token)
	NoError(p.T, err)
	return landing
}

// LandWithSession enters an account from a phone with a session and returns the landing. It fails the test if a step is
// refused.
func (p *Platform) LandWithSession(s store.Session, login string) access.Landing {
	p.T.Helper()
	d := p.Enter(signin.LoginResult{Session: s}, AccountHost, login, PhoneScreen)
	result, err := p.Redeem(d, "")
	NoError(p.T, err)
	here, err := p.LandingAt(d, result.Token)
	NoError(p.T, err)
	return here
}
