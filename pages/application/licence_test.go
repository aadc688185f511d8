package application_test

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"portico/pages/pagestest"
	"portico/portal/picturetest"
)

func TestApplicationHasAtMostOneLicence(t *testing.T) {
	b := pagestest.NewSite(t, pagestest.Options{}).Browser()
	b.ProvePhone(pagestest.ApplyAddress, pagestest.Applicant)
	fields := regexp.MustCompile(`<input[^>]*type="file"[^>]*>`).FindAllString(pagestest.Text(t,
		b.Get(pagestest.ApplyAddress)), -1)
	if len(fields) != 1 || strings.Contains(fields[0], "multiple") {
		t.Errorf("the form has the file fields %q", fields)
	}
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for i, name := range []string{"front.jpg", "back.jpg"} {
		part, err := w.CreateFormFile("licence", name)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = part.Write(picturetest.JPEG(640, 400+i))
	}
	_ = w.Close()
	two := b.Send(pagestest.ApplyAddress, w.FormDataContentType(), &body, int64(body.Len()))
	pagestest.WantStatus(t, two, http.StatusBadRequest)

	const key = `name="licence_key" value="([^"]+)"`
	sent := func(picture []byte, more ...string) string {
		form := pagestest.ApplicationFields(append([]string{"contact_name", ""}, more...)...)
		return pagestest.FindIn(t, pagestest.WantPage(t, sendWithLicence(b, picture, form...),
			http.StatusUnprocessableEntity), key)
	}
	first := sent(picturetest.JPEG(640, 400))
	if second := sent(picturetest.JPEG(640, 401), "licence_key", first); second == first {
		t.Error("another picture does not take the place of the first")
	}
}
