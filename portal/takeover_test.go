package portal_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"portico/portal"
	"portico/store"
)

// What was planted before the rightful owner proved their phone: each test plays an attacker, then the
// owner, then the attacker again.

// recovers is the owner, who resets the password of a phone by a code sent to it.
func (p *carer) recovers(phone string) {
	p.t.Helper()
	in := p.resetting(phone, "", portal.NewFlow())
	in.Code = p.sent(p.asking(portal.ForReset, phone, in.Flow))
	noError(p.t, p.reset(in))
}

func TestAnAttackerWhoKnewThePasswordIsLockedOutByAReset(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		attacker := p.open(manyPhone, "sur")
		ticket, err := p.MixedLogin(p.from("198.51.100.66"), portal.MixedLoginInput{Login: manyPhone, Password: portal.DemoPassword, Client: portal.ClientApp})
		noError(t, err)
		unusedByProgram := p.enter(attacker.signed, accountHost, "li.shop", phoneScreen)

		p.recovers(manyPhone)

		p.wantLives("the attacker's", attacker, "")
		_, err = p.Token(t.Context(), portal.TokenInput{Token: ticket.Ticket, Client: portal.ClientApp, Ticket: true})
		refused(t, err, portal.LoginRequired)
		_, err = p.RedeemForClient(p.from("198.51.100.66"), unusedByProgram.Code, portal.ClientApp, 0)
		refused(t, err, portal.LoginRequired)
		if p.opens(manyPhone, portal.DemoPassword) {
			t.Error("the attacker signs in again")
		}
		_, err = p.change(p.changing(attacker.signed.Session, newPassword)) // with what was read before
		if err == nil {
			t.Error("a session that has ended changed the password")
		}
		if p.opens("li.shop", portal.DemoPassword) {
			t.Error("the attacker signs in by the name of an account")
		}
	})
}

func TestAnAttackerWhoChangesThePasswordAgainAndAgainDoesNotKeepTheOwnerFromAReset(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		attacker, old := p.signIn(accountHost, buyerPhone), portal.DemoPassword
		next := func(n int) error {
			in := p.changing(attacker.Session, old)
			old = fmt.Sprintf("Walfisch%dq", n)
			in.Password, in.Confirm = old, old
			token, err := p.change(in)
			if err == nil {
				attacker.Session, err = p.SignedIn(t.Context(), token, p.place(accountHost))
			}
			return err
		}
		for n := range portal.PasswordChanges {
			noError(t, next(n))
		}
		before := old
		refused(t, next(portal.PasswordChanges), portal.TooManyAttempts)
		if !p.opens(buyerPhone, before) {
			t.Error("the eleventh password of the day was taken")
		}

		in := p.resetting(buyerPhone, "", portal.NewFlow())
		in.Code = p.sent(p.asking(portal.ForReset, buyerPhone, in.Flow))
		if err := p.reset(in); err != nil {
			t.Errorf("the owner's reset: %v", err)
		}
	})
}

func TestACodeThatAnAttackerAskedForIsVoidAfterTheOwnersReset(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		flow := portal.NewFlow()
		login := p.sent(p.asking(portal.ForLogin, buyerPhone, flow)) // and reads it over the owner's shoulder
		inHouse := p.asking(portal.ForReset, buyerPhone, flow)
		inHouse.Place = p.place("store1001.portico.test")
		inHouse.CompanyID = 1001
		reset := p.resetting(buyerPhone, p.sent(inHouse), flow)
		reset.Place, reset.Password, reset.Confirm = inHouse.Place, portal.DemoPassword, portal.DemoPassword
		refused(t, p.reset(reset), portal.ValidationFailed) // the same password: proven, and kept

		p.recovers(buyerPhone)

		reset.Password, reset.Confirm = otherPassword, otherPassword
		refused(t, p.reset(reset), portal.CodeExpired)
		_, err := p.codeLogin(p.withCode(buyerPhone, login, flow))
		refused(t, err, portal.CodeExpired)
		if !p.opens(buyerPhone, newPassword) {
			t.Error("the owner's password is not the one")
		}
	})
}

func TestAProofKeptForAnAccountIsVoidAfterTheOwnersResetByItsName(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		planted := p.asking(portal.ForReset, "", portal.NewFlow())
		planted.Login, planted.Place, planted.CompanyID = "buyer1", p.place("store1001.portico.test"), 1001
		attack := p.resetting("", p.sent(planted), planted.Flow)
		attack.Login, attack.Place, attack.Password, attack.Confirm = "buyer1", planted.Place, portal.DemoPassword, portal.DemoPassword
		refused(t, p.reset(attack), portal.ValidationFailed)

		ask := p.asking(portal.ForReset, "", portal.NewFlow())
		ask.Login = "buyer1"
		in := p.resetting("", p.sent(ask), ask.Flow)
		in.Login = "buyer1"
		noError(t, p.reset(in))

		attack.Password, attack.Confirm = otherPassword, otherPassword
		if err := p.reset(attack); !errors.Is(err, portal.CodeExpired) {
			t.Errorf("the attacker's reset: %v", err)
		}
		if !p.opens("buyer1", newPassword) {
			t.Error("the owner's password is not the one")
		}
	})
}

