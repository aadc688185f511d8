package portaltest

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"portico/portal/access"
	"portico/portal/backoffice"
	"portico/portal/binding"
	"portico/portal/chatapps"
	"portico/portal/chatlogin"
	"portico/portal/credentials"
	"portico/portal/entry"
	"portico/portal/landing"
	"portico/portal/onboarding"
	"portico/portal/signin"
	"portico/portal/verification"
	"portico/store"
)

func (p *Carer) BindingOf(signed signin.LoginResult, phone string) binding.BindInput {
	p.T.Helper()
	return binding.BindInput{Phone: phone, Session: signed.Session, Flow: "session:" + signed.Session.ID, Lang: "zh"}
}

func (p *Carer) AskToBind(in binding.BindInput) verification.AskCodeInput {
	p.T.Helper()
	ask := p.Asking(verification.ForBind, in.Phone, in.Flow)
	ask.Session = in.Session
	return ask
}

// Proven is a binding whose code was right.
func (p *Carer) Proven(login, phone string) (signin.LoginResult, binding.BindInput, binding.Bound) {
	p.T.Helper()
	signed := p.SignIn(AccountHost, login)
	in := p.BindingOf(signed, phone)
	in.Code = p.Sent(p.AskToBind(in))
	bound, err := p.Binding.ProveBind(p.From(HomeAddress), in)
	NoError(p.T, err)
	return signed, in, bound
}

func (p *Carer) Bind(in binding.BindInput) (binding.Bound, error) {
	return p.Binding.Bind(p.From(HomeAddress), in)
}

func (p *Carer) Changing(s access.Session, old string) credentials.ChangePasswordInput {
	return credentials.ChangePasswordInput{
		Old: old, Password: NewPassword, Confirm: NewPassword, Session: s, Lang: "zh",
	}
}

func (p *Carer) Change(in credentials.ChangePasswordInput) (string, error) {
	return p.Credentials.ChangePassword(p.From(HomeAddress), in)
}

// ChangeIn changes the password in the browser of a sign-in.
func (p *Carer) ChangeIn(signed signin.LoginResult) (string, error) {
	ctx := p.Sessions.LoadSession(p.From(HomeAddress), signed.Token)
	return p.Credentials.ChangePassword(ctx, p.Changing(signed.Session, onboarding.DemoPassword))
}

// ChangingPhone is a change to newPhone by a session, with the code that was sent to it and the demo's password.
func (p *Carer) ChangingPhone(s access.Session) binding.ChangePhoneInput {
	p.T.Helper()
	in := binding.ChangePhoneInput{Phone: NewPhone, Session: s, Flow: "session:" + s.Family, Lang: "zh"}
	in.Password, in.Code = onboarding.DemoPassword, p.Sent(p.AskToChange(in))
	return in
}

func (p *Carer) AskToChange(in binding.ChangePhoneInput) verification.AskCodeInput {
	p.T.Helper()
	ask := p.Asking(verification.ForNewPhone, in.Phone, in.Flow)
	ask.Session = in.Session
	return ask
}

// WithOldCode makes a code that is sent to the present number the proof of a change.
func (p *Carer) WithOldCode(in binding.ChangePhoneInput) binding.ChangePhoneInput {
	p.T.Helper()
	ask := p.Asking(verification.ForOldPhone, NewPhone, in.Flow) // what is typed does not matter
	ask.Session = in.Session
	in.Password, in.ByCode, in.OldCode = "", true, p.Sent(ask)
	return in
}

func (p *Carer) ChangePhone(in binding.ChangePhoneInput) (string, error) {
	return p.Binding.ChangePhone(p.From(HomeAddress), in)
}

// ChangingPhoneTo is a change to any number.
func (p *Carer) ChangingPhoneTo(s access.Session, phone string) binding.ChangePhoneInput {
	p.T.Helper()
	in := binding.ChangePhoneInput{
		Phone: phone, Session: s, Flow: "session:" + s.Family, Lang: "zh", Password: onboarding.DemoPassword,
	}
	in.Code = p.Sent(p.AskToChange(in))
	return in
}

// CodeSession signs in once more with a new code.
func (p *Carer) CodeSession(in signin.CodeLoginInput) access.Session {
	p.T.Helper()
	p.Clock.Advance(verification.DefaultResend)
	in.Flow = verification.NewFlow()
	in.Code = p.Sent(p.Asking(verification.ForLogin, in.Phone, in.Flow))
	signed, err := p.CodeLogin(in)
	NoError(p.T, err)
	return signed.Session
}

const OwnChoice = "Zeegras55"

// First opens an account without a phone, with a first password.
func (p *Platform) First(login string) backoffice.OpenedAccount {
	p.T.Helper()
	opened, err := p.Opens1001(backoffice.OpenAccountInput{Side: "mgr", Type: 2, Login: login, Name: "新同事"})
	NoError(p.T, err)
	return opened
}

// Named is a sign-in by an account's name.
func (p *Platform) Named(login, password string) signin.LoginInput {
	p.T.Helper()
	return signin.LoginInput{
		ByName: true, Login: login, Password: password, Browser: access.Browser{Place: p.Place(AccountHost)},
	}
}

