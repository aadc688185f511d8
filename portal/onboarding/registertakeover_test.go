package onboarding_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/landing"
	"portico/portal/onboarding"
	"portico/portal/passwords"
	"portico/portal/portaltest"
	"portico/portal/verification"
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
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		attacker, proof := p.Tried(portaltest.NewPhone, portaltest.Seafood)
		s := p.Stored(attacker.LoginResult, portaltest.AccountHost)
		mgr, shop := p.Role(s, "mgr", true), p.Role(s, "shop", false)
		office, mall := p.Visits(s, mgr), p.Visits(s, shop)
		waiting, err := p.Entry.Enter(p.From(portaltest.HomeAddress), access.EnterInput{
			Session: s, AccountID: mgr.ID, Place: p.Place(portaltest.AccountHost), Device: portaltest.Desktop,
		})
		portaltest.NoError(t, err)
		user, err := p.Onboarding.ExperienceUser(
			p.From(portaltest.HomeAddress), onboarding.RoleInput{Role: "mgr", Session: s}, landing.ClientApp,
		)
		portaltest.NoError(t, err)

		owner, _ := p.Registered(portaltest.NewPhone)

		portaltest.Refused(t, p.RequestSignedIn(attacker.Token, portaltest.AccountHost), access.LoginRequired)
		for _, v := range []portaltest.Visit{office, mall} {
			_, err := p.LandAt(v.Destination, v.Token)
			portaltest.Refused(t, err, access.LoginRequired)
		}
		_, err = p.Redeem(waiting, "")
		portaltest.Refused(t, err, access.RedirectFailed)
		_, err = p.TokenSession(string(user.Token))
		portaltest.Refused(t, err, access.LoginRequired)
		again, err := p.Try(proof)
		WantNotSignedIn(t, "the attacker's proof", again.Token, err)
		_, err = p.Onboarding.ChooseRole(t.Context(), onboarding.RoleInput{Role: "mgr", Session: s})
		portaltest.Refused(t, err, access.WrongParameters)
		if owner.Member.CompanyID != attacker.CompanyID || owner.Member.ID != mgr.ID || owner.Member.Company.Sandbox ||
			owner.Member.Company.Name != portaltest.OwnCompany || owner.Member.Name != portaltest.OwnName {
			t.Errorf("the owner's company is %+v", owner.Member)
		}
		portaltest.NoError(t, p.RequestSignedIn(owner.Token, portaltest.AccountHost))
		if !p.Opens(portaltest.NewPhone, portaltest.NewPassword) {
			t.Error("the owner is not in")
		}
	})
}

func TestAProofOfAnotherTrialIsVoidOnceTheOwnerRegisters(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		_, planted := p.Tried(portaltest.NewPhone, portaltest.Groceries)
		p.Clock.Advance(verification.DefaultResend)
		p.Tried(portaltest.NewPhone, portaltest.Seafood)
		// makes the later one the company; the earlier one is still a trial
		owner, _ := p.Registered(portaltest.NewPhone)

		again, err := p.Try(planted)
		WantNotSignedIn(t, "the attacker's earlier proof", again.Token, err)
		if again.Token != "" && p.RequestSignedIn(again.Token, portaltest.AccountHost) == nil {
			t.Errorf("it signs in to %q", portaltest.Listed(p.List(again.Session)))
		}
		portaltest.NoError(t, p.RequestSignedIn(owner.Token, portaltest.AccountHost))
	})
}

func TestAUsedRegistrationProofIsVoidOnceThePasswordIsReset(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		attacker, proof := p.Registered(portaltest.NewPhone) // by a code read over the owner's shoulder
		reset := p.Resetting(portaltest.NewPhone, "", verification.NewFlow())
		reset.Password, reset.Confirm = portaltest.OtherPassword, portaltest.OtherPassword
		reset.Code = p.Sent(p.Asking(verification.ForReset, portaltest.NewPhone, reset.Flow))
		portaltest.NoError(t, p.Reset(reset))
		portaltest.Refused(t, p.RequestSignedIn(attacker.Token, portaltest.AccountHost), access.LoginRequired)
		again, err := p.Register(proof)
		WantNotSignedIn(t, "the attacker's proof", again.Token, err)
		program := proof
		program.Client = landing.ClientApp
		again, err = p.Register(program)
		WantNotSignedIn(t, "a program with it", string(again.User.Token), err)
	})
}

func TestAUsedRegistrationProofIsVoidOnceTheAccountHasAnotherPhone(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		made, proof := p.Registered(portaltest.NewPhone)
		m := made.Member
		portaltest.NoError(t, p.Db.Phones.Unbind(t.Context(), m.CompanyID, m.ID, m.PhoneID))
		again, err := p.Register(proof)
		WantNotSignedIn(t, "while it has none", again.Token, err)
		portaltest.NoError(
			t, p.Db.Phones.Bind(t.Context(), m.CompanyID, m.ID, portaltest.PhoneOf(t, p.Db, portaltest.ManyPhone)),
		)
		again, err = p.Register(proof)
		WantNotSignedIn(t, "with another's", again.Token, err)
		if again.Session.PhoneID == portaltest.PhoneOf(t, p.Db, portaltest.ManyPhone).ID {
			t.Errorf("it signs in to %q", portaltest.Listed(p.List(again.Session)))
		}
	})
}

