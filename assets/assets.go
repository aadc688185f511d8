// Package assets embeds, fingerprints and serves the static files: styles, icons, and the scripts that vite built.
// Without a built dist (no Node) there are no scripts, and every page still works.
package assets

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
)

const javascript = "text/javascript; charset=utf-8"

// Prefix is the path under which Handler serves.
const Prefix = "/assets/"

// entry is the name of the scripts' entry point in vite's manifest.
const entry = "islands/index.ts"

var (
	trades      = tradeStrip()
	tradesFile  = "trades-" + fingerprint([]byte(trades)) + ".svg"
	base        = sheet("base")
	signIn      = base + strings.ReplaceAll(sheet("signin"), "trades.svg", tradesFile)
	inside      = sheet("inside")
	account     = signIn + inside + sheet("states")
	shared      = sheet("shared")
	onlyFlows   = sheet("flows")
	flowsStyle  = shared + onlyFlows
	onlyLanding = sheet("landing")
	landing     = base + inside + shared + onlyLanding
	records     = sheet("records")
	overview    = records + sheet("overview")
	officeStyle = records + onlyFlows + sheet("office")
	products    = productPictures()
	files       = collect()

	// AccountVersion, FlowsVersion and LandingVersion are the versions of three style sheets: that of the account site,
	// what its pages on the way to an account have beyond it, and that of the landing sites. A cookie stores which ones
	// the browser has.
	AccountVersion = fingerprint([]byte(account))
	FlowsVersion   = fingerprint([]byte(flowsStyle))
	LandingVersion = fingerprint([]byte(landing))
	// AccountURL, FlowsURL and LandingURL are the URLs of these style sheets.
	AccountURL = Prefix + "account-" + AccountVersion + ".css"
	FlowsURL   = Prefix + "flows-" + FlowsVersion + ".css"
	LandingURL = Prefix + "landing-" + LandingVersion + ".css"
	// RecordsURL is the URL of the style sheet that the shop has after that of the landing sites, but for its first
	// page. Its pages link it and none contains it.
	RecordsURL = Prefix + "records-" + fingerprint([]byte(records)) + ".css"
	// OfficeURL is the URL of the style sheet that the back office has after that of the landing sites. Its pages link
	// it and none contains it.
	OfficeURL = Prefix + "office-" + fingerprint([]byte(officeStyle)) + ".css"
	// OverviewURL is the URL of the style sheet that the overview has after that of the landing sites.
	OverviewURL = Prefix + "overview-" + fingerprint([]byte(overview)) + ".css"
	favicon     = strings.TrimSpace(readFile("favicon.svg"))
	// FaviconURL is the URL of the platform's own icon, for browsers that request it without reading a page.
	FaviconURL = Prefix + "favicon-" + fingerprint([]byte(readFile("favicon.svg"))) + ".svg"
	// ScriptURL is the URL of the scripts' entry point, "" when no scripts were built.
	ScriptURL = script()
)

// SignInStyle returns the part of the style sheet that a sign-in page needs for its first paint.
func SignInStyle() string { return signIn }

// Favicon returns the platform's own icon in a colour (like "#20ade5") as a data URL, which is shorter than a request
// for the icon would be.
func Favicon(colour string) string {
	return strings.ReplaceAll(faviconAddress, dataURL.Replace(faviconColour), dataURL.Replace(colour))
}

var (
	dataURL        = strings.NewReplacer("#", "%23", "<", "%3c", ">", "%3e", `"`, "'")
	faviconAddress = "data:image/svg+xml," + dataURL.Replace(favicon)
)

// Arch is the outline of the platform's logo, in 16 × 16 units: that of favicon.svg.
var Arch = regexp.MustCompile(` d="([^"]+)"`).FindStringSubmatch(favicon)[1]

// faviconColour is the colour of favicon.svg.
const faviconColour = "#20ade5"

// AccountStyle returns the style sheet of the account site, for a new visitor's first page if that is not a sign-in
// page.
func AccountStyle() string { return account }

// FlowsStyle returns what the pages on the way to an account have beyond AccountStyle: registering, applying, choosing
// where to go.
func FlowsStyle() string { return flowsStyle }

// LandingStyle returns the style sheet of the landing sites.
func LandingStyle() string { return landing }

// RecordsStyle returns what the pages of the shop but its first have beyond LandingStyle.
func RecordsStyle() string { return records }

