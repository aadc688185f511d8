package page

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"portico/e2e/browser"
)

// TestPicturesOfEveryPage takes a picture of every page for people to look at: `make screens`. PORTICO_SHOTS names the
// folder. With PORTICO_SHOTS_FULL the pictures show whole pages. PORTICO_SHOTS_OF names the views wanted, by commas;
// then every picture of them is kept.
func TestPicturesOfEveryPage(t *testing.T) {
	dir := os.Getenv("PORTICO_SHOTS")
	if dir == "" {
		t.Skip("PORTICO_SHOTS names no folder: pictures are for people to look at")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	full := os.Getenv("PORTICO_SHOTS_FULL") != ""
	var only []string
	if names := os.Getenv("PORTICO_SHOTS_OF"); names != "" {
		only = strings.Split(names, ",")
	}
	t.Run("in", func(t *testing.T) {
		for _, lang := range picturedLanguages {
			for _, on := range browser.Screens {
				t.Run(lang+" "+on.Name, func(t *testing.T) {
					t.Parallel()
					takePictures(t, dir, on, lang, full, only)
				})
			}
		}
	})
	if !full && only == nil && !t.Failed() {
		indexPictures(t, dir)
	}
}

// takePictures takes the pictures of the views on a screen, in a language. only names the wanted ones; nil is all.
func takePictures(t *testing.T, dir string, on browser.Screen, lang string, full bool, only []string) {
	t.Helper()
	visitViews(t, gallery, on, lang, only, func(b *browser.Tab, name string) {
		if only != nil && !slices.Contains(only, name) {
			return
		}
		for _, scheme := range []string{"light", "dark"} {
			if !full && only == nil && !isKept(name, on, lang, scheme) {
				continue
			}
			browser.SetColourScheme(b, scheme)
			b.TakePicture(filepath.Join(dir, pictureName(name, on, lang, scheme)), full)
		}
	})
}

// pictureName is the file name of a picture.
func pictureName(name string, on browser.Screen, lang, scheme string) string {
	return fmt.Sprintf("%s-%d-%s-%s.webp", name, on.Width, lang, scheme)
}

// picturedLanguages are the languages of the pictures.
var picturedLanguages = []string{"zh", "es", "en"}

// mainPages are the pages that are kept in every language, size and colour scheme.
var mainPages = []string{
	"login", "login-code", "login-of-a-company", "company", "accounts", "security", "blocked", "register", "apply",
	"office",
}

// isKept reports whether a picture is kept. Pages that differ from another only by a message beside a field are left
// out. The main pages are kept in every combination. The others are kept in both sizes and colour schemes, so four
// times, with the languages by turns.
func isKept(name string, on browser.Screen, lang, scheme string) bool {
	isVariant := slices.ContainsFunc(
		[]string{"-refused", "-incomplete", "-question", "-registered", "-none"},
		func(end string) bool { return strings.HasSuffix(name, end) },
	)
	switch {
	case isVariant:
		return false
	case slices.Contains(mainPages, name):
		return true
	}
	turn := slices.IndexFunc(slices.Concat(gallery...), func(v view) bool { return v.name == name })
	if !on.Mobile {
		turn++
	}
	if scheme == "dark" {
		turn += 2
	}
	return lang == picturedLanguages[turn%len(picturedLanguages)]
}

// indexPictures writes a page that shows the pictures of a folder.
func indexPictures(t *testing.T, dir string) {
	t.Helper()
	var text strings.Builder
	text.WriteString("<!DOCTYPE html>\n<meta charset=utf-8>\n<title>Every page of Portico</title>\n" +
		"<style>body { font: 14px sans-serif } img { height: 370px; margin: 4px; border: 1px solid #888 }</style>\n" +
		"<h1>Every page of Portico</h1>\n" +
		"<p>Phones are 360 × 740, desktops 1280 × 800. Ten pages are here in three languages, both sizes, light and " +
		"dark; the others in both sizes, light and dark, with the languages by turns. Pages that differ by a message " +
		"beside a field alone are left out.</p>\n")
	for _, v := range slices.Concat(gallery...) {
		var pictures []string
		for _, on := range browser.Screens {
			for _, lang := range picturedLanguages {
				for _, scheme := range []string{"light", "dark"} {
					if isKept(v.name, on, lang, scheme) {
						pictures = append(pictures, fmt.Sprintf("<img loading=lazy alt=\"%d %s %s\" src=%s>",
							on.Width, lang, scheme, pictureName(v.name, on, lang, scheme)))
					}
				}
			}
		}
		if len(pictures) > 0 {
			fmt.Fprintf(&text, "<h2>%s</h2>\n%s\n", v.name, strings.Join(pictures, "\n"))
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "index.html"), []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
