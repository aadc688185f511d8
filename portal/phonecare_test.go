package portal_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"portico/portal"
	"portico/store"
	"portico/store/storetest"
)

const otherPassword = "Zeegras55"

// opens says whether a password opens a phone or a name.
func (p *carer) opens(who, password string) bool {
	p.t.Helper()
	in := p.as(who)
	in.Password = password
	_, err := p.Login(p.from("192.0.2.77"), in)
	if err != nil && !errors.Is(err, portal.WrongPassword) && !errors.Is(err, portal.PasswordNotSet) {
		p.t.Fatalf("%s: %v", who, err)
	}
	return err == nil
}

// token signs a program in by a phone or name that has one account.
func (p *carer) token(who string) string {
	p.t.Helper()
	result, err := p.MixedLogin(p.from(homeAddress), portal.MixedLoginInput{Login: who, Password: portal.DemoPassword, Client: portal.ClientApp})
	noError(p.t, err)
	return string(result.User.Token)
}

func (p *carer) tokenSession(token string) (portal.Session, error) {
	return p.Token(p.t.Context(), portal.TokenInput{Token: token, Client: portal.ClientApp})
}

// opened is all that a sign-in by a password can leave behind: a browser, a side entered from it, an auth code that
// waits, and a program's token.
type opened struct {
	signed      portal.LoginResult
	destination portal.Destination
	landed      string
	waiting     portal.Destination
	token       string
}

// open signs in everywhere and enters the account of a login.
func (p *carer) open(who, login string) opened {
	p.t.Helper()
	o := opened{signed: p.signIn(accountHost, who)}
	o.destination = p.enter(o.signed, accountHost, login, phoneScreen)
	landed, err := p.redeem(o.destination, "")
	noError(p.t, err)
	o.landed = landed.Token
	o.waiting = p.enter(o.signed, accountHost, login, desktop)
	result, err := p.MixedLogin(p.from(homeAddress), portal.MixedLoginInput{Login: who, Password: portal.DemoPassword, AccountID: p.account(login).ID, Client: portal.ClientApp})
	noError(p.t, err)
	o.token = string(result.User.Token)
	return o
}

// lives tells what of it still works, e.g. "browser side code token". It uses the code up.
func (p *carer) lives(o opened) string {
	p.t.Helper()
	var alive []string
	if p.signedIn(o.signed.Token, accountHost) == nil {
		alive = append(alive, "browser")
	}
	if _, err := p.landing(o.destination, o.landed); err == nil {
		alive = append(alive, "side")
	}
	if _, err := p.redeem(o.waiting, ""); err == nil {
		alive = append(alive, "code")
	}
	if _, err := p.tokenSession(o.token); err == nil {
		alive = append(alive, "token")
	}
	return strings.Join(alive, " ")
}

const everything = "browser side code token"

func (p *carer) wantLives(what string, o opened, want string) {
	p.t.Helper()
	if got := p.lives(o); got != want {
		p.t.Errorf("%s: %q lives, want %q", what, got, want)
	}
}

func (p *carer) wantNotices(want ...string) {
	p.t.Helper()
	p.settle()
	if got := p.sms.notices(); !slices.Equal(got, want) {
		p.t.Errorf("notices %q, want %q", got, want)
	}
}

func phoneOf(t *testing.T, db *store.DB, number string) store.Phone {
	t.Helper()
	phone, err := db.PhoneByNumber(t.Context(), number)
	noError(t, err)
	return phone
}

// Signing in by a code.

func TestNoCodeNorPasswordIsWrittenDownAnywhere(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		t.Parallel()
		p := newCarer(t, db)
		flow := portal.NewFlow()
		code := p.sent(p.asking(portal.ForLogin, buyerPhone, flow))
		_, err := p.codeLogin(p.withCode(buyerPhone, otherThan(code), flow))
		refused(t, err, portal.CodeWrong)
		signed, err := p.codeLogin(p.withCode(buyerPhone, code, flow))
		noError(t, err)
		reset := p.resetting(managerPhone, p.sent(p.asking(portal.ForReset, managerPhone, flow)), flow)
		noError(t, p.reset(reset))
		_, err = p.change(p.changing(signed.Session, "Wrong2026"))
		refused(t, err, portal.OldPasswordWrong)
		in := p.changing(signed.Session, portal.DemoPassword)
		in.Password, in.Confirm = otherPassword, otherPassword
		fresh, err := p.change(in)
		noError(t, err)
		_, bind, _ := p.proven("nophone", newPhone)
		bind.Password, bind.Confirm = "Kabeljau9", "Kabeljau9"
		bound, err := p.bind(bind)
		noError(t, err)
		s, err := p.SignedIn(t.Context(), bound.Token, p.place(accountHost))
		noError(t, err)
		unbind := p.unbinding(s, "nophone")
		unbind.Code = p.sent(p.askToUnbind(unbind))
		unbind.Password, unbind.Confirm = "Kabeljau9", "Kabeljau9"
		noError(t, p.unbind(unbind))
		pending := p.sent(p.asking(portal.ForExperience, "13900000077", flow))
		p.sms.failWith(errProvider)
		_, err = p.ask(p.asking(portal.ForExperience, "13900000078", flow))
		refused(t, err, portal.SMSUnavailable)
		p.sms.failWith(nil)

		p.leavesNoSecret()
		log := p.log.String()
		dump, err := p.db.Dump(context.WithoutCancel(t.Context()))
		noError(t, err)
		for what, secret := range map[string]string{"flow": flow, "token": signed.Token, "token after": fresh, "token of the binding": bound.Token} {
			if strings.Contains(log, secret) || strings.Contains(dump, secret) {
				t.Errorf("the %s is written down", what)
			}
		}
		if strings.Contains(dump, " "+pending+" ") || strings.Contains(log, "13900000077") || strings.Contains(log, "13900000078") {
			t.Error("the pending code or its phone is written down")
		}
		for kind, want := range map[string]int{"code_sent": 6, "sign_in": 2, "password_reset": 2, "password_changed": 1, "phone_bound": 1, "phone_unbound": 1, "code_failed": 1} {
			if n := p.log.count(`"event":"` + kind + `"`); n != want {
				t.Errorf("the log tells of %s %d times, want %d", kind, n, want)
			}
		}
		for _, m := range p.sms.messages() {
			if m.ID == "" || (m.Code == "") == (m.Notice == "") || m.Notice != "" && (m.Purpose != "" || m.Host != "") {
				t.Errorf("a message that is neither or both: %+v", m)
			}
		}
	})
}
