package web

type (
	// PageLink is a link under a form or on a page.
	PageLink struct{ Label, Href string }
)
