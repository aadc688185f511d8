package signin_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/binding"
	"portico/portal/credentials"
	"portico/portal/landing"
	"portico/portal/onboarding"
	"portico/portal/portaltest"
	"portico/portal/signin"
	"portico/portal/verification"
	"portico/store"
)

func TestAResetLocksOutAnAttackerWhoKnewThePassword(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		attacker := p.Open(portaltest.ManyPhone, "sur")
		ticket, err := p.Signin.ClientLogin(p.From("198.51.100.66"),
			signin.ClientLoginInput{Login: portaltest.ManyPhone, Password: onboarding.DemoPassword,
				Client: landing.ClientApp})
		portaltest.NoError(t, err)
		unusedByProgram := p.Enter(attacker.Signed, portaltest.AccountHost, "li.shop", portaltest.PhoneScreen)

		p.Recovers(portaltest.ManyPhone)

		p.WantLives("the attacker's", attacker, "")
		_, err = p.Landing.Token(t.Context(),
			landing.TokenInput{Token: ticket.Ticket, Client: landing.ClientApp, Ticket: true})
		portaltest.Refused(t, err, access.LoginRequired)
		_, err = p.Landing.RedeemForClient(p.From("198.51.100.66"), unusedByProgram.Code, landing.ClientApp, 0)
		portaltest.Refused(t, err, access.LoginRequired)
		if p.Opens(portaltest.ManyPhone, onboarding.DemoPassword) {
			t.Error("the attacker signs in again")
		}
		_, err = p.Change(p.Changing(attacker.Signed.Session, portaltest.NewPassword)) // with what was read before
		if err == nil {
			t.Error("a session that has ended changed the password")
		}
		if p.Opens("li.shop", onboarding.DemoPassword) {
			t.Error("the attacker signs in by the name of an account")
		}
	})
}

func TestAnAttackerWhoKeepsChangingThePasswordCannotPreventAReset(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		attacker, old := p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone), onboarding.DemoPassword
		next := func(n int) error {
			in := p.Changing(attacker.Session, old)
			old = fmt.Sprintf("Walfisch%dq", n)
			in.Password, in.Confirm = old, old
			token, err := p.Change(in)
			if err == nil {
				attacker.Session, err = p.SignedIn(t.Context(), token, p.Place(portaltest.AccountHost))
			}
			return err
		}
		for n := range credentials.PasswordChanges {
			portaltest.NoError(t, next(n))
		}
		before := old
		portaltest.Refused(t, next(credentials.PasswordChanges), access.TooManyAttempts)
		if !p.Opens(portaltest.BuyerPhone, before) {
			t.Error("the eleventh password of the day was taken")
		}

		in := p.Resetting(portaltest.BuyerPhone, "", verification.NewFlow())
		in.Code = p.Sent(p.Asking(verification.ForReset, portaltest.BuyerPhone, in.Flow))
		if err := p.Reset(in); err != nil {
			t.Errorf("the owner's reset: %v", err)
		}
	})
}

func TestACodeRequestedByAnAttackerIsVoidAfterTheOwnersReset(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		flow := verification.NewFlow()
		// and reads it over the owner's shoulder
		login := p.Sent(p.Asking(verification.ForLogin, portaltest.BuyerPhone, flow))
		inHouse := p.Asking(verification.ForReset, portaltest.BuyerPhone, flow)
		inHouse.Place = p.Place("store1001.portico.test")
		inHouse.CompanyID = 1001
		reset := p.Resetting(portaltest.BuyerPhone, p.Sent(inHouse), flow)
		reset.Place, reset.Password, reset.Confirm = inHouse.Place, onboarding.DemoPassword, onboarding.DemoPassword
		portaltest.Refused(t, p.Reset(reset), access.ValidationFailed) // the same password: proven, and kept

		p.Recovers(portaltest.BuyerPhone)

		reset.Password, reset.Confirm = portaltest.OtherPassword, portaltest.OtherPassword
		portaltest.Refused(t, p.Reset(reset), access.CodeExpired)
		_, err := p.CodeLogin(p.WithCode(portaltest.BuyerPhone, login, flow))
		portaltest.Refused(t, err, access.CodeExpired)
		if !p.Opens(portaltest.BuyerPhone, portaltest.NewPassword) {
			t.Error("the owner's password is not the one")
		}
	})
}

