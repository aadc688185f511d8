package ordering

import (
	"strings"

	"portico/portal/samples"
)

// picturesOf returns the drawings with some names, each once.
func picturesOf(names []string) []picture {
	var all []picture
	seen := map[string]bool{"": true}
	for _, name := range names {
		svg, ok := samples.SamplePicture(name)
		if !ok || seen[name] {
			continue
		}
		seen[name] = true
		_, shapes, _ := strings.Cut(string(svg), ">") // the content of the <svg> element
		all = append(all, picture{name, shapes[:strings.LastIndex(shapes, "</svg>")]})
	}
	return all
}
