package portal_test

import (
	"context"
	"encoding/base64"
	"errors"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"portico/portal"
	"portico/store"
	"portico/store/storetest"
)

// enter takes a browser into an account from a host.
func (p *platform) enter(signed portal.LoginResult, host, login string, device portal.Device) portal.Destination {
	p.t.Helper()
	destination, err := p.Enter(p.from(homeAddress), portal.EnterInput{Session: signed.Session, AccountID: p.account(login).ID, Place: p.place(host), Device: device})
	noError(p.t, err)
	return destination
}

// redeem opens a destination in a browser that holds a cookie there, "" for none.
func (p *platform) redeem(d portal.Destination, token string) (portal.RedeemResult, error) {
	p.t.Helper()
	return p.redeemIn(p.from(homeAddress), d, token)
}

func (p *platform) redeemIn(ctx context.Context, d portal.Destination, token string) (portal.RedeemResult, error) {
	p.t.Helper()
	return p.Redeem(p.LoadSession(ctx, token), p.arrival(d))
}

func (p *platform) arrival(d portal.Destination) portal.RedeemInput {
	p.t.Helper()
	target, err := url.Parse(d.URL)
	noError(p.t, err)
	return portal.RedeemInput{Code: target.Query().Get("auth_code_"), Place: p.place(target.Host), Slot: d.Slot}
}

// landing reads the side a destination leads to.
func (p *platform) landing(d portal.Destination, token string) (portal.Landing, error) {
	p.t.Helper()
	return p.Landing(p.t.Context(), token, p.arrival(d).Place, d.Slot)
}

// landed signs in by name and goes all the way to the landing page.
func (p *platform) landed(login string, device portal.Device) portal.Landing {
	p.t.Helper()
	destination := p.enter(p.signIn(accountHost, login), accountHost, login, device)
	result, err := p.redeem(destination, "")
	noError(p.t, err)
	landing, err := p.landing(destination, result.Token)
	noError(p.t, err)
	return landing
}

func flag(b bool) *bool { return &b }

func TestADeviceIsAPhoneByTheBestThatIsKnown(t *testing.T) {
	for _, c := range []struct {
		device portal.Device
		want   bool
	}{
		{portal.Device{Width: 749}, true}, {portal.Device{Width: 750}, false}, {portal.Device{Width: 1}, true},
		{portal.Device{Width: 1280, Hint: flag(true), MobileAgent: true}, false}, {portal.Device{Width: 390, Hint: flag(false)}, true},
		{portal.Device{Hint: flag(true)}, true}, {portal.Device{Hint: flag(false), MobileAgent: true}, false},
		{portal.Device{MobileAgent: true}, true}, {portal.Device{}, false}, {portal.Device{WorkChat: true}, false},
	} {
		if got := c.device.Mobile(); got != c.want {
			t.Errorf("%+v is a phone: %v", c.device, got)
		}
	}
}

