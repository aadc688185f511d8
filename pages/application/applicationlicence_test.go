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

func TestAnApplicationHasOnePictureAtMost(t *testing.T) {
	b := pagestest.NewSite(t, pagestest.Options{}).Browser()
	b.Proves(pagestest.ApplyAt, pagestest.Applicant)
	fields := regexp.MustCompile(`<input[^>]*type="file"[^>]*>`).FindAllString(pagestest.Text(t,
		b.Get(pagestest.ApplyAt)), -1)
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
	two := b.Send(pagestest.ApplyAt, w.FormDataContentType(), &body, int64(body.Len()))
	pagestest.WantStatus(t, two, http.StatusBadRequest)

	const key = `name="licence_key" value="([^"]+)"`
	sent := func(picture []byte, more ...string) string {
		form := pagestest.Details(append([]string{"contact_name", ""}, more...)...)
		return pagestest.Found(t, pagestest.WantPage(t, b.Sends(picture, form...), http.StatusUnprocessableEntity), key)
	}
	first := sent(picturetest.JPEG(640, 400))
	if second := sent(picturetest.JPEG(640, 401), "licence_key", first); second == first {
		t.Error("another picture does not take the place of the first")
	}
}
