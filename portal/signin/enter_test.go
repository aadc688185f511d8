package signin_test

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
	"portico/portal/access"
	"portico/portal/portaltest"
	"portico/portal/signin"
	"portico/store"
	"portico/store/storetest"
)

func TestEveryAccountGoesToTheAddressInTheTable(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		workChat := access.Device{Width: 1280, WorkChat: true}
		sideways := access.Device{Width: 844, MobileAgent: true}
		for _, c := range []struct {
			login, from string
			device      access.Device
			slot        store.Slot
			want        string // without the code
		}{
			{"jinsui", portaltest.AccountHost, portaltest.PhoneScreen, store.MobileMgr,
				"http://mgr.portico.test/home?companyId=1001&"},
			{"li.manager", portaltest.AccountHost, portaltest.PhoneScreen, store.MobileMgr,
				"http://mgr.portico.test/home?companyId=1001&"},
			{"jinsui", portaltest.AccountHost, access.Device{Width: 749}, store.MobileMgr,
				"http://mgr.portico.test/home?companyId=1001&"},
			{"jinsui", portaltest.AccountHost, access.Device{Width: 750}, store.PCMgr,
				"http://store1001.portico.test/mgr?"},
			{"jinsui", portaltest.AccountHost, workChat, store.MobileMgr,
				"http://mgr.portico.test/home?companyId=1001&"},
			{"jinsui", "jinsui.test", sideways, store.MobileMgr, "http://mgr.portico.test/home?companyId=1001&"},
			{"jinsui", "astore1001.portico.test", portaltest.PhoneScreen, store.MobileMgr,
				"http://mgr.portico.test/home?companyId=1001&"},
			{"jinsui", portaltest.AccountHost, portaltest.Desktop, store.PCMgr, "http://store1001.portico.test/mgr?"},
			{"li.manager", "portico.test", portaltest.Desktop, store.PCMgr, "http://store1001.portico.test/mgr?"},
			{"jinsui", "astore1001.portico.test", portaltest.Desktop, store.PCMgr,
				"http://store1001.portico.test/mgr?"},
			{"jinsui", "jinsui.test", portaltest.Desktop, store.PCMgr, "http://store1001.portico.test/mgr?"},
			{"northwind", portaltest.AccountHost, portaltest.Desktop, store.PCMgr,
				"http://store1003.portico.test/mgr?"},
			{"northwind", portaltest.AccountHost, portaltest.PhoneScreen, store.MobileMgr,
				"http://mgr.portico.test/home?companyId=1003&"},
			{"buyer1", portaltest.AccountHost, portaltest.PhoneScreen, store.MobileShop,
				"http://m.portico.test/shop?companyId=1001&"},
			{"buyer1", "jinsui.test", portaltest.PhoneScreen, store.MobileShop,
				"http://m.portico.test/shop?companyId=1001&"},
			{"buyer1", "store1001.portico.test", portaltest.PhoneScreen, store.MobileShop,
				"http://m.portico.test/shop?companyId=1001&"},
			{"buyer1", "astore1001.portico.test", portaltest.PhoneScreen, store.MobileShop,
				"http://am.portico.test/shop?companyId=1001&"},
			{"buyer1", "bstore1001.portico.test", portaltest.PhoneScreen, store.MobileShop,
				"http://bm.portico.test/shop?companyId=1001&"},
			{"buyer1", portaltest.AccountHost, portaltest.Desktop, store.PCShop,
				"http://store1001.portico.test/home?companyId=1001&"},
			{"buyer1", portaltest.AccountHost, workChat, store.MobileShop,
				"http://m.portico.test/shop?companyId=1001&"},
			{"buyer1", "bstore1001.portico.test", sideways, store.MobileShop,
				"http://bm.portico.test/shop?companyId=1001&"},
			{"buyer1", "bstore1001.portico.test", portaltest.Desktop, store.PCShop,
				"http://store1001.portico.test/home?companyId=1001&"},
			{"li.lights", portaltest.AccountHost, portaltest.Desktop, store.PCShop,
				"http://store1003.portico.test/home?companyId=1003&"},
		} {
			got := p.Enter(p.SignIn(c.from, c.login), c.from, c.login, c.device)
			if want := c.want + "auth_code_=" + url.QueryEscape(got.Code); got.URL != want || got.Slot != c.slot {
				t.Errorf("%s from %s with %+v goes to %.60s… (%s), want %s", c.login, c.from, c.device, got.URL,
					got.Slot, c.want)
			}
			if result, err := p.Redeem(got, ""); err != nil || result.Token == "" || result.Asked {
				t.Errorf("%s from %s: %+v, %v at the destination", c.login, c.from, result, err)
			}
		}
	})
}

