package signin_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/credentials"
	"portico/portal/onboarding"
	"portico/portal/portaltest"
	"portico/portal/portaltest/companytest"
	"portico/portal/portaltest/credentialtest"
	"portico/portal/signin"
	"portico/store"
)

func TestAResetLocksOutAnAttackerWhoKnewThePassword(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		attacker := credentialtest.SignInEverywhere(p, portaltest.ManyPhone, "sur")
		ticket, err := p.Signin.ClientLogin(p.From("198.51.100.66"),
			signin.ClientLoginInput{Login: portaltest.ManyPhone, Password: onboarding.DemoPassword,
				Client: signin.ClientApp})
		portaltest.NoError(t, err)
		unusedByProgram := p.Enter(attacker.Signed, portaltest.AccountHost, "li.shop", portaltest.PhoneScreen)

		credentialtest.RecoverPassword(p, portaltest.ManyPhone)

		credentialtest.WantSignIns(p, "the attacker's", attacker, "")
		_, err = p.Landing.Token(t.Context(),
			signin.TokenInput{Token: ticket.Ticket, Client: signin.ClientApp, Ticket: true})
		portaltest.Refused(t, err, access.LoginRequired)
		_, err = p.Landing.RedeemForClient(p.From("198.51.100.66"), unusedByProgram.Code, signin.ClientApp, 0)
		portaltest.Refused(t, err, access.LoginRequired)
		if credentialtest.AcceptsPassword(p, portaltest.ManyPhone, onboarding.DemoPassword) {
			t.Error("the attacker signs in again")
		}
		// with what was read before
		_, err = credentialtest.ChangePassword(
			p, credentialtest.ChangePasswordInput(p, attacker.Signed.Session, portaltest.NewPassword),
		)
		if err == nil {
			t.Error("a session that has ended changed the password")
		}
		if credentialtest.AcceptsPassword(p, "li.shop", onboarding.DemoPassword) {
			t.Error("the attacker signs in by the name of an account")
		}
	})
}

func TestAnAttackerWhoKeepsChangingThePasswordCannotPreventAReset(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		attacker, old := p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone), onboarding.DemoPassword
		next := func(n int) error {
			in := credentialtest.ChangePasswordInput(p, attacker.Session, old)
			old = fmt.Sprintf("Walfisch%dq", n)
			in.Password, in.Confirm = old, old
			token, err := credentialtest.ChangePassword(p, in)
			if err == nil {
				attacker.Session, err = p.SignedIn(t.Context(), token, p.Place(portaltest.AccountHost))
			}
			return err
		}
		for n := range 10 {
			portaltest.NoError(t, next(n))
		}
		before := old
		portaltest.Refused(t, next(10), access.TooManyAttempts)
		if !credentialtest.AcceptsPassword(p, portaltest.BuyerPhone, before) {
			t.Error("the eleventh password of the day was taken")
		}

		in := p.ResetInput(portaltest.BuyerPhone, "", core.NewFlow())
		in.Code = p.ReceiveCode(p.CodeRequest(core.ForReset, portaltest.BuyerPhone, in.Flow))
		if err := p.ResetPassword(in); err != nil {
			t.Errorf("the owner's reset: %v", err)
		}
	})
}

func TestACodeRequestedByAnAttackerIsVoidAfterTheOwnersReset(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		flow := core.NewFlow()
		// and reads it over the owner's shoulder
		login := p.ReceiveCode(p.CodeRequest(core.ForLogin, portaltest.BuyerPhone, flow))
		inHouse := p.CodeRequest(core.ForReset, portaltest.BuyerPhone, flow)
		inHouse.Place = p.Place("store1001.portico.test")
		inHouse.CompanyID = 1001
		reset := p.ResetInput(portaltest.BuyerPhone, p.ReceiveCode(inHouse), flow)
		reset.Place, reset.Password, reset.Confirm = inHouse.Place, onboarding.DemoPassword, onboarding.DemoPassword
		portaltest.Refused(t, p.ResetPassword(reset), access.ValidationFailed) // the same password: proven, and kept

		credentialtest.RecoverPassword(p, portaltest.BuyerPhone)

		reset.Password, reset.Confirm = credentialtest.OtherPassword, credentialtest.OtherPassword
		portaltest.Refused(t, p.ResetPassword(reset), access.CodeExpired)
		_, err := p.CodeLogin(p.CodeLoginInput(portaltest.BuyerPhone, login, flow))
		portaltest.Refused(t, err, access.CodeExpired)
		if !credentialtest.AcceptsPassword(p, portaltest.BuyerPhone, portaltest.NewPassword) {
			t.Error("the owner's password is not the one")
		}
	})
}

