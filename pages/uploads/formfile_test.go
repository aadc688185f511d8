package uploads

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"

	"portico/pages/web"
	"portico/portal"
	"portico/store/storetest"
)

// newPages returns the pages of a platform with an empty database.
func newPages(t *testing.T) *Pages {
	t.Helper()
	platformPortal, err := portal.New(
		portal.Options{
			DB:     storetest.SQLite(t),
			Base:   &url.URL{Scheme: "http", Host: "portico.test"},
			Secret: make([]byte, 32),
			Dev:    true,
		},
	)
	if err != nil {
		t.Fatal(err)
	}
	platform := web.Platform{Guard: http.NewCrossOriginProtection(), Log: slog.New(slog.DiscardHandler)}
	return New(platformPortal.Core, web.New(platform, platformPortal.Core, nil, nil, nil))
}

func TestFormIsReadWithOrWithoutAFile(t *testing.T) {
	p := newPages(t)
	r := chi.NewRouter()
	var got string
	p.FilePage(r, "/form", p.AdmitSignedIn, FilePage{
		Show: func(http.ResponseWriter, *http.Request) error { return nil },
		Submit: func(_ http.ResponseWriter, r *http.Request, f *FormFile) error {
			got = fmt.Sprint(r.PostForm["name"], r.PostForm["licence"])
			if file := f.Content(); file != nil {
				data, err := io.ReadAll(file)
				got += string(data)
				return err
			}
			got += "none"
			return nil
		},
	})
	const name = "--b\r\nContent-Disposition: form-data; name=\"name\"\r\n\r\n金穗\r\n"
	const parts = "multipart/form-data; boundary=b"
	for _, c := range []struct{ kind, body, want string }{
		{"application/x-www-form-urlencoded", "name=a+b", "[a b] []none"},
		{parts, name + "--b--\r\n", "[金穗] []none"},
		{
			parts,
			name + "--b\r\nContent-Disposition: form-data; name=\"licence\"; filename=\"\"\r\n" +
				"Content-Type: application/octet-stream\r\n\r\n\r\n--b--\r\n",
			"[金穗] []none",
		},
		{
			parts,
			"--b\r\nContent-Disposition: form-data; name=\"licence\"; filename=\"a.jpg\"\r\n" +
				"Content-Type: image/jpeg\r\n\r\npicture\r\n" + name + "--b--\r\n",
			"[金穗] []none",
		},
	} {
		got = ""
		request := httptest.NewRequest(http.MethodPost, "/form?name=query", strings.NewReader(c.body))
		request.Header.Set("Content-Type", c.kind)
		request.Header.Set("Sec-Fetch-Site", "same-origin")
		w := httptest.NewRecorder()
		r.ServeHTTP(w, request)
		if w.Code != http.StatusOK || got != c.want {
			t.Errorf("%d %q, want %q", w.Code, got, c.want)
		}
	}
}
