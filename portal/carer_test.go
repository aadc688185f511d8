package portal_test

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
	"time"
	"unicode"

	"portico/portal"
	"portico/store"
	"portico/store/storetest"
)

const (
	buyerPhone   = "13800000001" // buyer1 in 1001
	managerPhone = "13800000002" // jinsui in 1001
	manyPhone    = "13800000003" // li.manager and li.shop in 1001, sur in 1002, li.lights in 1003
	unboundPhone = "13800000011" // registered, bound to no account
	bothPhone    = "13800000012" // trial and trial.shop in 1008
	newPhone     = "13912345678" // nobody's

	newPassword = "Blauwal77"
)

var errProvider = errors.New("the provider does not answer")

// provider is the network's border: it keeps the messages it is handed, and fails on demand.
type provider struct {
	mu      sync.Mutex
	got     []portal.Message // those that were, or may have been, sent
	fail    error
	refused int
	arrived chan struct{}
}

func newProvider() *provider { return &provider{arrived: make(chan struct{}, 10_000)} }

func (s *provider) send(_ context.Context, m portal.Message) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.arrived <- struct{}{}
	if s.fail != nil && !errors.Is(s.fail, portal.ErrMaybeSent) {
		s.refused++
		return s.fail
	}
	s.got = append(s.got, m)
	return s.fail
}

func (s *provider) failWith(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fail = err
}

func (s *provider) messages() []portal.Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.got)
}

// codes are the messages that carry a code.
func (s *provider) codes() []portal.Message {
	return slices.DeleteFunc(s.messages(), func(m portal.Message) bool { return m.Notice != "" })
}

func (s *provider) notices() (all []string) {
	for _, m := range s.messages() {
		if m.Notice != "" {
			all = append(all, m.Phone+" "+string(m.Notice))
		}
	}
	return all
}

// journal is a log that many write to.
type journal struct {
	mu   sync.Mutex
	text strings.Builder
}

func (j *journal) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(b)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// count counts the lines that hold all the words.
func (j *journal) count(words ...string) (n int) {
	for line := range strings.Lines(j.String()) {
		if !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(line, word) }) {
			n++
		}
	}
	return n
}

// carer is a platform whose messages and log can be read.
type carer struct {
	*platform
	sms *provider
	log *journal
}

// eachCare runs a test on a fresh platform on SQLite and on Postgres; after each nothing secret is left behind.
func eachCare(t *testing.T, test func(t *testing.T, p *carer), change ...func(*portal.Options)) {
	t.Helper()
	storetest.Each(t, onCarer(test, change...))
}

// eachCareCondition is eachCare under each condition of a database.
func eachCareCondition(t *testing.T, test func(t *testing.T, p *carer), change ...func(*portal.Options)) {
	t.Helper()
	storetest.EachCondition(t, onCarer(test, change...))
}

func onCarer(test func(t *testing.T, p *carer), change ...func(*portal.Options)) func(t *testing.T, db *store.DB) {
	return func(t *testing.T, db *store.DB) {
		t.Parallel()
		p := newCarer(t, db, change...)
		test(t, p)
		p.leavesNoSecret()
	}
}

func newCarer(t *testing.T, db *store.DB, change ...func(*portal.Options)) *carer {
	t.Helper()
	p := &carer{sms: newProvider(), log: new(journal)}
	p.platform = newPlatform(t, db, append(change, func(o *portal.Options) {
		o.SendSMS, o.Log = p.sms.send, slog.New(slog.NewJSONHandler(p.log, nil))
	})...)
	t.Cleanup(func() { p.Stop(context.Background()) })
	return p
}

// settle waits for the notices that are on their way.
func (p *carer) settle() {
	p.t.Helper()
	p.Stop(p.t.Context())
}

// arrive waits until the provider was handed a message more.
func (p *carer) arrive() {
	p.t.Helper()
	select {
	case <-p.sms.arrived:
	case <-time.After(time.Minute):
		p.t.Fatal("no message was handed over")
	}
}

