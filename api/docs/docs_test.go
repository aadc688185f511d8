package docs

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// openAPI returns the description of the API.
func openAPI(t *testing.T) []byte {
	t.Helper()
	text, err := os.ReadFile("../openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// newDocs returns the docs of the API and checks that they can be made.
func newDocs(t *testing.T, dev bool) *Docs {
	t.Helper()
	d := New(Options{Description: openAPI(t), Origin: "https://api.portico.test", Dev: dev})
	if _, err := d.files(); err != nil {
		t.Fatal(err)
	}
	return d
}

// get sends one request to the docs. headers are pairs of names and values; served is the result of Serve.
func (d *Docs) get(method, path string, headers ...string) (answer *httptest.ResponseRecorder, served bool) {
	r := httptest.NewRequest(method, path, nil)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	answer = httptest.NewRecorder()
	served, _ = d.Serve(answer, r) // newDocs checked that there is no error
	return answer, served
}

func TestDescriptionHas45CallsWithUniqueIDs(t *testing.T) {
	described, err := readDescription(openAPI(t))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, path := range described.Paths.names {
		for _, operation := range described.Paths.values[path] {
			if operation.ID == "" || seen[operation.ID] {
				t.Errorf("%s: the operation id %q is empty or there twice", path, operation.ID)
			}
			seen[operation.ID] = true
		}
	}
	if len(seen) != 45 {
		t.Errorf("%d calls", len(seen))
	}
}

func TestDocsPageShowsEveryCallWithItsRefusals(t *testing.T) {
	answer, _ := newDocs(t, false).get("GET", "/docs")
	page := answer.Body.String()
	described, err := readDescription(openAPI(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range described.Paths.names {
		for _, operation := range described.Paths.values[path] {
			_, section, found := strings.Cut(page, `<section id="`+operation.ID+`"`)
			section, _, _ = strings.Cut(section, "</section>")
			if !found || !strings.Contains(strings.ReplaceAll(section, "<wbr>", ""), "<code>"+path+"</code>") {
				t.Errorf("%s has no section with its path", operation.ID)
			}
			if strings.Count(page, `href="#`+operation.ID+`"`) < 3 {
				t.Errorf("%s is missing from the contents", operation.ID)
			}
			for _, code := range operation.Refusals {
				if !strings.Contains(section, "<code>"+code+"</code>") {
					t.Errorf("%s does not show %s", operation.ID, code)
				}
			}
		}
	}
}

func TestEveryLinkWithinDocsPageExists(t *testing.T) {
	answer, _ := newDocs(t, true).get("GET", "/docs")
	page := answer.Body.String()
	ids := map[string]int{}
	for _, m := range regexp.MustCompile(` id="([^"]+)"`).FindAllStringSubmatch(page, -1) {
		ids[m[1]]++
	}
	for id, n := range ids {
		if n > 1 {
			t.Errorf("the id %q is there %d times", id, n)
		}
	}
	for _, m := range regexp.MustCompile(
		` (?:href="#|for="|aria-labelledby=")([^"]+)"`,
	).FindAllStringSubmatch(page, -1) {
		if ids[m[1]] == 0 {
			t.Errorf("nothing has the id %q", m[1])
		}
	}
}

func TestDocsPageLoadsNoForeignOrInlineContent(t *testing.T) {
	for _, dev := range []bool{false, true} {
		d := newDocs(t, dev)
		answer, _ := d.get("GET", "/docs")
		page := answer.Body.String()
		for _, m := range regexp.MustCompile(` (?:src|href|action)="([^"]*)"`).FindAllStringSubmatch(page, -1) {
			if !strings.HasPrefix(m[1], "/") && !strings.HasPrefix(m[1], "#") &&
				!strings.HasPrefix(m[1], "data:image/svg+xml,") {
				t.Errorf("dev %v: the page leads to %q", dev, m[1])
			}
		}
		for _, inline := range []string{`<style`, ` style="`, `<script>`, ` onclick=`, ` onload=`, `javascript:`} {
			if strings.Contains(page, inline) {
				t.Errorf("dev %v: %q in the page", dev, inline)
			}
		}
		sheet, _ := d.get("GET", "/docs/docs.css")
		if strings.Contains(sheet.Body.String(), "url(") || strings.Contains(sheet.Body.String(), "@import") {
			t.Error("the sheet loads something")
		}
		policy := answer.Header().Get("Content-Security-Policy")
		for _, part := range []string{
			"default-src 'none'", "style-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
		} {
			if !strings.Contains(policy, part) {
				t.Errorf("dev %v: no %s in %q", dev, part, policy)
			}
		}
		if strings.Contains(policy, "unsafe") || strings.Contains(policy, "script-src") != dev ||
			strings.Contains(policy, "connect-src") != dev {
			t.Errorf("dev %v: policy %q", dev, policy)
		}
	}
}

func TestOnlyDevelopmentCanTryCalls(t *testing.T) {
	answer, _ := newDocs(t, false).get("GET", "/docs")
	for _, word := range []string{"<script", "data-try", "portico-dev-sign-secret'"} {
		if strings.Contains(answer.Body.String(), word) {
			t.Errorf("production has %q", word)
		}
	}
	if _, served := newDocs(t, false).get("GET", "/docs/try.js"); served {
		t.Error("production serves the script")
	}
	answer, served := newDocs(t, true).get("GET", "/docs/try.js")
	if !served || answer.Header().Get("Content-Type") != "text/javascript; charset=utf-8" {
		t.Errorf("development serves it %v as %q", served, answer.Header().Get("Content-Type"))
	}
}

func TestDocsServeOnlyTheirOwnPaths(t *testing.T) {
	d := newDocs(t, true)
	for _, path := range []string{"/", "/docs/", "/docs/page.html", "/openapi.json/", "/v1/account/mixedLogin"} {
		if _, served := d.get("GET", path); served {
			t.Errorf("%s is served", path)
		}
	}
	if _, served := d.get("POST", "/docs"); served {
		t.Error("POST is served")
	}
	answer, served := d.get("HEAD", "/openapi.json")
	if !served || answer.Body.Len() > 0 || answer.Header().Get("Content-Length") == "" {
		t.Errorf("HEAD: served %v, %d bytes", served, answer.Body.Len())
	}
}

func TestCachedDescriptionIsAnsweredNotModified(t *testing.T) {
	d := newDocs(t, false)
	for _, coding := range []string{"", "gzip"} {
		answer, _ := d.get("GET", "/openapi.json", "Accept-Encoding", coding)
		tag := answer.Header().Get("ETag")
		if answer.Code != http.StatusOK || tag == "" || answer.Header().Get("Cache-Control") != "no-cache" ||
			answer.Header().Get("Content-Type") != "application/json; charset=utf-8" {
			t.Errorf("%q: %d %v", coding, answer.Code, answer.Header())
		}
		for _, cached := range []string{tag, `W/"old", W/` + tag, "*"} {
			again, _ := d.get("GET", "/openapi.json", "Accept-Encoding", coding, "If-None-Match", cached)
			if again.Code != http.StatusNotModified || again.Body.Len() > 0 || again.Header().Get("ETag") != tag {
				t.Errorf("%q cached as %s: %d, %d bytes", coding, cached, again.Code, again.Body.Len())
			}
		}
		if other, _ := d.get(
			"GET", "/openapi.json", "Accept-Encoding", coding, "If-None-Match", `"other"`,
		); other.Code != http.StatusOK {
			t.Errorf("%q with another's tag: %d", coding, other.Code)
		}
	}
}

func TestDescriptionIsCompressedForClientsThatAcceptGzip(t *testing.T) {
	d := newDocs(t, false)
	for header, want := range map[string]bool{
		"": false, "br": false, "gzip": true, "br, gzip;q=0.5": true, "gzip;q=0": false, "gzip; q=0.0": false,
		"gzip;q=1": true,
	} {
		answer, _ := d.get("GET", "/openapi.json", "Accept-Encoding", header)
		if got := answer.Header().Get("Content-Encoding") == "gzip"; got != want {
			t.Errorf("%q: compressed %v", header, got)
		}
		var body io.Reader = answer.Body
		if want {
			unpacked, err := gzip.NewReader(body)
			if err != nil {
				t.Fatal(err)
			}
			body = unpacked
		}
		var document struct{ OpenAPI string }
		if err := json.NewDecoder(body).Decode(&document); err != nil || document.OpenAPI != "3.1.0" {
			t.Errorf("%q: %v %q", header, err, document.OpenAPI)
		}
	}
}

type signVectors struct {
	Secret  string
	Vectors []struct {
		Name, Token, Timestamp, Nonce, Params, Sign string
		Parameters                                  [][2]string
		Body                                        *string `json:"json_body"`
	}
}

func readSignVectors(t *testing.T) signVectors {
	t.Helper()
	text, err := os.ReadFile("../testdata/sign-vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors signVectors
	if err := json.Unmarshal(text, &vectors); err != nil {
		t.Fatal(err)
	}
	return vectors
}

func TestShownExampleSignatureIsRight(t *testing.T) {
	answer, _ := newDocs(t, false).get("GET", "/docs")
	vectors := readSignVectors(t)
	v := vectors.Vectors[1]
	signed := strings.ReplaceAll(strings.Join([]string{v.Token, v.Timestamp, v.Nonce, v.Params}, "\n"), "&", "&amp;")
	for _, shown := range []string{vectors.Secret, ">" + signed + "<", ">" + v.Sign + "<"} {
		if !strings.Contains(answer.Body.String(), shown) {
			t.Errorf("the page does not show %q", shown)
		}
	}
}

// signing reads the vectors from its standard input and prints the signatures that try.js makes.
const signing = `
import { readFileSync } from 'node:fs';
const { canonical, sign } = await import(process.argv[1]);
const { secret, vectors } = JSON.parse(readFileSync(0, 'utf8'));
const made = [];
for (const v of vectors) {
  const params = await canonical(v.parameters, v.json_body);
  made.push({ params, sign: await sign(secret, v.token, v.timestamp, v.nonce, params) });
}
console.log(JSON.stringify(made));
`

func TestDocsPageScriptSignsLikeTheVectors(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil && os.Getenv("CI") == "" {
		t.Skip("node is not installed")
	}
	script, absErr := filepath.Abs("try.js")
	text, readErr := os.ReadFile("../testdata/sign-vectors.json")
	if err := errors.Join(err, absErr, readErr); err != nil {
		t.Fatal(err)
	}
	run := exec.Command(node, "--input-type=module", "--eval", signing, "file://"+script)
	run.Stdin = bytes.NewReader(text)
	out, err := run.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var made []struct{ Params, Sign string }
	if err := json.Unmarshal(out, &made); err != nil {
		t.Fatal(err)
	}
	for i, v := range readSignVectors(t).Vectors {
		if made[i].Params != v.Params || made[i].Sign != v.Sign {
			t.Errorf("%s: made %s of %s, want %s of %s", v.Name, made[i].Sign, made[i].Params, v.Sign, v.Params)
		}
	}
}
