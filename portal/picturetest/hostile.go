package picturetest

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/gif"
	"math/rand/v2"
	"strings"
)

// Canary is in every file that has hidden content.
const Canary = "alert('canary')"

// File is a file that a person may upload. Refused is why it is not accepted as a picture, "" where it is one: then
// nothing but what is seen may be left of it.
type File struct {
	Name    string
	Data    []byte
	Refused string
}

const script = "<script>" + Canary + "</script>"

// Files are hostile and odd files.
func Files() []File {
	photo := JPEG(40, 30)
	drawing := PNG(40, 30)
	web := WebP(40, 30)
	all := []File{
		{"nothing.jpg", nil, "empty"},
		{"picture.svg", []byte(`<svg xmlns="http://www.w3.org/2000/svg">` + script + `</svg>`), "not_picture"},
		{"declared.svg", []byte(`<?xml version="1.0"?><svg onload="` + Canary + `"/>`), "not_picture"},
		{"script.gif", append([]byte("GIF89a/*"), "*/="+Canary+";"...), "not_picture"},
		{"moving.gif", gifOf(), "not_picture"},
		{"page.jpg", []byte("<!doctype html>" + script), "not_picture"},
		{"a.jpg.html", []byte("<html>" + script + "</html>"), "not_picture"},
		{"paper.pdf", []byte("%PDF-1.7\n1 0 obj\n<</OpenAction<</S/JavaScript/JS(" + Canary + ")>>>>"), "not_picture"},
		{"archive.zip", zipOf("a.jpg", photo), "not_picture"},
		{"program.exe", append([]byte("MZ\x90\x00"), Canary...), "not_picture"},
		{"text.txt", []byte(Canary), "not_picture"},
		{"bitmap.bmp", append([]byte("BM"), make([]byte, 60)...), "not_picture"},
		{"scan.tiff", append([]byte("II*\x00\x08\x00\x00\x00"), make([]byte, 60)...), "not_picture"},
		{"phone.heic", append([]byte("\x00\x00\x00\x18ftypheic"), make([]byte, 60)...), "heic"},
		{"browser.avif", append([]byte("\x00\x00\x00\x1cftypavif"), make([]byte, 60)...), "heic"},
		{"film.mp4", append([]byte("\x00\x00\x00\x18ftypisom"), make([]byte, 60)...), "not_picture"},
		{"sound.webp", append([]byte("RIFF\x24\x00\x00\x00WAVEfmt "), make([]byte, 40)...), "not_picture"},
		{"noise.jpg", noise(4000), "not_picture"},
		{"only-magic.jpg", []byte("\xff\xd8\xff"), "broken"},
		{"magic-and-page.jpg", []byte("\xff\xd8\xff\xe0" + script), "broken"},
		{"magic-and-page.png", []byte("\x89PNG\r\n\x1a\n" + script), "broken"},
		{"magic-and-page.webp", []byte("RIFF\x40\x00\x00\x00WEBP" + strings.Repeat(script, 4)), "broken"},
		{"half.jpg", photo[:len(photo)/2], "broken"},
		{"cut.jpg", photo[:len(photo)-8], "broken"},
		{"half.png", drawing[:len(drawing)/2], "broken"},
		{"no-end.png", drawing[:len(drawing)-12], "broken"},
		{"half.webp", web[:len(web)-6], "broken"},
		{"shortened.webp", riff(riffChunk("VP8L", web[20:len(web)-6])), "broken"},
		{"wrong-sum.png", changed(drawing, len(drawing)-20), "broken"},
		{"zero.png", flatPNG(0, 0), "broken"},
		{"zero.jpg", resized(photo, 0, 0), "broken"},
		{"bomb.png", flatPNG(20_000, 20_000), "too_wide"},
		{"narrow.png", flatPNG(1, 100_000), "too_wide"},
		{"wide.png", flatPNG(8193, 1), "too_wide"},
		{"pixels.png", flatPNG(5001, 5000), "too_wide"},
		{"bomb.jpg", resized(photo, 65_000, 65_000), "too_wide"},
		{"lies.jpg", resized(photo, 4000, 3000), "broken"},
		{"bomb.webp", WebP(16_000, 16_000), "too_wide"},
		{"coefficients.jpg", coefficients(photo), "broken"},
		{"red-green-blue.jpg", WithSegment(coefficients(photo), 0xee,
			[]byte("Adobe\x00\x64\x00\x00\x00\x00\x00")), "heavy"},
		{"scans.jpg", scans(110), "broken"},
		{"two-frames.jpg", TwoFrames(), "broken"},
		{"moving.png", WithChunk(drawing, "acTL", []byte{0, 0, 0, 2, 0, 0, 0, 0}), "animated"},
		{"moving.webp", riff(riffChunk("VP8X", []byte{2, 0, 0, 0, 39, 0, 0, 29, 0, 0}),
			riffChunk("ANIM", make([]byte, 6)), web[12:]), "animated"},
	}
	return append(all, harmless(photo, drawing, web)...)
}

