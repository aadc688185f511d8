package components

import (
	"bytes"
	"image"
	"image/png"
	"math"
	"strconv"
	"testing"

	"portico/assets"
	"portico/components/outline"
	"portico/locale"
)

func TestSharePictureIsSmallAndDiffersPerCompany(t *testing.T) {
	seen := map[string]string{}
	for name, look := range map[string]ShareLook{
		"platform": {}, "grain": {Industry: 118, Seed: 1}, "grain too": {Industry: 118, Seed: 2},
		"sea": {Theme: "d9480f", Industry: 121, Seed: 1}, "bright": {Theme: "ffffff"}, "dark": {Theme: "000000"},
		"words": {Words: "words-platform-zh"}, "other words": {Words: "words-company-es"},
	} {
		made, err := SharePicture(look)
		if err != nil {
			t.Fatal(err)
		}
		picture, err := png.Decode(bytes.NewReader(made))
		if err != nil || picture.Bounds() != image.Rect(0, 0, ShareWidth, ShareHeight) || len(made) > 100_000 {
			t.Errorf("%s: %v, %d bytes", name, err, len(made))
		}
		if other := seen[string(made)]; other != "" {
			t.Errorf("%s looks like %s", name, other)
		}
		seen[string(made)] = name
	}
	if _, err := SharePicture(ShareLook{Icon: []byte("no picture")}); err == nil {
		t.Error("a broken icon is drawn")
	}
}

func TestTheWordsOfEveryLanguageFitThePicture(t *testing.T) {
	for _, l := range locale.Langs {
		for _, of := range []string{"platform", "company"} {
			words := wordsBelow("words-" + of + "-" + string(l))
			if len(words) == 0 {
				t.Errorf("%s has no words in %s", of, l)
			}
			for _, part := range words {
				for _, p := range part {
					if p.X < 60 || p.X > ShareWidth-60 || p.Y < wordsTop || p.Y > wordsTop+wordsHeight*1.2 {
						t.Fatalf("the words of %s in %s leave their place: %v", of, l, p)
					}
				}
			}
		}
	}
}

func TestEveryIndustryDrawingIsParsed(t *testing.T) {
	for _, id := range assets.Trades {
		drawing := outlineOfDrawing("i-" + strconv.Itoa(id))
		if len(drawing) == 0 {
			t.Errorf("%d has no drawing", id)
		}
		for _, part := range append(drawing, drawing.Stroke(1.75)...) {
			for _, p := range part {
				if math.IsNaN(p.X+p.Y) || p.X < 0 || p.Y < 0 || p.X > 24 || p.Y > 24 {
					t.Errorf("%d leaves its square: %v", id, p)
				}
			}
		}
	}
}

func TestArcEndsAtItsEndPoint(t *testing.T) {
	half := outline.Of("M0 0a5 5 0 0110 0")[0]
	if end := half[len(half)-1]; end != (outline.Point{X: 10}) {
		t.Error(end)
	}
	if top := half[len(half)/2]; math.Abs(top.X-5) > .5 || math.Abs(top.Y+5) > .1 {
		t.Error("it bends the other way", top)
	}
}
