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

	"github.com/andybalholm/brotli"

	"portico/assets"
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

// newDocs returns the docs of the API as a program without built scripts serves them.
func newDocs(t *testing.T, dev bool) *Docs {
	t.Helper()
	return newDocsWith(t, dev, nil)
}

// newDocsWith returns the docs of the API with a script in place of Redoc, and checks that they can be made.
func newDocsWith(t *testing.T, dev bool, redoc *assets.Compressible) *Docs {
	t.Helper()
	files, err := render(Options{Description: openAPI(t), Origin: "https://api.portico.test", Dev: dev}, redoc)
	if err != nil {
		t.Fatal(err)
	}
	return &Docs{func() (map[string]*file, error) { return files, nil }}
}

// redoc returns a script in place of Redoc.
func redoc() *assets.Compressible {
	return assets.NewCompressible([]byte("export function init() {}"), "text/javascript; charset=utf-8")
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

func TestDocsPageListsEveryCallWithoutScripts(t *testing.T) {
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
			if !found || !strings.Contains(section, "<code>"+path+"</code>") {
				t.Errorf("%s has no section with its path", operation.ID)
			}
			for _, name := range described.bodyOf(operation).Properties.names {
				if !strings.Contains(section, "<code>"+name+"</code>") {
					t.Errorf("%s does not show %s", operation.ID, name)
				}
			}
			for _, code := range operation.Refusals {
				if !strings.Contains(section, `"#refusal-`+code+`"`) {
					t.Errorf("%s does not show %s", operation.ID, code)
				}
			}
		}
	}
}

// The page knows only the Markdown that the text uses.
func TestGuideOfDocsPageHasNoMarkdownLeft(t *testing.T) {
	described, err := readDescription(openAPI(t))
	if err != nil {
		t.Fatal(err)
	}
	listings := 0
	for _, b := range described.guide("https://api.portico.test") {
		text := b.Heading + strings.Join(b.Paragraph, "")
		if b.Listing != "" {
			listings++
		}
		if len(b.Paragraph)%2 != 1 && b.Paragraph != nil || regexp.MustCompile("`|\\*\\*|^#|\\]\\(").MatchString(text) {
			t.Errorf("the page does not know this Markdown: %q", text)
		}
	}
	if listings != 4 {
		t.Errorf("%d listings", listings)
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
	for name, d := range map[string]*Docs{
		"plain": newDocs(t, false), "plain in dev": newDocs(t, true),
		"with Redoc": newDocsWith(t, false, redoc()), "with Redoc in dev": newDocsWith(t, true, redoc()),
	} {
		answer, _ := d.get("GET", "/docs")
		page := answer.Body.String()
		for _, m := range regexp.MustCompile(` (?:src|href|action)="([^"]*)"`).FindAllStringSubmatch(page, -1) {
			if !strings.HasPrefix(m[1], "/") && !strings.HasPrefix(m[1], "#") &&
				!strings.HasPrefix(m[1], "data:image/svg+xml,") {
				t.Errorf("%s: the page leads to %q", name, m[1])
			}
		}
		for _, inline := range []string{`<style`, ` style="`, `<script>`, ` onclick=`, ` onload=`, `javascript:`} {
			if strings.Contains(page, inline) {
				t.Errorf("%s: %q in the page", name, inline)
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
				t.Errorf("%s: no %s in %q", name, part, policy)
			}
		}
		scripts := name != "plain"
		if strings.Contains(policy, "unsafe") || strings.Contains(policy, "script-src 'self';") != scripts ||
			strings.Contains(policy, "connect-src 'self';") != scripts ||
			strings.Contains(policy, "style-src 'self' "+assets.CSPHash("")+";") != scripts {
			t.Errorf("%s: policy %q", name, policy)
		}
	}
}

func TestDocsPageLoadsRedocIfScriptsWereBuilt(t *testing.T) {
	for _, file := range []string{"/docs/reference.js", "/docs/redoc.js"} {
		if _, served := newDocs(t, false).get("GET", file); served {
			t.Errorf("%s is served without Redoc", file)
		}
		answer, served := newDocsWith(t, false, redoc()).get("GET", file)
		if !served || answer.Header().Get("Content-Type") != "text/javascript; charset=utf-8" {
			t.Errorf("%s: served %v as %q", file, served, answer.Header().Get("Content-Type"))
		}
	}
	for d, want := range map[*Docs]bool{newDocs(t, false): false, newDocsWith(t, false, redoc()): true} {
		answer, _ := d.get("GET", "/docs")
		if strings.Contains(answer.Body.String(), `src="/docs/reference.js"`) != want {
			t.Errorf("the page loads reference.js: %v", !want)
		}
	}
}

func TestOnlyDevelopmentCanTryCalls(t *testing.T) {
	production, dev := newDocsWith(t, false, redoc()), newDocsWith(t, true, redoc())
	for d, want := range map[*Docs]bool{production: false, dev: true} {
		answer, _ := d.get("GET", "/docs")
		if strings.Contains(answer.Body.String(), "/docs/try.js") != want {
			t.Errorf("the page loads try.js: %v", !want)
		}
		if _, served := d.get("GET", "/docs/try.js"); served != want {
			t.Errorf("try.js is served: %v", served)
		}
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
	for _, coding := range []string{"", "gzip", "br"} {
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

func TestDescriptionIsCompressedForClientsThatAcceptIt(t *testing.T) {
	d := newDocs(t, false)
	for header, want := range map[string]string{
		"": "", "br": "br", "gzip": "gzip", "deflate, gzip;q=0.5": "gzip", "gzip, br": "br", "gzip;q=0": "",
		"gzip; q=0.0": "", "gzip;q=1": "gzip",
	} {
		answer, _ := d.get("GET", "/openapi.json", "Accept-Encoding", header)
		if got := answer.Header().Get("Content-Encoding"); got != want {
			t.Errorf("%q: encoded as %q, not %q", header, got, want)
		}
		var body io.Reader = answer.Body
		var err error
		switch want {
		case "br":
			body = brotli.NewReader(body)
		case "gzip":
			body, err = gzip.NewReader(body)
		}
		var document struct{ OpenAPI string }
		if err = errors.Join(err, json.NewDecoder(body).Decode(&document)); err != nil || document.OpenAPI != "3.1.0" {
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
