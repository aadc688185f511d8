package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-rod/rod/lib/proto"
)

// TestPicturesOfEveryPage takes a picture of every page, for people to look at: `make screens`. PORTICO_SHOTS names the
// folder; with PORTICO_SHOTS_FULL they reach below the window.
func TestPicturesOfEveryPage(t *testing.T) {
	dir := os.Getenv("PORTICO_SHOTS")
	if dir == "" {
		t.Skip("PORTICO_SHOTS names no folder: pictures are for people to look at")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	full := os.Getenv("PORTICO_SHOTS_FULL") != ""
	t.Run("in", func(t *testing.T) {
		for _, lang := range []string{"zh", "es"} {
			for _, on := range screens {
				t.Run(lang+" "+on.name, func(t *testing.T) {
					t.Parallel()
					photograph(t, dir, on, lang, full)
				})
			}
		}
	})
	if !full && !t.Failed() {
		indexPictures(t, dir)
	}
}

func photograph(t *testing.T, dir string, on screen, lang string, full bool) {
	t.Helper()
	eachView(t, on, lang, func(b *tab, name string) {
		if !full && !pictured(name) {
			return
		}
		for _, scheme := range []string{"light", "dark"} {
			b.look(scheme)
			b.shoot(filepath.Join(dir, fmt.Sprintf("%s-%d-%s-%s.webp", name, on.width, lang, scheme)), full)
		}
	})
}

// pictured are the pages whose pictures are kept: the others are one of these with a message beside a field.
func pictured(name string) bool {
	ending := func(end string) bool { return strings.HasSuffix(name, end) }
	return name == "appearance-refused" || name == "register-refused" || !slices.ContainsFunc([]string{"-refused", "-incomplete", "-question", "-registered", "-none"}, ending)
}

// indexPictures writes the table of what is in a folder of pictures.
func indexPictures(t *testing.T, dir string) {
	t.Helper()
	var text strings.Builder
	text.WriteString("# What every page looks like\n\nMade by `make screens` from the demo data: 360 × 740 and 1280 × 800, Chinese and Spanish, light and dark.\n" +
		"Pages that differ by a message beside a field alone are left out.\n\n| page | 360 zh | 360 es | 1280 zh | 1280 es |\n|---|---|---|---|---|\n")
	for _, views := range gallery {
		for _, v := range views {
			if !pictured(v.name) {
				continue
			}
			text.WriteString("| " + v.name)
			for _, width := range []int{phone.width, desktop.width} {
				for _, lang := range []string{"zh", "es"} {
					at := fmt.Sprintf("%s-%d-%s", v.name, width, lang)
					fmt.Fprintf(&text, " | [light](%s-light.webp) [dark](%s-dark.webp)", at, at)
				}
			}
			text.WriteString(" |\n")
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "README.md"), []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// shoot writes a picture of what is in the window, or of the whole page.
func (b *tab) shoot(path string, full bool) {
	b.t.Helper()
	quality := 55
	picture, err := b.Screenshot(full, &proto.PageCaptureScreenshot{Format: proto.PageCaptureScreenshotFormatWebp, Quality: &quality})
	b.must(err)
	b.must(os.WriteFile(path, picture, 0o644))
}
