package samples_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"portico/portal/portaltest"
	"portico/portal/samples"
)

// EachSamplePack runs a test for the pack of every industry, and for that of the demo.
func EachSamplePack(t *testing.T, test func(t *testing.T, pack *samples.SamplePack)) {
	EachIndustry(t, test)
	t.Run("seafood", func(t *testing.T) { test(t, samples.Seafood()) })
}

// EachIndustry runs a test for the pack of every industry.
func EachIndustry(t *testing.T, test func(t *testing.T, pack *samples.SamplePack)) {
	for _, industry := range samples.Industries() {
		t.Run(fmt.Sprint(industry), func(t *testing.T) {
			pack, ok := samples.Samples(industry)
			if !ok {
				t.Fatal("there is no pack")
			}
			test(t, pack)
		})
	}
}

func TestEachIndustryHasOneSamplePack(t *testing.T) {
	if want := []int64{
		118, 729, 724, 121, 128, 117, 124, 116, 119, 122, 123, 725,
	}; !slices.Equal(samples.Industries(), want) {
		t.Errorf("the industries are %v, want %v", samples.Industries(), want)
	}
	EachIndustry(t, func(t *testing.T, pack *samples.SamplePack) {
		file := filepath.Base(t.Name()) + ".json"
		if fmt.Sprint(pack.Industry)+".json" != file {
			t.Errorf("%s is the pack of %d", file, pack.Industry)
		}
		text, err := os.ReadFile(filepath.Join("packs", file))
		portaltest.NoError(t, err)
		strict := json.NewDecoder(bytes.NewReader(text))
		strict.DisallowUnknownFields()
		portaltest.NoError(t, strict.Decode(&samples.SamplePack{}))
		again, _ := samples.Samples(pack.Industry)
		if again != pack {
			t.Error("the pack is parsed at each use")
		}
	})
	if files := SampleFileNames(t, "packs/*.json"); len(files) != len(samples.Industries()) {
		t.Errorf("%d packs for %d industries: %v", len(files), len(samples.Industries()), files)
	}
	for _, unknown := range []int64{0, -118, 120} {
		if _, ok := samples.Samples(unknown); ok {
			t.Errorf("there are samples for %d", unknown)
		}
	}
}

// The company of the demo that is named after seafood sells nothing else. Its texts are translated beside those of the
// pack of its industry, so no key of one pack is in the other.
func TestTheSeafoodPackHasNothingButSeafood(t *testing.T) {
	pack := samples.Seafood()
	fresh, _ := samples.Samples(pack.Industry)
	for _, c := range pack.Categories {
		if !slices.Contains([]string{"fish", "shrimp", "shell", "squid", "crab"}, c.Picture) {
			t.Errorf("%s is drawn as %s", c.Key, c.Picture)
		}
	}
	SampleKeys(t, append(slices.Clone(pack.Categories), fresh.Categories...),
		func(c samples.SampleCategory) string { return c.Key })
	SampleKeys(t, append(slices.Clone(pack.Products), fresh.Products...),
		func(p samples.SampleProduct) string { return p.Key })
	SampleKeys(t, append(slices.Clone(pack.Customers), fresh.Customers...),
		func(c samples.SampleCustomer) string { return c.Key })
}

func TestSamplesFillAShop(t *testing.T) {
	EachSamplePack(t, func(t *testing.T, pack *samples.SamplePack) {
		inCategory := map[string]int{}
		for _, p := range pack.Products {
			inCategory[p.Category]++
			if p.Price <= 0 || p.Stock <= 0 {
				t.Errorf("%s costs %d and there are %d", p.Key, p.Price, p.Stock)
			}
		}
		for _, c := range pack.Categories {
			if inCategory[c.Key] < 3 {
				t.Errorf("%s holds %d products", c.Key, inCategory[c.Key])
			}
		}
		if len(pack.Categories) < 3 || len(pack.Products) < 12 || len(pack.Customers) < 4 || len(pack.Orders) < 6 {
			t.Errorf("%d categories, %d products, %d customers, %d orders",
				len(pack.Categories), len(pack.Products), len(pack.Customers), len(pack.Orders))
		}
	})
}

