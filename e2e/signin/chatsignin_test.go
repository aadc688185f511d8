package signin

import (
	"fmt"
	"slices"
	"testing"

	"portico/e2e/browser"
	"portico/e2e/chatapp"
	"portico/e2e/program"
	"portico/e2e/steps"
	"portico/e2e/testscope"
)

func TestChatEachBrowserShowsTheMethodsThatWorkInIt(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/signin")
	desk, wechat, wecom := []string{"/wechat", "/wechatpro"}, []string{"/wechat"}, []string{"/wechatpro"}
	b := browser.NewTab(t, browser.Normal, browser.Phone)
	b.BlockScripts()
	for i, place := range []struct {
		name, agent string
		on          browser.Screen
		methods     []string
	}{
		{"a desktop", "", browser.Desktop, desk},
		{"a phone", "", browser.Phone, nil},
		{"WeChat on an iPhone", chatapp.WeChatIOSAgent, browser.Phone, wechat},
		{"WeChat on an Android phone", chatapp.WeChatAndroidAgent, browser.Phone, wechat},
		{"WeCom", chatapp.WeComAgent, browser.Phone, wecom},
		{"a mini program", chatapp.MiniProgramAgent, browser.Phone, nil},
		{"the native app", chatapp.AppAgent, browser.Phone, nil},
	} {
		b.Lang = []string{"zh", "es", "en"}[i%3]
		text := program.Texts(t, b.Lang)
		b.SetScreen(place.on)
		chatapp.SetAgent(b, place.agent)
		b.ClearCookies()
		for _, path := range []string{"/login?form=1", "/login/account"} {
			b.Visit("account", path)
			b.WantLang(b.Lang)
			if shown := browser.Eval[[]string](
				b, `() => [...document.querySelectorAll("main a[href^='/wechat']")].map(a => a.getAttribute("href"))`,
			); !slices.Equal(shown, place.methods) {
				t.Errorf("%s shows the links %q on %s", place.name, shown, path)
			}
			b.WantCount(steps.SignInButton, 1)
		}
		for _, method := range []chatapp.Method{chatapp.WeChat, chatapp.WeCom} {
			if slices.Contains(place.methods, method.Begin) {
				continue
			}
			b.Visit("account", method.Begin) // by an old link
			b.WantStatus(404)
			b.WantText(
				program.FillIn(text("chat.no_door"), "app", text("chat.app_"+method.Provider)),
				program.FillIn(text("chat.no_door_body"), "app", text("chat.app_"+method.Provider)),
			)
			b.Follow(`main a.button`)
			b.WantAt("account", "/login")
			b.WantCount(steps.SignInButton, 1)
		}
	}
}

func TestChatConnectedAccountSignsInWithOneTap(t *testing.T) {
	t.Parallel()
	browser.InMode(t, browser.ScriptsOff(browser.Phone, "en"), func(b *browser.Tab, text func(string) string) {
		method, person, who := chatapp.OpenIn(b, "wechat"), chatapp.NewPersonID(), b.Server.AddPerson(b.T)
		b.Visit("account", "/login")
		b.WantText(text("chat.door_" + map[bool]string{true: "wechat", false: "wechat_qr"}[b.Screen.Mobile]))
		chatapp.SignInThrough(b, method, person)
		b.WantAt("account", "/wechat/link")
		b.WantLang(b.Lang)
		b.WantText(program.FillIn(text("chat.link_heading"), "app", text("chat.app_wechat")))
		b.Fill("phone", who.Phone)
		b.Fill("password", "wrong-password")
		b.Follow(steps.MainButton)
		steps.WantRefusedWith(b, "password", program.FillIn(text("error.wrong_password"), "left", 10))
		steps.WantTyped(b, "phone", program.Grouped(who.Phone), "password", "")
		b.Fill("password", program.Password)
		b.Follow(steps.MainButton)
		chatapp.WantConfirmation(b, text, program.Masked(who.Phone), "金穗粮油")
		b.Follow(chatapp.CancelButton)
		b.WantAt("account", "/wechat/link")
		b.Visit("account", "/wechat/confirm")
		b.WantAt("account", "/wechat/link")
		b.Fill("phone", who.Phone)
		b.Fill("password", program.Password)
		b.Follow(steps.MainButton)
		chatapp.WantConfirmation(b, text, program.Masked(who.Phone), "金穗粮油")
		b.Follow(chatapp.ConnectButton)
		b.WantArrived(steps.ShopOfPerson(who, b.Screen))
		b.WantLang(b.Lang)
		b.Back() // nothing is asked or done again
		b.Visit("account", "/wechat/link")
		b.WantAt("account", "/login")
		b.WantText(program.FillIn(text("login.already"), "who", program.Masked(who.Phone)))

		b.Visit("account", "/accounts?all=1")
		chatapp.SignOut(b)
		b.WantAt("account", "/login")
		chatapp.SignInThrough(b, method, person)
		b.WantArrived(steps.ShopOfPerson(who, b.Screen))
		b.WantLang(b.Lang)
		b.WantNoSecrets()
		b.Visit("store1001", "/login")
		chatapp.SignInThrough(b, method, person)
		b.WantArrived(steps.ShopOfPerson(who, b.Screen))
		if n := chatapp.NewClient(b.T, b.Server, method.Agent).CountLinks(method, person); n != 1 {
			b.T.Errorf("%d links", n)
		}
	})
}

