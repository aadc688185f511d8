package signin_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"portico/e2e/testscope"
	"portico/portal/access"
	"portico/portal/portaltest"
	"portico/portal/portaltest/chattest"
	"portico/portal/portaltest/sessiontest"
	"portico/portal/signin"
	"portico/store"
)

func TestACallbackWithoutItsCookieAsksForAConfirmationBeforeSigningIn(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		b := p.Browser(chattest.Host1001, chattest.InWeChat)
		b.Link(access.WeChat, chattest.Xiao, portaltest.BuyerPhone)
		b.Link(access.WeChat, chattest.Identity(2), "nophone")
		sessions := func() string { return p.CountRows("authorisations", "attempts", "audit_events", "known_devices") }
		before := sessions()
		byPhone, byName := b.AskConfirmation(access.WeChat, chattest.Xiao), b.AskConfirmation(
			access.WeChat, chattest.Identity(2),
		)
		if sessions() != before {
			t.Error("a person was signed in")
		}
		if who := byPhone.Identity; who.Phone != "138****0001" || who.Login != "" || who.Nick != "小满" ||
			who.Provider != access.WeChat {
			t.Errorf("%+v", who)
		}
		if who := byName.Identity; who.Phone != "" || who.Login != "nophone" {
			t.Errorf("%+v", who)
		}
		result, err := b.ConfirmSignIn(byPhone.ConfirmToken)
		portaltest.NoError(t, err)
		if !p.BelongsTo(sessiontest.StoredSession(p.Platform, result, chattest.Host1001), portaltest.BuyerPhone) {
			t.Errorf("%+v", result.Session)
		}
		result, err = b.ConfirmSignIn(byName.ConfirmToken)
		portaltest.NoError(t, err)
		if s := sessiontest.StoredSession(
			p.Platform, result, chattest.Host1001,
		); s.AccountID != p.Account("nophone").ID ||
			s.PersonID != 0 {
			t.Errorf("%+v", s)
		}
		p.WantLinks(2)
	})
}

func TestAConfirmationWorksForOneBrowserAndCompanyForTenMinutes(t *testing.T) {
	chattest.OnSQLiteWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		b := p.Browser(chattest.Host1001, chattest.InWeChat)
		b.Link(access.WeChat, chattest.Xiao, portaltest.BuyerPhone)
		ask := b.AskConfirmation(access.WeChat, chattest.Xiao).ConfirmToken
		ticket := b.UnknownTicket(access.WeChat, chattest.Identity(2))
		for name, try := range map[string]func() (signin.LoginResult, error){
			"at another company": func() (signin.LoginResult,
				error) {
				return b.AtHost(chattest.Host1002).ConfirmSignIn(ask)
			},
			"at the account site": func() (signin.LoginResult,
				error) {
				return b.AtHost(portaltest.AccountHost).ConfirmSignIn(ask)
			},
			"in another browser": func() (signin.LoginResult, error) {
				return p.Browser(chattest.Host1001, chattest.InWeChat).ConfirmSignIn(ask)
			},
			"in none":        func() (signin.LoginResult, error) { return b.WithoutCookie().ConfirmSignIn(ask) },
			"none":           func() (signin.LoginResult, error) { return b.ConfirmSignIn("") },
			"a tampered one": func() (signin.LoginResult, error) { return b.ConfirmSignIn(testscope.Changed(ask)) },
			"a ticket":       func() (signin.LoginResult, error) { return b.ConfirmSignIn(ticket) },
		} {
			if _, err := try(); !errors.Is(err, access.WeChatExpired) {
				t.Errorf("%s: %v", name, err)
			}
		}
		_, err := p.Chatlogin.IdentityOfTicket(t.Context(), ask, "")
		portaltest.Refused(t, err, access.LoginRequired)
		_, err = p.Chatlogin.IdentityOfTicket(t.Context(), ask, b.Flow)
		portaltest.Refused(t, err, access.LoginRequired)
		p.Clock.Advance(signin.IdentityTicketLife - time.Millisecond)
		_, err = b.ConfirmSignIn(ask)
		portaltest.NoError(t, err)
		p.Clock.Advance(time.Millisecond)
		_, err = b.ConfirmSignIn(ask)
		portaltest.Refused(t, err, access.WeChatExpired)
	})
}

