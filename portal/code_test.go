package portal_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"math/bits"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

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
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		t.Parallel()
		p := newCarer(t, db, change...)
		test(t, p)
		p.leavesNoSecret()
	})
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
	case <-time.After(10 * time.Second):
		p.t.Fatal("no message was handed over")
	}
}

// asking is a code asked for at the account site, as a program would.
func (p *carer) asking(purpose portal.Purpose, phone, flow string) portal.AskCodeInput {
	p.t.Helper()
	return portal.AskCodeInput{Purpose: purpose, Phone: phone, Flow: flow, Place: p.place(accountHost), Lang: "zh"}
}

func (p *carer) ask(in portal.AskCodeInput) (portal.CodeSent, error) {
	return p.AskCode(p.from(homeAddress), in)
}

// sent asks for a code that must be sent, and gives it.
func (p *carer) sent(in portal.AskCodeInput) string {
	p.t.Helper()
	before := len(p.sms.codes())
	_, err := p.ask(in)
	noError(p.t, err)
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
	return portal.CodeLoginInput{Phone: phone, Code: code, Flow: flow, Place: p.place(accountHost)}
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
		if strings.HasPrefix(line, "attempts ") || strings.HasPrefix(line, "codes ") {
			kept = append(kept, line)
		}
	}
	slices.Sort(kept)
	return strings.Join(kept, "")
}

// leavesNoSecret searches the database, the log and the audit events for the codes sent, the passwords used and,
// but for where they belong, the phones (requirements 35 and 114).
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
		if table, _, _ := strings.Cut(line, " "); table != "phones" && table != "companies" {
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

func TestOfTenAsksAtOnceOneSendsAMessage(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		var sent atomic.Int32
		var group sync.WaitGroup
		for i := range 10 {
			in := p.asking(portal.ForLogin, buyerPhone, portal.NewFlow())
			group.Go(func() {
				_, err := p.AskCode(p.from(fmt.Sprintf("198.51.100.%d", i)), in)
				if err == nil {
					sent.Add(1)
				} else if with := refused(t, err, portal.CodeAlreadySent); with.WaitSeconds() < 1 || with.WaitSeconds() > 60 {
					t.Errorf("the wait is %v", with.Wait)
				}
			})
		}
		group.Wait()
		if n := len(p.sms.codes()); n != 1 || sent.Load() != 1 {
			t.Errorf("%d messages, %d told so", n, sent.Load())
		}
		if n := p.events(0, "code_sent"); n != 1 {
			t.Errorf("%d audit events", n)
		}
	})
}

func TestWhileTheCountdownRunsNobodyIsSentAnotherAndThenANewCodeKillsTheOld(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		mine, another := portal.NewFlow(), portal.NewFlow()
		old := p.sent(p.asking(portal.ForLogin, buyerPhone, mine))
		for waited := time.Duration(0); waited < portal.DefaultResend; waited += 20 * time.Second {
			for _, flow := range []string{mine, another} {
				_, err := p.ask(p.asking(portal.ForLogin, "138 0000 0001", flow))
				if with := refused(t, err, portal.CodeAlreadySent); with.Wait != portal.DefaultResend-waited {
					t.Errorf("after %v the wait is %v", waited, with.Wait)
				}
			}
			p.restart() // the countdown is kept with the code
			p.clock.advance(20 * time.Second)
		}
		fresh := p.sent(p.asking(portal.ForLogin, buyerPhone, mine))
		if old != fresh {
			_, err := p.codeLogin(p.withCode(buyerPhone, old, mine))
			refused(t, err, portal.CodeWrong)
		}
		_, err := p.codeLogin(p.withCode(buyerPhone, fresh, mine))
		noError(t, err)
	})
}

func TestACodeAskedForByAnotherBrowserKillsTheOldOne(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		mine, another := portal.NewFlow(), portal.NewFlow()
		old := p.sent(p.asking(portal.ForLogin, buyerPhone, mine))
		p.clock.advance(portal.DefaultResend)
		fresh := p.sent(p.asking(portal.ForLogin, buyerPhone, another))
		for _, code := range []string{old, fresh} {
			_, err := p.codeLogin(p.withCode(buyerPhone, code, mine))
			refused(t, err, portal.CodeExpired)
		}
		_, err := p.codeLogin(p.withCode(buyerPhone, fresh, another))
		noError(t, err)
	})
}

func TestTheCountdownIsTheConfiguredOne(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		in := p.asking(portal.ForLogin, buyerPhone, portal.NewFlow())
		if sent, err := p.ask(in); err != nil || sent != (portal.CodeSent{ResendAfter: 20 * time.Second}) {
			t.Errorf("%+v, %v", sent, err)
		}
		p.clock.advance(20*time.Second - time.Millisecond)
		_, err := p.ask(in)
		if with := refused(t, err, portal.CodeAlreadySent); with.WaitSeconds() != 1 {
			t.Errorf("the wait is %v", with.Wait)
		}
		p.clock.advance(time.Millisecond)
		p.sent(in)
	}, func(o *portal.Options) { o.Resend = 20 * time.Second })
}

func TestCodesAreSixDigitsAndAllAreAsLikely(t *testing.T) {
	const draws = 20_000
	var places [portal.CodeDigits][10]int
	var thousands [1000]int
	for range draws {
		code := portal.NewCode()
		if len(code) != portal.CodeDigits || strings.Trim(code, "0123456789") != "" {
			t.Fatalf("%q", code)
		}
		for i, digit := range []byte(code) {
			places[i][digit-'0']++
		}
		n, _ := strconv.Atoi(code)
		thousands[n%1000]++
	}
	if places[0][0] == 0 {
		t.Error("no code begins with a zero")
	}
	// A sound generator passes all seven limits but once in a million runs.
	for i, counts := range places {
		if chi := chiSquare(counts[:], draws); chi > 53 {
			t.Errorf("place %d: chi-square %.1f of 9 degrees", i, chi)
		}
	}
	if chi := chiSquare(thousands[:], draws); chi > 1240 || chi < 780 {
		t.Errorf("last three digits: chi-square %.1f of 999 degrees", chi)
	}
}

func chiSquare(counts []int, draws int) (sum float64) {
	expected := float64(draws) / float64(len(counts))
	for _, n := range counts {
		sum += (float64(n) - expected) * (float64(n) - expected) / expected
	}
	return sum
}

func TestACodeIsGoodForFiveMinutes(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		flow := portal.NewFlow()
		code := p.sent(p.asking(portal.ForLogin, buyerPhone, flow))
		p.clock.advance(portal.CodeLife - time.Second)
		_, err := p.codeLogin(p.withCode(buyerPhone, code, flow))
		noError(t, err)
		code = p.sent(p.asking(portal.ForLogin, buyerPhone, flow))
		p.clock.advance(portal.CodeLife + time.Second)
		_, err = p.codeLogin(p.withCode(buyerPhone, code, flow))
		refused(t, err, portal.CodeExpired)
		if _, pending, err := p.PendingCode(t.Context(), flow, portal.ForLogin); err != nil || pending {
			t.Errorf("it is pending: %v, %v", pending, err)
		}
	})
}

