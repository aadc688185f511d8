package portal_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"portico/portal"
	"portico/portal/picturetest"
)

// instance is another Portal on the same database, as behind a load balancer.
func (p *platform) instance() *portal.Portal {
	p.t.Helper()
	other, err := portal.New(p.options)
	noError(p.t, err)
	return other
}

func TestTheSamePasswordChangeWithinFiveMinutesSucceedsAgain(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		signed := p.signIn(accountHost, buyerPhone)
		fresh, err := p.change(p.changing(signed.Session, portal.DemoPassword))
		noError(t, err)
		s, err := p.SignedIn(t.Context(), fresh, p.place(accountHost))
		noError(t, err)
		for range 3 {
			if token, err := p.change(p.changing(s, portal.DemoPassword)); err != nil || token != "" {
				t.Errorf("%q, %v", token, err)
			}
		}
		noError(t, p.signedIn(fresh, accountHost))
		if n := p.events(0, "password_changed"); n != 1 {
			t.Errorf("%d audit events", n)
		}
		if n := p.failures("buyer1"); n != 0 {
			t.Errorf("%d failures are counted", n)
		}
		other := p.changing(s, portal.DemoPassword)
		other.Password, other.Confirm = otherPassword, otherPassword
		_, err = p.change(other)
		refused(t, err, portal.OldPasswordWrong)
		elsewhere := p.as(buyerPhone)
		elsewhere.Password = newPassword
		stranger, err := p.login(elsewhere)
		noError(t, err)
		_, err = p.change(p.changing(stranger.Session, portal.DemoPassword))
		if !errors.Is(err, portal.OldPasswordWrong) {
			t.Errorf("in another sign-in: %v", err)
		}
		p.clock.advance(portal.RepeatWindow)
		_, err = p.change(p.changing(s, portal.DemoPassword))
		refused(t, err, portal.OldPasswordWrong)
		p.wantNotices(buyerPhone + " password_changed")
	})
}

func TestARepetitionDoesNotExtendTheWindow(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		fresh, err := p.change(p.changing(p.signIn(accountHost, buyerPhone).Session, portal.DemoPassword))
		noError(t, err)
		s, err := p.SignedIn(t.Context(), fresh, p.place(accountHost))
		noError(t, err)
		p.clock.advance(portal.RepeatWindow - time.Second)
		_, err = p.change(p.changing(s, portal.DemoPassword))
		noError(t, err)
		p.clock.advance(2 * time.Second)
		_, err = p.change(p.changing(s, portal.DemoPassword))
		refused(t, err, portal.OldPasswordWrong)
		noError(t, p.Sweep(t.Context()))
		if strings.Contains(p.rows(), "repeats ") {
			t.Error("the note is kept")
		}
	})
}

// A repetition compares a password. Every comparison counts as a failed sign-in.
func TestPasswordsCannotBeGuessedByRepeating(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		fresh, err := p.change(p.changing(p.signIn(accountHost, buyerPhone).Session, portal.DemoPassword))
		noError(t, err)
		s, err := p.SignedIn(t.Context(), fresh, p.place(accountHost))
		noError(t, err)
		in := p.changing(s, "Wrong2026")
		in.Password, in.Confirm = otherPassword, otherPassword
		_, err = p.change(in)
		refused(t, err, portal.OldPasswordWrong)
		if n := p.failures("buyer1"); n != 2 {
			t.Errorf("%d failures are counted for two comparisons", n)
		}
		for range 3 {
			_, err = p.change(in)
		}
		refused(t, err, portal.TooManyAttempts)
		_, err = p.change(p.changing(s, portal.DemoPassword))
		refused(t, err, portal.TooManyAttempts)
	})
}

