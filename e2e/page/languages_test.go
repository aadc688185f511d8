package page

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"portico/e2e/browser"
	"portico/e2e/program"
	"portico/e2e/testscope"
	"portico/locale"
)

// On the narrowest phone every page has only texts of its language and cuts off none. The test follows links, forms and
// redirects, and each page on the way keeps the language chosen at the start. TestEveryPage checks the languages of
// walks; this test checks the other languages.
func TestEveryPageUsesOneLanguageAndCutsOffNoText(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "it opens each page again, for one more language")
	for _, lang := range program.Languages {
		if slices.ContainsFunc(walks, func(w walk) bool { return w.lang == lang }) {
			continue
		}
		t.Run(lang, func(t *testing.T) {
			pages := map[string]pageTexts{}
			visitEachView(t, browser.Narrow, lang, func(b *browser.Tab, name string) { pages[name] = readTexts(b) })
			wantOneLanguage(t, lang, pages)
		})
	}
}

// readTexts shows the page on the narrowest phone and returns its texts, and those that are cut off.
func readTexts(b *browser.Tab) pageTexts {
	b.T.Helper()
	on := browser.Narrow
	on.Mobile = b.Screen.Mobile
	b.SetScreen(on)
	return browser.Eval[pageTexts](b, readPage)
}

// wantOneLanguage fails the test for every text that is not in the language of its page, and for every text that is cut
// off.
func wantOneLanguage(t *testing.T, lang string, pages map[string]pageTexts) {
	t.Helper()
	allowed, checked := allowedTexts(t, lang), map[string]bool{}
	for name, page := range pages {
		if page.Lang != locale.Lang(lang).Tag() {
			t.Errorf("%s says it is in %q", name, page.Lang)
		}
		for _, cut := range page.Cut {
			t.Errorf("%s: cut off at 320 px: %s", name, cut)
		}
		for _, text := range page.Texts {
			if checked[text] {
				continue
			}
			checked[text] = true
			if why := allowed.fault(text); why != "" {
				t.Errorf("%s: %s: %q", name, why, text)
			}
		}
	}
}

// pageTexts are the texts of a page for eyes and screen readers, and what is cut off.
type pageTexts struct {
	Lang  string
	Texts []string
	Cut   []string
}

var (
	placeholder = regexp.MustCompile(`\{[a-z_]+\}`)
	dottedName  = regexp.MustCompile(`\b[a-z][a-z_]*(\.[a-z0-9_]+)+\b`)
	regionName  = regexp.MustCompile(`\p{Han}{2,}`)
	han         = regexp.MustCompile(`\p{Han}`)
	latinWord   = regexp.MustCompile(`\p{Latin}{2,}`)

	// noLanguage matches what is the same in every language: addresses, measures, colours, names of API fields.
	noLanguage = regexp.MustCompile(
		`\b[a-z]+(_[a-z]+)*_\b|https?://\S+|[\w.-]+@[\w.]+|[\w-]+(\.[\w-]+)+(:\d+)?(/[\w/-]*)?|` +
			`@[\w.]+|\d+ ?[A-Za-z]{1,2}\b|\b[0-9a-f]{6}\b`,
	)

	// inEveryLanguage matches Latin words that are also used in Chinese.
	inEveryLanguage = regexp.MustCompile(
		`\b(Portico|SMS|API|App|Cookie|JPEG|JPG|PNG|WebP|CSS|CSV|Excel|xlsx|DNS|TXT|IP|UTC|LED|MB|KB|Enter|Esc|` +
			`Android|HarmonyOS|iPad|iPhone|Linux|Mac|Windows|ChromeOS|` +
			`Chrome|Edge|Firefox|Opera|Safari|Samsung Internet|UC)\b`,
	)
)

// language knows which texts the pages of a language may contain.
type language struct {
	lang    string
	keys    map[string]string // the texts of the language by key
	groups  map[string]bool   // the first words of the keys
	foreign map[string]string // texts of other languages, and the language
	names   *strings.Replacer // removes the names of people, companies and regions
}

// allowedTexts reads the texts of all languages and the names in the databases.
func allowedTexts(t *testing.T, lang string) language {
	t.Helper()
	w := language{lang: lang, keys: messages(t, lang), foreign: map[string]string{}, names: nameRemover(t)}
	for _, other := range program.Languages {
		for _, text := range messages(t, other) {
			if other != lang && len([]rune(text)) > 3 {
				w.foreign[text] = other
			}
		}
	}
	w.groups = map[string]bool{}
	for key, text := range w.keys {
		delete(w.foreign, text)
		w.groups[strings.Split(key, ".")[0]] = true
	}
	return w
}

// nameRemover returns a replacer that removes from a text what nobody translates: the names of companies, persons,
// accounts and regions, and what people wrote.
func nameRemover(t *testing.T) *strings.Replacer {
	t.Helper()
	names := []string{program.SupportName}
	for _, s := range []*program.Server{browser.Normal, browser.Limited(t)} {
		names = append(names, namesInDatabase(t, s)...)
	}
	regions, err := os.ReadFile("../../portal/regions/regions.txt")
	if err != nil {
		t.Fatal(err)
	}
	names = append(names, regionName.FindAllString(string(regions), -1)...)
	slices.SortFunc(names, func(a, b string) int { return len(b) - len(a) })
	var pairs []string
	for _, name := range names {
		pairs = append(pairs, name, "")
	}
	return strings.NewReplacer(pairs...)
}