func TestACodeIsTakenHoweverItIsTyped(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		flow := portal.NewFlow()
		for typed, want := range map[string]portal.Problem{
			"": portal.CodeRequired, " \t": portal.CodeRequired, "12345": portal.CodeMalformed, "1234567": portal.CodeMalformed, "12345a": portal.CodeMalformed, "١٢٣٤٥٦": portal.CodeMalformed,
			"12345\x00": portal.CodeMalformed, strings.Repeat("1", 1<<20): portal.CodeMalformed,
		} {
			_, err := p.codeLogin(p.withCode(buyerPhone, typed, flow))
			if with := refused(t, err, portal.ValidationFailed); with.Fields["code"] != want {
				t.Errorf("%.20q: %v", typed, with.Fields)
			}
			refused(t, p.reset(p.resetting(buyerPhone, typed, flow)), portal.ValidationFailed)
		}
		code := p.sent(p.asking(portal.ForLogin, buyerPhone, flow))
		wide := strings.Map(func(r rune) rune { return r - '0' + '０' }, code)
		_, err := p.codeLogin(p.withCode(" １３８ 0000-0001", " "+wide[:9]+"\u3000"+wide[9:]+" ", flow))
		noError(t, err)
	})
}

func TestOfFiftyWrongCodesAtOnceFiveAreComparedAndThenNotEvenTheRightOneIsTaken(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		flow := portal.NewFlow()
		code := p.sent(p.asking(portal.ForLogin, buyerPhone, flow))
		in := p.withCode(buyerPhone, otherThan(code), flow)
		var compared, not atomic.Int32
		var group sync.WaitGroup
		for range 50 {
			group.Go(func() {
				_, err := p.codeLogin(in)
				switch {
				case errors.Is(err, portal.CodeWrong):
					compared.Add(1)
				case errors.Is(err, portal.CodeExpired) || errors.Is(err, portal.TooManyAttempts):
					not.Add(1)
				default:
					t.Errorf("%v", err)
				}
			})
		}
		group.Wait()
		if compared.Load() != portal.CodeTries || not.Load() != 50-portal.CodeTries {
			t.Errorf("%d were compared, %d not", compared.Load(), not.Load())
		}
		if n := p.log.count(`"event":"code_failed"`, `"detail":"login"`); n != portal.CodeTries {
			t.Errorf("the log tells of %d", n)
		}
		_, err := p.codeLogin(p.withCode(buyerPhone, code, flow))
		refused(t, err, portal.CodeExpired)
	})
}

func TestAfterFiveWrongTriesTheRightCodeIsRefusedUntilANewOneIsSent(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		flow := portal.NewFlow()
		code := p.sent(p.asking(portal.ForLogin, buyerPhone, flow))
		for range portal.CodeTries {
			_, err := p.codeLogin(p.withCode(buyerPhone, otherThan(code), flow))
			refused(t, err, portal.CodeWrong)
		}
		for range 2 {
			_, err := p.codeLogin(p.withCode(buyerPhone, code, flow))
			refused(t, err, portal.CodeExpired)
		}
		p.clock.advance(portal.DefaultResend)
		code = p.sent(p.asking(portal.ForLogin, buyerPhone, flow))
		_, err := p.codeLogin(p.withCode(buyerPhone, code, flow))
		noError(t, err)
	})
}

func TestOfTwentyRightCodesAtOnceOneSignsInAndOneResets(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		flow := portal.NewFlow()
		login := p.withCode(buyerPhone, p.sent(p.asking(portal.ForLogin, buyerPhone, flow)), flow)
		reset := p.resetting(managerPhone, p.sent(p.asking(portal.ForReset, managerPhone, flow)), flow)
		for name, try := range map[string]func() error{
			"login": func() error { _, err := p.codeLogin(login); return err },
			"reset": func() error { return p.reset(reset) },
		} {
			var done atomic.Int32
			var group sync.WaitGroup
			for range 20 {
				group.Go(func() {
					if err := try(); err == nil {
						done.Add(1)
					} else if !errors.Is(err, portal.CodeExpired) && (name != "reset" || !errors.Is(err, portal.ValidationFailed)) { // the same password again
						t.Errorf("%s: %v", name, err)
					}
				})
			}
			group.Wait()
			if done.Load() != 1 {
				t.Errorf("%s: %d succeeded", name, done.Load())
			}
		}
		if a, b := p.events(0, "sign_in"), p.events(0, "password_reset"); a != 1 || b != 1 {
			t.Errorf("%d sign-ins, %d resets in the audit log", a, b)
		}
	})
}

func TestAUsedCodeIsRefused(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		flow := portal.NewFlow()
		login := p.withCode(buyerPhone, p.sent(p.asking(portal.ForLogin, buyerPhone, flow)), flow)
		reset := p.resetting(buyerPhone, p.sent(p.asking(portal.ForReset, buyerPhone, flow)), flow)
		_, err := p.codeLogin(login)
		noError(t, err)
		_, err = p.codeLogin(login)
		refused(t, err, portal.CodeExpired)
		noError(t, p.reset(reset))
		reset.Password, reset.Confirm = "Zeegras55", "Zeegras55"
		refused(t, p.reset(reset), portal.CodeExpired)
	})
}

func TestAPhonesCodesForAPurposeAreTriedTwentyTimesADayWhateverNewOnesAreSent(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		flow := portal.NewFlow()
		for range portal.CodeTriesADay / portal.CodeTries {
			code := p.sent(p.asking(portal.ForLogin, buyerPhone, flow))
			for range portal.CodeTries {
				_, err := p.codeLogin(p.withCode(buyerPhone, otherThan(code), flow))
				refused(t, err, portal.CodeWrong)
			}
			p.clock.advance(20 * time.Minute)
		}
		right := p.withCode(buyerPhone, p.sent(p.asking(portal.ForLogin, buyerPhone, flow)), flow)
		_, err := p.codeLogin(right)
		if with := refused(t, err, portal.TooManyAttempts); with.Wait != 24*time.Hour-80*time.Minute {
			t.Errorf("the wait is %v", with.Wait)
		}
		p.signIn(accountHost, buyerPhone) // other ways in remain
		noError(t, p.reset(p.resetting(buyerPhone, p.sent(p.asking(portal.ForReset, buyerPhone, flow)), flow)))
		p.clock.advance(24*time.Hour - 80*time.Minute - time.Second)
		right.Code = p.sent(p.asking(portal.ForLogin, buyerPhone, flow))
		noError(t, p.Sweep(t.Context()))
		_, err = p.codeLogin(right)
		refused(t, err, portal.TooManyAttempts)
		p.clock.advance(2 * time.Second)
		_, err = p.codeLogin(right)
		noError(t, err)
	})
}

