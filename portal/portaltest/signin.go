package portaltest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"testing"
	"time"

	"portico/portal"
	"portico/portal/access"
	"portico/portal/accounts"
	"portico/portal/entry"
	"portico/portal/landing"
	"portico/portal/limits"
	"portico/portal/onboarding"
	"portico/portal/ordering"
	"portico/portal/signin"
	"portico/store"
)

// WantDue checks whether a session is asked for a version.
func (p *Platform) WantDue(s access.Session, demanded string, want bool) {
	p.T.Helper()
	due, err := p.Accounts.AgreementDue(p.T.Context(), s, demanded)
	if NoError(p.T, err); due != want {
		p.T.Errorf("account %d, phone %d: asked for %s: %v", s.AccountID, s.PhoneID, demanded, due)
	}
}

// Listed writes a list as text: company, its manager and shop logins, and what blocks them.
func Listed(list []accounts.CompanyAccounts) (text []string) {
	for _, c := range list {
		line := fmt.Sprint(c.Company.ID)
		if c.Default {
			line += " default"
		}
		for _, a := range append(slices.Clone(c.Mgr), c.Shop...) {
			line += " " + string(a.Side) + ":" + a.Login
			if a.Blocked != "" {
				line += "(" + string(a.Blocked) + ")"
			}
		}
		text = append(text, line)
	}
	return text
}

// List reads the accounts of a session.
func (p *Platform) List(s store.Session) []accounts.CompanyAccounts {
	p.T.Helper()
	list, err := p.Accounts.Accounts(p.T.Context(), s)
	NoError(p.T, err)
	return list
}

// WantList checks the accounts of a session, each company as Listed writes it.
func (p *Platform) WantList(s store.Session, want ...string) {
	p.T.Helper()
	if got := Listed(p.List(s)); !slices.Equal(got, want) {
		p.T.Errorf("list %q, want %q", got, want)
	}
}

// Stored reads a session as the next request would find it.
func (p *Platform) Stored(signed signin.LoginResult, host string) store.Session {
	p.T.Helper()
	s, err := p.SignedIn(p.T.Context(), signed.Token, p.Place(host))
	NoError(p.T, err)
	return s
}

// AddAccount adds an account with the demo password to a phone.
func (p *Platform) AddAccount(login string, company int64, side store.Side, number string) store.Member {
	p.T.Helper()
	a := store.Account{CompanyID: company, Side: side, Type: store.TypeShop, Login: login, State: store.AccountActive,
		CreatedAt: store.At(p.Clock.Now()), PasswordHash: p.Account("buyer1").PasswordHash}
	if side == store.Mgr {
		a.Type = store.TypeEmployee
	}
	if number != "" {
		phone, err := p.Db.Phones.ByNumber(p.T.Context(), number)
		NoError(p.T, err)
		a.PhoneID = phone.ID
	}
	id, err := p.Db.Accounts.Add(p.T.Context(), a)
	NoError(p.T, err)
	m, err := p.Db.Accounts.ByID(p.T.Context(), company, id)
	NoError(p.T, err)
	return m
}

// Closings are the ways in which the company of an account, or the account itself, is closed after a sign-in.
func (p *Carer) Closings(login string) map[access.Refusal]func() {
	company := p.Account(login).CompanyID
	past := store.At(p.Clock.Now().Add(-time.Hour))
	return map[access.Refusal]func(){
		access.CompanyDisabled: func() { p.UpdateCompany(company, func(c *store.Company) { c.Disabled = true }) },
		access.CompanyExpired: func() {
			p.UpdateCompany(company, func(c *store.Company) { c.Standing, c.EndsAt = store.Formal, past })
		},
		access.TrialEnded: func() {
			p.UpdateCompany(company, func(c *store.Company) { c.Standing, c.EndsAt = store.Trial, past })
		},
		access.AccountDisabled: func() { p.SetAccountState(login, store.AccountDisabled) },
	}
}

// Enter takes a browser into an account from a host.
func (p *Platform) Enter(signed signin.LoginResult, host, login string, device access.Device) entry.Destination {
	p.T.Helper()
	destination, err := p.Entry.Enter(p.From(HomeAddress),
		access.EnterInput{Session: signed.Session, AccountID: p.Account(login).ID, Place: p.Place(host),
			Device: device})
	NoError(p.T, err)
	return destination
}

// Redeem opens a destination in a browser that holds a cookie there, "" for none.
func (p *Platform) Redeem(d entry.Destination, token string) (landing.RedeemResult, error) {
	p.T.Helper()
	return p.RedeemIn(p.From(HomeAddress), d, token)
}

// RedeemIn does what Redeem does, with the caller of ctx.
func (p *Platform) RedeemIn(ctx context.Context, d entry.Destination, token string) (landing.RedeemResult, error) {
	p.T.Helper()
	return p.Landing.Redeem(p.Sessions.LoadSession(ctx, token), p.Arrival(d))
}

// Arrival returns the input with which a browser redeems the code of a destination.
func (p *Platform) Arrival(d entry.Destination) landing.RedeemInput {
	p.T.Helper()
	target, err := url.Parse(d.URL)
	NoError(p.T, err)
	return landing.RedeemInput{Code: target.Query().Get("auth_code_"), Place: p.Place(target.Host), Slot: d.Slot}
}