// asking is a code asked for at the account site, as a program would.
func (p *carer) asking(purpose portal.Purpose, phone, flow string) portal.AskCodeInput {
	p.t.Helper()
	return portal.AskCodeInput{Purpose: purpose, Phone: phone, Flow: flow, Place: p.place(accountHost), Lang: "zh"}
}

func (p *carer) ask(in portal.AskCodeInput) (portal.CodeSent, error) {
	return p.askFrom(homeAddress, in)
}

// askFrom requests a code from an address. As a program it does the required work, as a client does.
func (p *carer) askFrom(address string, in portal.AskCodeInput) (portal.CodeSent, error) {
	p.t.Helper()
	sent, err := p.AskCode(p.from(address), in)
	with := new(portal.Refused)
	if errors.As(err, &with) && with.Work != nil && !in.Browser {
		in.Proof = with.Work.Token
		in.Work, _ = work(with.Work)
		sent, err = p.AskCode(p.from(address), in)
	}
	return sent, err
}

// sent asks for a code that must be sent, and gives it.
func (p *carer) sent(in portal.AskCodeInput) string {
	p.t.Helper()
	before := len(p.sms.codes())
	_, err := p.ask(in)
	noError(p.t, err)
	if p.options.Strict { // the message goes out after the answer
		p.settle()
	}
	codes := p.sms.codes()
	if len(codes) != before+1 {
		p.t.Fatalf("%d messages went out", len(codes)-before)
	}
	return codes[before].Code
}

// otherThan is a code that is another one.
func otherThan(code string) string {
	n, _ := strconv.Atoi(code)
	return fmt.Sprintf("%06d", (n+1)%1_000_000)
}

func (p *carer) withCode(phone, code, flow string) portal.CodeLoginInput {
	p.t.Helper()
	return portal.CodeLoginInput{Phone: phone, Code: code, Flow: flow, Browser: portal.Browser{Place: p.place(accountHost)}}
}

func (p *carer) codeLogin(in portal.CodeLoginInput) (portal.LoginResult, error) {
	return p.LoginByCode(p.from(homeAddress), in)
}

func (p *carer) resetting(phone, code, flow string) portal.ResetInput {
	p.t.Helper()
	return portal.ResetInput{Phone: phone, Code: code, Flow: flow, Password: newPassword, Confirm: newPassword, Place: p.place(accountHost), Lang: "zh"}
}

func (p *carer) reset(in portal.ResetInput) error { return p.ResetPassword(p.from(homeAddress), in) }

// counters are all that is counted, to see that something counted nothing.
func (p *carer) counters() string {
	p.t.Helper()
	dump, err := p.db.Dump(p.t.Context())
	noError(p.t, err)
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

// leavesNoSecret searches the database, the log and the audit events for the codes sent, the passwords used and,
// but for where they belong, the phones.
func (p *carer) leavesNoSecret() {
	p.t.Helper()
	p.settle()
	dump, err := p.db.Dump(p.t.Context())
	noError(p.t, err)
	log := p.log.String()
	words := map[string]string{} // each by itself, with the table, or the log, that holds it
	for line := range strings.Lines(log) {
		note(words, line, "the log")
	}
	for line := range strings.Lines(dump) {
		if table, _, _ := strings.Cut(line, " "); !slices.Contains([]string{"phones", "companies", "applications", "products", "orders", "order_lines"}, table) { // prices look like codes
			note(words, line, "the table "+table)
		}
	}
	for _, m := range p.sms.messages() {
		if m.Code != "" && words[m.Code] != "" {
			p.t.Errorf("%s holds the code sent for %s", words[m.Code], m.Purpose)
		}
		if words[m.Phone] != "" {
			p.t.Errorf("%s holds a phone", words[m.Phone])
		}
	}
	for _, password := range []string{newPassword, portal.DemoPassword, "Wrong2026", "Zeegras55", "Kabeljau9"} {
		if strings.Contains(dump, password) || strings.Contains(log, password) {
			p.t.Errorf("%s is written down", password)
		}
	}
}

func note(words map[string]string, line, where string) {
	for _, word := range strings.FieldsFunc(line, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		words[word] = where
	}
}
