package signin

import (
	"strings"
	"testing"

	"portico/components"
	"portico/e2e/browser"
	"portico/e2e/program"
	"portico/e2e/steps"
	"portico/e2e/testscope"
)

// fourSides are the four sides of 林岚, who has both accounts at one company.
var fourSides = []struct {
	on         browser.Screen
	side       string
	host, path string
	key        string // in the local storage
	signIn     string // the host of the sign-in page after signing out
}{
	{browser.Desktop, "trial", "store1008", "/mgr", "pcMgr_user", "store1008"},
	{browser.Desktop, "trial.shop", "store1008", "/home", "pcShop_user", "store1008"},
	{browser.Phone, "trial", "mgr", "/home", "mMgr_user", "account"},
	{browser.Phone, "trial.shop", "m", "/shop", "mShop_user", "account"},
}

func TestOnePersonIsSignedInOnFourSides(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/signin")
	b := browser.NewScriptedTab(t, browser.Normal, browser.Desktop)
	steps.SignIn(b, "13800000012")
	b.WantAt("account", "/enter")
	for _, s := range fourSides {
		b.SetScreen(s.on)
		b.Visit("account", "/accounts?all=1")
		b.Follow(accountButton(b, s.side))
		b.WantArrived(browser.Arrival{Host: s.host, Path: s.path, Holder: "林岚", Company: "试用中商贸"})
		browser.WantMirror(b, "companyData", "lang", s.key)
		b.WantNoSecrets()
	}
	for _, s := range fourSides { // all four are signed in at once
		b.Visit(s.host, s.path)
		b.WantArrived(browser.Arrival{Host: s.host, Path: s.path, Holder: "林岚", Company: "试用中商贸"})
	}
	b.Visit("account", "/accounts?all=1")
	browser.WantMirror(b, "accountList", "lang")
	b.WantNoSecrets()

	b.Visit("m", "/shop")
	steps.SignOut(b)
	b.WantAt("account", "/login")
	b.WantToast(program.Texts(t, "zh")("login.signed_out"))
	browser.WantStorageKeys(b, "lang")
	for _, s := range fourSides {
		b.Visit(s.host, s.path)
		b.WantAt(s.signIn, "/login")
		b.WantNoText("林岚")
	}
	b.Visit("account", "/company")
	b.WantAt("account", "/login")
	for host, keys := range map[string][]string{"m": nil, "mgr": nil, "store1008": {"companyData", "lang"}} {
		b.Visit(host, "/agreement")
		browser.WantStorageKeys(b, keys...)
	}
}

func TestSwitchingTheAccountReplacesTheSignedInSide(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "portal/signin tests that a person's own switch replaces the account")
	browser.WithAndWithoutScripts(t, browser.Scripted(browser.Phone, ""), func(b *browser.Tab) {
		steps.SignIn(b, "13800000003")
		b.Follow(steps.CompanyButton(1003))
		b.WantArrived(browser.Arrival{Host: "m", Path: "/shop", Holder: "Li Wei", Company: "Northwind Lighting"})
		b.Follow(`main a[href*="/accounts"]`)
		b.WantAt("account", "/accounts")
		b.Follow(accountButton(b, "li.shop"))
		b.WantArrived(browser.Arrival{Host: "m", Path: "/shop", Holder: "李伟", Company: "金穗粮油"})
		b.WantNoText("Northwind")
		if !b.NoScripts {
			browser.WantMirror(b, "companyData", "lang", "mShop_user")
		}
	})
}

func TestRemovedAccountReturnsAtTheNextSignIn(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/signin")
	browser.WithAndWithoutScripts(t, browser.ScriptsOff(browser.Phone, ""), func(b *browser.Tab) {
		steps.SignIn(b, "13800000003")
		b.Visit("account", "/accounts?all=1&manage=1")
		b.Follow(`button[name=action][value=remove][aria-label*="li.lights"]`)
		b.Visit("account", "/accounts?all=1")
		b.WantText("li.shop")
		b.WantNoText("li.lights")
		steps.SignIn(b, "13800000003")
		b.Visit("account", "/accounts?all=1")
		b.WantText("li.lights")
	})
}

func TestLinkFromAnotherBrowserAsksBeforeSigningIn(t *testing.T) {
	t.Parallel()
	text := program.Texts(t, "zh")
	browser.WithAndWithoutScripts(t, browser.ScriptsOff(browser.Phone, ""), func(b *browser.Tab) {
		steps.SignIn(b, "nophone")
		b.Follow(steps.SkipButton)
		for _, answer := range []struct{ button, holder string }{{"keep", "许静"}, {"replace", "王芳"}} {
			b.VisitURL(b.Server.SignInLink(b.T, "13800000001", browser.Phone.Width))
			b.WantAt("m", "/shop")
			b.WantText(text("asked.heading"), "许静 (nophone)", "王芳 (buyer1)")
			b.Follow(`button[name=action][value=` + answer.button + `]`)
			b.WantArrived(browser.Arrival{Host: "m", Path: "/shop", Holder: answer.holder, Company: "金穗粮油"})
			b.Reload()
			b.WantArrived(browser.Arrival{Host: "m", Path: "/shop", Holder: answer.holder, Company: "金穗粮油"})
		}
	})
}

