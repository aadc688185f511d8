package branding_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
	"time"

	"portico/e2e/testscope"
	"portico/pages/pagestest"
	"portico/portal/branding"
	"portico/portal/core"
	"portico/portal/picturetest"
)

func TestLookPageSaysThatTheCompanyNameIsNotConfirmed(t *testing.T) {
	const notice = "平台尚未核实此名称"
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.SignInByPhone("13800000002")
	if strings.Contains(pagestest.WantPage(t, b.Get(pagestest.LookPath), http.StatusOK), notice) {
		t.Error("the confirmed name counts as not confirmed")
	}
	pagestest.WantRedirect(t, b.SendLook(nil, "name", "支付宝安全中心", "action", "save"),
		"/mgr/settings/appearance?done=saved")
	pagestest.WantPage(t, b.Get(pagestest.LookPath), http.StatusOK, notice)
	if err := s.Portal.Operator.SetCompany(t.Context(), 1001, "name", "confirmed"); err != nil {
		t.Fatal(err)
	}
	s.Clock = s.Clock.Add(time.Minute)
	if strings.Contains(pagestest.WantPage(t, b.Get(pagestest.LookPath), http.StatusOK), notice) {
		t.Error("the operator confirmed it")
	}
}

func TestStyleSheetIsLinkedOnlyOnSignInPagesOfItsCompany(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b, visitor := s.SignInByPhone("13800000002"), s.Browser()
	before := pagestest.Text(t, visitor.Get("http://store1002.portico.test/login"))
	pagestest.WantRedirect(t, b.SendLook(nil, "style", ".button { border-radius: 0 }", "action", "save"),
		"/mgr/settings/appearance?done=saved")
	s.Clock = s.Clock.Add(2 * time.Second)
	link := pagestest.FindIn(t, pagestest.WantPage(t, visitor.Get("http://store1001.portico.test/login"),
		http.StatusOK),
		`</style><link rel="stylesheet" href="(/style/[0-9a-f]{24}\.css\?[0-9a-f]{8})">`)
	for _, path := range []string{"/", "/login/account", "/login/code", "/forget/phone", "/forget/account"} {
		pagestest.WantPage(t, visitor.Get("http://store1001.portico.test"+path), http.StatusOK, link)
	}
	for _, address := range []string{"http://store1001.portico.test/agreement",
		"http://store1001.portico.test/register/more", "http://account.portico.test/login",
		"http://store1002.portico.test/login"} {
		if page := pagestest.Text(t, visitor.Get(address)); strings.Contains(page, "/style/") {
			t.Errorf("%s has it, too", address)
		}
	}
	if pagestest.Text(t, s.Browser().Get("http://store1002.portico.test/login")) != before {
		t.Error("the page of another company changed")
	}
	r := visitor.Get("http://store1001.portico.test" + link)
	css := pagestest.WantPage(t, r, http.StatusOK, "{border-radius:0;}", "!important")
	for name, want := range map[string]string{
		"Content-Type": "text/css; charset=utf-8", "Cache-Control": "public, max-age=31536000, immutable",
		"X-Content-Type-Options": "nosniff", "Set-Cookie": "",
		"Content-Security-Policy": "default-src 'none'; sandbox",
	} {
		if r.Header.Get(name) != want {
			t.Errorf("%s: %s", name, r.Header.Get(name))
		}
	}
	if strings.Contains(css, "url(") {
		t.Error(css)
	}
	pagestest.WantStatus(t, visitor.Get("http://store1002.portico.test"+link), http.StatusNotFound)
	pagestest.WantStatus(t, visitor.Get("http://store1001.portico.test/style/none.css"), http.StatusNotFound)
	failure := pagestest.Text(t, visitor.Send("http://store1001.portico.test/login", "text/plain",
		strings.NewReader("x"), 1))
	if strings.Contains(failure, "/style/") || !strings.Contains(failure, "金穗粮油") {
		t.Errorf("the error page uses the company's style sheet, or does not name the company: %s", failure)
	}
	policy := visitor.Get("http://store1001.portico.test/login").Header.Get("Content-Security-Policy")
	if !strings.Contains(policy, "style-src 'self' 'sha256-") || strings.Contains(policy, "unsafe") {
		t.Error(policy)
	}
}