func TestTheBackOfficeIsOnTheCompanysOwnDomainIfItHasOne(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		portaltest.NoError(t, p.Operator.SetCompany(t.Context(), 1001, "pc_domain", "http://jinsui.test"))
		signed := p.SignIn(portaltest.AccountHost, "jinsui")
		destination := p.Enter(signed, portaltest.AccountHost, "jinsui", portaltest.Desktop)
		if !strings.HasPrefix(destination.URL, "http://jinsui.test/mgr?auth_code_=") {
			t.Fatalf("it is on %s", destination.URL)
		}
		result, err := p.Redeem(destination, "")
		portaltest.NoError(t, err)
		landing, err := p.LandingAt(destination, result.Token)
		if err != nil || landing.User.Login != "jinsui" || landing.FromOrigin != "http://"+portaltest.AccountHost {
			t.Errorf("landed %+v, %v", landing, err)
		}
		if got := p.Enter(p.SignIn(portaltest.AccountHost, "buyer1"), portaltest.AccountHost, "buyer1",
			portaltest.Desktop).URL; !strings.HasPrefix(got, "http://store1001.portico.test/home?") {
			t.Errorf("the shop moved too: %s", got)
		}
	})
}

func TestAnAuthCodeRevealsNothing(t *testing.T) {
	p := portaltest.NewPlatform(t, storetest.SQLite(t))
	signed := p.SignIn(portaltest.AccountHost, "13800000001")
	first, second := p.Enter(signed, portaltest.AccountHost, "buyer1", portaltest.PhoneScreen),
		p.Enter(signed, portaltest.AccountHost, "buyer1", portaltest.PhoneScreen)
	if first.Code == second.Code {
		t.Error("two codes are alike")
	}
	raw, err := base64.RawURLEncoding.DecodeString(first.Code)
	portaltest.NoError(t, err)
	for _, word := range []string{"buyer1", ":1001", "13800000001", "王芳", "company_id_", "{"} {
		if strings.Contains(first.Code, word) || len(word) > 3 && strings.Contains(string(raw), word) {
			t.Errorf("%q can be read", word)
		}
	}
	for _, d := range []signin.Redirect{second, first} {
		if _, err := p.Redeem(d, ""); err != nil {
			t.Errorf("one of two codes: %v", err)
		}
	}
}

func TestATamperedCodeIsRefusedAndTheOriginalStaysValid(t *testing.T) {
	p := portaltest.NewPlatform(t, storetest.SQLite(t), func(o *portal.Options) { o.NoLimit = true })
	destination := p.Enter(p.SignIn(portaltest.AccountHost, "buyer1"), portaltest.AccountHost, "buyer1",
		portaltest.PhoneScreen)
	in := p.RedeemInput(destination)
	code := in.Code
	for i := range len(code) {
		in.Code = code[:i] + map[bool]string{true: "B", false: "A"}[code[i] == 'A'] + code[i+1:]
		_, err := p.Landing.Redeem(t.Context(), in)
		portaltest.Refused(t, err, access.RedirectFailed)
	}
	for _, in.Code = range []string{"", "x", code[1:], code[:len(code)-1], code + "A", strings.ToUpper(code),
		strings.Repeat("A", 400), "../" + code, strings.Repeat("A", 1<<20)} {
		_, err := p.Landing.Redeem(t.Context(), in)
		portaltest.Refused(t, err, access.RedirectFailed)
	}
	if _, err := p.Redeem(destination, ""); err != nil {
		t.Errorf("the true code: %v", err)
	}
}

