// Package picturetest makes pictures for tests, good ones and hostile ones.
package picturetest

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
)

// Corners are the colours of the four quarters of a picture: upper left, upper right, lower left, lower right.
var Corners = [4]color.RGBA{{220, 30, 30, 255}, {30, 180, 30, 255}, {30, 30, 220, 255}, {240, 220, 40, 255}}

// Quarters is a picture of four colours.
func Quarters(w, h int) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			m.SetRGBA(x, y, Corners[y*2/max(h, 1)*2+x*2/max(w, 1)])
		}
	}
	return m
}

// JPEG is a picture of four colours.
func JPEG(w, h int) []byte { return jpegOf(Quarters(w, h)) }

func jpegOf(m image.Image) []byte {
	var b bytes.Buffer
	_ = jpeg.Encode(&b, m, nil) // a buffer takes everything
	return b.Bytes()
}

// PNG is a picture of four colours.
func PNG(w, h int) []byte { return pngOf(Quarters(w, h)) }

// Heavy is the beginning of a PNG that takes much memory: 16 bits a channel, and hardly any of them there.
func Heavy() []byte {
	header := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, 2950), 2950)
	header = append(header, 16, 6, 0, 0, 0)
	return bytes.Join([][]byte{[]byte("\x89PNG\r\n\x1a\n"), pngChunk("IHDR", header), pngChunk("IDAT", packed(30_000)),
		pngChunk("IEND", nil)}, nil)
}

func pngOf(m image.Image) []byte {
	var b bytes.Buffer
	_ = png.Encode(&b, m)
	return b.Bytes()
}

// WebP is a lossless picture of one colour: its pixels take no bits at all, so that it may be of any size.
func WebP(w, h int) []byte {
	var bits bitWriter
	bits.put(0x2f, 8)
	bits.put(uint32(w-1), 14)
	bits.put(uint32(h-1), 14)
	bits.put(0, 4)                                      // no alpha, version 0
	bits.put(0, 3)                                      // no transform, no cache, one group of codes
	for _, symbol := range []uint32{40, 90, 160, 255} { // green, red, blue, alpha
		bits.put(0b101, 3) // a code of one symbol of eight bits
		bits.put(symbol, 8)
	}
	bits.put(0b0001, 4) // distances: one symbol of one bit
	bits.put(0, 8)
	return riff(riffChunk("VP8L", bits.bytes))
}

// Lossy is a lossy WebP of one pixel.
func Lossy() []byte {
	return riff(riffChunk("VP8 ", []byte{
		0x30, 0x01, 0x00, 0x9d, 0x01, 0x2a, 0x01, 0x00, 0x01, 0x00, 0x0e, 0xc0, 0xfe, 0x25, 0xa4, 0x00, 0x03, 0x70,
		0x00, 0x00, 0x00, 0x00,
	}))
}

type bitWriter struct {
	bytes []byte
	used  int
}

func (w *bitWriter) put(value uint32, n int) {
	for i := range n {
		if w.used%8 == 0 {
			w.bytes = append(w.bytes, 0)
		}
		w.bytes[len(w.bytes)-1] |= byte(value>>i&1) << (w.used % 8)
		w.used++
	}
}

func riff(chunks ...[]byte) []byte {
	body := append([]byte("WEBP"), bytes.Join(chunks, nil)...)
	return append(binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(body))), body...)
}

func riffChunk(kind string, body []byte) []byte {
	chunk := append(binary.LittleEndian.AppendUint32([]byte(kind), uint32(len(body))), body...)
	if len(body)%2 == 1 {
		chunk = append(chunk, 0)
	}
	return chunk
}

func pngChunk(kind string, body []byte) []byte {
	chunk := append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), kind...)
	chunk = append(chunk, body...)
	return binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(chunk[4:]))
}

// WithChunk puts a chunk after the header of a PNG.
func WithChunk(data []byte, kind string, body []byte) []byte {
	const head = 8 + 25
	return bytes.Join([][]byte{data[:head], pngChunk(kind, body), data[head:]}, nil)
}

// flatPNG is a PNG of w × h black pixels of one bit.
func flatPNG(w, h int) []byte {
	header := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(w)), uint32(h))
	header = append(header, 1, 0, 0, 0, 0)
	return bytes.Join([][]byte{[]byte("\x89PNG\r\n\x1a\n"), pngChunk("IHDR", header),
		pngChunk("IDAT", packed(h*(1+(w+7)/8))), pngChunk("IEND", nil)}, nil)
}

// packed is so many zero bytes, compressed: one block again and again, which takes a thousandth of the time.
func packed(n int) []byte {
	const block = 1 << 20
	b := append([]byte{0x78, 0x9c}, bytes.Repeat(deflated(block, false), n/block)...)
	return binary.BigEndian.AppendUint32(append(b, deflated(n%block, true)...), uint32(n%65521)<<16|1)
}

// deflated is a piece of a stream of zeros that does not look back at the one before.
func deflated(n int, last bool) []byte {
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, flate.DefaultCompression)
	_, _ = w.Write(make([]byte, n))
	if last {
		_ = w.Close()
	} else {
		_ = w.Flush()
	}
	return b.Bytes()
}

// WithSegment puts a segment at the beginning of a JPEG.
func WithSegment(data []byte, marker byte, body []byte) []byte {
	segment := binary.BigEndian.AppendUint16([]byte{0xff, marker}, uint16(len(body)+2))
	return bytes.Join([][]byte{data[:2], segment, body, data[2:]}, nil)
}

// GPS is the place in the notes that Exif makes.
const GPS = "31.2304N-121.4737E"

// Exif returns a camera's notes (Exif) with an orientation and a place.
func Exif(orientation uint16) []byte {
	order := binary.BigEndian
	tag := func(id, kind uint16, count, value uint32) []byte {
		b := order.AppendUint16(order.AppendUint16(nil, id), kind)
		return order.AppendUint32(order.AppendUint32(b, count), value)
	}
	const end = 8 + 2 + 3*12 + 4
	exif := append([]byte("MM\x00*"), 0, 0, 0, 8, 0, 3)
	exif = append(exif, tag(0x010f, 2, uint32(len(GPS)+1), end)...)
	exif = append(exif, tag(0x0112, 3, 1, uint32(orientation)<<16)...)
	exif = append(exif, tag(0x8825, 4, 1, end)...)
	exif = append(exif, 0, 0, 0, 0)
	return append(append([]byte("Exif\x00\x00"), exif...), GPS+"\x00"...)
}

// frame finds the frame header of a JPEG of Go's own encoder.
func frame(data []byte) []byte {
	return data[bytes.Index(data, []byte{0xff, 0xc0}):]
}

// resized says in the header of a JPEG that it is so large.
func resized(data []byte, w, h int) []byte {
	data = bytes.Clone(data)
	binary.BigEndian.PutUint16(frame(data)[5:], uint16(h))
	binary.BigEndian.PutUint16(frame(data)[7:], uint16(w))
	return data
}
