package components

import (
	"fmt"
	"strings"

	"rsc.io/qr"
)

// quietZone is the white margin of a QR code, in modules, that cameras want around it.
const quietZone = 4

// qrPath draws a text as a QR code: the black modules as one path of runs, and how many modules a side has, margins included.
// A text too long for any code has none.
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