// EveryStyle returns the rules of all pages but those of the back office, for a page that shows every piece.
func EveryStyle() string { return account + flowsStyle + onlyLanding + records }

// OfficeStyle returns what the back office has beyond LandingStyle.
func OfficeStyle() string { return officeStyle }

// OverviewStyle returns what the overview of the back office has beyond LandingStyle.
func OverviewStyle() string { return overview }

// Symbol returns the SVG content of a drawing of the sprites. ok is false for an unknown name.
func Symbol(name string) (markup, viewBox string, ok bool) {
	s, ok := symbols()[name]
	return s.markup, s.viewBox, ok
}

type symbol struct{ markup, viewBox string }

var symbols = sync.OnceValue(func() map[string]symbol {
	all := map[string]symbol{}
	form := regexp.MustCompile(`(?s)<symbol id="([^"]+)" viewBox="([^"]+)">(.*?)</symbol>`)
	for _, name := range []string{"icons.svg", "drawings.svg", "words.svg"} {
		for _, m := range form.FindAllStringSubmatch(readFile(name), -1) {
			all[m[1]] = symbol{markup: m[3], viewBox: m[2]}
		}
	}
	return all
})

// Trades are the ids of the twelve industries in the order in which they are shown.
var Trades = []int{118, 729, 724, 121, 128, 117, 124, 116, 119, 122, 123, 725}

// tradeColumns is how many icons a row of the industries' picture has.
const tradeColumns = 4

// tradeStrip returns one SVG with the icons of the twelve industries, arranged as the brand panel shows them. The panel
// uses it as a mask. Phones do not show the panel and do not load it.
func tradeStrip() string {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" `+
		`fill="none" stroke="#000" stroke-width="1.5" stroke-linecap="round" `+
		`stroke-linejoin="round">`,
		24*tradeColumns, 24*len(Trades)/tradeColumns)
	for i, id := range Trades {
		markup, _, _ := Symbol(fmt.Sprintf("i-%d", id))
		fmt.Fprintf(&b, `<g transform="translate(%d %d)">%s</g>`, 24*(i%tradeColumns), 24*(i/tradeColumns), markup)
	}
	b.WriteString("</svg>")
	return b.String()
}

// ProductPicture returns the URL of a picture of the product, of the "office" or the "shop", in a language and a colour
// scheme, "light" or "dark".
func ProductPicture(name, lang, scheme string) string { return products[name+"-"+lang+"-"+scheme].url }

type productFile struct {
	url  string
	body []byte
}

// productPictures returns the files of `make product` by their names.
func productPictures() map[string]productFile {
	result := map[string]productFile{}
	_ = fs.WalkDir(sources, "product", func(file string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			body, _ := fs.ReadFile(sources, file)
			name := strings.TrimSuffix(path.Base(file), ".webp")
			result[name] = productFile{Prefix + name + "-" + fingerprint(body) + ".webp", body}
		}
		return err
	})
	return result
}

// Compressible is a body with its compressed forms, each made at its first use.
type Compressible struct {
	Raw         []byte
	ContentType string
	br, gz      func() []byte
}

// NewCompressible prepares a body that will be sent many times. It is compressed as much as possible, once, at its
// first use.
func NewCompressible(raw []byte, contentType string) *Compressible {
	return &Compressible{
		Raw: raw, ContentType: contentType,
		br: sync.OnceValue(func() []byte { return Compress(raw, Brotli) }),
		gz: sync.OnceValue(func() []byte { return Compress(raw, Gzip) }),
	}
}

// Best returns the smallest form that the client accepts, and its Content-Encoding ("" for none).
func (p *Compressible) Best(acceptEncoding string) (body []byte, encoding string) {
	if p.br == nil { // a picture, which is compressed already
		return p.Raw, Plain
	}
	switch encoding = Encoding(acceptEncoding); encoding {
	case Brotli:
		return p.br(), encoding
	case Gzip:
		return p.gz(), encoding
	}
	return p.Raw, Plain
}

