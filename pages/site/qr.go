package site

import (
	"fmt"
	"strings"

	"rsc.io/qr"
)

// quietZone is the width of the white margin that cameras need around a QR code, in modules.
const quietZone = 4

// qrPath returns the black modules of a text's QR code as one SVG path, and the length of a side in modules, including
// the margins. The path is "" when the text is too long for a QR code.
func qrPath(text string) (path string, side int) {
	code, err := qr.Encode(text, qr.L)
	if err != nil {
		return "", 0
	}
	var d strings.Builder
	for y := range code.Size {
		for x := 0; x < code.Size; x++ {
			from := x
			for code.Black(x, y) {
				x++
			}
			if x > from {
				fmt.Fprintf(&d, "M%d %dh%dv1h-%dz", from+quietZone, y+quietZone, x-from, x-from)
			}
		}
	}
	return d.String(), code.Size + 2*quietZone
}