func TestEveryAccountGoesWhereTheContractsTableSays(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		workChat := portal.Device{Width: 1280, WorkChat: true}
		for _, c := range []struct {
			login, from string
			device      portal.Device
			slot        store.Slot
			want        string // without the code
		}{
			{"jinsui", accountHost, phoneScreen, store.MobileMgr, "http://mgr.portico.test/home?companyId=1001&"},
			{"li.manager", accountHost, phoneScreen, store.MobileMgr, "http://mgr.portico.test/home?companyId=1001&"},
			{"jinsui", accountHost, portal.Device{Width: 749}, store.MobileMgr, "http://mgr.portico.test/home?companyId=1001&"},
			{"jinsui", accountHost, portal.Device{Width: 750}, store.PCMgr, "http://store1001.portico.test/mgr?"},
			{"jinsui", accountHost, workChat, store.MobileMgr, "http://mgr.portico.test/home?companyId=1001&"},
			{"jinsui", "astore1001.portico.test", phoneScreen, store.MobileMgr, "http://mgr.portico.test/home?companyId=1001&"},
			{"jinsui", accountHost, desktop, store.PCMgr, "http://store1001.portico.test/mgr?"},
			{"li.manager", "portico.test", desktop, store.PCMgr, "http://store1001.portico.test/mgr?"},
			{"jinsui", "astore1001.portico.test", desktop, store.PCMgr, "http://store1001.portico.test/mgr?"},
			{"jinsui", "jinsui.test", desktop, store.PCMgr, "http://store1001.portico.test/mgr?"},
			{"northwind", accountHost, desktop, store.PCMgr, "http://store1003.portico.test/mgr?"},
			{"northwind", accountHost, phoneScreen, store.MobileMgr, "http://mgr.portico.test/home?companyId=1003&"},
			{"buyer1", accountHost, phoneScreen, store.MobileShop, "http://m.portico.test/shop?companyId=1001&"},
			{"buyer1", "jinsui.test", phoneScreen, store.MobileShop, "http://m.portico.test/shop?companyId=1001&"},
			{"buyer1", "store1001.portico.test", phoneScreen, store.MobileShop, "http://m.portico.test/shop?companyId=1001&"},
			{"buyer1", "astore1001.portico.test", phoneScreen, store.MobileShop, "http://am.portico.test/shop?companyId=1001&"},
			{"buyer1", "bstore1001.portico.test", phoneScreen, store.MobileShop, "http://bm.portico.test/shop?companyId=1001&"},
			{"buyer1", accountHost, desktop, store.PCShop, "http://store1001.portico.test/home?companyId=1001&"},
			{"buyer1", accountHost, workChat, store.PCShop, "http://store1001.portico.test/home?companyId=1001&"},
			{"buyer1", "bstore1001.portico.test", desktop, store.PCShop, "http://store1001.portico.test/home?companyId=1001&"},
			{"li.lights", accountHost, desktop, store.PCShop, "http://store1003.portico.test/home?companyId=1003&"},
		} {
			got := p.enter(p.signIn(c.from, c.login), c.from, c.login, c.device)
			if want := c.want + "auth_code_=" + url.QueryEscape(got.Code); got.URL != want || got.Slot != c.slot {
				t.Errorf("%s from %s with %+v goes to %.60s… (%s), want %s", c.login, c.from, c.device, got.URL, got.Slot, c.want)
			}
			if result, err := p.redeem(got, ""); err != nil || result.Token == "" || result.Asked {
				t.Errorf("%s from %s: %+v, %v at the destination", c.login, c.from, result, err)
			}
		}
	})
}

func TestTheBackOfficeIsOnTheCompanysOwnDomainWhereItHasOne(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		noError(t, p.SetCompany(t.Context(), 1001, "pc_domain", "http://jinsui.test"))
		signed := p.signIn(accountHost, "jinsui")
		destination := p.enter(signed, accountHost, "jinsui", desktop)
		if !strings.HasPrefix(destination.URL, "http://jinsui.test/mgr?auth_code_=") {
			t.Fatalf("it is on %s", destination.URL)
		}
		result, err := p.redeem(destination, "")
		noError(t, err)
		landing, err := p.landing(destination, result.Token)
		if err != nil || landing.User.Login != "jinsui" || landing.FromOrigin != "http://"+accountHost {
			t.Errorf("landed %+v, %v", landing, err)
		}
		if got := p.enter(p.signIn(accountHost, "buyer1"), accountHost, "buyer1", desktop).URL; !strings.HasPrefix(got, "http://store1001.portico.test/home?") {
			t.Errorf("the shop moved too: %s", got)
		}
	})
}

func TestAnAuthCodeTellsAReaderNothing(t *testing.T) {
	p := newPlatform(t, storetest.SQLite(t))
	signed := p.signIn(accountHost, "13800000001")
	first, second := p.enter(signed, accountHost, "buyer1", phoneScreen), p.enter(signed, accountHost, "buyer1", phoneScreen)
	if first.Code == second.Code {
		t.Error("two codes are alike")
	}
	raw, err := base64.RawURLEncoding.DecodeString(first.Code)
	noError(t, err)
	for _, word := range []string{"buyer1", "1001", "13800000001", "王芳", "company_id_", "{"} {
		if strings.Contains(first.Code, word) || len(word) > 3 && strings.Contains(string(raw), word) {
			t.Errorf("%q can be read", word)
		}
	}
	for _, d := range []portal.Destination{second, first} {
		if _, err := p.redeem(d, ""); err != nil {
			t.Errorf("one of two codes: %v", err)
		}
	}
}

