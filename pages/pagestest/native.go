package pagestest

import (
	"net/http"

	"portico/portal/landing"
	"portico/portal/onboarding"
	"portico/portal/signin"
)

const AndroidApp = "Mozilla/5.0 (Linux; Android 14; Pixel 8; wv) AppleWebKit/537.36 (KHTML, like Gecko) " +
	"Version/4.0 Chrome/120.0.0.0 Mobile Safari/537.36 PorticoApp/3 (Android)"

// BrowserWithAgent is a browser inside the app.
func (s *Site) BrowserWithAgent(agent string) *Browser {
	b := s.Browser()
	b.Agent = agent
	return b
}

// SignInAndFollow signs in and goes to where that leads.
func (b *Browser) SignInAndFollow(phone string) (page, at string) {
	b.T.Helper()
	r, at := b.Follow(b.SignIn("account.portico.test", phone), AccountSite+"/login")
	WantStatus(b.T, r, http.StatusOK)
	return Text(b.T, r), at
}

// AppToken is an API token of an app.
func (s *Site) AppToken(login string) string {
	s.T.Helper()
	result, err := s.Portal.Signin.ClientLogin(s.T.Context(),
		signin.ClientLoginInput{Login: login, Password: onboarding.DemoPassword, Client: landing.ClientApp})
	if err != nil || result.User == nil {
		s.T.Fatalf("%+v, %v", result, err)
	}
	return string(result.User.Token)
}
