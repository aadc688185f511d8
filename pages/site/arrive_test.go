package site_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"portico/components"
	"portico/pages/pagestest"
	"portico/portal/core"
)

// openedPage are the headers of a browser that follows the platform's redirect to a landing page in a tab.
var openedPage = []string{
	"Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document", "Sec-Fetch-Site", "same-site",
}

// signInTo signs a customer in and returns the browser and the address that it is sent to.
func signInTo(t *testing.T, s *pagestest.Site) (b *pagestest.Browser, address string) {
	b = s.Browser()
	sent := b.SignIn("account.portico.test", "13800000002")
	pagestest.WantStatus(t, sent, http.StatusSeeOther)
	address = sent.Header.Get("Location")
	if !strings.Contains(address, "auth_code_=") {
		t.Fatal(address)
	}
	return b, address
}

func TestTheFirstAnswerToACodeIsThePageItself(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b, address := signInTo(t, s)
	answer := b.Get(address, openedPage...)
	if got := answer.Header.Get("Referrer-Policy"); got != "no-referrer" {
		t.Error("Referrer-Policy", got)
	}
	if policy := answer.Header.Get("Content-Security-Policy"); !strings.Contains(policy, components.PlainPathHash) {
		t.Error(policy)
	}
	page := pagestest.WantPage(t, answer, http.StatusOK, components.PlainPathScript, "¥",
		`<noscript><meta http-equiv="refresh" content="0;url=/mgr">`)
	head, _, _ := strings.Cut(page, "<title>")
	if !strings.Contains(head, components.PlainPathScript) || strings.Contains(page, "auth_code_") {
		t.Error("the page does not remove the code from its address at once, or contains it", page)
	}
	at, _, _ := strings.Cut(address, "?")
	if next := pagestest.WantPage(t, b.Get(at), http.StatusOK, "¥"); strings.Contains(
		next,
		components.PlainPathScript,
	) {
		t.Error("a page without a code has the script")
	}
}

func TestThePersonMayReadTheFirstPageForAWhile(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b, address := signInTo(t, s)
	at, _, _ := strings.Cut(address, "?")
	pagestest.WantPage(t, b.Get(address, openedPage...), http.StatusOK, "¥")
	s.Clock = s.Clock.Add(core.ManagerIdle - time.Minute)
	pagestest.WantPage(t, b.Get(at), http.StatusOK, "¥")
}

func TestACodeInTheAddressDoesNoHarm(t *testing.T) {
	for name, second := range map[string]struct {
		isLost, isReceived bool // the response is lost; the browser has sent the new cookie
		later              time.Duration
	}{
		"a lost response":                    {true, false, 0},
		"a reload at once":                   {false, false, 0},
		"a reload":                           {false, true, 0},
		"a reload after the code's lifetime": {false, true, 2 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			s := pagestest.NewSite(t, pagestest.Options{})
			b, address := signInTo(t, s)
			at, _, _ := strings.Cut(address, "?")
			pagestest.WantPage(t, b.Get(address, openedPage...), http.StatusOK, "¥")
			if second.isLost {
				b = s.Browser() // which has no cookie of this host
			}
			if second.isReceived {
				pagestest.WantPage(t, b.Get(at), http.StatusOK, "¥")
			}
			s.Clock = s.Clock.Add(second.later)
			pagestest.WantPage(t, b.Get(address, openedPage...), http.StatusOK, "¥")
			pagestest.WantPage(t, b.Get(at), http.StatusOK, "¥")
		})
	}
}

func TestACodeInAnotherBrowserIsRefused(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b, address := signInTo(t, s)
	pagestest.WantPage(t, b.Get(address, openedPage...), http.StatusOK, "¥")
	other := s.BrowserWithAgent("another browser")
	pagestest.WantRedirect(t, other.Get(address, openedPage...), "/jumperror")
}

// A copy of the address is worth nothing in a browser of the same kind, too, once the page has reported itself.
func TestACopyOfAReceivedCodeIsRefused(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b, address := signInTo(t, s)
	pagestest.WantPage(t, b.Get(address, openedPage...), http.StatusOK, "¥")
	host, _, _ := strings.Cut(address, "/mgr")
	pagestest.WantStatus(t, b.Get(host+components.ReceivedPath), http.StatusNoContent)
	pagestest.WantRedirect(t, s.Browser().Get(address, openedPage...), "/jumperror")
	pagestest.WantStatus(t, s.Browser().Get(host+components.ReceivedPath), http.StatusNoContent)
}

func TestAnythingElseThanATabIsRedirected(t *testing.T) {
	for name, headers := range map[string][]string{
		"a program":      nil,
		"an old browser": {"Referer", "http://account.portico.test/"},
		"a frame":        {"Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe", "Sec-Fetch-Site", "same-site"},
		"a script":       {"Sec-Fetch-Mode", "cors", "Sec-Fetch-Dest", "empty", "Sec-Fetch-Site", "same-site"},
	} {
		t.Run(name, func(t *testing.T) {
			s := pagestest.NewSite(t, pagestest.Options{})
			b, address := signInTo(t, s)
			answer := b.Get(address, headers...)
			pagestest.WantStatus(t, answer, http.StatusSeeOther)
			if to := pagestest.Unmarked(answer.Header.Get("Location")); to != "/mgr" {
				t.Errorf("redirected to %s", to)
			}
		})
	}
}

func TestTheFirstAnswerIsInTheChosenLanguage(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.Browser()
	pagestest.WantStatus(t, b.Get("http://account.portico.test/login?lang=es"), http.StatusOK)
	address := b.SignIn("account.portico.test", "13800000002").Header.Get("Location")
	pagestest.WantPage(t, b.Get(address, openedPage...), http.StatusOK, `<html lang="es-419"`)
}