func TestATamperedCodeIsRefusedAndTheTrueOneStaysGood(t *testing.T) {
	p := newPlatform(t, storetest.SQLite(t), func(o *portal.Options) { o.NoLimit = true })
	destination := p.enter(p.signIn(accountHost, "buyer1"), accountHost, "buyer1", phoneScreen)
	in := p.arrival(destination)
	code := in.Code
	for i := range len(code) {
		in.Code = code[:i] + map[bool]string{true: "B", false: "A"}[code[i] == 'A'] + code[i+1:]
		_, err := p.Redeem(t.Context(), in)
		refused(t, err, portal.RedirectFailed)
	}
	for _, in.Code = range []string{"", "x", code[1:], code[:len(code)-1], code + "A", strings.ToUpper(code), strings.Repeat("A", 400), "../" + code, strings.Repeat("A", 1<<20)} {
		_, err := p.Redeem(t.Context(), in)
		refused(t, err, portal.RedirectFailed)
	}
	if _, err := p.redeem(destination, ""); err != nil {
		t.Errorf("the true code: %v", err)
	}
}

func TestACodeIsGoodForOneHostAndSideOnly(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		for _, c := range []struct {
			login  string
			device portal.Device
			others []string
			slots  []store.Slot
		}{
			{"buyer1", phoneScreen, []string{"am.portico.test", "mgr.portico.test", "store1001.portico.test", accountHost, "evil.test", ""}, []store.Slot{store.MobileMgr, store.PCShop, store.PCMgr, ""}},
			{"buyer1", desktop, []string{"store1002.portico.test", "astore1001.portico.test", "jinsui.test", "m.portico.test"}, []store.Slot{store.PCMgr, store.MobileShop}},
			{"jinsui", desktop, []string{"store1002.portico.test", "mgr.portico.test"}, []store.Slot{store.PCShop, store.MobileMgr}},
		} {
			destination := p.enter(p.signIn(accountHost, c.login), accountHost, c.login, c.device)
			in := p.arrival(destination)
			for _, host := range c.others {
				elsewhere := in
				elsewhere.Place = p.place(host)
				_, err := p.Redeem(t.Context(), elsewhere)
				refused(t, err, portal.RedirectFailed)
			}
			for _, slot := range c.slots {
				other := in
				other.Slot = slot
				_, err := p.Redeem(t.Context(), other)
				refused(t, err, portal.RedirectFailed)
			}
			if _, err := p.redeem(destination, ""); err != nil {
				t.Errorf("%s: at its own host and side: %v", destination.URL, err)
			}
		}
	})
}

func TestACodeIsGoodForSixtySeconds(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		signed := p.signIn(accountHost, "buyer1")
		inTime, atTheEnd, late := p.enter(signed, accountHost, "buyer1", phoneScreen), p.enter(signed, accountHost, "buyer1", phoneScreen), p.enter(signed, accountHost, "buyer1", phoneScreen)
		p.clock.advance(60*time.Second - time.Millisecond)
		if _, err := p.redeem(inTime, ""); err != nil {
			t.Errorf("a millisecond before its end: %v", err)
		}
		p.clock.advance(time.Millisecond)
		_, err := p.redeem(atTheEnd, "")
		refused(t, err, portal.RedirectFailed)
		p.clock.advance(time.Second)
		_, err = p.redeem(late, "")
		refused(t, err, portal.RedirectFailed)
	})
}

func TestACodeDiesWithTheSignInThatMadeIt(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		signed, other := p.signIn(accountHost, "buyer1"), p.signIn(accountHost, "buyer1")
		dead, alive := p.enter(signed, accountHost, "buyer1", phoneScreen), p.enter(other, accountHost, "buyer1", phoneScreen)
		_, err := p.SignOut(t.Context(), signed.Token, p.place(accountHost))
		noError(t, err)
		_, err = p.redeem(dead, "")
		refused(t, err, portal.RedirectFailed)
		if _, err := p.redeem(alive, ""); err != nil {
			t.Errorf("the code of another sign-in: %v", err)
		}
	})
}

// blocks are the ways an account stops being open while somebody is in it.
var blocks = []struct {
	name  string
	block func(p *platform)
	want  portal.Refusal
}{
	{"account disabled", func(p *platform) { p.setAccountState("buyer1", store.AccountDisabled) }, portal.AccountDisabled},
	{"back under review", func(p *platform) { p.setAccountState("buyer1", store.AccountUnderReview) }, portal.UnderReview},
	{"company disabled", func(p *platform) { noError(p.t, p.DisableCompany(p.t.Context(), 1001)) }, portal.CompanyDisabled},
	{"term over", func(p *platform) {
		p.updateCompany(1001, func(c *store.Company) { c.EndsAt = store.At(p.clock.now()) })
	}, portal.CompanyExpired},
	{"partnership ended", func(p *platform) {
		noError(p.t, p.db.SetClientState(p.t.Context(), 1001, p.account("buyer1").ClientID, store.ClientEnded))
	}, portal.PartnerEnded},
	{"mall closed", func(p *platform) { noError(p.t, p.SetCompany(p.t.Context(), 1001, "mall", "disabled")) }, portal.ShopDisabled},
}

