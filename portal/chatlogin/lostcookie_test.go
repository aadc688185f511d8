package chatlogin_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/chatapps"
	"portico/portal/chatlogin"
	"portico/portal/portaltest"
	"portico/portal/signin"
	"portico/store"
)

func TestACallbackWithoutItsCookieAsksForAConfirmationBeforeSigningIn(t *testing.T) {
	portaltest.EachChat(t, func(t *testing.T, p *portaltest.Chatter) {
		b := p.Browser(portaltest.Host1001, portaltest.InWeChat)
		b.Links(access.WeChat, portaltest.Xiao, portaltest.BuyerPhone)
		b.Links(access.WeChat, portaltest.Someone(2), "nophone")
		sessions := func() string { return p.Counted("authorisations", "attempts", "audit_events", "known_devices") }
		before := sessions()
		byPhone, byName := b.Asked(access.WeChat, portaltest.Xiao), b.Asked(access.WeChat, portaltest.Someone(2))
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
		result, err := b.SaysYes(byPhone.ConfirmToken)
		portaltest.NoError(t, err)
		if !p.Is(p.Stored(result, portaltest.Host1001), portaltest.BuyerPhone) {
			t.Errorf("%+v", result.Session)
		}
		result, err = b.SaysYes(byName.ConfirmToken)
		portaltest.NoError(t, err)
		if s := p.Stored(result, portaltest.Host1001); s.AccountID != p.Account("nophone").ID || s.PhoneID != 0 {
			t.Errorf("%+v", s)
		}
		p.WantLinks(2)
	})
}

func TestAConfirmationWorksForOneBrowserAndCompanyForTenMinutes(t *testing.T) {
	portaltest.OnceChat(t, func(t *testing.T, p *portaltest.Chatter) {
		b := p.Browser(portaltest.Host1001, portaltest.InWeChat)
		b.Links(access.WeChat, portaltest.Xiao, portaltest.BuyerPhone)
		ask := b.Asked(access.WeChat, portaltest.Xiao).ConfirmToken
		ticket := b.Unknown(access.WeChat, portaltest.Someone(2))
		for name, try := range map[string]func() (signin.LoginResult, error){
			"at another company": func() (signin.LoginResult, error) { return b.At(portaltest.Host1002).SaysYes(ask) },
			"at the account site": func() (signin.LoginResult,
				error) {
				return b.At(portaltest.AccountHost).SaysYes(ask)
			},
			"in another browser": func() (signin.LoginResult, error) {
				return p.Browser(portaltest.Host1001, portaltest.InWeChat).SaysYes(ask)
			},
			"in none":        func() (signin.LoginResult, error) { return b.Without().SaysYes(ask) },
			"none":           func() (signin.LoginResult, error) { return b.SaysYes("") },
			"a tampered one": func() (signin.LoginResult, error) { return b.SaysYes(ask[:len(ask)-2] + "AA") },
			"a ticket":       func() (signin.LoginResult, error) { return b.SaysYes(ticket) },
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
		_, err = b.SaysYes(ask)
		portaltest.NoError(t, err)
		p.Clock.Advance(time.Millisecond)
		_, err = b.SaysYes(ask)
		portaltest.Refused(t, err, access.WeChatExpired)
	})
}

func TestAConfirmationSignsInNobodyWhoIsBlockedMeanwhile(t *testing.T) {
	portaltest.EachChat(t, func(t *testing.T, p *portaltest.Chatter) {
		b := p.Browser(portaltest.Host1001, portaltest.InWeChat)
		b.Links(access.WeChat, portaltest.Xiao, portaltest.BuyerPhone)
		ask := b.Asked(access.WeChat, portaltest.Xiao).ConfirmToken
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
				func() { p.Own(1001) }, func() {
					portaltest.NoError(t,
						p.Operator.SetCompany(t.Context(), 1001, "wechat", ""))
				}, access.WeChatFailed,
			},
		} {
			c.change()
			if _, err := b.SaysYes(ask); !errors.Is(err, c.want) {
				t.Errorf("%s: %v", name, err)
			}
			c.undo()
		}
		result, err := b.SaysYes(ask)
		portaltest.NoError(t, err)
		list, err := p.Chatlogin.Identities(t.Context(), result.Session)
		portaltest.NoError(t, err)
		portaltest.NoError(t, p.Chatlogin.Unlink(t.Context(), result.Session, list[0].Ref, "zh"))
		_, err = b.SaysYes(ask)
		portaltest.Refused(t, err, access.WeChatExpired)
		p.WantLinks(0)
	})
}

func TestAnUnknownIdentityWithoutACookieIsRefused(t *testing.T) {
	portaltest.OnceChat(t, func(t *testing.T, p *portaltest.Chatter) {
		b := p.Browser(portaltest.Host1001, portaltest.InWeChat)
		w := b.Goes(access.WeChat)
		code := p.Wechat.Grants(w.App, portaltest.Xiao)
		back, err := b.Without().Returns(w, code)
		portaltest.Refused(t, err, access.WeChatExpired)
		if back != (chatlogin.Callback{}) {
			t.Errorf("%+v", back)
		}
		p.WantLinks(0)
		if back, err = b.Returns(w, code); err != nil || back.Ticket == "" { // the cookie was there after all
			t.Errorf("%+v %v", back, err)
		}
	})
}

