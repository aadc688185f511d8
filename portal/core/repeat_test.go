package core_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"portico/portal"
	"portico/portal/access"
	"portico/portal/application"
	"portico/portal/core"
	"portico/portal/credentials"
	"portico/portal/onboarding"
	"portico/portal/picturetest"
	"portico/portal/portaltest"
	"portico/portal/portaltest/applicationtest"
	"portico/portal/portaltest/credentialtest"
	"portico/portal/portaltest/guesstest"
	"portico/portal/portaltest/sessiontest"
	"portico/portal/signin"
)

func TestTheSamePasswordChangeWithinFiveMinutesSucceedsAgain(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		signed := p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone)
		fresh, err := credentialtest.ChangePassword(
			p, credentialtest.ChangePasswordInput(p, signed.Session, onboarding.DemoPassword),
		)
		portaltest.NoError(t, err)
		s, err := p.SignedIn(t.Context(), fresh, p.Place(portaltest.AccountHost))
		portaltest.NoError(t, err)
		for range 3 {
			if token, err := credentialtest.ChangePassword(
				p, credentialtest.ChangePasswordInput(p, s, onboarding.DemoPassword),
			); err != nil ||
				token != "" {
				t.Errorf("%q, %v", token, err)
			}
		}
		portaltest.NoError(t, p.RequestSignedIn(fresh, portaltest.AccountHost))
		if n := p.CountEvents(0, "password_changed"); n != 1 {
			t.Errorf("%d audit events", n)
		}
		if n := guesstest.CountFailures(p.Platform, "buyer1"); n != 0 {
			t.Errorf("%d failures are counted", n)
		}
		other := credentialtest.ChangePasswordInput(p, s, onboarding.DemoPassword)
		other.Password, other.Confirm = credentialtest.OtherPassword, credentialtest.OtherPassword
		_, err = credentialtest.ChangePassword(p, other)
		portaltest.Refused(t, err, access.OldPasswordWrong)
		elsewhere := p.LoginInput(portaltest.BuyerPhone)
		elsewhere.Password = portaltest.NewPassword
		stranger, err := p.Login(elsewhere)
		portaltest.NoError(t, err)
		_, err = credentialtest.ChangePassword(
			p, credentialtest.ChangePasswordInput(p, stranger.Session, onboarding.DemoPassword),
		)
		if !errors.Is(err, access.OldPasswordWrong) {
			t.Errorf("in another sign-in: %v", err)
		}
		p.Clock.Advance(5 * time.Minute)
		_, err = credentialtest.ChangePassword(p, credentialtest.ChangePasswordInput(p, s, onboarding.DemoPassword))
		portaltest.Refused(t, err, access.OldPasswordWrong)
		p.WantNotices(portaltest.BuyerPhone + " password_changed")
	})
}

func TestARepetitionDoesNotExtendTheWindow(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		fresh, err := credentialtest.ChangePassword(
			p,
			credentialtest.ChangePasswordInput(
				p, p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone).Session, onboarding.DemoPassword,
			),
		)
		portaltest.NoError(t, err)
		s, err := p.SignedIn(t.Context(), fresh, p.Place(portaltest.AccountHost))
		portaltest.NoError(t, err)
		p.Clock.Advance(5*time.Minute - time.Second)
		_, err = credentialtest.ChangePassword(p, credentialtest.ChangePasswordInput(p, s, onboarding.DemoPassword))
		portaltest.NoError(t, err)
		p.Clock.Advance(time.Second)
		_, err = credentialtest.ChangePassword(p, credentialtest.ChangePasswordInput(p, s, onboarding.DemoPassword))
		portaltest.Refused(t, err, access.OldPasswordWrong)
		p.Clock.Advance(time.Second)
		portaltest.NoError(t, p.Sweep(t.Context()))
		if strings.Contains(p.DumpRows(), "repeats ") {
			t.Error("the note is kept")
		}
	})
}

