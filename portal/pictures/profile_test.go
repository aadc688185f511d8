package pictures_test

import (
	"bytes"
	"compress/zlib"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"slices"
	"testing"

	"portico/portal/pictures"
	"portico/portal/picturetest"
	"portico/portal/portaltest"
)

// plain returns a picture of one colour.
func plain(c color.Color) image.Image {
	m := image.NewNRGBA(image.Rect(0, 0, 64, 64))
	draw.Draw(m, m.Rect, image.NewUniform(c), image.Point{}, draw.Src)
	return m
}

func plainJPEG(t *testing.T, c color.Color, segments ...[]byte) []byte {
	t.Helper()
	var out bytes.Buffer
	portaltest.NoError(t, jpeg.Encode(&out, plain(c), &jpeg.Options{Quality: 100}))
	data := out.Bytes()
	for _, segment := range slices.Backward(segments) {
		data = picturetest.WithSegment(data, 0xe2, segment)
	}
	return data
}

func plainPNG(t *testing.T, c color.Color, chunks ...[2]string) []byte {
	t.Helper()
	var out bytes.Buffer
	portaltest.NoError(t, png.Encode(&out, plain(c)))
	data := out.Bytes()
	for _, chunk := range slices.Backward(chunks) {
		data = picturetest.WithChunk(data, chunk[0], []byte(chunk[1]))
	}
	return data
}

// part returns a segment of a JPEG with a part of a profile.
func part(number, of byte, profile []byte) []byte {
	return append(append([]byte("ICC_PROFILE\x00"), number, of), profile...)
}

// packedProfile returns the content of the iCCP chunk of a PNG: a name, the method of compression, the packed profile.
func packedProfile(t *testing.T, profile []byte) string {
	t.Helper()
	out := bytes.NewBufferString("name\x00\x00")
	w := zlib.NewWriter(out)
	_, err := w.Write(profile)
	portaltest.NoError(t, err)
	portaltest.NoError(t, w.Close())
	return out.String()
}