// Two calls at once have the right old password and different new ones. One new password is set, the other is refused.
func TestOfTwoNewPasswordsSentAtOnceOneIsSetAndTheOtherRefused(t *testing.T) {
	passwords := []string{newPassword, otherPassword}
	for name, c := range map[string]struct {
		who      string
		oneToken bool
	}{
		"a phone's, by two tokens":      {buyerPhone, false},
		"an account's, by two tokens":   {"nophone", false},
		"a phone's, by one token twice": {buyerPhone, true},
	} {
		t.Run(name, func(t *testing.T) {
			eachCareCondition(t, func(t *testing.T, p *carer) {
				// Both have read the old password before either writes.
				p.options.Hash = portal.HashCost{Memory: 4 << 10, Passes: 10, Threads: 1}
				doors := []*portal.Portal{p.instance(), p.instance()}
				var sessions [2]portal.Session
				for i := range sessions {
					var err error
					sessions[i], err = p.tokenSession(p.token(c.who))
					noError(t, err)
				}
				if c.oneToken {
					sessions[1] = sessions[0]
				}
				var errs [2]error
				together(2, func(i int) {
					in := p.changing(sessions[i], portal.DemoPassword)
					in.Password, in.Confirm = passwords[i], passwords[i]
					_, errs[i] = doors[i].ChangePassword(p.from(homeAddress), in)
				})
				winner := 0
				if errs[0] != nil {
					winner = 1
				}
				noError(t, errs[winner])
				refused(t, errs[1-winner], portal.OldPasswordWrong)
				if !p.opens(c.who, passwords[winner]) || p.opens(c.who, passwords[1-winner]) {
					t.Error("the password is not the one of the call that was done")
				}
			})
		})
	}
}

func TestOneNewPasswordSentTwiceAtOnceSucceedsTwice(t *testing.T) {
	eachCareCondition(t, func(t *testing.T, p *carer) {
		p.options.Hash = portal.HashCost{Memory: 4 << 10, Passes: 10, Threads: 1}
		doors := []*portal.Portal{p.instance(), p.instance()}
		s, err := p.tokenSession(p.token(buyerPhone))
		noError(t, err)
		together(2, func(i int) {
			if _, err := doors[i].ChangePassword(p.from(homeAddress), p.changing(s, portal.DemoPassword)); err != nil {
				t.Errorf("%v", err)
			}
		})
		for _, door := range doors {
			door.Stop(t.Context())
		}
		if n := p.events(0, "password_changed"); n != 1 {
			t.Errorf("%d audit events", n)
		}
		p.wantNotices(buyerPhone + " password_changed")
	})
}

func TestTheSamePasswordResetWithTheSameCodeSucceedsAgain(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		flow := portal.NewFlow()
		in := p.resetting(buyerPhone, p.sent(p.asking(portal.ForReset, buyerPhone, flow)), flow)
		noError(t, p.reset(in))
		noError(t, p.reset(in))
		noError(t, p.instance().ResetPassword(p.from(homeAddress), in))
		for what, change := range map[string]func(*portal.ResetInput){
			"another password": func(in *portal.ResetInput) { in.Password, in.Confirm = otherPassword, otherPassword },
			"another code":     func(in *portal.ResetInput) { in.Code = otherThan(in.Code) },
			"another flow":     func(in *portal.ResetInput) { in.Flow = portal.NewFlow() },
			"another company":  func(in *portal.ResetInput) { in.Place = p.place("store1001.portico.test") },
		} {
			other := in
			change(&other)
			if err := p.reset(other); !errors.Is(err, portal.CodeExpired) {
				t.Errorf("%s: %v", what, err)
			}
		}
		if n := p.events(0, "password_reset"); n != 1 {
			t.Errorf("%d audit events", n)
		}
		p.clock.advance(portal.RepeatWindow)
		refused(t, p.reset(in), portal.CodeExpired)
		p.wantNotices(buyerPhone + " password_changed")
	})
}

func TestCodesCannotBeGuessedByRepeating(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		flow := portal.NewFlow()
		in := p.resetting(buyerPhone, p.sent(p.asking(portal.ForReset, buyerPhone, flow)), flow)
		noError(t, p.reset(in))
		guess := in
		for range portal.LookUpsADay {
			guess.Code = otherThan(guess.Code)
			refused(t, p.reset(guess), portal.CodeExpired)
		}
		refused(t, p.reset(in), portal.CodeExpired) // the right one, too
	})
}

