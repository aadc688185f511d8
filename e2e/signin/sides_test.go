package e2e

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-rod/rod/lib/proto"
)

// The four sides of 林岚, who has both in one company.
var fourSides = []struct {
	on         screen
	side       string
	host, path string
	key        string // in local storage
	signIn     string // the host where one signs in again
}{
	{desktop, "trial", "store1008", "/mgr", "pcMgr_user", "store1008"},
	{desktop, "trial.shop", "store1008", "/home", "pcShop_user", "store1008"},
	{phone, "trial", "mgr", "/home", "mMgr_user", "account"},
	{phone, "trial.shop", "m", "/shop", "mShop_user", "account"},
}

func TestOneSignInHoldsFourSides(t *testing.T) {
	t.Parallel()
	b := scriptedTab(t, normal, desktop)
	b.signIn("13800000012")
	b.wantAt("account", "/enter")
	for _, s := range fourSides {
		b.on(s.on)
		b.visit("account", "/accounts?all=1")
		b.follow(b.accountButton(s.side))
		b.wantArrived(arrival{s.host, s.path, "林岚", "试用中商贸"})
		b.wantMirror("companyData", "lang", s.key)
		b.wantNoSecrets()
	}
	for _, s := range fourSides { // each is still there beside the others
		b.visit(s.host, s.path)
		b.wantArrived(arrival{s.host, s.path, "林岚", "试用中商贸"})
	}
	b.visit("account", "/accounts?all=1")
	b.wantMirror("accountList", "lang")
	b.wantNoSecrets()

	b.visit("m", "/shop")
	b.follow(signOutButton)
	b.wantAt("account", "/login")
	b.wantToast(texts(t, "zh")("login.signed_out"))
	b.wantStored("lang")
	for _, s := range fourSides {
		b.visit(s.host, s.path)
		b.wantAt(s.signIn, "/login")
		b.wantNoText("林岚")
	}
	b.visit("account", "/company")
	b.wantAt("account", "/login")
	for host, keys := range map[string][]string{"m": nil, "mgr": nil, "store1008": {"companyData", "lang"}} {
		b.visit(host, "/agreement")
		b.wantStored(keys...)
	}
}

func TestSwitchingTheAccountReplacesItsSide(t *testing.T) {
	t.Parallel()
	eachWay(t, phone, func(b *tab) {
		b.signIn("13800000003")
		b.follow(companyButton(1003))
		b.wantArrived(arrival{"m", "/shop", "Li Wei", "Northwind Lighting"})
		b.follow(`main a[href*="/accounts"]`)
		b.wantAt("account", "/accounts")
		b.follow(b.accountButton("li.shop"))
		b.wantArrived(arrival{"m", "/shop", "李伟", "金穗粮油"})
		b.wantNoText("Northwind")
		if !b.plain {
			b.wantMirror("companyData", "lang", "mShop_user")
		}
	})
}

func TestARemovedAccountIsBackAfterTheNextSignIn(t *testing.T) {
	t.Parallel()
	eachWay(t, phone, func(b *tab) {
		b.signIn("13800000003")
		b.visit("account", "/accounts?all=1")
		b.follow(`button[name=action][value=remove][aria-label*="li.lights"]`)
		b.visit("account", "/accounts?all=1")
		b.wantText("li.shop")
		b.wantNoText("li.lights")
		b.signIn("13800000003")
		b.visit("account", "/accounts?all=1")
		b.wantText("li.lights")
	})
}

func TestALinkFromAnotherBrowserAsksFirst(t *testing.T) {
	t.Parallel()
	text := texts(t, "zh")
	eachWay(t, phone, func(b *tab) {
		b.signIn("nophone")
		b.follow(skipButton)
		for _, answer := range []struct{ button, holder string }{{"keep", "许静"}, {"replace", "王芳"}} {
			b.visitURL(b.site.link(b.t, "13800000001", phone.width))
			b.wantAt("m", "/shop")
			b.wantText(text("asked.heading"), "许静 (nophone)", "王芳 (buyer1)")
			b.follow(`button[name=action][value=` + answer.button + `]`)
			b.wantArrived(arrival{"m", "/shop", answer.holder, "金穗粮油"})
			b.reload()
			b.wantArrived(arrival{"m", "/shop", answer.holder, "金穗粮油"})
		}
	})
}

// Someone signed in to the company's own account site holds no side yet; a stranger's link asks them too.
func TestALinkNamesWhoIsSignedInWhereNoSideIsHeld(t *testing.T) {
	t.Parallel()
	b := newTab(t, normal, desktop)
	b.signInAt("store1001", "13800000002", password)
	b.wantArrived(arrival{"store1001", "/mgr", "陈静", "金穗粮油"})
	b.visitURL(b.site.link(t, "13800000001", desktop.width))
	b.wantText(texts(t, "zh")("asked.heading"), "王芳 (buyer1)")
	b.wantNoText("“”")
}

