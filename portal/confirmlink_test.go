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
	onceChat(t, func(t *testing.T, p *chatter) {
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
		_, err = p.ReadLinking(t.Context(), l.Sealed, b.flow, b.browser().Place)
		refused(t, err, portal.WeChatExpired)
		p.wantLinks(0)
	})
}

func TestWhatHappensBetweenTheProofAndTheYesCounts(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		ctx := t.Context()
		set := func(company int64, name, value string) func() {
			return func() { noError(t, p.SetCompany(ctx, company, name, value)) }
		}
		changes := func(who string) func() {
			return func() {
				_, err := p.change(p.changing(p.signIn(accountHost, who).Session, portal.DemoPassword))
				noError(t, err)
			}
		}
		for i, c := range []struct {
			what, host, account string
			happens             func()
			want                portal.Refusal
			undo                func()
		}{
			{"the account was disabled", host1002, manyPhone, func() { p.setAccountState("sur", store.AccountDisabled) }, portal.AccountDisabled, func() { p.setAccountState("sur", store.AccountActive) }},
			{"the company was disabled", host1002, manyPhone, func() { noError(t, p.DisableCompany(ctx, 1002)) }, portal.CompanyDisabled, func() { noError(t, p.EnableCompany(ctx, 1002)) }},
			{"the mall was closed", accountHost, "li.lights", set(1003, "mall", "disabled"), portal.ShopDisabled, set(1003, "mall", "open")},
			{"the doors were closed", host1002, manyPhone, set(1002, "chat", "off"), portal.WeChatFailed, set(1002, "chat", "on")},
			{"the application is another", host1002, manyPhone, func() { p.own(1002) }, portal.WeChatFailed, set(1002, "wechat", "")},
			{"the account's password was changed", accountHost, "li.shop", changes("li.shop"), portal.WeChatExpired, func() {}},
			{"the password was changed", accountHost, buyerPhone, changes(buyerPhone), portal.WeChatExpired, func() {}},
			{"the password was reset", accountHost, manyPhone, func() { p.recovers(manyPhone) }, portal.WeChatExpired, func() {}},
			{"the account has a first password by now", accountHost, "nophone", func() {
				_, err := p.GiveFirstPassword(p.from(homeAddress), p.boss(), p.account("nophone").ID, "")
				noError(t, err)
			}, portal.WeChatExpired, func() {}},
			{"the account has a phone by now", accountHost, "northwind", func() {
				_, in, _ := p.proven("northwind", bothPhone)
				in.Password = portal.DemoPassword
				_, err := p.bind(in)
				noError(t, err)
			}, portal.WeChatExpired, func() {}},
		} {
			b := p.browser(c.host, inWeChat)
			l := b.proven(portal.WeChat, someone(i), c.account)
			c.happens()
			if _, err := b.confirms(l); !errors.Is(err, c.want) {
				t.Errorf("%s: %v", c.what, err)
			}
			if _, err := p.ReadLinking(ctx, l.Sealed, b.flow, b.browser().Place); !errors.Is(err, c.want) {
				t.Errorf("%s: to be read: %v", c.what, err)
			}
			c.undo()
			p.clock.advance(2 * time.Second)
		}
		p.wantLinks(0)
		if p.log.count(`"event":"identity_linked"`) != 0 {
			t.Error("the log tells of a link")
		}
	})
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