func TestChatOneTapEntersTheBackOffice(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/signin")
	browser.InOneMode(t, browser.Scripted(browser.Phone, "zh"), func(b *browser.Tab, _ func(string) string) {
		method, person := chatapp.OpenIn(b, "wechat"), chatapp.NewPersonID()
		company := b.Server.AddCompany(b.T, b.Lang, "", true)
		b.SetLanguage(company.Host())
		boss := program.Person{Phone: company.Phone, Name: company.Administrator}
		chatapp.NewClient(b.T, b.Server, method.Agent).Connect("account", method, person, boss)
		host, path := steps.SideOf(b, "mgr", company.ID)
		for _, signInHost := range []string{"account", company.Host()} {
			b.Visit(signInHost, "/login")
			chatapp.SignInThrough(b, method, person)
			b.WantArrived(
				browser.Arrival{Host: host, Path: path, Holder: company.Administrator, Company: company.Name},
			)
		}
	})
}

func TestChatAccountIsConnectedByItsName(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/signin")
	browser.InOneMode(t, browser.ScriptsOff(browser.Phone, "en"), func(b *browser.Tab, text func(string) string) {
		method, person, who := chatapp.OpenIn(
			b,
			"wecom",
		), chatapp.NewPersonID(), b.Server.AddPersonWithoutPhone(
			b.T,
		)
		b.Visit("account", "/login?form=1")
		chatapp.SignInThrough(b, method, person)
		b.WantText(program.FillIn(text("chat.link_heading"), "app", text("chat.app_wecom")))
		b.Follow(`main a[href="/wechat/link/account"]`)
		b.Fill("login", who.Login)
		b.Fill("password", program.Password)
		b.Follow(steps.MainButton)
		chatapp.WantConfirmation(b, text, who.Login, "金穗粮油")
		b.Follow(chatapp.ConnectButton)
		b.WantAt("account", "/bind") // it has no phone
		b.Follow(steps.SkipButton)
		b.WantArrived(steps.ShopOfPerson(who, b.Screen))
		if n := b.Server.Count(
			b.T, "SELECT COUNT(*) FROM identities WHERE account_id = ? AND phone_id = 0", who.AccountID,
		); n != 1 {
			b.T.Errorf("%d links", n)
		}
	})
}

func TestChatAccountIsConnectedByACode(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/signin")
	browser.InOneMode(t, browser.Scripted(browser.Desktop, "zh"), func(b *browser.Tab, text func(string) string) {
		method, who := chatapp.OpenIn(b, "wecom"), b.Server.AddPerson(b.T)
		b.Visit("account", "/login")
		chatapp.SignInThrough(b, method, chatapp.NewPersonID())
		b.Follow(`main a[href="/wechat/link/code"]`)
		b.Fill("phone", who.Phone)
		code := steps.RequestCode(b, who.Phone)
		steps.EnterCode(b, program.WrongCode(code))
		steps.WantRefusedWith(b, "code", text("error.code_wrong"))
		steps.WantTyped(b, "phone", program.Grouped(who.Phone))
		steps.EnterCode(b, code)
		chatapp.WantConfirmation(b, text, program.Masked(who.Phone), "金穗粮油")
		b.Follow(chatapp.ConnectButton)
		b.WantArrived(steps.ShopOfPerson(who, b.Screen))
		b.WantNoSecrets()
	})
}