func TestGuessesOfThoseWhoWereSentNothingTakeNoTriesFromTheOwner(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		stranger, owner := portal.NewFlow(), portal.NewFlow()
		for i := range portal.CodeTriesADay + 5 {
			_, err := p.LoginByCode(p.from(fmt.Sprintf("198.51.100.%d", i)), p.withCode(buyerPhone, fmt.Sprintf("%06d", i), stranger))
			if err == nil {
				t.Fatal("signed in")
			}
			err = p.ResetPassword(p.from(fmt.Sprintf("198.51.100.%d", i)), p.resetting(buyerPhone, fmt.Sprintf("%06d", i), stranger))
			if err == nil {
				t.Fatal("reset")
			}
		}
		if _, err := p.codeLogin(p.withCode(buyerPhone, p.sent(p.asking(portal.ForLogin, buyerPhone, owner)), owner)); err != nil {
			t.Errorf("the owner signs in: %v", err)
		}
		if err := p.reset(p.resetting(buyerPhone, p.sent(p.asking(portal.ForReset, buyerPhone, owner)), owner)); err != nil {
			t.Errorf("the owner resets: %v", err)
		}
	})
}

func TestACodeOpensOnlyWhatItWasSentFor(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		flow, other := portal.NewFlow(), portal.NewFlow()
		byName := p.asking(portal.ForReset, "", flow)
		byName.Login = "buyer1"
		login := p.sent(p.asking(portal.ForLogin, buyerPhone, flow))
		reset := p.sent(p.asking(portal.ForReset, managerPhone, flow))
		named := p.sent(byName)
		inShop := p.asking(portal.ForLogin, manyPhone, flow)
		inShop.Place = p.place("store1001.portico.test")
		inShop.CompanyID = 1001
		shop := p.sent(inShop)
		p.sent(p.asking(portal.ForLogin, managerPhone, other))

		atShop := func(in portal.CodeLoginInput, host string) portal.CodeLoginInput {
			in.Place = p.place(host)
			return in
		}
		asLogin := func(in portal.ResetInput, login string) portal.ResetInput {
			in.Phone, in.Login = "", login
			return in
		}
		for name, try := range map[string]func() error{
			"another phone":                   func() error { _, err := p.codeLogin(p.withCode(bothPhone, login, flow)); return err },
			"another phone that was sent one": func() error { _, err := p.codeLogin(p.withCode(managerPhone, login, other)); return err },
			"another browser":                 func() error { _, err := p.codeLogin(p.withCode(buyerPhone, login, other)); return err },
			"no browser":                      func() error { _, err := p.codeLogin(p.withCode(buyerPhone, login, "")); return err },
			"another purpose":                 func() error { return p.reset(p.resetting(buyerPhone, login, flow)) },
			"a reset's for signing in":        func() error { _, err := p.codeLogin(p.withCode(managerPhone, reset, flow)); return err },
			"at a company's house": func() error {
				_, err := p.codeLogin(atShop(p.withCode(buyerPhone, login, flow), "store1001.portico.test"))
				return err
			},
			"a house's at the account site": func() error { _, err := p.codeLogin(p.withCode(manyPhone, shop, flow)); return err },
			"a house's at another's": func() error {
				_, err := p.codeLogin(atShop(p.withCode(manyPhone, shop, flow), "store1002.portico.test"))
				return err
			},
			"an account's reset for its phone's": func() error { return p.reset(p.resetting(buyerPhone, named, flow)) },
			"a phone's reset for its account's":  func() error { return p.reset(asLogin(p.resetting("", reset, flow), "jinsui")) },
			"an account's for another's":         func() error { return p.reset(asLogin(p.resetting("", named, flow), "jinsui")) },
			"an account's for nobody's":          func() error { return p.reset(asLogin(p.resetting("", named, flow), "nobody")) },
			"an account's for one without":       func() error { return p.reset(asLogin(p.resetting("", named, flow), "nophone")) },
		} {
			if err := try(); !errors.Is(err, portal.CodeExpired) && !errors.Is(err, portal.CodeWrong) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if a, b := p.events(0, "password_reset"), p.events(0, "sign_in"); a+b != 0 {
			t.Errorf("%d resets and %d sign-ins", a, b)
		}
		_, err := p.codeLogin(p.withCode(buyerPhone, login, flow)) // and what it was for it still opens
		noError(t, err)
		_, err = p.codeLogin(atShop(p.withCode(manyPhone, shop, flow), "jinsui.test"))
		noError(t, err)
		noError(t, p.reset(asLogin(p.resetting("", named, flow), "Buyer1")))
	})
}

func TestAnAccountsCodeIsNotAnothersOfTheSamePhone(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		flow := portal.NewFlow()
		ask := p.asking(portal.ForReset, "", flow)
		ask.Login = "li.shop"
		code := p.sent(ask)
		for _, login := range []string{"sur", "li.manager", "li.lights"} {
			in := p.resetting("", code, flow)
			in.Login = login
			refused(t, p.reset(in), portal.CodeExpired)
		}
		refused(t, p.reset(p.resetting(manyPhone, code, flow)), portal.CodeExpired)
		p.signIn(accountHost, "sur")
		p.signIn(accountHost, manyPhone)
	})
}

func TestACodeIsVoidOnceThePhoneOfItsAccountHasChanged(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		flow := portal.NewFlow()
		ask := p.asking(portal.ForReset, "", flow)
		ask.Login = "buyer1"
		in := p.resetting("", p.sent(ask), flow)
		in.Login = "buyer1"
		m := p.account("buyer1")
		noError(t, p.db.UnbindPhone(t.Context(), 1001, m.ID, m.PhoneID))
		refused(t, p.reset(in), portal.CodeExpired)
		noError(t, p.db.BindPhone(t.Context(), 1001, m.ID, phoneOf(t, p.db, p.account("jinsui").Phone)))
		refused(t, p.reset(in), portal.CodeExpired)
		if after := p.account("buyer1"); after.PasswordHash != m.PasswordHash {
			t.Error("the password was changed")
		}
	})
}