func TestRefusedStyleSheetShowsItsLinesAndKeepsWhatWasTyped(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.SignInByPhone("13800000002")
	sheet := "h1 { color: red }\n.foot { color: #fff }\nbody { background: url(//evil.test) }\n</textarea><script>"
	page := pagestest.WantPage(t, b.SendLook(nil, "name", "金穗商行", "theme", "d9480f", "style", sheet, "action", "save"),
		http.StatusUnprocessableEntity,
		`href="#style"`, "第 2 行：错误提示、服务协议", "第 3 行：不能加载或读取内容", "url(", `value="金穗商行"`, `value="d9480f"`)
	if got := strings.ReplaceAll(pagestest.FieldValue(t, page, "style"), "\r\n", "\n"); got != sheet {
		t.Errorf("what was typed is %q", got)
	}
	page = pagestest.WantPage(t, b.SendLook(nil, "style", "\n\n.foot{}\n", "action", "save"),
		http.StatusUnprocessableEntity, "第 3 行：错误提示")
	if got := strings.ReplaceAll(pagestest.FieldValue(t, page, "style"), "\r\n", "\n"); got != "\n\n.foot{}\n" {
		t.Errorf("its lines are no more those that were typed: %q", got)
	}
	pagestest.WantPage(t, b.SendLook(nil, "style", strings.Repeat("a{}\n", 12_000), "action", "save"),
		http.StatusUnprocessableEntity, "样式表过长")
	pagestest.WantPage(t, b.SendLook(map[string][]byte{"style_file": bytes.Repeat([]byte("a{}\n"), 400_000)}, "action",
		"save"), http.StatusUnprocessableEntity, "样式表过长")
	pagestest.WantPage(t, b.SendLook(map[string][]byte{"style_file": {0xff, 0xfe, 'a', 0}}, "action", "save"),
		http.StatusUnprocessableEntity, "UTF-8")
	pagestest.WantRedirect(t, b.SendLook(map[string][]byte{"style_file": []byte("\ufeff.lead{font-weight:700}\r\n")},
		"style",
		"b{", "action", "save"), "/mgr/settings/appearance?done=saved")
	if got := pagestest.FieldValue(t, pagestest.Text(t, b.Get(pagestest.LookPath)),
		"style"); got != ".lead{font-weight:700}" {
		t.Errorf("%q", got)
	}
}

func TestLookFormHasUpTo128KiBOfText(t *testing.T) {
	b := pagestest.NewSite(t, pagestest.Options{}).SignInByPhone("13800000002")
	const others = len("a name" + "zh" + "save") // the other fields with text
	for text, status := range map[int]int{
		128 << 10: http.StatusUnprocessableEntity, 128<<10 + 1: http.StatusRequestEntityTooLarge,
	} {
		sheet := strings.Repeat("x", text-others) // too long to be saved
		pagestest.WantStatus(t, b.SendLook(nil, "name", "a name", "style", sheet, "action", "save"), status)
	}
}