// A person who is signed in to the company's own account site has no side yet. A link from another browser asks that
// person too.
func TestLinkNamesThePersonSignedInWithoutASide(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/signin")
	b := browser.NewTab(t, browser.Normal, browser.Desktop)
	steps.SignInAt(b, "store1001", "13800000002", program.Password)
	b.WantArrived(browser.Arrival{Host: "store1001", Path: "/mgr", Holder: "陈静", Company: "金穗粮油"})
	b.VisitURL(b.Server.SignInLink(t, "13800000001", browser.Desktop.Width))
	b.WantText(program.Texts(t, "zh")("asked.heading"), "王芳 (buyer1)")
	b.WantNoText("“”")
}

func TestSecondUseOfAnAuthCodeEndsItsSession(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "pages tests the same without a browser")
	first, second := browser.NewTab(t, browser.Normal, browser.Phone), browser.NewTab(t, browser.Normal, browser.Phone)
	steps.SignIn(first, "13800000001")
	first.WantArrived(browser.Arrival{Host: "m", Path: "/shop", Holder: "王芳", Company: "金穗粮油"})
	if len(first.AuthCodes) != 1 {
		t.Fatalf("redirected with %d codes", len(first.AuthCodes))
	}
	first.Await("the page to report that it was received",
		`path => performance.getEntriesByName(location.origin + path).length > 0`, components.ReceivedPath)
	second.Visit("m", "/shop?companyId=1001&auth_code_="+first.AuthCodes[0])
	second.WantAt("m", "/jumperror")
	second.WantText(program.Texts(t, "zh")("jump.heading"))
	second.Follow(`main a`)
	second.WantAt("account", "/login")
	first.Reload()
	first.WantAt("account", "/login")
	first.WantNoText("王芳")
}

func TestReloadBackAndCopyOfAFirstPageDoNoHarm(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/signin")
	shop := browser.Arrival{Host: "m", Path: "/shop", Holder: "王芳", Company: "金穗粮油"}
	browser.WithAndWithoutScripts(t, browser.Scripted(browser.Phone, ""), func(b *browser.Tab) {
		steps.SignIn(b, "13800000001")
		b.WantArrived(shop)
		b.Reload()
		b.WantArrived(shop)
		b.Visit("m", "/shop/orders")
		b.WantAt("m", "/shop/orders")
		b.Back()
		b.WantArrived(shop)
		copied := b.Address()
		b.VisitURL(copied)
		b.WantArrived(shop)
	})
}

func TestInvalidAuthCodesSignNobodyIn(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/signin")
	b := browser.NewTab(t, browser.Normal, browser.Desktop)
	for _, address := range []string{
		b.Server.URL("m", "/shop"), b.Server.URL("mgr", "/home"),
		b.Server.URL("store1001", "/home"), b.Server.URL("store1001", "/mgr"),
	} {
		b.VisitURL(address + "?auth_code_=<b>made up</b>")
		if !strings.HasSuffix(b.Address(), "/jumperror") {
			t.Errorf("at %s", b.Address())
		}
		b.WantNoText("made up")
	}
	// A valid code of one side is not valid for another.
	b.VisitURL(strings.Replace(b.Server.SignInLink(t, "13800000001", browser.Desktop.Width), "/home", "/mgr", 1))
	b.WantAt("store1001", "/jumperror")
}

func TestShareIDsAreStoredAsIntegers(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/signin")
	b := browser.NewScriptedTab(t, browser.Normal, browser.Phone)
	b.Visit("store1001", "/login?u=17&c=2001")
	browser.WantMirror(b, "companyData", "lang", "shareUserId", "shareClientId")
	b.Visit("store1001", "/login?u=abc&c=-1")
	browser.WantStorageKeys(b, "companyData", "lang")
}

func TestSigningOutOfTheAccountSiteSignsOutOfLandingSites(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "portal/core tests that signing out ends every side on every host")
	browser.WithAndWithoutScripts(t, browser.ScriptsOff(browser.Desktop, ""), func(b *browser.Tab) {
		steps.SignIn(b, "13800000002")
		b.Visit("account", "/accounts?all=1")
		steps.SignOut(b)
		b.WantAt("account", "/login")
		b.Visit("store1001", "/mgr")
		b.WantAt("store1001", "/login")
		b.WantNoText("陈静")
	})
}
