package pictures

import (
	"bytes"
	"encoding/binary"
	"image"
)

// insides is what a file contains beside its picture, read without decoding it.
type insides struct {
	appearance
	animated bool
	broken   bool
	endless  bool    // a JPEG that lacks only the mark at its end
	planar   bool    // a JPEG that decodePlanes can decode
	perPixel float64 // bytes of memory that decoding takes, about
}

// appearance is how a decoded picture is to be shown: which way up, and in which colours.
type appearance struct {
	turned  orientation
	colours *colours // nil for those of sRGB
}

// apply makes a picture look as it is to be shown.
func (a appearance) apply(m *image.RGBA) *image.RGBA {
	a.colours.convert(m)
	return upright(m, a.turned)
}

// orientation is the orientation of the camera, as Exif counts: 1 upright, up to 8; 0 unknown.
type orientation int

// insideJPEG walks the segments of a JPEG up to its end. It calls a file broken that has no end mark, unless its scans
// have the whole picture, because some cameras and programs leave out the mark; that has more scans than any program
// makes, because each scan costs a walk over the whole picture; and that has two frames, because each has its own size.
func insideJPEG(data []byte) insides {
	in := insides{broken: true}
	var frame, frames, scans int // frame is the marker of the last one
	var profile profileParts
	var seen coefficients
	var space colourSpace
	end := func(isWhole bool) insides {
		in.broken = !isWhole || frames != 1 || scans == 0 || scans > maxScans
		in.colours = readProfile(profile.data)
		in.planar = in.planar && frame == 0xc2 && !space.isRGB()
		return in
	}
	for at := 2; at+2 <= len(data); {
		marker := data[at+1]
		switch {
		case data[at] != 0xff || marker == 0xff: // stray bytes, as the decoder skips them
			at++
			continue
		case marker == 0x00:
			at += 2
			continue
		case marker == 0xd9:
			return end(true)
		case marker >= 0xd0 && marker <= 0xd7 || marker == 0x01:
			at += 2
			continue
		}
		if at+4 > len(data) {
			return in
		}
		size := int(binary.BigEndian.Uint16(data[at+2:]))
		if size < 2 || at+2+size > len(data) {
			return in
		}
		body := data[at+4 : at+2+size]
		at += 2 + size
		switch {
		case marker == 0xe0:
			space.isJFIF = bytes.HasPrefix(body, []byte("JFIF\x00"))
		case marker == 0xe1 && in.turned == 0 && bytes.HasPrefix(body, []byte("Exif\x00\x00")):
			in.turned = turnedBy(body[6:])
		case marker == 0xe2:
			profile.add(body)
		case marker == 0xee && len(body) >= 12 && string(body[:5]) == "Adobe":
			space.isAdobes = body[11] == 0
		case isFrame(marker):
			frame, frames = int(marker), frames+1
			in.perPixel, in.planar = jpegMemory(body, marker == 0xc2), isPlanar(body)
			space.isNamed = namesRGB(body)
			seen.begin(body)
		case marker == 0xda:
			scans++
			seen.scan(body)
			at = afterScan(data, at)
		}
	}
	in.endless = seen.whole()
	return end(in.endless)
}

// isFrame reports whether a marker begins a frame, of whatever kind. The decoder knows the first three kinds.
func isFrame(marker byte) bool {
	return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc
}

// colourSpace is what a JPEG says about its components.
type colourSpace struct {
	isJFIF   bool // brightness and colour, whatever else it says
	isAdobes bool // Adobe's segment says that they are red, green and blue
	isNamed  bool // their names are R, G and B
}

// isRGB says, as the decoder does, whether the components are red, green and blue.
func (c colourSpace) isRGB() bool { return !c.isJFIF && (c.isAdobes || c.isNamed) }

// namesRGB reports whether the three components of a frame have the names R, G and B.
func namesRGB(frame []byte) bool {
	return len(frame) == 6+3*3 && frame[6] == 'R' && frame[9] == 'G' && frame[12] == 'B'
}

// isPlanar reports whether a frame has three components with a sample for each pixel.
func isPlanar(frame []byte) bool {
	return len(frame) == 6+3*3 && frame[5] == 3 && frame[7] == 0x11 && frame[10] == 0x11 && frame[13] == 0x11
}

// coefficients notes how many bits of each coefficient of each component the scans of a JPEG have left out so far. An
// ordinary JPEG has all bits in one scan.
type coefficients struct {
	ids   []byte
	short [][64]byte
}

// begin reads the components of a frame. No coefficient is known yet.
func (c *coefficients) begin(frame []byte) {
	c.ids, c.short = nil, nil
	if len(frame) < 6 || len(frame) < 6+3*int(frame[5]) {
		return
	}
	var unknown [64]byte
	for i := range unknown {
		unknown[i] = 0xff
	}
	for i := range int(frame[5]) {
		c.ids, c.short = append(c.ids, frame[6+3*i]), append(c.short, unknown)
	}
}

