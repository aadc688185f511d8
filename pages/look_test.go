package pages_test

import (
	"bytes"
	"html"
	"mime/multipart"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/branding"
	"portico/portal/picturetest"
	"portico/portal/replay"
)

const lookPath = settings + "/appearance"

// lookToken opens the preview of an administrator's draft.
func (s *site) lookToken(login string) string {
	s.t.Helper()
	token, err := s.p.Branding.LookToken(access.Landing{Member: s.account(login)})
	if err != nil {
		s.t.Fatal(err)
	}
	return token
}

// sendLook sends the page's form as browsers do: the look of the demo's first company with these fields changed, files by name.
func (b *browser) sendLook(files map[string][]byte, pairs ...string) *http.Response {
	b.t.Helper()
	fields := map[string]string{"name": "金穗粮油", "theme": "", "shop_skin": "", "language": "zh", "style": "", "view_count": "", "domain": ""}
	for i := 0; i+1 < len(pairs); i += 2 {
		fields[pairs[i]] = pairs[i+1]
	}
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for name, value := range fields {
		_ = w.WriteField(name, value)
	}
	for _, name := range []string{"icon", "style_file"} {
		part, _ := w.CreateFormFile(name, map[bool]string{true: name + ".x"}[files[name] != nil])
		_, _ = part.Write(files[name])
	}
	_ = w.Close()
	return b.send(lookPath, w.FormDataContentType(), &body, int64(body.Len()))
}

// field is what stands in a control of a page.
func fieldOf(t testing.TB, page, name string) string {
	t.Helper()
	if m := regexp.MustCompile(`(?s)<textarea[^>]* name="` + name + `"[^>]*>(.*?)</textarea>`).FindStringSubmatch(page); m != nil {
		return html.UnescapeString(strings.TrimPrefix(m[1], "\n")) // browsers drop it, too
	}
	return html.UnescapeString(found(t, page, `<input[^>]* name="`+name+`"[^>]* value="([^"]*)"`))
}

func TestTheLooksPageSaysThatANameIsNotConfirmed(t *testing.T) {
	const says = "平台尚未核实此名称"
	s := newSite(t, options{})
	b := s.within("13800000002")
	if strings.Contains(wantPage(t, b.get(lookPath), http.StatusOK), says) {
		t.Error("the confirmed name counts as not confirmed")
	}
	wantTo(t, b.sendLook(nil, "name", "支付宝安全中心", "action", "save"), "/mgr/settings/appearance?done=saved")
	wantPage(t, b.get(lookPath), http.StatusOK, says)
	if err := s.p.Operator.SetCompany(t.Context(), 1001, "name", "confirmed"); err != nil {
		t.Fatal(err)
	}
	s.clock = s.clock.Add(time.Minute)
	if strings.Contains(wantPage(t, b.get(lookPath), http.StatusOK), says) {
		t.Error("the operator confirmed it")
	}
}