func TestEveryButtonOfTheLookPageKeepsWhatWasTyped(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.SignInByPhone("13800000002")
	typed := []string{"name", "金穗商行", "theme", "d9480f", "shop_skin", "112233", "language", "es", "style",
		".lead { color: red"}
	wantKept := func(more ...string) string {
		t.Helper()
		page := pagestest.WantPage(t, b.Get(pagestest.LookPath), http.StatusOK, append(more, "有修改尚未发布")...)
		for i := 0; i < len(typed); i += 2 {
			if typed[i] != "language" && pagestest.FieldValue(t, page, typed[i]) != typed[i+1] {
				t.Errorf("%s is %q", typed[i], pagestest.FieldValue(t, page, typed[i]))
			}
		}
		return page
	}
	pagestest.WantRedirect(t, b.SendLook(nil, append(typed, "action", "domain_add", "domain", "shop.acme.com")...),
		"/mgr/settings/appearance?done=domain_add#domains")
	wantKept("_portico.shop.acme.com")
	pagestest.WantRedirect(t, b.SendLook(nil, append(typed, "action", "domain_remove shop.acme.com", "domain",
		"other.acme.com")...), "/mgr/settings/appearance?done=domain_remove&domain=other.acme.com#domains")
	wantKept()
	pagestest.WantPage(t, b.Get(pagestest.LookPath+"?done=domain_remove&domain=other.acme.com"), http.StatusOK,
		`value="other.acme.com"`)
	pagestest.WantRedirect(t, b.SendLook(map[string][]byte{"icon": picturetest.PNG(64, 64)},
		append(typed, "action", "icon")...), "/mgr/settings/appearance?done=icon")
	page := wantKept(`value="remove_icon"`)
	pagestest.WantPage(t, b.SendLook(map[string][]byte{"icon": []byte("<svg/>")}, append(typed, "action", "icon")...),
		http.StatusUnprocessableEntity, `href="#icon"`, `value="金穗商行"`)
	pagestest.WantPage(t, b.SendLook(nil, append(typed, "lang", "es")...), http.StatusOK, `value="金穗商行"`,
		".lead { color: red")
	b.SendLook(nil, append(typed, "lang", "zh")...)
	pagestest.WantPage(t, s.Browser().Get("http://store1001.portico.test/login"), http.StatusOK, "金穗粮油")
	typed[9] = ".lead { color: red }"
	pagestest.WantRedirect(t, b.SendLook(nil, append(typed, "seen", pagestest.FieldValue(t, page, "seen"), "domain", "",
		"action", "save")...), "/mgr/settings/appearance?done=saved")
	if strings.Contains(pagestest.Text(t, b.Get(pagestest.LookPath)), "尚未发布") {
		t.Error("the page still shows a draft")
	}
	pagestest.WantRedirect(t, b.SendLook(nil, "name", "别的", "action", "remove_icon"),
		"/mgr/settings/appearance?done=remove_icon")
	pagestest.WantPage(t, b.Get(pagestest.LookPath), http.StatusOK, `value="别的"`, `value="discard"`)
	pagestest.WantRedirect(t, b.SendLook(nil, "name", "别的", "action", "discard"),
		"/mgr/settings/appearance?done=discard")
	pagestest.WantPage(t, b.Get(pagestest.LookPath+"?done=discard"), http.StatusOK, `value="金穗商行"`, "descartados")
}

func TestChosenIconIsKeptUntilTheLookIsPublished(t *testing.T) {
	for name, first := range map[string][]string{
		"refused":   {"theme", "red", "action", "save"},
		"tried":     {"action", "preview"},
		"languages": {"lang", "zh"},
	} {
		t.Run(name, func(t *testing.T) {
			s := pagestest.NewSite(t, pagestest.Options{})
			b := s.SignInByPhone("13800000002")
			icon := map[string][]byte{"icon": picturetest.PNG(64, 64)}
			if page := pagestest.Text(t, b.SendLook(icon, first...)); !strings.Contains(page, "已选好新的图标") {
				t.Errorf("the page does not say that an icon was chosen: %s", page)
			}
			pagestest.WantRedirect(t, b.SendLook(nil, "action", "save"), "/mgr/settings/appearance?done=saved")
			pagestest.WantPage(t, b.Get(pagestest.LookPath), http.StatusOK, `value="remove_icon"`)
		})
	}
}

