package site

import (
	"strings"

	"portico/portal/samples"
)

// ProductDrawing is a drawing that the categories and products of a page refer to.
type ProductDrawing struct{ Name, Shapes string }

// ProductDrawings returns the drawings with some names, each once.
func ProductDrawings(names []string) []ProductDrawing {
	var all []ProductDrawing
	seen := map[string]bool{"": true}
	for _, name := range names {
		svg, ok := samples.SamplePicture(name)
		if !ok || seen[name] {
			continue
		}
		seen[name] = true
		_, shapes, _ := strings.Cut(string(svg), ">") // the content of the <svg> element
		all = append(all, ProductDrawing{name, shapes[:strings.LastIndex(shapes, "</svg>")]})
	}
	return all
}
