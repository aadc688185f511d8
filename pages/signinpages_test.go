package pages_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"testing"

	"github.com/andybalholm/brotli"

	"portico/assets"
	"portico/pages"
	"portico/pages/pagestest"
	"portico/portal/signin"
	"portico/store"
)

// readBody returns the body of an answer. It fails the test when it cannot be read.
func readBody(t *testing.T, r *http.Response) []byte {
	t.Helper()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// decompress returns a body without its Content-Encoding. It fails the test when it cannot be decompressed.
func decompress(t *testing.T, r *http.Response, body []byte) string {
	t.Helper()
	var from io.Reader = bytes.NewReader(body)
	switch encoding := r.Header.Get("Content-Encoding"); encoding {
	case "br":
		from = brotli.NewReader(from)
	case "gzip":
		unzipped, err := gzip.NewReader(from)
		if err != nil {
			t.Fatal(err)
		}
		from = unzipped
	case "":
	default:
		t.Fatalf("the answer is in %q", encoding)
	}
	text, err := io.ReadAll(from)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestEveryEncodingOfASignInPageHasTheSameContent(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	p := s.Handler.(*pages.Pages)
	var page, tag string
	sizes := map[string]int{}
	check := func(form string, encoding string) {
		t.Helper()
		r := getSignInPage(s, http.MethodGet, 1001, encoding)
		body := readBody(t, r)
		pagestest.WantStatus(t, r, http.StatusOK)
		text := decompress(t, r, body)
		if page == "" {
			page, tag = text, r.Header.Get("Etag")
		}
		if text != page || r.Header.Get("Etag") != tag {
			t.Errorf("%s is another page, %s", form, r.Header.Get("Etag"))
		}
		if length := r.Header.Get("Content-Length"); length != strconv.Itoa(len(body)) {
			t.Errorf("%s has %d bytes and a length of %s", form, len(body), length)
		}
		head := getSignInPage(s, http.MethodHead, 1001, encoding)
		for _, name := range []string{"Content-Length", "Content-Encoding", "Content-Type", "Etag", "Vary"} {
			if head.Header.Get(name) != r.Header.Get(name) {
				t.Errorf("the head of %s has another %s: %q", form, name, head.Header.Get(name))
			}
		}
		if body := readBody(t, head); len(body) > 0 {
			t.Errorf("the head of %s has a body of %d bytes", form, len(body))
		}
		known := getSignInPage(s, http.MethodGet, 1001, encoding, "If-None-Match", tag)
		if known.StatusCode != http.StatusNotModified || known.Header.Get("Etag") != tag ||
			known.Header.Get("Content-Encoding") != "" || known.Header.Get("Content-Length") != "" ||
			len(readBody(t, known)) > 0 {
			t.Errorf("who has %s gets %d, %v", form, known.StatusCode, known.Header)
		}
		sizes[form] = len(body)
	}
	check("plain", "identity")
	check("gzip", "gzip, deflate")
	check("quick brotli", "gzip, deflate, br")
	if !p.CompressNext() {
		t.Fatal("no page waits for its smallest form")
	}
	check("smallest brotli", "gzip, deflate, br")
	check("gzip", "gzip, br;q=0")
	if sizes["smallest brotli"] >= sizes["quick brotli"] || sizes["quick brotli"] >= sizes["gzip"] ||
		sizes["gzip"] >= sizes["plain"]/2 {
		t.Error(sizes)
	}
	if p.CompressNext() {
		t.Error("a page waits again")
	}
}

func TestSignInPagesOfManyCompaniesTakeBoundedMemory(t *testing.T) {
	t.Parallel()
	s := pagestest.NewSite(t, pagestest.Options{})
	p := s.Handler.(*pages.Pages)
	if before := p.LimitSignInPages(1 << 20); before != 8<<20 {
		t.Errorf("sign-in pages may take %d bytes", before)
	}
	const first, count = 5000, 400 // some 170 pages fit
	addCompanies(s, first, count)
	largest := 0
	for id := int64(first); id < first+count; id++ {
		pagestest.WantStatus(t, getSignInPage(s, http.MethodGet, id, "br"), http.StatusOK)
		if id%20 == 0 {
			pagestest.WantStatus(t, getSignInPage(s, http.MethodGet, 1001, "br"), http.StatusOK)
		}
		_, held := p.CachedSignInPages()
		largest = max(largest, held)
	}
	held, _ := p.CachedSignInPages()
	if largest > 1<<20 || largest < 1<<20*9/10 {
		t.Errorf("the pages took up to %d bytes", largest)
	}
	if held[1001] != 1 {
		t.Error("the page that was requested again and again was removed")
	}
	if held[first] != 0 || held[first+count-1] != 1 {
		t.Error("the oldest page is stored, or the newest is not")
	}
}

func TestUnknownHostsShareOneSignInPage(t *testing.T) {
	t.Parallel()
	s := pagestest.NewSite(t, pagestest.Options{})
	for id := range int64(50) {
		pagestest.WantStatus(t, getSignInPage(s, http.MethodGet, 770_000+id, "br"), http.StatusOK)
		crawler := s.Browser()
		crawler.Agent = "Mozilla/5.0 (compatible; Googlebot/2.1)"
		pagestest.WantStatus(t, crawler.Get(fmt.Sprintf("http://store%d.portico.test/login", 770_000+id)),
			http.StatusOK)
		pagestest.WantStatus(t, crawler.Get(fmt.Sprintf("http://shop%d.example/login", id)), http.StatusOK)
	}
	if held, _ := s.Handler.(*pages.Pages).CachedSignInPages(); held[0] != 2 || len(held) != 1 {
		t.Errorf("pages by company: %v", held)
	}
}

// The page depends on the device only by the chat apps that it offers.
func TestPhonesAndDesktopsShareASignInPage(t *testing.T) {
	t.Parallel()
	app := signin.ProviderApp{Kind: store.WeChatOpen, ID: "wx00000000000000b2", Secret: "a-made-up-secret"}
	for want, providers := range map[int]signin.Providers{
		1: {}, 2: {WeChat: pagestest.NameCodeProvider{}, Apps: []signin.ProviderApp{app}}, // for desktops only
	} {
		s := pagestest.NewSite(t, pagestest.Options{Providers: providers})
		bodies := map[string]struct{}{}
		for _, agent := range []string{pagestest.PhoneAgent, pagestest.DesktopAgent} {
			r := s.BrowserWithAgent(agent).Get("http://store1002.portico.test/login", "Sec-Fetch-Dest", "document")
			bodies[pagestest.Text(t, r)] = struct{}{}
		}
		held, _ := s.Handler.(*pages.Pages).CachedSignInPages()
		if held[1002] != want || len(bodies) != want {
			t.Errorf("%d pages are stored and %d differ, want %d", held[1002], len(bodies), want)
		}
	}
}

func TestConcurrentFirstVisitorsGetTheSamePage(t *testing.T) {
	t.Parallel()
	s := pagestest.NewSite(t, pagestest.Options{})
	pages := make([]string, 20)
	var all sync.WaitGroup
	for i := range pages {
		all.Go(func() {
			r := getSignInPage(s, http.MethodGet, 1002, "br")
			pages[i] = string(readBody(t, r))
		})
	}
	all.Wait()
	for _, page := range pages {
		if page == "" || page != pages[0] {
			t.Fatal("the pages differ")
		}
	}
}

func TestPlatformSignInPagesAreFullyCompressedForTheFirstVisitors(t *testing.T) {
	t.Parallel()
	apps := []signin.ProviderApp{{Kind: store.WeChatOpen, ID: "wx00000000000000b2", Secret: "a-made-up-secret"}}
	providers := signin.Providers{WeChat: pagestest.NameCodeProvider{}, Apps: apps}
	s := pagestest.NewSite(t, pagestest.Options{Production: true, Providers: providers})
	p := s.Handler.(*pages.Pages)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	p.CompressSignInPages(ctx)
	for _, path := range []string{"/login", "/login/account"} {
		for _, lang := range []string{"zh", "es", "en"} {
			for _, agent := range []string{pagestest.PhoneAgent, pagestest.DesktopAgent} {
				b := s.Browser()
				b.Agent = agent
				address := "https://account.portico.test" + path + "?lang=" + lang
				r := b.Get(address, "Accept-Encoding", "gzip, br", "Sec-Fetch-Dest", "document")
				body := readBody(t, r)
				if text := decompress(t, r, body); !bytes.Equal(body, assets.Compress([]byte(text), assets.Brotli)) {
					t.Errorf("%s in %s for %s has %d bytes", path, lang, agent, len(body))
				}
			}
		}
	}
}

// addCompanies adds count companies with the ids from first on. It fails the test when the database fails.
func addCompanies(s *pagestest.Site, first, count int64) {
	s.T.Helper()
	for id := first; id < first+count; id++ {
		if _, err := s.DB.Companies.Save(s.T.Context(), store.Company{
			ID: id, Name: fmt.Sprint("Company ", id), Theme: fmt.Sprintf("%06x", id*7919%0xffffff),
			Language: "en", Standing: store.Formal, Mall: store.MallOpen, CreatedAt: 1, UpdatedAt: 1,
		}); err != nil {
			s.T.Fatal(err)
		}
	}
}

// getSignInPage requests the sign-in page of a company in an encoding, as a new visitor does.
func getSignInPage(s *pagestest.Site, method string, company int64, encoding string, headers ...string) *http.Response {
	s.T.Helper()
	address := fmt.Sprintf("http://store%d.portico.test/login", company)
	headers = append(headers, "Accept-Encoding", encoding, "Sec-Fetch-Dest", "document")
	return s.Browser().Do(method, address, nil, headers...)
}
