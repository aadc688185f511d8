package assets

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
)

func get(path, accept string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.Header.Set("Accept-Encoding", accept)
	w := httptest.NewRecorder()
	Handler(http.NotFoundHandler()).ServeHTTP(w, r)
	return w
}

func TestStyleSheetIsTheSameInEveryEncoding(t *testing.T) {
	plain := get(AccountURL, "").Body.String()
	if plain != AccountStyle() {
		t.Fatal("the plain style sheet differs")
	}
	br, err := io.ReadAll(brotli.NewReader(get(AccountURL, "gzip, br").Body))
	if err != nil || string(br) != plain {
		t.Errorf("brotli: %v", err)
	}
	zr, err := gzip.NewReader(get(AccountURL, "gzip, br;q=0").Body)
	if err != nil {
		t.Fatal(err)
	}
	gz, err := io.ReadAll(zr)
	if err != nil || string(gz) != plain {
		t.Errorf("gzip: %v", err)
	}
}

func TestFilesAreCachedForeverAndUnknownFilesAreNotFound(t *testing.T) {
	for _, path := range []string{
		AccountURL, FlowsURL, LandingURL, RecordsURL, OfficeURL, OverviewURL, FaviconURL, Prefix + tradesFile,
	} {
		w := get(path, "")
		if w.Code != http.StatusOK || !strings.Contains(w.Header().Get("Cache-Control"), "immutable") {
			t.Errorf("%s: %d %s", path, w.Code, w.Header().Get("Cache-Control"))
		}
	}
	for _, path := range []string{Prefix, Prefix + "manifest.json", Prefix + "app.css", Prefix + "../go.mod",
		Prefix + ".keep"} {
		if w := get(path, ""); w.Code != http.StatusNotFound {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}

func TestSqueezingKeepsEveryRule(t *testing.T) {
	for _, name := range []string{
		"css/base.css", "css/signin.css", "css/inside.css", "css/states.css", "css/shared.css", "css/flows.css",
		"css/landing.css", "css/records.css", "css/overview.css", "css/office.css",
	} {
		source, small := readFile(name), minify(readFile(name))
		if strings.Count(source, "{") != strings.Count(small, "{") || len(small) >= len(source) {
			t.Errorf("%s: %d rules became %d", name, strings.Count(source, "{"), strings.Count(small, "{"))
		}
	}
	if got := minify("a:hover , b > c { color: red ; margin: 0 auto; }\n/* x */"); got != "a:hover,b>c{color:red;"+
		"margin:0 auto}" {
		t.Errorf("%q", got)
	}
}

func TestTradeStripShowsTwelveIndustries(t *testing.T) {
	if n := strings.Count(trades, "<g "); n != 12 {
		t.Errorf("%d icons", n)
	}
	for _, id := range Trades {
		if markup, _, ok := Symbol(fmt.Sprintf("i-%d", id)); !ok || !bytes.Contains([]byte(trades), []byte(markup)) {
			t.Errorf("industry %d is missing", id)
		}
	}
}

func TestEveryBlockOfTheStyleSheetsIsClosed(t *testing.T) {
	for name, css := range map[string]string{
		"sign-in": SignInStyle(), "account": AccountStyle(), "flows": FlowsStyle(), "landing": LandingStyle(),
		"records": RecordsStyle(), "office": OfficeStyle(), "overview": OverviewStyle(),
	} {
		depth := 0
		for i, r := range css {
			switch r {
			case '{':
				depth++
			case '}':
				depth--
			}
			if depth < 0 || depth > 2 {
				t.Fatalf("%s: %d blocks are open at %q", name, depth, css[max(0, i-80):i+1])
			}
		}
		if depth != 0 {
			t.Errorf("%s: %d blocks are never closed", name, depth)
		}
	}
}

func TestPicturesOfTheProductAreSmallAndCached(t *testing.T) {
	const most = 25 << 10
	for _, name := range []string{"office", "shop"} {
		for _, lang := range []string{"zh", "es", "en"} {
			for _, scheme := range []string{"light", "dark"} {
				answer := get(ProductPicture(name, lang, scheme), "gzip, br")
				head := answer.Result().Header
				if head.Get("Content-Type") != "image/webp" || head.Get("Content-Encoding") != "" ||
					!strings.Contains(head.Get("Cache-Control"), "immutable") {
					t.Error(name, lang, scheme, head)
				}
				if size := answer.Body.Len(); size > most {
					t.Errorf("%s %s %s has %d bytes; at most %d are allowed", name, lang, scheme, size, most)
				}
			}
		}
	}
}