func TestABlockBitesAtTheNextStepWhereverItIsTaken(t *testing.T) {
	for _, b := range blocks {
		t.Run(b.name, func(t *testing.T) {
			each(t, func(t *testing.T, p *platform) {
				signed := p.signIn(accountHost, "buyer1")
				landed, waiting := p.enter(signed, accountHost, "buyer1", phoneScreen), p.enter(signed, accountHost, "buyer1", desktop)
				result, err := p.redeem(landed, "")
				noError(t, err)
				b.block(p)
				_, err = p.landing(landed, result.Token)
				if with := refused(t, err, b.want); with.Company == nil || with.Company.ID != 1001 || len(with.Contacts) == 0 {
					t.Errorf("the landing page's refusal: %+v", with)
				}
				_, err = p.landing(landed, result.Token)
				refused(t, err, portal.LoginRequired)
				_, err = p.redeem(waiting, "")
				refused(t, err, b.want)
				_, err = p.Enter(t.Context(), portal.EnterInput{Session: signed.Session, AccountID: p.account("buyer1").ID, Place: p.place(accountHost), Device: phoneScreen})
				refused(t, err, b.want)
				_, err = p.login(p.as("buyer1"))
				refused(t, err, b.want)
			})
		})
	}
}

func TestASecondUseOfACodeIsRefusedAndEndsWhatTheFirstMade(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		signed := p.signIn(accountHost, "buyer1")
		stolen, other := p.enter(signed, accountHost, "buyer1", phoneScreen), p.enter(signed, accountHost, "buyer1", desktop)
		thief, err := p.redeem(stolen, "")
		noError(t, err)
		elsewhere, err := p.redeem(other, "")
		noError(t, err)
		_, err = p.landing(stolen, thief.Token)
		noError(t, err)
		_, err = p.redeem(stolen, "")
		refused(t, err, portal.RedirectFailed)
		_, err = p.landing(stolen, thief.Token)
		refused(t, err, portal.LoginRequired)
		if _, err := p.landing(other, elsewhere.Token); err != nil {
			t.Errorf("the other side ended too: %v", err)
		}
		if n := p.events(1001, "auth_code_reused"); n != 1 {
			t.Errorf("%d events", n)
		}
		again := p.enter(signed, accountHost, "buyer1", phoneScreen)
		if _, err := p.redeem(again, ""); err != nil {
			t.Errorf("a fresh code of the same sign-in: %v", err)
		}
	})
}

func TestASecondUseEndsTheFirstEvenAtAnotherHostAndLate(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		signed := p.signIn(accountHost, "buyer1")
		destination := p.enter(signed, accountHost, "buyer1", phoneScreen)
		first, err := p.redeem(destination, "")
		noError(t, err)
		p.clock.advance(5 * time.Minute)
		in := p.arrival(destination)
		in.Place = p.place("am.portico.test")
		_, err = p.Redeem(t.Context(), in)
		refused(t, err, portal.RedirectFailed)
		_, err = p.landing(destination, first.Token)
		refused(t, err, portal.LoginRequired)
	})
}

func TestOfTwentyRedemptionsAtOnceOneSucceeds(t *testing.T) {
	eachCondition(t, func(t *testing.T, p *platform) {
		destination := p.enter(p.signIn(accountHost, "buyer1"), accountHost, "buyer1", phoneScreen)
		in := p.arrival(destination)
		var won, lost atomic.Int32
		var group sync.WaitGroup
		for range 20 {
			group.Go(func() {
				result, err := p.Redeem(t.Context(), in)
				switch {
				case err == nil && result.Token != "":
					won.Add(1)
				case errors.Is(err, portal.RedirectFailed):
					lost.Add(1)
				default:
					t.Errorf("redeem: %v", err)
				}
			})
		}
		group.Wait()
		if won.Load() != 1 || lost.Load() != 19 {
			t.Errorf("%d succeeded, %d were refused", won.Load(), lost.Load())
		}
	})
}