// A repetition compares a password. Every comparison counts as a failed sign-in.
func TestPasswordsCannotBeGuessedByRepeating(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		fresh, err := credentialtest.ChangePassword(
			p,
			credentialtest.ChangePasswordInput(
				p, p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone).Session, onboarding.DemoPassword,
			),
		)
		portaltest.NoError(t, err)
		s, err := p.SignedIn(t.Context(), fresh, p.Place(portaltest.AccountHost))
		portaltest.NoError(t, err)
		in := credentialtest.ChangePasswordInput(p, s, "Wrong2026")
		in.Password, in.Confirm = credentialtest.OtherPassword, credentialtest.OtherPassword
		_, err = credentialtest.ChangePassword(p, in)
		portaltest.Refused(t, err, access.OldPasswordWrong)
		if n := guesstest.CountFailures(p.Platform, "buyer1"); n != 2 {
			t.Errorf("%d failures are counted for two comparisons", n)
		}
		for range 3 {
			_, err = credentialtest.ChangePassword(p, in)
		}
		portaltest.Refused(t, err, access.TooManyAttempts)
		_, err = credentialtest.ChangePassword(p, credentialtest.ChangePasswordInput(p, s, onboarding.DemoPassword))
		portaltest.Refused(t, err, access.TooManyAttempts)
	})
}

// Two calls at once have the right old password and different new ones. One new password is set, the other is refused.
func TestOnlyOneOfTwoDifferentConcurrentPasswordChangesSucceeds(t *testing.T) {
	tried := []string{portaltest.NewPassword, credentialtest.OtherPassword}
	for name, c := range map[string]struct {
		who      string
		oneToken bool
	}{
		"a phone's, by two tokens":      {portaltest.BuyerPhone, false},
		"an account's, by two tokens":   {"nophone", false},
		"a phone's, by one token twice": {portaltest.BuyerPhone, true},
	} {
		t.Run(name, func(t *testing.T) {
			portaltest.EachConditionWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
				// Both have read the old password before either writes.
				p.Options.Hash = core.HashCost{Memory: 4 << 10, Passes: 10, Threads: 1}
				doors := []*portal.Portal{newInstance(p.Platform), newInstance(p.Platform)}
				var sessions [2]access.Session
				for i := range sessions {
					var err error
					sessions[i], err = credentialtest.TokenSession(p, credentialtest.ClientToken(p, c.who))
					portaltest.NoError(t, err)
				}
				if c.oneToken {
					sessions[1] = sessions[0]
				}
				var errs [2]error
				portaltest.Together(2, func(i int) {
					in := credentialtest.ChangePasswordInput(p, sessions[i], onboarding.DemoPassword)
					in.Password, in.Confirm = tried[i], tried[i]
					_, errs[i] = doors[i].Credentials.ChangePassword(p.From(portaltest.HomeAddress), in)
				})
				winner := 0
				if errs[0] != nil {
					winner = 1
				}
				portaltest.NoError(t, errs[winner])
				portaltest.Refused(t, errs[1-winner], access.OldPasswordWrong)
				if !credentialtest.AcceptsPassword(p, c.who, tried[winner]) ||
					credentialtest.AcceptsPassword(p, c.who, tried[1-winner]) {
					t.Error("the password is not the one of the call that was done")
				}
			})
		})
	}
}

func TestTheSameConcurrentPasswordChangeSucceedsTwice(t *testing.T) {
	portaltest.EachConditionWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		p.Options.Hash = core.HashCost{Memory: 4 << 10, Passes: 10, Threads: 1}
		doors := []*portal.Portal{newInstance(p.Platform), newInstance(p.Platform)}
		s, err := credentialtest.TokenSession(p, credentialtest.ClientToken(p, portaltest.BuyerPhone))
		portaltest.NoError(t, err)
		portaltest.Together(2, func(i int) {
			if _, err := doors[i].Credentials.ChangePassword(
				p.From(portaltest.HomeAddress), credentialtest.ChangePasswordInput(p, s, onboarding.DemoPassword),
			); err != nil {
				t.Errorf("%v", err)
			}
		})
		for _, door := range doors {
			door.Stop(t.Context())
		}
		if n := p.CountEvents(0, "password_changed"); n != 1 {
			t.Errorf("%d audit events", n)
		}
		p.WantNotices(portaltest.BuyerPhone + " password_changed")
	})
}