func TestTheSameBindingFromTheSameSignInSucceedsAgain(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		_, in, _ := p.proven("nophone", newPhone)
		again, err := p.ProveBind(p.from(homeAddress), in)
		if err != nil || again.Need != portal.NeedNewPassword {
			t.Errorf("the code again: %+v, %v", again, err)
		}
		in.Password, in.Confirm, in.Keep = newPassword, newPassword, true
		bound, err := p.bind(in)
		noError(t, err)
		in.Session, err = p.SignedIn(t.Context(), bound.Token, p.place(accountHost))
		noError(t, err)
		second := in // the second step by itself
		second.Phone, second.Code, second.New = "", "", true
		for what, in := range map[string]portal.BindInput{"at once": in, "in two steps": second} {
			again, err := p.bind(in)
			if err != nil || again.Phone != newPhone || again.Need != portal.NeedNothing || again.Token != "" {
				t.Errorf("%s: %+v, %v", what, again, err)
			}
		}
		again, err = p.ProveBind(p.from(homeAddress), in)
		if err != nil || again.Phone != newPhone || again.Need != portal.NeedNothing {
			t.Errorf("the code of a bound phone: %+v, %v", again, err)
		}
		for what, change := range map[string]func(*portal.BindInput){
			"another password": func(in *portal.BindInput) { in.Password, in.Confirm = otherPassword, otherPassword },
			"another code":     func(in *portal.BindInput) { in.Code = otherThan(in.Code) },
			"another phone":    func(in *portal.BindInput) { in.Phone = managerPhone },
			"another sign-in":  func(in *portal.BindInput) { in.Session = p.signIn(accountHost, "nophone").Session },
		} {
			other := in
			change(&other)
			if _, err := p.bind(other); !errors.Is(err, portal.WrongParameters) {
				t.Errorf("%s: %v", what, err)
			}
		}
		if n := p.events(1001, "phone_bound"); n != 1 {
			t.Errorf("%d audit events", n)
		}
		p.clock.advance(portal.RepeatWindow)
		_, err = p.bind(in)
		refused(t, err, portal.WrongParameters)
		p.wantNotices(newPhone + " phone_bound")
	})
}

func TestTheSameUnbindingFromTheSameSignInSucceedsAgain(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		signed := p.signIn(accountHost, buyerPhone) // of one account: the session ends with it
		in := p.unbinding(signed.Session, "buyer1")
		in.Code = p.sent(p.askToUnbind(in))
		noError(t, p.unbind(in))
		refused(t, p.signedIn(signed.Token, accountHost), portal.LoginRequired)
		in.Session, in.Token = portal.Session{}, signed.Token
		noError(t, p.unbind(in))
		noError(t, p.instance().Unbind(p.from(homeAddress), in))
		for what, change := range map[string]func(*portal.UnbindInput){
			"another code":    func(in *portal.UnbindInput) { in.Code = otherThan(in.Code) },
			"another account": func(in *portal.UnbindInput) { in.AccountID++ },
			"another browser": func(in *portal.UnbindInput) { in.Token += "x" },
			"nobody":          func(in *portal.UnbindInput) { in.Token = "" },
		} {
			other := in
			change(&other)
			if err := p.unbind(other); !errors.Is(err, portal.LoginRequired) {
				t.Errorf("%s: %v", what, err)
			}
		}
		if n := p.events(1001, "phone_unbound"); n != 1 {
			t.Errorf("%d audit events", n)
		}
		p.clock.advance(portal.RepeatWindow)
		refused(t, p.unbind(in), portal.LoginRequired)
		p.wantNotices(buyerPhone + " phone_unbound")
	})
}

