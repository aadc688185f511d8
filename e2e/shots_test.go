package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

func TestPicturesOfEveryPage(t *testing.T) {
	dir := os.Getenv("PORTICO_SHOTS")
	if dir == "" {
		t.Skip("PORTICO_SHOTS names no folder: pictures are for people to look at")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, lang := range []string{"zh", "es"} {
		for _, on := range screens {
			t.Run(lang+" "+on.name, func(t *testing.T) {
				t.Parallel()
				eachView(t, on, lang, func(b *tab, name string) {
					for _, scheme := range []string{"light", "dark"} {
						b.look(scheme)
						b.shoot(filepath.Join(dir, fmt.Sprintf("%s-%s-%s-%s.png", name, on.name, scheme, lang)))
					}
				})
			})
		}
	}
}