func TestTheSamePasswordResetWithTheSameCodeSucceedsAgain(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		flow := core.NewFlow()
		in := p.ResetInput(
			portaltest.BuyerPhone,
			p.ReceiveCode(p.CodeRequest(core.ForReset, portaltest.BuyerPhone, flow)),
			flow,
		)
		portaltest.NoError(t, p.ResetPassword(in))
		portaltest.NoError(t, p.ResetPassword(in))
		portaltest.NoError(t, newInstance(p.Platform).Credentials.ResetPassword(p.From(portaltest.HomeAddress), in))
		for what, change := range map[string]func(*credentials.ResetInput){
			"another password": func(in *credentials.ResetInput) {
				in.Password, in.Confirm = credentialtest.OtherPassword, credentialtest.OtherPassword
			},
			"another code":    func(in *credentials.ResetInput) { in.Code = portaltest.WrongCode(in.Code) },
			"another flow":    func(in *credentials.ResetInput) { in.Flow = core.NewFlow() },
			"another company": func(in *credentials.ResetInput) { in.Place = p.Place("store1001.portico.test") },
		} {
			other := in
			change(&other)
			if err := p.ResetPassword(other); !errors.Is(err, access.CodeExpired) {
				t.Errorf("%s: %v", what, err)
			}
		}
		if n := p.CountEvents(0, "password_reset"); n != 1 {
			t.Errorf("%d audit events", n)
		}
		p.Clock.Advance(5 * time.Minute)
		portaltest.Refused(t, p.ResetPassword(in), access.CodeExpired)
		p.WantNotices(portaltest.BuyerPhone + " password_changed")
	})
}

func TestCodesCannotBeGuessedByRepeating(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		flow := core.NewFlow()
		in := p.ResetInput(
			portaltest.BuyerPhone,
			p.ReceiveCode(p.CodeRequest(core.ForReset, portaltest.BuyerPhone, flow)),
			flow,
		)
		portaltest.NoError(t, p.ResetPassword(in))
		guess := in
		for range 39 {
			guess.Code = portaltest.WrongCode(guess.Code)
			portaltest.Refused(t, p.ResetPassword(guess), access.CodeExpired)
		}
		portaltest.NoError(t, p.ResetPassword(in))                     // the fortieth look-up of the day
		portaltest.Refused(t, p.ResetPassword(in), access.CodeExpired) // the right one, too
	})
}

func TestTheSameBindingFromTheSameSignInSucceedsAgain(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		_, in, _ := credentialtest.ProveBind(p, "nophone", portaltest.NewPhone)
		again, err := p.Binding.ProveBind(p.From(portaltest.HomeAddress), in)
		if err != nil || again.Need != credentials.NeedNewPassword {
			t.Errorf("the code again: %+v, %v", again, err)
		}
		in.Password, in.Confirm, in.Keep = portaltest.NewPassword, portaltest.NewPassword, true
		bound, err := credentialtest.Bind(p, in)
		portaltest.NoError(t, err)
		in.Session, err = p.SignedIn(t.Context(), bound.Token, p.Place(portaltest.AccountHost))
		portaltest.NoError(t, err)
		second := in // the second step by itself
		second.Phone, second.Code, second.New = "", "", true
		for what, in := range map[string]credentials.BindInput{"at once": in, "in two steps": second} {
			again, err := credentialtest.Bind(p, in)
			if err != nil || again.Phone != portaltest.NewPhone || again.Need != credentials.NeedNothing ||
				again.Token != "" {
				t.Errorf("%s: %+v, %v", what, again, err)
			}
		}
		again, err = p.Binding.ProveBind(p.From(portaltest.HomeAddress), in)
		if err != nil || again.Phone != portaltest.NewPhone || again.Need != credentials.NeedNothing {
			t.Errorf("the code of a bound phone: %+v, %v", again, err)
		}
		for what, change := range map[string]func(*credentials.BindInput){
			"another password": func(in *credentials.BindInput) {
				in.Password, in.Confirm = credentialtest.OtherPassword, credentialtest.OtherPassword
			},
			"another code":  func(in *credentials.BindInput) { in.Code = portaltest.WrongCode(in.Code) },
			"another phone": func(in *credentials.BindInput) { in.Phone = portaltest.ManagerPhone },
			"another sign-in": func(in *credentials.BindInput) {
				in.Session = p.SignIn(portaltest.AccountHost, "nophone").Session
			},
		} {
			other := in
			change(&other)
			if _, err := credentialtest.Bind(p, other); !errors.Is(err, access.WrongParameters) {
				t.Errorf("%s: %v", what, err)
			}
		}
		if n := p.CountEvents(1001, "phone_bound"); n != 1 {
			t.Errorf("%d audit events", n)
		}
		p.Clock.Advance(5 * time.Minute)
		_, err = credentialtest.Bind(p, in)
		portaltest.Refused(t, err, access.WrongParameters)
		p.WantNotices(portaltest.NewPhone + " phone_bound")
	})
}

