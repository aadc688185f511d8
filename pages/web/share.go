package web

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"

	"portico/locale"
	"portico/store"
)

// shareDrawing is the version of the drawing. A new version gives the pictures new addresses.
const shareDrawing = "2"

// ShareName returns the file name of a company's share picture in a language, the platform's for nil. The name changes
// whenever the picture would look different. seed arranges the picture's shapes.
func ShareName(c *store.Company, l locale.Lang) (name string, seed uint64) {
	of := fmt.Sprint(shareDrawing, "\n", l)
	if c != nil {
		of = fmt.Sprint(of, "\n", c.ID, "\n", c.Theme, "\n", c.IndustryID, "\n", c.IconURL)
	}
	sum := sha256.Sum256([]byte(of))
	var own [8]byte
	if c != nil {
		binary.LittleEndian.PutUint64(own[:], uint64(c.ID))
	}
	arranged := sha256.Sum256(own[:])
	return hex.EncodeToString(sum[:8]) + ".png", binary.LittleEndian.Uint64(arranged[:])
}

// SharePath returns the path of a company's share picture in a language; that of the platform for nil.
func SharePath(c *store.Company, l locale.Lang) string {
	name, _ := ShareName(c, l)
	return "/share/" + name
}
