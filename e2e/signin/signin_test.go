package e2e

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// arrival is where a demo phone or login lands on a screen, and who it is there.
type arrival struct{ host, path, holder, company string }

// demo is the demo data as its users meet it. through are the choices on the way; refused is the reason of
// those who do not get in.
var demo = []struct {
	who             string
	through         []string
	onPhone, onDesk arrival
	refused, help   string
}{
	{who: "13800000001", onPhone: arrival{"m", "/shop", "王芳", "金穗粮油"}, onDesk: arrival{"store1001", "/home", "王芳", "金穗粮油"}},
	{who: "13800000002", onPhone: arrival{"mgr", "/home", "陈静", "金穗粮油"}, onDesk: arrival{"store1001", "/mgr", "陈静", "金穗粮油"}},
	{
		who: "13800000003", through: []string{companyButton(1002)},
		onPhone: arrival{"mgr", "/home", "Lucía Ramos", "Mariscos del Sur"}, onDesk: arrival{"store1002", "/mgr", "Lucía Ramos", "Mariscos del Sur"},
	},
	{
		who: "13800000003", through: []string{companyButton(1001), sideButton("shop")},
		onPhone: arrival{"m", "/shop", "李伟", "金穗粮油"}, onDesk: arrival{"store1001", "/home", "李伟", "金穗粮油"},
	},
	{who: "13800000004", refused: "under_review", help: "13700000001"},
	{who: "13800000005", refused: "account_disabled", help: "13700000001"},
	{who: "13800000006", refused: "partner_ended", help: "13700000001"},
	{who: "13800000007", refused: "company_disabled", help: "13700000099"},
	{who: "13800000008", refused: "trial_ended", help: "13700000099"},
	{who: "13800000009", refused: "company_expired", help: "13700000099"},
	{who: "13800000010", refused: "mall_not_open", help: "13700000001"},
	{who: "13800000011", refused: "phone_not_bound", help: supportPhone},
	{
		who: "13800000012", through: []string{sideButton("mgr")},
		onPhone: arrival{"mgr", "/home", "林岚", "试用中商贸"}, onDesk: arrival{"store1008", "/mgr", "林岚", "试用中商贸"},
	},
	{who: "nophone", through: []string{skipButton}, onPhone: arrival{"m", "/shop", "许静", "金穗粮油"}, onDesk: arrival{"store1001", "/home", "许静", "金穗粮油"}},
	{who: "northwind", through: []string{skipButton}, onPhone: arrival{"mgr", "/home", "Alan Reed", "Northwind Lighting"}, onDesk: arrival{"store1003", "/mgr", "Alan Reed", "Northwind Lighting"}},
}

func TestEveryDemoAccountArrivesOrLearnsWhyNot(t *testing.T) {
	t.Parallel()
	text := texts(t, "zh")
	for _, on := range screens {
		t.Run(on.name, func(t *testing.T) {
			t.Parallel()
			eachWay(t, on, func(b *tab) {
				for _, d := range demo {
					if d.refused != "" && on.mobile == b.plain {
						continue // the screen changes no refusal: those are met crosswise
					}
					b.forget()
					b.signIn(d.who)
					if d.refused != "" {
						b.wantRefused(text("error."+d.refused), d.help)
						b.wantLang("zh")
						continue
					}
					for _, choice := range d.through {
						b.follow(choice)
					}
					want := d.onDesk
					if on.mobile {
						want = d.onPhone
					}
					b.wantArrived(want)
				}
			})
		})
	}
}

func (b *tab) wantArrived(want arrival) {
	b.t.Helper()
	b.wantAt(want.host, want.path)
	b.wantStatus(200)
	b.wantText(want.holder, want.company)
}

// wantRefused checks a refusal: its reason, and someone to call.
func (b *tab) wantRefused(reason, help string) {
	b.t.Helper()
	b.wantAt("account", "/login")
	b.wantStatus(422)
	b.wantText(reason)
	if !b.has(fmt.Sprintf(`main a[href="tel:%s"]`, help)) {
		b.t.Errorf("nobody to call on %s about %q", help, reason)
	}
}

func TestSomeoneWithManyAccountsPicksOneOfTheList(t *testing.T) {
	t.Parallel()
	eachWay(t, phone, func(b *tab) {
		b.signIn("13800000003")
		b.wantAt("account", "/company")
		b.wantText("金穗粮油", "Mariscos del Sur", "Northwind Lighting")
		b.visit("account", "/accounts?all=1")
		b.wantText("li.manager", "li.shop", "li.lights", "sur")
		b.follow(b.accountButton("li.lights"))
		b.wantArrived(arrival{"m", "/shop", "Li Wei", "Northwind Lighting"})
	})
}

// accountButton is the button that enters an account of the list.
func (b *tab) accountButton(login string) string {
	b.t.Helper()
	id := ask[string](b, `login => [...document.querySelectorAll("form")].find(f => f.querySelector("button[value=enter]") && f.innerText.split(/\s+/).includes(login))?.elements.account_id.value ?? ""`, login)
	if id == "" {
		b.t.Fatalf("no account %q to enter:\n%s", login, b.seen())
	}
	return fmt.Sprintf(`form:has(input[name=account_id][value="%s"]) button[name=action][value=enter]`, id)
}