func (p *Platform) Replace(s access.Session, old, password string) (string, error) {
	return p.Credentials.ChangePassword(
		p.From(HomeAddress),
		credentials.ChangePasswordInput{Old: old, Password: password, Confirm: password, Session: s},
	)
}

// A browser that missed a response sends the same request again, with the cookie that it had before.

const OtherBrowser = "another browser"

func (p *Platform) RedeemAs(agent string, d entry.Destination, token string) (landing.RedeemResult, error) {
	p.T.Helper()
	ctx := access.WithCaller(p.T.Context(), access.Caller{RequestID: "r-2", Address: HomeAddress, Agent: agent})
	return p.RedeemIn(ctx, d, token)
}

const PlantedPassword = "Kabeljau9"

// InBothModes runs a test in either privacy mode, with limits on.
func InBothModes(t *testing.T, test func(t *testing.T, p *Chatter)) {
	t.Run("spec", func(t *testing.T) { EachChat(t, test) })
	t.Run("strict", func(t *testing.T) { EachChat(t, test, Strict) })
}

// Intruder has signed in to another person's account in every possible way, and has tickets and codes for later.
type Intruder struct {
	*Browser
	Login   string
	Session signin.LoginResult
	Token   string
	Ticket  string // to choose an account
	App     *Program
	AppID   chatapps.ProviderIdentity
	AppWay  string // the ticket of the identity that is linked by the program
}

// Intrudes signs in to an account by its own password and links WeChat to it, in a browser and by the API.
func (p *Chatter) Intrudes(login, password string) *Intruder {
	p.T.Helper()
	a := &Intruder{
		Browser: p.Browser(AccountHost, InWeChat), Login: login, App: p.Program(landing.ClientApp), AppID: Someone(82),
	}
	in := a.Linking(a.Unknown(access.WeChat, Someone(81)), login)
	in.Password = password
	pending, err := a.Proves(in)
	NoError(p.T, err)
	a.Session, err = a.Confirms(pending)
	NoError(p.T, err)
	a.AppWay = a.App.ComesBack(access.WeChat, a.AppID).Ticket
	bound, err := p.Chatlogin.BindByTicket(a.App.Ctx(), chatlogin.BindByTicketInput{
		Ticket: a.AppWay, Login: login, Password: password, Client: landing.ClientApp,
	})
	NoError(p.T, err)
	a.Token, a.Ticket = string(bound.User.Token), bound.Ticket
	p.WantLinks(2)
	return a
}

// IsOut demands that nothing of what the intruder has opens the account.
func (a *Intruder) IsOut(passwords ...string) {
	t, p := a.P.T, a.P
	t.Helper()
	Refused(t, p.RequestSignedIn(a.Session.Token, AccountHost), access.LoginRequired)
	for _, in := range []landing.TokenInput{
		{Token: a.Token, Client: landing.ClientApp}, {Token: a.Ticket, Client: landing.ClientApp, Ticket: true},
	} {
		_, err := p.Landing.Token(a.App.Ctx(), in)
		Refused(t, err, access.LoginRequired)
	}
	if got := a.Becomes(access.WeChat, Someone(81)); got != "unknown" {
		t.Errorf("WeChat on the page: %s", got)
	}
	_, err := p.Chatlogin.LoginByTicket(
		a.App.Ctx(), chatlogin.TicketLoginInput{Ticket: a.AppWay, Client: landing.ClientApp},
	)
	Refused(t, err, access.AccountNotFound)
	_, err = p.Chatlogin.LoginByTicket(a.App.Ctx(), chatlogin.TicketLoginInput{
		Ticket: a.App.ComesBack(access.WeChat, a.AppID).Ticket, Client: landing.ClientApp,
	})
	Refused(t, err, access.AccountNotFound)
	p.WantLinks(0)
	for _, password := range passwords {
		if p.Opens(a.Login, password) {
			t.Errorf("the page takes %s", password)
		}
		_, err := p.Signin.ClientLogin(a.App.Ctx(), signin.ClientLoginInput{
			Login: a.Login, Password: password, Client: landing.ClientApp,
		})
		Refused(t, err, access.WrongPassword)
	}
}

// PlantedAccount is an account without a phone whose first password an intruder has replaced.
func (p *Chatter) PlantedAccount() (a *Intruder, first string) {
	p.T.Helper()
	first = p.First("newcomer").First.Password
	signed, err := p.Login(p.Named("newcomer", first))
	NoError(p.T, err)
	_, err = p.Replace(signed.Session, first, PlantedPassword)
	NoError(p.T, err)
	return p.Intrudes("newcomer", PlantedPassword), first
}

