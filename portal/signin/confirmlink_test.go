package signin_test

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"portico/e2e/testscope"
	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/onboarding"
	"portico/portal/portaltest"
	"portico/portal/portaltest/chattest"
	"portico/portal/portaltest/credentialtest"
	"portico/portal/signin"
	"portico/store"
)

// These tests check links between their proof and their confirmation.

func TestAConfirmationOfALinkWorksForOneBrowserForTenMinutes(t *testing.T) {
	chattest.OnSQLiteWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		b := p.Browser(chattest.Host1001, chattest.InWeChat)
		l := b.PendingLink(access.WeChat, chattest.Xiao, portaltest.BuyerPhone)
		ticket := b.UnknownTicket(access.WeChat, chattest.Xiao)
		for name, try := range map[string]func() (signin.LoginResult, error){
			"another browser": func() (signin.LoginResult, error) {
				return p.Browser(chattest.Host1001, chattest.InWeChat).ConfirmLink(l)
			},
			"no browser": func() (signin.LoginResult, error) { return b.WithoutCookie().ConfirmLink(l) },
			"none":       func() (signin.LoginResult, error) { return b.ConfirmLink(signin.Linking{}) },
			"the ticket": func() (signin.LoginResult,
				error) {
				return b.ConfirmLink(signin.Linking{Sealed: ticket})
			},
			"a tampered one": func() (signin.LoginResult, error) {
				return b.ConfirmLink(signin.Linking{Sealed: testscope.Changed(l.Sealed)})
			},
		} {
			if _, err := try(); !errors.Is(err, access.WeChatExpired) {
				t.Errorf("%s: %v", name, err)
			}
		}
		_, err := b.AtHost(chattest.Host1002).ConfirmLink(l) // where the account does not count
		portaltest.Refused(t, err, access.NotInCompany)
		p.WantLinks(0)
		p.Clock.Advance(signin.IdentityTicketLife + time.Millisecond)
		_, err = b.ConfirmLink(l)
		portaltest.Refused(t, err, access.WeChatExpired)
		_, err = p.Chatlogin.ReadLinking(t.Context(), l.Sealed, b.Flow, b.Browser().Place)
		portaltest.Refused(t, err, access.WeChatExpired)
		p.WantLinks(0)
	})
}

func TestChangesBetweenTheProofAndTheConfirmationAreNoticed(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		ctx := t.Context()
		set := func(company int64, name, value string) func() {
			return func() { portaltest.NoError(t, p.Operator.SetCompany(ctx, company, name, value)) }
		}
		changes := func(who string) func() {
			return func() {
				_, err := credentialtest.ChangePassword(
					p.SMSPlatform,
					credentialtest.ChangePasswordInput(
						p.SMSPlatform, p.SignIn(portaltest.AccountHost, who).Session, onboarding.DemoPassword,
					),
				)
				portaltest.NoError(t, err)
			}
		}
		for i, c := range []struct {
			what, host, account string
			happens             func()
			want                access.Refusal
			undo                func()
		}{
			{"the account was disabled", chattest.Host1002, portaltest.ManyPhone,
				func() { p.SetAccountState("sur", store.AccountDisabled) }, access.AccountDisabled,
				func() { p.SetAccountState("sur", store.AccountActive) }},
			{"the company was disabled", chattest.Host1002, portaltest.ManyPhone,
				func() { portaltest.NoError(t, p.Operator.DisableCompany(ctx, 1002)) }, access.CompanyDisabled,
				func() { portaltest.NoError(t, p.Operator.EnableCompany(ctx, 1002)) }},
			{"the mall was closed", portaltest.AccountHost, "li.lights", set(1003, "mall", "disabled"),
				access.ShopDisabled, set(1003, "mall", "open")},
			{"chat apps were turned off", chattest.Host1002, portaltest.ManyPhone, set(1002, "chat", "off"),
				access.WeChatFailed, set(1002, "chat", "on")},
			{"the application is another", chattest.Host1002, portaltest.ManyPhone, func() { p.UseOwnWeChat(1002) },
				access.WeChatFailed, set(1002, "wechat", "")},
			{"the account's password was changed", portaltest.AccountHost, "li.shop", changes("li.shop"),
				access.WeChatExpired, func() {}},
			{"the password was changed", portaltest.AccountHost, portaltest.BuyerPhone, changes(portaltest.BuyerPhone),
				access.WeChatExpired, func() {}},
			{"the password was reset", portaltest.AccountHost, portaltest.ManyPhone,
				func() { credentialtest.RecoverPassword(p.SMSPlatform, portaltest.ManyPhone) }, access.WeChatExpired,
				func() {}},
			{"the account has a first password by now", portaltest.AccountHost, "nophone", func() {
				_, err := p.Backoffice.GiveFirstPassword(p.From(portaltest.HomeAddress), p.Administrator(),
					p.Account("nophone").ID, "")
				portaltest.NoError(t, err)
			}, access.WeChatExpired, func() {}},
			{"the account has a phone by now", portaltest.AccountHost, "northwind", func() {
				_, in, _ := credentialtest.ProveBind(p.SMSPlatform, "northwind", portaltest.BothPhone)
				in.Password = onboarding.DemoPassword
				_, err := credentialtest.Bind(p.SMSPlatform, in)
				portaltest.NoError(t, err)
			}, access.WeChatExpired, func() {}},
		} {
			b := p.Browser(c.host, chattest.InWeChat)
			l := b.PendingLink(access.WeChat, chattest.Identity(i), c.account)
			c.happens()
			if _, err := b.ConfirmLink(l); !errors.Is(err, c.want) {
				t.Errorf("%s: %v", c.what, err)
			}
			if _, err := p.Chatlogin.ReadLinking(ctx, l.Sealed, b.Flow, b.Browser().Place); !errors.Is(err, c.want) {
				t.Errorf("%s: to be read: %v", c.what, err)
			}
			c.undo()
			p.Clock.Advance(2 * time.Second)
		}
		p.WantLinks(0)
		if p.Log.Count(`"event":"identity_linked"`) != 0 {
			t.Error("the log has a link")
		}
	})
}

