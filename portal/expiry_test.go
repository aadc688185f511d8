package portal_test

import (
	"bytes"
	"errors"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/application"
	"portico/portal/core"
	"portico/portal/office"
	"portico/portal/onboarding"
	"portico/portal/picturetest"
	"portico/portal/portaltest"
	"portico/portal/portaltest/applicationtest"
	"portico/portal/portaltest/chattest"
	"portico/portal/portaltest/companytest"
	"portico/portal/portaltest/credentialtest"
	"portico/portal/portaltest/guesstest"
	"portico/portal/portaltest/onboardingtest"
	"portico/portal/portaltest/sessiontest"
	"portico/portal/signin"
	"portico/store"
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
	Prepare func(p *chattest.ChatPlatform) (use func() error)
}

var ExpiringThings = []Expiring{
	{What: "an inviting link", Life: 7 * 24 * time.Hour, Prepare: func(p *chattest.ChatPlatform) func() error {
		token := invitationToken(p, portaltest.NewPhone)
		return func() error {
			_, ok, err := p.Credentials.Invitation(p.T.Context(), token)
			return errors.Join(err, EndedUnless(ok))
		}
	}},
	{What: "a verification code", Life: 5 * time.Minute, Prepare: func(p *chattest.ChatPlatform) func() error {
		flow := core.NewFlow()
		code := p.ReceiveCode(p.CodeRequest(core.ForLogin, portaltest.BuyerPhone, flow))
		return func() error { _, err := p.CodeLogin(p.CodeLoginInput(portaltest.BuyerPhone, code, flow)); return err }
	}},
	{What: "what a code has proved", Life: 10 * time.Minute, Prepare: func(p *chattest.ChatPlatform) func() error {
		signed, in, _ := credentialtest.ProveBind(p.SMSPlatform, "northwind", portaltest.BuyerPhone)
		return func() error { _, err := p.Binding.ResumeBind(p.T.Context(), signed.Session, in.Flow); return err }
	}},
	{What: "an applicant's ticket", Life: 15 * time.Minute, Prepare: func(p *chattest.ChatPlatform) func() error {
		ticket := applicationtest.New(p.SMSPlatform, 1001, portaltest.NewPhone).Ticket
		return func() error { _, err := p.Application.Applicant(ticket, 1001); return err }
	}},
	{
		What: "an applicant's ticket, sending in",
		Life: 15 * time.Minute,
		Prepare: func(p *chattest.ChatPlatform) func() error {
			in := applicationtest.New(p.SMSPlatform, 1001, portaltest.NewPhone)
			return func() error { _, err := applicationtest.Send(p.SMSPlatform, in); return err }
		},
	},
	{What: "an applicant's renewed ticket", Life: 2 * time.Hour, Prepare: func(p *chattest.ChatPlatform) func() error {
		ticket, _, err := p.Application.RenewApplicant(
			applicationtest.New(p.SMSPlatform, 1001, portaltest.NewPhone).Ticket, 1001,
		)
		portaltest.NoError(p.T, err)
		return func() error { _, err := p.Application.Applicant(ticket, 1001); return err }
	}},
	{
		What: "an applicant's ticket instead of a code",
		Life: 15 * time.Minute,
		Prepare: func(p *chattest.ChatPlatform) func() error {
			ticket, _, err := p.Application.RenewApplicant(
				applicationtest.New(p.SMSPlatform, 1001, portaltest.NewPhone).Ticket, 1001,
			)
			portaltest.NoError(p.T, err)
			return func() error { _, ok := p.Onboarding.ApplicantNow(ticket, 1001); return EndedUnless(ok) }
		},
	},
	{
		What: "an application that was not sent in",
		Life: 7 * 24 * time.Hour,
		Prepare: func(p *chattest.ChatPlatform) func() error {
			portaltest.NoError(
				p.T,
				applicationtest.KeepDraft(p.SMSPlatform, applicationtest.New(p.SMSPlatform, 1001, portaltest.NewPhone)),
			)
			return func() error {
				draft, err := applicationtest.ReadDraft(
					p.SMSPlatform, applicationtest.New(p.SMSPlatform, 1001, portaltest.NewPhone).Ticket, 1001,
				)
				return errors.Join(err, EndedUnless(draft.CompanyName != ""))
			}
		},
	},
	{
		What: "an identity's ticket in a browser",
		Life: 10 * time.Minute,
		Prepare: func(p *chattest.ChatPlatform) func() error {
			b := p.Browser(portaltest.AccountHost, chattest.InWeChat)
			ticket := b.UnknownTicket(access.WeChat, chattest.Xiao)
			return func() error { _, err := p.Chatlogin.IdentityOfTicket(b.Context(), ticket, b.Flow); return err }
		},
	},
	{
		What: "an identity's ticket in a program",
		Life: 10 * time.Minute,
		Prepare: func(p *chattest.ChatPlatform) func() error {
			p.AddLink(chattest.Xiao, portaltest.BuyerPhone)
			c := p.Program(signin.ClientApp)
			ticket := c.UnknownCallbackAtPlatform(chattest.Xiao).Ticket
			return func() error { _, err := c.LoginByTicket(ticket, 0); return err }
		},
	},
	{What: "the question whether to sign in by an identity", Life: 10 * time.Minute,
		Prepare: func(p *chattest.ChatPlatform) func() error {
			p.AddLink(chattest.Xiao, portaltest.BuyerPhone)
			b := p.Browser(portaltest.AccountHost, chattest.InWeChat)
			ask := b.AskConfirmation(access.WeChat, chattest.Xiao).ConfirmToken
			return func() error { _, err := b.ConfirmSignIn(ask); return err }
		}},
	{
		What: "a link that waits for the yes",
		Life: 10 * time.Minute,
		Prepare: func(p *chattest.ChatPlatform) func() error {
			b := p.Browser(portaltest.AccountHost, chattest.InWeChat)
			pending := b.PendingLink(access.WeChat, chattest.Xiao, portaltest.BuyerPhone)
			return func() error { _, err := b.ConfirmLink(pending); return err }
		},
	},
	{What: "an authorisation", Life: 10 * time.Minute, Prepare: func(p *chattest.ChatPlatform) func() error {
		p.AddLink(chattest.Xiao, portaltest.BuyerPhone)
		b := p.Browser(portaltest.AccountHost, chattest.InWeChat)
		w := b.Begin(access.WeChat)
		return func() error { _, err := b.Finish(w, p.Wechat.Grant(w.App, chattest.Xiao)); return err }
	}},
	{What: "a callback that is repeated", Life: 2 * time.Minute, Prepare: func(p *chattest.ChatPlatform) func() error {
		p.AddLink(chattest.Xiao, portaltest.BuyerPhone)
		b := p.Browser(portaltest.AccountHost, chattest.InWeChat)
		w := b.Begin(access.WeChat)
		code := p.Wechat.Grant(w.App, chattest.Xiao)
		use := func() error { _, err := b.Finish(w, code); return err }
		portaltest.NoError(p.T, use())
		return use
	}},
	{
		What: "an identity's application",
		Life: 180 * 24 * time.Hour,
		Prepare: func(p *chattest.ChatPlatform) func() error {
			b := p.Browser(chattest.Host1001, chattest.InWeChat)
			a := p.SendApplication(b, b.UnknownTicket(access.WeChat, chattest.Xiao), 1001, portaltest.NewPhone)
			return func() error {
				back, err := b.Authorise(access.WeChat, chattest.Xiao)
				return errors.Join(err, EndedUnless(back.Application == a.ID))
			}
		},
	},
	{What: "an auth code", Life: time.Minute, Prepare: func(p *chattest.ChatPlatform) func() error {
		d := p.Enter(p.SignIn(portaltest.AccountHost, "buyer1"), portaltest.AccountHost, "buyer1", portaltest.Desktop)
		return func() error { _, err := p.Redeem(d, ""); return err }
	}},
	{What: "an auth code in a program", Life: time.Minute, Prepare: func(p *chattest.ChatPlatform) func() error {
		d := p.Enter(p.SignIn(portaltest.AccountHost, "buyer1"), portaltest.AccountHost, "buyer1", portaltest.Desktop)
		return func() error { _, err := sessiontest.RedeemForApp(p.Platform, d.Code); return err }
	}},
	{
		What: "a ticket to choose an account",
		Life: 15 * time.Minute,
		Prepare: func(p *chattest.ChatPlatform) func() error {
			in, err := p.Signin.ClientLogin(p.From(portaltest.HomeAddress), signin.ClientLoginInput{
				Login: portaltest.ManyPhone, Password: onboarding.DemoPassword, Client: signin.ClientApp,
			})
			portaltest.NoError(p.T, err)
			return func() error {
				_, err := p.Landing.Token(p.T.Context(), signin.TokenInput{
					Token: in.Ticket, Client: signin.ClientApp, Ticket: true,
				})
				return err
			}
		},
	},
	{What: "a token that is not used", Life: 30 * 24 * time.Hour, Prepare: func(p *chattest.ChatPlatform) func() error {
		return tokenRequest(p, credentialtest.ClientToken(p.SMSPlatform, "buyer1"))
	}},
	{What: "a token that is used", Life: 365 * 24 * time.Hour, Used: 29 * 24 * time.Hour,
		Prepare: func(p *chattest.ChatPlatform) func() error {
			return tokenRequest(p, credentialtest.ClientToken(p.SMSPlatform, "buyer1"))
		}},
	{
		What: "a session whose cookie was lost",
		Life: 10 * time.Minute,
		Prepare: func(p *chattest.ChatPlatform) func() error {
			return sessionRequest(p, p.SignIn(portaltest.AccountHost, "buyer1").Token)
		},
	},
	{What: "a session that is not used", Life: 12 * time.Hour, Prepare: func(p *chattest.ChatPlatform) func() error {
		return sessionRequest(p, p.ConfirmSession(p.SignIn(portaltest.AccountHost, "buyer1")).Token)
	}},
	{
		What: "a session that is used",
		Life: 24 * time.Hour,
		Used: time.Hour,
		Prepare: func(p *chattest.ChatPlatform) func() error {
			return sessionRequest(p, p.ConfirmSession(p.SignIn(portaltest.AccountHost, "buyer1")).Token)
		},
	},
	{What: "a remembered session", Life: 30 * 24 * time.Hour, Prepare: func(p *chattest.ChatPlatform) func() error {
		return sessionRequest(p, p.ConfirmSession(sessiontest.SignInRemembered(p.Platform, "buyer1")).Token)
	}},
	{What: "a session's former id", Life: time.Minute, Prepare: func(p *chattest.ChatPlatform) func() error {
		signed := p.ConfirmSession(p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone))
		_, err := credentialtest.ChangePasswordWithCookie(p.SMSPlatform, signed)
		portaltest.NoError(p.T, err)
		return sessionRequest(p, signed.Token)
	}},
	{
		What: "a back office that is not used", Life: 30 * time.Minute,
		Prepare: func(p *chattest.ChatPlatform) func() error { return sideRequest(p, "jinsui", portaltest.Desktop) },
	},
	{
		What: "a back office that is used",
		Life: 24 * time.Hour,
		Used: 20 * time.Minute,
		Prepare: func(p *chattest.ChatPlatform) func() error {
			return sideRequest(p, "jinsui",
				portaltest.PhoneScreen)
		},
	},
	{
		What: "a shop that is not used",
		Life: 12 * time.Hour,
		Prepare: func(p *chattest.ChatPlatform) func() error {
			return sideRequest(p, "buyer1",
				portaltest.PhoneScreen)
		},
	},
	{
		What: "a shop that is used", Life: 30 * 24 * time.Hour, Used: 11 * time.Hour,
		Prepare: func(p *chattest.ChatPlatform) func() error { return sideRequest(p, "buyer1", portaltest.Desktop) },
	},
	{What: "a first password", Life: 7 * 24 * time.Hour, Prepare: func(p *chattest.ChatPlatform) func() error {
		password := credentialtest.OpenAccountWithFirstPassword(p.Platform, "newcomer").First.Password
		return func() error {
			_, err := p.Login(credentialtest.NamedLoginInput(p.Platform, "newcomer", password))
			return err
		}
	}},
	{What: "a session that a first password began, changing it", Life: 7 * 24 * time.Hour,
		Prepare: func(p *chattest.ChatPlatform) func() error {
			password := credentialtest.OpenAccountWithFirstPassword(p.Platform, "newcomer").First.Password
			in := credentialtest.NamedLoginInput(p.Platform, "newcomer", password)
			in.Remember = true
			signed, err := p.Login(in)
			portaltest.NoError(p.T, err)
			return func() error {
				_, err := credentialtest.ReplacePassword(
					p.Platform, signed.Session, password, credentialtest.ChosenPassword,
				)
				return err
			}
		}},
	{What: "an upload token", Life: 10 * time.Minute, Prepare: func(p *chattest.ChatPlatform) func() error {
		token, err := p.Licences.LicenceToken(p.T.Context(), 1001, applicationtest.SenderPhone)
		portaltest.NoError(p.T, err)
		return func() error {
			_, err := p.Licences.UploadLicence(p.From(portaltest.HomeAddress), application.UploadInput{
				Token: token, Body: bytes.NewReader(picturetest.JPEG(60, 40)),
			})
			return err
		}
	}},
	{What: "a file that nothing uses", Life: 24 * time.Hour, Prepare: func(p *chattest.ChatPlatform) func() error {
		sent, err := applicationtest.UploadLicence(
			p.Platform, 1001, applicationtest.SenderPhone, picturetest.JPEG(60, 40),
		)
		portaltest.NoError(p.T, err)
		return func() error {
			in := applicationtest.New(p.SMSPlatform, 1001, applicationtest.SenderPhone)
			in.LicenceKey = sent.ID
			_, err := applicationtest.Send(p.SMSPlatform, in)
			return err
		}
	}},
	{What: "a kept form", Life: 24 * time.Hour, Prepare: func(p *chattest.ChatPlatform) func() error {
		owner := core.FormOwner{PersonID: portaltest.PersonOf(p.T, p.DB, portaltest.BuyerPhone).ID}
		id, err := p.Limits.KeepForm(p.T.Context(), core.KeptForm{
			Owner: owner, Path: "/bind", Fields: url.Values{"phone": {portaltest.NewPhone}},
		})
		portaltest.NoError(p.T, err)
		return func() error { _, err := p.Limits.KeptForm(p.T.Context(), id); return err }
	}},
	{What: "a request that is repeated", Life: 5 * time.Minute, Prepare: func(p *chattest.ChatPlatform) func() error {
		in := p.ResetInput(portaltest.BuyerPhone, "", core.NewFlow())
		in.Code = p.ReceiveCode(p.CodeRequest(core.ForReset, portaltest.BuyerPhone, in.Flow))
		portaltest.NoError(p.T, p.ResetPassword(in))
		return func() error { return p.ResetPassword(in) }
	}},
	{
		What: "a registration that is repeated",
		Life: 10 * time.Minute,
		Prepare: func(p *chattest.ChatPlatform) func() error {
			_, in := onboardingtest.RegisterPhone(p.SMSPlatform, portaltest.NewPhone)
			return func() error { _, err := onboardingtest.Register(p.SMSPlatform, in); return err }
		},
	},
	{What: "an idempotency key", Life: 24 * time.Hour, Prepare: func(p *chattest.ChatPlatform) func() error {
		runs := 0
		use := func() error {
			before := runs
			_, err := p.Replay.Once(p.T.Context(), core.OnceInput{
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
	{What: "a look that was not published", Life: 24 * time.Hour, Prepare: func(p *chattest.ChatPlatform) func() error {
		here := p.Office("sur")
		portaltest.NoError(p.T, p.Branding.KeepLook(p.T.Context(), here, companytest.Look("Uno")))
		return func() error {
			_, ok, err := p.Branding.KeptDraft(p.T.Context(), here)
			return errors.Join(err, EndedUnless(ok))
		}
	}},
	{What: "the address of a preview", Life: 10 * time.Minute, Prepare: func(p *chattest.ChatPlatform) func() error {
		here := p.Office("sur")
		token, err := p.Branding.LookToken(here)
		portaltest.NoError(p.T, err)
		return func() error { _, err := p.Branding.PreviewLook(p.T.Context(), here, token); return err }
	}},
	{What: "a known browser", Life: 180 * 24 * time.Hour, Prepare: func(p *chattest.ChatPlatform) func() error {
		in := p.LoginInput("nophone")
		in.Device = p.SignIn(portaltest.AccountHost, "nophone").Device
		return func() error {
			(&guesstest.Guesser{Platform: p.Platform}).TryWrong(5, "nophone")
			_, err := p.Login(in)
			return err
		}
	}},
	{What: "the account that a browser entered last", Life: 180 * 24 * time.Hour,
		Prepare: func(p *chattest.ChatPlatform) func() error {
			signed := p.SignIn(portaltest.AccountHost, portaltest.ManyPhone)
			p.Enter(signed, portaltest.AccountHost, "sur", portaltest.Desktop)
			return func() error {
				in := p.LoginInput(portaltest.ManyPhone)
				in.Device = signed.Device
				again, err := p.Login(in)
				return errors.Join(err, EndedUnless(again.Step.AccountID == p.Account("sur").ID))
			}
		}},
	{What: "the question of a sum", Life: 10 * time.Minute, Prepare: func(p *chattest.ChatPlatform) func() error {
		var asked *access.Question
		for range 20 {
			_, err := p.Login(p.WrongLoginInput("nophone"))
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
		in := p.LoginInput("nophone")
		in.Question, in.Answer = asked.Token, strconv.Itoa(asked.A+asked.B)
		return func() error { _, err := p.Login(in); return err }
	}},
	{What: "a sign-in that unbinds a phone without the password", Life: 10 * time.Minute,
		Prepare: func(p *chattest.ChatPlatform) func() error {
			signed, id := p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone), p.Account("buyer1").ID
			return func() error {
				u, err := p.Binding.Unbindable(p.T.Context(), signed.Session, id)
				return errors.Join(err, EndedUnless(!u.Confirm))
			}
		}},
	{
		What: "a company to try the platform with",
		Life: 7 * 24 * time.Hour,
		Prepare: func(p *chattest.ChatPlatform) func() error {
			tried, _ := onboardingtest.OpenSandboxFor(p.SMSPlatform, portaltest.NewPhone, onboardingtest.Seafood)
			return func() error { return enterFirstAccount(p, tried.Session.PersonID) }
		},
	},
	{What: "a company on trial", Life: 15 * 24 * time.Hour, Prepare: func(p *chattest.ChatPlatform) func() error {
		made, _ := onboardingtest.RegisterPhone(p.SMSPlatform, portaltest.NewPhone)
		return func() error { return enterFirstAccount(p, made.Session.PersonID) }
	}},
}

func TestEverythingExpiresOnTimeWithoutASweep(t *testing.T) {
	for _, l := range ExpiringThings {
		t.Run(l.What, func(t *testing.T) {
			for _, ends := range []bool{false, true} {
				chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
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

// invitationToken opens an account for a phone number and returns the token of its invitation link. It fails the test
// if that is refused.
func invitationToken(p *chattest.ChatPlatform, phone string) string {
	p.T.Helper()
	opened, err := companytest.OpenAccount(p.Platform, office.OpenAccountInput{
		Side: "shop", Type: 3, Name: "新采购", Phone: phone, ClientID: companytest.PartnerID(p.Platform),
	})
	portaltest.NoError(p.T, err)
	link, _, err := p.Backoffice.InvitingLink(p.T.Context(), p.Administrator(), opened.Member.ID)
	portaltest.NoError(p.T, err)
	_, token, _ := strings.Cut(link, "invite=")
	return token
}

// sideRequest enters a side and returns a function that makes a request to it.
func sideRequest(p *chattest.ChatPlatform, login string, device access.Device) func() error {
	p.T.Helper()
	d := p.Enter(p.SignIn(portaltest.AccountHost, login), portaltest.AccountHost, login, device)
	result, err := p.Redeem(d, "")
	portaltest.NoError(p.T, err)
	use := func() error { _, err := p.LandingAt(d, result.Token); return err }
	portaltest.NoError(p.T, use())
	return use
}

// sessionRequest returns a function that makes a request with a session cookie at the account site.
func sessionRequest(p *chattest.ChatPlatform, token string) func() error {
	return func() error {
		_, err := p.Session(p.From(portaltest.HomeAddress), token, p.Place(portaltest.AccountHost))
		return err
	}
}

// tokenRequest returns a function that makes a request with a program's token.
func tokenRequest(p *chattest.ChatPlatform, token string) func() error {
	return func() error { _, err := credentialtest.TokenSession(p.SMSPlatform, token); return err }
}

// enterFirstAccount enters the first account of a phone and returns the refusal if there is one.
func enterFirstAccount(p *chattest.ChatPlatform, personID int64) error {
	members, err := p.DB.Accounts.ByPerson(p.T.Context(), personID)
	portaltest.NoError(p.T, err)
	_, err = p.Entry.Enter(p.T.Context(), access.EnterInput{
		Session: store.Session{PersonID: personID}, AccountID: members[0].ID, Place: p.Place(portaltest.AccountHost),
		Device: portaltest.Desktop,
	})
	return err
}
