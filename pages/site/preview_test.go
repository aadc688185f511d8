package site_test

import (
	"net/http"
	"testing"

	"portico/pages/pagestest"
	"portico/store/storetest"
)

// PreviewAgents are the User-Agents of programs that open a link before a person does.
var PreviewAgents = []string{
	"WhatsApp/2.23.20.0", "TelegramBot (like TwitterBot)", "facebookexternalhit/1.1",
	"Mozilla/5.0 (compatible; bingbot/2.0)",
	pagestest.PhoneAgent + " MicroMessenger/8.0.40", pagestest.PhoneAgent + " wxwork/4.1.0 MicroMessenger/7.0.1",
	pagestest.DesktopAgent,
}

func TestLinkPreviewDoesNotSpendALink(t *testing.T) {
	const invited = "13900000777"
	s := pagestest.NewSite(t, pagestest.Options{})
	invitation := s.Invite(invited)
	links := []string{
		invitation, "http://store1001.portico.test/register", "http://store1001.portico.test/register/complete",
		"http://store1001.portico.test/register/result?id=1",
		"http://account.portico.test/login?return=%2Fhome%2Forders",
	}
	before, err := storetest.Dump(t.Context(), s.DB)
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range links {
		for _, agent := range PreviewAgents {
			for _, method := range []string{http.MethodHead, http.MethodGet, http.MethodGet} {
				b := s.Browser()
				b.Agent = agent
				if r := b.Do(method, link, nil); r.StatusCode >= http.StatusInternalServerError {
					t.Errorf("%s %s by %s: %d", method, link, agent, r.StatusCode)
				}
			}
		}
	}
	if after, err := storetest.Dump(t.Context(), s.DB); err != nil || after != before {
		t.Errorf("a preview changed something (%v)", err)
	}
	const path = "http://account.portico.test/register/complete"
	b := s.Browser()
	form := pagestest.FormFields(t, pagestest.WantPage(t, b.Get(invitation), http.StatusOK), "/register/complete")
	for name, value := range map[string]string{"phone": invited, "name": "陆遥", "password": "Muelle.norte4",
		"confirm_password": "Muelle.norte4", "action": "send_code"} {
		form.Set(name, value)
	}
	pagestest.WantStatus(t, b.SendForm(path, form), http.StatusOK)
	form.Del("action")
	form.Set("code", s.LastCode(invited))
	pagestest.WantStatus(t, b.SendForm(path, form), http.StatusSeeOther)
}