func TestAPendingCodeIsFoundByTheBrowserThatAskedAlone(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		flow := portal.NewFlow()
		named := p.asking(portal.ForReset, "", flow)
		named.Login = "buyer1"
		p.sent(p.asking(portal.ForLogin, "+86 138 0000 0002", flow))
		p.sent(named)
		p.clock.advance(15 * time.Second)
		p.restart()
		for _, c := range []struct {
			flow    string
			purpose portal.Purpose
			want    portal.PendingCode
			ok      bool
		}{
			{flow, portal.ForLogin, portal.PendingCode{Phone: managerPhone, Target: "phone", ResendAfter: 45 * time.Second}, true},
			{flow, portal.ForReset, portal.PendingCode{Phone: buyerPhone, Hidden: true, Target: fmt.Sprintf("account:%d", p.account("buyer1").ID), ResendAfter: 45 * time.Second}, true},
			{flow, portal.ForBind, portal.PendingCode{}, false}, {portal.NewFlow(), portal.ForLogin, portal.PendingCode{}, false}, {"", portal.ForLogin, portal.PendingCode{}, false},
		} {
			if got, ok, err := p.PendingCode(t.Context(), c.flow, c.purpose); err != nil || ok != c.ok || got != c.want {
				t.Errorf("%s: %+v, %v, %v", c.purpose, got, ok, err)
			}
		}
		p.restart(func(o *portal.Options) { o.Secret = []byte("another master key of 32 bytes!!") })
		if _, ok, err := p.PendingCode(t.Context(), flow, portal.ForLogin); err != nil || ok {
			t.Errorf("with another master key: %v, %v", ok, err)
		}
		p.restart(func(o *portal.Options) { o.Secret = []byte("0123456789abcdef0123456789abcdef") })
	})
}

func TestAFlowHasAShapeOfItsOwn(t *testing.T) {
	a, b := portal.NewFlow(), portal.NewFlow()
	if a == b || !portal.IsFlow(a) || portal.IsFlow("") || portal.IsFlow("session:x") || portal.IsFlow(a+"x") {
		t.Errorf("%q, %q", a, b)
	}
}

func TestAFewPhonesOfWrongShapeAreRefusedAndCountNothing(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		before := p.counters()
		for typed, want := range map[string]portal.Problem{
			"": portal.PhoneRequired, "  ": portal.PhoneRequired, "12800000001": portal.PhoneMalformed, "1380000000": portal.PhoneMalformed, "13800000001;13800000002": portal.PhoneMalformed,
			"0044 7700 900123": portal.PhoneMalformed, "13800000001\x00": portal.PhoneMalformed,
		} {
			for _, purpose := range []portal.Purpose{portal.ForLogin, portal.ForRegister, portal.ForReset, portal.ForExperience, portal.ForApplication} {
				_, err := p.ask(p.asking(purpose, typed, portal.NewFlow()))
				if with := refused(t, err, portal.ValidationFailed); with.Fields["phone"] != want {
					t.Errorf("%q: %v", typed, with.Fields)
				}
			}
		}
		_, err := p.ask(p.asking("nonsense", newPhone, portal.NewFlow()))
		refused(t, err, portal.WrongParameters)
		if len(p.sms.messages()) != 0 || p.counters() != before {
			t.Error("something was sent or counted")
		}
	})
}

// The caps.

// anyone asks for a code that every phone may have, from an address.
func (p *carer) anyone(n int, address string) error {
	p.t.Helper()
	_, err := p.AskCode(p.from(address), p.asking(portal.ForExperience, fmt.Sprintf("139%08d", n), portal.NewFlow()))
	return err
}

// over demands that an ask is past a cap, and neither sends nor counts.
func (p *carer) over(ask func() error) time.Duration {
	p.t.Helper()
	before, sent := p.counters(), len(p.sms.codes())
	with := refused(p.t, ask(), portal.TooManyAttempts)
	if with.Wait <= 0 || with.Wait > 24*time.Hour {
		p.t.Errorf("the wait is %v", with.Wait)
	}
	if p.counters() != before {
		p.t.Error("something was counted all the same")
	}
	if n := len(p.sms.codes()); n != sent {
		p.t.Errorf("%d were sent", n-sent)
	}
	return with.Wait
}

func TestAPhoneIsSentFiveCodesAnHourAndTenADayWhateverTheyAreFor(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		asks := 0
		purposes := []portal.Purpose{portal.ForLogin, portal.ForReset, portal.ForExperience}
		ask := func() error {
			asks++
			_, err := p.AskCode(p.from(fmt.Sprintf("10.0.%d.1", asks)), p.asking(purposes[asks%3], buyerPhone, portal.NewFlow()))
			return err
		}
		hours := func() {
			for range portal.MessagesPhoneHour {
				noError(t, ask())
				p.clock.advance(time.Minute)
			}
		}
		hours()
		if wait := p.over(ask); wait != 55*time.Minute {
			t.Errorf("the hour ends in %v", wait)
		}
		p.clock.advance(55*time.Minute + time.Millisecond)
		hours()
		p.clock.advance(55*time.Minute + time.Millisecond)
		if wait := p.over(ask); wait < 21*time.Hour || wait > 22*time.Hour {
			t.Errorf("the day ends in %v", wait)
		}
		if n := len(p.sms.codes()); n != portal.MessagesPhoneDay {
			t.Errorf("%d were sent", n)
		}
		noError(t, p.anyone(1, homeAddress)) // other phones are
		p.clock.advance(22 * time.Hour)
		noError(t, ask())
	})
}

func TestAnAddressCausesTwentyMessagesAnHourAndStillSignsIn(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		for i := range portal.MessagesAddressHour {
			noError(t, p.anyone(i, homeAddress))
		}
		p.over(func() error { return p.anyone(100, homeAddress) })
		p.over(func() error { return p.anyone(101, "::ffff:"+homeAddress) })
		p.signIn(accountHost, buyerPhone) // from the same address
		noError(t, p.anyone(102, "203.0.113.11"))
		p.clock.advance(time.Hour - time.Millisecond)
		p.over(func() error { return p.anyone(103, homeAddress) })
		p.clock.advance(2 * time.Millisecond)
		noError(t, p.anyone(104, homeAddress))
	})
}

func TestANetworkCausesSixtyMessagesAnHour(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		for i := range portal.MessagesNetworkHour {
			noError(t, p.anyone(i, fmt.Sprintf("198.51.100.%d", i)))
		}
		p.over(func() error { return p.anyone(100, "198.51.100.99") })
		noError(t, p.anyone(101, "198.51.101.1"))
		for i := range portal.MessagesAddressHour { // an IPv6 /64 is one address
			noError(t, p.anyone(200+i, fmt.Sprintf("2001:db8:0:7:%x::1", i)))
		}
		p.over(func() error { return p.anyone(300, "2001:db8:0:7::ffff") })
		noError(t, p.anyone(301, "2001:db8:0:8::1"))
	})
}

// wanting asks something of a company, as a phone and address of its own.
func (p *carer) wanting(company int64, n int) error {
	p.t.Helper()
	in := p.asking(portal.ForShopRegister, fmt.Sprintf("137%08d", n), portal.NewFlow())
	in.CompanyID = company
	_, err := p.AskCode(p.from(fmt.Sprintf("10.%d.%d.1", n>>8, n&255)), in)
	return err
}