func TestACodeWorksOnlyForItsHostAndSide(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		for _, c := range []struct {
			login  string
			device access.Device
			others []string
			slots  []store.Slot
		}{
			{"buyer1", portaltest.PhoneScreen,
				[]string{"am.portico.test", "mgr.portico.test", "store1001.portico.test", portaltest.AccountHost,
					"evil.test", ""}, []store.Slot{store.MobileMgr, store.PCShop, store.PCMgr, ""}},
			{"buyer1", portaltest.Desktop, []string{"store1002.portico.test", "astore1001.portico.test", "jinsui.test",
				"m.portico.test"}, []store.Slot{store.PCMgr, store.MobileShop}},
			{"jinsui", portaltest.Desktop, []string{"store1002.portico.test", "mgr.portico.test"},
				[]store.Slot{store.PCShop, store.MobileMgr}},
		} {
			destination := p.Enter(p.SignIn(portaltest.AccountHost, c.login), portaltest.AccountHost, c.login, c.device)
			in := p.RedeemInput(destination)
			for _, host := range c.others {
				elsewhere := in
				elsewhere.Place = p.Place(host)
				_, err := p.Landing.Redeem(t.Context(), elsewhere)
				portaltest.Refused(t, err, access.RedirectFailed)
			}
			for _, slot := range c.slots {
				other := in
				other.Slot = slot
				_, err := p.Landing.Redeem(t.Context(), other)
				portaltest.Refused(t, err, access.RedirectFailed)
			}
			if _, err := p.Redeem(destination, ""); err != nil {
				t.Errorf("%s: at its own host and side: %v", destination.URL, err)
			}
		}
	})
}

func TestACodeExpiresAfterSixtySeconds(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		signed := p.SignIn(portaltest.AccountHost, "buyer1")
		inTime, atTheEnd, late := p.Enter(signed, portaltest.AccountHost, "buyer1", portaltest.PhoneScreen),
			p.Enter(signed, portaltest.AccountHost, "buyer1", portaltest.PhoneScreen),
			p.Enter(signed, portaltest.AccountHost, "buyer1", portaltest.PhoneScreen)
		p.Clock.Advance(60*time.Second - time.Millisecond)
		if _, err := p.Redeem(inTime, ""); err != nil {
			t.Errorf("a millisecond before its end: %v", err)
		}
		p.Clock.Advance(time.Millisecond)
		_, err := p.Redeem(atTheEnd, "")
		portaltest.Refused(t, err, access.RedirectFailed)
		p.Clock.Advance(time.Second)
		_, err = p.Redeem(late, "")
		portaltest.Refused(t, err, access.RedirectFailed)
	})
}

func TestACodeExpiresWithTheSignInThatIssuedIt(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		signed, other := p.SignIn(portaltest.AccountHost, "buyer1"), p.SignIn(portaltest.AccountHost, "buyer1")
		dead, alive := p.Enter(signed, portaltest.AccountHost, "buyer1", portaltest.PhoneScreen),
			p.Enter(other, portaltest.AccountHost, "buyer1", portaltest.PhoneScreen)
		_, err := p.SignOut(t.Context(), signed.Token, p.Place(portaltest.AccountHost))
		portaltest.NoError(t, err)
		_, err = p.Redeem(dead, "")
		portaltest.Refused(t, err, access.RedirectFailed)
		if _, err := p.Redeem(alive, ""); err != nil {
			t.Errorf("the code of another sign-in: %v", err)
		}
	})
}

// Blocks are the changes that block an account while it is signed in.
var Blocks = []struct {
	name  string
	block func(p *portaltest.Platform)
	want  access.Refusal
}{
	{"account disabled", func(p *portaltest.Platform) { p.SetAccountState("buyer1", store.AccountDisabled) },
		access.AccountDisabled},
	{"back under review", func(p *portaltest.Platform) { p.SetAccountState("buyer1", store.AccountUnderReview) },
		access.UnderReview},
	{"company disabled", func(p *portaltest.Platform) {
		portaltest.NoError(p.T,
			p.Operator.DisableCompany(p.T.Context(), 1001))
	}, access.CompanyDisabled},
	{"term over", func(p *portaltest.Platform) {
		p.UpdateCompany(1001, func(c *store.Company) { c.EndsAt = store.At(p.Clock.Now()) })
	}, access.CompanyExpired},
	{"partnership ended", func(p *portaltest.Platform) {
		portaltest.NoError(p.T, p.DB.Clients.SetState(p.T.Context(), 1001, p.Account("buyer1").ClientID,
			store.ClientEnded))
	}, access.PartnerEnded},
	{"mall closed", func(p *portaltest.Platform) {
		portaltest.NoError(p.T, p.Operator.SetCompany(p.T.Context(), 1001, "mall", "disabled"))
	}, access.ShopDisabled},
}