func TestAStyleSheetIsLinkedOnItsCompanysSignInPagesAlone(t *testing.T) {
	s := newSite(t, options{})
	b, visitor := s.within("13800000002"), s.browser()
	before := text(t, visitor.get("http://store1002.portico.test/login"))
	wantTo(t, b.sendLook(nil, "style", ".button { border-radius: 0 }", "action", "save"), "/mgr/settings/appearance?done=saved")
	s.clock = s.clock.Add(2 * time.Second)
	link := found(t, wantPage(t, visitor.get("http://store1001.portico.test/login"), http.StatusOK), `</style><link rel="stylesheet" href="(/style/[0-9a-f]{24}\.css\?[0-9a-f]{8})">`)
	for _, path := range []string{"/", "/login/account", "/login/code", "/forget/phone", "/forget/account"} {
		wantPage(t, visitor.get("http://store1001.portico.test"+path), http.StatusOK, link)
	}
	for _, address := range []string{"http://store1001.portico.test/agreement", "http://store1001.portico.test/register/more", "http://account.portico.test/login", "http://store1002.portico.test/login"} {
		if page := text(t, visitor.get(address)); strings.Contains(page, "/style/") {
			t.Errorf("%s has it, too", address)
		}
	}
	if text(t, s.browser().get("http://store1002.portico.test/login")) != before {
		t.Error("the page of another company changed")
	}
	r := visitor.get("http://store1001.portico.test" + link)
	css := wantPage(t, r, http.StatusOK, "{border-radius:0;}", "!important")
	for name, want := range map[string]string{
		"Content-Type": "text/css; charset=utf-8", "Cache-Control": "public, max-age=31536000, immutable", "X-Content-Type-Options": "nosniff", "Set-Cookie": "",
		"Content-Security-Policy": "default-src 'none'; sandbox",
	} {
		if r.Header.Get(name) != want {
			t.Errorf("%s: %s", name, r.Header.Get(name))
		}
	}
	if strings.Contains(css, "url(") {
		t.Error(css)
	}
	wantStatus(t, visitor.get("http://store1002.portico.test"+link), http.StatusNotFound)
	wantStatus(t, visitor.get("http://store1001.portico.test/style/none.css"), http.StatusNotFound)
	failure := text(t, visitor.send("http://store1001.portico.test/login", "text/plain", strings.NewReader("x"), 1))
	if strings.Contains(failure, "/style/") || !strings.Contains(failure, "金穗粮油") {
		t.Errorf("what went wrong is told in a company's own style: %s", failure)
	}
	policy := visitor.get("http://store1001.portico.test/login").Header.Get("Content-Security-Policy")
	if !strings.Contains(policy, "style-src 'self' 'sha256-") || strings.Contains(policy, "unsafe") {
		t.Error(policy)
	}
}

func TestARefusedStyleSheetComesBackWithItsLinesAndEverythingTyped(t *testing.T) {
	s := newSite(t, options{})
	b := s.within("13800000002")
	sheet := "h1 { color: red }\n.foot { color: #fff }\nbody { background: url(//evil.test) }\n</textarea><script>"
	page := wantPage(t, b.sendLook(nil, "name", "金穗商行", "theme", "d9480f", "style", sheet, "action", "save"), http.StatusUnprocessableEntity,
		`href="#style"`, "第 2 行：错误提示、服务协议", "第 3 行：不能加载或读取内容", "url(", `value="金穗商行"`, `value="d9480f"`)
	if got := strings.ReplaceAll(fieldOf(t, page, "style"), "\r\n", "\n"); got != sheet {
		t.Errorf("what was typed is %q", got)
	}
	page = wantPage(t, b.sendLook(nil, "style", "\n\n.foot{}\n", "action", "save"), http.StatusUnprocessableEntity, "第 3 行：错误提示")
	if got := strings.ReplaceAll(fieldOf(t, page, "style"), "\r\n", "\n"); got != "\n\n.foot{}\n" {
		t.Errorf("its lines are no more those that were typed: %q", got)
	}
	wantPage(t, b.sendLook(nil, "style", strings.Repeat("a{}\n", 12_000), "action", "save"), http.StatusUnprocessableEntity, "样式表太长")
	wantPage(t, b.sendLook(map[string][]byte{"style_file": bytes.Repeat([]byte("a{}\n"), 400_000)}, "action", "save"), http.StatusUnprocessableEntity, "样式表太长")
	wantPage(t, b.sendLook(map[string][]byte{"style_file": {0xff, 0xfe, 'a', 0}}, "action", "save"), http.StatusUnprocessableEntity, "UTF-8")
	wantTo(t, b.sendLook(map[string][]byte{"style_file": []byte("\ufeff.lead{font-weight:700}\r\n")}, "style", "b{", "action", "save"), "/mgr/settings/appearance?done=saved")
	if got := fieldOf(t, text(t, b.get(lookPath)), "style"); got != ".lead{font-weight:700}" {
		t.Errorf("%q", got)
	}
}