func TestTheSameUnbindingFromTheSameSignInSucceedsAgain(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		signed := p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone) // of one account: the session ends with it
		in := credentialtest.UnbindInput(p, signed.Session, "buyer1")
		in.Code = p.ReceiveCode(credentialtest.UnbindCodeRequest(p, in))
		portaltest.NoError(t, credentialtest.Unbind(p, in))
		portaltest.Refused(t, p.RequestSignedIn(signed.Token, portaltest.AccountHost), access.LoginRequired)
		in.Session, in.Token = access.Session{}, signed.Token
		portaltest.NoError(t, credentialtest.Unbind(p, in))
		portaltest.NoError(t, newInstance(p.Platform).Binding.Unbind(p.From(portaltest.HomeAddress), in))
		for what, change := range map[string]func(*credentials.UnbindInput){
			"another code":    func(in *credentials.UnbindInput) { in.Code = portaltest.WrongCode(in.Code) },
			"another account": func(in *credentials.UnbindInput) { in.AccountID++ },
			"another browser": func(in *credentials.UnbindInput) { in.Token += "x" },
			"nobody":          func(in *credentials.UnbindInput) { in.Token = "" },
		} {
			other := in
			change(&other)
			if err := credentialtest.Unbind(p, other); !errors.Is(err, access.LoginRequired) {
				t.Errorf("%s: %v", what, err)
			}
		}
		if n := p.CountEvents(1001, "phone_unbound"); n != 1 {
			t.Errorf("%d audit events", n)
		}
		p.Clock.Advance(5 * time.Minute)
		portaltest.Refused(t, credentialtest.Unbind(p, in), access.LoginRequired)
		p.WantNotices(portaltest.BuyerPhone + " phone_unbound")
	})
}

func TestRepeatingAnUnbindingNeedsTheNewPasswordItSet(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		m := p.Account("buyer1")
		portaltest.NoError(t, p.DB.Passwords.SetAccount(t.Context(), m.CompanyID, m.ID, ""))
		signed := p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone)
		in := credentialtest.UnbindInput(p, signed.Session, "buyer1")
		in.Code, in.Password, in.Confirm = p.ReceiveCode(
			credentialtest.UnbindCodeRequest(p, in),
		), portaltest.NewPassword, portaltest.NewPassword
		portaltest.NoError(t, credentialtest.Unbind(p, in))
		in.Session, in.Token = access.Session{}, signed.Token
		portaltest.NoError(t, credentialtest.Unbind(p, in))
		in.Password, in.Confirm = credentialtest.OtherPassword, credentialtest.OtherPassword
		portaltest.Refused(t, credentialtest.Unbind(p, in), access.LoginRequired)
		if !credentialtest.AcceptsPassword(p, "buyer1", portaltest.NewPassword) {
			t.Error("the account cannot be entered by its name")
		}
	})
}

func TestARepeatedCodeGivesATicketThatExpiresWithTheFirstOne(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		ask := p.CodeRequest(core.ForApplication, portaltest.NewPhone, core.NewFlow())
		ask.CompanyID = 1001
		in := application.ProveApplicantInput{
			Phone:     portaltest.NewPhone,
			Code:      p.ReceiveCode(ask),
			CompanyID: 1001,
			Flow:      ask.Flow,
		}
		_, _, err := p.Application.ProveApplicant(p.From(portaltest.HomeAddress), in)
		portaltest.NoError(t, err)
		p.Clock.Advance(5*time.Minute - time.Second)
		ticket, _, err := p.Application.ProveApplicant(p.From(portaltest.HomeAddress), in)
		portaltest.NoError(t, err)
		if who, err := p.Application.Applicant(ticket, 1001); err != nil || who.Phone() != portaltest.NewPhone {
			t.Errorf("%s, %v", who.Phone(), err)
		}
		other := in
		other.Flow = core.NewFlow()
		_, _, err = p.Application.ProveApplicant(p.From(portaltest.HomeAddress), other)
		portaltest.Refused(t, err, access.CodeExpired)
		p.Clock.Advance(time.Second)
		_, _, err = p.Application.ProveApplicant(p.From(portaltest.HomeAddress), in)
		portaltest.Refused(t, err, access.CodeExpired)
		p.Clock.Advance(signin.ApplicantLife - 5*time.Minute + time.Second)
		if _, err := p.Application.Applicant(ticket, 1001); err == nil {
			t.Error("it lasts longer than the first one")
		}
	})
}