func TestAnothersCodeAsksBeforeItTakesAnOccupiedSide(t *testing.T) {
	for _, yes := range []bool{true, false} {
		each(t, func(t *testing.T, p *platform) {
			mine := p.enter(p.signIn(accountHost, "buyer1"), accountHost, "buyer1", phoneScreen)
			victim, err := p.redeem(mine, "")
			noError(t, err)
			attackers := p.enter(p.signIn(accountHost, "li.shop"), accountHost, "li.shop", phoneScreen)
			asked, err := p.redeem(attackers, victim.Token)
			noError(t, err)
			if !asked.Asked || asked.Token == victim.Token {
				t.Fatalf("result %+v", asked)
			}
			place := p.place("m.portico.test")
			if landing, err := p.landing(mine, asked.Token); err != nil || landing.User.Login != "buyer1" {
				t.Fatalf("before the answer the side is %s's, %v", landing.User.Login, err)
			}
			_, err = p.landing(mine, victim.Token)
			refused(t, err, portal.LoginRequired) // the browser has shown the session's new id
			if waiting, err := p.Asked(t.Context(), asked.Token, place, store.MobileShop); err != nil || waiting.User.Login != "li.shop" {
				t.Fatalf("waiting is %s, %v", waiting.User.Login, err)
			}
			_, err = p.AnswerAsked(t.Context(), asked.Token, place, store.PCShop, yes)
			refused(t, err, portal.LoginRequired)
			answered, err := p.AnswerAsked(t.Context(), asked.Token, place, store.MobileShop, yes)
			noError(t, err)
			want := map[bool]string{true: "li.shop", false: "buyer1"}[yes]
			if landing, err := p.landing(mine, answered); err != nil || landing.User.Login != want {
				t.Errorf("after %v the side is %s's, %v", yes, landing.User.Login, err)
			}
			_, err = p.Asked(t.Context(), answered, place, store.MobileShop)
			refused(t, err, portal.LoginRequired)
			_, err = p.AnswerAsked(t.Context(), answered, place, store.MobileShop, true)
			refused(t, err, portal.LoginRequired)
			_, err = p.landing(mine, asked.Token)
			refused(t, err, portal.LoginRequired)
		})
	}
}

func TestAnothersCodeAsksBeforeItEntersASignedInBrowser(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		victim := p.signIn("store1001.portico.test", "jinsui") // signed in here, no side entered yet
		attackers := p.enter(p.signIn(accountHost, "buyer1"), accountHost, "buyer1", desktop)
		result, err := p.redeem(attackers, victim.Token)
		noError(t, err)
		if !result.Asked {
			t.Error("put into another's account unseen")
		}
		_, err = p.landing(attackers, result.Token)
		refused(t, err, portal.LoginRequired)
		if s, err := p.SignedIn(t.Context(), result.Token, p.place("store1001.portico.test")); err != nil || s.AccountID != victim.Session.AccountID {
			t.Errorf("the victim's own session: %+v, %v", s, err)
		}
		own := p.enter(victim, "store1001.portico.test", "jinsui", desktop)
		if landed, err := p.redeem(own, result.Token); err != nil || landed.Asked {
			t.Errorf("their own code: %+v, %v", landed, err)
		}
	})
}

func TestTheSamePersonFromAnotherSiteIsNotAsked(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		here := p.signIn("store1001.portico.test", "13800000001")
		there := p.enter(p.signIn(accountHost, "13800000001"), accountHost, "buyer1", desktop)
		if result, err := p.redeem(there, here.Token); err != nil || result.Asked {
			t.Errorf("result %+v, %v", result, err)
		}
	})
}

func TestOnesOwnSwitchReplacesSilently(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		signed := p.signIn(accountHost, "13800000003")
		first, second := p.enter(signed, accountHost, "li.shop", phoneScreen), p.enter(signed, accountHost, "li.lights", phoneScreen)
		landed, err := p.redeem(first, "")
		noError(t, err)
		switched, err := p.redeem(second, landed.Token)
		noError(t, err)
		if switched.Asked || switched.Token == landed.Token {
			t.Errorf("result %+v", switched)
		}
		if landing, err := p.landing(second, switched.Token); err != nil || landing.User.Login != "li.lights" {
			t.Errorf("the side is %s's, %v", landing.User.Login, err)
		}
		_, err = p.landing(second, landed.Token)
		refused(t, err, portal.LoginRequired)
	})
}

