package branding_test

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"portico/pages/pagestest"
	"portico/portal/picturetest"
)

const welcomePath = pagestest.Settings + "/welcome"

// sendWelcome sends the form of the greeting as browsers do. picture is nil for none.
func sendWelcome(b *pagestest.Browser, greeting string, picture []byte, more ...string) *http.Response {
	b.T.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	fields := append([]string{"greeting", greeting}, more...)
	for i := 0; i+1 < len(fields); i += 2 {
		_ = w.WriteField(fields[i], fields[i+1])
	}
	part, _ := w.CreateFormFile("icon", map[bool]string{true: "shop.png"}[picture != nil])
	_, _ = part.Write(picture)
	_ = w.Close()
	return b.Send(welcomePath, w.FormDataContentType(), &body, int64(body.Len()))
}

func TestTheSignInPageShowsTheCompanysGreetingAndPicture(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	admin := s.SignInByName("jinsui")
	const saved = "/mgr/settings/welcome?done=saved"
	pagestest.WantPage(t, admin.Get(pagestest.Settings), http.StatusOK, `href="/mgr/settings/welcome"`)
	pagestest.WantRedirect(t, sendWelcome(admin, "早上六点送达 <b>", picturetest.PNG(64, 64)), saved)
	form := pagestest.WantPage(t, admin.Get(welcomePath), http.StatusOK, `value="remove"`, "早上六点送达 &lt;b&gt;")
	picture := pagestest.FindIn(t, form, `<img src="(/welcome/[^"]+\.jpg)"`)

	visitor := s.Browser()
	const own = "http://store1001.portico.test"
	pagestest.WantPage(t, visitor.Get(own+"/login"), http.StatusOK, `<p class="greets">早上六点送达 &lt;b&gt;</p>`,
		`<p class="lead own">早上六点送达 &lt;b&gt;</p>`, `<img src="`+picture+`" alt="" loading="lazy">`)
	shown := visitor.Get(own + picture)
	if kind := shown.Header.Get("Content-Type"); shown.StatusCode != http.StatusOK || kind != "image/jpeg" {
		t.Error(shown.StatusCode, kind)
	}
	pagestest.WantStatus(t, visitor.Get(own+"/welcome/none.jpg"), http.StatusNotFound)

	pagestest.WantPage(t, sendWelcome(admin, "新的问候", []byte("<svg/>")), http.StatusUnprocessableEntity,
		`value="新的问候"`, `href="#icon"`)
	pagestest.WantRedirect(t, sendWelcome(admin, "早上六点送达", nil, "action", "remove"), saved)
	if page := pagestest.Text(t, visitor.Get(own+"/login")); strings.Contains(page, "/welcome/") {
		t.Error("the removed picture is still shown")
	}
}
