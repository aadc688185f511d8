package portal_test

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"portico/portal"
	"portico/store"
)

// What becomes of a link between its proof and the yes.

func TestAYesToALinkIsForOneBrowserAndTenMinutes(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		b := p.browser(host1001, inWeChat)
		l := b.proven(portal.WeChat, xiao, buyerPhone)
		ticket := b.unknown(portal.WeChat, xiao)
		for name, try := range map[string]func() (portal.LoginResult, error){
			"another browser": func() (portal.LoginResult, error) { return p.browser(host1001, inWeChat).confirms(l) },
			"no browser":      func() (portal.LoginResult, error) { return b.without().confirms(l) },
			"none":            func() (portal.LoginResult, error) { return b.confirms(portal.Linking{}) },
			"the ticket":      func() (portal.LoginResult, error) { return b.confirms(portal.Linking{Sealed: ticket}) },
			"a tampered one": func() (portal.LoginResult, error) {
				return b.confirms(portal.Linking{Sealed: l.Sealed[:len(l.Sealed)-2] + "AA"})
			},
		} {
			if _, err := try(); !errors.Is(err, portal.WeChatExpired) {
				t.Errorf("%s: %v", name, err)
			}
		}
		_, err := b.at(host1002).confirms(l) // where the account does not count
		refused(t, err, portal.NotInCompany)
		p.wantLinks(0)
		p.clock.advance(portal.IdentityTicketLife + time.Millisecond)
		_, err = b.confirms(l)
		refused(t, err, portal.WeChatExpired)
		_, err = p.ReadLinking(t.Context(), l.Sealed, b.flow, b.begin())
		refused(t, err, portal.WeChatExpired)
		p.wantLinks(0)
	})
}

func TestWhatHappensBetweenTheProofAndTheYesCounts(t *testing.T) {
	for name, c := range map[string]struct {
		account string
		happens func(p *chatter)
		want    portal.Refusal
	}{
		"the password was changed": {buyerPhone, func(p *chatter) {
			_, err := p.change(p.changing(p.signIn(accountHost, buyerPhone).Session, portal.DemoPassword))
			noError(p.t, err)
		}, portal.WeChatExpired},
		"the password was reset": {buyerPhone, func(p *chatter) { p.recovers(buyerPhone) }, portal.WeChatExpired},
		"the account's was changed": {"nophone", func(p *chatter) {
			_, err := p.change(p.changing(p.signIn(accountHost, "nophone").Session, portal.DemoPassword))
			noError(p.t, err)
		}, portal.WeChatExpired},
		"the account has a phone by now": {"nophone", func(p *chatter) {
			_, in, _ := p.proven("nophone", buyerPhone)
			in.Password = portal.DemoPassword
			_, err := p.bind(in)
			noError(p.t, err)
		}, portal.WeChatExpired},
		"the account has a first password by now": {"nophone", func(p *chatter) {
			_, err := p.GiveFirstPassword(p.from(homeAddress), p.boss(), p.account("nophone").ID)
			noError(p.t, err)
		}, portal.WeChatExpired},
		"the account was disabled":   {buyerPhone, func(p *chatter) { p.setAccountState("buyer1", store.AccountDisabled) }, portal.AccountDisabled},
		"the company was disabled":   {buyerPhone, func(p *chatter) { noError(p.t, p.DisableCompany(p.t.Context(), 1001)) }, portal.CompanyDisabled},
		"the mall was closed":        {buyerPhone, func(p *chatter) { noError(p.t, p.SetCompany(p.t.Context(), 1001, "mall", "disabled")) }, portal.ShopDisabled},
		"the doors were closed":      {buyerPhone, func(p *chatter) { noError(p.t, p.SetCompany(p.t.Context(), 1001, "chat", "off")) }, portal.WeChatFailed},
		"the application is another": {buyerPhone, func(p *chatter) { p.own(1001) }, portal.WeChatFailed},
	} {
		t.Run(name, func(t *testing.T) {
			eachChat(t, func(t *testing.T, p *chatter) {
				b := p.browser(host1001, inWeChat)
				l := b.proven(portal.WeChat, xiao, c.account)
				c.happens(p)
				_, err := b.confirms(l)
				refused(t, err, c.want)
				_, err = p.ReadLinking(t.Context(), l.Sealed, b.flow, b.begin())
				refused(t, err, c.want)
				p.wantLinks(0)
				if p.events(0, "identity_linked")+p.events(1001, "identity_linked") != 0 {
					t.Error("the audit log tells of a link")
				}
			})
		})
	}
}

func TestOfTwoBrowsersThatLinkOneIdentityOneWins(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		var browsers []*browser
		var waiting []portal.Linking
		for _, account := range []string{buyerPhone, managerPhone, bothPhone, manyPhone, "nophone", "northwind"} {
			b := p.browser(accountHost, inWeChat)
			browsers, waiting = append(browsers, b), append(waiting, b.proven(portal.WeChat, xiao, account))
		}
		var won atomic.Int64
		var winner atomic.Value
		together(len(browsers), func(i int) {
			switch result, err := browsers[i].confirms(waiting[i]); {
			case err == nil:
				won.Add(1)
				winner.Store(result.Session)
			case !errors.Is(err, portal.WrongParameters):
				t.Errorf("%v", err)
			}
		})
		if won.Load() != 1 {
			t.Fatalf("%d won", won.Load())
		}
		p.wantLinks(1)
		want := winner.Load().(portal.Session)
		if s := p.browser(accountHost, inWeChat).signs(portal.WeChat, xiao).Session; s.PhoneID != want.PhoneID || s.AccountID != want.AccountID {
			t.Errorf("signed in %+v, linked %+v", s, want)
		}
		for i, b := range browsers {
			if _, err := b.confirms(waiting[i]); err != nil && !errors.Is(err, portal.WrongParameters) {
				t.Errorf("once more: %v", err)
			}
		}
		p.wantLinks(1)
		if p.log.count(`"event":"identity_linked"`) != 1 {
			t.Error("the log tells of another number of links")
		}
	})
}

func TestAYesSaidTwiceAtOnceIsOneLinkAndTellsNobodyTwice(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		b := p.browser(accountHost, inWeChat)
		l := b.proven(portal.WeChat, xiao, buyerPhone)
		together(6, func(int) {
			if result, err := b.confirms(l); err != nil || !p.is(result.Session, buyerPhone) {
				t.Errorf("%+v %v", result.Session, err)
			}
		})
		p.wantLinks(1)
		if p.log.count(`"event":"identity_linked"`) != 1 {
			t.Error("the log tells of another number of links")
		}
		p.wantNotices(buyerPhone + " identity_linked")
	})
}

func TestAResetWhileAYesIsSaidLeavesNoLink(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		for round, phone := range []string{buyerPhone, managerPhone, bothPhone, manyPhone} {
			var browsers []*browser
			var waiting []portal.Linking
			for i := range 6 {
				b := p.browser(accountHost, inWeChat)
				browsers, waiting = append(browsers, b), append(waiting, b.proven(portal.WeChat, someone(10*round+i), phone))
			}
			reset := p.resetting(phone, "", portal.NewFlow())
			reset.Code = p.sent(p.asking(portal.ForReset, phone, reset.Flow))
			together(7, func(i int) {
				if i == 6 {
					if err := p.reset(reset); err != nil {
						t.Errorf("the reset: %v", err)
					}
				} else if _, err := browsers[i].confirms(waiting[i]); err != nil && !errors.Is(err, portal.WeChatExpired) {
					t.Errorf("%v", err)
				}
			})
		}
		p.wantLinks(0)
	})
}
