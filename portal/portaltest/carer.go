package portaltest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode"

	"portico/portal"
	"portico/portal/access"
	"portico/portal/credentials"
	"portico/portal/onboarding"
	"portico/portal/signin"
	"portico/portal/verification"
	"portico/store"
	"portico/store/storetest"
)

// Phones of the demo data, and a new phone and password.
const (
	BuyerPhone   = "13800000001" // buyer1 in 1001
	ManagerPhone = "13800000002" // jinsui in 1001
	ManyPhone    = "13800000003" // li.manager and li.shop in 1001, sur in 1002, li.lights in 1003
	UnboundPhone = "13800000011" // registered, bound to no account
	BothPhone    = "13800000012" // trial and trial.shop in 1008
	NewPhone     = "13912345678" // nobody's
	NewPassword  = "Blauwal77"
)

// ErrProvider is the error of a provider that does not answer.
var ErrProvider = errors.New("the provider does not answer")

// SMSProvider is an SMS provider for tests: it keeps the messages it gets, and fails on demand.
type SMSProvider struct {
	Mu      sync.Mutex
	Got     []verification.Message // those that were, or may have been, sent
	Fail    error
	Refused int
	Arrived chan struct{}
}

// newSMSProvider makes a Provider that accepts every message.
func newSMSProvider() *SMSProvider { return &SMSProvider{Arrived: make(chan struct{}, 10_000)} }

// Send keeps a message, or fails as FailWith says.
func (s *SMSProvider) Send(_ context.Context, m verification.Message) error {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	s.Arrived <- struct{}{}
	if s.Fail != nil && !errors.Is(s.Fail, verification.ErrMaybeSent) {
		s.Refused++
		return s.Fail
	}
	s.Got = append(s.Got, m)
	return s.Fail
}

// FailWith makes every later Send return an error, nil for none.
func (s *SMSProvider) FailWith(err error) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	s.Fail = err
}

// Messages returns the messages that were sent, or may have been sent.
func (s *SMSProvider) Messages() []verification.Message {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	return slices.Clone(s.Got)
}

// Codes returns the messages that contain a verification code.
func (s *SMSProvider) Codes() []verification.Message {
	return slices.DeleteFunc(s.Messages(), func(m verification.Message) bool { return m.Notice != "" })
}

// Notices returns the notices that were sent, each as phone and kind.
func (s *SMSProvider) Notices() (all []string) {
	for _, m := range s.Messages() {
		if m.Notice != "" {
			all = append(all, m.Phone+" "+string(m.Notice))
		}
	}
	return all
}

// LogBuffer is a log that may be written to and read at the same time.
type LogBuffer struct {
	Mu   sync.Mutex
	Text strings.Builder
}

// Write appends to the log.
func (j *LogBuffer) Write(b []byte) (int, error) {
	j.Mu.Lock()
	defer j.Mu.Unlock()
	return j.Text.Write(b)
}

// String returns the whole log.
func (j *LogBuffer) String() string {
	j.Mu.Lock()
	defer j.Mu.Unlock()
	return j.Text.String()
}

// Count counts the lines that contain all the words.
func (j *LogBuffer) Count(words ...string) (n int) {
	for line := range strings.Lines(j.String()) {
		if !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(line, word) }) {
			n++
		}
	}
	return n
}

// SMSPlatform is a platform of which a test reads the messages and the log.
type SMSPlatform struct {
	*Platform
	Sms *SMSProvider
	Log *LogBuffer
}

// EachWithSMS runs a test on a fresh platform on SQLite and on Postgres; after each nothing secret is left behind.
func EachWithSMS(t *testing.T, test func(t *testing.T, p *SMSPlatform), change ...func(*portal.Options)) {
	t.Helper()
	storetest.Each(t, onSMSPlatform(test, change...))
}

// EachConditionWithSMS does what EachCare does, under each condition of a database.
func EachConditionWithSMS(t *testing.T, test func(t *testing.T, p *SMSPlatform), change ...func(*portal.Options)) {
	t.Helper()
	storetest.EachCondition(t, onSMSPlatform(test, change...))
}

