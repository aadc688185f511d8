// Package locale holds every sentence a person reads, in Chinese, Spanish and English.
package locale

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"
)

//go:embed *.json
var catalogues embed.FS

// Lang is a language of the interface.
type Lang string

// The languages; Chinese is the default (specification section 9).
const (
	Chinese Lang = "zh"
	Spanish Lang = "es"
	English Lang = "en"
)

// Langs are all of them, in the order the switch shows.
var Langs = []Lang{Chinese, Spanish, English}

// Match reads a language's code; ok is false for anything else.
func Match(code string) (lang Lang, ok bool) {
	for _, l := range Langs {
		if code == string(l) {
			return l, true
		}
	}
	return Chinese, false
}

// Name is a language's name in itself.
func (l Lang) Name() string { return messages[l]["language"] }

type langKey struct{}

// With notes the language of a request.
func With(ctx context.Context, l Lang) context.Context { return context.WithValue(ctx, langKey{}, l) }

// Of is the language of a request, Chinese when none was noted.
func Of(ctx context.Context) Lang {
	if l, ok := ctx.Value(langKey{}).(Lang); ok {
		return l
	}
	return Chinese
}

// T is the text of a key in the request's language. args are pairs: T(ctx, "key", "num", 5) fills {num}.
// A key with a ".one" sibling uses that one where "num" is 1. An unknown key gives the key itself.
func T(ctx context.Context, key string, args ...any) string { return Of(ctx).T(key, args...) }

// T is the text of a key in a language. An argument with a TextKey stands for that text.
func (l Lang) T(key string, args ...any) string {
	text, ok := messages[l][key]
	if !ok {
		return key
	}
	for i := 0; i+1 < len(args); i += 2 {
		name, value := args[i].(string), fmt.Sprint(args[i+1])
		if worded, ok := args[i+1].(interface{ TextKey() string }); ok && value != "" {
			value = l.T(worded.TextKey())
		}
		if one, plural := messages[l][key+".one"]; plural && name == "num" && value == "1" {
			text = one
		}
		text = strings.ReplaceAll(text, "{"+name+"}", value)
	}
	return strings.TrimRight(text, " ") // an argument without a value may have stood at the end
}

// Industry is the name of an industry (specification section 3), without the places where it may break.
func (l Lang) Industry(id int64) string {
	return strings.ReplaceAll(l.T("trade."+strconv.FormatInt(id, 10)), "\u00ad", "")
}

// Sandbox is what a sandbox of an industry is called, the person who tries it, and the customer that orders there.
func (l Lang) Sandbox(industry int64) (company, person, customer string) {
	return l.T("sandbox.company", "trade", l.Industry(industry)), l.T("sandbox.person"), l.T("sandbox.customer")
}

// Has says whether a key has a text.
func Has(key string) bool { _, ok := messages[Chinese][key]; return ok }

// Date writes a day the way the language does.
func (l Lang) Date(t time.Time) string {
	switch l {
	case Spanish:
		return fmt.Sprintf("%d de %s de %d", t.Day(), spanishMonths[t.Month()-1], t.Year())
	case English:
		return t.Format("2 January 2006")
	}
	return t.Format("2006年1月2日")
}

var spanishMonths = [...]string{"enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre"}

// AgreementText is one version of the service agreement in one language. Version is the day from which it holds, "2026-11-01",
// Updated the same in words, Changes one line on what is different in it. Again: whoever accepted an earlier one is asked anew.
type AgreementText struct {
	Version  string             `json:"version"`
	Title    string             `json:"title"`
	Updated  string             `json:"updated"`
	Changes  string             `json:"changes"`
	Again    bool               `json:"again"`
	Intro    string             `json:"intro"`
	Sections []AgreementSection `json:"sections"`
}

// AgreementSection is one section of it; ID is the same in every language.
type AgreementSection struct {
	ID         string   `json:"id"`
	Title      string   `json:"title"`
	Paragraphs []string `json:"paragraphs"`
}

// Agreement is the present service agreement in a language.
func (l Lang) Agreement() AgreementText { return agreements[l][0] }

// Agreements are all its versions, the present one first.
func (l Lang) Agreements() []AgreementText { return agreements[l] }

var (
	messages   = load()
	agreements = loadAgreements()
)

// load reads LANG.json and errors.LANG.json, the latter under "error.".
func load() map[Lang]map[string]string {
	all := map[Lang]map[string]string{}
	for _, l := range Langs {
		texts, refusals := map[string]string{}, map[string]string{}
		decode(string(l)+".json", &texts)
		decode("errors."+string(l)+".json", &refusals)
		for code, text := range refusals {
			texts["error."+code] = text
		}
		all[l] = texts
	}
	return all
}

// loadAgreements reads agreement.LANG.json, the present version, and agreement.VERSION.LANG.json, those before it.
func loadAgreements() map[Lang][]AgreementText {
	all := map[Lang][]AgreementText{}
	for _, l := range Langs {
		names, _ := fs.Glob(catalogues, "agreement.*"+string(l)+".json") // the pattern is well formed
		for _, name := range names {
			var a AgreementText
			decode(name, &a)
			all[l] = append(all[l], a)
		}
		slices.Reverse(all[l]) // names come in order, digits before letters
	}
	return all
}

func decode(name string, v any) {
	text, err := catalogues.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(text, v)
	}
	if err != nil {
		panic(fmt.Sprintf("locale: %s: %v", name, err)) // embedded at build time
	}
}
