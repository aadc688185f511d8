package e2e

import (
	"fmt"
	"regexp"
	"strconv"
	"testing"
)

func phoneSubject(id int64) string { return fmt.Sprintf("phone:%d", id) }

func TestGuessingMakesOneWait(t *testing.T) {
	t.Parallel()
	text := texts(t, "zh")
	b := newTab(t, limited, phone)
	for range 5 {
		b.signInAt("account", "13800000002", "wrong-password")
		b.wantStatus(422)
	}
	b.signInAt("account", "13800000002", password)
	b.wantStatus(429)
	b.wantText(regexp.MustCompile(`\{num\}.*`).ReplaceAllString(text("error.too_many_attempts"), ""))
	if got := b.value("phone"); got != "138 0000 0002" {
		t.Errorf("the phone is shown as %q", got)
	}
	for ask[int](b, `() => performance.getEntriesByType("navigation")[0].responseStatus`) == 429 { // two seconds
		b.fill("password", password)
		b.follow(signInButton)
	}
	b.wantArrived(arrival{"mgr", "/home", "陈静", "金穗粮油"})
}

func TestAQuestionIsAnsweredByHand(t *testing.T) {
	t.Parallel()
	text := texts(t, "zh")
	eachWay(t, desktop, func(b *tab) {
		b.moveTo(limited)
		askForProof(b.t, "13800000001")
		b.signIn("13800000001")
		b.wantStatus(422)
		b.wantText(text("problem.answer_required"))
		b.fill("answer", "1")
		b.fill("password", password)
		b.follow(signInButton)
		b.wantText(text("problem.answer_wrong"))
		b.fill("answer", fmt.Sprint(b.sum()))
		b.fill("password", password)
		b.follow(signInButton)
		b.wantArrived(arrival{"store1001", "/home", "王芳", "金穗粮油"})
	})
}

// sum works out the question as its label puts it.
func (b *tab) sum() int {
	b.t.Helper()
	label := ask[string](b, `s => document.querySelector(s).labels[0].innerText`, field("answer"))
	numbers, sum := regexp.MustCompile(`\d+`).FindAllString(label, -1), 0
	if len(numbers) != 2 {
		b.t.Fatalf("the question is %q", label)
	}
	for _, number := range numbers {
		n, _ := strconv.Atoi(number)
		sum += n
	}
	return sum
}
