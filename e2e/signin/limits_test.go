package signin

import (
	"fmt"
	"regexp"
	"strconv"
	"testing"

	"portico/e2e/browser"
	"portico/e2e/program"
	"portico/e2e/steps"
	"portico/e2e/testscope"
)

func TestWrongPasswordsLeadToAWait(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/signin")
	text := program.Texts(t, "zh")
	b := browser.NewTab(t, browser.Limited(t), browser.Phone)
	for range 5 {
		steps.SignInAt(b, "account", "13800000002", "wrong-password")
		b.WantStatus(422)
	}
	steps.SignInAt(b, "account", "13800000002", program.Password)
	b.WantStatus(429)
	b.WantText(regexp.MustCompile(`\{num\}.*`).ReplaceAllString(text("error.too_many_attempts"), ""))
	if got := b.Value("phone"); got != "138 0000 0002" {
		t.Errorf("the phone is shown as %q", got)
	}
	for browser.Eval[int](b, `() => performance.getEntriesByType("navigation")[0].responseStatus`) == 429 {
		b.Fill("password", program.Password)
		b.Follow(steps.SignInButton)
	}
	b.WantArrived(browser.Arrival{Host: "mgr", Path: "/home", Holder: "陈静", Company: "金穗粮油"})
}

func TestSumMustBeAnsweredBeforeSigningIn(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/signin")
	text := program.Texts(t, "zh")
	browser.WithAndWithoutScripts(t, browser.ScriptsOff(browser.Desktop, ""), func(b *browser.Tab) {
		browser.SetServer(b, browser.Limited(b.T))
		steps.RequireProof(b.T, "13800000001")
		steps.SignIn(b, "13800000001")
		b.WantStatus(422)
		b.WantText(text("problem.answer_required"))
		b.Fill("answer", "1")
		b.Fill("password", program.Password)
		b.Follow(steps.SignInButton)
		b.WantText(text("problem.answer_wrong"))
		b.Fill("answer", fmt.Sprint(sum(b)))
		b.Fill("password", program.Password)
		b.Follow(steps.SignInButton)
		b.WantArrived(browser.Arrival{Host: "store1001", Path: "/home", Holder: "王芳", Company: "金穗粮油"})
	})
}

// sum calculates the answer to the question in the label.
func sum(b *browser.Tab) int {
	b.T.Helper()
	label := browser.Eval[string](b, `s => document.querySelector(s).labels[0].innerText`, browser.Field("answer"))
	numbers, sum := regexp.MustCompile(`\d+`).FindAllString(label, -1), 0
	if len(numbers) != 2 {
		b.T.Fatalf("the question is %q", label)
	}
	for _, number := range numbers {
		n, _ := strconv.Atoi(number)
		sum += n
	}
	return sum
}