func TestAProofKeptForAnAccountIsVoidAfterTheOwnersResetByItsName(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		planted := p.Asking(verification.ForReset, "", verification.NewFlow())
		planted.Login, planted.Place, planted.CompanyID = "buyer1", p.Place("store1001.portico.test"), 1001
		attack := p.Resetting("", p.Sent(planted), planted.Flow)
		attack.Login, attack.Place, attack.Password, attack.Confirm = "buyer1", planted.Place, onboarding.DemoPassword,
			onboarding.DemoPassword
		portaltest.Refused(t, p.Reset(attack), access.ValidationFailed)

		ask := p.Asking(verification.ForReset, "", verification.NewFlow())
		ask.Login = "buyer1"
		in := p.Resetting("", p.Sent(ask), ask.Flow)
		in.Login = "buyer1"
		portaltest.NoError(t, p.Reset(in))

		attack.Password, attack.Confirm = portaltest.OtherPassword, portaltest.OtherPassword
		if err := p.Reset(attack); !errors.Is(err, access.CodeExpired) {
			t.Errorf("the attacker's reset: %v", err)
		}
		if !p.Opens("buyer1", portaltest.NewPassword) {
			t.Error("the owner's password is not the one")
		}
	})
}

func TestASessionByAccountNameEndsWhenTheAccountsPhoneIsReset(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		attacker, others := p.Open("li.lights", "li.lights"), p.Open("northwind", "northwind")
		unbind := p.Unbinding(attacker.Signed.Session, "li.lights")
		unbind.Code = p.Sent(p.AskToUnbind(unbind))
		unbind.Password, unbind.Confirm = portaltest.OtherPassword, portaltest.OtherPassword

		p.Recovers(portaltest.ManyPhone)

		p.WantLives("the attacker's", attacker, "")
		p.WantLives("another's", others, portaltest.Everything)
		if err := p.Unbind(unbind); !errors.Is(err, access.CodeExpired) {
			t.Errorf("the code to take the phone off: %v", err)
		}
		if p.Account("li.lights").PhoneID == 0 {
			t.Error("the phone was taken off")
		}
	})
}

func TestAnUnfinishedBindingIsVoidAfterTheOwnersReset(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		signed, in, _ := p.Proven("northwind", portaltest.BuyerPhone) // the attacker held the phone for a moment
		_, err := p.Binding.ResumeBind(t.Context(), signed.Session, in.Flow)
		portaltest.NoError(t, err)

		p.Recovers(portaltest.BuyerPhone)

		for _, try := range []binding.BindInput{in,
			{Session: in.Session, Flow: in.Flow, New: true, Password: portaltest.OtherPassword,
				Confirm: portaltest.OtherPassword},
			{Session: in.Session, Flow: in.Flow, Password: portaltest.NewPassword}} {
			_, err := p.Bind(try)
			portaltest.Refused(t, err, access.CodeExpired)
		}
		_, err = p.Binding.ResumeBind(t.Context(), signed.Session, in.Flow)
		portaltest.Refused(t, err, access.CodeExpired)
		_, err = p.Binding.ProveBind(t.Context(), in)
		portaltest.Refused(t, err, access.CodeExpired)
		if p.Account("northwind").PhoneID != 0 || !p.Opens(portaltest.BuyerPhone, portaltest.NewPassword) {
			t.Error("the phone was bound, or its password changed")
		}
	})
}

func TestAnUnfinishedBindingIsVoidAfterTheOwnerChangesThePassword(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		owner := p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone)
		_, in, _ := p.Proven("northwind", portaltest.BuyerPhone)
		_, err := p.Change(p.Changing(owner.Session, onboarding.DemoPassword))
		portaltest.NoError(t, err)
		in.New, in.Password, in.Confirm = true, portaltest.OtherPassword, portaltest.OtherPassword
		_, err = p.Bind(in)
		portaltest.Refused(t, err, access.CodeExpired)
	})
}

