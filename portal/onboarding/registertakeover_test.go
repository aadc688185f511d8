package onboarding_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/onboarding"
	"portico/portal/portaltest"
	"portico/portal/portaltest/companytest"
	"portico/portal/portaltest/credentialtest"
	"portico/portal/portaltest/onboardingtest"
	"portico/portal/portaltest/sessiontest"
	"portico/portal/signin"
	"portico/store"
)

// These tests check that nothing an attacker prepared, before or after the owner of a phone registered, gives access.

// WantNotSignedIn fails the test unless a proof was refused and gave no token.
func WantNotSignedIn(t *testing.T, what string, token string, err error) {
	t.Helper()
	if with := new(access.Refused); !errors.As(err, &with) || token != "" {
		t.Errorf("%s: %v", what, err)
	}
}

func TestATrialsSessionsEndWhenThePhonesOwnerRegisters(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		attacker, proof := onboardingtest.OpenSandboxFor(p, portaltest.NewPhone, onboardingtest.Seafood)
		s := sessiontest.StoredSession(p.Platform, attacker.LoginResult, portaltest.AccountHost)
		mgr, shop := onboardingtest.RoleAccount(p, s, "mgr", true), onboardingtest.RoleAccount(p, s, "shop", false)
		office, mall := sessiontest.EnterAccount(p, s, mgr), sessiontest.EnterAccount(p, s, shop)
		waiting, err := p.Entry.Enter(p.From(portaltest.HomeAddress), access.EnterInput{
			Session: s, AccountID: mgr.ID, Place: p.Place(portaltest.AccountHost), Device: portaltest.Desktop,
		})
		portaltest.NoError(t, err)
		user, err := p.Onboarding.ExperienceUser(
			p.From(portaltest.HomeAddress), onboarding.RoleInput{Role: "mgr", Session: s}, signin.ClientApp,
		)
		portaltest.NoError(t, err)

		owner, _ := onboardingtest.RegisterPhone(p, portaltest.NewPhone)

		portaltest.Refused(t, p.RequestSignedIn(attacker.Token, portaltest.AccountHost), access.LoginRequired)
		for _, v := range []sessiontest.Visit{office, mall} {
			_, err := p.LandingAt(v.Destination, v.Token)
			portaltest.Refused(t, err, access.LoginRequired)
		}
		_, err = p.Redeem(waiting, "")
		portaltest.Refused(t, err, access.RedirectFailed)
		_, err = credentialtest.TokenSession(p, string(user.Token))
		portaltest.Refused(t, err, access.LoginRequired)
		again, err := onboardingtest.OpenSandbox(p, proof)
		WantNotSignedIn(t, "the attacker's proof", again.Token, err)
		_, err = p.Onboarding.ChooseRole(t.Context(), onboarding.RoleInput{Role: "mgr", Session: s})
		portaltest.Refused(t, err, access.WrongParameters)
		if owner.Member.CompanyID != attacker.CompanyID || owner.Member.ID != mgr.ID || owner.Member.Company.Sandbox ||
			owner.Member.Company.Name != onboardingtest.CompanyName || owner.Member.Name != onboardingtest.PersonName {
			t.Errorf("the owner's company is %+v", owner.Member)
		}
		portaltest.NoError(t, p.RequestSignedIn(owner.Token, portaltest.AccountHost))
		if !credentialtest.AcceptsPassword(p, portaltest.NewPhone, portaltest.NewPassword) {
			t.Error("the owner is not in")
		}
	})
}

func TestAProofOfAnotherTrialIsVoidOnceTheOwnerRegisters(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		_, planted := onboardingtest.OpenSandboxFor(p, portaltest.NewPhone, onboardingtest.Groceries)
		p.Clock.Advance(core.DefaultResend)
		onboardingtest.OpenSandboxFor(p, portaltest.NewPhone, onboardingtest.Seafood)
		// makes the later one the company; the earlier one is still a trial
		owner, _ := onboardingtest.RegisterPhone(p, portaltest.NewPhone)

		again, err := onboardingtest.OpenSandbox(p, planted)
		WantNotSignedIn(t, "the attacker's earlier proof", again.Token, err)
		if again.Token != "" && p.RequestSignedIn(again.Token, portaltest.AccountHost) == nil {
			t.Errorf(
				"it signs in to %q", companytest.DescribeAccounts(companytest.ListAccounts(p.Platform, again.Session)),
			)
		}
		portaltest.NoError(t, p.RequestSignedIn(owner.Token, portaltest.AccountHost))
	})
}

