package settings_test

import (
	"bytes"
	"context"
	"mime/multipart"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"portico/pages/pagestest"
	"portico/portal/branding"
	"portico/portal/picturetest"
)

func TestApplicationSettingIsSavedAndKeptWhenRefused(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.SignInByPhone("13800000002")
	pagestest.WantPage(t, b.Get(pagestest.Settings+"/registration"), http.StatusOK, "客户注册",
		`href="http://store1001.portico.test/register"`, `id="open" name="open" value="1" checked`,
		`value="137 0000 0001"`, `href="tel:13700000001"`, `name="exclusive_phones" value="1"`, `value="licence"`)
	form := url.Values{
		"review": {"1"}, "required": {"licence", "region"}, "contact_name": {"赵敏"}, "contact_phone": {"139 0000"},
		"exclusive_phones": {"1"},
	}
	back := pagestest.WantPage(t, b.Do(http.MethodPost, pagestest.Settings+"/registration", form),
		http.StatusUnprocessableEntity, `href="#contact_phone"`, `aria-invalid="true"`, `value="139 0000"`,
		`value="赵敏"`,
		`name="required" value="region" checked`, `name="required" value="licence" checked`,
		`name="exclusive_phones" value="1" checked`)
	if strings.Contains(back, `name="open" value="1" checked`) ||
		strings.Contains(back, `name="required" value="reason" checked`) {
		t.Error("more is ticked than was")
	}
	switched := pagestest.WantPage(t, b.Do(http.MethodPost, pagestest.Settings+"/registration",
		url.Values{"contact_name": {"赵敏"}, "lang": {"es"}}), http.StatusOK, "Registro de clientes", `value="赵敏"`)
	if strings.Contains(switched, `class="note bad"`) {
		t.Error("a switch of the language is refused")
	}
	b.Post(pagestest.Settings+"/registration", "lang", "zh")
	form.Set("contact_phone", "139 0000 0111")
	pagestest.WantRedirect(t, b.Do(http.MethodPost, pagestest.Settings+"/registration", form),
		"/mgr/settings/registration?done=saved")
	saved := pagestest.WantPage(t, b.Get(pagestest.Settings+"/registration?done=saved"), http.StatusOK, "已保存。",
		`value="139 0000 0111"`, `href="tel:13900000111"`, "注册目前已关闭")
	if strings.Contains(saved, `name="open" value="1" checked`) {
		t.Error("the setting is still on")
	}
}

func TestLookIsSavedPreviewedAndUsedAtOnce(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.SignInByPhone("13800000002")
	path := pagestest.Settings + "/appearance"
	pagestest.WantPage(t, b.Get(path), http.StatusOK, `value="金穗粮油"`, "按钮文字对比度 4.5:1", ".preview{--brand:#20ade5",
		"jinsui.test", `value="domain_add"`)
	tried := pagestest.WantPage(t, b.Post(path, "name", "金穗", "theme", "D9480F", "language", "es", "action", "preview"),
		http.StatusOK,
		`value="金穗"`, `value="D9480F"`, ".preview{--brand:#d9480f", ":root{--brand:#20ade5", `value="es" selected`)
	if strings.Contains(tried, "已保存。") || !strings.Contains(pagestest.Text(t, b.Get(path)), `value="金穗粮油"`) {
		t.Error("a preview is kept")
	}
	pagestest.WantPage(t, b.Post(path, "name", " ", "theme", "red", "language", "es"), http.StatusUnprocessableEntity,
		`href="#name"`, `href="#theme"`, `value="red"`, "6 位颜色代码")
	pagestest.WantPage(t, b.Post(path, "name", "金穗", "theme", "zz", "language", "zh", "action", "preview"),
		http.StatusUnprocessableEntity, `href="#theme"`)
	pagestest.WantStatus(t, b.Post(path, "name", "金穗", "language", "zh", "action", "other"), http.StatusBadRequest)
	pagestest.WantRedirect(t, b.Post(path, "name", "金穗商行", "theme", "#d9480f", "language", "zh", "action", "save"),
		"/mgr/settings/appearance?done=saved")
	pagestest.WantPage(t, b.Get(path+"?done=saved"), http.StatusOK, "已保存。", "金穗商行", ":root{--brand:#d9480f")
	pagestest.WantPage(t, s.Browser().Get("http://store1001.portico.test/login"), http.StatusOK, "金穗商行",
		":root{--brand:#d9480f")
}