func TestWhatIsTypedStaysWhateverElseIsPressed(t *testing.T) {
	s := newSite(t, options{})
	b := s.within("13800000002")
	typed := []string{"name", "金穗商行", "theme", "d9480f", "shop_skin", "112233", "language", "es", "style", ".lead { color: red"}
	wantKept := func(more ...string) string {
		t.Helper()
		page := wantPage(t, b.get(lookPath), http.StatusOK, append(more, "有修改尚未发布")...)
		for i := 0; i < len(typed); i += 2 {
			if typed[i] != "language" && fieldOf(t, page, typed[i]) != typed[i+1] {
				t.Errorf("%s is %q", typed[i], fieldOf(t, page, typed[i]))
			}
		}
		return page
	}
	wantTo(t, b.sendLook(nil, append(typed, "action", "domain_add", "domain", "shop.acme.com")...), "/mgr/settings/appearance?done=domain_add#domains")
	wantKept("_portico.shop.acme.com")
	wantTo(t, b.sendLook(nil, append(typed, "action", "domain_remove shop.acme.com", "domain", "other.acme.com")...), "/mgr/settings/appearance?done=domain_remove&domain=other.acme.com#domains")
	wantKept()
	wantPage(t, b.get(lookPath+"?done=domain_remove&domain=other.acme.com"), http.StatusOK, `value="other.acme.com"`)
	wantTo(t, b.sendLook(map[string][]byte{"icon": picturetest.PNG(64, 64)}, append(typed, "action", "icon")...), "/mgr/settings/appearance?done=icon")
	page := wantKept(`value="remove_icon"`)
	wantPage(t, b.sendLook(map[string][]byte{"icon": []byte("<svg/>")}, append(typed, "action", "icon")...), http.StatusUnprocessableEntity, `href="#icon"`, `value="金穗商行"`)
	wantPage(t, b.sendLook(nil, append(typed, "lang", "es")...), http.StatusOK, `value="金穗商行"`, ".lead { color: red")
	b.sendLook(nil, append(typed, "lang", "zh")...)
	wantPage(t, s.browser().get("http://store1001.portico.test/login"), http.StatusOK, "金穗粮油")
	typed[9] = ".lead { color: red }"
	wantTo(t, b.sendLook(nil, append(typed, "seen", fieldOf(t, page, "seen"), "domain", "", "action", "save")...), "/mgr/settings/appearance?done=saved")
	if strings.Contains(text(t, b.get(lookPath)), "尚未发布") {
		t.Error("it is still a draft")
	}
	wantTo(t, b.sendLook(nil, "name", "别的", "action", "remove_icon"), "/mgr/settings/appearance?done=remove_icon")
	wantPage(t, b.get(lookPath), http.StatusOK, `value="别的"`, `value="discard"`)
	wantTo(t, b.sendLook(nil, "name", "别的", "action", "discard"), "/mgr/settings/appearance?done=discard")
	wantPage(t, b.get(lookPath+"?done=discard"), http.StatusOK, `value="金穗商行"`, "descartados")
}

func TestAPictureThatWasChosenOnceWaitsForThePressThatPublishes(t *testing.T) {
	for name, first := range map[string][]string{
		"refused":   {"theme", "red", "action", "save"},
		"tried":     {"action", "preview"},
		"languages": {"lang", "zh"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, options{})
			b := s.within("13800000002")
			icon := map[string][]byte{"icon": picturetest.PNG(64, 64)}
			if page := text(t, b.sendLook(icon, first...)); !strings.Contains(page, "已选好新的图标") {
				t.Errorf("it is not said to wait: %s", page)
			}
			wantTo(t, b.sendLook(nil, "action", "save"), "/mgr/settings/appearance?done=saved")
			wantPage(t, b.get(lookPath), http.StatusOK, `value="remove_icon"`)
		})
	}
}