func TestSamplesReferOnlyToExistingEntries(t *testing.T) {
	EachSamplePack(t, func(t *testing.T, pack *samples.SamplePack) {
		categories := SampleKeys(t, pack.Categories, func(c samples.SampleCategory) string { return c.Key })
		products := SampleKeys(t, pack.Products, func(p samples.SampleProduct) string { return p.Key })
		customers := SampleKeys(t, pack.Customers, func(c samples.SampleCustomer) string { return c.Key })
		for _, p := range pack.Products {
			if _, ok := categories[p.Category]; !ok {
				t.Errorf("%s is in no category: %q", p.Key, p.Category)
			}
		}
		for i, o := range pack.Orders {
			if _, ok := customers[o.Customer]; !ok {
				t.Errorf("order %d is nobody's: %q", i, o.Customer)
			}
			SampleKeys(t, o.Lines, func(l samples.SampleLine) string { return l.Product })
			for _, l := range o.Lines {
				p, ok := products[l.Product]
				if !ok {
					t.Errorf("order %d wants what is not sold: %q", i, l.Product)
				}
				if l.Quantity <= 0 || l.Quantity > p.Stock {
					t.Errorf("order %d wants %d of %s, there are %d", i, l.Quantity, l.Product, p.Stock)
				}
			}
		}
	})
}

// SampleKeys indexes a list by its keys, which must be words of small letters, figures and hyphens, none twice.
func SampleKeys[E any](t *testing.T, list []E, key func(E) string) map[string]E {
	t.Helper()
	byKey := map[string]E{}
	for _, e := range list {
		k := key(e)
		if k == "" || strings.Trim(k, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
			t.Errorf("%q is no key", k)
		}
		if _, twice := byKey[k]; twice {
			t.Errorf("%s is listed twice", k)
		}
		byKey[k] = e
	}
	return byKey
}

func TestSampleOrdersAreRecentAndSomeArePending(t *testing.T) {
	EachSamplePack(t, func(t *testing.T, pack *samples.SamplePack) {
		waiting := 0
		for i, o := range pack.Orders {
			switch o.State {
			case "new":
				waiting++
			case "confirmed":
			default:
				t.Errorf("order %d is %q", i, o.State)
			}
			if o.DaysAgo < 0 || o.DaysAgo > 30 || o.Hour < 0 || o.Hour > 23 {
				t.Errorf("order %d was placed %d days ago at %d", i, o.DaysAgo, o.Hour)
			}
			if len(o.Lines) < 1 || len(o.Lines) > 5 {
				t.Errorf("order %d has %d lines", i, len(o.Lines))
			}
		}
		if waiting == 0 || waiting == len(pack.Orders) {
			t.Errorf("%d of %d orders are new", waiting, len(pack.Orders))
		}
	})
}

func TestSampleTextsAreWrittenInEveryLanguage(t *testing.T) {
	EachSamplePack(t, func(t *testing.T, pack *samples.SamplePack) {
		for _, c := range pack.Categories {
			CheckWords(t, c.Key, c.Name)
		}
		for _, p := range pack.Products {
			CheckWords(t, p.Key+" name", p.Name)
			CheckWords(t, p.Key+" spec", p.Spec)
			CheckWords(t, p.Key+" unit", p.Unit)
		}
		for _, c := range pack.Customers {
			CheckWords(t, c.Key+" name", c.Name)
			CheckWords(t, c.Key+" contact", c.Contact)
		}
		for _, lang := range []string{"zh", "es", "en"} {
			seen := map[string]bool{}
			for _, p := range pack.Products {
				if text := p.Name.In(lang); seen[text] {
					t.Errorf("two products are called %q", text)
				} else {
					seen[text] = true
				}
			}
		}
	})
}

// CheckWords fails the test unless a text is written properly in all three languages.
func CheckWords(t *testing.T, what string, w samples.Words) {
	t.Helper()
	for _, text := range []string{w.ZH, w.ES, w.EN} {
		if text == "" || text != strings.Join(strings.Fields(text), " ") || strings.ContainsAny(text, "{}<>|_") {
			t.Errorf("%s: %q", what, text)
		}
	}
	if !strings.ContainsFunc(w.ZH, IsHan) {
		t.Errorf("%s: %q is not Chinese", what, w.ZH)
	}
	for _, text := range []string{w.ES, w.EN} {
		if strings.ContainsFunc(text, IsEastAsian) {
			t.Errorf("%s: %q has Chinese left in it", what, text)
		}
	}
	if w.ES == w.EN {
		t.Errorf("%s: %q in Spanish and in English", what, w.ES)
	}
}

// IsHan says whether r is a Chinese character.
func IsHan(r rune) bool { return unicode.Is(unicode.Han, r) }

// IsEastAsian is true of Han characters and of the punctuation and wide forms that go with them.
func IsEastAsian(r rune) bool {
	return IsHan(r) || r >= 0x3000 && r <= 0x303f || r >= 0xff00 && r <= 0xffef
}

func TestASampleTextIsChineseForAnUnknownLanguage(t *testing.T) {
	w := samples.Words{ZH: "大米", ES: "Arroz", EN: "Rice"}
	for lang, want := range map[string]string{"zh": "大米", "es": "Arroz", "en": "Rice", "": "大米", "fr": "大米"} {
		if got := w.In(lang); got != want {
			t.Errorf("in %q it is %q, want %q", lang, got, want)
		}
	}
}