func TestAnAttackersCallbackNeitherSignsAVictimInNorLinksAnIdentity(t *testing.T) {
	portaltest.EachChat(t, func(t *testing.T, p *portaltest.Chatter) {
		mallory := p.Browser(portaltest.Host1001, portaltest.InWeChat)
		mallory.Links(access.WeChat, portaltest.Someone(66), portaltest.ManagerPhone)
		planted := mallory.Unknown(access.WeChat, portaltest.Someone(67))
		victim := p.Browser(portaltest.Host1001, portaltest.InWeChat)
		signed := victim.Links(access.WeChat, portaltest.Xiao, portaltest.BuyerPhone)
		victim.Old = signed.Token
		blank := victim.Without() // nothing is known of the browser
		before := p.Rows("authorisations", "attempts")

		for _, who := range []chatapps.ProviderIdentity{portaltest.Someone(66), portaltest.Someone(67)} {
			w := mallory.Goes(access.WeChat)
			back, err := victim.Returns(w, p.Wechat.Grants(w.App, who))
			WantUnknownState(t, "in a browser with its cookie", back, err)

			w = mallory.Goes(access.WeChat)
			back, err = blank.Returns(w, p.Wechat.Grants(w.App, who))
			if who == portaltest.Someone(67) {
				portaltest.Refused(t, err, access.WeChatExpired)
			} else if err != nil || back.Login != nil || back.ConfirmToken == "" ||
				back.Identity.Phone != "138****0002" {
				t.Errorf("without: %+v, %v", back, err)
			}
			lost := *victim // it has a session, and lost the other cookie
			lost.Flow = ""
			w = mallory.Goes(access.WeChat)
			back, err = lost.Returns(w, p.Wechat.Grants(w.App, who))
			if err == nil && (back.Login != nil || back.Ticket != "") ||
				err != nil && !errors.Is(err, access.WeChatExpired) {
				t.Errorf("with a session: %+v, %v", back, err)
			}
		}
		_, err := victim.Proves(victim.Linking(planted, portaltest.BuyerPhone)) // a form with the attacker's ticket
		portaltest.Refused(t, err, access.LoginRequired)
		linking := mallory.Proven(access.WeChat, portaltest.Someone(68), portaltest.ManagerPhone)
		_, err = victim.Confirms(linking)
		portaltest.Refused(t, err, access.WeChatExpired)
		_, err = blank.Confirms(linking)
		portaltest.Refused(t, err, access.WeChatExpired)
		if p.Rows("authorisations", "attempts") != before {
			t.Error("something was written")
		}
		if !p.Is(p.Stored(signed, portaltest.Host1001), portaltest.BuyerPhone) {
			t.Error("the victim's session is another's")
		}
	})
}

func TestTheAddressOfAUsedCallbackSignsNobodyInInAnotherBrowser(t *testing.T) {
	portaltest.EachChat(t, func(t *testing.T, p *portaltest.Chatter) {
		b := p.Browser(portaltest.Host1001, portaltest.InWeChat)
		b.Links(access.WeChat, portaltest.Xiao, portaltest.BuyerPhone)
		w := b.Goes(access.WeChat)
		code := p.Wechat.Grants(w.App, portaltest.Xiao)
		_, err := b.Returns(w, code)
		portaltest.NoError(t, err)
		mallory := p.Browser(portaltest.Host1001, portaltest.InWeChat) // read it over the shoulder
		mallory.Flow = ""
		back, err := mallory.Returns(w, code)
		if !errors.Is(err, access.WeChatExpired) || back.ConfirmToken != "" {
			t.Errorf("%+v, %v", back, err)
		}
		if back, err = b.Returns(w, code); err != nil || back.Login == nil {
			t.Errorf("the browser itself: %+v, %v", back, err)
		}
	})
}

func TestTicketsAreNeitherReadableNorStored(t *testing.T) {
	portaltest.OnceChat(t, func(t *testing.T, p *portaltest.Chatter) {
		b := p.Browser(portaltest.Host1001, portaltest.InWeChat)
		ticket := b.Unknown(access.WeChat, portaltest.Xiao)
		l, err := b.Proves(b.Linking(ticket, portaltest.BuyerPhone))
		portaltest.NoError(t, err)
		_, err = b.Confirms(l)
		portaltest.NoError(t, err)
		ask := b.Asked(access.WeChat, portaltest.Xiao).ConfirmToken
		dump, log := p.Rows(), p.Log.String()
		for what, secret := range map[string]string{"ticket": ticket, "confirmation": l.Sealed, "question": ask,
			"flow": b.Flow} {
			if strings.Contains(dump, secret) || strings.Contains(log, secret) {
				t.Errorf("the %s is written down", what)
			}
			if strings.Contains(what+secret, portaltest.Xiao.Subject) {
				t.Errorf("the %s can be read", what)
			}
		}
	})
}