func TestTheSidesOfOneBrowserStandBesideEachOther(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		signed := p.signIn("store1001.portico.test", "13800000003")
		shop, office := p.enter(signed, "store1001.portico.test", "li.shop", desktop), p.enter(signed, "store1001.portico.test", "li.manager", desktop)
		first, err := p.redeem(shop, signed.Token)
		noError(t, err)
		second, err := p.redeem(office, first.Token)
		noError(t, err)
		for _, d := range []portal.Destination{shop, office} {
			if _, err := p.landing(d, second.Token); err != nil {
				t.Errorf("%s: %v", d.Slot, err)
			}
		}
		if _, err := p.SignedIn(t.Context(), second.Token, p.place("store1001.portico.test")); err != nil {
			t.Errorf("the account site's own session: %v", err)
		}
		_, err = p.Landing(t.Context(), second.Token, p.place("store1001.portico.test"), store.MobileShop)
		refused(t, err, portal.LoginRequired)
	})
}

func TestACookieOfAnotherHostIsLeftAloneByALanding(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		signed := p.signIn(accountHost, "buyer1")
		landed, err := p.redeem(p.enter(signed, accountHost, "buyer1", phoneScreen), signed.Token)
		noError(t, err)
		noError(t, p.signedIn(signed.Token, accountHost))
		refused(t, p.signedIn(landed.Token, accountHost), portal.LoginRequired)
	})
}

func TestALandingHostsCookieIsNoSignIn(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		destination := p.enter(p.signIn(accountHost, "buyer1"), accountHost, "buyer1", desktop)
		result, err := p.redeem(destination, "")
		noError(t, err)
		_, err = p.SignedIn(t.Context(), result.Token, p.place("store1001.portico.test"))
		refused(t, err, portal.LoginRequired)
	})
}

func TestOnlyOnesOwnAccountsAreEntered(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		byPhone, byName, inHouse := p.signIn(accountHost, "13800000003"), p.signIn(accountHost, "li.shop"), p.signIn("store1001.portico.test", "13800000003")
		for _, c := range []struct {
			who    string
			signed portal.LoginResult
			id     int64
		}{
			{"another's", byPhone, p.account("buyer1").ID}, {"an unbound one", byPhone, p.account("nophone").ID}, {"none", byPhone, 0}, {"no such", byPhone, 1 << 40}, {"negative", byPhone, -1},
			{"the same phone's, by name", byName, p.account("li.lights").ID}, {"the same phone's in another company's house", inHouse, p.account("li.lights").ID},
		} {
			_, err := p.Enter(t.Context(), portal.EnterInput{Session: c.signed.Session, AccountID: c.id, Place: p.place(accountHost), Device: phoneScreen})
			if !errors.Is(err, portal.NotFound) {
				t.Errorf("%s: %v", c.who, err)
			}
		}
	})
}

func TestTheLightingEditionGoesAlongToTheLandingPage(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		in := p.as("13800000003")
		in.Lighting = true
		signed, err := p.login(in)
		noError(t, err)
		destination := p.enter(signed, accountHost, "li.lights", phoneScreen)
		result, err := p.redeem(destination, "")
		noError(t, err)
		_, err = p.Enter(t.Context(), portal.EnterInput{Session: signed.Session, AccountID: p.account("li.shop").ID, Place: p.place(accountHost), Device: phoneScreen})
		refused(t, err, portal.LightingNotEnabled)
		noError(t, p.SetCompany(t.Context(), 1003, "lighting", "off"))
		_, err = p.landing(destination, result.Token)
		refused(t, err, portal.LightingNotEnabled)
	})
}

func TestTheChosenLanguageGoesAlongWithTheCode(t *testing.T) {
	p := newPlatform(t, storetest.SQLite(t))
	signed := p.signIn(accountHost, "buyer1")
	for _, lang := range []string{"", "es"} {
		destination, err := p.Enter(t.Context(), portal.EnterInput{Session: signed.Session, AccountID: p.account("buyer1").ID, Place: p.place(accountHost), Device: phoneScreen, Lang: lang})
		noError(t, err)
		if result, err := p.redeem(destination, ""); err != nil || result.Lang != lang {
			t.Errorf("%q arrives as %q, %v", lang, result.Lang, err)
		}
	}
}

func TestALandingPageTellsTheDaysOfATrial(t *testing.T) {
	p := newPlatform(t, storetest.SQLite(t))
	if got := p.landed("trial", desktop).DaysLeft; got != 12 {
		t.Errorf("%d days", got)
	}
	if got := p.landed("jinsui", desktop).DaysLeft; got != 0 {
		t.Errorf("a formal company: %d days", got)
	}
}