// Binds binds a phone to an account as its rightful holder, who got the planted password.
func (p *Chatter) Binds(login, password, phone string, keep bool) {
	p.T.Helper()
	signed, err := p.Login(p.Named(login, password))
	NoError(p.T, err)
	in := p.BindingOf(signed, phone)
	in.Code = p.Sent(p.AskToBind(in))
	in.Password, in.Confirm, in.Keep = OwnChoice, OwnChoice, keep
	_, err = p.Binding.ProveBind(p.From(HomeAddress), in)
	NoError(p.T, err)
	_, err = p.Bind(in)
	NoError(p.T, err)
}

const OtherPassword = "Zeegras55"

// Opens says whether a password opens a phone or a name.
func (p *Carer) Opens(who, password string) bool {
	p.T.Helper()
	in := p.As(who)
	in.Password = password
	_, err := p.Signin.Login(p.From("192.0.2.77"), in)
	if err != nil && !errors.Is(err, access.WrongPassword) && !errors.Is(err, access.PasswordNotSet) {
		p.T.Fatalf("%s: %v", who, err)
	}
	return err == nil
}

// Token signs a program in by a phone or name that has one account.
func (p *Carer) Token(who string) string {
	p.T.Helper()
	result, err := p.Signin.ClientLogin(
		p.From(HomeAddress),
		signin.ClientLoginInput{Login: who, Password: onboarding.DemoPassword, Client: landing.ClientApp},
	)
	NoError(p.T, err)
	return string(result.User.Token)
}

func (p *Carer) TokenSession(token string) (access.Session, error) {
	return p.Landing.Token(p.T.Context(), landing.TokenInput{Token: token, Client: landing.ClientApp})
}

// Opened is all that a sign-in by a password can leave behind: a browser, a side entered from it, an auth code that
// waits, and a program's token.
type Opened struct {
	Signed      signin.LoginResult
	Destination entry.Destination
	Landed      string
	Waiting     entry.Destination
	Token       string
}

// Open signs in everywhere and enters the account of a login.
func (p *Carer) Open(who, login string) Opened {
	p.T.Helper()
	o := Opened{Signed: p.SignIn(AccountHost, who)}
	o.Destination = p.Enter(o.Signed, AccountHost, login, PhoneScreen)
	landed, err := p.Redeem(o.Destination, "")
	NoError(p.T, err)
	o.Landed = landed.Token
	o.Waiting = p.Enter(o.Signed, AccountHost, login, Desktop)
	result, err := p.Signin.ClientLogin(
		p.From(HomeAddress),
		signin.ClientLoginInput{
			Login: who, Password: onboarding.DemoPassword, AccountID: p.Account(login).ID, Client: landing.ClientApp,
		},
	)
	NoError(p.T, err)
	o.Token = string(result.User.Token)
	return o
}

// Lives tells what of it still works, e.g. "browser side code token". It uses the code up.
func (p *Carer) Lives(o Opened) string {
	p.T.Helper()
	var alive []string
	if p.RequestSignedIn(o.Signed.Token, AccountHost) == nil {
		alive = append(alive, "browser")
	}
	if _, err := p.LandAt(o.Destination, o.Landed); err == nil {
		alive = append(alive, "side")
	}
	if _, err := p.Redeem(o.Waiting, ""); err == nil {
		alive = append(alive, "code")
	}
	if _, err := p.TokenSession(o.Token); err == nil {
		alive = append(alive, "token")
	}
	return strings.Join(alive, " ")
}

const Everything = "browser side code token"

func (p *Carer) WantLives(what string, o Opened, want string) {
	p.T.Helper()
	if got := p.Lives(o); got != want {
		p.T.Errorf("%s: %q lives, want %q", what, got, want)
	}
}

func (p *Carer) WantNotices(want ...string) {
	p.T.Helper()
	p.Settle()
	if got := p.Sms.Notices(); !slices.Equal(got, want) {
		p.T.Errorf("notices %q, want %q", got, want)
	}
}

func PhoneOf(t *testing.T, db *store.DB, number string) store.Phone {
	t.Helper()
	phone, err := db.Phones.ByNumber(t.Context(), number)
	NoError(t, err)
	return phone
}

// What was planted before the rightful owner proved their phone: each test plays an attacker, then the
// owner, then the attacker again.

// Recovers is the owner, who resets the password of a phone by a code sent to it.
func (p *Carer) Recovers(phone string) {
	p.T.Helper()
	in := p.Resetting(phone, "", verification.NewFlow())
	in.Code = p.Sent(p.Asking(verification.ForReset, phone, in.Flow))
	NoError(p.T, p.Reset(in))
}

func (p *Carer) Unbinding(s access.Session, login string) binding.UnbindInput {
	p.T.Helper()
	return binding.UnbindInput{AccountID: p.Account(login).ID, Session: s, Flow: "session:" + s.ID, Lang: "zh"}
}

func (p *Carer) AskToUnbind(in binding.UnbindInput) verification.AskCodeInput {
	p.T.Helper()
	ask := p.Asking(verification.ForUnbind, NewPhone, in.Flow) // what is typed does not matter
	ask.Session, ask.AccountID = in.Session, in.AccountID
	return ask
}

func (p *Carer) Unbind(in binding.UnbindInput) error {
	return p.Binding.Unbind(p.From(HomeAddress), in)
}