func TestLookIsPublishedWithoutAnExpiredIcon(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	typed := []string{"name", "金穗商行", "action", "look"}
	pagestest.WantStatus(t, s.SignInByPhone("13800000002").SendLook(map[string][]byte{"icon": picturetest.PNG(64, 64)},
		typed...), http.StatusSeeOther)
	s.Clock = s.Clock.Add(branding.LookDraftKept - time.Hour)
	pagestest.WantStatus(t, s.SignInByPhone("13800000002").SendLook(nil, typed...), http.StatusSeeOther)
	s.Clock = s.Clock.Add(2 * time.Hour)
	if err := s.Portal.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	b := s.SignInByPhone("13800000002")
	typed[3] = "save"
	page := pagestest.WantPage(t, b.SendLook(nil, typed...), http.StatusUnprocessableEntity, `href="#icon"`,
		`value="金穗商行"`)
	if strings.Contains(page, "已选好新的图标") {
		t.Error("the page still says that an icon was chosen")
	}
	pagestest.WantRedirect(t, b.SendLook(nil, typed...), "/mgr/settings/appearance?done=saved")
}

func TestEnterKeyAddsATypedDomainOrPublishesTheLook(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.SignInByPhone("13800000002")
	pagestest.WantRedirect(t, b.SendLook(nil, "domain", "shop.acme.com"),
		"/mgr/settings/appearance?done=domain_add#domains")
	pagestest.WantRedirect(t, b.SendLook(nil, "name", "金穗商行"), "/mgr/settings/appearance?done=saved")
	pagestest.WantRedirect(t, b.SendLook(nil, "name", "金穗", "domain", "two.acme.com", "action", "save"),
		"/mgr/settings/appearance?done=saved&domain=two.acme.com")
	page := pagestest.Text(t, b.Get(pagestest.LookPath))
	if first := strings.Index(page, "<button"); !strings.HasPrefix(page[strings.Index(page,
		`<form id="setting"`):][strings.Index(page[strings.Index(page, `<form id="setting"`):], "<button"):],
		`<button class="first"`) {
		t.Errorf("another button is first: %d", first)
	}
}

func TestPublishedLookIsUndoneByOneButton(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.SignInByPhone("13800000002")
	if strings.Contains(pagestest.Text(t, b.Get(pagestest.LookPath)), `value="undo"`) {
		t.Error("there is nothing to undo yet")
	}
	b.SendLook(nil, "name", "金穗商行", "theme", "d9480f", "shop_skin", "112233", "action", "save")
	page := pagestest.WantPage(t, b.Get(pagestest.LookPath), http.StatusOK, `value="undo"`, "企业名称、企业颜色、商城颜色", "金穗粮油")
	mark := pagestest.FieldValue(t, page, "undo")
	s.Clock = s.Clock.Add(2 * time.Second)
	buyer := s.SignInByPhone("13800000001")
	pagestest.WantPage(t, buyer.Get("http://store1001.portico.test/home"), http.StatusOK, ":root{--brand:#112233")
	pagestest.WantPage(t, s.Browser().Get("http://store1001.portico.test/login"), http.StatusOK,
		":root{--brand:#d9480f", "金穗商行")
	pagestest.WantRedirect(t, b.SendLook(nil, "name", "金穗商行", "theme", "d9480f", "shop_skin", "112233", "undo", mark,
		"action", "undo"), "/mgr/settings/appearance?done=undo")
	undone := pagestest.WantPage(t, b.Get(pagestest.LookPath+"?done=undo"), http.StatusOK, "已恢复上一版外观", `value="金穗粮油"`)
	if strings.Contains(undone, "尚未发布") {
		t.Error("undoing leaves a draft")
	}
	s.Clock = s.Clock.Add(2 * time.Second)
	pagestest.WantPage(t, s.Browser().Get("http://store1001.portico.test/login"), http.StatusOK,
		":root{--brand:#20ade5")
	// The same button is pressed again.
	pagestest.WantRedirect(t, b.SendLook(nil, "undo", mark, "action", "undo"), "/mgr/settings/appearance?done=undo")
	s.Clock = s.Clock.Add(core.RepeatWindow)
	late := b.SendLook(nil, "undo", mark, "action", "undo")
	pagestest.WantPage(t, late, http.StatusUnprocessableEntity, "外观已被其他人修改或恢复")
	pagestest.WantPage(t, b.Get(pagestest.Settings[:len(pagestest.Settings)-len("/settings")]+"/audit"), http.StatusOK,
		"恢复上一版企业外观")
}