func TestABlockTakesEffectAtEveryNextStep(t *testing.T) {
	for _, b := range Blocks {
		t.Run(b.name, func(t *testing.T) {
			portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
				signed := p.SignIn(portaltest.AccountHost, "buyer1")
				landed, waiting := p.Enter(signed, portaltest.AccountHost, "buyer1", portaltest.PhoneScreen),
					p.Enter(signed, portaltest.AccountHost, "buyer1", portaltest.Desktop)
				result, err := p.Redeem(landed, "")
				portaltest.NoError(t, err)
				b.block(p)
				_, err = p.LandingAt(landed, result.Token)
				if with := portaltest.Refused(t, err, b.want); with.Company == nil || with.Company.ID != 1001 ||
					len(with.Contacts) == 0 {
					t.Errorf("the landing page's refusal: %+v", with)
				}
				_, err = p.LandingAt(landed, result.Token)
				portaltest.Refused(t, err, access.LoginRequired)
				_, err = p.Redeem(waiting, "")
				portaltest.Refused(t, err, b.want)
				_, err = p.Entry.Enter(t.Context(),
					access.EnterInput{Session: signed.Session, AccountID: p.Account("buyer1").ID,
						Place: p.Place(portaltest.AccountHost), Device: portaltest.PhoneScreen})
				portaltest.Refused(t, err, b.want)
				_, err = p.Login(p.LoginInput("buyer1"))
				portaltest.Refused(t, err, b.want)
			})
		})
	}
}

func TestASecondRedemptionIsRefusedAndEndsTheSessionOfTheFirst(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		signed := p.SignIn(portaltest.AccountHost, "buyer1")
		stolen, other := p.Enter(signed, portaltest.AccountHost, "buyer1", portaltest.PhoneScreen),
			p.Enter(signed, portaltest.AccountHost, "buyer1", portaltest.Desktop)
		thief, err := p.Redeem(stolen, "")
		portaltest.NoError(t, err)
		elsewhere, err := p.Redeem(other, "")
		portaltest.NoError(t, err)
		_, err = p.LandingAt(stolen, thief.Token)
		portaltest.NoError(t, err)
		_, err = p.Redeem(stolen, "")
		portaltest.Refused(t, err, access.RedirectFailed)
		_, err = p.LandingAt(stolen, thief.Token)
		portaltest.Refused(t, err, access.LoginRequired)
		if _, err := p.LandingAt(other, elsewhere.Token); err != nil {
			t.Errorf("the other side ended too: %v", err)
		}
		if n := p.CountEvents(1001, "auth_code_reused"); n != 1 {
			t.Errorf("%d events", n)
		}
		again := p.Enter(signed, portaltest.AccountHost, "buyer1", portaltest.PhoneScreen)
		if _, err := p.Redeem(again, ""); err != nil {
			t.Errorf("a fresh code of the same sign-in: %v", err)
		}
	})
}

func TestAUsedCodeOpenedElsewhereEndsTheFirstRedemptionOnlyWithinItsLife(t *testing.T) {
	for after, want := range map[time.Duration]error{
		signin.AuthCodeLife - time.Second: access.LoginRequired, signin.AuthCodeLife: nil, 5 * time.Minute: nil,
	} {
		portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
			signed := p.SignIn(portaltest.AccountHost, "buyer1")
			destination := p.Enter(signed, portaltest.AccountHost, "buyer1", portaltest.PhoneScreen)
			first, err := p.Redeem(destination, "")
			portaltest.NoError(t, err)
			_, err = p.LandingAt(destination, first.Token)
			portaltest.NoError(t, err)
			p.Clock.Advance(after)
			in := p.RedeemInput(destination)
			in.Place = p.Place("am.portico.test")
			for _, in := range []signin.RedeemInput{in, p.RedeemInput(destination)} {
				_, err = p.Landing.Redeem(t.Context(), in)
				portaltest.Refused(t, err, access.RedirectFailed)
			}
			if _, err = p.LandingAt(destination, first.Token); !errors.Is(err, want) {
				t.Errorf("opened again after %v: %v, want %v", after, err, want)
			}
		})
	}
}