func TestOnlyOneOfTwoBrowsersLinksAnIdentity(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		var browsers []*chattest.Browser
		var waiting []signin.Linking
		for _, account := range []string{portaltest.BuyerPhone, portaltest.ManagerPhone, portaltest.BothPhone,
			portaltest.ManyPhone, "nophone", "northwind"} {
			b := p.Browser(portaltest.AccountHost, chattest.InWeChat)
			browsers, waiting = append(browsers, b), append(
				waiting, b.PendingLink(access.WeChat, chattest.Xiao, account),
			)
		}
		var won atomic.Int64
		var winner atomic.Value
		portaltest.Together(len(browsers), func(i int) {
			switch result, err := browsers[i].ConfirmLink(waiting[i]); {
			case err == nil:
				won.Add(1)
				winner.Store(result.Session)
			case !errors.Is(err, access.WrongParameters):
				t.Errorf("%v", err)
			}
		})
		if won.Load() != 1 {
			t.Fatalf("%d won", won.Load())
		}
		p.WantLinks(1)
		want := winner.Load().(access.Session)
		if s := p.Browser(portaltest.AccountHost, chattest.InWeChat).
			SignIn(access.WeChat, chattest.Xiao).
			Session; s.PersonID != want.PersonID ||
			s.AccountID != want.AccountID {
			t.Errorf("signed in %+v, linked %+v", s, want)
		}
		for i, b := range browsers {
			if _, err := b.ConfirmLink(waiting[i]); err != nil && !errors.Is(err, access.WrongParameters) {
				t.Errorf("once more: %v", err)
			}
		}
		p.WantLinks(1)
		if p.Log.Count(`"event":"identity_linked"`) != 1 {
			t.Error("the log has another number of links")
		}
	})
}

func TestConfirmingTwiceAtOnceMakesOneLinkAndSendsOneNotice(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		b := p.Browser(portaltest.AccountHost, chattest.InWeChat)
		l := b.PendingLink(access.WeChat, chattest.Xiao, portaltest.BuyerPhone)
		portaltest.Together(6, func(int) {
			if result, err := b.ConfirmLink(l); err != nil || !p.BelongsTo(result.Session, portaltest.BuyerPhone) {
				t.Errorf("%+v %v", result.Session, err)
			}
		})
		p.WantLinks(1)
		if p.Log.Count(`"event":"identity_linked"`) != 1 {
			t.Error("the log has another number of links")
		}
		p.WantNotices(portaltest.BuyerPhone + " identity_linked")
	})
}

func TestAResetDuringAConfirmationLeavesNoLink(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		for round, phone := range []string{portaltest.BuyerPhone, portaltest.ManagerPhone, portaltest.BothPhone,
			portaltest.ManyPhone} {
			var browsers []*chattest.Browser
			var waiting []signin.Linking
			for i := range 6 {
				b := p.Browser(portaltest.AccountHost, chattest.InWeChat)
				browsers = append(browsers, b)
				waiting = append(waiting, b.PendingLink(access.WeChat, chattest.Identity(10*round+i), phone))
			}
			reset := p.ResetInput(phone, "", core.NewFlow())
			reset.Code = p.ReceiveCode(p.CodeRequest(core.ForReset, phone, reset.Flow))
			portaltest.Together(7, func(i int) {
				if i == 6 {
					if err := p.ResetPassword(reset); err != nil {
						t.Errorf("the reset: %v", err)
					}
				} else if _, err := browsers[i].ConfirmLink(waiting[i]); err != nil &&
					!errors.Is(err, access.WeChatExpired) {
					t.Errorf("%v", err)
				}
			})
		}
		p.WantLinks(0)
	})
}