func TestAProofKeptForAnAccountIsVoidAfterTheOwnersResetByItsName(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		planted := p.CodeRequest(core.ForReset, "", core.NewFlow())
		planted.Login, planted.Place, planted.CompanyID = "buyer1", p.Place("store1001.portico.test"), 1001
		attack := p.ResetInput("", p.ReceiveCode(planted), planted.Flow)
		attack.Login, attack.Place, attack.Password, attack.Confirm = "buyer1", planted.Place, onboarding.DemoPassword,
			onboarding.DemoPassword
		portaltest.Refused(t, p.ResetPassword(attack), access.ValidationFailed)

		ask := p.CodeRequest(core.ForReset, "", core.NewFlow())
		ask.Login = "buyer1"
		in := p.ResetInput("", p.ReceiveCode(ask), ask.Flow)
		in.Login = "buyer1"
		portaltest.NoError(t, p.ResetPassword(in))

		attack.Password, attack.Confirm = credentialtest.OtherPassword, credentialtest.OtherPassword
		if err := p.ResetPassword(attack); !errors.Is(err, access.CodeExpired) {
			t.Errorf("the attacker's reset: %v", err)
		}
		if !credentialtest.AcceptsPassword(p, "buyer1", portaltest.NewPassword) {
			t.Error("the owner's password is not the one")
		}
	})
}

func TestASessionByAccountNameEndsWhenTheAccountsPhoneIsReset(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		attacker, others := credentialtest.SignInEverywhere(
			p, "li.lights", "li.lights",
		), credentialtest.SignInEverywhere(p, "northwind", "northwind")
		unbind := credentialtest.UnbindInput(p, attacker.Signed.Session, "li.lights")
		unbind.Code = p.ReceiveCode(credentialtest.UnbindCodeRequest(p, unbind))
		unbind.Password, unbind.Confirm = credentialtest.OtherPassword, credentialtest.OtherPassword

		credentialtest.RecoverPassword(p, portaltest.ManyPhone)

		credentialtest.WantSignIns(p, "the attacker's", attacker, "")
		credentialtest.WantSignIns(p, "another's", others, credentialtest.AllSignIns)
		if err := credentialtest.Unbind(p, unbind); !errors.Is(err, access.CodeExpired) {
			t.Errorf("the code to take the phone off: %v", err)
		}
		if p.Account("li.lights").PersonID == 0 {
			t.Error("the phone was taken off")
		}
	})
}

func TestAnUnfinishedBindingIsVoidAfterTheOwnersReset(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		// the attacker held the phone for a moment
		signed, in, _ := credentialtest.ProveBind(p, "northwind", portaltest.BuyerPhone)
		_, err := p.Binding.ResumeBind(t.Context(), signed.Session, in.Flow)
		portaltest.NoError(t, err)

		credentialtest.RecoverPassword(p, portaltest.BuyerPhone)

		for _, try := range []credentials.BindInput{in,
			{Session: in.Session, Flow: in.Flow, New: true, Password: credentialtest.OtherPassword,
				Confirm: credentialtest.OtherPassword},
			{Session: in.Session, Flow: in.Flow, Password: portaltest.NewPassword}} {
			_, err := credentialtest.Bind(p, try)
			portaltest.Refused(t, err, access.CodeExpired)
		}
		_, err = p.Binding.ResumeBind(t.Context(), signed.Session, in.Flow)
		portaltest.Refused(t, err, access.CodeExpired)
		_, err = p.Binding.ProveBind(t.Context(), in)
		portaltest.Refused(t, err, access.CodeExpired)
		if p.Account("northwind").PersonID != 0 ||
			!credentialtest.AcceptsPassword(p, portaltest.BuyerPhone, portaltest.NewPassword) {
			t.Error("the phone was bound, or its password changed")
		}
	})
}

func TestAnUnfinishedBindingIsVoidAfterTheOwnerChangesThePassword(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		owner := p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone)
		_, in, _ := credentialtest.ProveBind(p, "northwind", portaltest.BuyerPhone)
		_, err := credentialtest.ChangePassword(
			p, credentialtest.ChangePasswordInput(p, owner.Session, onboarding.DemoPassword),
		)
		portaltest.NoError(t, err)
		in.New, in.Password, in.Confirm = true, credentialtest.OtherPassword, credentialtest.OtherPassword
		_, err = credentialtest.Bind(p, in)
		portaltest.Refused(t, err, access.CodeExpired)
	})
}

