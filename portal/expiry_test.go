package portal_test

import (
	"bytes"
	"errors"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"portico/portal"
	"portico/portal/picturetest"
	"portico/store"
)

// errEnded is returned by a use that no longer works, where the platform itself returns no refusal.
var errEnded = errors.New("it has ended")

func unless(ok bool) error {
	if ok {
		return nil
	}
	return errEnded
}

// thatEnds is something that ends by itself. life is a literal, so that the test also guards the constant. prepare
// makes it and returns its use, which fails from the end on. With used, it is used again and again until its end.
type thatEnds struct {
	what    string
	life    time.Duration
	used    time.Duration // it is used this often until shortly before the end; 0: never
	prepare func(p *chatter) (use func() error)
}

// invitingToken gives the token of the inviting link for an account that was opened for a phone.
func (p *chatter) invitingToken(phone string) string {
	p.t.Helper()
	opened, err := p.opens1001(portal.OpenAccountInput{
		Side: "shop", Type: 3, Name: "新采购", Phone: phone, ClientID: p.client(),
	})
	noError(p.t, err)
	link, _, err := p.InvitingLink(p.t.Context(), p.boss(), opened.Member.ID)
	noError(p.t, err)
	_, token, _ := strings.Cut(link, "invite=")
	return token
}

// side enters a side and returns a request to it.
func (p *chatter) side(login string, device portal.Device) func() error {
	p.t.Helper()
	d := p.enter(p.signIn(accountHost, login), accountHost, login, device)
	result, err := p.redeem(d, "")
	noError(p.t, err)
	use := func() error { _, err := p.landing(d, result.Token); return err }
	noError(p.t, use())
	return use
}

// session is the use of a session's cookie at the account site.
func (p *chatter) session(token string) func() error {
	return func() error {
		_, err := p.Session(p.from(homeAddress), token, p.place(accountHost))
		return err
	}
}

// tokenUse is the use of a program's token.
func (p *chatter) tokenUse(token string) func() error {
	return func() error { _, err := p.tokenSession(token); return err }
}