func TestPreviewScriptGetsThePaletteOfAColour(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.SignInByPhone("13800000002")
	path := pagestest.Settings + "/appearance/preview"
	before := s.RowCounts()
	pagestest.WantPage(t, b.Post(path, "theme", "#FFE066"), http.StatusOK,
		`"light":{"--brand":"#ffe066","--brand-ink":"#000000"`, `"dark":{`, `"ratios":["按钮文字对比度 `)
	pagestest.WantPage(t, b.Post(path, "theme", ""), http.StatusOK, `"--brand":"#20ade5"`)
	pagestest.WantPage(t, b.Post(path, "theme", "</script>"), http.StatusUnprocessableEntity, `"--brand":"#20ade5"`,
		"6 位颜色代码")
	if s.RowCounts() != before {
		t.Error("a preview is kept")
	}
	pagestest.WantStatus(t, b.Get(path), http.StatusMethodNotAllowed)
	pagestest.WantStatus(t, s.SignInAsEmployee().Post(path, "theme", "ffe066"), http.StatusForbidden)
}

func TestDomainIsAddedCheckedUsedAndRemoved(t *testing.T) {
	record := map[string][]string{}
	s := pagestest.NewSite(t, pagestest.Options{LookUpTXT: func(_ context.Context, name string) ([]string, error) {
		if texts := record[name]; texts != nil {
			return texts, nil
		}
		return nil, &net.DNSError{IsNotFound: true}
	}})
	b := s.SignInByPhone("13800000002")
	path, at := pagestest.Settings+"/appearance", "/mgr/settings/appearance?done="
	pagestest.WantPage(t, b.Post(path, "action", "domain_add", "domain", "https://shop.acme.com/x"),
		http.StatusUnprocessableEntity,
		`href="#domain"`, `value="https://shop.acme.com/x"`, "请填写完整域名", `value="金穗粮油"`)
	pagestest.WantRedirect(t, b.Post(path, "action", "domain_add", "domain", "shop.acme.com"), at+"domain_add#domains")
	page := pagestest.WantPage(t, b.Get(path+"?done=domain_add"), http.StatusOK, "待验证", "_portico.shop.acme.com",
		"域名已添加")
	value := pagestest.FindIn(t, page, `<code>(portico=[\w-]+)</code>`)
	pagestest.WantPage(t, b.Post(path, "action", "domain_check", "domain", "shop.acme.com"),
		http.StatusUnprocessableEntity, `href="#domain-2"`, "还没有查到这条 TXT 记录")
	record["_portico.shop.acme.com"] = []string{value}
	pagestest.WantRedirect(t, b.Post(path, "action", "domain_check", "domain", "shop.acme.com"),
		at+"domain_check#domains")
	pagestest.WantPage(t, s.Browser().Get("http://shop.acme.com/login"), http.StatusOK, "金穗粮油")
	pagestest.WantRedirect(t, b.Post(path, "action", "domain_desktop", "domain", "shop.acme.com"),
		at+"domain_desktop#domains")
	pagestest.WantPage(t, b.Get(path), http.StatusOK, "电脑版后台地址", "不再用作电脑版后台地址")
	pagestest.WantRedirect(t, b.Post(path, "action", "domain_desktop", "domain", ""), at+"domain_desktop#domains")
	pagestest.WantRedirect(t, b.Post(path, "action", "domain_remove", "domain", "shop.acme.com"),
		at+"domain_remove#domains")
	if strings.Contains(pagestest.Text(t, s.Browser().Get("http://shop.acme.com/login")), "金穗粮油") {
		t.Error("the removed domain still shows the company")
	}
	for _, action := range []string{"domain_check", "domain_desktop", "domain_remove"} {
		pagestest.WantStatus(t, b.Post(path, "action", action, "domain", "shop.acme.com"), http.StatusNotFound)
	}
	pagestest.WantStatus(t, b.Post(path, "action", "domain_steal", "domain", "jinsui.test"), http.StatusBadRequest)
}

func TestDomainChecksAreRateLimited(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{Limits: true,
		LookUpTXT: func(context.Context, string) ([]string, error) { return []string{"other"}, nil }})
	b := s.SignInByPhone("13800000002")
	b.Post(pagestest.Settings+"/appearance", "action", "domain_add", "domain", "shop.acme.com")
	for range branding.DomainChecks {
		pagestest.WantStatus(t, b.Post(pagestest.Settings+"/appearance", "action", "domain_check", "domain",
			"shop.acme.com"), http.StatusUnprocessableEntity)
	}
	r := b.Post(pagestest.Settings+"/appearance", "action", "domain_check", "domain", "shop.acme.com")
	if r.StatusCode != http.StatusTooManyRequests || r.Header.Get("Retry-After") == "" {
		t.Error(r.Status)
	}
}