func TestACompanyAndThePlatformHaveABudgetADayAndTheLogWarns(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		told := func(of, level string) int {
			return p.log.count(`"event":"sms_budget"`, `"of":"`+of+`"`, `"level":"`+level+`"`)
		}
		for n := range 20 {
			noError(t, p.wanting(1001, n))
			if warned, full := told("sms:company:1001", "WARN"), told("sms:company:1001", "ERROR"); warned != n/15 || full != n/19 {
				t.Errorf("after %d: %d warnings, %d alarms", n+1, warned, full)
			}
		}
		for n := range 3 {
			p.over(func() error { return p.wanting(1001, 100+n) })
		}
		for n := range 10 {
			noError(t, p.wanting(1002, 200+n))
		}
		for n := range 3 {
			p.over(func() error { return p.wanting(1002, 300+n) })
			p.over(func() error { return p.anyone(400+n, "10.9.9.9") })
		}
		for of, want := range map[string]int{"sms:company:1001": 1, "sms:company:1002": 0, "sms:platform": 1} {
			if warned, full := told(of, "WARN"), told(of, "ERROR"); warned != want || full != want {
				t.Errorf("%s: %d warnings, %d alarms", of, warned, full)
			}
		}
		if n := len(p.sms.codes()); n != 30 {
			t.Errorf("%d were sent", n)
		}
		budgets, err := p.MessageBudgets(t.Context())
		if want := []portal.MessageBudget{{Sent: 30, Limit: 30}, {CompanyID: 1001, Sent: 20, Limit: 20}, {CompanyID: 1002, Sent: 10, Limit: 20}}; err != nil || !slices.Equal(budgets, want) {
			t.Errorf("%+v, %v", budgets, err)
		}
		p.signIn(accountHost, buyerPhone)
		p.clock.advance(24*time.Hour + time.Millisecond)
		noError(t, p.wanting(1001, 500))
	}, func(o *portal.Options) { o.Messages, o.MessagesCompany = 30, 20 })
}

func TestASmallBudgetIsWatchedToo(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		for n := range 5 {
			noError(t, p.wanting(1001, n))
		}
		p.over(func() error { return p.wanting(1001, 100) })
		if n := p.log.count(`"event":"sms_budget"`, `"of":"sms:company:1001"`); n != 2 {
			t.Errorf("the log has %d lines, want the warning and the alarm", n)
		}
	}, func(o *portal.Options) { o.MessagesCompany = 5 })
}

func TestAnAskThatAnotherCapRefusesWarnsOfNothing(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		for n := range 15 {
			noError(t, p.wanting(1001, n))
		}
		for n := range 3 { // the company's sixteenth, were it not the platform's
			p.over(func() error { return p.wanting(1001, 100+n) })
		}
		if n := p.log.count(`"event":"sms_budget"`, `"of":"sms:company:1001"`); n != 0 {
			t.Errorf("%d lines", n)
		}
	}, func(o *portal.Options) { o.Messages, o.MessagesCompany = 15, 20 })
}

func TestOfManyAsksAtOnceNoMoreThanTheCapAreSent(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		var group sync.WaitGroup
		for i := range 30 {
			group.Go(func() {
				if err := p.anyone(i, homeAddress); err != nil && !errors.Is(err, portal.TooManyAttempts) {
					t.Errorf("%v", err)
				}
			})
		}
		group.Wait()
		if n := len(p.sms.codes()); n != portal.MessagesAddressHour {
			t.Errorf("%d were sent", n)
		}
	})
}

func TestWithLimitsOffOnlyTheCountdownIsLeft(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		flow := portal.NewFlow()
		for i := range 25 {
			in := p.asking(portal.ForExperience, fmt.Sprintf("139%08d", i), flow)
			in.Browser = true
			p.sent(in)
			_, err := p.ask(in)
			refused(t, err, portal.CodeAlreadySent)
		}
	}, func(o *portal.Options) { o.NoLimit = true })
}

// Proofs that a person asks.

// browsing is an ask by a browser for any phone.
func (p *carer) browsing(n int, flow string) portal.AskCodeInput {
	p.t.Helper()
	in := p.asking(portal.ForExperience, fmt.Sprintf("139%08d", n), flow)
	in.Browser = true
	return in
}

// due demands that an ask is refused for want of a proof, sends and counts nothing, and gives what may be proven.
func (p *carer) due(in portal.AskCodeInput, want portal.Problem) *portal.Refused {
	p.t.Helper()
	before, sent := p.counters(), len(p.sms.codes())
	_, err := p.ask(in)
	with := refused(p.t, err, portal.ValidationFailed)
	if with.Fields["answer"] != want || with.Question == nil || with.Work == nil || with.Work.Bits != portal.WorkBits {
		p.t.Fatalf("%+v", with)
	}
	if p.counters() != before || len(p.sms.codes()) != sent {
		p.t.Error("it was counted or sent")
	}
	return with
}

// work does what was set: the smallest number that fits, and one that does not.
func work(w *portal.Work) (right, wrong string) {
	text := append([]byte(w.Token), ':')
	for n := uint64(0); ; n++ {
		text = strconv.AppendUint(text[:len(w.Token)+1], n, 10)
		sum := sha256.Sum256(text)
		if bits.LeadingZeros64(binary.BigEndian.Uint64(sum[:])) >= w.Bits {
			return strconv.FormatUint(n, 10), strconv.FormatUint(n+1, 10)
		}
	}
}

func TestABrowserAsksOnceFreelyAndThenProvesThatAPersonDoes(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		flow := portal.NewFlow()
		p.sent(p.browsing(1, flow))
		_, err := p.ask(p.browsing(1, flow))
		refused(t, err, portal.CodeAlreadySent) // while the countdown runs there is nothing to prove
		set := p.due(p.browsing(2, flow), portal.AnswerRequired)
		right, wrong := work(set.Work)

		for name, c := range map[string][2]string{
			"a wrong one": {set.Work.Token, wrong}, "none": {set.Work.Token, ""}, "with a zero before it": {set.Work.Token, "0" + right}, "with a sign": {set.Work.Token, "+" + right},
			"no token": {"", right}, "a tampered token": {set.Work.Token[:len(set.Work.Token)-2] + "AA", right}, "a question's token": {set.Question.Token, right},
			"beyond 48 bits": {set.Work.Token, "281474976710656"}, "a very long one": {set.Work.Token, strings.Repeat("9", 1<<16)},
		} {
			in := p.browsing(2, flow)
			in.Proof, in.Work = c[0], c[1]
			if t.Failed() {
				t.Fatal(name)
			}
			p.due(in, portal.AnswerRequired)
		}
		foreign := portal.NewFlow()
		p.sent(p.browsing(3, foreign))
		in := p.browsing(4, foreign)
		in.Proof, in.Work = set.Work.Token, right
		p.due(in, portal.AnswerRequired)

		in = p.browsing(2, flow)
		in.Proof, in.Work = set.Work.Token, right
		p.clock.advance(portal.QuestionLife + time.Second)
		set = p.due(in, portal.AnswerRequired)
		in.Proof = set.Work.Token
		in.Work, _ = work(set.Work)
		p.clock.advance(portal.QuestionLife)
		p.sent(in)
		in.Phone = p.browsing(5, flow).Phone // the same proof again
		p.due(in, portal.AnswerRequired)
	})
}

