package portal_test

import (
	"bytes"
	"errors"
	"net/url"
	"strconv"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/application"
	"portico/portal/landing"
	"portico/portal/limits"
	"portico/portal/onboarding"
	"portico/portal/picturetest"
	"portico/portal/portaltest"
	"portico/portal/replay"
	"portico/portal/signin"
	"portico/portal/verification"
)

// ErrEnded is the error of a use that no longer works, where the operation itself returns no error.
var ErrEnded = errors.New("it has expired")

// EndedUnless returns ErrEnded unless ok.
func EndedUnless(ok bool) error {
	if ok {
		return nil
	}
	return ErrEnded
}

// Expiring is something that ends by itself. life is a literal, so that the test also guards the constant. prepare
// makes it and returns its use, which fails from the end on. With used, it is used again and again until its end.
type Expiring struct {
	What    string
	Life    time.Duration
	Used    time.Duration // it is used this often until shortly before the end; 0: never
	Prepare func(p *portaltest.Chatter) (use func() error)
}

var ExpiringThings = []Expiring{
	{What: "an inviting link", Life: 7 * 24 * time.Hour, Prepare: func(p *portaltest.Chatter) func() error {
		token := p.InvitingToken(portaltest.NewPhone)
		return func() error {
			_, ok, err := p.Onboarding.Invitation(p.T.Context(), token)
			return errors.Join(err, EndedUnless(ok))
		}
	}},
	{What: "a verification code", Life: 5 * time.Minute, Prepare: func(p *portaltest.Chatter) func() error {
		flow := verification.NewFlow()
		code := p.Sent(p.Asking(verification.ForLogin, portaltest.BuyerPhone, flow))
		return func() error { _, err := p.CodeLogin(p.WithCode(portaltest.BuyerPhone, code, flow)); return err }
	}},
	{What: "what a code has proved", Life: 10 * time.Minute, Prepare: func(p *portaltest.Chatter) func() error {
		signed, in, _ := p.Proven("northwind", portaltest.BuyerPhone)
		return func() error { _, err := p.Binding.ResumeBind(p.T.Context(), signed.Session, in.Flow); return err }
	}},
	{What: "an applicant's ticket", Life: 15 * time.Minute, Prepare: func(p *portaltest.Chatter) func() error {
		ticket := p.Applies(1001, portaltest.NewPhone).Ticket
		return func() error { _, err := p.Application.Applicant(ticket, 1001); return err }
	}},
	{
		What: "an applicant's ticket, sending in",
		Life: 15 * time.Minute,
		Prepare: func(p *portaltest.Chatter) func() error {
			in := p.Applies(1001, portaltest.NewPhone)
			return func() error { _, err := p.Apply(in); return err }
		},
	},
	{What: "an applicant's renewed ticket", Life: 2 * time.Hour, Prepare: func(p *portaltest.Chatter) func() error {
		ticket, _, err := p.Application.RenewApplicant(p.Applies(1001, portaltest.NewPhone).Ticket, 1001)
		portaltest.NoError(p.T, err)
		return func() error { _, err := p.Application.Applicant(ticket, 1001); return err }
	}},
	{
		What: "an applicant's ticket instead of a code",
		Life: 15 * time.Minute,
		Prepare: func(p *portaltest.Chatter) func() error {
			ticket, _, err := p.Application.RenewApplicant(p.Applies(1001, portaltest.NewPhone).Ticket, 1001)
			portaltest.NoError(p.T, err)
			return func() error { _, ok := p.Onboarding.ApplicantNow(ticket, 1001); return EndedUnless(ok) }
		},
	},
	{
		What: "an application that was not sent in",
		Life: 7 * 24 * time.Hour,
		Prepare: func(p *portaltest.Chatter) func() error {
			portaltest.NoError(p.T, p.KeepsDraft(p.Applies(1001, portaltest.NewPhone)))
			return func() error {
				draft, err := p.Draft(p.Applies(1001, portaltest.NewPhone).Ticket, 1001)
				return errors.Join(err, EndedUnless(draft.CompanyName != ""))
			}
		},
	},
	{
		What: "an identity's ticket in a browser",
		Life: 10 * time.Minute,
		Prepare: func(p *portaltest.Chatter) func() error {
			b := p.Browser(portaltest.AccountHost, portaltest.InWeChat)
			ticket := b.Unknown(access.WeChat, portaltest.Xiao)
			return func() error { _, err := p.Chatlogin.IdentityOfTicket(b.Ctx(), ticket, b.Flow); return err }
		},
	},
	{
		What: "an identity's ticket in a program",
		Life: 10 * time.Minute,
		Prepare: func(p *portaltest.Chatter) func() error {
			p.LinkedRow(portaltest.Xiao, portaltest.BuyerPhone)
			c := p.Program(landing.ClientApp)
			ticket := c.ComesBackToThePlatform(portaltest.Xiao).Ticket
			return func() error { _, err := c.Uses(ticket, 0); return err }
		},
	},
	{What: "the question whether to sign in by an identity", Life: 10 * time.Minute,
		Prepare: func(p *portaltest.Chatter) func() error {
			p.LinkedRow(portaltest.Xiao, portaltest.BuyerPhone)
			b := p.Browser(portaltest.AccountHost, portaltest.InWeChat)
			ask := b.Asked(access.WeChat, portaltest.Xiao).ConfirmToken
			return func() error { _, err := b.SaysYes(ask); return err }
		}},
	{What: "a link that waits for the yes", Life: 10 * time.Minute, Prepare: func(p *portaltest.Chatter) func() error {
		b := p.Browser(portaltest.AccountHost, portaltest.InWeChat)
		pending := b.Proven(access.WeChat, portaltest.Xiao, portaltest.BuyerPhone)
		return func() error { _, err := b.Confirms(pending); return err }
	}},
	{What: "an authorisation", Life: 10 * time.Minute, Prepare: func(p *portaltest.Chatter) func() error {
		p.LinkedRow(portaltest.Xiao, portaltest.BuyerPhone)
		b := p.Browser(portaltest.AccountHost, portaltest.InWeChat)
		w := b.Goes(access.WeChat)
		return func() error { _, err := b.Returns(w, p.Wechat.Grants(w.App, portaltest.Xiao)); return err }
	}},
	{What: "a callback that is repeated", Life: 2 * time.Minute, Prepare: func(p *portaltest.Chatter) func() error {
		p.LinkedRow(portaltest.Xiao, portaltest.BuyerPhone)
		b := p.Browser(portaltest.AccountHost, portaltest.InWeChat)
		w := b.Goes(access.WeChat)
		code := p.Wechat.Grants(w.App, portaltest.Xiao)
		use := func() error { _, err := b.Returns(w, code); return err }
		portaltest.NoError(p.T, use())
		return use
	}},
	{What: "an identity's application", Life: 180 * 24 * time.Hour, Prepare: func(p *portaltest.Chatter) func() error {
		b := p.Browser(portaltest.Host1001, portaltest.InWeChat)
		a := p.AppliesBy(b, b.Unknown(access.WeChat, portaltest.Xiao), 1001, portaltest.NewPhone)
		return func() error {
			back, err := b.Authorises(access.WeChat, portaltest.Xiao)
			return errors.Join(err, EndedUnless(back.Application == a.ID))
		}
	}},
	{What: "an auth code", Life: time.Minute, Prepare: func(p *portaltest.Chatter) func() error {
		d := p.Enter(p.SignIn(portaltest.AccountHost, "buyer1"), portaltest.AccountHost, "buyer1", portaltest.Desktop)
		return func() error { _, err := p.Redeem(d, ""); return err }
	}},
	{What: "an auth code in a program", Life: time.Minute, Prepare: func(p *portaltest.Chatter) func() error {
		d := p.Enter(p.SignIn(portaltest.AccountHost, "buyer1"), portaltest.AccountHost, "buyer1", portaltest.Desktop)
		return func() error { _, err := p.Redeemed(d.Code); return err }
	}},
	{What: "a ticket to choose an account", Life: 15 * time.Minute, Prepare: func(p *portaltest.Chatter) func() error {
		in, err := p.Signin.ClientLogin(p.From(portaltest.HomeAddress), signin.ClientLoginInput{
			Login: portaltest.ManyPhone, Password: onboarding.DemoPassword, Client: landing.ClientApp,
		})
		portaltest.NoError(p.T, err)
		return func() error {
			_, err := p.Landing.Token(p.T.Context(), landing.TokenInput{
				Token: in.Ticket, Client: landing.ClientApp, Ticket: true,
			})
			return err
		}
	}},
	{What: "a token that is not used", Life: 30 * 24 * time.Hour, Prepare: func(p *portaltest.Chatter) func() error {
		return p.TokenUse(p.Token("buyer1"))
	}},
	{What: "a token that is used", Life: 365 * 24 * time.Hour, Used: 29 * 24 * time.Hour,
		Prepare: func(p *portaltest.Chatter) func() error {
			return p.TokenUse(p.Token("buyer1"))
		}},
	{
		What: "a session whose cookie was lost",
		Life: 10 * time.Minute,
		Prepare: func(p *portaltest.Chatter) func() error {
			return p.UseSession(p.SignIn(portaltest.AccountHost, "buyer1").Token)
		},
	},
	{What: "a session that is not used", Life: 12 * time.Hour, Prepare: func(p *portaltest.Chatter) func() error {
		return p.UseSession(p.Shows(p.SignIn(portaltest.AccountHost, "buyer1")).Token)
	}},
	{
		What: "a session that is used",
		Life: 24 * time.Hour,
		Used: time.Hour,
		Prepare: func(p *portaltest.Chatter) func() error {
			return p.UseSession(p.Shows(p.SignIn(portaltest.AccountHost, "buyer1")).Token)
		},
	},
	{What: "a remembered session", Life: 30 * 24 * time.Hour, Prepare: func(p *portaltest.Chatter) func() error {
		return p.UseSession(p.Shows(p.Remembered("buyer1")).Token)
	}},
	{What: "a session's former id", Life: time.Minute, Prepare: func(p *portaltest.Chatter) func() error {
		signed := p.Shows(p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone))
		_, err := p.ChangeIn(signed)
		portaltest.NoError(p.T, err)
		return p.UseSession(signed.Token)
	}},
	{
		What: "a back office that is not used", Life: 30 * time.Minute,
		Prepare: func(p *portaltest.Chatter) func() error { return p.Side("jinsui", portaltest.Desktop) },
	},
	{
		What: "a back office that is used", Life: 24 * time.Hour, Used: 20 * time.Minute,
		Prepare: func(p *portaltest.Chatter) func() error { return p.Side("jinsui", portaltest.PhoneScreen) },
	},
	{
		What: "a shop that is not used", Life: 12 * time.Hour,
		Prepare: func(p *portaltest.Chatter) func() error { return p.Side("buyer1", portaltest.PhoneScreen) },
	},
	{
		What: "a shop that is used", Life: 30 * 24 * time.Hour, Used: 11 * time.Hour,
		Prepare: func(p *portaltest.Chatter) func() error { return p.Side("buyer1", portaltest.Desktop) },
	},
	{What: "a first password", Life: 7 * 24 * time.Hour, Prepare: func(p *portaltest.Chatter) func() error {
		password := p.First("newcomer").First.Password
		return func() error { _, err := p.Login(p.Named("newcomer", password)); return err }
	}},
	{What: "a session that a first password began, changing it", Life: 7 * 24 * time.Hour,
		Prepare: func(p *portaltest.Chatter) func() error {
			password := p.First("newcomer").First.Password
			in := p.Named("newcomer", password)
			in.Remember = true
			signed, err := p.Login(in)
			portaltest.NoError(p.T, err)
			return func() error { _, err := p.Replace(signed.Session, password, portaltest.OwnChoice); return err }
		}},
	{What: "an upload token", Life: 10 * time.Minute, Prepare: func(p *portaltest.Chatter) func() error {
		token, err := p.Licences.LicenceToken(p.T.Context(), 1001, portaltest.SenderPhone)
		portaltest.NoError(p.T, err)
		return func() error {
			_, err := p.Licences.UploadLicence(p.From(portaltest.HomeAddress), application.UploadInput{
				Token: token, Body: bytes.NewReader(picturetest.JPEG(60, 40)),
			})
			return err
		}
	}},
	{What: "a file that nothing uses", Life: 24 * time.Hour, Prepare: func(p *portaltest.Chatter) func() error {
		sent, err := p.Licence(1001, portaltest.SenderPhone, picturetest.JPEG(60, 40))
		portaltest.NoError(p.T, err)
		return func() error {
			in := p.Applies(1001, portaltest.SenderPhone)
			in.LicenceKey = sent.ID
			_, err := p.Apply(in)
			return err
		}
	}},
	{What: "a kept form", Life: 24 * time.Hour, Prepare: func(p *portaltest.Chatter) func() error {
		owner := limits.FormOwner{PhoneID: portaltest.PhoneOf(p.T, p.Db, portaltest.BuyerPhone).ID}
		id, err := p.Limits.KeepForm(p.T.Context(), limits.KeptForm{
			Owner: owner, Path: "/bind", Fields: url.Values{"phone": {portaltest.NewPhone}},
		})
		portaltest.NoError(p.T, err)
		return func() error { _, err := p.Limits.KeptForm(p.T.Context(), id); return err }
	}},
	{What: "a request that is repeated", Life: 5 * time.Minute, Prepare: func(p *portaltest.Chatter) func() error {
		in := p.Resetting(portaltest.BuyerPhone, "", verification.NewFlow())
		in.Code = p.Sent(p.Asking(verification.ForReset, portaltest.BuyerPhone, in.Flow))
		portaltest.NoError(p.T, p.Reset(in))
		return func() error { return p.Reset(in) }
	}},
	{
		What: "a registration that is repeated",
		Life: 10 * time.Minute,
		Prepare: func(p *portaltest.Chatter) func() error {
			_, in := p.Registered(portaltest.NewPhone)
			return func() error { _, err := p.Register(in); return err }
		},
	},
	{What: "an idempotency key", Life: 24 * time.Hour, Prepare: func(p *portaltest.Chatter) func() error {
		runs := 0
		use := func() error {
			before := runs
			_, err := p.Replay.Once(p.T.Context(), replay.OnceInput{
				Caller: "c", Path: "/p", Key: "k",
			}, func() ([]byte, error) {
				runs++
				return []byte("answer"), nil
			})
			return errors.Join(err, EndedUnless(before == 0 || runs == before))
		}
		portaltest.NoError(p.T, use())
		return use
	}},
	{What: "a look that was not published", Life: 24 * time.Hour, Prepare: func(p *portaltest.Chatter) func() error {
		here := p.Office("sur")
		portaltest.NoError(p.T, p.Branding.KeepLook(p.T.Context(), here, portaltest.Look("Uno")))
		return func() error {
			_, ok, err := p.Branding.KeptDraft(p.T.Context(), here)
			return errors.Join(err, EndedUnless(ok))
		}
	}},
	{What: "the address of a preview", Life: 10 * time.Minute, Prepare: func(p *portaltest.Chatter) func() error {
		here := p.Office("sur")
		token, err := p.Branding.LookToken(here)
		portaltest.NoError(p.T, err)
		return func() error { _, err := p.Branding.PreviewLook(p.T.Context(), here, token); return err }
	}},
	{What: "a known browser", Life: 180 * 24 * time.Hour, Prepare: func(p *portaltest.Chatter) func() error {
		in := p.As("nophone")
		in.Device = p.SignIn(portaltest.AccountHost, "nophone").Device
		return func() error {
			(&portaltest.Guesser{Platform: p.Platform}).Wrongs(5, "nophone")
			_, err := p.Login(in)
			return err
		}
	}},
	{What: "the account that a browser entered last", Life: 180 * 24 * time.Hour,
		Prepare: func(p *portaltest.Chatter) func() error {
			signed := p.SignIn(portaltest.AccountHost, portaltest.ManyPhone)
			p.Enter(signed, portaltest.AccountHost, "sur", portaltest.Desktop)
			return func() error {
				in := p.As(portaltest.ManyPhone)
				in.Device = signed.Device
				again, err := p.Login(in)
				return errors.Join(err, EndedUnless(again.Step.AccountID == p.Account("sur").ID))
			}
		}},
	{What: "the question of a sum", Life: 10 * time.Minute, Prepare: func(p *portaltest.Chatter) func() error {
		var asked *access.Question
		for range 20 {
			_, err := p.Login(p.Wrong("nophone"))
			with := new(access.Refused)
			if errors.As(err, &with); with.Question != nil {
				asked = with.Question
				break
			}
			p.Clock.Advance(with.Wait)
		}
		if asked == nil {
			p.T.Fatal("no question was asked")
		}
		in := p.As("nophone")
		in.Question, in.Answer = asked.Token, strconv.Itoa(asked.A+asked.B)
		return func() error { _, err := p.Login(in); return err }
	}},
	{What: "a sign-in that unbinds a phone without the password", Life: 10 * time.Minute,
		Prepare: func(p *portaltest.Chatter) func() error {
			signed, id := p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone), p.Account("buyer1").ID
			return func() error {
				u, err := p.Binding.Unbindable(p.T.Context(), signed.Session, id)
				return errors.Join(err, EndedUnless(!u.Confirm))
			}
		}},
	{
		What: "a company to try the platform with",
		Life: 7 * 24 * time.Hour,
		Prepare: func(p *portaltest.Chatter) func() error {
			tried, _ := p.Tried(portaltest.NewPhone, portaltest.Seafood)
			return func() error { return p.EntersCompanyOf(tried.Session.PhoneID) }
		},
	},
	{What: "a company on trial", Life: 15 * 24 * time.Hour, Prepare: func(p *portaltest.Chatter) func() error {
		made, _ := p.Registered(portaltest.NewPhone)
		return func() error { return p.EntersCompanyOf(made.Session.PhoneID) }
	}},
}

func TestEverythingExpiresOnTimeWithoutASweep(t *testing.T) {
	for _, l := range ExpiringThings {
		t.Run(l.What, func(t *testing.T) {
			for _, ends := range []bool{false, true} {
				portaltest.EachChat(t, func(t *testing.T, p *portaltest.Chatter) {
					use := l.Prepare(p)
					end := p.Clock.Now().Add(l.Life)
					for l.Used != 0 && p.Clock.In(l.Used).Before(end) {
						p.Clock.Advance(l.Used)
						portaltest.NoError(t, use())
					}
					p.Clock.Advance(end.Sub(p.Clock.Now()))
					if !ends {
						p.Clock.Advance(-time.Millisecond)
						if err := use(); err != nil {
							t.Errorf("it does not work until its end: %v", err)
						}
						return
					}
					if err := use(); err == nil {
						t.Error("it works at its end")
					}
				})
			}
		})
	}
}