func TestAPictureThatWaitedTooLongIsDoneWithout(t *testing.T) {
	s := newSite(t, options{})
	typed := []string{"name", "金穗商行", "action", "look"}
	wantStatus(t, s.within("13800000002").sendLook(map[string][]byte{"icon": picturetest.PNG(64, 64)}, typed...), http.StatusSeeOther)
	s.clock = s.clock.Add(branding.LookDraftKept - time.Hour)
	wantStatus(t, s.within("13800000002").sendLook(nil, typed...), http.StatusSeeOther)
	s.clock = s.clock.Add(2 * time.Hour)
	if err := s.p.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	b := s.within("13800000002")
	typed[3] = "save"
	page := wantPage(t, b.sendLook(nil, typed...), http.StatusUnprocessableEntity, `href="#icon"`, `value="金穗商行"`)
	if strings.Contains(page, "已选好新的图标") {
		t.Error("it is said to wait")
	}
	wantTo(t, b.sendLook(nil, typed...), "/mgr/settings/appearance?done=saved")
}

func TestTheEnterKeyAddsTheDomainThatWasTypedOrPublishes(t *testing.T) {
	s := newSite(t, options{})
	b := s.within("13800000002")
	wantTo(t, b.sendLook(nil, "domain", "shop.acme.com"), "/mgr/settings/appearance?done=domain_add#domains")
	wantTo(t, b.sendLook(nil, "name", "金穗商行"), "/mgr/settings/appearance?done=saved")
	wantTo(t, b.sendLook(nil, "name", "金穗", "domain", "two.acme.com", "action", "save"), "/mgr/settings/appearance?done=saved&domain=two.acme.com")
	page := text(t, b.get(lookPath))
	if first := strings.Index(page, "<button"); !strings.HasPrefix(page[strings.Index(page, `<form id="setting"`):][strings.Index(page[strings.Index(page, `<form id="setting"`):], "<button"):], `<button class="first"`) {
		t.Errorf("another button is first: %d", first)
	}
}

func TestALookIsPublishedAndUndoneWithOnePress(t *testing.T) {
	s := newSite(t, options{})
	b := s.within("13800000002")
	if strings.Contains(text(t, b.get(lookPath)), `value="undo"`) {
		t.Error("there is nothing to undo yet")
	}
	b.sendLook(nil, "name", "金穗商行", "theme", "d9480f", "shop_skin", "112233", "action", "save")
	page := wantPage(t, b.get(lookPath), http.StatusOK, `value="undo"`, "企业名称、企业颜色、商城颜色", "金穗粮油")
	mark := fieldOf(t, page, "undo")
	s.clock = s.clock.Add(2 * time.Second)
	buyer := s.within("13800000001")
	wantPage(t, buyer.get("http://store1001.portico.test/home"), http.StatusOK, ":root{--brand:#112233")
	wantPage(t, s.browser().get("http://store1001.portico.test/login"), http.StatusOK, ":root{--brand:#d9480f", "金穗商行")
	wantTo(t, b.sendLook(nil, "name", "金穗商行", "theme", "d9480f", "shop_skin", "112233", "undo", mark, "action", "undo"), "/mgr/settings/appearance?done=undo")
	undone := wantPage(t, b.get(lookPath+"?done=undo"), http.StatusOK, "已恢复上一次的外观", `value="金穗粮油"`)
	if strings.Contains(undone, "尚未发布") {
		t.Error("undoing leaves a draft")
	}
	s.clock = s.clock.Add(2 * time.Second)
	wantPage(t, s.browser().get("http://store1001.portico.test/login"), http.StatusOK, ":root{--brand:#20ade5")
	wantTo(t, b.sendLook(nil, "undo", mark, "action", "undo"), "/mgr/settings/appearance?done=undo") // the same press again
	s.clock = s.clock.Add(replay.RepeatWindow)
	late := b.sendLook(nil, "undo", mark, "action", "undo")
	wantPage(t, late, http.StatusUnprocessableEntity, "外观已经被其他人修改或恢复")
	wantPage(t, b.get(settings[:len(settings)-len("/settings")]+"/audit"), http.StatusOK, "恢复上一次的企业外观")
}

