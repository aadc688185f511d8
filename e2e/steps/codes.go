package steps

import (
	"regexp"
	"strconv"

	"portico/e2e/browser"
	"portico/e2e/program"
)

const (
	// SendCodeButton is the selector of the button that sends a code.
	SendCodeButton = `button[name=action][value=send_code]`
	// MainButton is the selector of the main button of forms about accounts.
	MainButton = `#care button[data-busy]:not([name])`
)

// RequestCode presses the button beside the code field and returns the code that arrives.
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

// ReceivedCode returns a phone's newest code. want is how many codes it must have received. Neither page nor storage
// may contain the code.
func ReceivedCode(b *browser.Tab, number string, want int) string {
	b.T.Helper()
	codes := CodesSentTo(b, number)
	if len(codes) != want {
		b.T.Fatalf("%d codes, want %d\n%s", len(codes), want, b.VisibleText())
	}
	b.SentCodes = append(b.SentCodes, codes[0])
	held := browser.Eval[string](
		b,
		`() => document.documentElement.outerHTML +
			[...document.querySelectorAll("input")].map(e => e.value) +
			JSON.stringify([{...localStorage}, {...sessionStorage}])`,
	)
	if len(program.CodesIn(held, codes[:1])) > 0 {
		b.T.Errorf("%s shows the code", b.Address())
	}
	return codes[0]
}

// CodesSentTo returns the codes that were sent to a phone, newest first.
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

// EnterCode types the code, which completes the form. Scripts then submit it.
func EnterCode(b *browser.Tab, code string) {
	b.T.Helper()
	if b.NoScripts || !browser.HasScripts {
		b.Fill("code", code)
		b.Follow(MainButton)
		return
	}
	b.LeavePage(func() { b.T.Helper(); b.Fill("code", code) })
}

// CountdownSeconds returns the seconds on the button that sends a code, 0 if it can be pressed.
func CountdownSeconds(b *browser.Tab) int {
	b.T.Helper()
	label := browser.Eval[string](b, `s => document.querySelector(s).textContent`, SendCodeButton)
	n, _ := strconv.Atoi(regexp.MustCompile(`\d+`).FindString(label))
	return n
}

// WantCountdown checks that the button counts down, in the page's language, and returns the seconds.
func WantCountdown(b *browser.Tab) int {
	b.T.Helper()
	lang := browser.Eval[string](b, `() => document.documentElement.lang.slice(0, 2)`)
	n := CountdownSeconds(b)
	label := browser.Eval[string](b, `s => document.querySelector(s).textContent`, SendCodeButton)
	if want := program.FillIn(program.Texts(b.T, lang)("code.wait"), "num", n); n < 1 || n > 60 || label != want {
		b.T.Errorf("the button says %q at %s", label, b.Address())
	}
	return n
}
