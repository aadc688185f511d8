package program

import (
	_ "embed"
	"image"
	"image/color"
	"image/jpeg"
	"os"
	"path/filepath"
	"testing"
)

//go:embed testdata/licence.jpg
var licence []byte

// NewLicence writes a picture of a made-up business licence, a JPEG of 640 by 480 pixels, and returns its path.
func NewLicence(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "licence.jpg")
	if err := os.WriteFile(path, licence, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// NewPortrait writes a drawing of a head and shoulders, a JPEG of 480 by 480 pixels, and returns its path.
func NewPortrait(t *testing.T) string {
	t.Helper()
	portrait := image.NewRGBA(image.Rect(0, 0, 480, 480))
	for x := range 480 {
		for y := range 480 {
			portrait.Set(x, y, portraitColour(x, y))
		}
	}
	path := filepath.Join(t.TempDir(), "portrait.jpg")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	if err := jpeg.Encode(file, portrait, nil); err != nil {
		t.Fatal(err)
	}
	return path
}

// portraitColour returns the colour of the drawing at a point: hair, face, shirt or wall.
func portraitColour(x, y int) color.RGBA {
	within := func(left, top, width, height int) bool { // an ellipse
		dx, dy := (2*x-2*left-width)*height, (2*y-2*top-height)*width
		return dx*dx+dy*dy <= width*width*height*height
	}
	switch {
	case within(170, 130, 140, 180):
		return color.RGBA{0xe8, 0xbd, 0x9a, 0xff}
	case within(150, 90, 180, 170):
		return color.RGBA{0x2c, 0x24, 0x22, 0xff}
	case within(90, 330, 300, 320):
		return color.RGBA{0x3d, 0x6b, 0x8e, 0xff}
	case within(205, 270, 70, 110):
		return color.RGBA{0xd9, 0xaa, 0x86, 0xff}
	}
	return color.RGBA{0xd4, uint8(0xd0 - y/16), uint8(0xc4 - y/12), 0xff}
}
