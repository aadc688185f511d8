package portal_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"portico/portal"
	"portico/store"
)

// What was planted before the rightful owner of a phone registered, or since.

// notIn demands that a proof signs in nobody.
func notIn(t *testing.T, what string, token string, err error) {
	t.Helper()
	if with := new(portal.Refused); !errors.As(err, &with) || token != "" {
		t.Errorf("%s: %v", what, err)
	}
}

func TestWhoeverTriedAPhoneIsOutOnceItsOwnerRegisters(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		attacker, proof := p.tried(newPhone, seafood)
		s := p.stored(attacker.LoginResult, accountHost)
		mgr, shop := p.role(s, "mgr", true), p.role(s, "shop", false)
		office, mall := p.visits(s, mgr), p.visits(s, shop)
		waiting, err := p.Enter(p.from(homeAddress), portal.EnterInput{Session: s, AccountID: mgr.ID, Place: p.place(accountHost), Device: desktop})
		noError(t, err)
		user, err := p.ExperienceUser(p.from(homeAddress), portal.RoleInput{Role: "mgr", Session: s}, portal.ClientApp)
		noError(t, err)

		owner, _ := p.registered(newPhone)

		refused(t, p.signedIn(attacker.Token, accountHost), portal.LoginRequired)
		for _, v := range []visit{office, mall} {
			_, err := p.landing(v.destination, v.token)
			refused(t, err, portal.LoginRequired)
		}
		_, err = p.redeem(waiting, "")
		refused(t, err, portal.RedirectFailed)
		_, err = p.tokenSession(string(user.Token))
		refused(t, err, portal.LoginRequired)
		again, err := p.try(proof)
		notIn(t, "the attacker's proof", again.Token, err)
		_, err = p.ChooseRole(t.Context(), portal.RoleInput{Role: "mgr", Session: s})
		refused(t, err, portal.WrongParameters)
		if owner.Member.CompanyID != attacker.CompanyID || owner.Member.ID != mgr.ID || owner.Member.Company.Sandbox || owner.Member.Company.Name != ownCompany || owner.Member.Name != ownName {
			t.Errorf("the owner's company is %+v", owner.Member)
		}
		noError(t, p.signedIn(owner.Token, accountHost))
		if !p.opens(newPhone, newPassword) {
			t.Error("the owner is not in")
		}
	})
}

func TestAProofOfAnotherTrialOpensNothingOnceTheOwnerHasRegistered(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		_, planted := p.tried(newPhone, groceries)
		p.clock.advance(portal.DefaultResend)
		p.tried(newPhone, seafood)
		owner, _ := p.registered(newPhone) // makes the later one the company; the earlier one is still a trial

		again, err := p.try(planted)
		notIn(t, "the attacker's earlier proof", again.Token, err)
		if again.Token != "" && p.signedIn(again.Token, accountHost) == nil {
			t.Errorf("it signs in to %q", listed(p.list(again.Session)))
		}
		noError(t, p.signedIn(owner.Token, accountHost))
	})
}

func TestAProofThatRegisteredOpensNothingOnceThePasswordWasReset(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		attacker, proof := p.registered(newPhone) // by a code read over the owner's shoulder
		reset := p.resetting(newPhone, "", portal.NewFlow())
		reset.Password, reset.Confirm = otherPassword, otherPassword
		reset.Code = p.sent(p.asking(portal.ForReset, newPhone, reset.Flow))
		noError(t, p.reset(reset))
		refused(t, p.signedIn(attacker.Token, accountHost), portal.LoginRequired)
		again, err := p.register(proof)
		notIn(t, "the attacker's proof", again.Token, err)
		program := proof
		program.Client = portal.ClientApp
		again, err = p.register(program)
		notIn(t, "a program with it", string(again.User.Token), err)
	})
}

func TestAProofThatRegisteredOpensNothingOnceTheAccountHasAnotherPhone(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		made, proof := p.registered(newPhone)
		m := made.Member
		noError(t, p.db.UnbindPhone(t.Context(), m.CompanyID, m.ID, m.PhoneID))
		again, err := p.register(proof)
		notIn(t, "while it has none", again.Token, err)
		noError(t, p.db.BindPhone(t.Context(), m.CompanyID, m.ID, phoneOf(t, p.db, manyPhone)))
		again, err = p.register(proof)
		notIn(t, "with another's", again.Token, err)
		if again.Session.PhoneID == phoneOf(t, p.db, manyPhone).ID {
			t.Errorf("it signs in to %q", listed(p.list(again.Session)))
		}
	})
}

