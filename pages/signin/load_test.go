package signin_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/pages/pagestest"
	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/onboarding"
)

func TestSignInPageUnderLoadHasAProofOfWorkAndASum(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{Limits: true,
		Hash: core.HashCost{Memory: 19 << 10, Passes: 6, Threads: 1}})
	b := s.Browser()
	signInRepeatedly(s, 60)
	signIn := func() *http.Response {
		return b.Post("http://account.portico.test/login",
			"phone", "13800000001", "password", onboarding.DemoPassword, "remember", "1")
	}
	r := signIn()
	// Wait until enough people sign in at the same time.
	for tries := 0; r.StatusCode != http.StatusUnprocessableEntity && tries < 20; tries++ {
		b = s.Browser()
		r = signIn()
	}
	pagestest.WantStatus(t, r, http.StatusUnprocessableEntity)
	body := pagestest.Text(t, r)
	for _, want := range []string{
		`data-island="prove"`, `&#34;bits&#34;:17`, `name="proof"`, `name="work"`,
		`name="question"`, `id="answer"`, `value="13800000001"`, "当前登录人数较多",
		`src="/assets/`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("no %s", want)
		}
	}
	if strings.Contains(body, onboarding.DemoPassword) || strings.Contains(body, "密码多次输入错误") {
		t.Error("the page has the password or another reason")
	}
}

// signInRepeatedly sends wrong passwords for unknown phones from so many networks until the test ends.
func signInRepeatedly(s *pagestest.Site, people int) {
	s.T.Helper()
	ctx, cancel := context.WithCancel(s.T.Context())
	var all sync.WaitGroup
	for i := range people {
		from := access.WithCaller(ctx, access.Caller{RequestID: "r", Address: fmt.Sprintf("10.%d.0.1", i)})
		all.Go(func() {
			for try := 0; ctx.Err() == nil; try++ {
				form := url.Values{"phone": {fmt.Sprintf("139%04d%04d", i, try)}, "password": {"Wrong2026"}}
				body := strings.NewReader(form.Encode())
				r := httptest.NewRequest(http.MethodPost, "http://account.portico.test/login", body)
				r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
				r.Header.Set("Sec-Fetch-Site", "same-origin")
				s.Handler.ServeHTTP(httptest.NewRecorder(), r.WithContext(from))
				time.Sleep(10 * time.Millisecond)
			}
		})
	}
	s.T.Cleanup(func() {
		cancel()
		all.Wait()
	})
}
