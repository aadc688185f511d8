package steps

import (
	"regexp"
	"strconv"

	"portico/e2e/browser"
	"portico/e2e/program"
)

// Waiting is the seconds that the button counts, 0 when it can be pressed.
func Waiting(b *browser.Tab) int {
	b.T.Helper()
	label := browser.Ask[string](b, `s => document.querySelector(s).textContent`, SendCodeButton)
	n, _ := strconv.Atoi(regexp.MustCompile(`\d+`).FindString(label))
	return n
}

// WantWaiting checks that the button counts down, in the page's language. Without scripts it can be pressed, and
// the server says no.
func WantWaiting(b *browser.Tab) int {
	b.T.Helper()
	lang := browser.Ask[string](b, `() => document.documentElement.lang`)
	n := Waiting(b)
	label := browser.Ask[string](b, `s => document.querySelector(s).textContent`, SendCodeButton)
	if want := program.FillIn(program.Texts(b.T, lang)("code.wait"), "num", n); n < 1 || n > 60 || label != want {
		b.T.Errorf("the button says %q at %s", label, b.Address())
	}
	return n
}

// CodesSentTo are those sent to a phone, newest first.
func CodesSentTo(b *browser.Tab, number string) []string {
	b.T.Helper()
	list, err := b.Server.Inbox(number)
	b.Must(err)
	var codes []string
	for _, m := range list {
		if m.Code != "" {
			codes = append(codes, m.Code)
		}
	}
	return codes
}

const (
	SendCodeButton = `button[name=action][value=send_code]`
	MainButton     = `#care button[data-busy]:not([name])`
)

// RequestCode presses the button beside the code and gives the code that came. The page does not hold it.
func RequestCode(b *browser.Tab, number string) string {
	b.T.Helper()
	before := len(CodesSentTo(b, number))
	if b.NoScripts || !browser.HasScripts {
		b.Follow(SendCodeButton)
		b.WantStatus(200)
	} else {
		b.Press(SendCodeButton)
		b.Await("the countdown", `s => document.querySelector(s).disabled`, SendCodeButton)
	}
	return ReceivedCode(b, number, before+1)
}

// ReceivedCode gives a phone's newest code, of so many; nothing the browser holds tells it.
func ReceivedCode(b *browser.Tab, number string, want int) string {
	b.T.Helper()
	codes := CodesSentTo(b, number)
	if len(codes) != want {
		b.T.Fatalf("%d codes, want %d\n%s", len(codes), want, b.VisibleText())
	}
	b.SentCodes = append(b.SentCodes, codes[0])
	held := browser.Ask[string](b, `() => document.documentElement.outerHTML + [...document.querySelectorAll("input")].map(e => e.value) + JSON.stringify([{...localStorage}, {...sessionStorage}])`)
	if len(program.CodesIn(held, codes[:1])) > 0 {
		b.T.Errorf("%s tells the code", b.Address())
	}
	return codes[0]
}

// EnterCode types the code, which completes the form: scripts send it then.
func EnterCode(b *browser.Tab, code string) {
	b.T.Helper()
	if b.NoScripts || !browser.HasScripts {
		b.Fill("code", code)
		b.Follow(MainButton)
		return
	}
	b.LeavePage(func() { b.T.Helper(); b.Fill("code", code) })
}