// namesInDatabase returns the names in a server's database.
func namesInDatabase(t *testing.T, s *program.Server) (names []string) {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+s.DatabaseFile+"?mode=ro&_busy_timeout=5000")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	rows, err := db.Query(
		`SELECT name FROM companies UNION SELECT greeting FROM companies
		UNION SELECT contact_name FROM companies UNION SELECT manager_name FROM companies
		UNION SELECT name FROM clients UNION SELECT name FROM customer_types UNION SELECT name FROM accounts
		UNION SELECT login FROM accounts
		UNION SELECT nick FROM identities UNION SELECT company_name FROM applications
		UNION SELECT contact_name FROM applications
		UNION SELECT address FROM applications UNION SELECT reason FROM applications
		UNION SELECT reject_reason FROM applications`,
	)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		if name != "" {
			names = append(names, name)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return names
}

// messages returns every text of a language, error messages and service agreement included.
func messages(t *testing.T, lang string) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, file := range []string{lang, "errors." + lang, "agreement." + lang} {
		text, err := os.ReadFile("../../locale/" + file + ".json")
		if err != nil {
			t.Fatal(err)
		}
		var messages map[string]any
		if err := json.Unmarshal(text, &messages); err != nil {
			t.Fatal(err)
		}
		collectTexts(messages, "", texts)
	}
	return texts
}

// collectTexts stores every text of a part of a catalogue under its key. key is the key of the part.
func collectTexts(value any, key string, texts map[string]string) {
	switch value := value.(type) {
	case string:
		texts[key] = value
	case []any:
		for i, item := range value {
			collectTexts(item, fmt.Sprintf("%s.%d", key, i), texts)
		}
	case map[string]any:
		for name, item := range value {
			collectTexts(item, strings.TrimPrefix(key+"."+name, "."), texts)
		}
	}
}

// fault returns what is wrong with a text, "" if nothing is.
func (w language) fault(text string) string {
	for _, name := range dottedName.FindAllString(text, -1) {
		if w.keys[name] != "" || name == text && w.groups[strings.Split(name, ".")[0]] {
			return "the key of a message instead of its text"
		}
	}
	rest := noLanguage.ReplaceAllString(w.names.Replace(text), " ")
	switch {
	case placeholder.MatchString(text):
		return "a placeholder without a value"
	case w.foreign[text] != "":
		return "a message in " + w.foreign[text]
	case w.lang != "zh" && han.MatchString(rest) && len([]rune(text)) > 1:
		// a single character is the icon of a company without a picture
		return "Chinese that is not a name"
	case w.lang == "zh":
		if word := latinWord.FindString(inEveryLanguage.ReplaceAllString(rest, " ")); word != "" {
			return "the foreign word " + word
		}
	}
	return ""
}

// readPage returns the texts of the page that are in its own language, and what is cut off: text that is wider or
// higher than its box, text outside the window or its button, a chosen option longer than its field.
const readPage = `() => {
	const page = document.documentElement, texts = new Set(), cut = new Set(), room = page.clientWidth
	const add = text => { text = (text || "").replace(/\s+/g, " ").trim(); if (text) texts.add(text) }
	const inPageLanguage = e => e.closest("[lang]") === page &&
		!e.closest("script, style, noscript, template, code, pre, [translate=no]")
	const shown = e => e.checkVisibility({visibilityProperty: true, opacityProperty: true}) &&
		!e.closest(".unseen, .skip")
	const report = (e, why) => cut.add(why + ": " + e.outerHTML.slice(0, 140))
	add(document.title)
	add(document.querySelector("meta[name=description]")?.content)
	document.querySelectorAll("body [aria-label], body [title], body [alt], body [placeholder]").forEach(e => {
		if (inPageLanguage(e)) for (const a of ["aria-label", "title", "alt", "placeholder"]) add(e.getAttribute(a))
	})
	const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), range = document.createRange()
	while (walker.nextNode()) {
		const node = walker.currentNode, e = node.parentElement
		if (!node.data.trim()) continue
		if (inPageLanguage(e)) add(node.data)
		if (!shown(e) || e.closest("select, textarea, script, style, template, noscript, title")) continue
		range.selectNodeContents(node)
		const boxes = [...range.getClientRects()].filter(r => r.width > 1)
		if (!boxes.length) continue
		const right = Math.max(...boxes.map(r => r.right)), left = Math.min(...boxes.map(r => r.left)),
			bottom = Math.max(...boxes.map(r => r.bottom))
		let scrolls = false, rolls = false
		for (let up = e; up && up !== document.body; up = up.parentElement) {
			const s = getComputedStyle(up), box = up.getBoundingClientRect()
			if (box.right <= 0) { scrolls = true; break }
			if (["auto", "scroll"].includes(s.overflowX)) scrolls = true
			if (["auto", "scroll"].includes(s.overflowY)) rolls = true
			if (!scrolls && ["hidden", "clip"].includes(s.overflowX) &&
				(right > box.right + 1 || left < box.left - 1)) {
				report(up, "beside its box")
				break
			}
			if (!rolls && ["hidden", "clip"].includes(s.overflowY) && bottom > box.bottom + 2) {
				report(up, "below its box")
				break
			}
			if (up.matches("button, .button, a.line, .chip") &&
				(right > box.right + 1 || left < box.left - 1 || bottom > box.bottom + 2)) {
				report(up, "outside")
				break
			}
		}
		if (!scrolls && (right > room + 1 || left < -1)) report(e, "outside the window")
	}
	const brush = document.createElement("canvas").getContext("2d")
	document.querySelectorAll("select").forEach(e => {
		if (!shown(e) || !e.selectedOptions[0]) return
		const s = getComputedStyle(e)
		brush.font = s.font
		const room = e.clientWidth - parseFloat(s.paddingLeft) - parseFloat(s.paddingRight)
		if (brush.measureText(e.selectedOptions[0].text).width > room + 1) report(e, "longer than its field")
	})
	return {Lang: page.lang, Texts: [...texts], Cut: [...cut]}
}`