func TestEmployeesAndCustomersCannotChangeSettings(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	employee, buyer, nobody := s.SignInAsEmployee(), s.SignInByPhone("13800000001"), s.Browser()
	before := s.RowCounts()
	for _, path := range []string{"/registration", "/appearance"} {
		pagestest.WantStatus(t, employee.Get(pagestest.Settings+path), http.StatusForbidden)
		pagestest.WantSessionEnded(t, buyer.Get(pagestest.Settings+path), "", "/mgr/settings"+path)
		pagestest.WantSignIn(t, nobody.Get(pagestest.Settings+path), "", "/mgr/settings"+path)
	}
	for _, form := range [][]string{
		{"/registration", "open", ""}, {"/registration", "lang", "zh"}, {"/appearance", "name", "X", "language", "zh"},
		{"/appearance", "action", "preview"}, {"/appearance", "lang", "zh"},
		{"/appearance", "action", "domain_add", "domain", "shop.acme.com"},
		{"/appearance", "action", "domain_remove", "domain", "jinsui.test"},
		{"/appearance", "action", "domain_desktop", "domain", "jinsui.test"},
		{"/appearance", "action", "domain_check", "domain", "jinsui.test"},
	} {
		pagestest.WantStatus(t, employee.Post(pagestest.Settings+form[0], form[1:]...), http.StatusForbidden)
		pagestest.WantRedirect(t, buyer.Post(pagestest.Settings+form[0], form[1:]...), "/login?done=session_ended")
		pagestest.WantRedirect(t, nobody.Post(pagestest.Settings+form[0], form[1:]...), "/login")
	}
	if s.RowCounts() != before {
		t.Error("something was written")
	}
}

func TestIconIsSetShownAndRemoved(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.SignInByPhone("13800000002")
	path := pagestest.Settings + "/appearance"
	send := func(action string, data []byte) *http.Response {
		var body bytes.Buffer
		w := multipart.NewWriter(&body)
		_ = w.WriteField("action", action)
		if data != nil {
			part, _ := w.CreateFormFile("icon", "logo.png")
			_, _ = part.Write(data)
		}
		_ = w.Close()
		return b.Send(path, w.FormDataContentType(), &body, int64(body.Len()))
	}
	pagestest.WantPage(t, b.Get(path), http.StatusOK, `enctype="multipart/form-data"`, `name="icon"`)
	pagestest.WantPage(t, send("icon", nil), http.StatusUnprocessableEntity, `href="#icon"`)
	pagestest.WantPage(t, send("icon", []byte("<svg onload=alert(1)>")), http.StatusUnprocessableEntity, `href="#icon"`,
		"仅支持 JPEG、PNG 或 WebP 图片", `value="金穗粮油"`)
	pagestest.WantRedirect(t, send("icon", picturetest.PNG(64, 64)), "/mgr/settings/appearance?done=icon")
	s.Clock = s.Clock.Add(2 * time.Second)
	icon := pagestest.FindIn(t, pagestest.WantPage(t, b.Get(path+"?done=icon"), http.StatusOK, "图标已更换。",
		`value="remove_icon"`), `<img src="([^"]+)"`)
	r := s.Browser().Get("http://store1001.portico.test" + icon)
	if r.StatusCode != http.StatusOK || r.Header.Get("Content-Type") != "image/png" {
		t.Errorf("%s %s", r.Status, r.Header.Get("Content-Type"))
	}
	signIn := "http://store1001.portico.test/login"
	pagestest.WantPage(t, s.Browser().Get(signIn), http.StatusOK, `<link rel="icon" href="`+icon+`">`,
		`<link rel="apple-touch-icon" href="`+icon+`">`)
	if at := s.Browser().Get("http://store1001.portico.test/favicon.ico").Header.Get("Location"); at != icon {
		t.Errorf("/favicon.ico leads to %q", at)
	}
	if page := pagestest.Text(t, s.Browser().Get("http://account.portico.test/login")); strings.Contains(page, icon) {
		t.Error("the platform shows a company's icon")
	}
	pagestest.WantRedirect(t, send("remove_icon", nil), "/mgr/settings/appearance?done=remove_icon")
	pagestest.WantPage(t, s.Browser().Get("http://store1002.portico.test/login"), http.StatusOK,
		`<link rel="icon" href="data:image/svg+xml,`, "fill=&#39;%23d9480f&#39;")
	if page := pagestest.Text(t, b.Get(path)); strings.Contains(page, icon) ||
		strings.Contains(page, `value="remove_icon"`) {
		t.Error("the removed icon is still shown")
	}
	pagestest.WantRedirect(t, b.Post(path, "name", "金穗商行", "language", "zh"), "/mgr/settings/appearance?done=saved")
}