func TestAnUnprovenPhoneIsBoundToNoAccount(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		attacker := p.SignIn(portaltest.AccountHost, "northwind")
		in := p.BindingOf(attacker, portaltest.NewPhone)
		in.New, in.Password, in.Confirm = true, portaltest.OtherPassword, portaltest.OtherPassword
		const own = "13900000099" // the attacker's own phone

		_, err := p.Bind(in) // without a code
		portaltest.Refused(t, err, access.CodeExpired)

		mine := in
		mine.Phone = own
		mine.Code = p.Sent(p.AskToBind(mine))
		crossed := in
		crossed.Code = mine.Code
		_, err = p.Binding.ProveBind(p.From(portaltest.HomeAddress), crossed) // with another phone's code
		portaltest.Refused(t, err, access.CodeExpired)

		p.Sent(p.AskToBind(in)) // one is on its way to the owner
		_, err = p.Binding.ProveBind(p.From(portaltest.HomeAddress), crossed)
		if !errors.Is(err, access.CodeWrong) {
			t.Errorf("with another phone's code: %v", err)
		}
		_, err = p.Bind(in)
		portaltest.Refused(t, err, access.CodeExpired)

		p.Clock.Advance(2 * verification.DefaultResend)
		// with a code for something else
		for _, purpose := range []access.Purpose{verification.ForRegister, verification.ForExperience} {
			crossed.Code = p.Sent(p.Asking(purpose, portaltest.NewPhone, in.Flow))
			_, err = p.Binding.ProveBind(p.From(portaltest.HomeAddress), crossed)
			if !errors.Is(err, access.CodeWrong) {
				t.Errorf("with a code for %s: %v", purpose, err)
			}
		}
		if p.Account("northwind").PhoneID != 0 {
			t.Error("it was bound")
		}
		if _, err := p.Db.Phones.ByNumber(t.Context(), portaltest.NewPhone); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("the phone was registered: %v", err)
		}

		p.Clock.Advance(time.Hour)
		// the owner, who has no account
		_, err = p.Ask(p.Asking(verification.ForLogin, portaltest.NewPhone, verification.NewFlow()))
		portaltest.Refused(t, err, access.PhoneNotBound)
		_, owners, bound := p.Proven("nophone", portaltest.NewPhone)
		if bound.Need != binding.NeedNewPassword || len(bound.Others) != 0 {
			t.Errorf("%+v", bound)
		}
		owners.Password, owners.Confirm = portaltest.NewPassword, portaltest.NewPassword
		_, err = p.Bind(owners)
		portaltest.NoError(t, err)
		sign := p.As(portaltest.NewPhone)
		sign.Password = portaltest.NewPassword
		signed, err := p.Login(sign)
		portaltest.NoError(t, err)
		p.WantList(signed.Session, "1001 shop:nophone")
		if p.Opens(portaltest.NewPhone, portaltest.OtherPassword) {
			t.Error("the attacker's password opens it")
		}
	})
}

func TestAnUnusedCodeForAnAccountsPhoneExpiresWithTheOwnersReset(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		flow := verification.NewFlow()
		var inputs []credentials.ResetInput
		for _, login := range []string{"li.shop", "sur"} { // one code a phone: the later kills the earlier
			ask := p.Asking(verification.ForReset, "", flow)
			ask.Login = login
			in := p.Resetting("", p.Sent(ask), flow)
			in.Login, in.Password, in.Confirm = login, portaltest.OtherPassword, portaltest.OtherPassword
			inputs = append(inputs, in)
			p.Clock.Advance(verification.DefaultResend)
		}
		p.Recovers(portaltest.ManyPhone)
		for _, in := range inputs {
			portaltest.Refused(t, p.Reset(in), access.CodeExpired)
		}
		if p.Opens("sur", portaltest.OtherPassword) || p.Opens("li.shop", portaltest.OtherPassword) {
			t.Error("the attacker's password opens an account")
		}
	})
}