func TestGuessesOfAUsedProofAreCounted(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		in := p.Trying(portaltest.NewPhone, "", "api:APP", portaltest.Seafood) // what all programs share
		in.Client = landing.ClientApp
		in.Code = p.Sent(p.Asking(verification.ForExperience, portaltest.NewPhone, in.Flow))
		_, err := p.Try(in)
		portaltest.NoError(t, err)
		guess := in
		for range 3 * verification.CodeTriesADay {
			guess.Code = portaltest.OtherThan(guess.Code)
			if result, err := p.Onboarding.OpenExperience(p.From("198.51.100.66"), guess); err == nil ||
				result.Ticket != "" {
				t.Fatal("a wrong code was taken")
			}
		}
		result, err := p.Onboarding.OpenExperience(p.From("198.51.100.66"), in)
		if err == nil || result.Ticket != "" {
			t.Errorf("after %d guesses the right one is taken", 3*verification.CodeTriesADay)
		}
	})
}

func TestACodeRequestedBeforeTheOwnerRegisteredIsVoid(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		p.Tried(portaltest.NewPhone, portaltest.Seafood) // so that the phone has a person
		planted := p.Trying(portaltest.NewPhone, "", verification.NewFlow(), portaltest.Groceries)
		p.Clock.Advance(verification.DefaultResend)
		planted.Code = p.Sent(p.Asking(verification.ForExperience, portaltest.NewPhone, planted.Flow))
		reset := p.Resetting(
			portaltest.NewPhone, p.Sent(p.Asking(verification.ForReset, portaltest.NewPhone, planted.Flow)),
			planted.Flow,
		)
		reset.Password, reset.Confirm = portaltest.OtherPassword, portaltest.OtherPassword
		p.Registered(portaltest.NewPhone)
		again, err := p.Try(planted)
		WantNotSignedIn(t, "a planted trial", again.Token, err)
		portaltest.Refused(t, p.Reset(reset), access.CodeExpired)
		if !p.Opens(portaltest.NewPhone, portaltest.NewPassword) ||
			p.Opens(portaltest.NewPhone, portaltest.OtherPassword) {
			t.Error("the owner's password is not the one")
		}
	})
}

func TestANumberWhoseTrialEndedIsNewForItsNextHolder(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		before, _ := p.Tried(portaltest.NewPhone, portaltest.Seafood)
		old := portaltest.PhoneOf(t, p.Db, portaltest.NewPhone)
		p.Clock.Advance(onboarding.SandboxLife)
		portaltest.NoError(t, p.Sweep(t.Context()))
		next, _ := p.Registered(portaltest.NewPhone)
		if next.Member.PhoneID == old.ID {
			t.Errorf("the next holder is the same person, %d", old.ID)
		}
		if next.Member.CompanyID == before.CompanyID {
			t.Errorf("the next company is given the id of the one that was removed, %d", before.CompanyID)
		}
		if n := p.Events(next.Member.CompanyID, "sandbox_opened"); n != 0 {
			t.Errorf("its audit log has %d events of the removed trial", n)
		}
		p.WantList(next.Session, fmt.Sprintf("%d mgr:admin%[1]d", next.Member.CompanyID))
		portaltest.Refused(t, p.RequestSignedIn(before.Token, portaltest.AccountHost), access.LoginRequired)
	})
}

func TestRegisteringWithoutAPasswordSetsOneAndEndsTheOtherSignIns(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		elsewhere, _ := p.Tried(portaltest.NewPhone, portaltest.Groceries)
		p.Clock.Advance(verification.DefaultResend)
		mine, _ := p.Tried(portaltest.NewPhone, portaltest.Seafood)
		in := p.Adding(p.Stored(mine.LoginResult, portaltest.AccountHost), portaltest.OwnCompany)
		in.SandboxID = mine.CompanyID
		before := p.Rows(TablesOfAttempts...)
		_, err := p.Register(in)
		portaltest.Field(t, err, "password", access.PasswordRequired)
		in.Password = "x912345678"
		_, err = p.Register(in)
		portaltest.Field(t, err, "password", passwords.PasswordPersonal)
		if p.Rows(TablesOfAttempts...) != before {
			t.Error("something was written")
		}
		in.Password = portaltest.NewPassword
		result, err := p.Register(in)
		portaltest.NoError(t, err)
		if result.Token != "" || result.Member.CompanyID != mine.CompanyID ||
			!p.Opens(portaltest.NewPhone, portaltest.NewPassword) {
			t.Errorf("%+v", result.Member)
		}
		portaltest.NoError(t, p.RequestSignedIn(mine.Token, portaltest.AccountHost))
		portaltest.Refused(t, p.RequestSignedIn(elsewhere.Token, portaltest.AccountHost), access.LoginRequired)
		if !p.Company(elsewhere.CompanyID).Sandbox {
			t.Error("the other trial became a company as well")
		}
		p.Clock.Advance(time.Second)
		again, err := p.Register(in)
		if err != nil || again.Member.ID != result.Member.ID {
			t.Errorf("once more: %+v, %v", again.Member.Account, err)
		}
		in.CompanyName = "Ballena Gris" // by another request
		_, err = p.Register(in)
		portaltest.Refused(t, err, access.WrongParameters)
		if c := p.Company(mine.CompanyID); c.Name != portaltest.OwnCompany || c.Standing != store.Trial {
			t.Errorf("the company is %+v", c)
		}
	})
}
