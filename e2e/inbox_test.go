package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"portico/store"
)

// newcomer is someone no other test knows: an account of company 1001's mall and a phone, with the demo's
// password both.
type newcomer struct {
	phone, login, name string
	phoneID, accountID int64
}

var newcomers atomic.Int64

// register adds a newcomer whose phone is bound to the account.
func (s *site) register(t *testing.T) newcomer {
	t.Helper()
	db, who := s.seed(t), s.nameless()
	like, err := db.PhoneByNumber(t.Context(), "13800000001")
	if err == nil {
		who.phoneID, err = db.AddPhone(t.Context(), store.Phone{Phone: who.phone, PasswordHash: like.PasswordHash, CreatedAt: store.At(time.Now())})
	}
	if err != nil {
		t.Fatal(err)
	}
	return s.hire(t, who)
}

// enroll adds a newcomer whose account has no phone; nobody registered the one named.
func (s *site) enroll(t *testing.T) newcomer {
	t.Helper()
	return s.hire(t, s.nameless())
}

// another adds one more account to a newcomer's phone.
func (s *site) another(t *testing.T, who newcomer) newcomer {
	t.Helper()
	second := s.nameless()
	second.phone, second.phoneID = who.phone, who.phoneID
	return s.hire(t, second)
}

func (s *site) nameless() newcomer {
	number := newPhone()
	return newcomer{phone: number, login: "guest-" + number[7:], name: "来客" + number[7:]}
}

// newPhone is a number that nobody registered.
func newPhone() string { return fmt.Sprintf("1390000%04d", newcomers.Add(1)) }

func (s *site) hire(t *testing.T, who newcomer) newcomer {
	t.Helper()
	db := s.seed(t)
	like, err := db.MembersByLogin(t.Context(), "nophone")
	if err != nil || len(like) != 1 {
		t.Fatal(len(like), err)
	}
	account := like[0].Account
	account.ID, account.Login, account.Name, account.PhoneID = 0, who.login, who.name, who.phoneID
	if who.accountID, err = db.AddAccount(t.Context(), account); err != nil || who.accountID == 0 {
		t.Fatal(who.accountID, err)
	}
	return who
}

// landing is where a newcomer arrives.
func (n newcomer) landing(on screen) arrival {
	if on.mobile {
		return arrival{"m", "/shop", n.name, "金穗粮油"}
	}
	return arrival{"store1001", "/home", n.name, "金穗粮油"}
}

func grouped(number string) string { return number[:3] + " " + number[3:7] + " " + number[7:] }
func masked(number string) string  { return number[:3] + "****" + number[7:] }

// message is one that was sent, as the inbox of development gives it.
type message struct{ Phone, Purpose, Code, Text string }

// inbox reads the messages to a phone, or all for "", newest first.
func (s *site) inbox(number string) ([]message, error) {
	client := s.client()
	defer client.CloseIdleConnections()
	answer, err := client.Get(s.at("account", "/dev/inbox.json?phone="+number))
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return nil, errors.New("the inbox: " + answer.Status)
	}
	var list []message
	return list, json.NewDecoder(answer.Body).Decode(&list)
}

// codesSent are the codes of all messages.
func (s *site) codesSent() (codes []string, err error) {
	list, err := s.inbox("")
	for _, m := range list {
		if m.Code != "" {
			codes = append(codes, m.Code)
		}
	}
	return codes, err
}

// codesOf are those sent to a phone, newest first.
func (b *tab) codesOf(number string) []string {
	b.t.Helper()
	list, err := b.site.inbox(number)
	b.must(err)
	var codes []string
	for _, m := range list {
		if m.Code != "" {
			codes = append(codes, m.Code)
		}
	}
	return codes
}

var (
	counted = regexp.MustCompile(`"(time|request_id)":"[^"]*"|"\w+":\d+`) // numbers in a log that are no codes
	digits  = regexp.MustCompile(`\d+`)
)