func TestAnUnprovenPhoneIsBoundToNoAccount(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		attacker := p.SignIn(portaltest.AccountHost, "northwind")
		in := credentialtest.BindInput(p, attacker, portaltest.NewPhone)
		in.New, in.Password, in.Confirm = true, credentialtest.OtherPassword, credentialtest.OtherPassword
		const own = "13900000099" // the attacker's own phone

		_, err := credentialtest.Bind(p, in) // without a code
		portaltest.Refused(t, err, access.CodeExpired)

		mine := in
		mine.Phone = own
		mine.Code = p.ReceiveCode(credentialtest.BindCodeRequest(p, mine))
		crossed := in
		crossed.Code = mine.Code
		_, err = p.Binding.ProveBind(p.From(portaltest.HomeAddress), crossed) // with another phone's code
		portaltest.Refused(t, err, access.CodeExpired)

		p.ReceiveCode(credentialtest.BindCodeRequest(p, in)) // one is on its way to the owner
		_, err = p.Binding.ProveBind(p.From(portaltest.HomeAddress), crossed)
		if !errors.Is(err, access.CodeWrong) {
			t.Errorf("with another phone's code: %v", err)
		}
		_, err = credentialtest.Bind(p, in)
		portaltest.Refused(t, err, access.CodeExpired)

		p.Clock.Advance(2 * core.DefaultResend)
		// with a code for something else
		for _, purpose := range []access.Purpose{core.ForRegister, core.ForExperience} {
			crossed.Code = p.ReceiveCode(p.CodeRequest(purpose, portaltest.NewPhone, in.Flow))
			_, err = p.Binding.ProveBind(p.From(portaltest.HomeAddress), crossed)
			if !errors.Is(err, access.CodeWrong) {
				t.Errorf("with a code for %s: %v", purpose, err)
			}
		}
		if p.Account("northwind").PersonID != 0 {
			t.Error("it was bound")
		}
		if _, err := p.DB.Persons.ByNumber(t.Context(), portaltest.NewPhone); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("the phone was registered: %v", err)
		}

		p.Clock.Advance(time.Hour)
		// the owner, who has no account
		_, err = p.AskCode(p.CodeRequest(core.ForLogin, portaltest.NewPhone, core.NewFlow()))
		portaltest.Refused(t, err, access.PhoneNotBound)
		_, owners, bound := credentialtest.ProveBind(p, "nophone", portaltest.NewPhone)
		if bound.Need != credentials.NeedNewPassword || len(bound.Others) != 0 {
			t.Errorf("%+v", bound)
		}
		owners.Password, owners.Confirm = portaltest.NewPassword, portaltest.NewPassword
		_, err = credentialtest.Bind(p, owners)
		portaltest.NoError(t, err)
		sign := p.LoginInput(portaltest.NewPhone)
		sign.Password = portaltest.NewPassword
		signed, err := p.Login(sign)
		portaltest.NoError(t, err)
		companytest.WantAccounts(p.Platform, signed.Session, "1001 shop:nophone")
		if credentialtest.AcceptsPassword(p, portaltest.NewPhone, credentialtest.OtherPassword) {
			t.Error("the attacker's password opens it")
		}
	})
}

func TestAnUnusedCodeForAnAccountsPhoneExpiresWithTheOwnersReset(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		flow := core.NewFlow()
		var inputs []credentials.ResetInput
		for _, login := range []string{"li.shop", "sur"} { // one code a phone: the later kills the earlier
			ask := p.CodeRequest(core.ForReset, "", flow)
			ask.Login = login
			in := p.ResetInput("", p.ReceiveCode(ask), flow)
			in.Login, in.Password, in.Confirm = login, credentialtest.OtherPassword, credentialtest.OtherPassword
			inputs = append(inputs, in)
			p.Clock.Advance(core.DefaultResend)
		}
		credentialtest.RecoverPassword(p, portaltest.ManyPhone)
		for _, in := range inputs {
			portaltest.Refused(t, p.ResetPassword(in), access.CodeExpired)
		}
		if credentialtest.AcceptsPassword(p, "sur", credentialtest.OtherPassword) ||
			credentialtest.AcceptsPassword(p, "li.shop", credentialtest.OtherPassword) {
			t.Error("the attacker's password opens an account")
		}
	})
}