// wantColour cleans a picture and compares the colour in its middle.
func wantColour(t *testing.T, what string, data []byte, into pictures.Shape, want color.NRGBA) {
	t.Helper()
	made, _, err := barePictures(nil).Clean(t.Context(), someShop, bytes.NewReader(data), into)
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	m, _, err := image.Decode(bytes.NewReader(made.Data))
	portaltest.NoError(t, err)
	got := color.NRGBAModel.Convert(m.At(m.Bounds().Dx()/2, m.Bounds().Dy()/2)).(color.NRGBA)
	far := func(a, b uint8) bool { return max(a, b)-min(a, b) > 2 }
	if far(got.R, want.R) || far(got.G, want.G) || far(got.B, want.B) || far(got.A, want.A) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func TestPicturesWithAProfileAreStoredInTheColoursOfTheWeb(t *testing.T) {
	red, blue, grey := color.NRGBA{200, 30, 30, 255}, color.NRGBA{30, 60, 200, 255}, color.NRGBA{128, 128, 128, 255}
	redP3, blueP3 := color.NRGBA{184, 50, 41, 255}, color.NRGBA{37, 59, 192, 255}
	redAdobe, blueAdobe := color.NRGBA{171, 35, 35, 255}, color.NRGBA{45, 62, 195, 255}
	p3 := picturetest.Profile(picturetest.DisplayP3, picturetest.CurveOfSRGB())
	adobe := picturetest.Profile(picturetest.AdobeRGB, picturetest.Points(563))
	for _, c := range []struct {
		what string
		data []byte
		want color.NRGBA
	}{
		{"Display P3, JPEG", plainJPEG(t, redP3, part(1, 1, p3)), red},
		{"Display P3, JPEG, blue", plainJPEG(t, blueP3, part(1, 1, p3)), blue},
		{"in two parts", plainJPEG(t, redP3, part(1, 2, p3[:200]), part(2, 2, p3[200:])), red},
		{"grey stays grey", plainJPEG(t, grey, part(1, 1, p3)), grey},
		{"Display P3, PNG", plainPNG(t, redP3, [2]string{"iCCP", packedProfile(t, p3)}), red},
		{"Display P3, PNG with cICP", plainPNG(t, redP3, [2]string{"cICP", "\x0c\x0d\x00\x01"}), red},
		{"a cICP chunk wins over a profile",
			plainPNG(t, red, [2]string{"cICP", "\x01\x0d\x00\x01"}, [2]string{"iCCP", packedProfile(t, p3)}), red},
		{"Adobe RGB", plainJPEG(t, redAdobe, part(1, 1, adobe)), red},
		{"Adobe RGB, blue", plainJPEG(t, blueAdobe, part(1, 1, adobe)), blue},
		{"no profile", plainJPEG(t, red), red},
		{"sRGB", plainJPEG(t, red, part(1, 1, picturetest.Profile(picturetest.SRGB, picturetest.CurveOfSRGB()))), red},
		{"parts in disorder", plainJPEG(t, red, part(2, 2, p3[200:]), part(1, 2, p3[:200])), red},
		{"a gamma alone changes nothing", plainPNG(t, grey, [2]string{"gAMA", "\x00\x00\xb1\x8f"}), grey},
	} {
		wantColour(t, c.what, c.data, pictures.AsLicence, c.want)
	}
	half := color.NRGBA{184, 50, 41, 200}
	wantColour(t, "half transparent", plainPNG(t, half, [2]string{"iCCP", packedProfile(t, p3)}), pictures.AsIcon,
		color.NRGBA{200, 30, 30, 200})
	// The same WebP with and without a profile must give different pictures.
	web := picturetest.WithProfile(p3)
	made, _, err := barePictures(nil).Clean(t.Context(), someShop, bytes.NewReader(web), pictures.AsLicence)
	portaltest.NoError(t, err)
	web = picturetest.WebP(40, 30)
	bare, _, err := barePictures(nil).Clean(t.Context(), someShop, bytes.NewReader(web), pictures.AsLicence)
	portaltest.NoError(t, err)
	if bytes.Equal(made.Data, bare.Data) {
		t.Error("the profile of a WebP is not read")
	}
}

// A file of 5 MB has room for thousands of profiles that each expand to 256 KB.
func TestManyProfilesCostAsMuchAsOne(t *testing.T) {
	p3 := picturetest.Profile(picturetest.DisplayP3, picturetest.Points(make([]uint16, 4096)...))
	chunk := packedProfile(t, append(p3, make([]byte, 200<<10)...))
	cost := func(n int) uint64 {
		data := plainPNG(t, color.Black)
		for range n {
			data = picturetest.WithChunk(data, "iCCP", []byte(chunk))
		}
		began := pictures.Allocated()
		portaltest.NoError(t, pictures.LookAtPicture(data))
		return pictures.Allocated() - began
	}
	if one, many := cost(1), cost(50); many > 3*one {
		t.Errorf("one takes %d bytes, fifty take %d", one, many)
	}
}

// The same curve in another notation gives the same colours.
func TestCurvesOfProfilesAreReadInEveryForm(t *testing.T) {
	straight := []uint16{0, 65535}
	for what, c := range map[string]struct{ one, other []byte }{
		"an exponent as a formula": {picturetest.Points(512), picturetest.Formula(0, 2)},
		"a straight line":          {picturetest.Points(), picturetest.Points(straight...)},
		"a line as a formula":      {picturetest.Points(), picturetest.Formula(0, 1)},
		"the second formula":       {picturetest.Formula(0, 2), picturetest.Formula(1, 2, 1, 0)},
		"the third formula":        {picturetest.Formula(0, 2), picturetest.Formula(2, 2, 1, 0, 0)},
		"the fourth formula":       {picturetest.Formula(0, 2), picturetest.Formula(3, 2, 1, 0, 1, 0)},
		"the fifth formula":        {picturetest.Formula(0, 2), picturetest.Formula(4, 2, 1, 0, 1, 0, 0, 0)},
		"the curve of sRGB": {picturetest.CurveOfSRGB(),
			picturetest.Formula(4, 2.4, 1/1.055, 0.055/1.055, 1/12.92, 0.04045, 0, 0)},
	} {
		one := pictures.LightOf(picturetest.Profile(picturetest.DisplayP3, c.one))
		other := pictures.LightOf(picturetest.Profile(picturetest.DisplayP3, c.other))
		if one == nil || other == nil {
			t.Errorf("%s is not read: %v, %v", what, one == nil, other == nil)
			continue
		}
		for i := range one {
			if d := one[i] - other[i]; d > 0.001 || d < -0.001 {
				t.Errorf("%s: value %d is %v and %v", what, i, one[i], other[i])
				break
			}
		}
	}
}

func TestProfilesThatCannotBeUsedChangeNothing(t *testing.T) {
	good := picturetest.Profile(picturetest.DisplayP3, picturetest.CurveOfSRGB())
	if pictures.LightOf(good) == nil {
		t.Fatal("the good one is not read")
	}
	white := picturetest.DisplayP3
	white[8] *= 1.3
	changed := func(at int, text string) []byte {
		data := bytes.Clone(good)
		copy(data[at:], text)
		return data
	}
	for what, profile := range map[string][]byte{
		"nothing":          nil,
		"a cut one":        good[:len(good)-20],
		"for print":        changed(16, "CMYK"),
		"with Lab colours": changed(20, "Lab "),
		"no profile":       changed(36, "acsq"),
		"no fields":        changed(128, "\x00\x00\x00\x00"),
		"fields elsewhere": changed(136, "\xff\xff\xff\xff\xff\xff\xff\xff"),
		"not white":        picturetest.Profile(white, picturetest.CurveOfSRGB()),
		"no colours":       picturetest.Profile([9]float64{}, picturetest.CurveOfSRGB()),
		"no light":         picturetest.Profile(picturetest.DisplayP3, picturetest.Formula(1, 0.5, 0, -1)),
		"no number":        picturetest.Profile(picturetest.DisplayP3, picturetest.Formula(0, 0.5, 0, 0)[:12]),
		"another formula":  picturetest.Profile(picturetest.DisplayP3, picturetest.Formula(5, 1, 1, 1, 1, 1, 1, 1)),
		"too few points":   picturetest.Profile(picturetest.DisplayP3, picturetest.Points(1, 2, 3)[:16]),
		"too many points":  picturetest.Profile(picturetest.DisplayP3, picturetest.Points(make([]uint16, 4097)...)),
		"too long":         append(bytes.Clone(good), make([]byte, 256<<10)...),
	} {
		if pictures.LightOf(profile) != nil {
			t.Errorf("%s is used", what)
		}
	}
}

func FuzzProfile(f *testing.F) {
	f.Add(picturetest.Profile(picturetest.DisplayP3, picturetest.CurveOfSRGB()))
	f.Add(picturetest.Profile(picturetest.AdobeRGB, picturetest.Points(563)))
	f.Add(picturetest.Profile(picturetest.SRGB, picturetest.Points(0, 100, 65535)))
	for formula, numbers := range [][]float64{{2}, {2, 1, 0}, {2, 1, 0, 0}, {2, 1, 0, 1, 0}, {2, 1, 0, 1, 0, 0, 0}} {
		f.Add(picturetest.Profile(picturetest.DisplayP3, picturetest.Formula(uint16(formula), numbers...)))
	}
	f.Fuzz(func(t *testing.T, profile []byte) {
		for i, light := range pictures.LightOf(profile) {
			if !(light >= 0 && light <= 1) {
				t.Errorf("value %d is %v", i, light)
			}
		}
		pictures.ConvertBy(profile, image.NewRGBA(image.Rect(0, 0, 4, 4)))
	})
}