// Handler serves the fingerprinted files below Prefix. All other requests go to notFound.
func Handler(notFound http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		file, ok := files[r.URL.Path]
		if !ok {
			notFound.ServeHTTP(w, r)
			return
		}
		body, encoding := file.Best(r.Header.Get("Accept-Encoding"))
		h := w.Header()
		h.Set("Content-Type", file.ContentType)
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
		h.Set("Vary", "Accept-Encoding")
		h.Del("X-Request-Id") // cached answers must be the same for all requests
		// These two are for pages; here they would only be weight.
		h.Del("Cross-Origin-Opener-Policy")
		h.Del("Permissions-Policy")
		if encoding != "" {
			h.Set("Content-Encoding", encoding)
		}
		if r.Method == http.MethodHead {
			return
		}
		_, _ = w.Write(body)
	})
}

// collect returns every file by its URL path.
func collect() map[string]*Compressible {
	result := map[string]*Compressible{}
	const css = "text/css; charset=utf-8"
	for name, text := range map[string]string{
		"account": account, "flows": flowsStyle, "landing": landing, "records": records, "overview": overview,
		"office": officeStyle,
	} {
		result[Prefix+name+"-"+fingerprint([]byte(text))+".css"] = NewCompressible([]byte(text), css)
	}
	result[Prefix+tradesFile] = NewCompressible([]byte(trades), "image/svg+xml")
	for _, picture := range products {
		result[picture.url] = &Compressible{Raw: picture.body, ContentType: "image/webp"}
	}
	icon := []byte(readFile("favicon.svg"))
	result[Prefix+"favicon-"+fingerprint(icon)+".svg"] = NewCompressible(icon, "image/svg+xml")
	_ = fs.WalkDir(sources, "dist", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && path.Ext(name) == ".js" {
			result[Prefix+strings.TrimPrefix(name, "dist/")] = builtScript(name)
		}
		return err
	})
	return result
}

// builtScript returns a script that vite built, with the compressed forms that the build made.
func builtScript(name string) *Compressible {
	raw, _ := fs.ReadFile(sources, name)
	p := NewCompressible(raw, javascript)
	if br, err := fs.ReadFile(sources, name+".br"); err == nil {
		p.br = func() []byte { return br }
	}
	if gz, err := fs.ReadFile(sources, name+".gz"); err == nil {
		p.gz = func() []byte { return gz }
	}
	return p
}

// Redoc returns the script of the page about the API, and nil if no scripts were built. The program contains only its
// brotli form.
func Redoc() *Compressible {
	packed, err := fs.ReadFile(sources, "dist/redoc.js.br")
	if err != nil {
		return nil
	}
	raw, err := io.ReadAll(brotli.NewReader(bytes.NewReader(packed)))
	if err != nil {
		panic(err) // cannot happen: the build compressed it
	}
	p := NewCompressible(raw, javascript)
	p.br = func() []byte { return packed }
	return p
}

func script() string {
	text, err := fs.ReadFile(sources, "dist/manifest.json")
	if err != nil {
		return ""
	}
	var manifest map[string]struct {
		File string `json:"file"`
	}
	if json.Unmarshal(text, &manifest) != nil || manifest[entry].File == "" {
		return ""
	}
	return Prefix + manifest[entry].File
}

// CSPHash returns the source expression of a Content-Security-Policy that allows exactly this inline text.
func CSPHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

func fingerprint(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:4])
}

// sheet returns a file of style rules, minified. Sheets are put together so that a file stands after those whose rules
// it changes.
func sheet(name string) string { return minify(readFile("css/" + name + ".css")) }

func readFile(name string) string {
	b, err := fs.ReadFile(sources, name)
	if err != nil {
		panic(err) // cannot happen: the file is embedded
	}
	return string(b)
}

var (
	cssComment = regexp.MustCompile(`(?s)/\*.*?\*/`)
	cssSpace   = regexp.MustCompile(`\s+`)
	cssAround  = regexp.MustCompile(` ?([{};,>]) ?`)
	cssColon   = regexp.MustCompile(`([a-z0-9-]): `)
	cssLast    = regexp.MustCompile(`;}`)
)

// minify removes comments and spaces from our own style sheets. They have no strings or selectors that this could
// break.
func minify(css string) string {
	css = cssComment.ReplaceAllString(css, "")
	css = cssSpace.ReplaceAllString(css, " ")
	css = cssAround.ReplaceAllString(css, "$1")
	css = cssColon.ReplaceAllString(css, "$1:")
	return strings.TrimSpace(cssLast.ReplaceAllString(css, "}"))
}