func TestASessionByTheNameOfAnAccountEndsWhenItsPhoneIsReset(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		attacker, others := p.open("li.lights", "li.lights"), p.open("northwind", "northwind")
		unbind := p.unbinding(attacker.signed.Session, "li.lights")
		unbind.Code = p.sent(p.askToUnbind(unbind))
		unbind.Password, unbind.Confirm = otherPassword, otherPassword

		p.recovers(manyPhone)

		p.wantLives("the attacker's", attacker, "")
		p.wantLives("another's", others, everything)
		if err := p.unbind(unbind); !errors.Is(err, portal.CodeExpired) {
			t.Errorf("the code to take the phone off: %v", err)
		}
		if p.account("li.lights").PhoneID == 0 {
			t.Error("the phone was taken off")
		}
	})
}

func TestABindingProvenButUnfinishedIsVoidAfterTheOwnersReset(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		signed, in, _ := p.proven("northwind", buyerPhone) // the attacker held the phone for a moment
		_, err := p.ResumeBind(t.Context(), signed.Session, in.Flow)
		noError(t, err)

		p.recovers(buyerPhone)

		for _, try := range []portal.BindInput{in, {Session: in.Session, Flow: in.Flow, New: true, Password: otherPassword, Confirm: otherPassword}, {Session: in.Session, Flow: in.Flow, Password: newPassword}} {
			_, err := p.bind(try)
			refused(t, err, portal.CodeExpired)
		}
		_, err = p.ResumeBind(t.Context(), signed.Session, in.Flow)
		refused(t, err, portal.CodeExpired)
		_, err = p.ProveBind(t.Context(), in)
		refused(t, err, portal.CodeExpired)
		if p.account("northwind").PhoneID != 0 || !p.opens(buyerPhone, newPassword) {
			t.Error("the phone was bound, or its password changed")
		}
	})
}

func TestABindingProvenButUnfinishedIsVoidAfterTheOwnerChangesThePassword(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		owner := p.signIn(accountHost, buyerPhone)
		_, in, _ := p.proven("northwind", buyerPhone)
		_, err := p.change(p.changing(owner.Session, portal.DemoPassword))
		noError(t, err)
		in.New, in.Password, in.Confirm = true, otherPassword, otherPassword
		_, err = p.bind(in)
		refused(t, err, portal.CodeExpired)
	})
}

func TestAPhoneThatWasNeverProvenIsPlantedNowhere(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		attacker := p.signIn(accountHost, "northwind")
		in := p.binding(attacker, newPhone)
		in.New, in.Password, in.Confirm = true, otherPassword, otherPassword
		const own = "13900000099" // the attacker's own phone

		_, err := p.bind(in) // without a code
		refused(t, err, portal.CodeExpired)

		mine := in
		mine.Phone = own
		mine.Code = p.sent(p.askToBind(mine))
		crossed := in
		crossed.Code = mine.Code
		_, err = p.ProveBind(p.from(homeAddress), crossed) // with another phone's code
		refused(t, err, portal.CodeExpired)

		p.sent(p.askToBind(in)) // one is on its way to the owner
		_, err = p.ProveBind(p.from(homeAddress), crossed)
		if !errors.Is(err, portal.CodeWrong) {
			t.Errorf("with another phone's code: %v", err)
		}
		_, err = p.bind(in)
		refused(t, err, portal.CodeExpired)

		p.clock.advance(2 * portal.DefaultResend)
		for _, purpose := range []portal.Purpose{portal.ForRegister, portal.ForExperience} { // with a code for something else
			crossed.Code = p.sent(p.asking(purpose, newPhone, in.Flow))
			_, err = p.ProveBind(p.from(homeAddress), crossed)
			if !errors.Is(err, portal.CodeWrong) {
				t.Errorf("with a code for %s: %v", purpose, err)
			}
		}
		if p.account("northwind").PhoneID != 0 {
			t.Error("it was bound")
		}
		if _, err := p.db.PhoneByNumber(t.Context(), newPhone); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("the phone was registered: %v", err)
		}

		p.clock.advance(time.Hour)
		_, err = p.ask(p.asking(portal.ForLogin, newPhone, portal.NewFlow())) // the owner, who has no account
		refused(t, err, portal.PhoneNotBound)
		_, owners, bound := p.proven("nophone", newPhone)
		if bound.Need != portal.NeedNewPassword || len(bound.Others) != 0 {
			t.Errorf("%+v", bound)
		}
		owners.Password, owners.Confirm = newPassword, newPassword
		_, err = p.bind(owners)
		noError(t, err)
		sign := p.as(newPhone)
		sign.Password = newPassword
		signed, err := p.login(sign)
		noError(t, err)
		p.wantList(signed.Session, "1001 shop:nophone")
		if p.opens(newPhone, otherPassword) {
			t.Error("the attacker's password opens it")
		}
	})
}

func TestAnOpenCodeForAnAccountsPhoneDoesNotOutliveTheOwnersReset(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		flow := portal.NewFlow()
		var inputs []portal.ResetInput
		for _, login := range []string{"li.shop", "sur"} { // one code a phone: the later kills the earlier
			ask := p.asking(portal.ForReset, "", flow)
			ask.Login = login
			in := p.resetting("", p.sent(ask), flow)
			in.Login, in.Password, in.Confirm = login, otherPassword, otherPassword
			inputs = append(inputs, in)
			p.clock.advance(portal.DefaultResend)
		}
		p.recovers(manyPhone)
		for _, in := range inputs {
			refused(t, p.reset(in), portal.CodeExpired)
		}
		if p.opens("sur", otherPassword) || p.opens("li.shop", otherPassword) {
			t.Error("the attacker's password opens an account")
		}
	})
}
