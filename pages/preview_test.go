package pages_test

import (
	"net/http"
	"testing"
)

// previewAgents are the User-Agents of programs that open a link before a person does.
var previewAgents = []string{
	"WhatsApp/2.23.20.0", "TelegramBot (like TwitterBot)", "facebookexternalhit/1.1", "Mozilla/5.0 (compatible; bingbot/2.0)",
	phoneAgent + " MicroMessenger/8.0.40", phoneAgent + " wxwork/4.1.0 MicroMessenger/7.0.1", desktopAgent,
}

func TestALinkPreviewDoesNotUseALinkUp(t *testing.T) {
	const invited = "13900000777"
	s := newSite(t, options{})
	invitation := s.invite(invited)
	links := []string{
		invitation, "http://store1001.portico.test/register", "http://store1001.portico.test/register/complete",
		"http://store1001.portico.test/register/result?id=1", "http://account.portico.test/login?return=%2Fhome%2Forders",
	}
	before, err := s.db.Dump(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range links {
		for _, agent := range previewAgents {
			for _, method := range []string{http.MethodHead, http.MethodGet, http.MethodGet} {
				b := s.browser()
				b.agent = agent
				if r := b.do(method, link, nil); r.StatusCode >= http.StatusInternalServerError {
					t.Errorf("%s %s by %s: %d", method, link, agent, r.StatusCode)
				}
			}
		}
	}
	if after, err := s.db.Dump(t.Context()); err != nil || after != before {
		t.Errorf("a preview changed something (%v)", err)
	}
	const path = "http://account.portico.test/register/complete"
	b := s.browser()
	form := formOf(t, wantPage(t, b.get(invitation), http.StatusOK), "/register/complete")
	for name, value := range map[string]string{"phone": invited, "name": "陆遥", "password": "Muelle.norte4", "confirm_password": "Muelle.norte4", "action": "send_code"} {
		form.Set(name, value)
	}
	wantStatus(t, b.sendForm(path, form), http.StatusOK)
	form.Del("action")
	form.Set("code", s.lastCode(invited))
	wantStatus(t, b.sendForm(path, form), http.StatusSeeOther)
}