func TestAnApplicationSentAgainReturnsTheSameOneAndDropsTheDraft(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		in := applicationtest.New(p, 1001, portaltest.NewPhone)
		first, err := applicationtest.Send(p, in)
		portaltest.NoError(t, err)
		portaltest.NoError(t, applicationtest.KeepDraft(p, in)) // what was typed before arrives after it
		in.Ticket, _, err = p.Application.RenewApplicant(in.Ticket, 1001)
		portaltest.NoError(t, err)
		again, err := applicationtest.Send(p, in)
		if err != nil || again.ID != first.ID || again.CreatedAt != first.CreatedAt {
			t.Errorf("%+v, %v", again, err)
		}
		if strings.Contains(p.DumpRows(), "application_drafts ") {
			t.Error("the draft is still stored")
		}
		other := in
		other.Reason = "Otra cosa"
		_, err = applicationtest.Send(p, other)
		portaltest.Refused(t, err, access.ApplicationExists)
		applicationtest.ReviewTogether(
			p, t, func(int) application.ReviewInput { return application.ReviewInput{ID: first.ID, Reason: "No"} },
		)
		p.Clock.Advance(time.Second)
		anew, err := applicationtest.Send(p, in)
		if err != nil || anew.ID == first.ID {
			t.Errorf("after a rejection: %+v, %v", anew, err)
		}
		if n := p.CountEvents(1001, "application_sent"); n != 2 {
			t.Errorf("%d audit events", n)
		}
	})
}

func TestACodeRedeemedAgainBeforeItsTokenIsUsedGivesTheSameAnswer(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		code, err := sessiontest.AppCodeFor(p, sessiontest.LandBrowser(p, "buyer1", "buyer1"))
		portaltest.NoError(t, err)
		first, err := sessiontest.RedeemForApp(p, code)
		portaltest.NoError(t, err)
		again, err := sessiontest.RedeemForApp(p, code)
		if err != nil || again != first {
			t.Errorf("%+v, %v", again, err)
		}
		_, err = sessiontest.AppSession(p, string(again.Token))
		portaltest.NoError(t, err)
		_, err = sessiontest.RedeemForApp(p, code)
		portaltest.Refused(t, err, access.LoginRequired)
		_, err = sessiontest.AppSession(p, string(again.Token))
		portaltest.Refused(t, err, access.LoginRequired)
	})
}

// A code whose minute is over ends nothing: see endReusedCode in portal/signin.
func TestRedeemingAUsedCodeTooLateEndsNothing(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		code, err := sessiontest.AppCodeFor(p, sessiontest.LandBrowser(p, "buyer1", "buyer1"))
		portaltest.NoError(t, err)
		first, err := p.Landing.RedeemForClient(p.From(portaltest.HomeAddress), code, signin.ClientApp, 0)
		portaltest.NoError(t, err)
		p.Clock.Advance(signin.AuthCodeLife)
		for _, address := range []string{portaltest.HomeAddress, "198.51.100.9"} {
			_, err = p.Landing.RedeemForClient(p.From(address), code, signin.ClientApp, 0)
			portaltest.Refused(t, err, access.LoginRequired)
		}
		_, err = sessiontest.AppSession(p, string(first.Token))
		portaltest.NoError(t, err)
	})
}