func TestABrowserWithoutScriptsAnswersAQuestionInstead(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		flow, foreign := portal.NewFlow(), portal.NewFlow()
		p.sent(p.browsing(1, flow))
		p.sent(p.browsing(2, foreign))
		q := p.due(p.browsing(3, flow), portal.AnswerRequired).Question
		answer := strconv.Itoa(q.A + q.B)
		for name, c := range map[string]struct {
			flow, token, answer string
			want                portal.Problem
		}{
			"wrong": {flow, q.Token, strconv.Itoa(q.A + q.B + 1), portal.AnswerWrong}, "nothing": {flow, q.Token, "", portal.AnswerRequired}, "no token": {flow, "", answer, portal.AnswerWrong},
			"another browser's": {foreign, q.Token, answer, portal.AnswerWrong},
		} {
			in := p.browsing(4, c.flow)
			in.Question, in.Answer = c.token, c.answer
			if t.Failed() {
				t.Fatal(name)
			}
			p.due(in, c.want)
		}
		in := p.browsing(3, flow)
		in.Question, in.Answer = q.Token, " "+answer+" "
		p.sent(in)
		in = p.browsing(5, flow)
		in.Question, in.Answer = q.Token, answer
		p.due(in, portal.AnswerWrong)
		p.clock.advance(24*time.Hour + time.Millisecond)
		p.sent(p.browsing(6, flow)) // the next day begins anew
	})
}

func TestAProofServesOneOfManyAsksAtOnce(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		flow := portal.NewFlow()
		p.sent(p.browsing(1, flow))
		q := p.due(p.browsing(2, flow), portal.AnswerRequired).Question
		var group sync.WaitGroup
		for i := range 10 {
			in := p.browsing(10+i, flow)
			in.Question, in.Answer = q.Token, strconv.Itoa(q.A+q.B)
			group.Go(func() { _, _ = p.AskCode(p.from(fmt.Sprintf("198.51.100.%d", i)), in) })
		}
		group.Wait()
		if n := len(p.sms.codes()) - 1; n != 1 {
			t.Errorf("one answer sent %d messages", n)
		}
	})
}

func TestFromTheFourthAskOfAnAddressAFreshBrowserProvesToo(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		for n := range 3 {
			p.sent(p.browsing(n, portal.NewFlow()))
		}
		p.due(p.browsing(10, portal.NewFlow()), portal.AnswerRequired)
		_, err := p.AskCode(p.from("198.51.100.1"), p.browsing(11, portal.NewFlow()))
		noError(t, err)
		p.clock.advance(time.Hour + time.Millisecond)
		p.sent(p.browsing(12, portal.NewFlow()))
	})
}

func TestAProgramIsAskedForNoProof(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		flow := portal.NewFlow()
		for n := range 6 {
			in := p.browsing(n, flow)
			in.Browser = false
			p.sent(in)
		}
	})
}

// Providers that fail.

func TestWhatAProviderCannotSendCostsNothing(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		flow := portal.NewFlow()
		in := p.asking(portal.ForLogin, buyerPhone, flow)
		in.Browser = true
		p.sms.failWith(errProvider)
		for range 2 * portal.MessagesAddressHour {
			_, err := p.ask(in)
			if with := refused(t, err, portal.SMSUnavailable); with.Wait != 0 {
				t.Errorf("the wait is %v", with.Wait)
			}
			if _, pending, err := p.PendingCode(t.Context(), flow, portal.ForLogin); err != nil || pending {
				t.Fatalf("a code is pending: %v, %v", pending, err)
			}
		}
		p.sms.failWith(nil)
		code := p.sent(in)
		if p.sms.refused != 2*portal.MessagesAddressHour || p.log.count(`"sms failed"`) != p.sms.refused {
			t.Errorf("%d asks reached the provider, the log tells of %d", p.sms.refused, p.log.count(`"sms failed"`))
		}
		_, err := p.codeLogin(p.withCode(buyerPhone, code, flow))
		noError(t, err)
		for range portal.MessagesPhoneHour - 1 {
			p.clock.advance(portal.DefaultResend)
			p.sent(p.asking(portal.ForLogin, buyerPhone, flow))
		}
	})
}

func TestWithoutAProviderEveryAskSaysSo(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		p.restart(func(o *portal.Options) { o.SendSMS = nil })
		_, err := p.ask(p.asking(portal.ForLogin, buyerPhone, portal.NewFlow()))
		refused(t, err, portal.SMSUnavailable)
		p.signIn(accountHost, buyerPhone)
	})
}

func TestAMessageThatMayHaveBeenSentCountsAndItsCodeIsGood(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		flow := portal.NewFlow()
		p.sms.failWith(fmt.Errorf("%w: no answer in time", portal.ErrMaybeSent))
		code := p.sent(p.asking(portal.ForLogin, buyerPhone, flow))
		_, err := p.ask(p.asking(portal.ForLogin, buyerPhone, flow))
		refused(t, err, portal.CodeAlreadySent)
		_, err = p.codeLogin(p.withCode(buyerPhone, code, flow))
		noError(t, err)
		for range portal.MessagesPhoneHour - 1 {
			p.clock.advance(portal.DefaultResend)
			p.sent(p.asking(portal.ForLogin, buyerPhone, flow))
		}
		p.clock.advance(portal.DefaultResend)
		p.over(func() error { _, err := p.ask(p.asking(portal.ForLogin, buyerPhone, flow)); return err })
	})
}

func TestAsksAtOnceWhileTheProviderFailsAreAllToldWhatHappened(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		p.sms.failWith(errProvider)
		for range 5 {
			var group sync.WaitGroup
			for i := range 10 {
				in := p.asking(portal.ForLogin, buyerPhone, portal.NewFlow())
				group.Go(func() {
					_, err := p.AskCode(p.from(fmt.Sprintf("198.51.100.%d", i)), in)
					if !errors.Is(err, portal.SMSUnavailable) && !errors.Is(err, portal.CodeAlreadySent) {
						t.Errorf("%v", err)
					}
				})
			}
			group.Wait()
		}
		p.sms.failWith(nil)
		p.sent(p.asking(portal.ForLogin, buyerPhone, portal.NewFlow()))
	})
}

func TestAPersonWhoHangsUpHasTheCodeAllTheSame(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		flow := portal.NewFlow()
		ctx, hangUp := context.WithCancel(p.from(homeAddress))
		p.restart(func(o *portal.Options) {
			o.SendSMS = func(inner context.Context, m portal.Message) error {
				hangUp()
				if err := inner.Err(); err != nil {
					return err
				}
				return p.sms.send(inner, m)
			}
		})
		_, err := p.AskCode(ctx, p.asking(portal.ForLogin, buyerPhone, flow))
		noError(t, err)
		_, err = p.codeLogin(p.withCode(buyerPhone, p.sms.codes()[0].Code, flow))
		noError(t, err)
	})
}

