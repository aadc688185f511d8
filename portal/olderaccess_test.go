package portal_test

import (
	"testing"

	"portico/portal"
)

const plantedPassword = "Kabeljau9"

// inBothModes runs a test in either privacy mode, with limits on.
func inBothModes(t *testing.T, test func(t *testing.T, p *chatter)) {
	t.Run("spec", func(t *testing.T) { eachChat(t, test) })
	t.Run("strict", func(t *testing.T) { eachChat(t, test, strict) })
}

// intruder has signed in to another person's account in every possible way, and has tickets and codes for later.
type intruder struct {
	*browser
	login   string
	session portal.LoginResult
	token   string
	ticket  string // to choose an account
	app     *program
	appID   portal.ProviderIdentity
	appWay  string // the ticket of the identity that is linked by the program
}

// intrudes signs in to an account by its own password and links WeChat to it, in a browser and by the API.
func (p *chatter) intrudes(login, password string) *intruder {
	p.t.Helper()
	a := &intruder{
		browser: p.browser(accountHost, inWeChat), login: login, app: p.program(portal.ClientApp), appID: someone(82),
	}
	in := a.linking(a.unknown(portal.WeChat, someone(81)), login)
	in.Password = password
	pending, err := a.proves(in)
	noError(p.t, err)
	a.session, err = a.confirms(pending)
	noError(p.t, err)
	a.appWay = a.app.comesBack(portal.WeChat, a.appID).Ticket
	bound, err := p.BindByTicket(a.app.ctx(), portal.BindByTicketInput{
		Ticket: a.appWay, Login: login, Password: password, Client: portal.ClientApp,
	})
	noError(p.t, err)
	a.token, a.ticket = string(bound.User.Token), bound.Ticket
	p.wantLinks(2)
	return a
}

// isOut demands that nothing of what the intruder has opens the account.
func (a *intruder) isOut(passwords ...string) {
	t, p := a.p.t, a.p
	t.Helper()
	refused(t, p.signedIn(a.session.Token, accountHost), portal.LoginRequired)
	for _, in := range []portal.TokenInput{
		{Token: a.token, Client: portal.ClientApp}, {Token: a.ticket, Client: portal.ClientApp, Ticket: true},
	} {
		_, err := p.Token(a.app.ctx(), in)
		refused(t, err, portal.LoginRequired)
	}
	if got := a.becomes(portal.WeChat, someone(81)); got != "unknown" {
		t.Errorf("WeChat on the page: %s", got)
	}
	_, err := p.LoginByTicket(a.app.ctx(), portal.TicketLoginInput{Ticket: a.appWay, Client: portal.ClientApp})
	refused(t, err, portal.AccountNotFound)
	_, err = p.LoginByTicket(a.app.ctx(), portal.TicketLoginInput{
		Ticket: a.app.comesBack(portal.WeChat, a.appID).Ticket, Client: portal.ClientApp,
	})
	refused(t, err, portal.AccountNotFound)
	p.wantLinks(0)
	for _, password := range passwords {
		if p.opens(a.login, password) {
			t.Errorf("the page takes %s", password)
		}
		_, err := p.MixedLogin(a.app.ctx(), portal.MixedLoginInput{
			Login: a.login, Password: password, Client: portal.ClientApp,
		})
		refused(t, err, portal.WrongPassword)
	}
}

// plantedAccount is an account without a phone whose first password an intruder has replaced.
func (p *chatter) plantedAccount() (a *intruder, first string) {
	p.t.Helper()
	first = p.first("newcomer").First.Password
	signed, err := p.login(p.named("newcomer", first))
	noError(p.t, err)
	_, err = p.replace(signed.Session, first, plantedPassword)
	noError(p.t, err)
	return p.intrudes("newcomer", plantedPassword), first
}

// binds binds a phone to an account as its rightful holder, who got the planted password.
func (p *chatter) binds(login, password, phone string, keep bool) {
	p.t.Helper()
	signed, err := p.login(p.named(login, password))
	noError(p.t, err)
	in := p.binding(signed, phone)
	in.Code = p.sent(p.askToBind(in))
	in.Password, in.Confirm, in.Keep = ownChoice, ownChoice, keep
	_, err = p.ProveBind(p.from(homeAddress), in)
	noError(p.t, err)
	_, err = p.bind(in)
	noError(p.t, err)
}

