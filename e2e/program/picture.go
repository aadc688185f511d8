package program

import (
	"image"
	"image/color"
	"image/jpeg"
	"os"
	"path/filepath"
	"testing"
)

// NewPhoto writes a JPEG of 640 by 480 pixels and returns its path.
func NewPhoto(t *testing.T) string {
	t.Helper()
	photo := image.NewRGBA(image.Rect(0, 0, 640, 480))
	for x := range 640 {
		for y := range 480 {
			photo.Set(x, y, color.RGBA{uint8(x / 3), uint8(y / 2), uint8(x ^ y), 255})
		}
	}
	path := filepath.Join(t.TempDir(), "licence.jpg")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	if err := jpeg.Encode(file, photo, nil); err != nil {
		t.Fatal(err)
	}
	return path
}