func TestAConfirmationSignsInNobodyWhoIsBlockedMeanwhile(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		b := p.Browser(chattest.Host1001, chattest.InWeChat)
		b.Link(access.WeChat, chattest.Xiao, portaltest.BuyerPhone)
		ask := b.AskConfirmation(access.WeChat, chattest.Xiao).ConfirmToken
		for name, c := range map[string]struct {
			change, undo func()
			want         access.Refusal
		}{
			"a disabled account": {
				func() { p.SetAccountState("buyer1", store.AccountDisabled) },
				func() { p.SetAccountState("buyer1", store.AccountActive) }, access.AccountDisabled,
			},
			"a disabled company": {
				func() { portaltest.NoError(t, p.Operator.DisableCompany(t.Context(), 1001)) },
				func() { portaltest.NoError(t, p.Operator.EnableCompany(t.Context(), 1001)) },
				access.CompanyDisabled,
			},
			"a company that wants no chat": {
				func() { portaltest.NoError(t, p.Operator.SetCompany(t.Context(), 1001, "chat", "off")) },
				func() { portaltest.NoError(t, p.Operator.SetCompany(t.Context(), 1001, "chat", "on")) },
				access.WeChatFailed,
			},
			"a company with an application of its own": {
				func() { p.UseOwnWeChat(1001) }, func() {
					portaltest.NoError(t,
						p.Operator.SetCompany(t.Context(), 1001, "wechat", ""))
				}, access.WeChatFailed,
			},
		} {
			c.change()
			if _, err := b.ConfirmSignIn(ask); !errors.Is(err, c.want) {
				t.Errorf("%s: %v", name, err)
			}
			c.undo()
		}
		result, err := b.ConfirmSignIn(ask)
		portaltest.NoError(t, err)
		list, err := p.Chatlogin.Identities(t.Context(), result.Session)
		portaltest.NoError(t, err)
		portaltest.NoError(t, p.Chatlogin.Unlink(t.Context(), result.Session, list[0].Ref, "zh"))
		_, err = b.ConfirmSignIn(ask)
		portaltest.Refused(t, err, access.WeChatExpired)
		p.WantLinks(0)
	})
}

func TestAnUnknownIdentityWithoutACookieIsRefused(t *testing.T) {
	chattest.OnSQLiteWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		b := p.Browser(chattest.Host1001, chattest.InWeChat)
		w := b.Begin(access.WeChat)
		code := p.Wechat.Grant(w.App, chattest.Xiao)
		back, err := b.WithoutCookie().Finish(w, code)
		portaltest.Refused(t, err, access.WeChatExpired)
		if back != (signin.Callback{}) {
			t.Errorf("%+v", back)
		}
		p.WantLinks(0)
		if back, err = b.Finish(w, code); err != nil || back.Ticket == "" { // the cookie was there after all
			t.Errorf("%+v %v", back, err)
		}
	})
}