func TestOfTwoAdministratorsTheSecondSeesThatSomebodyPublished(t *testing.T) {
	s := newSite(t, options{})
	first, second := s.within("13800000002"), s.within("13800000002")
	seen := fieldOf(t, text(t, second.get(lookPath)), "seen")
	first.sendLook(nil, "name", "先来", "seen", seen, "action", "save")
	page := wantPage(t, second.sendLook(nil, "name", "后到", "seen", seen, "action", "save"), http.StatusUnprocessableEntity, "有人发布了新的外观", `value="后到"`)
	wantPage(t, first.get(lookPath), http.StatusOK, `value="先来"`)
	wantTo(t, second.sendLook(nil, "name", "后到", "seen", fieldOf(t, page, "seen"), "action", "save"), "/mgr/settings/appearance?done=saved")
}

func TestThePreviewIsTheWholeSignInPageAndSendsNothing(t *testing.T) {
	s := newSite(t, options{counters: []string{"count.example.com"}})
	b := s.within("13800000002")
	wantPage(t, b.sendLook(nil, "theme", "red", "action", "look"), http.StatusUnprocessableEntity, `href="#theme"`)
	r := b.sendLook(map[string][]byte{"icon": picturetest.PNG(64, 64)}, "name", "金穗商行", "theme", "d9480f", "view_count", "https://count.example.com",
		"style", "@media (min-width: 600px) { .lead { color: teal } } .lead { color: tomato }", "action", "look")
	to := r.Header.Get("Location")
	if r.StatusCode != http.StatusSeeOther || !strings.HasPrefix(to, "/mgr/settings/appearance/look?token=") {
		t.Fatal(r.StatusCode, to)
	}
	address := "http://store1001.portico.test" + to
	look := b.get(address)
	page := wantPage(t, look, http.StatusOK, "预览：尚未发布", "金穗商行", ":root{--brand:#d9480f", "{color:tomato;}", `src="data:image/png;base64,`, `name="password"`, "(min-width:900px)", "@media (min-width:600px)")
	policy := look.Header.Get("Content-Security-Policy")
	if !strings.Contains(policy, "form-action 'none'") || !strings.Contains(policy, "frame-ancestors 'none'") || strings.Contains(policy, "count.example.com") || strings.Contains(page, "count.example.com") || strings.Contains(page, `rel="prefetch"`) {
		t.Error(policy)
	}
	phone := wantPage(t, b.get(address+"&size=phone"), http.StatusOK, "max-width:360px", `content="width=device-width`)
	if strings.Contains(phone, "(min-width:900px)") || strings.Contains(phone, "(min-width:600px)") {
		t.Error("a phone gets what is for desktops")
	}
	wantPage(t, b.get(address+"&size=desktop&by=name"), http.StatusOK, `content="width=1280"`, `name="login"`)
	wantPage(t, s.browser().get("http://store1001.portico.test/login"), http.StatusOK, "金穗粮油")
	wantPage(t, b.get(lookPath), http.StatusOK, `value="金穗商行"`, "已选好新的图标")
	wantStatus(t, s.named("northwind").get("http://store1003.portico.test"+to), http.StatusNotFound)
	wantStatus(t, s.employee().get(address), http.StatusForbidden)
	wantFirstSignIn(t, s.browser().get(address), "", "/mgr/settings/appearance/look")
	wantStatus(t, b.get(address[:len(address)-4]+"AAAA"), http.StatusNotFound)
	s.clock = s.clock.Add(branding.LookShown + time.Second)
	wantStatus(t, b.get(address), http.StatusNotFound)
}
