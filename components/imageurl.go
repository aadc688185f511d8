package components

import (
	"strings"

	"github.com/a-h/templ"
)

// ImageURL returns the address of a picture for an img element: a path, a web address or the picture itself, as
// "data:image/…". Templates refuse every other data URL, and scripts.
func ImageURL(address string) templ.SafeURL {
	if strings.HasPrefix(address, "data:image/") {
		return templ.SafeURL(address)
	}
	return templ.URL(address)
}