func TestAnAttackersCallbackNeitherSignsAVictimInNorLinksAnIdentity(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		mallory := p.Browser(chattest.Host1001, chattest.InWeChat)
		mallory.Link(access.WeChat, chattest.Identity(66), portaltest.ManagerPhone)
		planted := mallory.UnknownTicket(access.WeChat, chattest.Identity(67))
		victim := p.Browser(chattest.Host1001, chattest.InWeChat)
		signed := victim.Link(access.WeChat, chattest.Xiao, portaltest.BuyerPhone)
		victim.Old = signed.Token
		blank := victim.WithoutCookie() // nothing is known of the browser
		before := p.DumpRows("authorisations", "attempts")

		for _, who := range []signin.ProviderIdentity{chattest.Identity(66), chattest.Identity(67)} {
			w := mallory.Begin(access.WeChat)
			back, err := victim.Finish(w, p.Wechat.Grant(w.App, who))
			WantUnknownState(t, "in a browser with its cookie", back, err)

			w = mallory.Begin(access.WeChat)
			back, err = blank.Finish(w, p.Wechat.Grant(w.App, who))
			if who == chattest.Identity(67) {
				portaltest.Refused(t, err, access.WeChatExpired)
			} else if err != nil || back.Login != nil || back.ConfirmToken == "" ||
				back.Identity.Phone != "138****0002" {
				t.Errorf("without: %+v, %v", back, err)
			}
			lost := *victim // it has a session, and lost the other cookie
			lost.Flow = ""
			w = mallory.Begin(access.WeChat)
			back, err = lost.Finish(w, p.Wechat.Grant(w.App, who))
			if err == nil && (back.Login != nil || back.Ticket != "") ||
				err != nil && !errors.Is(err, access.WeChatExpired) {
				t.Errorf("with a session: %+v, %v", back, err)
			}
		}
		// a form with the attacker's ticket
		_, err := victim.ProveLink(victim.LinkInput(planted, portaltest.BuyerPhone))
		portaltest.Refused(t, err, access.LoginRequired)
		linking := mallory.PendingLink(access.WeChat, chattest.Identity(68), portaltest.ManagerPhone)
		_, err = victim.ConfirmLink(linking)
		portaltest.Refused(t, err, access.WeChatExpired)
		_, err = blank.ConfirmLink(linking)
		portaltest.Refused(t, err, access.WeChatExpired)
		if p.DumpRows("authorisations", "attempts") != before {
			t.Error("something was written")
		}
		if !p.BelongsTo(sessiontest.StoredSession(p.Platform, signed, chattest.Host1001), portaltest.BuyerPhone) {
			t.Error("the victim's session is another's")
		}
	})
}

func TestTheAddressOfAUsedCallbackSignsNobodyInInAnotherBrowser(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		b := p.Browser(chattest.Host1001, chattest.InWeChat)
		b.Link(access.WeChat, chattest.Xiao, portaltest.BuyerPhone)
		w := b.Begin(access.WeChat)
		code := p.Wechat.Grant(w.App, chattest.Xiao)
		_, err := b.Finish(w, code)
		portaltest.NoError(t, err)
		mallory := p.Browser(chattest.Host1001, chattest.InWeChat) // read it over the shoulder
		mallory.Flow = ""
		back, err := mallory.Finish(w, code)
		if !errors.Is(err, access.WeChatExpired) || back.ConfirmToken != "" {
			t.Errorf("%+v, %v", back, err)
		}
		if back, err = b.Finish(w, code); err != nil || back.Login == nil {
			t.Errorf("the browser itself: %+v, %v", back, err)
		}
	})
}

func TestTicketsAreNeitherReadableNorStored(t *testing.T) {
	chattest.OnSQLiteWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		b := p.Browser(chattest.Host1001, chattest.InWeChat)
		ticket := b.UnknownTicket(access.WeChat, chattest.Xiao)
		l, err := b.ProveLink(b.LinkInput(ticket, portaltest.BuyerPhone))
		portaltest.NoError(t, err)
		_, err = b.ConfirmLink(l)
		portaltest.NoError(t, err)
		ask := b.AskConfirmation(access.WeChat, chattest.Xiao).ConfirmToken
		dump, log := p.DumpRows(), p.Log.String()
		for what, secret := range map[string]string{"ticket": ticket, "confirmation": l.Sealed, "question": ask,
			"flow": b.Flow} {
			if strings.Contains(dump, secret) || strings.Contains(log, secret) {
				t.Errorf("the %s is written down", what)
			}
			if strings.Contains(what+secret, chattest.Xiao.Subject) {
				t.Errorf("the %s can be read", what)
			}
		}
	})
}
