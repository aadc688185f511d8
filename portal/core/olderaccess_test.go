package core_test

import (
	"testing"

	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/onboarding"
	"portico/portal/portaltest"
	"portico/portal/portaltest/chattest"
	"portico/portal/portaltest/credentialtest"
	"portico/portal/signin"
)

func TestBindingAPhoneEndsAllPlantedAccessToTheAccount(t *testing.T) {
	chattest.EachPrivacyMode(t, func(t *testing.T, p *chattest.ChatPlatform) {
		a, first := plantedAccount(p)
		bindAsOwner(p, "newcomer", plantedPassword, portaltest.NewPhone, false)
		a.wantRevoked(first, plantedPassword)
		if p.CountEvents(1001, "account_password_ended") != 1 || p.CountEvents(1001, "identity_unlinked") != 1 {
			t.Error("the company's audit log does not say so")
		}
		if !credentialtest.AcceptsPassword(p.SMSPlatform, portaltest.NewPhone, credentialtest.ChosenPassword) {
			t.Error("the holder is out too")
		}
	})
}

func TestAHolderMayKeepTheAccountsPasswordAtABindingButNotItsLinks(t *testing.T) {
	chattest.EachPrivacyMode(t, func(t *testing.T, p *chattest.ChatPlatform) {
		a, first := plantedAccount(p)
		bindAsOwner(p, "newcomer", plantedPassword, portaltest.NewPhone, true)
		a.wantRevoked(first)
		if !credentialtest.AcceptsPassword(p.SMSPlatform, "newcomer", plantedPassword) ||
			p.CountEvents(1001, "account_password_ended") != 0 {
			t.Error("the password was not kept")
		}
	})
}

func TestResettingAPhoneEndsAllPlantedAccessToItsAccounts(t *testing.T) {
	chattest.EachPrivacyMode(t, func(t *testing.T, p *chattest.ChatPlatform) {
		a, first := plantedAccount(p)
		bindAsOwner(p, "newcomer", plantedPassword, portaltest.NewPhone, true)
		a.wantRevoked(first)
		b := signInIntruder(p, "newcomer", plantedPassword) // again, with the password that was kept
		credentialtest.RecoverPassword(p.SMSPlatform, portaltest.NewPhone)
		b.wantRevoked(first, plantedPassword)
		if p.CountEvents(1001, "account_password_ended") != 1 {
			t.Error("the company's audit log does not say so")
		}
	})
}

func TestAHolderMayKeepTheAccountsPasswordsAtAReset(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		in := p.ResetInput(portaltest.ManyPhone, "", core.NewFlow())
		in.Code, in.Keep = p.ReceiveCode(p.CodeRequest(core.ForReset, portaltest.ManyPhone, in.Flow)), true
		portaltest.NoError(t, p.ResetPassword(in))
		if !credentialtest.AcceptsPassword(p.SMSPlatform, "sur", onboarding.DemoPassword) ||
			!credentialtest.AcceptsPassword(p.SMSPlatform, "li.lights", onboarding.DemoPassword) ||
			credentialtest.AcceptsPassword(p.SMSPlatform, portaltest.ManyPhone, onboarding.DemoPassword) {
			t.Error("not the phone's password alone was changed")
		}
	})
}

func TestAFirstPasswordExpiresWhenItsAccountsPhoneIsResetOrBound(t *testing.T) {
	chattest.EachPrivacyMode(t, func(t *testing.T, p *chattest.ChatPlatform) {
		m := p.Account("li.manager")
		given, err := p.Backoffice.GiveFirstPassword(p.From(portaltest.HomeAddress), p.Administrator(), m.ID, "")
		portaltest.NoError(t, err)
		in := p.ResetInput(portaltest.ManyPhone, "", core.NewFlow())
		// nobody chose it, so it is not kept
		in.Code, in.Keep = p.ReceiveCode(p.CodeRequest(core.ForReset, portaltest.ManyPhone, in.Flow)), true
		portaltest.NoError(t, p.ResetPassword(in))
		if credentialtest.AcceptsPassword(p.SMSPlatform, "li.manager", given.Password) {
			t.Error("the administrator signs in with it")
		}
	})
}

