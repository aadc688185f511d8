package site

import "github.com/a-h/templ"

// The values of hx-boost: how links and forms show another page of a landing site without loading all of it. Without
// scripts they lead there as always. docs/decisions/fragments.md says more.
const (
	// Renew is for the same page with other rows: what stays keeps the focus, and the page does not scroll.
	Renew = `target:"#main" swap:"innerMorph show:none"`
	// RenewFromTop is for the next rows of the same page.
	RenewFromTop = `target:"#main" swap:"innerMorph show:top"`
	// Replace is for another page, which is shown from its top.
	Replace = `target:"#main" swap:"innerHTML show:top"`
	// ReplaceInPlace is for a page that leads to itself again, like a form that is saved.
	ReplaceInPlace = `target:"#main" swap:"innerHTML show:none"`
)

// PostButton are the attributes of a button that sends its form to path and shows the page that follows as Replace
// does. A form with a field of the name "form" needs them in place of hx-boost: htmx takes the field for the form.
func PostButton(path string) templ.Attributes {
	return templ.Attributes{
		"hx-post": path, "hx-target": "#main", "hx-swap": "innerHTML show:top", "hx-push-url": "true",
		"hx-sync": "this:drop",
	}
}
