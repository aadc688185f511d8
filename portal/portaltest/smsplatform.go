package portaltest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"portico/portal"
	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/credentials"
	"portico/portal/onboarding"
	"portico/portal/signin"
	"portico/store"
	"portico/store/storetest"
)

// SMSPlatform is a platform that sends verification codes and notices to an SMSProvider and writes its log to a
// LogBuffer, so that a test can read both.
type SMSPlatform struct {
	*Platform
	Sms *SMSProvider
	Log *LogBuffer
}

// EachWithSMS runs a test on a new SMSPlatform, on the databases of storetest.EachRule. Afterwards WantNoSecrets must
// hold.
func EachWithSMS(t *testing.T, test func(t *testing.T, p *SMSPlatform), change ...func(*portal.Options)) {
	t.Helper()
	storetest.EachRule(t, onSMSPlatform(test, change...))
}

// EachConditionWithSMS does what EachWithSMS does, under each condition of a database.
func EachConditionWithSMS(t *testing.T, test func(t *testing.T, p *SMSPlatform), change ...func(*portal.Options)) {
	t.Helper()
	storetest.EachCondition(t, onSMSPlatform(test, change...))
}

// onSMSPlatform makes a test of a database from a test of an SMSPlatform. The tests run in parallel.
func onSMSPlatform(
	test func(t *testing.T, p *SMSPlatform), change ...func(*portal.Options),
) func(t *testing.T, db *store.DB) {
	return func(t *testing.T, db *store.DB) {
		t.Parallel()
		p := NewSMSPlatform(t, db, change...)
		test(t, p)
		p.WantNoSecrets()
	}
}

// NewSMSPlatform returns an SMSPlatform with the demo data on a database. change adjusts the options of the Portal. It
// fails the test if the platform cannot start.
func NewSMSPlatform(t *testing.T, db *store.DB, change ...func(*portal.Options)) *SMSPlatform {
	t.Helper()
	p := &SMSPlatform{Sms: newSMSProvider(), Log: new(LogBuffer)}
	p.Platform = NewPlatform(t, db, append(change, func(o *portal.Options) {
		o.SendSMS, o.Log = p.Sms.Send, slog.New(slog.NewJSONHandler(p.Log, nil))
	})...)
	t.Cleanup(func() { p.Stop(context.Background()) })
	return p
}

// WaitForNotices waits until the messages that are sent in the background have been sent.
func (p *SMSPlatform) WaitForNotices() {
	p.T.Helper()
	p.Stop(p.T.Context())
}

// WantNotices fails the test unless exactly these notices were sent, in this order, each as "phone kind".
func (p *SMSPlatform) WantNotices(want ...string) {
	p.T.Helper()
	p.WaitForNotices()
	if got := p.Sms.Notices(); !slices.Equal(got, want) {
		p.T.Errorf("notices %q, want %q", got, want)
	}
}

// CodeRequest returns a program's request for a code at the account site.
func (p *SMSPlatform) CodeRequest(purpose access.Purpose, phone, flow string) core.AskCodeInput {
	p.T.Helper()
	return core.AskCodeInput{Purpose: purpose, Phone: phone, Flow: flow, Place: p.Place(AccountHost),
		Lang: "zh"}
}

// AskCode requests a code from HomeAddress, as AskCodeFrom does.
func (p *SMSPlatform) AskCode(in core.AskCodeInput) (core.CodeSent, error) {
	return p.AskCodeFrom(HomeAddress, in)
}

// AskCodeFrom requests a code from an IP address and returns the operation's result. If a proof of work is required of
// a program, it solves it and asks again.
func (p *SMSPlatform) AskCodeFrom(address string, in core.AskCodeInput) (core.CodeSent, error) {
	p.T.Helper()
	sent, err := p.Portal.AskCode(p.From(address), in)
	with := new(access.Refused)
	if errors.As(err, &with) && with.Work != nil && !in.Browser {
		in.Proof = with.Work.Token
		in.Work, _ = SolveWork(with.Work)
		sent, err = p.Portal.AskCode(p.From(address), in)
	}
	return sent, err
}

// ReceiveCode requests a code and returns the one that was sent. It fails the test unless exactly one code was sent.
func (p *SMSPlatform) ReceiveCode(in core.AskCodeInput) string {
	p.T.Helper()
	before := len(p.Sms.Codes())
	_, err := p.AskCode(in)
	NoError(p.T, err)
	if p.Options.Strict { // the message goes out after the answer
		p.WaitForNotices()
	}
	codes := p.Sms.Codes()
	if len(codes) != before+1 {
		p.T.Fatalf("%d messages went out", len(codes)-before)
	}
	return codes[before].Code
}