func TestRepeatingAnUnbindingNeedsTheNewPasswordItSet(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		m := p.account("buyer1")
		noError(t, p.db.SetAccountPassword(t.Context(), m.CompanyID, m.ID, ""))
		signed := p.signIn(accountHost, buyerPhone)
		in := p.unbinding(signed.Session, "buyer1")
		in.Code, in.Password, in.Confirm = p.sent(p.askToUnbind(in)), newPassword, newPassword
		noError(t, p.unbind(in))
		in.Session, in.Token = portal.Session{}, signed.Token
		noError(t, p.unbind(in))
		in.Password, in.Confirm = otherPassword, otherPassword
		refused(t, p.unbind(in), portal.LoginRequired)
		if !p.opens("buyer1", newPassword) {
			t.Error("the account cannot be entered by its name")
		}
	})
}

func TestARepeatedCodeGivesATicketThatExpiresWithTheFirstOne(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		ask := p.asking(portal.ForApplication, newPhone, portal.NewFlow())
		ask.CompanyID = 1001
		in := portal.ProveApplicantInput{Phone: newPhone, Code: p.sent(ask), CompanyID: 1001, Flow: ask.Flow}
		_, _, err := p.ProveApplicant(p.from(homeAddress), in)
		noError(t, err)
		p.clock.advance(portal.RepeatWindow - time.Second)
		ticket, _, err := p.ProveApplicant(p.from(homeAddress), in)
		noError(t, err)
		if who, err := p.Applicant(ticket, 1001); err != nil || who.Phone() != newPhone {
			t.Errorf("%s, %v", who.Phone(), err)
		}
		other := in
		other.Flow = portal.NewFlow()
		_, _, err = p.ProveApplicant(p.from(homeAddress), other)
		refused(t, err, portal.CodeExpired)
		p.clock.advance(time.Second)
		_, _, err = p.ProveApplicant(p.from(homeAddress), in)
		refused(t, err, portal.CodeExpired)
		p.clock.advance(portal.ApplicantLife - portal.RepeatWindow + time.Second)
		if _, err := p.Applicant(ticket, 1001); err == nil {
			t.Error("it lasts longer than the first one")
		}
	})
}

func TestAnApplicationSentAgainIsTheSameOneAndDropsTheDraft(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		in := p.applies(1001, newPhone)
		first, err := p.apply(in)
		noError(t, err)
		noError(t, p.keepsDraft(in)) // what was typed before arrives after it
		in.Ticket, _, err = p.RenewApplicant(in.Ticket, 1001)
		noError(t, err)
		again, err := p.apply(in)
		if err != nil || again.ID != first.ID || again.CreatedAt != first.CreatedAt {
			t.Errorf("%+v, %v", again, err)
		}
		if strings.Contains(p.rows(), "application_drafts ") {
			t.Error("the draft is still stored")
		}
		other := in
		other.Reason = "Otra cosa"
		_, err = p.apply(other)
		refused(t, err, portal.ApplicationExists)
		p.reviewed(t, func(int) portal.ReviewInput { return portal.ReviewInput{ID: first.ID, Reason: "No"} })
		p.clock.advance(time.Second)
		anew, err := p.apply(in)
		if err != nil || anew.ID == first.ID {
			t.Errorf("after a rejection: %+v, %v", anew, err)
		}
		if n := p.events(1001, "application_sent"); n != 2 {
			t.Errorf("%d audit events", n)
		}
	})
}

func TestACodeRedeemedAgainBeforeItsTokenIsUsedGivesTheSameAnswer(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		code, err := p.appCode(p.arrive("buyer1", "buyer1"))
		noError(t, err)
		first, err := p.redeemed(code)
		noError(t, err)
		again, err := p.redeemed(code)
		if err != nil || again != first {
			t.Errorf("%+v, %v", again, err)
		}
		_, err = p.app(string(again.Token))
		noError(t, err)
		_, err = p.redeemed(code)
		refused(t, err, portal.LoginRequired)
		_, err = p.app(string(again.Token))
		refused(t, err, portal.LoginRequired)
	})
}

