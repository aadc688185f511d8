package picturetest

import "encoding/binary"

// The colours of red, green and blue in X, Y and Z, by rows, under the white of profiles.
var (
	DisplayP3 = [9]float64{0.515119, 0.291978, 0.157103, 0.241189, 0.692244, 0.066567, -0.00105, 0.041879, 0.784071}
	AdobeRGB  = [9]float64{0.609741, 0.205273, 0.149187, 0.311113, 0.625675, 0.063212, 0.019465, 0.060875, 0.74456}
	SRGB      = [9]float64{0.436041, 0.385113, 0.143046, 0.222485, 0.716905, 0.06061, 0.01392, 0.097067, 0.713913}
)

// Formula returns a curve by one of the formulas of ICC.
func Formula(formula uint16, numbers ...float64) []byte {
	curve := binary.BigEndian.AppendUint16([]byte("para\x00\x00\x00\x00"), formula)
	curve = append(curve, 0, 0)
	for _, number := range numbers {
		curve = binary.BigEndian.AppendUint32(curve, fixed(number))
	}
	return curve
}

// Points returns a curve through points; a single one is an exponent in steps of 1/256.
func Points(points ...uint16) []byte {
	curve := binary.BigEndian.AppendUint32([]byte("curv\x00\x00\x00\x00"), uint32(len(points)))
	for _, point := range points {
		curve = binary.BigEndian.AppendUint16(curve, point)
	}
	return curve
}

// CurveOfSRGB returns the curve of sRGB as a formula.
func CurveOfSRGB() []byte { return Formula(3, 2.4, 1/1.055, 0.055/1.055, 1/12.92, 0.04045) }

// Profile returns an ICC profile of a screen with three equal curves.
func Profile(primaries [9]float64, curve []byte) []byte {
	const header, entry = 128, 12
	order := binary.BigEndian
	data := make([]byte, header, 1024)
	copy(data[12:], "mntrRGB XYZ ")
	copy(data[36:], "acsp")
	data = order.AppendUint32(data, 6)
	at := uint32(header + 4 + 6*entry)
	var fields []byte
	for i, name := range []string{"rXYZ", "gXYZ", "bXYZ"} {
		data = order.AppendUint32(order.AppendUint32(append(data, name...), at+uint32(len(fields))), 20)
		fields = append(fields, "XYZ \x00\x00\x00\x00"...)
		for row := range 3 {
			fields = order.AppendUint32(fields, fixed(primaries[3*row+i]))
		}
	}
	for _, name := range []string{"rTRC", "gTRC", "bTRC"} { // they may share a field
		data = order.AppendUint32(append(data, name...), at+uint32(len(fields)))
		data = order.AppendUint32(data, uint32(len(curve)))
	}
	data = append(append(data, fields...), curve...)
	order.PutUint32(data, uint32(len(data)))
	return data
}

func fixed(number float64) uint32 { return uint32(int32(number * (1 << 16))) }

// WithProfile returns a WebP of four colours with a profile.
func WithProfile(profile []byte) []byte {
	return riff(riffChunk("VP8X", []byte{0x20, 0, 0, 0, 39, 0, 0, 29, 0, 0}), riffChunk("ICCP", profile),
		WebP(40, 30)[12:])
}