// codesIn finds verification codes in a text or a log: they stand by themselves.
func codesIn(text string, codes []string) []string {
	var found []string
	for _, number := range digits.FindAllString(counted.ReplaceAllString(text, ""), -1) {
		if slices.Contains(codes, number) {
			found = append(found, number)
		}
	}
	return found
}

const (
	sendButton = `button[name=action][value=send_code]`
	careButton = `#care button[data-busy]:not([name])`
)

// askCode presses the button beside the code and gives the code that came. The page does not hold it.
func (b *tab) askCode(number string) string {
	b.t.Helper()
	before := len(b.codesOf(number))
	if b.plain || !scripted {
		b.follow(sendButton)
		b.wantStatus(200)
	} else {
		b.press(sendButton)
		b.await("the countdown", `s => document.querySelector(s).disabled`, sendButton)
	}
	return b.received(number, before+1)
}

// received gives a phone's newest code, of so many; nothing the browser holds tells it.
func (b *tab) received(number string, want int) string {
	b.t.Helper()
	codes := b.codesOf(number)
	if len(codes) != want {
		b.t.Fatalf("%d codes, want %d\n%s", len(codes), want, b.seen())
	}
	b.sent = append(b.sent, codes[0])
	held := ask[string](b, `() => document.documentElement.outerHTML + [...document.querySelectorAll("input")].map(e => e.value) + JSON.stringify([{...localStorage}, {...sessionStorage}])`)
	if len(codesIn(held, codes[:1])) > 0 {
		b.t.Errorf("%s tells the code", b.here())
	}
	return codes[0]
}

// enterCode types the code, which completes the form: scripts send it then.
func (b *tab) enterCode(code string) {
	b.t.Helper()
	if b.plain || !scripted {
		b.fill("code", code)
		b.follow(careButton)
		return
	}
	b.leave(func() { b.t.Helper(); b.fill("code", code) })
}

// wrong is another code.
func wrong(code string) string {
	return strings.Map(func(r rune) rune { return '0' + (r-'0'+1)%10 }, code)
}

// manner is how somebody meets a page.
type manner struct {
	on    screen
	plain bool // without scripts
}

// eachManner runs a test on a phone and a desktop, with scripts and without. The languages take turns, so that a
// test meets all of them.
func eachManner(t *testing.T, test func(b *tab, text func(key string) string)) {
	t.Helper()
	inManners(t, []manner{{phone, false}, {phone, true}, {desktop, false}, {desktop, true}}, test)
}

// crosswise is eachManner in half the time, for what either difference alone may change: with scripts on the one
// screen and without on the other.
func crosswise(t *testing.T, test func(b *tab, text func(key string) string)) {
	t.Helper()
	plain := len(t.Name())%2 == 1
	inManners(t, []manner{{phone, plain}, {desktop, !plain}}, test)
}

func inManners(t *testing.T, manners []manner, test func(b *tab, text func(key string) string)) {
	t.Helper()
	langs, turn := []string{"zh", "es", "en"}, len(t.Name())
	for i, m := range manners {
		what := map[bool]string{false: "with scripts", true: "without scripts"}[m.plain]
		t.Run(m.on.name+" "+what, func(t *testing.T) {
			b := newTab(t, normal, m.on)
			if m.plain {
				b.blockScripts()
			} else if !scripted {
				t.Skip("the scripts are not built: npm run build")
			}
			b.lang = langs[(turn+i)%len(langs)]
			b.forget()
			test(b, texts(t, b.lang))
		})
	}
}

func TestCodesAreFoundInALog(t *testing.T) {
	codes := []string{"123456", "012345"}
	for line, want := range map[string]int{
		`{"time":"2026-01-02T03:04:05.123456Z","msg":"request","request_id":"x-123456","micros":123456}`: 0,
		`{"msg":"security","detail":"login 123456"}`:                                                     1,
		`{"msg":"request","path":"/code/012345","bytes":123456}`:                                         1,
		`{"msg":"request","path":"/code/1234567"}`:                                                       0,
	} {
		if got := codesIn(line, codes); len(got) != want {
			t.Errorf("%s: %q", line, got)
		}
	}
}
