package signin

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"portico/e2e/browser"
	"portico/e2e/program"
	"portico/e2e/steps"
	"portico/e2e/testscope"
)

// demo has the people of the demo data. through are the choices on the way; refused is the reason why a person is
// refused.
var demo = []struct {
	who             string
	through         []string
	onPhone, onDesk browser.Arrival
	refused, help   string
}{
	{
		who:     "13800000001",
		onPhone: browser.Arrival{Host: "m", Path: "/shop", Holder: "王芳", Company: "金穗粮油"},
		onDesk:  browser.Arrival{Host: "store1001", Path: "/home", Holder: "王芳", Company: "金穗粮油"},
	},
	{
		who:     "13800000002",
		onPhone: browser.Arrival{Host: "mgr", Path: "/home", Holder: "陈静", Company: "金穗粮油"},
		onDesk:  browser.Arrival{Host: "store1001", Path: "/mgr", Holder: "陈静", Company: "金穗粮油"},
	},
	{
		who:     "13800000003",
		through: []string{steps.CompanyButton(1002)},
		onPhone: browser.Arrival{
			Host:    "mgr",
			Path:    "/home",
			Holder:  "Lucía Ramos",
			Company: "Mariscos del Sur",
		},
		onDesk: browser.Arrival{Host: "store1002", Path: "/mgr", Holder: "Lucía Ramos", Company: "Mariscos del Sur"},
	},
	{
		who:     "13800000003",
		through: []string{steps.DestinationButton(1001, "shop")},
		onPhone: browser.Arrival{
			Host:    "m",
			Path:    "/shop",
			Holder:  "李伟",
			Company: "金穗粮油",
		},
		onDesk: browser.Arrival{Host: "store1001", Path: "/home", Holder: "李伟", Company: "金穗粮油"},
	},
	{who: "13800000004", refused: "under_review", help: "13700000001"},
	{who: "13800000005", refused: "account_disabled", help: "13700000001"},
	{who: "13800000006", refused: "partner_ended", help: "13700000001"},
	{who: "13800000007", refused: "company_disabled", help: "13700000099"},
	{who: "13800000008", refused: "trial_ended", help: "13700000099"},
	{who: "13800000009", refused: "company_expired", help: "13700000099"},
	{who: "13800000010", refused: "mall_not_open", help: "13700000001"},
	{who: "13800000011", refused: "phone_not_bound", help: program.SupportPhone},
	{
		who:     "13800000012",
		through: []string{steps.SideButton("mgr")},
		onPhone: browser.Arrival{
			Host:    "mgr",
			Path:    "/home",
			Holder:  "林岚",
			Company: "试用中商贸",
		},
		onDesk: browser.Arrival{Host: "store1008", Path: "/mgr", Holder: "林岚", Company: "试用中商贸"},
	},
	{
		who:     "nophone",
		through: []string{steps.SkipButton},
		onPhone: browser.Arrival{Host: "m", Path: "/shop", Holder: "许静", Company: "金穗粮油"},
		onDesk:  browser.Arrival{Host: "store1001", Path: "/home", Holder: "许静", Company: "金穗粮油"},
	},
	{
		who:     "northwind",
		through: []string{steps.SkipButton},
		onPhone: browser.Arrival{Host: "mgr", Path: "/home", Holder: "Alan Reed", Company: "Northwind Lighting"},
		onDesk:  browser.Arrival{Host: "store1003", Path: "/mgr", Holder: "Alan Reed", Company: "Northwind Lighting"},
	},
}

func TestEveryDemoAccountSignsInOrShowsTheReason(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/signin")
	text := program.Texts(t, "zh")
	browser.OnEachScreen(t, browser.Scripted(browser.Phone, ""), func(b *browser.Tab) {
		for _, d := range demo {
			if d.refused != "" && b.Screen.Mobile == b.NoScripts {
				continue // refusals do not depend on the screen, so each runs on one of the two
			}
			b.ClearCookies()
			steps.SignIn(b, d.who)
			if d.refused != "" {
				steps.WantRefused(b, text("error."+d.refused), d.help)
				b.WantLang("zh")
				continue
			}
			for _, choice := range d.through {
				b.Follow(choice)
			}
			want := d.onDesk
			if b.Screen.Mobile {
				want = d.onPhone
			}
			b.WantArrived(want)
		}
	})
}