// WrongCode returns a verification code that differs from the given one.
func WrongCode(code string) string {
	n, _ := strconv.Atoi(code)
	return fmt.Sprintf("%06d", (n+1)%1_000_000)
}

// CodeLoginInput returns the input of a sign-in with a code at the account site.
func (p *SMSPlatform) CodeLoginInput(phone, code, flow string) signin.CodeLoginInput {
	p.T.Helper()
	return signin.CodeLoginInput{Phone: phone, Code: code, Flow: flow,
		Browser: access.Browser{Place: p.Place(AccountHost)}}
}

// CodeLogin signs in with a code from HomeAddress and returns the operation's result.
func (p *SMSPlatform) CodeLogin(in signin.CodeLoginInput) (signin.LoginResult, error) {
	return p.Signin.LoginByCode(p.From(HomeAddress), in)
}

// SignInByCode receives a code at a host and signs in with it. It returns the input, and the refusal if there is one.
// First it advances the clock by 20 minutes, because a phone gets only five messages an hour.
func (p *SMSPlatform) SignInByCode(host, phone string) (signin.CodeLoginInput, error) {
	p.T.Helper()
	p.Clock.Advance(20 * time.Minute) // a phone gets five messages an hour
	ask := p.CodeRequest(core.ForLogin, phone, core.NewFlow())
	ask.Place = p.Place(host)
	ask.CompanyID = ask.Place.CompanyID()
	in := signin.CodeLoginInput{Phone: phone, Code: p.ReceiveCode(ask), Flow: ask.Flow, Browser: access.Browser{
		Place: ask.Place,
	}}
	_, err := p.CodeLogin(in)
	return in, err
}

// ResetInput returns the input that resets a phone's password to NewPassword with a code.
func (p *SMSPlatform) ResetInput(phone, code, flow string) credentials.ResetInput {
	p.T.Helper()
	return credentials.ResetInput{Phone: phone, Code: code, Flow: flow, Password: NewPassword, Confirm: NewPassword,
		Place: p.Place(AccountHost), Lang: "zh"}
}

// ResetPassword resets a password from HomeAddress and returns the operation's error.
func (p *SMSPlatform) ResetPassword(in credentials.ResetInput) error {
	return p.Credentials.ResetPassword(p.From(HomeAddress), in)
}

// DumpCounters returns all counters of attempts and codes as text, so that a test can compare them.
func (p *SMSPlatform) DumpCounters() string {
	p.T.Helper()
	dump, err := storetest.Dump(p.T.Context(), p.DB)
	NoError(p.T, err)
	var kept []string
	for line := range strings.Lines(dump) {
		lookUp := strings.HasPrefix(line, "attempts [probes:") // of wider networks, as the table of look-ups
		if strings.HasPrefix(line, "attempts ") && !lookUp || strings.HasPrefix(line, "codes ") {
			kept = append(kept, line)
		}
	}
	slices.Sort(kept)
	return strings.Join(kept, "")
}

// WantNoSecrets fails the test if the log or a table contains a code that was sent, a phone that got a message, or a
// password of the tests. The tables that must contain phones are not searched.
func (p *SMSPlatform) WantNoSecrets() {
	p.T.Helper()
	p.WaitForNotices()
	dump, err := storetest.Dump(p.T.Context(), p.DB)
	NoError(p.T, err)
	log := p.Log.String()
	words := map[string]string{} // each by itself, with the table, or the log, that holds it
	for line := range strings.Lines(log) {
		noteWords(words, line, "the log")
	}
	for line := range strings.Lines(dump) {
		// prices look like codes
		if table, _, _ := strings.Cut(line, " "); !slices.Contains([]string{"phones", "companies", "applications",
			"products", "orders", "order_lines"}, table) {
			noteWords(words, line, "the table "+table)
		}
	}
	for _, m := range p.Sms.Messages() {
		if m.Code != "" && words[m.Code] != "" {
			p.T.Errorf("%s holds the code sent for %s", words[m.Code], m.Purpose)
		}
		if words[m.Phone] != "" {
			p.T.Errorf("%s holds a phone", words[m.Phone])
		}
	}
	for _, password := range []string{NewPassword, onboarding.DemoPassword, "Wrong2026", "Zeegras55", "Kabeljau9"} {
		if strings.Contains(dump, password) || strings.Contains(log, password) {
			p.T.Errorf("%s is written down", password)
		}
	}
}

// noteWords records each word of a line with the place where it was found.
func noteWords(words map[string]string, line, where string) {
	for _, word := range strings.FieldsFunc(line,
		func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		words[word] = where
	}
}