// What a message says.

func TestAMessageCarriesTheCodeAndNothingMore(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		in := p.asking(portal.ForLogin, manyPhone, portal.NewFlow())
		in.Place, in.CompanyID, in.Lang = p.place("store1001.portico.test"), 1001, "es"
		code := p.sent(in)
		m := p.sms.codes()[0]
		if m.ID == "" || m != (portal.Message{ID: m.ID, Phone: manyPhone, Purpose: portal.ForLogin, Code: code, Lang: "es", Company: "金穗粮油", Host: "store1001.portico.test"}) {
			t.Errorf("%+v", m)
		}
		p.sent(p.asking(portal.ForLogin, buyerPhone, portal.NewFlow()))
		other := p.sms.codes()[1]
		if other.ID == m.ID || other.Company != "" || other.Host != accountHost {
			t.Errorf("%+v", other)
		}
	})
}

func TestTheHostInAMessageIsNeverTheRequests(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		in := p.asking(portal.ForLogin, buyerPhone, portal.NewFlow())
		in.Place = p.place("evil.test")
		p.sent(in)
		if host := p.sms.codes()[0].Host; strings.Contains(host, "evil") {
			t.Errorf("phones are told to offer the code to %s", host)
		}
	})
}

func TestACompanysNameInAMessageLooksLikeNothingElse(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		place := p.place("store1001.portico.test")
		for i, c := range []struct{ name, want string }{
			{"金穗粮油", "金穗粮油"}, {"Mariscos del Sur", "Mariscos del Sur"}, {"【免费】http://evil.test", "免费httpeviltest"}, {strings.Repeat("长", 300), strings.Repeat("长", 20)}, {"甲\n乙\r\n丙", "甲乙丙"},
			{"🐟 Fisch 🎣", "Fisch"}, {"\u202eabc\u200b", "abc"}, {"#@/.:", ""}, {"", ""}, {"  A  ", "A"},
		} {
			company := *place.Company
			company.Name = c.name
			in := p.asking(portal.ForReset, fmt.Sprintf("138000000%02d", i+1), portal.NewFlow())
			if i > 9 {
				t.Fatal("more names than phones")
			}
			in.Place = place
			in.Place.Company = &company
			p.sent(in)
			if got := p.sms.codes()[i].Company; got != c.want || utf8.RuneCountInString(got) > 20 {
				t.Errorf("%q becomes %q, want %q", c.name, got, c.want)
			}
		}
	})
}

func TestACompanysNameInAMessageIsNoSecondCode(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		digits := regexp.MustCompile(`\p{Nd}[ \p{Nd}]{4,}\p{Nd}`)
		for i, name := range []string{"验证码888888", "Code 888 888", "验证码８８８８８８", "888-888"} {
			company := *p.place("store1001.portico.test").Company
			company.Name = name
			in := p.asking(portal.ForReset, fmt.Sprintf("138000000%02d", i+1), portal.NewFlow())
			in.Place.Company = &company
			p.sent(in)
			if got := p.sms.codes()[i].Company; digits.MatchString(got) {
				t.Errorf("%q becomes %q", name, got)
			}
		}
	})
}

// Who gets nothing.

func TestNobodyWhomACodeDoesNotConcernIsSentOne(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		before := p.counters()
		byName := func(login string) portal.AskCodeInput {
			in := p.asking(portal.ForReset, "", portal.NewFlow())
			in.Login = login
			return in
		}
		inCompany := func(purpose portal.Purpose, company int64) portal.AskCodeInput {
			in := p.asking(purpose, newPhone, portal.NewFlow())
			in.CompanyID = company
			return in
		}
		for _, c := range []struct {
			in       portal.AskCodeInput
			want     portal.Refusal
			contacts string // the first one's phone
		}{
			{p.asking(portal.ForLogin, newPhone, portal.NewFlow()), portal.PhoneNotBound, "13700000500"}, {p.asking(portal.ForLogin, unboundPhone, portal.NewFlow()), portal.PhoneNotBound, "13700000500"},
			{p.asking(portal.ForReset, newPhone, portal.NewFlow()), portal.PhoneNotBound, "13700000500"}, {p.asking(portal.ForRegister, buyerPhone, portal.NewFlow()), portal.PhoneRegistered, ""},
			{p.asking(portal.ForRegister, unboundPhone, portal.NewFlow()), portal.PhoneRegistered, ""}, {byName("nobody"), portal.AccountNotFound, "13700000500"},
			{byName("nophone"), portal.PhoneNotBound, "13700000001"}, {byName("a\u202eb"), portal.ValidationFailed, ""}, {inCompany(portal.ForShopRegister, 0), portal.ValidationFailed, ""},
			{inCompany(portal.ForShopRegister, 9999), portal.NotFound, ""}, {inCompany(portal.ForShopRegister, 1004), portal.CompanyDisabled, ""}, {inCompany(portal.ForApplication, 1003), portal.RegistrationClosed, "13700000003"},
			{inCompany(portal.ForApplication, 1006), portal.CompanyExpired, ""},
		} {
			_, err := p.ask(c.in)
			if with := refused(t, err, c.want); c.contacts != "" && (len(with.Contacts) == 0 || with.Contacts[0].Phone != c.contacts) {
				t.Errorf("%s %s%s: %+v", c.in.Purpose, c.in.Phone, c.in.Login, with.Contacts)
			}
		}
		if n := len(p.sms.messages()); n != 0 || p.counters() != before {
			t.Errorf("%d were sent, or something counted", n)
		}
		p.sent(p.asking(portal.ForReset, unboundPhone, portal.NewFlow())) // it is registered
		p.sent(p.asking(portal.ForRegister, newPhone, portal.NewFlow()))
		p.sent(inCompany(portal.ForApplication, 1001))
	})
}

func TestAsksAboutUnknownPhonesAndNamesDrawOnTheBudgetOfLookUps(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		named := p.asking(portal.ForReset, "", portal.NewFlow())
		for n := range portal.LookupLimit {
			in := p.asking([]portal.Purpose{portal.ForLogin, portal.ForReset}[n%2], fmt.Sprintf("139%08d", n), portal.NewFlow())
			_, err := p.ask(in)
			refused(t, err, portal.PhoneNotBound)
		}
		named.Login = "nobody"
		for _, in := range []portal.AskCodeInput{p.asking(portal.ForLogin, newPhone, portal.NewFlow()), p.asking(portal.ForRegister, buyerPhone, portal.NewFlow()), named} {
			_, err := p.ask(in)
			refused(t, err, portal.TooManyAttempts)
		}
		if n := p.events(0, "probe"); n != 1 {
			t.Errorf("%d events", n)
		}
		p.sent(p.asking(portal.ForLogin, buyerPhone, portal.NewFlow()))
	})
}