// harmless are files that bring something along, of which nothing may be left.
func harmless(photo, drawing, web []byte) []File {
	deep := image.NewRGBA64(image.Rect(0, 0, 30, 20))
	clear := image.NewNRGBA(image.Rect(0, 0, 30, 20))
	return []File{
		{"good.jpg", photo, ""},
		{"no-end.jpg", photo[:len(photo)-2], ""},
		{"half-an-end.jpg", photo[:len(photo)-1], ""},
		{"good.png", drawing, ""},
		{"good.webp", web, ""},
		{"good-lossy.webp", Lossy(), ""},
		{"gps.jpg", append(WithSegment(photo, 0xe1, Exif(6)), script...), ""},
		{"comment.jpg", WithSegment(photo, 0xfe, []byte(script)), ""},
		{"profile.jpg", WithSegment(photo, 0xe2, append([]byte("ICC_PROFILE\x00\x01\x01"), packed(40<<20)...)), ""},
		{"circle.jpg", WithSegment(photo, 0xe1, []byte("Exif\x00\x00II*\x00\x08\x00\x00\x00\xff\xff"+Canary)), ""},
		{"polyglot.jpg", append(bytes.Clone(photo), zipOf("x.html", []byte(script))...), ""},
		{"tail.png", append(bytes.Clone(drawing), script...), ""},
		{"tail.webp", append(bytes.Clone(web), script...), ""},
		{"text.png", WithChunk(drawing, "tEXt", []byte("Comment\x00"+script)), ""},
		{"words.png", WithChunk(drawing, "iTXt", []byte("XML:com.adobe.xmp\x00\x00\x00\x00\x00"+script)), ""},
		{"packed-text.png", WithChunk(drawing, "zTXt", append([]byte("Comment\x00\x00"), packed(40<<20)...)), ""},
		{"profile.png", WithChunk(drawing, "iCCP", append([]byte("x\x00\x00"), packed(40<<20)...)), ""},
		{"notes.png", WithChunk(drawing, "eXIf", Exif(3)[6:]), ""},
		{"notes.webp", riff(riffChunk("VP8X", []byte{8, 0, 0, 0, 39, 0, 0, 29, 0, 0}), web[12:],
			riffChunk("EXIF", Exif(8))), ""},
		{"deep.png", pngOf(deep), ""},
		{"clear.png", pngOf(clear), ""},
		{"few.png", pngOf(image.NewPaletted(image.Rect(0, 0, 30, 20), color.Palette{color.Black, color.White})), ""},
		{"grey.jpg", jpegOf(image.NewGray(image.Rect(0, 0, 33, 21))), ""},
		{"press.jpg", WithSegment(press(), 0xee, []byte("Adobe\x00\x64\x00\x00\x00\x00\x00")), ""},
		{"dot.png", PNG(1, 1), ""},
		{"../../etc/x\x00.png", drawing, ""},
		{strings.Repeat("長", 300) + ".png", drawing, ""},
	}
}

func gifOf() []byte {
	var b bytes.Buffer
	_ = gif.Encode(&b, Quarters(20, 20), nil)
	return b.Bytes()
}

func zipOf(name string, data []byte) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	if f, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store}); err == nil {
		_, _ = f.Write(data)
	}
	_ = w.Close()
	return b.Bytes()
}

func noise(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte{7}).Read(b)
	b[0] = 1
	return b
}

func changed(data []byte, at int) []byte {
	data = bytes.Clone(data)
	data[at] ^= 0x55
	return data
}

// coefficients is a progressive JPEG whose decoder would have to keep 375 MB of them.
func coefficients(photo []byte) []byte {
	data := resized(photo, 5000, 5000)
	frame(data)[11] = 0x11
	frame(data)[1] = 0xc2
	return data
}

// bare is a JPEG of so many components, in which every block is empty, up to its first scan.
func bare(kind byte, w, h, components int) []byte {
	data := []byte{0xff, 0xd8}
	segment := func(marker byte, body []byte) {
		data = append(binary.BigEndian.AppendUint16(append(data, 0xff, marker), uint16(len(body)+2)), body...)
	}
	segment(0xdb, append([]byte{0}, bytes.Repeat([]byte{1}, 64)...))
	sof := append([]byte{8}, byte(h>>8), byte(h), byte(w>>8), byte(w), byte(components))
	for i := range components {
		sof = append(sof, byte(i+1), 0x11, 0)
	}
	segment(kind, sof)
	code := append([]byte{1}, make([]byte, 15)...)
	segment(0xc4, append(append([]byte{0x00}, code...), 0))
	segment(0xc4, append(append([]byte{0x10}, code...), 0))
	return data
}

// press is a JPEG of the four colours of a press.
func press() []byte {
	data := append(bare(0xc0, 8, 8, 4), 0xff, 0xda, 0, 14, 4, 1, 0, 2, 0, 3, 0, 4, 0, 0, 63, 0)
	return append(data, 0x00, 0xff, 0xd9)
}

// scans is a progressive JPEG that goes over a large picture again and again.
func scans(n int) []byte {
	data := bare(0xc2, 4800, 4800, 1)
	for range n {
		data = append(data, 0xff, 0xda, 0, 8, 1, 1, 0, 0, 0, 0)
		data = append(data, make([]byte, 4800/8*4800/8/8)...)
	}
	return append(data, 0xff, 0xd9)
}
