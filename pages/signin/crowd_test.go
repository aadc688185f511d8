package signin_test

import (
	"net/http"
	"strings"
	"testing"

	"portico/pages/pagestest"
	"portico/portal/onboarding"
	"portico/portal/passwords"
)

func TestUnderLoadTheSignInPageHasAProofOfWorkAndAQuestion(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{Limits: true,
		Hash: passwords.HashCost{Memory: 19 << 10, Passes: 6, Threads: 1}})
	b := s.Browser()
	s.Crowd(60)
	signIn := func() *http.Response {
		return b.Post("http://account.portico.test/login",
			"phone", "13800000001", "password", onboarding.DemoPassword, "remember", "1")
	}
	r := signIn()
	// Until enough people sign in at the same time.
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
	if strings.Contains(body, onboarding.DemoPassword) || strings.Contains(body, "连续多次密码错误") {
		t.Error("the page has the password or another reason")
	}
}