func TestPersonWithManyAccountsChoosesOneFromTheList(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/signin")
	browser.WithAndWithoutScripts(t, browser.Scripted(browser.Phone, ""), func(b *browser.Tab) {
		steps.SignIn(b, "13800000003")
		b.WantAt("account", "/company")
		b.WantText("金穗粮油", "Mariscos del Sur", "Northwind Lighting")
		b.Visit("account", "/accounts?all=1")
		b.WantText("li.manager", "li.shop", "li.lights", "sur")
		b.Follow(accountButton(b, "li.lights"))
		b.WantArrived(browser.Arrival{Host: "m", Path: "/shop", Holder: "Li Wei", Company: "Northwind Lighting"})
	})
}

// accountButton is the selector of the button that enters an account of the list.
func accountButton(b *browser.Tab, login string) string {
	b.T.Helper()
	id := browser.Eval[string](
		b,
		`login => [...document.querySelectorAll("form")].find(f => f.querySelector("button[value=enter]") &&
			f.innerText.split(/\s+/).includes(login))?.elements.account_id.value ?? ""`,
		login,
	)
	if id == "" {
		b.T.Fatalf("no account %q to enter:\n%s", login, b.VisibleText())
	}
	return fmt.Sprintf(`form:has(input[name=account_id][value="%s"]) button[name=action][value=enter]`, id)
}

func TestNextSignInEntersTheDefaultCompany(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/signin")
	b := browser.NewTab(t, browser.Limited(t), browser.Desktop)
	steps.SignIn(b, "13800000003")
	b.Visit("account", "/company?all=1")
	b.Follow(steps.StarButton(1002))
	b.WantAt("account", "/company")
	b.WantCount(`.star[aria-pressed=true]`, 1)
	b.Follow(steps.CompanyButton(1002))
	b.WantArrived(browser.Arrival{Host: "store1002", Path: "/mgr", Holder: "Lucía Ramos", Company: "Mariscos del Sur"})
	b.ClearCookies()
	steps.SignIn(b, "13800000003")
	b.WantArrived(browser.Arrival{Host: "store1002", Path: "/mgr", Holder: "Lucía Ramos", Company: "Mariscos del Sur"})
}

func TestCompanyHostSignsInOnlyItsOwnPeople(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/signin")
	browser.WithAndWithoutScripts(t, browser.ScriptsOff(browser.Desktop, ""), func(b *browser.Tab) {
		steps.SignInAt(b, "store1002", "13800000003", program.Password)
		b.WantArrived(
			browser.Arrival{Host: "store1002", Path: "/mgr", Holder: "Lucía Ramos", Company: "Mariscos del Sur"},
		)
		b.ClearCookies()
		steps.SignInAt(b, "store1002", "13800000001", program.Password)
		b.WantAt("store1002", "/login")
		b.WantStatus(422)
		b.WantText(program.Texts(b.T, "es")("error.not_in_company"))
	})
}

func TestMobileShopKeepsTheHostVariant(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/signin")
	b := browser.NewTab(t, browser.Normal, browser.Phone)
	steps.SignInAt(b, "astore1001", "13800000001", program.Password)
	b.WantArrived(browser.Arrival{Host: "am", Path: "/shop", Holder: "王芳", Company: "金穗粮油"})
}