func TestABindingThatReplacesThePhonesPasswordRemovesThePasswordsOfItsOtherAccounts(t *testing.T) {
	chattest.EachPrivacyMode(t, func(t *testing.T, p *chattest.ChatPlatform) {
		a := signInIntruder(p, "li.shop", onboarding.DemoPassword)
		signed := p.SignIn(portaltest.AccountHost, "nophone")
		in := credentialtest.BindInput(p.SMSPlatform, signed, portaltest.ManyPhone)
		in.Code = p.ReceiveCode(credentialtest.BindCodeRequest(p.SMSPlatform, in))
		_, err := p.Binding.ProveBind(p.From(portaltest.HomeAddress), in)
		portaltest.NoError(t, err)
		in.New, in.Password, in.Confirm = true, portaltest.NewPassword, portaltest.NewPassword
		_, err = credentialtest.Bind(p.SMSPlatform, in)
		portaltest.NoError(t, err)
		a.wantRevoked(onboarding.DemoPassword)
	})
}

func TestReplacingAFirstPasswordEndsAllOtherAccessToTheAccount(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		first := credentialtest.OpenAccountWithFirstPassword(p.Platform, "newcomer").First.Password
		p.AddLink(chattest.Identity(81), "newcomer") // in any way
		signed, err := p.Login(credentialtest.NamedLoginInput(p.Platform, "newcomer", first))
		portaltest.NoError(t, err)
		other, err := p.Login(credentialtest.NamedLoginInput(p.Platform, "newcomer", first))
		portaltest.NoError(t, err)
		_, err = credentialtest.ReplacePassword(p.Platform, signed.Session, first, credentialtest.ChosenPassword)
		portaltest.NoError(t, err)
		p.WantLinks(0)
		portaltest.Refused(t, p.RequestSignedIn(other.Token, portaltest.AccountHost), access.LoginRequired)
		if credentialtest.AcceptsPassword(p.SMSPlatform, "newcomer", first) ||
			!credentialtest.AcceptsPassword(p.SMSPlatform, "newcomer", credentialtest.ChosenPassword) {
			t.Error("not the new password alone opens it")
		}
	})
}

func TestALinkMadeWhileAPhoneIsBoundIsRefusedOrEnds(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		b := p.Browser(portaltest.AccountHost, chattest.InWeChat)
		pending := b.PendingLink(access.WeChat, chattest.Identity(81), "nophone")
		_, in, _ := credentialtest.ProveBind(p.SMSPlatform, "nophone", portaltest.NewPhone)
		in.Password, in.Confirm = portaltest.NewPassword, portaltest.NewPassword
		done := make(chan error, 1)
		go func() { _, err := b.ConfirmLink(pending); done <- err }()
		_, err := credentialtest.Bind(p.SMSPlatform, in)
		portaltest.NoError(t, err)
		<-done // either way
		p.WantLinks(0)
	})
}

const plantedPassword = "Kabeljau9"

// intruder has signed in to another person's account in every possible way, and has tickets and codes for later.
type intruder struct {
	*chattest.Browser
	Login   string
	Session signin.LoginResult
	Token   string
	Ticket  string // to choose an account
	App     *chattest.Program
	AppID   signin.ProviderIdentity
	AppWay  string // the ticket of the identity that is linked by the program
}

// signInIntruder signs in to an account by its own password and links WeChat to it, in a browser and by the API. It
// returns the intruder and fails the test if a step is refused.
func signInIntruder(p *chattest.ChatPlatform, login, password string) *intruder {
	p.T.Helper()
	a := &intruder{
		Browser: p.Browser(portaltest.AccountHost, chattest.InWeChat),
		Login:   login,
		App:     p.Program(signin.ClientApp),
		AppID:   chattest.Identity(82),
	}
	in := a.LinkInput(a.UnknownTicket(access.WeChat, chattest.Identity(81)), login)
	in.Password = password
	pending, err := a.ProveLink(in)
	portaltest.NoError(p.T, err)
	a.Session, err = a.ConfirmLink(pending)
	portaltest.NoError(p.T, err)
	a.AppWay = a.App.UnknownCallback(access.WeChat, a.AppID).Ticket
	bound, err := p.Chatlogin.BindByTicket(a.App.Context(), signin.BindByTicketInput{
		Ticket: a.AppWay, Login: login, Password: password, Client: signin.ClientApp,
	})
	portaltest.NoError(p.T, err)
	a.Token, a.Ticket = string(bound.User.Token), bound.Ticket
	p.WantLinks(2)
	return a
}

