package components

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"testing"
)

func TestTheShareablePicture(t *testing.T) {
	for name, look := range map[string]ShareLook{
		"platform": {}, "grain": {Industry: 118, Seed: 1001}, "sea": {Theme: "d9480f", Industry: 121, Seed: 1002}, "light": {Theme: "ffe066", Industry: 128, Seed: 3}, "dark": {Theme: "0b2545", Seed: 4},
	} {
		made, err := SharePicture(look)
		if err != nil {
			t.Fatal(err)
		}
		picture, err := png.Decode(bytes.NewReader(made))
		if err != nil || picture.Bounds() != image.Rect(0, 0, ShareWidth, ShareHeight) || len(made) > 100_000 {
			t.Errorf("%s: %v %v %d bytes", name, err, picture.Bounds(), len(made))
		}
		t.Log(name, len(made))
		if dir := os.Getenv("SHARE_OUT"); dir != "" {
			os.WriteFile(dir+"/"+name+".png", made, 0o600)
		}
	}
}