func TestInStrictPrivacyKnownAndUnknownPhonesAreAnsweredAlike(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		for i, purpose := range []portal.Purpose{portal.ForLogin, portal.ForReset, portal.ForRegister, portal.ForExperience} {
			sent := p.events(0, "code_sent")
			for _, phone := range []string{buyerPhone, newPhone} {
				in := p.asking(purpose, phone, portal.NewFlow())
				for _, again := range []bool{false, true} {
					got, err := p.AskCode(p.from(fmt.Sprintf("198.51.100.%d", i)), in)
					if again {
						if with := outcome(t, err); !reflect.DeepEqual(with, portal.Refused{Refusal: portal.CodeAlreadySent, Wait: time.Minute}) {
							t.Errorf("%s %s again: %+v", purpose, phone, with)
						}
					} else if err != nil || got != (portal.CodeSent{ResendAfter: time.Minute}) {
						t.Errorf("%s %s: %+v, %v", purpose, phone, got, err)
					}
				}
				if pending, ok, err := p.PendingCode(t.Context(), in.Flow, purpose); err != nil || !ok || pending.Phone != phone {
					t.Errorf("%s %s: pending %+v, %v, %v", purpose, phone, pending, ok, err)
				}
			}
			want := map[portal.Purpose][]string{portal.ForLogin: {buyerPhone}, portal.ForReset: {buyerPhone}, portal.ForRegister: {buyerPhone, newPhone}, portal.ForExperience: {buyerPhone, newPhone}}[purpose]
			for range want {
				p.arrive()
			}
			var got []string
			for _, m := range p.sms.codes() {
				if m.Purpose == purpose {
					got = append(got, m.Phone)
				}
			}
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("%s was sent to %v, want %v", purpose, got, want)
			}
			if n := p.events(0, "code_sent") - sent; n != 2 {
				t.Errorf("%d audit events", n)
			}
		}
	}, strict)
}

func TestInStrictPrivacyACodeThatWasNeverSentIsWrongLikeAnyOther(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		flow := portal.NewFlow()
		var first []portal.Refused
		for _, phone := range []string{buyerPhone, newPhone} {
			_, err := p.ask(p.asking(portal.ForLogin, phone, flow))
			noError(t, err)
			_, err = p.ask(p.asking(portal.ForReset, phone, flow))
			noError(t, err)
			if phone == buyerPhone {
				p.arrive()
				p.arrive()
			}
			codes := map[portal.Purpose]string{}
			for _, m := range p.sms.codes() {
				codes[m.Purpose] = otherThan(m.Code)
			}
			var got []portal.Refused
			for range portal.CodeTries + 1 {
				_, err = p.codeLogin(p.withCode(phone, codes[portal.ForLogin], flow))
				got = append(got, outcome(t, err), outcome(t, p.reset(p.resetting(phone, codes[portal.ForReset], flow))))
			}
			if first == nil {
				first = got
			} else if !reflect.DeepEqual(got, first) {
				t.Errorf("unknown %+v\nknown %+v", got, first)
			}
		}
	}, strict)
}

func TestInStrictPrivacyNamesAreAnsweredAlike(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		var first portal.CodeSent
		for i, login := range []string{"buyer1", "nophone", "nobody", "nobod"} {
			in := p.asking(portal.ForReset, "", portal.NewFlow())
			in.Login = login
			got, err := p.ask(in)
			noError(t, err)
			if i == 0 {
				first = got
				p.arrive()
			} else if got != first {
				t.Errorf("%s: %+v, one with a phone: %+v", login, got, first)
			}
			_, err = p.ask(in)
			refused(t, err, portal.CodeAlreadySent)
			pending, ok, err := p.PendingCode(t.Context(), in.Flow, portal.ForReset)
			if err != nil || !ok || !pending.Hidden {
				t.Errorf("%s: pending %+v, %v, %v", login, pending, ok, err)
			}
			if shown := portal.MaskPhone(pending.Phone); shown != "" && i > 0 {
				t.Errorf("%s: the page would show %q as its phone", login, shown)
			}
			reset := p.resetting("", "000000", in.Flow)
			reset.Login = login
			if err := p.reset(reset); !errors.Is(err, portal.CodeWrong) {
				t.Errorf("%s: %v", login, err)
			}
		}
		if n := len(p.sms.codes()); n != 1 {
			t.Errorf("%d were sent", n)
		}
	}, strict)
}

func TestInStrictPrivacyTheBudgetOfLookUpsTellsNothing(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		for n := range portal.LookupLimit {
			_, err := p.ask(p.asking(portal.ForLogin, fmt.Sprintf("139%08d", n), portal.NewFlow()))
			noError(t, err)
		}
		_, known := p.ask(p.asking(portal.ForLogin, buyerPhone, portal.NewFlow()))
		_, unknown := p.ask(p.asking(portal.ForLogin, newPhone, portal.NewFlow()))
		if (known == nil) != (unknown == nil) {
			t.Errorf("a known phone: %v, an unknown one: %v", known, unknown)
		}
	}, strict)
}

func TestInStrictPrivacyAFailingProviderTellsNothing(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		p.sms.failWith(errProvider)
		var got []error
		for _, phone := range []string{buyerPhone, newPhone} {
			in := p.asking(portal.ForLogin, phone, portal.NewFlow())
			_, err := p.ask(in)
			noError(t, err)
			if phone == buyerPhone {
				p.arrive()
				p.settle()
			}
			_, err = p.ask(in)
			got = append(got, err)
		}
		if errors.Is(got[0], portal.CodeAlreadySent) != errors.Is(got[1], portal.CodeAlreadySent) {
			t.Errorf("asked again at once, a known phone: %v, an unknown one: %v", got[0], got[1])
		}
	}, strict)
}

func TestStoppingWaitsForCodesOnTheirWay(t *testing.T) {
	for name, privacy := range map[string]bool{"spec": false, "strict": true} {
		t.Run(name, func(t *testing.T) {
			eachCare(t, func(t *testing.T, p *carer) {
				begun, finish := make(chan struct{}), make(chan struct{})
				p.restart(func(o *portal.Options) {
					o.SendSMS = func(ctx context.Context, m portal.Message) error {
						close(begun)
						<-finish
						return p.sms.send(ctx, m)
					}
				})
				asked := make(chan error, 1)
				go func() {
					_, err := p.ask(p.asking(portal.ForLogin, buyerPhone, portal.NewFlow()))
					asked <- err
				}()
				<-begun
				stopped := make(chan int, 1)
				if privacy { // else the request itself waits
					noError(t, <-asked)
					go func() { p.Stop(context.Background()); stopped <- len(p.sms.codes()) }()
				}
				time.AfterFunc(50*time.Millisecond, func() { close(finish) })
				if !privacy {
					noError(t, <-asked)
				} else if n := <-stopped; n != 1 {
					t.Errorf("stopped with %d messages sent", n)
				}
			}, func(o *portal.Options) { o.Strict = privacy })
		})
	}
}
