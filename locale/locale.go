// Package locale has every text that people read, in Chinese, Spanish and English.
package locale

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/language"
)

// Lang is a language of the interface.
type Lang string

// The languages. Chinese is the default.
const (
	Chinese Lang = "zh"
	Spanish Lang = "es"
	English Lang = "en"
)

// Langs are all languages, in the order of the language switch.
var Langs = []Lang{Chinese, Spanish, English}

// Tag returns the language tag of a language as pages carry it: "zh-Hans", "es-419", "en". A screen reader and the
// choice of glyphs go by it.
func (l Lang) Tag() string {
	switch l {
	case Spanish:
		return "es-419"
	case English:
		return "en"
	}
	return "zh-Hans"
}

// Match returns the language with a code like "zh". ok is false for an unknown code.
func Match(code string) (lang Lang, ok bool) {
	for _, l := range Langs {
		if code == string(l) {
			return l, true
		}
	}
	return Chinese, false
}

// languages are those that the product speaks, in the order of Langs.
var languages = language.NewMatcher([]language.Tag{language.Chinese, language.Spanish, language.English})

// longestAccepted is the longest Accept-Language that is read, in bytes.
const longestAccepted = 200

// Accepted returns the language that an Accept-Language header asks for; false when it asks for none of ours.
func Accepted(header string) (Lang, bool) {
	if header == "" || len(header) > longestAccepted {
		return Chinese, false
	}
	tags, _, err := language.ParseAcceptLanguage(header)
	if err != nil || len(tags) == 0 {
		return Chinese, false
	}
	_, i, sure := languages.Match(tags...)
	if sure == language.No {
		return Chinese, false
	}
	return Langs[i], true
}

// Name returns a language's name in that language.
func (l Lang) Name() string { return messages[l]["language"] }

type langKey struct{}

// With returns a context with the language of a request.
func With(ctx context.Context, l Lang) context.Context { return context.WithValue(ctx, langKey{}, l) }

// Of returns the language of a request's context, Chinese when it has none.
func Of(ctx context.Context) Lang {
	if l, ok := ctx.Value(langKey{}).(Lang); ok {
		return l
	}
	return Chinese
}

// T returns the text of a key in the request's language. args are pairs: T(ctx, "key", "num", 5) replaces {num}. When
// "num" is 1 and there is a key with ".one" at its end, T returns the text of that key. For an unknown key it returns
// the key.
func T(ctx context.Context, key string, args ...any) string { return Of(ctx).T(key, args...) }

// T returns the text of a key in a language. An argument with a method TextKey is replaced by the text of that key.
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
		if singular, plural := messages[l][key+".one"]; plural && name == "num" && value == "1" {
			text = singular
		}
		text = strings.ReplaceAll(text, "{"+name+"}", value)
	}
	return strings.TrimRight(text, " ") // the last argument may be empty
}

// Industry returns the name of an industry, without its soft hyphens.
func (l Lang) Industry(id int64) string {
	return strings.ReplaceAll(l.T("trade."+strconv.FormatInt(id, 10)), "\u00ad", "")
}

// Sandbox returns the names in a sandbox of an industry: of the company, of the person who tries it, and of the
// customer that orders there.
func (l Lang) Sandbox(industry int64) (company, person, customer string) {
	return l.T("sandbox.company", "trade", l.Industry(industry)), l.T("sandbox.person"), l.T("sandbox.customer")
}

// Has says whether there is a text for a key.
func Has(key string) bool { _, ok := messages[Chinese][key]; return ok }

// Date formats a date by the rules of the language.
func (l Lang) Date(t time.Time) string {
	switch l {
	case Spanish:
		return fmt.Sprintf("%d de %s de %d", t.Day(), spanishMonths[t.Month()-1], t.Year())
	case English:
		return t.Format("2 January 2006")
	}
	return t.Format("2006年1月2日")
}

// Weekday formats a date of the current year with its day of the week.
func (l Lang) Weekday(t time.Time) string {
	switch l {
	case Spanish:
		return fmt.Sprintf("%s %d de %s", spanishWeekdays[t.Weekday()], t.Day(), spanishMonths[t.Month()-1])
	case English:
		return t.Format("Monday, 2 January")
	}
	return t.Format("1月2日 ") + chineseWeekdays[t.Weekday()]
}

var (
	spanishWeekdays = [...]string{"Domingo", "Lunes", "Martes", "Miércoles", "Jueves", "Viernes", "Sábado"}
	chineseWeekdays = [...]string{"星期日", "星期一", "星期二", "星期三", "星期四", "星期五", "星期六"}
)

var spanishMonths = [...]string{"enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre",
	"octubre", "noviembre", "diciembre"}

// AgreementText is a version of the service agreement in one language. Version is the date from which it applies, like
// "2026-11-01", and Updated the same date for readers. Changes is one line about what has changed. Again says that
// people who accepted an earlier version must accept this one, too.
type AgreementText struct {
	Version  string             `json:"version"`
	Title    string             `json:"title"`
	Updated  string             `json:"updated"`
	Changes  string             `json:"changes"`
	Again    bool               `json:"again"`
	Intro    string             `json:"intro"`
	Sections []AgreementSection `json:"sections"`
}

// AgreementSection is a section of the agreement. ID is the same in every language.
type AgreementSection struct {
	ID         string   `json:"id"`
	Title      string   `json:"title"`
	Paragraphs []string `json:"paragraphs"`
}

// Agreement returns the current service agreement in a language.
func (l Lang) Agreement() AgreementText { return agreements[l][0] }

// Agreements returns all versions of the service agreement, the current one first.
func (l Lang) Agreements() []AgreementText { return agreements[l] }

var (
	messages   = load()
	agreements = loadAgreements()
)

// load reads the texts: those of LANG.json, and those of errors.LANG.json with "error." before their keys.
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

// loadAgreements reads the current version, agreement.LANG.json, and the former ones, agreement.VERSION.LANG.json.
func loadAgreements() map[Lang][]AgreementText {
	all := map[Lang][]AgreementText{}
	for _, l := range Langs {
		names, _ := fs.Glob(catalogues, "agreement.*"+string(l)+".json") // the pattern is well formed
		for _, name := range names {
			var a AgreementText
			decode(name, &a)
			all[l] = append(all[l], a)
		}
		slices.Reverse(all[l]) // Glob sorts the names: digits before letters
	}
	return all
}

func decode(name string, v any) {
	text, err := fs.ReadFile(catalogues, name)
	if err == nil {
		err = json.Unmarshal(text, v)
	}
	if err != nil {
		panic(fmt.Sprintf("locale: %s: %v", name, err)) // cannot happen: the file is embedded
	}
}
