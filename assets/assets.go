// Package assets embeds, fingerprints and serves everything static: styles, icons, and the scripts that vite
// built. Without a built dist (no Node) there are no scripts, and every page still works.
package assets

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"strings"
	"sync"
)

//go:embed css/*.css icons.svg drawings.svg favicon.svg
var sources embed.FS

//go:embed all:dist
var dist embed.FS

// Prefix is the path under which Handler serves.
const Prefix = "/assets/"

// entry is the source name of the one script entry, as the manifest of vite spells it.
const entry = "islands/index.ts"

var (
	trades     = tradeStrip()
	tradesFile = "trades-" + fingerprint([]byte(trades)) + ".svg"
	door       = squeeze(strings.ReplaceAll(read("css/1-door.css"), "trades.svg", tradesFile))
	inside     = squeeze(read("css/2-inside.css"))
	more       = squeeze(read("css/3-more.css"))
	files      = collect()

	// SheetVersion and MoreVersion name the two present sheets: the one of every page, and what registering and the
	// landing sites need beside it. A visitor's cookie repeats them.
	SheetVersion = fingerprint([]byte(door + inside))
	MoreVersion  = fingerprint([]byte(more))
	// SheetURL and MoreURL are their addresses.
	SheetURL = Prefix + "app-" + SheetVersion + ".css"
	MoreURL  = Prefix + "more-" + MoreVersion + ".css"
	favicon  = strings.TrimSpace(read("favicon.svg"))
	// FaviconURL is the address of the platform's own icon, for browsers that ask for it without having read a page.
	FaviconURL = Prefix + "favicon-" + fingerprint([]byte(read("favicon.svg"))) + ".svg"
	// ScriptURL is the address of the script entry, "" when no scripts were built.
	ScriptURL = script()
)

// DoorStyle is the part of the sheet a sign-in page needs before its first paint.
func DoorStyle() string { return door }

// Favicon returns the platform's own icon in a colour (like "#20ade5") as a data URL, which is shorter than a request
// for the icon would be.
func Favicon(colour string) string {
	picture := strings.ReplaceAll(favicon, faviconColour, colour)
	return "data:image/svg+xml," + strings.NewReplacer("#", "%23", "<", "%3c", ">", "%3e", `"`, "'").Replace(picture)
}

// faviconColour is the colour of favicon.svg.
const faviconColour = "#20ade5"

// FullStyle is the sheet of every page, for inlining into the first page of a visitor who enters elsewhere.
func FullStyle() string { return door + inside }

// MoreStyle is the second sheet.
func MoreStyle() string { return more }

// Symbol is the inside of one drawing of the sprites; ok is false for unknown names.
func Symbol(name string) (markup, viewBox string, ok bool) {
	s, ok := symbols()[name]
	return s.markup, s.viewBox, ok
}

type symbol struct{ markup, viewBox string }

var symbols = sync.OnceValue(func() map[string]symbol {
	all := map[string]symbol{}
	form := regexp.MustCompile(`(?s)<symbol id="([^"]+)" viewBox="([^"]+)">(.*?)</symbol>`)
	for _, name := range []string{"icons.svg", "drawings.svg"} {
		for _, m := range form.FindAllStringSubmatch(read(name), -1) {
			all[m[1]] = symbol{markup: m[3], viewBox: m[2]}
		}
	}
	return all
})

// Trades are the ids of the twelve industries in the order shown (specification section 3).
var Trades = []int{118, 729, 724, 121, 128, 117, 124, 116, 119, 122, 123, 725}

// tradeColumns is how many icons a row of the trades' sheet has.
const tradeColumns = 4

// tradeStrip lays the twelve industries' icons out as the panel does: one file, used as a mask and asked for only
// where the panel is shown, so that phones do not pay for it.
func tradeStrip() string {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" fill="none" stroke="#000" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round">`,
		24*tradeColumns, 24*len(Trades)/tradeColumns)
	for i, id := range Trades {
		markup, _, _ := Symbol(fmt.Sprintf("i-%d", id))
		fmt.Fprintf(&b, `<g transform="translate(%d %d)">%s</g>`, 24*(i%tradeColumns), 24*(i/tradeColumns), markup)
	}
	b.WriteString("</svg>")
	return b.String()
}

// Packed is a body with its compressed forms, made once when first asked for.
type Packed struct {
	Raw         []byte
	ContentType string
	br, gz      func() []byte
}

// Pack keeps a body that will be sent many times: compressed as hard as it goes, once, on first use.
func Pack(raw []byte, contentType string) *Packed {
	return &Packed{
		Raw: raw, ContentType: contentType,
		br: sync.OnceValue(func() []byte { return Compress(raw, Brotli) }),
		gz: sync.OnceValue(func() []byte { return Compress(raw, Gzip) }),
	}
}

// Best chooses the smallest form the client takes: its body and Content-Encoding ("" for none).
func (p *Packed) Best(acceptEncoding string) (body []byte, encoding string) {
	switch encoding = Encoding(acceptEncoding); encoding {
	case Brotli:
		return p.br(), encoding
	case Gzip:
		return p.gz(), encoding
	}
	return p.Raw, Plain
}

// Handler serves the fingerprinted files below Prefix; anything else goes to notFound.
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
		h.Del("X-Request-Id") // a file is the same for everyone; its address names it in the log
		if encoding != "" {
			h.Set("Content-Encoding", encoding)
		}
		if r.Method == http.MethodHead {
			return
		}
		_, _ = w.Write(body)
	})
}

// collect lists every file by its address.
func collect() map[string]*Packed {
	all := map[string]*Packed{}
	sheet := []byte(door + inside)
	all[Prefix+"app-"+fingerprint(sheet)+".css"] = Pack(sheet, "text/css; charset=utf-8")
	all[Prefix+"more-"+fingerprint([]byte(more))+".css"] = Pack([]byte(more), "text/css; charset=utf-8")
	all[Prefix+tradesFile] = Pack([]byte(trades), "image/svg+xml")
	icon := []byte(read("favicon.svg"))
	all[Prefix+"favicon-"+fingerprint(icon)+".svg"] = Pack(icon, "image/svg+xml")
	_ = fs.WalkDir(dist, "dist", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && path.Ext(name) == ".js" {
			all[Prefix+strings.TrimPrefix(name, "dist/")] = built(name)
		}
		return err
	})
	return all
}

// built is a script of vite with the compressed forms made at build time.
func built(name string) *Packed {
	raw, _ := dist.ReadFile(name)
	p := Pack(raw, "text/javascript; charset=utf-8")
	if br, err := dist.ReadFile(name + ".br"); err == nil {
		p.br = func() []byte { return br }
	}
	if gz, err := dist.ReadFile(name + ".gz"); err == nil {
		p.gz = func() []byte { return gz }
	}
	return p
}

func script() string {
	text, err := dist.ReadFile("dist/manifest.json")
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

// CSPHash is the source expression that allows exactly this inline text in a Content-Security-Policy.
func CSPHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

func fingerprint(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:4])
}

func read(name string) string {
	b, err := sources.ReadFile(name)
	if err != nil {
		panic(err) // embedded at build time
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

// squeeze drops comments and spaces from our own sheets, which hold no strings or selectors it could hurt.
func squeeze(css string) string {
	css = cssComment.ReplaceAllString(css, "")
	css = cssSpace.ReplaceAllString(css, " ")
	css = cssAround.ReplaceAllString(css, "$1")
	css = cssColon.ReplaceAllString(css, "$1:")
	return strings.TrimSpace(cssLast.ReplaceAllString(css, "}"))
}