// LandAt reads the side a destination leads to.
func (p *Platform) LandAt(d entry.Destination, token string) (access.Landing, error) {
	p.T.Helper()
	return p.LandingOf(p.T.Context(), token, p.Arrival(d).Place, d.Slot)
}

// Landed signs in by name and goes all the way to the landing page.
func (p *Platform) Landed(login string, device access.Device) access.Landing {
	p.T.Helper()
	destination := p.Enter(p.SignIn(AccountHost, login), AccountHost, login, device)
	result, err := p.Redeem(destination, "")
	NoError(p.T, err)
	landing, err := p.LandAt(destination, result.Token)
	NoError(p.T, err)
	return landing
}

// Guesser tries passwords like a patient attacker: each time from another address and from an unknown browser, and with
// the answers to the questions asked.
type Guesser struct {
	*Platform
	Question *access.Question
	Tries    int
}

// Try makes one attempt from a new address, answers the question of the attempt before, and keeps the next question.
func (g *Guesser) Try(in signin.LoginInput) error {
	g.T.Helper()
	g.Tries++
	if g.Question != nil {
		in.Question, in.Answer = g.Question.Token, strconv.Itoa(g.Question.A+g.Question.B)
	}
	_, err := g.Signin.Login(g.From(fmt.Sprintf("10.%d.%d.%d", g.Tries>>16, g.Tries>>8&255, g.Tries&255)), in)
	with := new(access.Refused)
	if g.Question = nil; errors.As(err, &with) {
		g.Question = with.Question
	}
	return err
}

// Wrongs makes n wrong tries, each of which must be compared.
func (g *Guesser) Wrongs(n int, who string) {
	g.T.Helper()
	for range n {
		Refused(g.T, g.Try(g.Wrong(who)), access.WrongPassword)
	}
}

// Wait is how long the next try has to wait.
func (g *Guesser) Wait(who string) time.Duration {
	g.T.Helper()
	question := g.Question
	with := Refused(g.T, g.Try(g.Wrong(who)), access.TooManyAttempts)
	if (question != nil) != (with.Question != nil) {
		g.T.Fatal("the question was not asked again")
	}
	return with.Wait
}

// Failures reads how many tries in a row were counted against the person of an account.
func (p *Platform) Failures(login string) int {
	p.T.Helper()
	m := p.Account(login)
	key := fmt.Sprintf("account:%d", m.ID)
	if m.PhoneID != 0 {
		key = fmt.Sprintf("phone:%d", m.PhoneID)
	}
	a, err := p.Db.Attempts.Of(p.T.Context(), key)
	NoError(p.T, err)
	return a.Failures
}

// Spray makes tries with one wrong password each from an address, four a person, over people whose own budget
// they leave alone, and says how many were compared.
func (p *Platform) Spray(address string, tries int) (compared int) {
	p.T.Helper()
	people := []string{"13800000001", "13800000002", "13800000003", "13800000004", "13800000005", "13800000006",
		"13800000007", "13800000008", "13800000009", "13800000010"}
	for i := range tries {
		_, err := p.Signin.Login(p.From(address), p.Wrong(people[i%len(people)]))
		if errors.Is(err, access.WrongPassword) {
			compared++
		} else if with := Refused(p.T, err, access.TooManyAttempts); with.Wait > limits.FailureWindow {
			p.T.Fatalf("try %d waits %v", i, with.Wait)
		}
	}
	return compared
}

// Twins are two accounts of one name, on the two sides, of different people with different passwords.
func (p *Platform) Twins(mgrPhone, shopPhone string) (mgr, shop store.Member) {
	p.T.Helper()
	mgr, shop = p.AddAccount("twin", 1002, store.Mgr, mgrPhone), p.AddAccount("Twin", 1001, store.Shop, shopPhone)
	NoError(p.T, p.Db.Passwords.RehashAccount(p.T.Context(), mgr.CompanyID, mgr.ID, mgr.PasswordHash,
		HashOf("Manager1", CheapHash)))
	NoError(p.T, p.Db.Passwords.RehashAccount(p.T.Context(), shop.CompanyID, shop.ID, shop.PasswordHash,
		HashOf("Shopper1", CheapHash)))
	return mgr, shop
}

// AsTwin returns a sign-in by the name of the Twins.
func (p *Platform) AsTwin(password string) signin.LoginInput {
	in := p.As("twin")
	in.Password = password
	return in
}

// Outcome returns a refusal without its question, which differs from one attempt to the next.
func Outcome(t *testing.T, err error) access.Refused {
	t.Helper()
	with := new(access.Refused)
	if !errors.As(err, &with) {
		t.Fatalf("no refusal: %v", err)
	}
	got := *with
	if got.Question != nil {
		got.Question = &access.Question{}
	}
	return got
}