func TestSamplePicturesAreLineDrawingsAndEachIsUsed(t *testing.T) {
	used := map[string]bool{}
	EachSamplePack(t, func(t *testing.T, pack *samples.SamplePack) {
		for _, c := range pack.Categories {
			used[c.Picture] = true
			if _, ok := samples.SamplePicture(c.Picture); !ok {
				t.Errorf("%s has no picture %q", c.Key, c.Picture)
			}
		}
		for _, p := range pack.Products {
			used[p.Picture] = true
			if _, ok := samples.SamplePicture(p.Picture); !ok && p.Picture != "" {
				t.Errorf("%s has no picture %q", p.Key, p.Picture)
			}
		}
	})
	for _, file := range SampleFileNames(t, "packs/pictures/*") {
		name, ok := strings.CutSuffix(filepath.Base(file), ".svg")
		if !ok || !used[name] {
			t.Errorf("%s is the picture of no category and no product", file)
			continue
		}
		t.Run(name, func(t *testing.T) {
			svg, ok := samples.SamplePicture(name)
			if !ok || len(svg) > 700 {
				t.Errorf("found %t, %d bytes", ok, len(svg))
			}
			IsLineDrawing(t, svg)
		})
	}
	for _, unknown := range []string{"", "dragon", "../118", "pictures/rice", "rice.svg"} {
		if _, ok := samples.SamplePicture(unknown); ok {
			t.Errorf("there is a picture %q", unknown)
		}
	}
}

var (
	SampleFrame = map[string]string{
		"xmlns": "http://www.w3.org/2000/svg", "viewBox": "0 0 48 48", "fill": "none", "stroke": "currentColor",
		"stroke-width": "1.75", "stroke-linecap": "round", "stroke-linejoin": "round",
	}
	SampleShapes = map[string][]string{
		"g": {}, "path": {"d"}, "circle": {"cx", "cy", "r"}, "ellipse": {"cx", "cy", "rx", "ry"},
		"rect": {"x", "y", "width", "height", "rx", "ry"}, "line": {"x1", "y1", "x2", "y2"}, "polyline": {"points"},
	}
)

// IsLineDrawing demands an svg with the attributes of SampleFrame, and in it nothing but shapes and what describes
// their geometry: no text, no style, no script, no reference.
func IsLineDrawing(t *testing.T, svg []byte) {
	t.Helper()
	tokens := xml.NewDecoder(bytes.NewReader(svg))
	for first := true; ; {
		token, err := tokens.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		portaltest.NoError(t, err)
		switch token := token.(type) {
		case xml.StartElement:
			IsLineElement(t, token, first)
			first = false
		case xml.EndElement:
		case xml.CharData:
			if len(bytes.TrimSpace(token)) > 0 {
				t.Errorf("text: %q", token)
			}
		default:
			t.Errorf("%T", token)
		}
	}
}

func IsLineElement(t *testing.T, e xml.StartElement, root bool) {
	t.Helper()
	if root {
		if e.Name.Local != "svg" || len(e.Attr) != len(SampleFrame) {
			t.Errorf("the root is %s with %d attributes", e.Name.Local, len(e.Attr))
		}
		for _, a := range e.Attr {
			if a.Name.Space != "" || SampleFrame[a.Name.Local] != a.Value {
				t.Errorf("the root has %s=%q", a.Name.Local, a.Value)
			}
		}
		return
	}
	geometry, ok := SampleShapes[e.Name.Local]
	if !ok || e.Name.Space != SampleFrame["xmlns"] {
		t.Errorf("%s:%s is no shape", e.Name.Space, e.Name.Local)
	}
	for _, a := range e.Attr {
		if a.Name.Space != "" || !slices.Contains(geometry, a.Name.Local) {
			t.Errorf("%s has %s:%s", e.Name.Local, a.Name.Space, a.Name.Local)
		}
	}
}

func TestSamplesStaySmall(t *testing.T) {
	size := func(pattern string) (files, total int) {
		for _, name := range SampleFileNames(t, pattern) {
			at, err := os.Stat(name)
			portaltest.NoError(t, err)
			total += int(at.Size())
			files++
		}
		return files, total
	}
	packs, packBytes := size("packs/*.json")
	pictures, pictureBytes := size("packs/pictures/*.svg")
	t.Logf(
		"%d packs of %d bytes, %d pictures of %d bytes: %d KB", packs, packBytes, pictures, pictureBytes,
		(packBytes+pictureBytes+1023)/1024,
	)
	if packBytes+pictureBytes > 220<<10 {
		t.Error("more than 220 KB go into the program")
	}
}

func SampleFileNames(t *testing.T, pattern string) []string {
	t.Helper()
	names, err := filepath.Glob(pattern)
	portaltest.NoError(t, err)
	return names
}
