package portal_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"portico/portal"
	"portico/store"
)

// Callbacks in a browser that did not bring its cookie, and in one that never began them.

// asked is a callback of somebody recognised whose browser lost its cookie.
func (b *browser) asked(provider portal.ProviderName, who portal.ProviderIdentity) portal.Callback {
	b.p.t.Helper()
	w := b.goes(provider)
	lost := b.without()
	lost.fresh = b.flow
	back, err := lost.returns(w, b.p.counterpart(provider).grants(w.app, who))
	noError(b.p.t, err)
	if back.Ask == "" || back.Login != nil || back.Ticket != "" || back.Application != 0 {
		b.p.t.Fatalf("not asked: %+v", back)
	}
	return back
}

func (b *browser) saysYes(ask string) (portal.LoginResult, error) {
	b.p.t.Helper()
	return b.p.ConfirmSignIn(b.ctx(), ask, b.flow, b.browser())
}

func TestALostCookieIsAskedWhomToSignInAndSignsNobodyInUnseen(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		b := p.browser(host1001, inWeChat)
		b.links(portal.WeChat, xiao, buyerPhone)
		b.links(portal.WeChat, someone(2), "nophone")
		sessions := func() string { return p.counted("authorisations", "attempts", "audit_events", "known_devices") }
		before := sessions()
		byPhone, byName := b.asked(portal.WeChat, xiao), b.asked(portal.WeChat, someone(2))
		if sessions() != before {
			t.Error("somebody was signed in")
		}
		if who := byPhone.Who; who.Phone != "138****0001" || who.Login != "" || who.Nick != "小满" || who.Provider != portal.WeChat {
			t.Errorf("%+v", who)
		}
		if who := byName.Who; who.Phone != "" || who.Login != "nophone" {
			t.Errorf("%+v", who)
		}
		result, err := b.saysYes(byPhone.Ask)
		noError(t, err)
		if !p.is(p.stored(result, host1001), buyerPhone) {
			t.Errorf("%+v", result.Session)
		}
		result, err = b.saysYes(byName.Ask)
		noError(t, err)
		if s := p.stored(result, host1001); s.AccountID != p.account("nophone").ID || s.PhoneID != 0 {
			t.Errorf("%+v", s)
		}
		p.wantLinks(2)
	})
}

func TestAYesIsForOneBrowserOneCompanyAndTenMinutes(t *testing.T) {
	onceChat(t, func(t *testing.T, p *chatter) {
		b := p.browser(host1001, inWeChat)
		b.links(portal.WeChat, xiao, buyerPhone)
		ask := b.asked(portal.WeChat, xiao).Ask
		ticket := b.unknown(portal.WeChat, someone(2))
		for name, try := range map[string]func() (portal.LoginResult, error){
			"at another company":  func() (portal.LoginResult, error) { return b.at(host1002).saysYes(ask) },
			"at the account site": func() (portal.LoginResult, error) { return b.at(accountHost).saysYes(ask) },
			"in another browser":  func() (portal.LoginResult, error) { return p.browser(host1001, inWeChat).saysYes(ask) },
			"in none":             func() (portal.LoginResult, error) { return b.without().saysYes(ask) },
			"none":                func() (portal.LoginResult, error) { return b.saysYes("") },
			"a tampered one":      func() (portal.LoginResult, error) { return b.saysYes(ask[:len(ask)-2] + "AA") },
			"a ticket":            func() (portal.LoginResult, error) { return b.saysYes(ticket) },
		} {
			if _, err := try(); !errors.Is(err, portal.WeChatExpired) {
				t.Errorf("%s: %v", name, err)
			}
		}
		_, err := p.IdentityOfTicket(t.Context(), ask, "")
		refused(t, err, portal.LoginRequired)
		_, err = p.IdentityOfTicket(t.Context(), ask, b.flow)
		refused(t, err, portal.LoginRequired)
		p.clock.advance(portal.IdentityTicketLife - time.Millisecond)
		_, err = b.saysYes(ask)
		noError(t, err)
		p.clock.advance(time.Millisecond)
		_, err = b.saysYes(ask)
		refused(t, err, portal.WeChatExpired)
	})
}

func TestAYesSignsInNobodyWhomTheSignInRefusesByThen(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		b := p.browser(host1001, inWeChat)
		b.links(portal.WeChat, xiao, buyerPhone)
		ask := b.asked(portal.WeChat, xiao).Ask
		for name, c := range map[string]struct {
			change, undo func()
			want         portal.Refusal
		}{
			"a disabled account": {
				func() { p.setAccountState("buyer1", store.AccountDisabled) }, func() { p.setAccountState("buyer1", store.AccountActive) }, portal.AccountDisabled,
			},
			"a disabled company": {
				func() { noError(t, p.DisableCompany(t.Context(), 1001)) }, func() { noError(t, p.EnableCompany(t.Context(), 1001)) }, portal.CompanyDisabled,
			},
			"a company that wants no chat": {
				func() { noError(t, p.SetCompany(t.Context(), 1001, "chat", "off")) }, func() { noError(t, p.SetCompany(t.Context(), 1001, "chat", "on")) }, portal.WeChatFailed,
			},
			"a company with an application of its own": {
				func() { p.own(1001) }, func() { noError(t, p.SetCompany(t.Context(), 1001, "wechat", "")) }, portal.WeChatFailed,
			},
		} {
			c.change()
			if _, err := b.saysYes(ask); !errors.Is(err, c.want) {
				t.Errorf("%s: %v", name, err)
			}
			c.undo()
		}
		result, err := b.saysYes(ask)
		noError(t, err)
		list, err := p.Identities(t.Context(), result.Session)
		noError(t, err)
		noError(t, p.Unlink(t.Context(), result.Session, list[0].Ref, "zh"))
		_, err = b.saysYes(ask)
		refused(t, err, portal.WeChatExpired)
		p.wantLinks(0)
	})
}