func TestTheDefaultCompanyIsGoneToNextTime(t *testing.T) {
	t.Parallel()
	b := newTab(t, limited, desktop)
	b.signIn("13800000003")
	b.visit("account", "/company?all=1")
	b.press(field("default"))
	b.follow(companyButton(1002))
	b.wantArrived(arrival{"store1002", "/mgr", "Lucía Ramos", "Mariscos del Sur"})
	b.forget()
	b.signIn("13800000003")
	b.wantArrived(arrival{"store1002", "/mgr", "Lucía Ramos", "Mariscos del Sur"})
}

func TestACompanysOwnHostKnowsItsOwnPeopleOnly(t *testing.T) {
	t.Parallel()
	eachWay(t, desktop, func(b *tab) {
		b.signInAt("store1002", "13800000003", password)
		b.wantArrived(arrival{"store1002", "/mgr", "Lucía Ramos", "Mariscos del Sur"})
		b.forget()
		b.signInAt("store1002", "13800000001", password)
		b.wantAt("store1002", "/login")
		b.wantStatus(422)
		b.wantText(texts(b.t, "es")("error.not_in_company"))
	})
}

func TestTheMobileShopKeepsTheHostVariant(t *testing.T) {
	t.Parallel()
	b := newTab(t, normal, phone)
	b.signInAt("astore1001", "13800000001", password)
	b.wantArrived(arrival{"am", "/shop", "王芳", "金穗粮油"})
}

// Each company's own language speaks on its own host: to newcomers, to the refused and to those who land.
func TestEachLanguageGreetsAndRefuses(t *testing.T) {
	t.Parallel()
	cases := []struct {
		lang, host, company, who string
		landing                  arrival
		refused                  string
	}{
		{"zh", "store1001", "金穗粮油", "13800000002", arrival{"store1001", "/mgr", "陈静", "金穗粮油"}, "13800000005"},
		{"es", "store1002", "Mariscos del Sur", "sur", arrival{"store1002", "/mgr", "Lucía Ramos", "Mariscos del Sur"}, "13800000001"},
		{"en", "store1003", "Northwind Lighting", "northwind", arrival{"store1003", "/mgr", "Alan Reed", "Northwind Lighting"}, "13800000001"},
	}
	reasons := map[string]string{"zh": "account_disabled", "es": "not_in_company", "en": "not_in_company"}
	b := newTab(t, normal, desktop)
	for _, c := range cases {
		text := texts(t, c.lang)
		title := strings.NewReplacer("{what}", text("title.login"), "{company}", c.company).Replace(text("title.with"))
		b.forget()
		b.visit(c.host, "/login")
		b.wantLang(c.lang)
		b.wantTitle(title)
		b.signInAt(c.host, c.refused, password)
		b.wantStatus(422)
		b.wantLang(c.lang)
		b.wantText(text("error." + reasons[c.lang]))
		b.signInAt(c.host, c.who, password)
		if c.who == "northwind" { // no phone is bound to it
			b.wantLang(c.lang)
			b.follow(skipButton)
		}
		b.wantArrived(c.landing)
		b.wantLang(c.lang)
		b.wantTitle(c.company)
		b.wantText(text("land.mgr"), text("sign_out"))
	}
}

// On a phone the landing sites serve every company: there too a company's people are greeted in its language.
func TestTheCompanysLanguageComesAlongToThePhoneSites(t *testing.T) {
	t.Parallel()
	b := newTab(t, normal, phone)
	b.signInAt("store1002", "sur", password)
	b.wantArrived(arrival{"mgr", "/home", "Lucía Ramos", "Mariscos del Sur"})
	b.wantLang("es")
}

func TestTheChosenLanguageComesAlong(t *testing.T) {
	t.Parallel()
	eachWay(t, phone, func(b *tab) {
		b.visit("account", "/login?lang=es")
		b.signIn("13800000001")
		b.wantArrived(arrival{"m", "/shop", "王芳", "金穗粮油"})
		b.wantLang("es")
		b.follow(languageButton("en"))
		b.wantLang("en")
		b.reload()
		b.wantLang("en")
	})
}

func TestARememberedPhoneIsFilledInNextTime(t *testing.T) {
	t.Parallel()
	eachWay(t, phone, func(b *tab) {
		b.visit("account", "/login")
		b.fill("phone", "13800000001")
		b.fill("password", password)
		b.press(field("remember"))
		b.follow(signInButton)
		b.wantAt("m", "/shop")
		b.follow(signOutButton)
		b.visit("account", "/login")
		if got := b.value("phone"); got != "138 0000 0001" {
			t.Errorf("the phone filled in is %q", got)
		}
		if b.value("password") != "" {
			t.Error("a password is filled in")
		}
	})
}

func TestAddressesFromOutsideAreNeverFollowed(t *testing.T) {
	t.Parallel()
	b := newTab(t, normal, desktop)
	b.visit("account", "/login?redirect=https://evil.test/&next=https://evil.test/&companyId=1001")
	b.fill("phone", "13800000001")
	b.fill("password", password)
	b.follow(signInButton)
	if u, _ := url.Parse(b.here()); u.Hostname() != "store1001.localhost" {
		t.Errorf("landed at %s", u)
	}
}
