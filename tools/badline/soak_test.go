package badline_test

import (
	"fmt"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"sync"
	"testing"

	"portico/e2e/testscope"
	"portico/store"
)

const (
	soakPeople     = 300 // in make test-all; PORTICO_SOAK asks for another number
	soakAtOnce     = 8
	soakShare      = 0.3 // share of the responses that are lost
	soakPatience   = 12  // how often a person sends the same request again
	soakSeed       = 2026
	soakPeopleFast = 40 // in make test
)

// personTB replaces *testing.T in the goroutine of one person: a fatal error ends only that person.
type personTB struct{ testing.TB }

func (s personTB) Fatal(args ...any) {
	s.Helper()
	s.Error(args...)
	runtime.Goexit()
}

func (s personTB) Fatalf(format string, args ...any) {
	s.Helper()
	s.Errorf(format, args...)
	runtime.Goexit()
}

// soakPerson is one person on a connection that loses a third of all responses.
type soakPerson struct {
	*scene
	t       testing.TB
	company testCompany
}

func TestPeopleFinishWhileAThirdOfResponsesIsLost(t *testing.T) {
	people := soakPeople
	if !testscope.All() {
		people = soakPeopleFast
	}
	if n, err := strconv.Atoi(os.Getenv("PORTICO_SOAK")); err == nil && n > 0 {
		people = n
	}
	s := newSite(t)
	company := s.newCompany(t)
	kinds := []func(*soakPerson){soakRegister, soakSignIn, soakOrder, soakApply}
	slots := make(chan struct{}, soakAtOnce)
	var running sync.WaitGroup
	var mu sync.Mutex
	done, hits, seen := 0, 0, 0
	for i := range people {
		slots <- struct{}{}
		running.Go(func() {
			defer func() { <-slots }()
			b := newBrowser(personTB{t}, s, phoneAgent)
			b.proxy.LoseAtRandom(soakShare, uint64(soakSeed+i))
			x := &soakPerson{scene: &scene{t: t, s: s, b: b}, t: b.t, company: company}
			kinds[i%len(kinds)](x)
			mu.Lock()
			defer mu.Unlock()
			lost, of := b.proxy.Hits()
			done, hits, seen = done+1, hits+lost, seen+of
		})
	}
	running.Wait()
	t.Logf("%d of %d people finished; %d of %d responses were lost", done, people, hits, seen)
	if done != people {
		t.Errorf("%d people did not finish", people-done)
	}
	if share := float64(hits) / float64(max(seen, 1)); share < 0.2 || share > 0.4 {
		t.Errorf("%.0f %% of the responses were lost, want about 30", 100*share)
	}
}

// retry sends a request, and again until a response arrives, like a person. A server that says that it is busy is asked
// again, too.
func (x *soakPerson) retry(send func() (*page, error)) *page {
	x.t.Helper()
	p, err := send()
	for range soakPatience {
		if err != nil {
			p, err = x.b.resend()
		} else if p.status == http.StatusServiceUnavailable {
			p, err = send()
		} else {
			break
		}
	}
	if err != nil {
		x.t.Fatalf("%d times without an answer: %v", soakPatience+1, err)
	}
	messages := texts(x.t)
	switch {
	case p.url.Path == "/jumperror" || p.isSignedOut():
		x.t.Fatalf("the person is signed out or at an error page: %s", p.summary())
	case containsAny(p.text(), []string{messages["error.code_expired"], messages["error.code_wrong"]}):
		x.t.Fatalf("a valid code is refused: %s", p.summary())
	case p.status >= 500:
		x.t.Fatalf("an internal error: %s", p.summary())
	}
	return p
}

// visit opens a page.
func (x *soakPerson) visit(host, path string) *page {
	x.t.Helper()
	return x.retry(func() (*page, error) { return x.b.get(x.s.at(host, path)) })
}

// send sends a form.
func (x *soakPerson) send(f *form, button string) *page {
	x.t.Helper()
	return x.retry(func() (*page, error) { return x.b.send(f.request(button)) })
}

// prove requests a code and returns it with the page that accepts it.
func (x *soakPerson) prove(host, path, phone string) (code string, p *page) {
	x.t.Helper()
	p = x.send(x.visit(host, path).form("action=send_code").fill("phone", phone), "action=send_code")
	if code = x.s.code(x.t, phone); code == "" {
		x.t.Fatalf("no code arrived: %s", p.summary())
	}
	return code, p
}

// wantOne fails the test unless a query counts exactly one row. what names the row in the message.
func (x *soakPerson) wantOne(what, query string, args ...any) {
	x.t.Helper()
	if n := x.s.count(x.t, query, args...); n != 1 {
		x.t.Fatalf("%s is there %d times", what, n)
	}
}

// wantPage fails the test unless the page has a path.
func (x *soakPerson) wantPage(p *page, path string) {
	x.t.Helper()
	if p.url.Path != path {
		x.t.Fatalf("the person ends at %s, want %s", p.summary(), path)
	}
}

func soakRegister(x *soakPerson) {
	phone := newPhone()
	code, p := x.prove("account", "/register", phone)
	p = x.send(p.form("company_name").fill("phone", phone, "code", code, "password", newPassword, "name", "Ana",
		"company_name", "Soaked "+phone, "agree", "1"), "")
	x.wantPage(p, "/register/init")
	x.wantOne("the company", "SELECT COUNT(*) FROM companies WHERE name = ?", "Soaked "+phone)
	x.wantPage(x.visit("account", "/register/init"), "/register/init")
}

func soakSignIn(x *soakPerson) {
	who := x.company.addAccount(x.t, store.TypeShop, newPhone())
	x.wantPage(x.send(x.visit("account", "/login").form("password").fill("phone", who.phone, "password", password), ""),
		"/shop")
	x.wantPage(x.visit("m", "/shop"), "/shop")
}

func soakOrder(x *soakPerson) {
	who := x.company.addAccount(x.t, store.TypeShop, newPhone())
	p := x.send(x.visit("account", "/login").form("password").fill("phone", who.phone, "password", password), "")
	x.wantPage(p, "/shop")
	product := fmt.Sprint(x.company.productID)
	x.wantPage(x.send(p.form("quantity_"+product).fill("quantity_"+product, "2"), ""), "/shop")
	x.wantPage(x.send(x.visit("m", "/shop/cart").form("seen_"+product), "action=order"), "/shop/orders")
	x.wantOne("the order", "SELECT COUNT(*) FROM orders WHERE account_id = ?", who.accountID)
}

func soakApply(x *soakPerson) {
	phone := newPhone()
	code, p := x.prove(x.company.host(), "/register/more", phone)
	p = x.send(p.form("code").fill("phone", phone, "code", code), "")
	p = x.send(p.form("company_name").fill("company_name", "Soaked", "contact_name", "Wang", "address",
		fmt.Sprint("Street ", phone), "reason", "Near"), "")
	x.wantPage(p, "/register/result")
	x.wantOne(
		"the application",
		"SELECT COUNT(*) FROM applications WHERE company_id = ? AND phone = ?",
		x.company.id,
		phone,
	)
}