// The account that this device remembers is filled in. Its password is still required.
func TestChatRememberedAccountIsFilledIn(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/signin")
	browser.InOneMode(t, browser.Scripted(browser.Phone, "en"), func(b *browser.Tab, text func(string) string) {
		method, who := chatapp.OpenIn(b, "wechat"), b.Server.AddPerson(b.T)
		b.Visit("account", "/login")
		b.Fill("phone", who.Phone)
		b.Fill("password", program.Password)
		b.Press(browser.Field("remember"))
		b.Follow(steps.SignInButton)
		steps.SignOut(b)
		b.Visit("account", "/login")
		chatapp.SignInThrough(b, method, chatapp.NewPersonID())
		b.WantText(text("chat.remembered"))
		steps.WantTyped(b, "phone", program.Grouped(who.Phone), "password", "")
		b.Follow(steps.MainButton)
		steps.WantMistakes(b, "password")
		b.Fill("password", program.Password)
		b.Follow(steps.MainButton)
		chatapp.WantConfirmation(b, text, program.Masked(who.Phone))
		b.Follow(chatapp.ConnectButton)
		b.WantArrived(steps.ShopOfPerson(who, b.Screen))
	})
}

func TestChatAppCanBeDisconnected(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/signin")
	browser.InOneMode(t, browser.ScriptsOff(browser.Desktop, "es"), func(b *browser.Tab, text func(string) string) {
		method, person, who := chatapp.OpenIn(b, "wechat"), chatapp.NewPersonID(), b.Server.AddPerson(b.T)
		chatapp.NewClient(b.T, b.Server, method.Agent).Connect("account", method, person, who)
		b.Visit("account", "/login")
		chatapp.SignInThrough(b, method, person)
		b.WantArrived(steps.ShopOfPerson(who, b.Screen))
		b.Visit("account", "/security")
		b.WantText(text("chat.app_wechat"))
		b.Follow(chatapp.UnlinkButton)
		b.WantToast(text("chat.unlinked"))
		b.WantCount(chatapp.UnlinkButton, 0)
		chatapp.SignOut(b)
		chatapp.SignInThrough(b, method, person)
		b.WantAt("account", "/wechat/link")
		if n := b.Server.Count(
			b.T,
			"SELECT COUNT(*) FROM identities i JOIN phones p ON p.id = i.phone_id WHERE p.phone = ?",
			who.Phone,
		); n != 0 {
			b.T.Error(fmt.Sprint(n, " links are left"))
		}
	})
}

func TestChatWeComSignInStoresAMarkButNotTheCode(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/signin")
	browser.InOneMode(t, browser.Scripted(browser.Phone, "es"), func(b *browser.Tab, text func(string) string) {
		method, person, who := chatapp.OpenIn(b, "wecom"), chatapp.NewPersonID(), b.Server.AddPerson(b.T)
		b.Visit("account", "/login?form=1")
		chatapp.SignInThrough(b, method, person)
		b.Fill("phone", who.Phone)
		b.Fill("password", program.Password)
		b.Follow(steps.MainButton)
		chatapp.WantConfirmation(b, text, program.Masked(who.Phone), "金穗粮油")
		b.Follow(chatapp.ConnectButton)
		b.WantArrived(steps.ShopOfPerson(who, b.Screen))
		if kept := browser.LocalStorage(b)["WechatproCode"]; kept != "exchanged" {
			b.T.Errorf("kept %q", kept)
		}
		browser.WantMirror(b, "accountList", "WechatproCode")
		b.WantNoSecrets()
		steps.SignOut(b)
		b.WantAt("account", "/login")
		if kept, left := browser.LocalStorage(b)["WechatproCode"]; left {
			b.T.Errorf("signing out leaves %q", kept)
		}
	})
}