// CountRevealed tries another name each time, from the address that a function returns, and counts the answers that
// reveal whether the name exists.
func (p *Platform) CountRevealed(names int, address func(i int) string) (revealed int) {
	p.T.Helper()
	for i := range names {
		_, err := p.Limits.PhoneKnown(p.From(address(i)), limits.PhoneInput{Phone: fmt.Sprintf("139%08d", i)})
		if err == nil {
			revealed++
		} else {
			Refused(p.T, err, access.TooManyAttempts)
		}
	}
	return revealed
}

// EnterIn enters an account with a session on the account site, from a phone.
func (p *Chatter) EnterIn(ctx context.Context, s access.Session, login string) error {
	p.T.Helper()
	_, err := p.Entry.Enter(ctx, access.EnterInput{
		Session: s, AccountID: p.Account(login).ID, Place: p.Place(AccountHost), Device: PhoneScreen,
	})
	return err
}

// Arrived is a browser on a landing page: its sign-in, the destination, and its cookie there.
type Arrived struct {
	Signed signin.LoginResult
	To     entry.Destination
	Cookie string
}

// Arrive signs in and enters an account on a phone.
func (p *Platform) Arrive(who, login string) Arrived {
	p.T.Helper()
	signed := p.SignIn(AccountHost, who)
	to := p.Enter(signed, AccountHost, login, PhoneScreen)
	result, err := p.Redeem(to, "")
	NoError(p.T, err)
	return Arrived{signed, to, result.Token}
}

// AppCodeOf makes a code for the native app that shows a landing page.
func (p *Platform) AppCodeOf(a Arrived) (string, error) {
	return p.AppCode(p.From(HomeAddress), a.Cookie, p.Arrival(a.To).Place, a.To.Slot)
}

// Redeemed redeems a code as a native app and returns the user with its token.
func (p *Platform) Redeemed(code string) (access.User, error) {
	return p.Landing.RedeemForClient(p.From(HomeAddress), code, landing.ClientApp, 0)
}

// AppToken signs a program in to one account.
func (p *Platform) AppToken(in signin.ClientLoginInput) string {
	p.T.Helper()
	if in.Password == "" {
		in.Password = onboarding.DemoPassword
	}
	if in.Client == "" {
		in.Client = landing.ClientApp
	}
	result, err := p.Signin.ClientLogin(p.From(HomeAddress), in)
	NoError(p.T, err)
	if result.User == nil {
		p.T.Fatalf("%s has to choose", in.Login)
	}
	return string(result.User.Token)
}

// AppLogin signs a browser in on a host with the token of its native app.
func (p *Platform) AppLogin(token, host string) (signin.LoginResult, error) {
	return p.Landing.AppLogin(p.From(HomeAddress),
		landing.AppLoginInput{Token: token, Browser: access.Browser{Place: p.Place(host), Width: 390}})
}

// App reads the session of a native app's token.
func (p *Platform) App(token string) (access.Session, error) {
	return p.Landing.Token(p.From(HomeAddress), landing.TokenInput{Token: token, Client: landing.ClientApp})
}

// Instance is another Portal on the same database, as behind a load balancer.
func (p *Platform) Instance() *portal.Portal {
	p.T.Helper()
	other, err := portal.New(p.Options)
	NoError(p.T, err)
	return other
}

// Remembered signs in at the account site and asks to be remembered.
func (p *Platform) Remembered(who string) signin.LoginResult {
	p.T.Helper()
	in := p.As(who)
	in.Remember = true
	result, err := p.Login(in)
	NoError(p.T, err)
	return result
}

// RequestSignedIn makes a request that needs a sign-in, with a cookie on a host.
func (p *Platform) RequestSignedIn(token, host string) error {
	p.T.Helper()
	_, err := p.SignedIn(p.T.Context(), token, p.Place(host))
	return err
}

// SwitchSideAs takes a browser with a session cookie from a visit to the other side.
func (p *Carer) SwitchSideAs(ctx context.Context, v Visit, cookie string) (entry.Destination, error) {
	return p.SwitchSide(ctx, cookie, p.Arrival(v.Destination).Place, v.Destination.Slot, PhoneScreen, "zh")
}

// Switches takes a visit to the other side.
func (p *Carer) Switches(v Visit) Visit {
	p.T.Helper()
	destination, err := p.SwitchSideAs(p.From(HomeAddress), v, v.Token)
	NoError(p.T, err)
	return p.Arrives(destination)
}

// Orders places an order of the first product in the catalogue.
func (p *Carer) Orders(v access.Landing, quantity string) store.Order {
	p.T.Helper()
	all, err := p.Ordering.Catalogue(p.T.Context(), v, "zh")
	NoError(p.T, err)
	o, err := p.Ordering.PlaceOrder(p.From(HomeAddress), v,
		ordering.OrderInput{ProductID: all[0].Products[0].ID, Quantity: quantity, Form: ordering.NewForm()})
	NoError(p.T, err)
	return o
}

// StraightOn signs in at the account site and enters the account in the same request, as pages do.
func (p *Platform) StraightOn(who string) signin.LoginResult {
	p.T.Helper()
	in := p.As(who)
	in.Enter = &access.EnterInput{Device: PhoneScreen}
	result, err := p.Login(in)
	NoError(p.T, err)
	return result
}
