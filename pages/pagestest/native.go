package pagestest

import (
	"encoding/json"
	"net/http"

	"portico/portal/landing"
	"portico/portal/onboarding"
	"portico/portal/signin"
)

const (
	AndroidApp = "Mozilla/5.0 (Linux; Android 14; Pixel 8; wv) AppleWebKit/537.36 (KHTML, like Gecko) " +
		"Version/4.0 Chrome/120.0.0.0 Mobile Safari/537.36 PorticoApp/3 (Android)"
	AccountSite = "http://account.portico.test"
)

// InApp is a browser inside the app.
func (s *Site) InApp(agent string) *Browser {
	b := s.Browser()
	b.Agent = agent
	return b
}

// Arrive signs in and goes to where that leads.
func (b *Browser) Arrive(phone string) (page, at string) {
	b.T.Helper()
	r, at := b.Follow(b.SignIn("account.portico.test", phone), AccountSite+"/login")
	WantStatus(b.T, r, http.StatusOK)
	return Text(b.T, r), at
}

// AppToken is an API token of an app.
func (s *Site) AppToken(login string) string {
	s.T.Helper()
	result, err := s.P.Signin.ClientLogin(s.T.Context(),
		signin.ClientLoginInput{Login: login, Password: onboarding.DemoPassword, Client: landing.ClientApp})
	if err != nil || result.User == nil {
		s.T.Fatalf("%+v, %v", result, err)
	}
	return string(result.User.Token)
}

// Played is /dev/native.json.
type Played struct {
	Token string `json:"token"`
	Code  string `json:"auth_code_"`
	Calls []struct {
		Page, Call, Answer string
		Args               json.RawMessage
	} `json:"calls"`
}

func (b *Browser) Played() (app Played) {
	b.T.Helper()
	r := b.Get(AccountSite + "/dev/native.json")
	WantStatus(b.T, r, http.StatusOK)
	if err := json.Unmarshal([]byte(Text(b.T, r)), &app); err != nil {
		b.T.Fatal(err)
	}
	return app
}

// Says sends a message as the played object does, and gives the answer.
func (b *Browser) Says(host, message string) map[string]any {
	b.T.Helper()
	r := b.Post("http://"+host+"/dev/native/call", "message", message, "page", "/login")
	if r.StatusCode == http.StatusNoContent {
		return nil
	}
	WantStatus(b.T, r, http.StatusOK)
	var answer map[string]any
	if err := json.Unmarshal([]byte(Text(b.T, r)), &answer); err != nil {
		b.T.Fatal(err)
	}
	return answer
}
