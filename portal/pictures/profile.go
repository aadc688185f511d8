package pictures

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"image"
	"io"
	"math"
	"sync"
)

const (
	maxProfile = 256 << 10 // bytes of a colour profile: those of screens and cameras have some hundred to some thousand
	mostFields = 100       // fields of a profile that are looked at
	mostPoints = 4096      // points of a curve
	dark       = 0.1       // the most light of the value 0
	bright     = 0.9       // the least light of the value 255
)

// colours convert the red, green and blue of a picture to sRGB, in which all pictures are stored. They are nil for a
// picture that is in sRGB already or does not name its colours.
type colours struct {
	linear [3][256]float32 // the light of each value of a channel, from 0 to 1
	matrix [9]float64      // from that light to the light of sRGB, by rows
}

// The colours of red, green and blue under the white of profiles (D50), by rows: X, Y and Z.
var (
	displayP3 = [9]float64{0.515102, 0.291965, 0.157153, 0.241182, 0.692236, 0.066582, -0.001049, 0.041884, 0.784378}
	// fromXYZ leads from X, Y and Z to the light of sRGB.
	fromXYZ = [9]float64{
		3.1338561, -1.6168667, -0.4906146, -0.9787684, 1.9161415, 0.0334540, 0.0719453, -0.2289914, 1.4052427,
	}
)

// readProfile reads an ICC profile that has three curves and a matrix, as those of screens and cameras have. It returns
// nil for any other, and for one that is sRGB's, so that pictures in it stay as they are.
func readProfile(profile []byte) *colours {
	const header, entry = 128, 12
	if len(profile) < header+4 || len(profile) > maxProfile || string(profile[16:24]) != "RGB XYZ " ||
		string(profile[36:40]) != "acsp" {
		return nil
	}
	fields := map[string][]byte{}
	entries := profile[header+4:]
	for range min(int(binary.BigEndian.Uint32(profile[header:])), len(entries)/entry, mostFields) {
		from, size := int64(binary.BigEndian.Uint32(entries[4:])), int64(binary.BigEndian.Uint32(entries[8:]))
		if from+size <= int64(len(profile)) {
			fields[string(entries[:4])] = profile[from : from+size]
		}
		entries = entries[entry:]
	}
	c, primaries := new(colours), [9]float64{}
	for i, channel := range []string{"r", "g", "b"} {
		xyz := fields[channel+"XYZ"]
		curve := readCurve(fields[channel+"TRC"])
		if len(xyz) < 20 || string(xyz[:4]) != "XYZ " || curve == nil {
			return nil
		}
		for row := range 3 {
			primaries[3*row+i] = fixed(xyz[8+4*row:])
		}
		for value := range c.linear[i] {
			light := curve(float64(value) / 255)
			if math.IsNaN(light) {
				return nil
			}
			c.linear[i][value] = float32(min(1, max(0, light)))
		}
		if c.linear[i][0] > dark || c.linear[i][255] < bright {
			return nil
		}
	}
	return c.with(primaries)
}

// with adds the matrix for the colours of red, green and blue. It returns nil when the matrix would change white, and
// when it would change nothing.
func (c *colours) with(primaries [9]float64) *colours {
	const whiteOff, same = 0.05, 0.01
	isSame := true
	for row := range 3 {
		sum := 0.0
		for column := range 3 {
			value := 0.0
			for i := range 3 {
				value += fromXYZ[3*row+i] * primaries[3*i+column]
			}
			c.matrix[3*row+column] = value
			sum += value
		}
		if !(math.Abs(sum-1) < whiteOff) {
			return nil
		}
		for column := range 3 { // grey stays grey, although the numbers of profiles are rounded
			c.matrix[3*row+column] /= sum
			unchanged := 0.0
			if row == column {
				unchanged = 1
			}
			isSame = isSame && math.Abs(c.matrix[3*row+column]-unchanged) < same
		}
	}
	for i := range c.linear {
		for value, light := range c.linear[i] {
			isSame = isSame && math.Abs(float64(light)-sRGBLight(float64(value)/255)) < same
		}
	}
	if isSame {
		return nil
	}
	return c
}

// fixed reads a number with 16 binary places.
func fixed(b []byte) float64 { return float64(int32(binary.BigEndian.Uint32(b))) / (1 << 16) }

// readCurve reads how much light a value of a channel is; nil when it cannot be read.
func readCurve(field []byte) func(value float64) float64 {
	if len(field) < 12 {
		return nil
	}
	switch kind, rest := string(field[:4]), field[12:]; kind {
	case "curv":
		return pointCurve(int64(binary.BigEndian.Uint32(field[8:])), rest)
	case "para":
		return formulaCurve(int(binary.BigEndian.Uint16(field[8:])), rest)
	}
	return nil
}