func TestNothingPlantedOnAnAccountOutlivesTheBindingOfAPhone(t *testing.T) {
	inBothModes(t, func(t *testing.T, p *chatter) {
		a, first := p.plantedAccount()
		p.binds("newcomer", plantedPassword, newPhone, false)
		a.isOut(first, plantedPassword)
		if p.events(1001, "account_password_ended") != 1 || p.events(1001, "identity_unlinked") != 1 {
			t.Error("the company's audit log does not say so")
		}
		if !p.opens(newPhone, ownChoice) {
			t.Error("the holder is out too")
		}
	})
}

func TestAHolderMayKeepTheAccountsPasswordAtABindingButNotItsLinks(t *testing.T) {
	inBothModes(t, func(t *testing.T, p *chatter) {
		a, first := p.plantedAccount()
		p.binds("newcomer", plantedPassword, newPhone, true)
		a.isOut(first)
		if !p.opens("newcomer", plantedPassword) || p.events(1001, "account_password_ended") != 0 {
			t.Error("the password was not kept")
		}
	})
}

func TestNothingPlantedOnAnAccountOutlivesAResetOfItsPhone(t *testing.T) {
	inBothModes(t, func(t *testing.T, p *chatter) {
		a, first := p.plantedAccount()
		p.binds("newcomer", plantedPassword, newPhone, true)
		a.isOut(first)
		b := p.intrudes("newcomer", plantedPassword) // again, with the password that was kept
		p.recovers(newPhone)
		b.isOut(first, plantedPassword)
		if p.events(1001, "account_password_ended") != 1 {
			t.Error("the company's audit log does not say so")
		}
	})
}

func TestAHolderMayKeepTheAccountsPasswordsAtAReset(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		in := p.resetting(manyPhone, "", portal.NewFlow())
		in.Code, in.Keep = p.sent(p.asking(portal.ForReset, manyPhone, in.Flow)), true
		noError(t, p.reset(in))
		if !p.opens("sur", portal.DemoPassword) || !p.opens("li.lights", portal.DemoPassword) ||
			p.opens(manyPhone, portal.DemoPassword) {
			t.Error("not the phone's password alone was changed")
		}
	})
}

func TestAFirstPasswordEndsWhenThePhoneOfItsAccountIsResetOrBound(t *testing.T) {
	inBothModes(t, func(t *testing.T, p *chatter) {
		m := p.account("li.manager")
		given, err := p.GiveFirstPassword(p.from(homeAddress), p.boss(), m.ID, "")
		noError(t, err)
		in := p.resetting(manyPhone, "", portal.NewFlow())
		// nobody chose it, so it is not kept
		in.Code, in.Keep = p.sent(
			p.asking(portal.ForReset, manyPhone, in.Flow),
		), true
		noError(t, p.reset(in))
		if p.opens("li.manager", given.Password) {
			t.Error("the administrator signs in with it")
		}
	})
}

func TestABindingThatReplacesThePhonesPasswordEndsThoseOfItsOtherAccounts(t *testing.T) {
	inBothModes(t, func(t *testing.T, p *chatter) {
		a := p.intrudes("li.shop", portal.DemoPassword)
		signed := p.signIn(accountHost, "nophone")
		in := p.binding(signed, manyPhone)
		in.Code = p.sent(p.askToBind(in))
		_, err := p.ProveBind(p.from(homeAddress), in)
		noError(t, err)
		in.New, in.Password, in.Confirm = true, newPassword, newPassword
		_, err = p.bind(in)
		noError(t, err)
		a.isOut(portal.DemoPassword)
	})
}

func TestAReplacedFirstPasswordEndsWhatElseOpenedTheAccount(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		first := p.first("newcomer").First.Password
		p.linkedRow(someone(81), "newcomer") // however the link was made
		signed, err := p.login(p.named("newcomer", first))
		noError(t, err)
		other, err := p.login(p.named("newcomer", first))
		noError(t, err)
		_, err = p.replace(signed.Session, first, ownChoice)
		noError(t, err)
		p.wantLinks(0)
		refused(t, p.signedIn(other.Token, accountHost), portal.LoginRequired)
		if p.opens("newcomer", first) || !p.opens("newcomer", ownChoice) {
			t.Error("not the new password alone opens it")
		}
	})
}

func TestALinkMadeWhileAPhoneIsBoundIsRefusedOrEnds(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		b := p.browser(accountHost, inWeChat)
		pending := b.proven(portal.WeChat, someone(81), "nophone")
		_, in, _ := p.proven("nophone", newPhone)
		in.Password, in.Confirm = newPassword, newPassword
		done := make(chan error, 1)
		go func() { _, err := b.confirms(pending); done <- err }()
		_, err := p.bind(in)
		noError(t, err)
		<-done // either way
		p.wantLinks(0)
	})
}
