package pagestest

import (
	"net/http"

	"portico/portal/ordering"
)

const PeoplePath = "http://store1001.portico.test/mgr/people"

// Opening sends the form that opens an account; fields come in pairs.
func (b *Browser) Opening(fields ...string) *http.Response {
	b.T.Helper()
	return b.Post(PeoplePath+"/new", append(fields, "form", ordering.NewForm())...)
}