// scan reads the header of a scan: its components, the range of coefficients, and how exact it is.
func (c *coefficients) scan(header []byte) {
	if len(header) < 1 || len(header) < 4+2*int(header[0]) {
		return
	}
	end := header[1+2*int(header[0]):]
	first := int(end[0])
	last := int(end[1])
	short := end[2] & 15
	for i := range int(header[0]) {
		component := bytes.IndexByte(c.ids, header[1+2*i])
		for k := first; component >= 0 && k <= min(last, 63); k++ {
			c.short[component][k] = short
		}
	}
}

// whole says whether all coefficients are known exactly.
func (c *coefficients) whole() bool {
	for _, short := range c.short {
		if short != [64]byte{} {
			return false
		}
	}
	return len(c.short) > 0
}

// afterScan finds the marker that follows the compressed data of a scan.
func afterScan(data []byte, at int) int {
	for {
		next := bytes.IndexByte(data[at:], 0xff)
		if next < 0 || at+next+1 >= len(data) {
			return len(data)
		}
		at += next
		if following := data[at+1]; following != 0 && (following < 0xd0 || following > 0xd7) {
			return at
		}
		at += 2
	}
}

// jpegMemory reads the components of a frame: a byte for each sample, four more where coefficients are kept, and
// eight for the colours of a press.
func jpegMemory(frame []byte, progressive bool) float64 {
	if len(frame) < 6 || len(frame) < 6+3*int(frame[5]) {
		return 0
	}
	samples := 0
	widest := 1
	tallest := 1
	parts := int(frame[5])
	for i := range parts {
		h, v := int(frame[7+3*i]>>4), int(frame[7+3*i]&15)
		samples += h * v
		widest = max(widest, h)
		tallest = max(tallest, v)
	}
	perPixel := float64(samples) / float64(widest*tallest)
	if progressive {
		perPixel *= 5
	}
	if parts == 4 {
		perPixel += 8
	}
	return perPixel
}

// insidePNG walks the chunks of a PNG.
func insidePNG(data []byte) insides {
	in := insides{broken: true, perPixel: 4}
	var profile, named []byte // the last of each
	for at := 8; at+12 <= len(data); {
		size := binary.BigEndian.Uint32(data[at:])
		if int64(size) > int64(len(data)-at-12) {
			return in
		}
		kind, body := string(data[at+4:at+8]), data[at+8:at+8+int(size)]
		at += 12 + int(size)
		switch kind {
		case "IHDR":
			if len(body) == 13 && body[8] == 16 {
				in.perPixel = 8
			}
			if len(body) == 13 && body[12] == 1 { // interlaced: the passes beside the whole
				in.perPixel *= 1.5
			}
		case "acTL", "fcTL", "fdAT":
			in.animated = true
		case "eXIf":
			in.turned = turnedBy(body)
		case "iCCP":
			profile = body
		case "cICP":
			named = body
		case "IEND":
			in.broken = false
			if in.colours = namedColours(named); named == nil {
				in.colours = unpackProfile(profile)
			}
			return in
		}
	}
	return in
}

// insideWebP walks the chunks of a WebP.
func insideWebP(data []byte) insides {
	in := insides{perPixel: 3}
	end := int64(binary.LittleEndian.Uint32(data[4:])) + 8
	if end > int64(len(data)) {
		in.broken = true
		return in
	}
	var profile []byte // the last one
	for at := 12; at+8 <= int(end); {
		size := int64(binary.LittleEndian.Uint32(data[at+4:]))
		if size > end-int64(at)-8 {
			in.broken = true
			return in
		}
		kind, body := string(data[at:at+4]), data[at+8:at+8+int(size)]
		at += 8 + int(size+size&1)
		switch kind {
		case "VP8X":
			in.animated = in.animated || len(body) > 0 && body[0]&2 != 0
		case "ANIM", "ANMF":
			in.animated = true
		case "VP8L", "ALPH":
			in.perPixel = 8
		case "ICCP":
			profile = body
		case "EXIF":
			in.turned = turnedBy(bytes.TrimPrefix(body, []byte("Exif\x00\x00")))
		}
	}
	in.colours = readProfile(profile)
	return in
}

// maxTags is how many tags of a camera's notes are read.
const maxTags = 1000

// turnedBy reads the orientation from Exif, which is a TIFF header with one list of tags of interest; 0 for none.
func turnedBy(exif []byte) orientation {
	const orientationTag, short = 0x0112, 3
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(exif, []byte("II*\x00")):
		order = binary.LittleEndian
	case bytes.HasPrefix(exif, []byte("MM\x00*")):
		order = binary.BigEndian
	default:
		return 0
	}
	if len(exif) < 8 {
		return 0
	}
	at := int64(order.Uint32(exif[4:]))
	if at < 8 || at+2 > int64(len(exif)) {
		return 0
	}
	tags := exif[at+2:]
	for range min(int(order.Uint16(exif[at:])), len(tags)/12, maxTags) {
		if order.Uint16(tags) == orientationTag && order.Uint16(tags[2:]) == short && order.Uint32(tags[4:]) == 1 {
			if turned := orientation(order.Uint16(tags[8:])); turned <= 8 {
				return turned
			}
			return 0
		}
		tags = tags[12:]
	}
	return 0
}