func TestACodeUsedTwiceEndsWhatItOpened(t *testing.T) {
	t.Parallel()
	first, second := newTab(t, normal, phone), newTab(t, normal, phone)
	first.signIn("13800000001")
	first.wantArrived(arrival{"m", "/shop", "王芳", "金穗粮油"})
	if len(first.codes) != 1 {
		t.Fatalf("sent on with %d codes", len(first.codes))
	}
	second.visit("m", "/shop?companyId=1001&auth_code_="+first.codes[0])
	second.wantAt("m", "/jumperror")
	second.wantText(texts(t, "zh")("jump.heading"))
	second.follow(`main a`)
	second.wantAt("account", "/login")
	first.reload()
	first.wantAt("account", "/login")
	first.wantNoText("王芳")
}

func TestMadeUpCodesOpenNothing(t *testing.T) {
	t.Parallel()
	b := newTab(t, normal, desktop)
	for _, address := range []string{b.site.at("m", "/shop"), b.site.at("mgr", "/home"), b.site.at("store1001", "/home"), b.site.at("store1001", "/mgr")} {
		b.visitURL(address + "?auth_code_=<b>made up</b>")
		if !strings.HasSuffix(b.here(), "/jumperror") {
			t.Errorf("at %s", b.here())
		}
		b.wantNoText("made up")
	}
	// A good code of one side opens no other.
	b.visitURL(strings.Replace(b.site.link(t, "13800000001", desktop.width), "/home", "/mgr", 1))
	b.wantAt("store1001", "/jumperror")
}

func TestSharingIdsAreKeptAsIntegers(t *testing.T) {
	t.Parallel()
	b := scriptedTab(t, normal, phone)
	b.visit("store1001", "/login?u=17&c=2001")
	b.wantMirror("companyData", "lang", "shareUserId", "shareClientId")
	b.visit("store1001", "/login?u=abc&c=-1")
	b.wantStored("companyData", "lang")
}

func TestSigningOutOfTheAccountSiteEndsTheLandingSites(t *testing.T) {
	t.Parallel()
	eachWay(t, desktop, func(b *tab) {
		b.signIn("13800000002")
		b.visit("account", "/accounts?all=1")
		b.follow(signOutButton)
		b.wantAt("account", "/login")
		b.visit("store1001", "/mgr")
		b.wantAt("store1001", "/login")
		b.wantNoText("陈静")
	})
}

// stored reads the local storage of the site the tab is on.
func (b *tab) stored() map[string]string {
	b.t.Helper()
	return ask[map[string]string](b, `() => ({...localStorage})`)
}

// wantStored checks that the local storage holds these keys and no others.
func (b *tab) wantStored(keys ...string) {
	b.t.Helper()
	slices.Sort(keys)
	if got := slices.Sorted(maps.Keys(b.stored())); !slices.Equal(got, keys) {
		b.t.Errorf("%s has stored %q, want %q", b.here(), got, keys)
	}
}

// wantMirror checks that the local storage holds at least these keys, and none but those the wrappers read.
func (b *tab) wantMirror(keys ...string) {
	b.t.Helper()
	known := []string{"companyData", "mShop_user", "mMgr_user", "pcShop_user", "pcMgr_user", "lang", "accountList", "shareUserId", "shareClientId", "regionTreeList", "WechatproCode"}
	stored := b.stored()
	for _, key := range keys {
		if stored[key] == "" {
			b.t.Errorf("%s has not stored %q", b.here(), key)
		}
	}
	for key, value := range stored {
		if !slices.Contains(known, key) {
			b.t.Errorf("%s has stored %q", b.here(), key)
		}
		if strings.HasPrefix(value, "{") && !json.Valid([]byte(value)) {
			b.t.Errorf("%s has stored a broken %q: %s", b.here(), key, value)
		}
	}
}

var tokenLike = regexp.MustCompile(`[A-Za-z0-9_-]{30,}`)

// wantNoSecrets looks for what must not be kept, in all that scripts can read here and in the server's log:
// whole phone numbers, the password, the codes this tab was sent with and the values of its cookies.
func (b *tab) wantNoSecrets() {
	b.t.Helper()
	kept := ask[string](b, `async () => JSON.stringify([{...localStorage}, {...sessionStorage}, await indexedDB.databases(), document.cookie, history.state, name])`)
	if leaked := slices.Concat(secretsIn(kept), tokenLike.FindAllString(kept, -1), codesIn(kept, b.sent)); len(leaked) > 0 {
		b.t.Errorf("%s keeps %q", b.here(), leaked)
	}
	cookies, err := proto.StorageGetCookies{BrowserContextID: b.Browser().BrowserContextID}.Call(b.Browser())
	b.must(err)
	b.mu.Lock()
	canaries := slices.Clone(b.codes)
	b.mu.Unlock()
	for _, cookie := range cookies.Cookies {
		if len(cookie.Value) > 20 {
			canaries = append(canaries, cookie.Value)
		}
	}
	if len(canaries) < 2 {
		b.t.Errorf("only %d secrets to look for", len(canaries))
	}
	log := b.site.log()
	for _, canary := range canaries {
		if strings.Contains(kept, canary) || strings.Contains(log, canary) {
			b.t.Errorf("%q is kept at %s or logged", canary, b.here())
		}
	}
}
