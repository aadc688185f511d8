package signin

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"portico/e2e/browser"
	"portico/e2e/chatapp"
	"portico/e2e/program"
	"portico/e2e/steps"
	"portico/e2e/testscope"
)

func TestChatPersonRegistersACompanyWithoutAPassword(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/signin and portal/onboarding")
	browser.InMode(t, browser.Scripted(browser.Desktop, "zh"), func(b *browser.Tab, text func(string) string) {
		method, person, f := chatapp.OpenIn(b, "wechat"), chatapp.NewPersonID(), program.NewFounder()
		b.Visit("account", "/login")
		chatapp.SignInThrough(b, method, person)
		b.WantAt("account", "/wechat/link")
		b.Follow(chatapp.RegisterButton)
		b.WantAt("account", "/register/wechat")
		b.WantLang(b.Lang)
		_, lead, _ := strings.Cut(
			program.FillIn(text("chat.register_lead_nick"), "app", text("chat.app_wechat")), "{nick}",
		)
		b.WantText(lead)
		b.WantCount(browser.Field("password"), 0)
		b.Fill("phone", "13800000001") // registered already, so that account may be connected
		b.Follow(steps.MainButton)
		steps.WantMistakes(b, "code", "company_name", "agree")
		b.Fill("phone", f.Phone)
		code := steps.RequestCode(b, f.Phone)
		steps.DescribeCompany(b, f)
		steps.EnterCode(b, code)
		b.WantAt("account", "/register/init")
		steps.WantCompanies(b, f.Phone, 1)
		steps.ChooseIndustry(b, 118)
		b.Follow(steps.ImportButton)
		b.Follow(steps.EnterButton)
		b.WantArrived(steps.BackOfficeOf(b, f))
		b.WantLang(b.Lang)
		b.WantNoSecrets()
		b.Visit("account", "/accounts?all=1")
		chatapp.SignOut(b)
		chatapp.SignInThrough(b, method, person)
		b.WantArrived(steps.BackOfficeOf(b, f))
		steps.WantCompanies(b, f.Phone, 1)
		b.Visit("account", "/register/wechat") // an old link: the person from the app is known, and is signed in
		if b.Has(chatapp.PersonButton(person)) {
			b.Follow(chatapp.PersonButton(person))
		}
		chatapp.AwaitRedirect(b)
		b.WantArrived(steps.BackOfficeOf(b, f))
	})
}

func TestChatRegisteringWithAKnownPhoneConnectsItsAccount(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/signin")
	browser.InOneMode(t, browser.ScriptsOff(browser.Phone, "es"), func(b *browser.Tab, text func(string) string) {
		method, person, who := chatapp.OpenIn(b, "wechat"), chatapp.NewPersonID(), b.Server.AddPerson(b.T)
		b.Visit("account", "/login")
		chatapp.SignInThrough(b, method, person)
		b.Follow(chatapp.RegisterButton)
		b.Fill("phone", who.Phone)
		b.Follow(steps.SendCodeButton)
		steps.WantRefusedWith(b, "phone", text("error.phone_registered"))
		b.Follow(`main .cards a[href="/wechat/link"]`)
		b.Fill("phone", who.Phone)
		b.Fill("password", program.Password)
		b.Follow(steps.MainButton)
		chatapp.WantConfirmation(b, text, program.Masked(who.Phone), "金穗粮油")
		b.Follow(chatapp.ConnectButton)
		b.WantArrived(steps.ShopOfPerson(who, b.Screen))
	})
}

func TestChatApplicantReturnsToTheApplication(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/signin")
	browser.InOneMode(t, browser.Scripted(browser.Phone, "es"), func(b *browser.Tab, text func(string) string) {
		method, person := chatapp.OpenIn(b, "wechat"), chatapp.NewPersonID()
		company, a := b.Server.AddCompany(b.T, b.Lang, "", true), program.NewApplicant()
		b.SetLanguage(company.Host())
		b.Visit(company.Host(), "/login")
		chatapp.SignInThrough(b, method, person)
		b.WantAt(company.Host(), "/wechat/link")
		b.Follow(chatapp.RegisterButton)
		b.WantAt(company.Host(), "/register/more")
		steps.Apply(b, company, a)
		steps.DescribeApplicant(b, a)
		b.Follow(steps.MainButton)
		standing := steps.WantApplicationState(b, text, company, "pending")
		if n := b.Server.CountApplications(b.T, a); n != 1 {
			b.T.Errorf("%d applications", n)
		}
		b.ClearCookies() // another day
		b.SetLanguage(company.Host())
		b.Visit(company.Host(), "/login")
		chatapp.SignInThrough(b, method, person)
		steps.WantApplicationState(b, text, company, "pending")
		if here, _, _ := strings.Cut(
			b.Address(), "#",
		); here != standing { // the app's addresses end in a fragment, which stays
			b.T.Errorf("at %s, want %s", here, standing)
		}
		if n := chatapp.NewClient(b.T, b.Server, method.Agent).CountLinks(method, person); n != 0 {
			b.T.Error("a chat app is connected although no account was proven")
		}

		b.Server.AddCustomer(b.T, company, a) // the company lets them in: from now on they may connect the account
		updateDatabase(b.T, b.Server, "UPDATE applications SET state = 'approved' WHERE phone = ?", a.Phone)
		b.Visit(company.Host(), "/login")
		chatapp.SignInThrough(b, method, person)
		b.WantAt(company.Host(), "/wechat/link")
		b.Fill("phone", a.Phone)
		b.Fill("password", program.Password)
		b.Follow(steps.MainButton)
		b.Follow(chatapp.ConnectButton)
		b.WantArrived(steps.ShopOf(b, company, a))
		b.WantNoSecrets()
	})
}