func TestConflictingLookChangeIsRefused(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	first, second := s.SignInByPhone("13800000002"), s.SignInByPhone("13800000002")
	seen := pagestest.FieldValue(t, pagestest.Text(t, second.Get(pagestest.LookPath)), "seen")
	first.SendLook(nil, "name", "先来", "seen", seen, "action", "save")
	page := pagestest.WantPage(t, second.SendLook(nil, "name", "后到", "seen", seen, "action", "save"),
		http.StatusUnprocessableEntity, "有人发布了新的外观", `value="后到"`)
	pagestest.WantPage(t, first.Get(pagestest.LookPath), http.StatusOK, `value="先来"`)
	pagestest.WantRedirect(t, second.SendLook(nil, "name", "后到", "seen", pagestest.FieldValue(t, page, "seen"),
		"action",
		"save"), "/mgr/settings/appearance?done=saved")
}

func TestPreviewShowsTheWholeSignInPageAndSendsNothing(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{Counters: []string{"count.example.com"}})
	b := s.SignInByPhone("13800000002")
	pagestest.WantPage(t, b.SendLook(nil, "theme", "red", "action", "look"), http.StatusUnprocessableEntity,
		`href="#theme"`)
	r := b.SendLook(map[string][]byte{"icon": picturetest.PNG(64, 64)}, "name", "金穗商行", "theme", "d9480f", "view_count",
		"https://count.example.com",
		"style", "@media (min-width: 600px) { .lead { color: teal } } .lead { color: tomato }", "action", "look")
	to := r.Header.Get("Location")
	if r.StatusCode != http.StatusSeeOther || !strings.HasPrefix(to, "/mgr/settings/appearance/look?token=") {
		t.Fatal(r.StatusCode, to)
	}
	address := "http://store1001.portico.test" + to
	path, token, _ := strings.Cut(to, "?token=")
	look := b.Get(address)
	page := pagestest.WantPage(t, look, http.StatusOK, "预览：尚未发布", "金穗商行", ":root{--brand:#d9480f", "{color:tomato;}",
		`src="data:image/png;base64,`, `name="password"`, "(min-width:900px)", "@media (min-width:600px)")
	policy := look.Header.Get("Content-Security-Policy")
	if !strings.Contains(policy, "form-action 'none'") || !strings.Contains(policy, "frame-ancestors 'none'") ||
		strings.Contains(policy, "count.example.com") || strings.Contains(page, "count.example.com") ||
		strings.Contains(page, `rel="prefetch"`) {
		t.Error(policy)
	}
	phone := pagestest.WantPage(t, b.Get(address+"&size=phone"), http.StatusOK, "max-width:360px",
		`content="width=device-width`)
	if strings.Contains(phone, "(min-width:900px)") || strings.Contains(phone, "(min-width:600px)") {
		t.Error("a phone gets what is for desktops")
	}
	pagestest.WantPage(t, b.Get(address+"&size=desktop&by=name"), http.StatusOK, `content="width=1280"`, `name="login"`)
	pagestest.WantPage(t, s.Browser().Get("http://store1001.portico.test/login"), http.StatusOK, "金穗粮油")
	pagestest.WantPage(t, b.Get(pagestest.LookPath), http.StatusOK, `value="金穗商行"`, "已选好新的图标")
	pagestest.WantStatus(t, s.SignInByName("northwind").Get("http://store1003.portico.test"+to), http.StatusNotFound)
	pagestest.WantStatus(t, s.SignInAsEmployee().Get(address), http.StatusForbidden)
	pagestest.WantSignIn(t, s.Browser().Get(address), "", "/mgr/settings/appearance/look")
	changed := path + "?token=" + testscope.Changed(token)
	pagestest.WantStatus(t, b.Get("http://store1001.portico.test"+changed), http.StatusNotFound)
	s.Clock = s.Clock.Add(branding.LookShown + time.Second)
	pagestest.WantStatus(t, b.Get(address), http.StatusNotFound)
}