func TestAnUnknownIdentityWithoutACookieIsRefused(t *testing.T) {
	onceChat(t, func(t *testing.T, p *chatter) {
		b := p.browser(host1001, inWeChat)
		w := b.goes(portal.WeChat)
		code := p.wechat.grants(w.app, xiao)
		back, err := b.without().returns(w, code)
		refused(t, err, portal.WeChatExpired)
		if back != (portal.Callback{}) {
			t.Errorf("%+v", back)
		}
		p.wantLinks(0)
		if back, err = b.returns(w, code); err != nil || back.Ticket == "" { // the cookie was there after all
			t.Errorf("%+v %v", back, err)
		}
	})
}

func TestAnAttackersCallbackSignsNoVictimInAndLinksNothing(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		mallory := p.browser(host1001, inWeChat)
		mallory.links(portal.WeChat, someone(66), managerPhone)
		planted := mallory.unknown(portal.WeChat, someone(67))
		victim := p.browser(host1001, inWeChat)
		signed := victim.links(portal.WeChat, xiao, buyerPhone)
		victim.old = signed.Token
		blank := victim.without() // nothing is known of the browser
		before := p.rows("authorisations", "attempts")

		for _, who := range []portal.ProviderIdentity{someone(66), someone(67)} {
			w := mallory.goes(portal.WeChat)
			back, err := victim.returns(w, p.wechat.grants(w.app, who))
			strange(t, "in a browser with its cookie", back, err)

			w = mallory.goes(portal.WeChat)
			back, err = blank.returns(w, p.wechat.grants(w.app, who))
			if who == someone(67) {
				refused(t, err, portal.WeChatExpired)
			} else if err != nil || back.Login != nil || back.Ask == "" || back.Who.Phone != "138****0002" {
				t.Errorf("without: %+v, %v", back, err)
			}
			lost := *victim // it has a session, and lost the other cookie
			lost.flow = ""
			w = mallory.goes(portal.WeChat)
			back, err = lost.returns(w, p.wechat.grants(w.app, who))
			if err == nil && (back.Login != nil || back.Ticket != "") || err != nil && !errors.Is(err, portal.WeChatExpired) {
				t.Errorf("with a session: %+v, %v", back, err)
			}
		}
		_, err := victim.proves(victim.linking(planted, buyerPhone)) // a form with the attacker's ticket
		refused(t, err, portal.LoginRequired)
		linking := mallory.proven(portal.WeChat, someone(68), managerPhone)
		_, err = victim.confirms(linking)
		refused(t, err, portal.WeChatExpired)
		_, err = blank.confirms(linking)
		refused(t, err, portal.WeChatExpired)
		if p.rows("authorisations", "attempts") != before {
			t.Error("something was written")
		}
		if !p.is(p.stored(signed, host1001), buyerPhone) {
			t.Error("the victim's session is another's")
		}
	})
}

func TestTheAddressOfACallbackThatSignedSomebodyInIsWorthNothingElsewhere(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		b := p.browser(host1001, inWeChat)
		b.links(portal.WeChat, xiao, buyerPhone)
		w := b.goes(portal.WeChat)
		code := p.wechat.grants(w.app, xiao)
		_, err := b.returns(w, code)
		noError(t, err)
		mallory := p.browser(host1001, inWeChat) // read it over the shoulder
		mallory.flow = ""
		back, err := mallory.returns(w, code)
		if !errors.Is(err, portal.WeChatExpired) || back.Ask != "" {
			t.Errorf("%+v, %v", back, err)
		}
		if back, err = b.returns(w, code); err != nil || back.Login == nil {
			t.Errorf("the browser itself: %+v, %v", back, err)
		}
	})
}

func TestNoTicketIsReadableOrKept(t *testing.T) {
	onceChat(t, func(t *testing.T, p *chatter) {
		b := p.browser(host1001, inWeChat)
		ticket := b.unknown(portal.WeChat, xiao)
		l, err := b.proves(b.linking(ticket, buyerPhone))
		noError(t, err)
		_, err = b.confirms(l)
		noError(t, err)
		ask := b.asked(portal.WeChat, xiao).Ask
		dump, log := p.rows(), p.log.String()
		for what, secret := range map[string]string{"ticket": ticket, "confirmation": l.Sealed, "question": ask, "flow": b.flow} {
			if strings.Contains(dump, secret) || strings.Contains(log, secret) {
				t.Errorf("the %s is written down", what)
			}
			if strings.Contains(what+secret, xiao.Subject) {
				t.Errorf("the %s can be read", what)
			}
		}
	})
}
