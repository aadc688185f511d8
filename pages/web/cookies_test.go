package web_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"portico/pages/pagestest"
	"portico/pages/web"
)

func TestCookiesLastAsLongAsTheirPurpose(t *testing.T) {
	s := pagestest.NewChatSite(t)
	b := s.Browser()
	b.Get(AccountLogin + "?lang=es&u=7&c=8")
	b.Get("http://account.portico.test/login/code")
	inWeCom := s.BrowserWithAgent(strings.Replace(pagestest.InWeChat, "MicroMessenger/",
		"wxwork/4.1.30 MicroMessenger/", 1))
	inWeCom.Get(pagestest.ChatSite + "/login")
	cookies := b.Jar["account.portico.test"]
	cookies["portico_silent"] = inWeCom.Jar["store1001.portico.test"]["portico_silent"]
	w := httptest.NewRecorder()
	web.NewRequests(web.Platform{}, nil).SetFlash(w, "ordered", 7)
	cookies["portico_done"] = w.Result().Cookies()[0]
	for name, seconds := range map[string]int{
		"lang": 365 * 24 * 3600, "portico_share": 30 * 24 * 3600, "portico_flow": 24 * 3600, "portico_silent": 600,
		"portico_done": 60,
	} {
		if c := cookies[name]; c == nil || c.MaxAge != seconds {
			t.Errorf("%s: %+v, want %d seconds", name, c, seconds)
		}
	}
}

func TestFormOf32KiBIsReadAndALargerOneIsRefused(t *testing.T) {
	b := pagestest.NewSite(t, pagestest.Options{}).Browser()
	for size, status := range map[int]int{
		32 << 10: http.StatusNoContent, 32<<10 + 1: http.StatusRequestEntityTooLarge,
	} {
		form := "menu=" + strings.Repeat("x", size-len("menu="))
		r := b.Send("http://account.portico.test/seen", "application/x-www-form-urlencoded", strings.NewReader(form),
			int64(size))
		pagestest.WantStatus(t, r, status)
	}
}