func TestGuessesAtAProofThatWasUsedAreCounted(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		in := p.trying(newPhone, "", "api:APP", seafood) // what all programs share
		in.Client = portal.ClientApp
		in.Code = p.sent(p.asking(portal.ForExperience, newPhone, in.Flow))
		_, err := p.try(in)
		noError(t, err)
		guess := in
		for range 3 * portal.CodeTriesADay {
			guess.Code = otherThan(guess.Code)
			if result, err := p.OpenExperience(p.from("198.51.100.66"), guess); err == nil || result.Ticket != "" {
				t.Fatal("a wrong code was taken")
			}
		}
		result, err := p.OpenExperience(p.from("198.51.100.66"), in)
		if err == nil || result.Ticket != "" {
			t.Errorf("after %d guesses the right one is taken", 3*portal.CodeTriesADay)
		}
	})
}

func TestACodeAskedForBeforeTheOwnerRegisteredIsVoid(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		p.tried(newPhone, seafood) // so that the phone is somebody
		planted := p.trying(newPhone, "", portal.NewFlow(), groceries)
		p.clock.advance(portal.DefaultResend)
		planted.Code = p.sent(p.asking(portal.ForExperience, newPhone, planted.Flow))
		reset := p.resetting(newPhone, p.sent(p.asking(portal.ForReset, newPhone, planted.Flow)), planted.Flow)
		reset.Password, reset.Confirm = otherPassword, otherPassword
		p.registered(newPhone)
		again, err := p.try(planted)
		notIn(t, "a planted trial", again.Token, err)
		refused(t, p.reset(reset), portal.CodeExpired)
		if !p.opens(newPhone, newPassword) || p.opens(newPhone, otherPassword) {
			t.Error("the owner's password is not the one")
		}
	})
}

func TestANumberWhoseTrialEndedBeginsAnewForItsNextHolder(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		before, _ := p.tried(newPhone, seafood)
		old := phoneOf(t, p.db, newPhone)
		p.clock.advance(portal.SandboxLife)
		noError(t, p.Sweep(t.Context()))
		next, _ := p.registered(newPhone)
		if next.Member.PhoneID == old.ID {
			t.Errorf("the next holder is the same person, %d", old.ID)
		}
		if next.Member.CompanyID == before.CompanyID {
			t.Errorf("the next company is given the id of the one that was removed, %d", before.CompanyID)
		}
		if n := p.events(next.Member.CompanyID, "sandbox_opened"); n != 0 {
			t.Errorf("its audit log tells %d times of the trial that was removed", n)
		}
		p.wantList(next.Session, fmt.Sprintf("%d mgr:admin%[1]d", next.Member.CompanyID))
		refused(t, p.signedIn(before.Token, accountHost), portal.LoginRequired)
	})
}

func TestASignInWithoutAPasswordSetsOneByRegisteringAndEndsTheOthers(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		elsewhere, _ := p.tried(newPhone, groceries)
		p.clock.advance(portal.DefaultResend)
		mine, _ := p.tried(newPhone, seafood)
		in := p.adding(p.stored(mine.LoginResult, accountHost), ownCompany)
		in.SandboxID = mine.CompanyID
		before := p.rows(tally...)
		_, err := p.register(in)
		field(t, err, "password", portal.PasswordRequired)
		in.Password = "x912345678"
		_, err = p.register(in)
		field(t, err, "password", portal.PasswordPersonal)
		if p.rows(tally...) != before {
			t.Error("something was written")
		}
		in.Password = newPassword
		result, err := p.register(in)
		noError(t, err)
		if result.Token != "" || result.Member.CompanyID != mine.CompanyID || !p.opens(newPhone, newPassword) {
			t.Errorf("%+v", result.Member)
		}
		noError(t, p.signedIn(mine.Token, accountHost))
		refused(t, p.signedIn(elsewhere.Token, accountHost), portal.LoginRequired)
		if !p.company(elsewhere.CompanyID).Sandbox {
			t.Error("the other trial became a company as well")
		}
		p.clock.advance(time.Second)
		again, err := p.register(in)
		if err != nil || again.Member.ID != result.Member.ID {
			t.Errorf("once more: %+v, %v", again.Member.Account, err)
		}
		in.CompanyName = "Ballena Gris" // by another request
		_, err = p.register(in)
		refused(t, err, portal.WrongParameters)
		if c := p.company(mine.CompanyID); c.Name != ownCompany || c.Standing != store.Trial {
			t.Errorf("the company is %+v", c)
		}
	})
}
