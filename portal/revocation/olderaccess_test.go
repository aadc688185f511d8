package revocation_test

import (
	"testing"

	"portico/portal/access"
	"portico/portal/onboarding"
	"portico/portal/portaltest"
	"portico/portal/verification"
)

func TestBindingAPhoneEndsAllPlantedAccessToTheAccount(t *testing.T) {
	portaltest.InBothModes(t, func(t *testing.T, p *portaltest.Chatter) {
		a, first := p.PlantedAccount()
		p.Binds("newcomer", portaltest.PlantedPassword, portaltest.NewPhone, false)
		a.IsOut(first, portaltest.PlantedPassword)
		if p.Events(1001, "account_password_ended") != 1 || p.Events(1001, "identity_unlinked") != 1 {
			t.Error("the company's audit log does not say so")
		}
		if !p.Opens(portaltest.NewPhone, portaltest.OwnChoice) {
			t.Error("the holder is out too")
		}
	})
}

func TestAHolderMayKeepTheAccountsPasswordAtABindingButNotItsLinks(t *testing.T) {
	portaltest.InBothModes(t, func(t *testing.T, p *portaltest.Chatter) {
		a, first := p.PlantedAccount()
		p.Binds("newcomer", portaltest.PlantedPassword, portaltest.NewPhone, true)
		a.IsOut(first)
		if !p.Opens("newcomer", portaltest.PlantedPassword) || p.Events(1001, "account_password_ended") != 0 {
			t.Error("the password was not kept")
		}
	})
}

func TestResettingAPhoneEndsAllPlantedAccessToItsAccounts(t *testing.T) {
	portaltest.InBothModes(t, func(t *testing.T, p *portaltest.Chatter) {
		a, first := p.PlantedAccount()
		p.Binds("newcomer", portaltest.PlantedPassword, portaltest.NewPhone, true)
		a.IsOut(first)
		b := p.Intrudes("newcomer", portaltest.PlantedPassword) // again, with the password that was kept
		p.Recovers(portaltest.NewPhone)
		b.IsOut(first, portaltest.PlantedPassword)
		if p.Events(1001, "account_password_ended") != 1 {
			t.Error("the company's audit log does not say so")
		}
	})
}

func TestAHolderMayKeepTheAccountsPasswordsAtAReset(t *testing.T) {
	portaltest.EachChat(t, func(t *testing.T, p *portaltest.Chatter) {
		in := p.Resetting(portaltest.ManyPhone, "", verification.NewFlow())
		in.Code, in.Keep = p.Sent(p.Asking(verification.ForReset, portaltest.ManyPhone, in.Flow)), true
		portaltest.NoError(t, p.Reset(in))
		if !p.Opens("sur", onboarding.DemoPassword) || !p.Opens("li.lights", onboarding.DemoPassword) ||
			p.Opens(portaltest.ManyPhone, onboarding.DemoPassword) {
			t.Error("not the phone's password alone was changed")
		}
	})
}

func TestAFirstPasswordExpiresWhenItsAccountsPhoneIsResetOrBound(t *testing.T) {
	portaltest.InBothModes(t, func(t *testing.T, p *portaltest.Chatter) {
		m := p.Account("li.manager")
		given, err := p.Backoffice.GiveFirstPassword(p.From(portaltest.HomeAddress), p.Boss(), m.ID, "")
		portaltest.NoError(t, err)
		in := p.Resetting(portaltest.ManyPhone, "", verification.NewFlow())
		// nobody chose it, so it is not kept
		in.Code, in.Keep = p.Sent(
			p.Asking(verification.ForReset, portaltest.ManyPhone, in.Flow),
		), true
		portaltest.NoError(t, p.Reset(in))
		if p.Opens("li.manager", given.Password) {
			t.Error("the administrator signs in with it")
		}
	})
}

func TestABindingThatReplacesThePhonesPasswordRemovesThePasswordsOfItsOtherAccounts(t *testing.T) {
	portaltest.InBothModes(t, func(t *testing.T, p *portaltest.Chatter) {
		a := p.Intrudes("li.shop", onboarding.DemoPassword)
		signed := p.SignIn(portaltest.AccountHost, "nophone")
		in := p.BindingOf(signed, portaltest.ManyPhone)
		in.Code = p.Sent(p.AskToBind(in))
		_, err := p.Binding.ProveBind(p.From(portaltest.HomeAddress), in)
		portaltest.NoError(t, err)
		in.New, in.Password, in.Confirm = true, portaltest.NewPassword, portaltest.NewPassword
		_, err = p.Bind(in)
		portaltest.NoError(t, err)
		a.IsOut(onboarding.DemoPassword)
	})
}

func TestReplacingAFirstPasswordEndsAllOtherAccessToTheAccount(t *testing.T) {
	portaltest.EachChat(t, func(t *testing.T, p *portaltest.Chatter) {
		first := p.First("newcomer").First.Password
		p.LinkedRow(portaltest.Someone(81), "newcomer") // in any way
		signed, err := p.Login(p.Named("newcomer", first))
		portaltest.NoError(t, err)
		other, err := p.Login(p.Named("newcomer", first))
		portaltest.NoError(t, err)
		_, err = p.Replace(signed.Session, first, portaltest.OwnChoice)
		portaltest.NoError(t, err)
		p.WantLinks(0)
		portaltest.Refused(t, p.RequestSignedIn(other.Token, portaltest.AccountHost), access.LoginRequired)
		if p.Opens("newcomer", first) || !p.Opens("newcomer", portaltest.OwnChoice) {
			t.Error("not the new password alone opens it")
		}
	})
}

func TestALinkMadeWhileAPhoneIsBoundIsRefusedOrEnds(t *testing.T) {
	portaltest.EachChat(t, func(t *testing.T, p *portaltest.Chatter) {
		b := p.Browser(portaltest.AccountHost, portaltest.InWeChat)
		pending := b.Proven(access.WeChat, portaltest.Someone(81), "nophone")
		_, in, _ := p.Proven("nophone", portaltest.NewPhone)
		in.Password, in.Confirm = portaltest.NewPassword, portaltest.NewPassword
		done := make(chan error, 1)
		go func() { _, err := b.Confirms(pending); done <- err }()
		_, err := p.Bind(in)
		portaltest.NoError(t, err)
		<-done // either way
		p.WantLinks(0)
	})
}
