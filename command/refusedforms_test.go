package command

import (
	"compress/gzip"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/locale"
	"portico/store/pool"
)

// publicForms are the forms that anybody can send without having signed in, empty.
var publicForms = []struct{ host, path string }{
	{"account", "/login"},
	{"store1001", "/login"},
	{"account", "/login/account"},
	{"account", "/login/code"},
	{"account", "/code"},
	{"account", "/register"},
	{"account", "/register/init"},
	{"account", "/register/result"},
	{"account", "/register/wechat"},
	{"account", "/register/complete"},
	{"store1001", "/register"},
	{"store1001", "/register/more"},
	{"account", "/experience"},
	{"account", "/experience/role"},
	{"account", "/forget/phone"},
	{"account", "/forget/account"},
	{"account", "/password"},
	{"account", "/bind"},
	{"account", "/unbind"},
	{"account", "/phone"},
	{"account", "/profile"},
	{"account", "/company"},
	{"account", "/accounts"},
	{"account", "/enter"},
	{"account", "/offers"},
	{"account", "/accept"},
	{"account", "/wechat/confirm"},
	{"account", "/wechat/link"},
	{"account", "/logout"},
	{"account", "/nothing"},
	{"m", "/shop"},
	{"mgr", "/home"},
}

// sendEmptyForm sends an empty form as a browser that has no cookie does.
func sendEmptyForm(s http.Handler, w http.ResponseWriter, host, path, encodings string) {
	r := httptest.NewRequest(http.MethodPost, path, http.NoBody)
	r.Host, r.URL.Host = host+".localhost:8080", ""
	r.Header.Set("Accept-Encoding", encodings)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	s.ServeHTTP(w, r)
}

// A refusal costs little, because anybody can send empty forms. Compressing a style sheet takes the most time, then
// statements, and what is drawn. The bench has the times.
func TestRefusingAPublicFormIsCheap(t *testing.T) {
	s, _, db := testServerAndDatabase(t)
	s.RequestLog = slog.New(slog.DiscardHandler)
	statements := 0
	db.Observe(pool.Observer{Done: func(pool.Kind, time.Duration) { statements++ }})
	for _, f := range publicForms {
		w := httptest.NewRecorder()
		sendEmptyForm(s, w, f.host, f.path, "identity")
		if w.Code == http.StatusOK || w.Body.Len() > 16_000 {
			t.Errorf("%s%s answers %d with %d bytes", f.host, f.path, w.Code, w.Body.Len())
		}
		statements = 0
		made := testing.AllocsPerRun(1, func() {
			sendEmptyForm(s, &discardResponse{header: http.Header{}}, f.host, f.path, "gzip, deflate, br")
		})
		if made > 950 || statements > 0 { // with the race detector, under which pools forget; else some 800
			t.Errorf("%s%s: %.0f allocations and %d statements", f.host, f.path, made, statements)
		}
	}
}

// The buffers in which pages are drawn and compressed are used again for other visitors.
func TestRefusedFormsOfManyVisitorsAreTheirOwn(t *testing.T) {
	s, _ := testServer(t)
	s.RequestLog = slog.New(slog.DiscardHandler)
	typed := func(visitor int) string { return fmt.Sprintf("139 0000 %04d", visitor) }
	const visitors = 12
	var group sync.WaitGroup
	for visitor := range visitors {
		group.Go(func() {
			host := []string{"account", "store1001"}[visitor%2]
			lang := locale.Langs[visitor%3]
			path := []string{"/login", "/register"}[visitor/6]
			for range 20 {
				r := httptest.NewRequest(http.MethodPost, path,
					strings.NewReader(url.Values{"phone": {typed(visitor)}, "password": {"short"}}.Encode()))
				r.Host, r.URL.Host = host+".localhost:8080", ""
				r.Header.Set("Accept-Encoding", "gzip")
				r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
				r.Header.Set("Sec-Fetch-Site", "same-origin")
				r.Header.Set("Cookie", "lang="+string(lang))
				w := httptest.NewRecorder()
				s.ServeHTTP(w, r)
				unpacked, err := gzip.NewReader(w.Body)
				if err != nil {
					t.Errorf("%d: %v", w.Code, err)
					return
				}
				page, err := io.ReadAll(unpacked)
				if err != nil || !strings.Contains(string(page), `<html lang="`+lang.Tag()+`"`) {
					t.Errorf("%s%s in %s: %v", host, path, lang, err)
				}
				for other := range visitors {
					if has := strings.Contains(string(page), typed(other)); has != (other == visitor) {
						t.Errorf("visitor %d sees what visitor %d typed: %t", visitor, other, has)
					}
				}
			}
		})
	}
	group.Wait()
}