func TestAUsedRegistrationProofIsVoidOnceThePasswordIsReset(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		// by a code read over the owner's shoulder
		attacker, proof := onboardingtest.RegisterPhone(p, portaltest.NewPhone)
		reset := p.ResetInput(portaltest.NewPhone, "", core.NewFlow())
		reset.Password, reset.Confirm = credentialtest.OtherPassword, credentialtest.OtherPassword
		reset.Code = p.ReceiveCode(p.CodeRequest(core.ForReset, portaltest.NewPhone, reset.Flow))
		portaltest.NoError(t, p.ResetPassword(reset))
		portaltest.Refused(t, p.RequestSignedIn(attacker.Token, portaltest.AccountHost), access.LoginRequired)
		again, err := onboardingtest.Register(p, proof)
		WantNotSignedIn(t, "the attacker's proof", again.Token, err)
		program := proof
		program.Client = signin.ClientApp
		again, err = onboardingtest.Register(p, program)
		WantNotSignedIn(t, "a program with it", string(again.User.Token), err)
	})
}

func TestAUsedRegistrationProofIsVoidOnceTheAccountHasAnotherPhone(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		made, proof := onboardingtest.RegisterPhone(p, portaltest.NewPhone)
		m := made.Member
		portaltest.NoError(t, p.DB.Persons.Unbind(t.Context(), m.CompanyID, m.ID, m.PersonID))
		again, err := onboardingtest.Register(p, proof)
		WantNotSignedIn(t, "while it has none", again.Token, err)
		portaltest.NoError(
			t, p.DB.Persons.Bind(t.Context(), m.CompanyID, m.ID, portaltest.PersonOf(t, p.DB, portaltest.ManyPhone)),
		)
		again, err = onboardingtest.Register(p, proof)
		WantNotSignedIn(t, "with another's", again.Token, err)
		if again.Session.PersonID == portaltest.PersonOf(t, p.DB, portaltest.ManyPhone).ID {
			t.Errorf(
				"it signs in to %q", companytest.DescribeAccounts(companytest.ListAccounts(p.Platform, again.Session)),
			)
		}
	})
}

func TestGuessesOfAUsedProofAreCounted(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		// what all programs share
		in := onboardingtest.SandboxInput(p, portaltest.NewPhone, "", "api:APP", onboardingtest.Seafood)
		in.Client = signin.ClientApp
		in.Code = p.ReceiveCode(p.CodeRequest(core.ForExperience, portaltest.NewPhone, in.Flow))
		_, err := onboardingtest.OpenSandbox(p, in)
		portaltest.NoError(t, err)
		guess := in
		for range 3 * core.CodeTriesADay {
			guess.Code = portaltest.WrongCode(guess.Code)
			if result, err := p.Onboarding.OpenExperience(p.From("198.51.100.66"), guess); err == nil ||
				result.Ticket != "" {
				t.Fatal("a wrong code was taken")
			}
		}
		result, err := p.Onboarding.OpenExperience(p.From("198.51.100.66"), in)
		if err == nil || result.Ticket != "" {
			t.Errorf("after %d guesses the right one is taken", 3*core.CodeTriesADay)
		}
	})
}

func TestACodeRequestedBeforeTheOwnerRegisteredIsVoid(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		onboardingtest.OpenSandboxFor(p, portaltest.NewPhone, onboardingtest.Seafood) // so that the phone has a person
		planted := onboardingtest.SandboxInput(p, portaltest.NewPhone, "", core.NewFlow(), onboardingtest.Groceries)
		p.Clock.Advance(core.DefaultResend)
		planted.Code = p.ReceiveCode(p.CodeRequest(core.ForExperience, portaltest.NewPhone, planted.Flow))
		reset := p.ResetInput(
			portaltest.NewPhone, p.ReceiveCode(p.CodeRequest(core.ForReset, portaltest.NewPhone, planted.Flow)),
			planted.Flow,
		)
		reset.Password, reset.Confirm = credentialtest.OtherPassword, credentialtest.OtherPassword
		onboardingtest.RegisterPhone(p, portaltest.NewPhone)
		again, err := onboardingtest.OpenSandbox(p, planted)
		WantNotSignedIn(t, "a planted trial", again.Token, err)
		portaltest.Refused(t, p.ResetPassword(reset), access.CodeExpired)
		if !credentialtest.AcceptsPassword(p, portaltest.NewPhone, portaltest.NewPassword) ||
			credentialtest.AcceptsPassword(p, portaltest.NewPhone, credentialtest.OtherPassword) {
			t.Error("the owner's password is not the one")
		}
	})
}