func TestOnlyOneOfTwentyConcurrentRedemptionsSucceeds(t *testing.T) {
	portaltest.EachCondition(t, func(t *testing.T, p *portaltest.Platform) {
		destination := p.Enter(p.SignIn(portaltest.AccountHost, "buyer1"), portaltest.AccountHost, "buyer1",
			portaltest.PhoneScreen)
		in := p.RedeemInput(destination)
		var won, lost atomic.Int32
		var group sync.WaitGroup
		for range 20 {
			group.Go(func() {
				result, err := p.Landing.Redeem(t.Context(), in)
				switch {
				case err == nil && result.Token != "":
					won.Add(1)
				case errors.Is(err, access.RedirectFailed):
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

func TestAnotherPersonsCodeAsksBeforeItReplacesASignedInAccount(t *testing.T) {
	for _, yes := range []bool{true, false} {
		portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
			mine := p.Enter(p.SignIn(portaltest.AccountHost, "buyer1"), portaltest.AccountHost, "buyer1",
				portaltest.PhoneScreen)
			victim, err := p.Redeem(mine, "")
			portaltest.NoError(t, err)
			attackers := p.Enter(p.SignIn(portaltest.AccountHost, "li.shop"), portaltest.AccountHost, "li.shop",
				portaltest.PhoneScreen)
			asked, err := p.Redeem(attackers, victim.Token)
			portaltest.NoError(t, err)
			if !asked.Asked || asked.Token == victim.Token {
				t.Fatalf("result %+v", asked)
			}
			place := p.Place("m.portico.test")
			if landing, err := p.LandingAt(mine, asked.Token); err != nil || landing.User.Login != "buyer1" {
				t.Fatalf("before the answer the side is %s's, %v", landing.User.Login, err)
			}
			_, err = p.LandingAt(mine, victim.Token)
			portaltest.Refused(t, err, access.LoginRequired) // the browser has shown the session's new id
			if waiting, err := pendingLanding(p, t.Context(), asked.Token, place, store.MobileShop); err != nil ||
				waiting.User.Login != "li.shop" {
				t.Fatalf("waiting is %s, %v", waiting.User.Login, err)
			}
			_, err = answerPendingLanding(p, t.Context(), asked.Token, place, store.PCShop, yes)
			portaltest.Refused(t, err, access.LoginRequired)
			answered, err := answerPendingLanding(p, t.Context(), asked.Token, place, store.MobileShop, yes)
			portaltest.NoError(t, err)
			want := map[bool]string{true: "li.shop", false: "buyer1"}[yes]
			if landing, err := p.LandingAt(mine, answered); err != nil || landing.User.Login != want {
				t.Errorf("after %v the side is %s's, %v", yes, landing.User.Login, err)
			}
			_, err = pendingLanding(p, t.Context(), answered, place, store.MobileShop)
			portaltest.Refused(t, err, access.LoginRequired)
			_, err = answerPendingLanding(p, t.Context(), answered, place, store.MobileShop, true)
			portaltest.Refused(t, err, access.LoginRequired)
			_, err = p.LandingAt(mine, asked.Token)
			portaltest.Refused(t, err, access.LoginRequired)
		})
	}
}

func TestAnotherPersonsCodeAsksBeforeItEntersASignedInBrowser(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		victim := p.SignIn("store1001.portico.test", "jinsui") // signed in here, no side entered yet
		attackers := p.Enter(p.SignIn(portaltest.AccountHost, "buyer1"), portaltest.AccountHost, "buyer1",
			portaltest.Desktop)
		result, err := p.Redeem(attackers, victim.Token)
		portaltest.NoError(t, err)
		if !result.Asked {
			t.Error("put into another's account unseen")
		}
		_, err = p.LandingAt(attackers, result.Token)
		portaltest.Refused(t, err, access.LoginRequired)
		if s, err := p.SignedIn(t.Context(), result.Token, p.Place("store1001.portico.test")); err != nil ||
			s.AccountID != victim.Session.AccountID {
			t.Errorf("the victim's own session: %+v, %v", s, err)
		}
		own := p.Enter(victim, "store1001.portico.test", "jinsui", portaltest.Desktop)
		if landed, err := p.Redeem(own, result.Token); err != nil || landed.Asked {
			t.Errorf("their own code: %+v, %v", landed, err)
		}
	})
}

func TestTheSamePersonFromAnotherSiteIsNotAsked(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		here := p.SignIn("store1001.portico.test", "13800000001")
		there := p.Enter(p.SignIn(portaltest.AccountHost, "13800000001"), portaltest.AccountHost, "buyer1",
			portaltest.Desktop)
		if result, err := p.Redeem(there, here.Token); err != nil || result.Asked {
			t.Errorf("result %+v, %v", result, err)
		}
	})
}

func TestAPersonsOwnSwitchReplacesTheAccountWithoutAsking(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		signed := p.SignIn(portaltest.AccountHost, "13800000003")
		first, second := p.Enter(signed, portaltest.AccountHost, "li.shop", portaltest.PhoneScreen),
			p.Enter(signed, portaltest.AccountHost, "li.lights", portaltest.PhoneScreen)
		landed, err := p.Redeem(first, "")
		portaltest.NoError(t, err)
		switched, err := p.Redeem(second, landed.Token)
		portaltest.NoError(t, err)
		if switched.Asked || switched.Token == landed.Token {
			t.Errorf("result %+v", switched)
		}
		if landing, err := p.LandingAt(second, switched.Token); err != nil || landing.User.Login != "li.lights" {
			t.Errorf("the side is %s's, %v", landing.User.Login, err)
		}
		_, err = p.LandingAt(second, landed.Token)
		portaltest.Refused(t, err, access.LoginRequired)
	})
}