// wantRevoked fails the test if anything that the intruder has still opens the account.
func (a *intruder) wantRevoked(passwords ...string) {
	t, p := a.P.T, a.P
	t.Helper()
	portaltest.Refused(t, p.RequestSignedIn(a.Session.Token, portaltest.AccountHost), access.LoginRequired)
	for _, in := range []signin.TokenInput{
		{Token: a.Token, Client: signin.ClientApp}, {Token: a.Ticket, Client: signin.ClientApp, Ticket: true},
	} {
		_, err := p.Landing.Token(a.App.Context(), in)
		portaltest.Refused(t, err, access.LoginRequired)
	}
	if got := a.Outcome(access.WeChat, chattest.Identity(81)); got != "unknown" {
		t.Errorf("WeChat on the page: %s", got)
	}
	_, err := p.Chatlogin.LoginByTicket(
		a.App.Context(), signin.TicketLoginInput{Ticket: a.AppWay, Client: signin.ClientApp},
	)
	portaltest.Refused(t, err, access.AccountNotFound)
	_, err = p.Chatlogin.LoginByTicket(a.App.Context(), signin.TicketLoginInput{
		Ticket: a.App.UnknownCallback(access.WeChat, a.AppID).Ticket, Client: signin.ClientApp,
	})
	portaltest.Refused(t, err, access.AccountNotFound)
	p.WantLinks(0)
	for _, password := range passwords {
		if credentialtest.AcceptsPassword(p.SMSPlatform, a.Login, password) {
			t.Errorf("the page takes %s", password)
		}
		_, err := p.Signin.ClientLogin(a.App.Context(), signin.ClientLoginInput{
			Login: a.Login, Password: password, Client: signin.ClientApp,
		})
		portaltest.Refused(t, err, access.WrongPassword)
	}
}

// plantedAccount adds an account without a phone and replaces its first password as an intruder. It returns the
// intruder and the first password.
func plantedAccount(p *chattest.ChatPlatform) (a *intruder, first string) {
	p.T.Helper()
	first = credentialtest.OpenAccountWithFirstPassword(p.Platform, "newcomer").First.Password
	signed, err := p.Login(credentialtest.NamedLoginInput(p.Platform, "newcomer", first))
	portaltest.NoError(p.T, err)
	_, err = credentialtest.ReplacePassword(p.Platform, signed.Session, first, plantedPassword)
	portaltest.NoError(p.T, err)
	return signInIntruder(p, "newcomer", plantedPassword), first
}

// bindAsOwner signs in as the owner, who knows the planted password, and binds a phone with a password of the owner's
// own.
func bindAsOwner(p *chattest.ChatPlatform, login, password, phone string, keep bool) {
	p.T.Helper()
	signed, err := p.Login(credentialtest.NamedLoginInput(p.Platform, login, password))
	portaltest.NoError(p.T, err)
	in := credentialtest.BindInput(p.SMSPlatform, signed, phone)
	in.Code = p.ReceiveCode(credentialtest.BindCodeRequest(p.SMSPlatform, in))
	in.Password, in.Confirm, in.Keep = credentialtest.ChosenPassword, credentialtest.ChosenPassword, keep
	_, err = p.Binding.ProveBind(p.From(portaltest.HomeAddress), in)
	portaltest.NoError(p.T, err)
	_, err = credentialtest.Bind(p.SMSPlatform, in)
	portaltest.NoError(p.T, err)
}