func TestRedeemingACodeByAnotherClientEndsTheToken(t *testing.T) {
	for name, second := range map[string]func(p *portaltest.Platform, code string) error{
		"another address": func(p *portaltest.Platform, code string) error {
			_, err := p.Landing.RedeemForClient(p.From("198.51.100.9"), code, signin.ClientApp, 0)
			return err
		},
		"another kind": func(p *portaltest.Platform, code string) error {
			_, err := p.Landing.RedeemForClient(p.From(portaltest.HomeAddress), code, access.ClientPC, 0)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
				code, err := sessiontest.AppCodeFor(p, sessiontest.LandBrowser(p, "buyer1", "buyer1"))
				portaltest.NoError(t, err)
				first, err := p.Landing.RedeemForClient(p.From(portaltest.HomeAddress), code, signin.ClientApp, 0)
				portaltest.NoError(t, err)
				portaltest.Refused(t, second(p, code), access.LoginRequired)
				_, err = sessiontest.AppSession(p, string(first.Token))
				portaltest.Refused(t, err, access.LoginRequired)
			})
		})
	}
}

func TestUndoingALookTwiceWithTheSameMarkSucceedsTwice(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		here := p.Land("jinsui", portaltest.PhoneScreen)
		look, err := p.Branding.AppearanceOf(t.Context(), here)
		portaltest.NoError(t, err)
		before := look.Name
		look.Name, look.Seen = "Grano", ""
		portaltest.NoError(t, p.Branding.SetAppearance(t.Context(), here, look))
		kept, _, err := p.Branding.LookBefore(t.Context(), here)
		portaltest.NoError(t, err)
		portaltest.NoError(t, p.Branding.UndoAppearance(t.Context(), here, kept.Mark))
		written := p.DumpRows()
		portaltest.NoError(t, p.Branding.UndoAppearance(t.Context(), here, kept.Mark))
		if now, err := p.Branding.AppearanceOf(t.Context(), p.Land("jinsui", portaltest.PhoneScreen)); err != nil ||
			now.Name != before {
			t.Errorf("it is %q, %v", now.Name, err)
		}
		if n := p.CountEvents(1001, "appearance_undone"); n != 1 || !strings.Contains(written, "appearance_undone") {
			t.Errorf("%d events", n)
		}
		look.Name = "Otro"
		portaltest.NoError(t, p.Branding.SetAppearance(t.Context(), here, look))
		portaltest.Refused(t, p.Branding.UndoAppearance(t.Context(), here, kept.Mark), access.ValidationFailed)
	})
}

func TestSettingTheSameIconAgainKeepsTheFormerLook(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		here := p.Land("jinsui", portaltest.PhoneScreen)
		for range 2 {
			portaltest.NoError(
				t, p.Branding.SetIcon(p.From(portaltest.HomeAddress), here, bytes.NewReader(picturetest.PNG(64, 64))),
			)
		}
		kept, ok, err := p.Branding.LookBefore(t.Context(), here)
		if err != nil || !ok || kept.IconURL != "" {
			t.Errorf("the look before: %+v, %v, %v", kept, ok, err)
		}
		for range 2 {
			portaltest.NoError(t, p.Branding.RemoveIcon(t.Context(), here))
		}
		if set, removed := p.CountEvents(1001, "icon_set"), p.CountEvents(1001, "icon_removed"); set != 1 ||
			removed != 1 {
			t.Errorf("%d and %d events", set, removed)
		}
	})
}

func TestPublishingThePublishedLookChangesNothing(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		here := p.Land("jinsui", portaltest.PhoneScreen)
		before, err := p.Branding.AppearanceOf(t.Context(), here)
		portaltest.NoError(t, err)
		look := before
		look.Name, look.Theme, look.Style = "Grano", "204060", ".heading { color: #204060 }"
		portaltest.NoError(t, p.Branding.SetAppearance(t.Context(), here, look))
		published := p.DumpRows()
		portaltest.NoError(t, p.Branding.SetAppearance(t.Context(), here, look)) // it has seen the look before
		kept, ok, err := p.Branding.LookBefore(t.Context(), here)
		if err != nil || !ok || kept.Name != before.Name {
			t.Errorf("the look before: %+v, %v, %v", kept, ok, err)
		}
		if p.DumpRows() != published {
			t.Error("something was written")
		}
		look.Name = "Otro"
		portaltest.Refused(t, p.Branding.SetAppearance(t.Context(), here, look), access.ValidationFailed)
	})
}

// newInstance returns another Portal on the same database, as behind a load balancer.
func newInstance(p *portaltest.Platform) *portal.Portal {
	p.T.Helper()
	other, err := portal.New(p.Options)
	portaltest.NoError(p.T, err)
	return other
}