func TestABrowserIsSignedInToSeveralSidesAtOnce(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		signed := p.SignIn("store1001.portico.test", "13800000003")
		shop, office := p.Enter(signed, "store1001.portico.test", "li.shop", portaltest.Desktop),
			p.Enter(signed, "store1001.portico.test", "li.manager", portaltest.Desktop)
		first, err := p.Redeem(shop, signed.Token)
		portaltest.NoError(t, err)
		second, err := p.Redeem(office, first.Token)
		portaltest.NoError(t, err)
		for _, d := range []signin.Redirect{shop, office} {
			if _, err := p.LandingAt(d, second.Token); err != nil {
				t.Errorf("%s: %v", d.Slot, err)
			}
		}
		if _, err := p.SignedIn(t.Context(), second.Token, p.Place("store1001.portico.test")); err != nil {
			t.Errorf("the account site's own session: %v", err)
		}
		_, err = p.LandingOf(t.Context(), second.Token, p.Place("store1001.portico.test"), store.MobileShop)
		portaltest.Refused(t, err, access.LoginRequired)
	})
}

func TestALandingIgnoresACookieOfAnotherHost(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		signed := p.SignIn(portaltest.AccountHost, "buyer1")
		landed, err := p.Redeem(p.Enter(signed, portaltest.AccountHost, "buyer1", portaltest.PhoneScreen), signed.Token)
		portaltest.NoError(t, err)
		portaltest.NoError(t, p.RequestSignedIn(signed.Token, portaltest.AccountHost))
		portaltest.Refused(t, p.RequestSignedIn(landed.Token, portaltest.AccountHost), access.LoginRequired)
	})
}

func TestALandingHostsCookieDoesNotSignInToTheAccountSite(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		destination := p.Enter(p.SignIn(portaltest.AccountHost, "buyer1"), portaltest.AccountHost, "buyer1",
			portaltest.Desktop)
		result, err := p.Redeem(destination, "")
		portaltest.NoError(t, err)
		_, err = p.SignedIn(t.Context(), result.Token, p.Place("store1001.portico.test"))
		portaltest.Refused(t, err, access.LoginRequired)
	})
}