func TestChatBlockedAccountShowsTheReason(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/signin")
	browser.InOneMode(t, browser.Scripted(browser.Desktop, "zh"), func(b *browser.Tab, text func(string) string) {
		method, person, who := chatapp.OpenIn(b, "wechat"), chatapp.NewPersonID(), b.Server.AddPerson(b.T)
		b.Visit("account", "/login")
		chatapp.SignInThrough(b, method, person)
		b.Fill("phone", "13800000005")
		b.Fill("password", program.Password)
		b.Follow(steps.MainButton)
		b.WantText(text("error.account_disabled"), "金穗粮油") // nothing can be connected to it
		b.WantCount(chatapp.ConnectButton, 0)
		chatapp.NewClient(b.T, b.Server, method.Agent).Connect("account", method, person, who)

		b.SetLanguage("store1002")
		b.Visit("store1002", "/login")
		chatapp.SignInThrough(b, method, person)
		b.WantStatus(422)
		b.WantLang(b.Lang)
		b.WantText(text("chat.stranger"), text("error.not_in_company"))
		b.Find(`main a[href="/register/more"]`)
		b.Find(`main a[href^="/login"]`)

		updateDatabase(b.T, b.Server, "UPDATE accounts SET state = 'disabled' WHERE id = ?", who.AccountID)
		for _, host := range []string{"account", "store1001"} {
			b.Visit(host, "/login")
			chatapp.SignInThrough(b, method, person)
			b.WantLang(b.Lang)
			b.WantText(text("error.account_disabled"), "金穗粮油")
			b.Find(`main a[href="tel:13700000001"]`)
			b.Visit(host, "/company")
			b.WantAt(host, "/login") // there is no session
		}
	})
}

func TestChatWeComSignsInWithoutAPress(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/signin")
	browser.InOneMode(t, browser.ScriptsOff(browser.Phone, "zh"), func(b *browser.Tab, text func(string) string) {
		method, person, who := chatapp.OpenIn(b, "wecom"), chatapp.NewPersonID(), b.Server.AddPerson(b.T)
		chatapp.NewClient(b.T, b.Server, method.Agent).Connect("account", method, person, who)
		landing := steps.ShopOfPerson(who, browser.Phone)
		chatapp.SetPerson(b, person)
		b.Visit("account", "/login")
		b.Await(
			"the landing page",
			`path => location.pathname === path && document.readyState === "complete"`,
			landing.Path,
		)
		b.WantArrived(landing)
		steps.SignOut(b)
		b.WantAt("account", "/login")
		b.WantCount(steps.SignInButton, 1) // not in again at once
		chatapp.SignInThrough(b, method, person)
		b.WantArrived(landing)

		b.ClearCookies()
		b.Visit("account", "/login") // the app asks a new person, and its answer fails
		b.Await("work-chat", `s => !!document.querySelector(s)`, chatapp.TroubleChoice("busy"))
		b.Press(`details:has(input[name=trouble]) summary`)
		b.Press(chatapp.TroubleChoice("busy"))
		b.Follow(chatapp.PersonButton("zhouyan"))
		b.WantAt("account", "/login")
		b.WantLang(b.Lang)
		b.WantToast(program.FillIn(text("error.wechat_failed"), "detail", "api freq out of limit"))
		b.WantCount(steps.SignInButton, 1)
		b.Fill("phone", who.Phone)
		b.Fill("password", program.Password)
		b.Follow(steps.SignInButton)
		b.WantArrived(landing)
	})
}

// The platform may refuse WeChat in the back office. WeCom still works there, and both work in the shop.
func TestChatWeChatCanBeRefusedInTheBackOffice(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/signin")
	browser.NeedBrowser(t)
	s, err := program.Start(
		browser.Normal.Command.Path, filepath.Join(t.TempDir(), "closed"), "off", "PORTICO_WECHAT_MANAGER=closed",
	)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Kill()
	text := program.Texts(t, "zh")
	company, shopper := s.AddCompany(t, "zh", "", true), s.AddPerson(t)
	boss := program.Person{Phone: company.Phone, Name: company.Administrator}
	for _, d := range chatapp.Methods {
		c, person, customer := chatapp.NewClient(t, s, d.Agent), chatapp.NewPersonID(), chatapp.NewPersonID()
		c.WantArrived(c.Connect("account", d, customer, shopper), steps.ShopOfPerson(shopper, d.On))
		c.DropCookies()
		where := browser.Arrival{
			Host:    fmt.Sprintf("store%d", company.ID),
			Path:    "/mgr",
			Holder:  company.Administrator,
			Company: company.Name,
		}
		if d.On.Mobile {
			where = browser.Arrival{Host: "mgr", Path: "/home", Holder: company.Administrator, Company: company.Name}
		}
		if d == chatapp.WeCom || d == chatapp.WeComQR {
			c.WantArrived(c.Connect("account", d, person, boss), where)
			continue
		}
		c.WantAt(c.FollowRedirects(c.Get(c.Authorise("account", d, person))), "account", "/wechat/link")
		a := c.Post(c.URL("account", "/wechat/link"), "phone", boss.Phone, "password", program.Password)
		c.WantText(a, text("error.wechat_manager_closed"))
		c.WantNoSession("account")
		if n := c.CountLinks(d, person); n != 0 {
			t.Error("a chat app is connected")
		}
	}
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
}