func TestANumberWhoseTrialEndedIsNewForItsNextHolder(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		before, _ := onboardingtest.OpenSandboxFor(p, portaltest.NewPhone, onboardingtest.Seafood)
		old := portaltest.PersonOf(t, p.DB, portaltest.NewPhone)
		p.Clock.Advance(onboarding.SandboxLife)
		portaltest.NoError(t, p.Sweep(t.Context()))
		next, _ := onboardingtest.RegisterPhone(p, portaltest.NewPhone)
		if next.Member.PersonID == old.ID {
			t.Errorf("the next holder is the same person, %d", old.ID)
		}
		if next.Member.CompanyID == before.CompanyID {
			t.Errorf("the next company is given the id of the one that was removed, %d", before.CompanyID)
		}
		if n := p.CountEvents(next.Member.CompanyID, "sandbox_opened"); n != 0 {
			t.Errorf("its audit log has %d events of the removed trial", n)
		}
		companytest.WantAccounts(p.Platform, next.Session, fmt.Sprintf("%d mgr:admin%[1]d", next.Member.CompanyID))
		portaltest.Refused(t, p.RequestSignedIn(before.Token, portaltest.AccountHost), access.LoginRequired)
	})
}

func TestRegisteringWithoutAPasswordSetsOneAndEndsTheOtherSignIns(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		elsewhere, _ := onboardingtest.OpenSandboxFor(p, portaltest.NewPhone, onboardingtest.Groceries)
		p.Clock.Advance(core.DefaultResend)
		mine, _ := onboardingtest.OpenSandboxFor(p, portaltest.NewPhone, onboardingtest.Seafood)
		in := onboardingtest.AddCompanyInput(
			p, sessiontest.StoredSession(p.Platform, mine.LoginResult, portaltest.AccountHost),
			onboardingtest.CompanyName,
		)
		in.SandboxID = mine.CompanyID
		before := p.DumpRows(TablesOfAttempts...)
		_, err := onboardingtest.Register(p, in)
		portaltest.WantField(t, err, "password", access.PasswordRequired)
		in.Password = "x912345678"
		_, err = onboardingtest.Register(p, in)
		portaltest.WantField(t, err, "password", core.PasswordPersonal)
		if p.DumpRows(TablesOfAttempts...) != before {
			t.Error("something was written")
		}
		in.Password = portaltest.NewPassword
		result, err := onboardingtest.Register(p, in)
		portaltest.NoError(t, err)
		if result.Token != "" || result.Member.CompanyID != mine.CompanyID ||
			!credentialtest.AcceptsPassword(p, portaltest.NewPhone, portaltest.NewPassword) {
			t.Errorf("%+v", result.Member)
		}
		portaltest.NoError(t, p.RequestSignedIn(mine.Token, portaltest.AccountHost))
		portaltest.Refused(t, p.RequestSignedIn(elsewhere.Token, portaltest.AccountHost), access.LoginRequired)
		if !p.Company(elsewhere.CompanyID).Sandbox {
			t.Error("the other trial became a company as well")
		}
		p.Clock.Advance(time.Second)
		again, err := onboardingtest.Register(p, in)
		if err != nil || again.Member.ID != result.Member.ID {
			t.Errorf("once more: %+v, %v", again.Member.Account, err)
		}
		in.CompanyName = "Ballena Gris" // by another request
		_, err = onboardingtest.Register(p, in)
		portaltest.Refused(t, err, access.WrongParameters)
		if c := p.Company(mine.CompanyID); c.Name != onboardingtest.CompanyName || c.Standing != store.Trial {
			t.Errorf("the company is %+v", c)
		}
	})
}
