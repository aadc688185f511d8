package credentialtest

import (
	"strings"

	"portico/portal/access"
	"portico/portal/onboarding"
	"portico/portal/portaltest"
	"portico/portal/signin"
)

// ClientToken signs a program in by a phone number or account name that has one account, with the demo password, and
// returns its token. It fails the test if that is refused.
func ClientToken(p *portaltest.SMSPlatform, who string) string {
	p.T.Helper()
	result, err := p.Signin.ClientLogin(
		p.From(portaltest.HomeAddress),
		signin.ClientLoginInput{Login: who, Password: onboarding.DemoPassword, Client: signin.ClientApp},
	)
	portaltest.NoError(p.T, err)
	return string(result.User.Token)
}

// TokenSession returns the session of a program's token, or the refusal.
func TokenSession(p *portaltest.SMSPlatform, token string) (access.Session, error) {
	return p.Landing.Token(p.T.Context(), signin.TokenInput{Token: token, Client: signin.ClientApp})
}

// SignIns are all the things that a sign-in by password can leave behind: a session of a browser, the side that was
// entered from it, an auth code that was not used yet, and a program's token.
type SignIns struct {
	Signed      signin.LoginResult
	Destination signin.Redirect
	Landed      string
	Waiting     signin.Redirect
	Token       string
}

// SignInEverywhere signs in to an account in each way of SignIns. who is a phone number or account name, login the
// account. It fails the test if a step is refused.
func SignInEverywhere(p *portaltest.SMSPlatform, who, login string) SignIns {
	p.T.Helper()
	o := SignIns{Signed: p.SignIn(portaltest.AccountHost, who)}
	o.Destination = p.Enter(o.Signed, portaltest.AccountHost, login, portaltest.PhoneScreen)
	landed, err := p.Redeem(o.Destination, "")
	portaltest.NoError(p.T, err)
	o.Landed = landed.Token
	o.Waiting = p.Enter(o.Signed, portaltest.AccountHost, login, portaltest.Desktop)
	result, err := p.Signin.ClientLogin(
		p.From(portaltest.HomeAddress),
		signin.ClientLoginInput{
			Login: who, Password: onboarding.DemoPassword, AccountID: p.Account(login).ID, Client: signin.ClientApp,
		},
	)
	portaltest.NoError(p.T, err)
	o.Token = string(result.User.Token)
	return o
}

// working returns which of the sign-ins still work, such as "browser side code token". It uses up the auth code.
func working(p *portaltest.SMSPlatform, o SignIns) string {
	p.T.Helper()
	var alive []string
	if p.RequestSignedIn(o.Signed.Token, portaltest.AccountHost) == nil {
		alive = append(alive, "browser")
	}
	if _, err := p.LandingAt(o.Destination, o.Landed); err == nil {
		alive = append(alive, "side")
	}
	if _, err := p.Redeem(o.Waiting, ""); err == nil {
		alive = append(alive, "code")
	}
	if _, err := TokenSession(p, o.Token); err == nil {
		alive = append(alive, "token")
	}
	return strings.Join(alive, " ")
}

// AllSignIns is what WantSignIns expects when every sign-in still works.
const AllSignIns = "browser side code token"

// WantSignIns fails the test unless exactly these sign-ins still work, such as "browser side code token". what names
// the case. It uses up the auth code.
func WantSignIns(p *portaltest.SMSPlatform, what string, o SignIns, want string) {
	p.T.Helper()
	if got := working(p, o); got != want {
		p.T.Errorf("%s: %q lives, want %q", what, got, want)
	}
}