var everythingThatEnds = []thatEnds{
	{what: "an inviting link", life: 7 * 24 * time.Hour, prepare: func(p *chatter) func() error {
		token := p.invitingToken(newPhone)
		return func() error { _, ok, err := p.Invitation(p.t.Context(), token); return errors.Join(err, unless(ok)) }
	}},
	{what: "a verification code", life: 5 * time.Minute, prepare: func(p *chatter) func() error {
		flow := portal.NewFlow()
		code := p.sent(p.asking(portal.ForLogin, buyerPhone, flow))
		return func() error { _, err := p.codeLogin(p.withCode(buyerPhone, code, flow)); return err }
	}},
	{what: "what a code has proved", life: 10 * time.Minute, prepare: func(p *chatter) func() error {
		signed, in, _ := p.proven("northwind", buyerPhone)
		return func() error { _, err := p.ResumeBind(p.t.Context(), signed.Session, in.Flow); return err }
	}},
	{what: "an applicant's ticket", life: 15 * time.Minute, prepare: func(p *chatter) func() error {
		ticket := p.applies(1001, newPhone).Ticket
		return func() error { _, err := p.Applicant(ticket, 1001); return err }
	}},
	{what: "an applicant's ticket, sending in", life: 15 * time.Minute, prepare: func(p *chatter) func() error {
		in := p.applies(1001, newPhone)
		return func() error { _, err := p.apply(in); return err }
	}},
	{what: "an applicant's renewed ticket", life: 2 * time.Hour, prepare: func(p *chatter) func() error {
		ticket, _, err := p.RenewApplicant(p.applies(1001, newPhone).Ticket, 1001)
		noError(p.t, err)
		return func() error { _, err := p.Applicant(ticket, 1001); return err }
	}},
	{what: "an applicant's ticket instead of a code", life: 15 * time.Minute, prepare: func(p *chatter) func() error {
		ticket, _, err := p.RenewApplicant(p.applies(1001, newPhone).Ticket, 1001)
		noError(p.t, err)
		return func() error { _, ok := p.ApplicantNow(ticket, 1001); return unless(ok) }
	}},
	{what: "an application that was not sent in", life: 7 * 24 * time.Hour, prepare: func(p *chatter) func() error {
		noError(p.t, p.keepsDraft(p.applies(1001, newPhone)))
		return func() error {
			draft, err := p.draft(p.applies(1001, newPhone).Ticket, 1001)
			return errors.Join(err, unless(draft.CompanyName != ""))
		}
	}},
	{what: "an identity's ticket in a browser", life: 10 * time.Minute, prepare: func(p *chatter) func() error {
		b := p.browser(accountHost, inWeChat)
		ticket := b.unknown(portal.WeChat, xiao)
		return func() error { _, err := p.IdentityOfTicket(b.ctx(), ticket, b.flow); return err }
	}},
	{what: "an identity's ticket in a program", life: 10 * time.Minute, prepare: func(p *chatter) func() error {
		p.linkedRow(xiao, buyerPhone)
		c := p.program(portal.ClientApp)
		ticket := c.comesBackToThePlatform(xiao).Ticket
		return func() error { _, err := c.uses(ticket, 0); return err }
	}},
	{what: "the question whether to sign in by an identity", life: 10 * time.Minute,
		prepare: func(p *chatter) func() error {
			p.linkedRow(xiao, buyerPhone)
			b := p.browser(accountHost, inWeChat)
			ask := b.asked(portal.WeChat, xiao).Ask
			return func() error { _, err := b.saysYes(ask); return err }
		}},
	{what: "a link that waits for the yes", life: 10 * time.Minute, prepare: func(p *chatter) func() error {
		b := p.browser(accountHost, inWeChat)
		pending := b.proven(portal.WeChat, xiao, buyerPhone)
		return func() error { _, err := b.confirms(pending); return err }
	}},
	{what: "an authorisation", life: 10 * time.Minute, prepare: func(p *chatter) func() error {
		p.linkedRow(xiao, buyerPhone)
		b := p.browser(accountHost, inWeChat)
		w := b.goes(portal.WeChat)
		return func() error { _, err := b.returns(w, p.wechat.grants(w.app, xiao)); return err }
	}},
	{what: "a callback that is repeated", life: 2 * time.Minute, prepare: func(p *chatter) func() error {
		p.linkedRow(xiao, buyerPhone)
		b := p.browser(accountHost, inWeChat)
		w := b.goes(portal.WeChat)
		code := p.wechat.grants(w.app, xiao)
		use := func() error { _, err := b.returns(w, code); return err }
		noError(p.t, use())
		return use
	}},
	{what: "an identity's application", life: 180 * 24 * time.Hour, prepare: func(p *chatter) func() error {
		b := p.browser(host1001, inWeChat)
		a := p.appliesBy(b, b.unknown(portal.WeChat, xiao), 1001, newPhone)
		return func() error {
			back, err := b.authorises(portal.WeChat, xiao)
			return errors.Join(err, unless(back.Application == a.ID))
		}
	}},
	{what: "an auth code", life: time.Minute, prepare: func(p *chatter) func() error {
		d := p.enter(p.signIn(accountHost, "buyer1"), accountHost, "buyer1", desktop)
		return func() error { _, err := p.redeem(d, ""); return err }
	}},
	{what: "an auth code in a program", life: time.Minute, prepare: func(p *chatter) func() error {
		d := p.enter(p.signIn(accountHost, "buyer1"), accountHost, "buyer1", desktop)
		return func() error { _, err := p.redeemed(d.Code); return err }
	}},
	{what: "a ticket to choose an account", life: 15 * time.Minute, prepare: func(p *chatter) func() error {
		in, err := p.MixedLogin(p.from(homeAddress), portal.MixedLoginInput{
			Login: manyPhone, Password: portal.DemoPassword, Client: portal.ClientApp,
		})
		noError(p.t, err)
		return func() error {
			_, err := p.Token(p.t.Context(), portal.TokenInput{
				Token: in.Ticket, Client: portal.ClientApp, Ticket: true,
			})
			return err
		}
	}},
	{what: "a token that is not used", life: 30 * 24 * time.Hour, prepare: func(p *chatter) func() error {
		return p.tokenUse(p.token("buyer1"))
	}},
	{what: "a token that is used", life: 365 * 24 * time.Hour, used: 29 * 24 * time.Hour,
		prepare: func(p *chatter) func() error {
			return p.tokenUse(p.token("buyer1"))
		}},
	{what: "a session whose cookie was lost", life: 10 * time.Minute, prepare: func(p *chatter) func() error {
		return p.session(p.signIn(accountHost, "buyer1").Token)
	}},
	{what: "a session that is not used", life: 12 * time.Hour, prepare: func(p *chatter) func() error {
		return p.session(p.shows(p.signIn(accountHost, "buyer1")).Token)
	}},
	{what: "a session that is used", life: 24 * time.Hour, used: time.Hour, prepare: func(p *chatter) func() error {
		return p.session(p.shows(p.signIn(accountHost, "buyer1")).Token)
	}},
	{what: "a remembered session", life: 30 * 24 * time.Hour, prepare: func(p *chatter) func() error {
		return p.session(p.shows(p.remembered("buyer1")).Token)
	}},
	{what: "a session's former id", life: time.Minute, prepare: func(p *chatter) func() error {
		signed := p.shows(p.signIn(accountHost, buyerPhone))
		_, err := p.changeIn(signed)
		noError(p.t, err)
		return p.session(signed.Token)
	}},
	{
		what: "a back office that is not used", life: 30 * time.Minute,
		prepare: func(p *chatter) func() error { return p.side("jinsui", desktop) },
	},
	{
		what: "a back office that is used", life: 24 * time.Hour, used: 20 * time.Minute,
		prepare: func(p *chatter) func() error { return p.side("jinsui", phoneScreen) },
	},
	{
		what: "a shop that is not used", life: 12 * time.Hour,
		prepare: func(p *chatter) func() error { return p.side("buyer1", phoneScreen) },
	},
	{
		what: "a shop that is used", life: 30 * 24 * time.Hour, used: 11 * time.Hour,
		prepare: func(p *chatter) func() error { return p.side("buyer1", desktop) },
	},
	{what: "a first password", life: 7 * 24 * time.Hour, prepare: func(p *chatter) func() error {
		password := p.first("newcomer").First.Password
		return func() error { _, err := p.login(p.named("newcomer", password)); return err }
	}},
	{what: "a session that a first password began, changing it", life: 7 * 24 * time.Hour,
		prepare: func(p *chatter) func() error {
			password := p.first("newcomer").First.Password
			in := p.named("newcomer", password)
			in.Remember = true
			signed, err := p.login(in)
			noError(p.t, err)
			return func() error { _, err := p.replace(signed.Session, password, ownChoice); return err }
		}},
	{what: "an upload token", life: 10 * time.Minute, prepare: func(p *chatter) func() error {
		token, err := p.LicenceToken(p.t.Context(), 1001, senderPhone)
		noError(p.t, err)
		return func() error {
			_, err := p.UploadLicence(p.from(homeAddress), portal.UploadInput{
				Token: token, Body: bytes.NewReader(picturetest.JPEG(60, 40)),
			})
			return err
		}
	}},
	{what: "a file that nothing uses", life: 24 * time.Hour, prepare: func(p *chatter) func() error {
		sent, err := p.licence(1001, senderPhone, picturetest.JPEG(60, 40))
		noError(p.t, err)
		return func() error {
			in := p.applies(1001, senderPhone)
			in.LicenceKey = sent.ID
			_, err := p.apply(in)
			return err
		}
	}},
	{what: "a kept form", life: 24 * time.Hour, prepare: func(p *chatter) func() error {
		owner := portal.FormOwner{PhoneID: phoneOf(p.t, p.db, buyerPhone).ID}
		id, err := p.KeepForm(p.t.Context(), portal.KeptForm{
			Owner: owner, Path: "/bind", Fields: url.Values{"phone": {newPhone}},
		})
		noError(p.t, err)
		return func() error { _, err := p.KeptForm(p.t.Context(), id); return err }
	}},
	{what: "a request that is repeated", life: 5 * time.Minute, prepare: func(p *chatter) func() error {
		in := p.resetting(buyerPhone, "", portal.NewFlow())
		in.Code = p.sent(p.asking(portal.ForReset, buyerPhone, in.Flow))
		noError(p.t, p.reset(in))
		return func() error { return p.reset(in) }
	}},
	{what: "a registration that is repeated", life: 10 * time.Minute, prepare: func(p *chatter) func() error {
		_, in := p.registered(newPhone)
		return func() error { _, err := p.register(in); return err }
	}},
	{what: "an idempotency key", life: 24 * time.Hour, prepare: func(p *chatter) func() error {
		runs := 0
		use := func() error {
			before := runs
			_, err := p.Once(p.t.Context(), portal.OnceInput{
				Caller: "c", Path: "/p", Key: "k",
			}, func() ([]byte, error) {
				runs++
				return []byte("answer"), nil
			})
			return errors.Join(err, unless(before == 0 || runs == before))
		}
		noError(p.t, use())
		return use
	}},
	{what: "a look that was not published", life: 24 * time.Hour, prepare: func(p *chatter) func() error {
		here := p.office("sur")
		noError(p.t, p.KeepLook(p.t.Context(), here, look("Uno")))
		return func() error { _, ok, err := p.KeptDraft(p.t.Context(), here); return errors.Join(err, unless(ok)) }
	}},
	{what: "the address of a preview", life: 10 * time.Minute, prepare: func(p *chatter) func() error {
		here := p.office("sur")
		token, err := p.LookToken(here)
		noError(p.t, err)
		return func() error { _, err := p.PreviewLook(p.t.Context(), here, token); return err }
	}},
	{what: "a known browser", life: 180 * 24 * time.Hour, prepare: func(p *chatter) func() error {
		in := p.as("nophone")
		in.Device = p.signIn(accountHost, "nophone").Device
		return func() error {
			(&guesser{platform: p.platform}).wrongs(5, "nophone")
			_, err := p.login(in)
			return err
		}
	}},
	{what: "the account that a browser entered last", life: 180 * 24 * time.Hour,
		prepare: func(p *chatter) func() error {
			signed := p.signIn(accountHost, manyPhone)
			p.enter(signed, accountHost, "sur", desktop)
			return func() error {
				in := p.as(manyPhone)
				in.Device = signed.Device
				again, err := p.login(in)
				return errors.Join(err, unless(again.Step.AccountID == p.account("sur").ID))
			}
		}},
	{what: "the question of a sum", life: 10 * time.Minute, prepare: func(p *chatter) func() error {
		var asked *portal.Question
		for range 20 {
			_, err := p.login(p.wrong("nophone"))
			with := new(portal.Refused)
			if errors.As(err, &with); with.Question != nil {
				asked = with.Question
				break
			}
			p.clock.advance(with.Wait)
		}
		if asked == nil {
			p.t.Fatal("no question was asked")
		}
		in := p.as("nophone")
		in.Question, in.Answer = asked.Token, strconv.Itoa(asked.A+asked.B)
		return func() error { _, err := p.login(in); return err }
	}},
	{what: "a sign-in that unbinds a phone without the password", life: 10 * time.Minute,
		prepare: func(p *chatter) func() error {
			signed, id := p.signIn(accountHost, buyerPhone), p.account("buyer1").ID
			return func() error {
				u, err := p.Unbindable(p.t.Context(), signed.Session, id)
				return errors.Join(err, unless(!u.Confirm))
			}
		}},
	{what: "a company to try the platform with", life: 7 * 24 * time.Hour, prepare: func(p *chatter) func() error {
		tried, _ := p.tried(newPhone, seafood)
		return func() error { return p.entersCompanyOf(tried.Session.PhoneID) }
	}},
	{what: "a company on trial", life: 15 * 24 * time.Hour, prepare: func(p *chatter) func() error {
		made, _ := p.registered(newPhone)
		return func() error { return p.entersCompanyOf(made.Session.PhoneID) }
	}},
}

// entersCompanyOf enters the first account of a phone.
func (p *chatter) entersCompanyOf(phoneID int64) error {
	members, err := p.db.MembersByPhone(p.t.Context(), phoneID)
	noError(p.t, err)
	_, err = p.Enter(p.t.Context(), portal.EnterInput{
		Session: store.Session{PhoneID: phoneID}, AccountID: members[0].ID, Place: p.place(accountHost),
		Device: desktop,
	})
	return err
}

func TestEverythingThatEndsWorksUntilItsEndAndNoLongerWithoutASweep(t *testing.T) {
	for _, l := range everythingThatEnds {
		t.Run(l.what, func(t *testing.T) {
			for _, ends := range []bool{false, true} {
				eachChat(t, func(t *testing.T, p *chatter) {
					use := l.prepare(p)
					end := p.clock.now().Add(l.life)
					for l.used != 0 && p.clock.in(l.used).Before(end) {
						p.clock.advance(l.used)
						noError(t, use())
					}
					p.clock.advance(end.Sub(p.clock.now()))
					if !ends {
						p.clock.advance(-time.Millisecond)
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
