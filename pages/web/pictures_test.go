package web_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"portico/pages/pagestest"
	"portico/portal/access"
	"portico/portal/picturetest"
)

func TestUploadPagesStateTheMaximumPictureSize(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.Browser()
	b.ProvePhone(pagestest.ApplyAddress, pagestest.Applicant)
	boss := s.SignInByPhone("13800000002")
	for lang, texts := range map[string][3]string{
		"zh": {"一张 JPEG、PNG 或 WebP 图片，不超过 5 MB。", "较大的照片会自动缩小后再上传。", "PNG 或 WebP 图片，不超过 5 MB。"},
		"es": {"JPEG, PNG o WebP, de hasta 5 MB.",
			"Las fotos más grandes se reducen antes de subirlas.", "PNG o WebP, de hasta 5 MB."},
		"en": {"JPEG, PNG or WebP, up to 5 MB.",
			"We make larger photos smaller automatically.", "PNG or WebP image, up to 5 MB."},
	} {
		pagestest.WantPage(t, b.Get(pagestest.ApplyAddress+"?lang="+lang), http.StatusOK, texts[0],
			`<p class="hint larger">`+texts[1])
		page := pagestest.WantPage(t, boss.Get(pagestest.LookPath+"?lang="+lang), http.StatusOK, texts[2])
		if strings.Contains(page, texts[1]) { // scripts make only licences smaller, not icons
			t.Errorf("%s: the page of the icon promises what nothing does", lang)
		}
	}
}

func TestTooLargeIconIsRefusedAndKeepsWhatWasTyped(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.SignInByPhone("13800000002")
	icon := picturetest.PNG(64, 64)
	large := append(slices.Clone(icon), make([]byte, access.MaxUpload+1-len(icon))...)
	r := b.SendLook(map[string][]byte{"icon": large}, "name", "新的名字")
	page := pagestest.Text(t, r)
	if r.StatusCode != http.StatusRequestEntityTooLarge || pagestest.FieldValue(t, page, "name") != "新的名字" ||
		!strings.Contains(page, "5 MB") {
		t.Errorf("%d:\n%s", r.StatusCode, page)
	}
}