func TestPeopleEnterOnlyTheirOwnAccounts(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		byPhone, byName, inHouse := p.SignIn(portaltest.AccountHost, "13800000003"),
			p.SignIn(portaltest.AccountHost, "li.shop"), p.SignIn("store1001.portico.test", "13800000003")
		for _, c := range []struct {
			who    string
			signed signin.LoginResult
			id     int64
		}{
			{"another's", byPhone, p.Account("buyer1").ID}, {"an unbound one", byPhone, p.Account("nophone").ID},
			{"none", byPhone, 0}, {"no such", byPhone, 1 << 40}, {"negative", byPhone, -1},
			{"the same phone's, by name", byName, p.Account("li.lights").ID},
			{"the same phone's in another company's house", inHouse, p.Account("li.lights").ID},
		} {
			_, err := p.Entry.Enter(t.Context(),
				access.EnterInput{Session: c.signed.Session, AccountID: c.id, Place: p.Place(portaltest.AccountHost),
					Device: portaltest.PhoneScreen})
			if !errors.Is(err, access.NotFound) {
				t.Errorf("%s: %v", c.who, err)
			}
		}
	})
}

func TestTheLightingEditionIsKeptOnTheLandingPage(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		in := p.LoginInput("13800000003")
		in.Lighting = true
		signed, err := p.Login(in)
		portaltest.NoError(t, err)
		destination := p.Enter(signed, portaltest.AccountHost, "li.lights", portaltest.PhoneScreen)
		result, err := p.Redeem(destination, "")
		portaltest.NoError(t, err)
		_, err = p.Entry.Enter(t.Context(), access.EnterInput{Session: signed.Session,
			AccountID: p.Account("li.shop").ID, Place: p.Place(portaltest.AccountHost), Device: portaltest.PhoneScreen})
		portaltest.Refused(t, err, access.LightingNotEnabled)
		portaltest.NoError(t, p.Operator.SetCompany(t.Context(), 1003, "lighting", "off"))
		_, err = p.LandingAt(destination, result.Token)
		portaltest.Refused(t, err, access.LightingNotEnabled)
	})
}

func TestTheCodeCarriesTheChosenLanguage(t *testing.T) {
	p := portaltest.NewPlatform(t, storetest.SQLite(t))
	signed := p.SignIn(portaltest.AccountHost, "buyer1")
	for _, lang := range []string{"", "es"} {
		destination, err := p.Entry.Enter(t.Context(),
			access.EnterInput{Session: signed.Session, AccountID: p.Account("buyer1").ID,
				Place: p.Place(portaltest.AccountHost), Device: portaltest.PhoneScreen, Lang: lang})
		portaltest.NoError(t, err)
		if result, err := p.Redeem(destination, ""); err != nil || result.Lang != lang {
			t.Errorf("%q arrives as %q, %v", lang, result.Lang, err)
		}
	}
}

func TestALandingReturnsTheDaysLeftOfATrial(t *testing.T) {
	p := portaltest.NewPlatform(t, storetest.SQLite(t))
	if got := p.Land("trial", portaltest.Desktop).DaysLeft; got != 12 {
		t.Errorf("%d days", got)
	}
	if got := p.Land("jinsui", portaltest.Desktop).DaysLeft; got != 0 {
		t.Errorf("a formal company: %d days", got)
	}
}

// pendingLanding returns the landing that waits for the answer whether it may replace the session of a cookie.
func pendingLanding(p *portaltest.Platform,
	ctx context.Context, cookie string, place access.Place, slot store.Slot,
) (access.Landing, error) {
	return p.Portal.Landing.Asked(p.Sessions.LoadSession(ctx, cookie), place, slot)
}

// answerPendingLanding answers whether the waiting landing may replace the session of a cookie, and returns the new
// cookie.
func answerPendingLanding(p *portaltest.Platform,
	ctx context.Context, cookie string, place access.Place, slot store.Slot, yes bool,
) (string, error) {
	return p.Portal.Landing.AnswerAsked(p.Sessions.LoadSession(ctx, cookie), place, slot, yes)
}
