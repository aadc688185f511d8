package testscope

import (
	"os"
	"strings"
)

// Route is a route of the pages. Site is "account", "shop" or "office". Path is below the first page of a shop or back
// office, like "/orders/{id}".
type Route struct {
	Site, Path  string
	Shows, Does bool // it answers GET; it answers POST
}

// Routes reads the routes of the pages from the list that a test of the pages keeps current.
func Routes() (all []Route) {
	text, err := os.ReadFile(File("pages/testdata/routes.txt"))
	if err != nil {
		panic(err)
	}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		all = append(all, Route{
			Site: words[0], Path: words[len(words)-1],
			Shows: strings.Contains(line, " GET "), Does: strings.Contains(line, " POST "),
		})
	}
	return all
}
