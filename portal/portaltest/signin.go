package portaltest

import (
	"context"

	"portico/portal/access"
	"portico/portal/onboarding"
	"portico/portal/signin"
)

// LoginInput returns the input of a sign-in at the account site with the demo password. who is a phone number, or the
// name of an account.
func (p *Platform) LoginInput(who string) signin.LoginInput {
	p.T.Helper()
	in := signin.LoginInput{
		Phone:    who,
		Password: onboarding.DemoPassword,
		Browser:  access.Browser{Place: p.Place(AccountHost)},
	}
	if _, ok := access.NormalPhone(who); !ok {
		in.ByName = true
		in.Phone = ""
		in.Login = who
	}
	return in
}

// WrongLoginInput returns the input of LoginInput with a wrong password.
func (p *Platform) WrongLoginInput(who string) signin.LoginInput {
	p.T.Helper()
	in := p.LoginInput(who)
	in.Password = "Wrong2026"
	return in
}

// Login signs in with a password from HomeAddress. It returns the operation's error.
func (p *Platform) Login(in signin.LoginInput) (signin.LoginResult, error) {
	return p.Signin.Login(p.From(HomeAddress), in)
}

// LoginWithCookie signs in like Login, in a browser that sends a session cookie.
func (p *Platform) LoginWithCookie(cookie string, in signin.LoginInput) (signin.LoginResult, error) {
	return p.Signin.Login(p.Sessions.LoadSession(p.From(HomeAddress), cookie), in)
}

// SignIn signs in at a host with the demo password, in a new browser. It fails the test if the sign-in is refused.
func (p *Platform) SignIn(host, who string) signin.LoginResult {
	p.T.Helper()
	in := p.LoginInput(who)
	in.Place = p.Place(host)
	result, err := p.Login(in)
	NoError(p.T, err)
	return result
}

// ConfirmSession makes a browser's first request after a sign-in and returns the sign-in. The request carries the new
// cookie, which confirms the session. It fails the test if the session is refused.
func (p *Platform) ConfirmSession(signed signin.LoginResult) signin.LoginResult {
	p.T.Helper()
	_, err := p.Session(p.From(HomeAddress), signed.Token, p.Place(AccountHost))
	NoError(p.T, err)
	return signed
}

// Session returns the session of a cookie at a place, the zero value if there is none. Like the next methods, it puts
// the session of the cookie in the context, where the operation finds it.
func (p *Platform) Session(ctx context.Context, cookie string, place access.Place) (access.Session, error) {
	return p.Portal.Sessions.Session(p.Sessions.LoadSession(ctx, cookie), place)
}

// SignedIn returns the session of a cookie at a place, or LoginRequired if nobody is signed in.
func (p *Platform) SignedIn(ctx context.Context, cookie string, place access.Place) (access.Session, error) {
	return p.Portal.Sessions.SignedIn(p.Sessions.LoadSession(ctx, cookie), place)
}

// RequestSignedIn makes a request that needs a sign-in, with a cookie at a host, and returns the refusal if there is
// one.
func (p *Platform) RequestSignedIn(token, host string) error {
	p.T.Helper()
	_, err := p.SignedIn(p.T.Context(), token, p.Place(host))
	return err
}

// SignOut signs a cookie's session out and returns the operation's result.
func (p *Platform) SignOut(ctx context.Context, cookie string, place access.Place) (string, error) {
	return p.Portal.Sessions.SignOut(p.Sessions.LoadSession(ctx, cookie), place)
}
