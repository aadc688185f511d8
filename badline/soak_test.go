package badline_test

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"portico/store"
)

const (
	soakPeople     = 300 // PORTICO_SOAK asks for another number
	soakAtOnce     = 8
	soakShare      = 0.3 // share of the responses that are lost
	soakPatience   = 12  // how often a person sends the same request again
	soakSeed       = 2026
	soakPeopleFast = 60 // with -short
)

// soaker replaces *testing.T in the goroutine of one person: a fatal error ends only that person.
type soaker struct{ testing.TB }

func (s soaker) Fatal(args ...any) {
	s.Helper()
	s.Error(args...)
	runtime.Goexit()
}

func (s soaker) Fatalf(format string, args ...any) {
	s.Helper()
	s.Errorf(format, args...)
	runtime.Goexit()
}

// soaking is one person on a connection that loses a third of all responses.
type soaking struct {
	*scene
	t testing.TB
	h house
}

func TestPeopleFinishWhileAThirdOfResponsesIsLost(t *testing.T) {
	people := soakPeople
	if testing.Short() {
		people = soakPeopleFast
	}
	if n, err := strconv.Atoi(os.Getenv("PORTICO_SOAK")); err == nil && n > 0 {
		people = n
	}
	s := newSite(t)
	h := s.newHouse(t)
	kinds := []func(*soaking){soakRegister, soakSignIn, soakOrder, soakApply}
	places := make(chan struct{}, soakAtOnce)
	var all sync.WaitGroup
	var mu sync.Mutex
	done, hits, seen := 0, 0, 0
	for i := range people {
		places <- struct{}{}
		all.Go(func() {
			defer func() { <-places }()
			b := newBrowser(soaker{t}, s, phoneAgent)
			b.proxy.LoseAtRandom(soakShare, uint64(soakSeed+i))
			x := &soaking{scene: &scene{t: t, s: s, b: b}, t: b.t, h: h}
			kinds[i%len(kinds)](x)
			mu.Lock()
			defer mu.Unlock()
			lost, of := b.proxy.Hits()
			done, hits, seen = done+1, hits+lost, seen+of
		})
	}
	all.Wait()
	t.Logf("%d of %d people got done what they wanted; %d of %d answers were lost", done, people, hits, seen)
	if done != people {
		t.Errorf("%d people did not get done what they wanted", people-done)
	}
	if share := float64(hits) / float64(max(seen, 1)); share < 0.2 || share > 0.4 {
		t.Errorf("%.0f %% of the answers were lost, want about 30", 100*share)
	}
}

// persist sends the same request again until a response arrives, like a person.
func (x *soaking) persist(p *page, err error) *page {
	x.t.Helper()
	for range soakPatience {
		if err == nil {
			break
		}
		p, err = x.b.again()
	}
	if err != nil {
		x.t.Fatalf("%d times without an answer: %v", soakPatience+1, err)
	}
	said := texts(x.t)
	switch {
	case p.url.Path == "/jumperror" || p.isThrownOut():
		x.t.Fatalf("a person is thrown out: %s", p.summary())
	case strings.Contains(p.text(), said["error.code_expired"]) || strings.Contains(p.text(), said["error.code_wrong"]):
		x.t.Fatalf("a right code is refused: %s", p.summary())
	case p.status >= 500:
		x.t.Fatalf("an internal error: %s", p.summary())
	}
	return p
}

func (x *soaking) visit(host, path string) *page {
	x.t.Helper()
	return x.persist(x.b.get(x.s.at(host, path)))
}

func (x *soaking) send(f *form, button string) *page {
	x.t.Helper()
	return x.persist(x.b.send(f.request(button)))
}

// prove asks for a code and returns it with the page that accepts it.
func (x *soaking) prove(host, path, phone string) (code string, p *page) {
	x.t.Helper()
	p = x.send(x.visit(host, path).form("action=send_code").fill("phone", phone), "action=send_code")
	if code = x.s.code(x.t, phone); code == "" {
		x.t.Fatalf("no code arrived: %s", p.summary())
	}
	return code, p
}

func (x *soaking) wantOne(what, query string, args ...any) {
	x.t.Helper()
	if n := x.s.count(x.t, query, args...); n != 1 {
		x.t.Fatalf("%s is there %d times", what, n)
	}
}

func (x *soaking) wantPage(p *page, path string) {
	x.t.Helper()
	if p.url.Path != path {
		x.t.Fatalf("the person ends at %s, want %s", p.summary(), path)
	}
}

func soakRegister(x *soaking) {
	phone := newPhone()
	code, p := x.prove("account", "/register", phone)
	p = x.send(p.form("company_name").fill("phone", phone, "code", code, "password", newPassword, "name", "Ana",
		"company_name", "Soaked "+phone, "agree", "1"), "")
	x.wantPage(p, "/register/init")
	x.wantOne("the company", "SELECT COUNT(*) FROM companies WHERE name = ?", "Soaked "+phone)
	x.wantPage(x.visit("account", "/register/init"), "/register/init")
}

func soakSignIn(x *soaking) {
	who := x.h.add(x.t, store.TypeShop, newPhone())
	x.wantPage(x.send(x.visit("account", "/login").form("password").fill("phone", who.phone, "password", password), ""),
		"/shop")
	x.wantPage(x.visit("m", "/shop"), "/shop")
}

func soakOrder(x *soaking) {
	who := x.h.add(x.t, store.TypeShop, newPhone())
	p := x.send(x.visit("account", "/login").form("password").fill("phone", who.phone, "password", password), "")
	x.wantPage(p, "/shop")
	x.wantPage(x.send(p.form("product_id").fill("quantity", "2"), ""), "/shop/orders")
	x.wantOne("the order", "SELECT COUNT(*) FROM orders WHERE account_id = ?", who.accountID)
}

func soakApply(x *soaking) {
	phone := newPhone()
	code, p := x.prove(x.h.host(), "/register/more", phone)
	p = x.send(p.form("code").fill("phone", phone, "code", code), "")
	p = x.send(p.form("company_name").fill("company_name", "Soaked", "contact_name", "Wang", "address",
		fmt.Sprint("Street ", phone), "reason", "Near"), "")
	x.wantPage(p, "/register/result")
	x.wantOne("the application", "SELECT COUNT(*) FROM applications WHERE company_id = ? AND phone = ?", x.h.id, phone)
}