// onSMSPlatform makes a test of a database from a test of a Carer.
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

// NewSMSPlatform makes a Carer on a database. change adjusts its options.
func NewSMSPlatform(t *testing.T, db *store.DB, change ...func(*portal.Options)) *SMSPlatform {
	t.Helper()
	p := &SMSPlatform{Sms: newSMSProvider(), Log: new(LogBuffer)}
	p.Platform = NewPlatform(t, db, append(change, func(o *portal.Options) {
		o.SendSMS, o.Log = p.Sms.Send, slog.New(slog.NewJSONHandler(p.Log, nil))
	})...)
	t.Cleanup(func() { p.Stop(context.Background()) })
	return p
}

// WaitForNotices waits for the notices that are on their way.
func (p *SMSPlatform) WaitForNotices() {
	p.T.Helper()
	p.Stop(p.T.Context())
}

// CodeRequest returns the request of a program for a code, at the account site.
func (p *SMSPlatform) CodeRequest(purpose access.Purpose, phone, flow string) verification.AskCodeInput {
	p.T.Helper()
	return verification.AskCodeInput{Purpose: purpose, Phone: phone, Flow: flow, Place: p.Place(AccountHost),
		Lang: "zh"}
}

// AskCode requests a code from HomeAddress, see AskFrom.
func (p *SMSPlatform) AskCode(in verification.AskCodeInput) (verification.CodeSent, error) {
	return p.AskCodeFrom(HomeAddress, in)
}

// AskCodeFrom requests a code from an address. As a program it does the required work, as a client does.
func (p *SMSPlatform) AskCodeFrom(address string, in verification.AskCodeInput) (verification.CodeSent, error) {
	p.T.Helper()
	sent, err := p.Verification.AskCode(p.From(address), in)
	with := new(access.Refused)
	if errors.As(err, &with) && with.Work != nil && !in.Browser {
		in.Proof = with.Work.Token
		in.Work, _ = SolveWork(with.Work)
		sent, err = p.Verification.AskCode(p.From(address), in)
	}
	return sent, err
}

// ReceiveCode requests a code, checks that one message is sent, and returns the code.
func (p *SMSPlatform) ReceiveCode(in verification.AskCodeInput) string {
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

// WrongCode returns a code that differs from the given one.
func WrongCode(code string) string {
	n, _ := strconv.Atoi(code)
	return fmt.Sprintf("%06d", (n+1)%1_000_000)
}

// CodeLoginInput returns a sign-in with a code at the account site.
func (p *SMSPlatform) CodeLoginInput(phone, code, flow string) signin.CodeLoginInput {
	p.T.Helper()
	return signin.CodeLoginInput{Phone: phone, Code: code, Flow: flow,
		Browser: access.Browser{Place: p.Place(AccountHost)}}
}

// CodeLogin signs in with a code from HomeAddress.
func (p *SMSPlatform) CodeLogin(in signin.CodeLoginInput) (signin.LoginResult, error) {
	return p.Signin.LoginByCode(p.From(HomeAddress), in)
}

// ResetInput returns a reset of a phone's password to NewPassword.
func (p *SMSPlatform) ResetInput(phone, code, flow string) credentials.ResetInput {
	p.T.Helper()
	return credentials.ResetInput{Phone: phone, Code: code, Flow: flow, Password: NewPassword, Confirm: NewPassword,
		Place: p.Place(AccountHost), Lang: "zh"}
}

// ResetPassword resets a password from HomeAddress.
func (p *SMSPlatform) ResetPassword(in credentials.ResetInput) error {
	return p.Credentials.ResetPassword(p.From(HomeAddress), in)
}

// DumpCounters returns all counters of attempts and codes as text, so that a test can compare them.
func (p *SMSPlatform) DumpCounters() string {
	p.T.Helper()
	dump, err := p.Db.Dump(p.T.Context())
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

// WantNoSecrets searches the database, the log and the audit events for the codes sent, the passwords used and,
// but for where they belong, the phones.
func (p *SMSPlatform) WantNoSecrets() {
	p.T.Helper()
	p.WaitForNotices()
	dump, err := p.Db.Dump(p.T.Context())
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