// Each company's host uses the company's language: for new visitors, refusals and landing pages.
func TestPagesAndRefusalsUseTheCompanysLanguage(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/signin")
	cases := []struct {
		lang, host, company, who string
		landing                  browser.Arrival
		refused                  string
	}{
		{
			"zh",
			"store1001",
			"金穗粮油",
			"13800000002",
			browser.Arrival{Host: "store1001", Path: "/mgr", Holder: "陈静", Company: "金穗粮油"},
			"13800000005",
		},
		{
			"es",
			"store1002",
			"Mariscos del Sur",
			"sur",
			browser.Arrival{Host: "store1002", Path: "/mgr", Holder: "Lucía Ramos", Company: "Mariscos del Sur"},
			"13800000001",
		},
		{
			"en",
			"store1003",
			"Northwind Lighting",
			"northwind",
			browser.Arrival{Host: "store1003", Path: "/mgr", Holder: "Alan Reed", Company: "Northwind Lighting"},
			"13800000001",
		},
	}
	reasons := map[string]string{"zh": "account_disabled", "es": "not_in_company", "en": "not_in_company"}
	b := browser.NewTab(t, browser.Normal, browser.Desktop)
	for _, c := range cases {
		text := program.Texts(t, c.lang)
		title := strings.NewReplacer("{what}", text("title.login"), "{company}", c.company).Replace(text("title.with"))
		b.ClearCookies()
		b.Visit(c.host, "/login")
		b.WantLang(c.lang)
		wantTitle(b, title)
		steps.SignInAt(b, c.host, c.refused, program.Password)
		b.WantStatus(422)
		b.WantLang(c.lang)
		b.WantText(text("error." + reasons[c.lang]))
		steps.SignInAt(b, c.host, c.who, program.Password)
		if c.who == "northwind" { // its account has no phone
			b.WantLang(c.lang)
			b.Follow(steps.SkipButton)
		}
		b.WantArrived(c.landing)
		b.WantLang(c.lang)
		wantTitle(b, c.company)
		b.Press(steps.AccountMenu)
		b.WantText(text("office.overview"), text("sign_out"))
	}
}

// On a phone the landing sites serve every company. They greet a company's people in its language.
func TestPhoneSitesUseTheCompanysLanguage(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/signin")
	b := browser.NewTab(t, browser.Normal, browser.Phone)
	steps.SignInAt(b, "store1002", "sur", program.Password)
	b.WantArrived(browser.Arrival{Host: "mgr", Path: "/home", Holder: "Lucía Ramos", Company: "Mariscos del Sur"})
	b.WantLang("es")
}

func TestLandingPageUsesTheChosenLanguage(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/signin")
	browser.WithAndWithoutScripts(t, browser.ScriptsOff(browser.Phone, ""), func(b *browser.Tab) {
		b.Visit("account", "/login?lang=es")
		steps.SignIn(b, "13800000001")
		b.WantArrived(browser.Arrival{Host: "m", Path: "/shop", Holder: "王芳", Company: "金穗粮油"})
		b.WantLang("es")
		steps.ChooseLanguage(b, "en")
		b.WantLang("en")
		b.Reload()
		b.WantLang("en")
	})
}

func TestRememberedPhoneIsFilledInAtTheNextSignIn(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/signin")
	browser.WithAndWithoutScripts(t, browser.Scripted(browser.Phone, ""), func(b *browser.Tab) {
		b.Visit("account", "/login")
		b.Fill("phone", "13800000001")
		b.Fill("password", program.Password)
		b.Press(browser.Field("remember"))
		b.Follow(steps.SignInButton)
		b.WantAt("m", "/shop")
		steps.SignOut(b)
		b.Visit("account", "/login")
		if got := b.Value("phone"); got != "138 0000 0001" {
			t.Errorf("the phone filled in is %q", got)
		}
		if b.Value("password") != "" {
			t.Error("a password is filled in")
		}
	})
}

func TestRedirectParametersToOtherSitesAreIgnored(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/signin")
	b := browser.NewTab(t, browser.Normal, browser.Desktop)
	b.Visit("account", "/login?redirect=https://evil.test/&next=https://evil.test/&companyId=1001")
	b.Fill("phone", "13800000001")
	b.Fill("password", program.Password)
	b.Follow(steps.SignInButton)
	if u, _ := url.Parse(b.Address()); u.Hostname() != "store1001.localhost" {
		t.Errorf("landed at %s", u)
	}
}

// wantTitle checks the title of the page.
func wantTitle(b *browser.Tab, want string) {
	b.T.Helper()
	if got := browser.Eval[string](b, `() => document.title`); got != want {
		b.T.Errorf("%s is titled %q, want %q", b.Address(), got, want)
	}
}