// pointCurve returns the curve through points at equal distances. Without points it is a straight line, and a single
// point is an exponent.
func pointCurve(count int64, points []byte) func(value float64) float64 {
	if count > mostPoints || 2*count > int64(len(points)) {
		return nil
	}
	switch count {
	case 0:
		return func(value float64) float64 { return value }
	case 1:
		exponent := float64(binary.BigEndian.Uint16(points)) / 256
		return func(value float64) float64 { return math.Pow(value, exponent) }
	}
	return func(value float64) float64 {
		at := value * float64(count-1)
		below := min(int(at), int(count-2))
		low := float64(binary.BigEndian.Uint16(points[2*below:]))
		high := float64(binary.BigEndian.Uint16(points[2*below+2:]))
		return (low + (high-low)*(at-float64(below))) / 65535
	}
}

// formulaCurve returns the curve of one of the five formulas of ICC: a power, with a straight line below a value.
func formulaCurve(formula int, numbers []byte) func(value float64) float64 {
	counts := []int{1, 3, 4, 5, 7}
	if formula >= len(counts) || len(numbers) < 4*counts[formula] {
		return nil
	}
	var n [7]float64 // in the order of ICC: exponent, a, b, c, d, e, f
	for i := range counts[formula] {
		n[i] = fixed(numbers[4*i:])
	}
	exponent := n[0]
	a := n[1]
	b := n[2]
	c := n[3]
	from := n[4]
	var above, below float64
	switch formula {
	case 0:
		a, from = 1, -1
	case 1, 2: // below -b/a, the light is constant
		above = c
		below = c
		c = 0
		from = -b / a
	case 4:
		above, below = n[5], n[6]
	}
	return func(value float64) float64 {
		if value >= from {
			return math.Pow(a*value+b, exponent) + above
		}
		return c*value + below
	}
}

// sRGBLight returns the light of a value of sRGB.
func sRGBLight(value float64) float64 {
	if value <= 0.04045 {
		return value / 12.92
	}
	return math.Pow((value+0.055)/1.055, 2.4)
}

// lightSteps is how many amounts of light fromLight distinguishes: even dark values are 20 steps apart.
const lightSteps = 1 << 16

// fromLight returns the value of sRGB for each amount of light.
var fromLight = sync.OnceValue(func() *[lightSteps]uint8 {
	all := new([lightSteps]uint8)
	for i := range all {
		light := float64(i) / (lightSteps - 1)
		value := 12.92 * light
		if light > 0.0031308 {
			value = 1.055*math.Pow(light, 1/2.4) - 0.055
		}
		all[i] = uint8(255*value + 0.5)
	}
	return all
})

// convert changes the colours of a picture to those of sRGB. A colour that sRGB does not have becomes the nearest one.
func (c *colours) convert(m *image.RGBA) {
	if c == nil {
		return
	}
	values := fromLight()
	var matrix [9]float32
	for i, value := range c.matrix {
		matrix[i] = float32(value)
	}
	for at := 0; at+4 <= len(m.Pix); at += 4 {
		pixel := m.Pix[at : at+4]
		alpha := uint32(pixel[3])
		if alpha == 0 {
			continue
		}
		var light [3]float32
		for i := range light {
			value := uint32(pixel[i])
			if alpha < 255 { // the channels are multiplied by the opacity
				value = min(255, (value*255+alpha/2)/alpha)
			}
			light[i] = c.linear[i][value]
		}
		for i := range light {
			sum := matrix[3*i]*light[0] + matrix[3*i+1]*light[1] + matrix[3*i+2]*light[2]
			value := uint32(values[int(min(1, max(0, sum))*(lightSteps-1)+0.5)])
			if alpha < 255 {
				value = (value*alpha + 127) / 255
			}
			pixel[i] = uint8(value)
		}
	}
}

// profileParts joins the profile of a JPEG, which can be split over several segments.
type profileParts struct {
	next byte // number of the part that is expected
	data []byte
}

// add takes a segment. It leaves out parts that are out of order, and a profile that is too long.
func (p *profileParts) add(segment []byte) {
	part, isPart := bytes.CutPrefix(segment, []byte("ICC_PROFILE\x00"))
	if !isPart || len(part) < 2 || part[0] != p.next+1 || len(p.data)+len(part) > maxProfile {
		return
	}
	p.next = part[0]
	p.data = append(p.data, part[2:]...)
}

// unpackProfile reads the profile of a PNG: a name, how it is packed, and the packed profile.
func unpackProfile(chunk []byte) *colours {
	_, rest, ok := bytes.Cut(chunk, []byte{0})
	if !ok || len(rest) < 1 || rest[0] != 0 {
		return nil
	}
	unpacked, err := zlib.NewReader(bytes.NewReader(rest[1:]))
	if err != nil {
		return nil
	}
	profile, err := io.ReadAll(io.LimitReader(unpacked, maxProfile+1))
	if err != nil {
		return nil
	}
	return readProfile(profile)
}

// namedColours returns the colours that a PNG names by their numbers (cICP): Display P3. It returns nil for all others.
func namedColours(chunk []byte) *colours {
	const primariesP3, curveSRGB = 12, 13
	if len(chunk) < 4 || chunk[0] != primariesP3 || chunk[1] != curveSRGB {
		return nil
	}
	c := new(colours)
	for value := range 256 {
		light := float32(sRGBLight(float64(value) / 255))
		for i := range c.linear {
			c.linear[i][value] = light
		}
	}
	return c.with(displayP3)
}