func TestACodeRedeemedByAnotherClientOrTooLateEndsTheToken(t *testing.T) {
	for name, second := range map[string]func(p *platform, code string) error{
		"another address": func(p *platform, code string) error {
			_, err := p.RedeemForClient(p.from("198.51.100.9"), code, portal.ClientApp, 0)
			return err
		},
		"another kind": func(p *platform, code string) error {
			_, err := p.RedeemForClient(p.from(homeAddress), code, portal.ClientPC, 0)
			return err
		},
		"after its minute": func(p *platform, code string) error {
			p.clock.advance(portal.AuthCodeLife)
			_, err := p.redeemed(code)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, p *platform) {
				code, err := p.appCode(p.arrive("buyer1", "buyer1"))
				noError(t, err)
				first, err := p.RedeemForClient(p.from(homeAddress), code, portal.ClientApp, 0)
				noError(t, err)
				refused(t, second(p, code), portal.LoginRequired)
				_, err = p.app(string(first.Token))
				refused(t, err, portal.LoginRequired)
			})
		})
	}
}

func TestUndoingALookTwiceWithTheSameMarkSucceedsTwice(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		here := p.landed("jinsui", phoneScreen)
		look, err := p.AppearanceOf(t.Context(), here)
		noError(t, err)
		before := look.Name
		look.Name, look.Seen = "Grano", ""
		noError(t, p.SetAppearance(t.Context(), here, look))
		kept, _, err := p.LookBefore(t.Context(), here)
		noError(t, err)
		noError(t, p.UndoAppearance(t.Context(), here, kept.Mark))
		written := p.rows()
		noError(t, p.UndoAppearance(t.Context(), here, kept.Mark))
		if now, err := p.AppearanceOf(t.Context(), p.landed("jinsui", phoneScreen)); err != nil || now.Name != before {
			t.Errorf("it is %q, %v", now.Name, err)
		}
		if n := p.events(1001, "appearance_undone"); n != 1 || !strings.Contains(written, "appearance_undone") {
			t.Errorf("%d events", n)
		}
		look.Name = "Otro"
		noError(t, p.SetAppearance(t.Context(), here, look))
		refused(t, p.UndoAppearance(t.Context(), here, kept.Mark), portal.ValidationFailed)
	})
}

func TestAnIconSetAgainKeepsTheLookBefore(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		here := p.landed("jinsui", phoneScreen)
		for range 2 {
			noError(t, p.SetIcon(p.from(homeAddress), here, bytes.NewReader(picturetest.PNG(64, 64))))
		}
		kept, ok, err := p.LookBefore(t.Context(), here)
		if err != nil || !ok || kept.IconURL != "" {
			t.Errorf("the look before: %+v, %v, %v", kept, ok, err)
		}
		for range 2 {
			noError(t, p.RemoveIcon(t.Context(), here))
		}
		if set, removed := p.events(1001, "icon_set"), p.events(1001, "icon_removed"); set != 1 || removed != 1 {
			t.Errorf("%d and %d events", set, removed)
		}
	})
}

func TestPublishingThePublishedLookChangesNothing(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		here := p.landed("jinsui", phoneScreen)
		before, err := p.AppearanceOf(t.Context(), here)
		noError(t, err)
		look := before
		look.Name, look.Theme, look.Style = "Grano", "204060", ".heading { color: #204060 }"
		noError(t, p.SetAppearance(t.Context(), here, look))
		published := p.rows()
		noError(t, p.SetAppearance(t.Context(), here, look)) // it has seen the look before
		kept, ok, err := p.LookBefore(t.Context(), here)
		if err != nil || !ok || kept.Name != before.Name {
			t.Errorf("the look before: %+v, %v, %v", kept, ok, err)
		}
		if p.rows() != published {
			t.Error("something was written")
		}
		look.Name = "Otro"
		refused(t, p.SetAppearance(t.Context(), here, look), portal.ValidationFailed)
	})
}
