package pages

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/a-h/templ"

	"portico/portal/access"
)

// A person asks for the lighting edition by ?edition=lighting. The links, form addresses and redirects of all sign-in
// pages carry the parameter. It is not a cookie, because another tab, or the next person, did not ask for it.

// The query parameter and its only value.
const (
	editionParam    = "edition"
	lightingEdition = "lighting"
)

// asksLighting reports whether the request asks for the lighting edition: by its address, by its form, or because the
// sign-in that it continues asked for it.
func asksLighting(ctx context.Context) bool {
	v := visitOf(ctx)
	return v != nil && v.lighting
}

// noteEdition records that an address or a form asks for the lighting edition.
func noteEdition(v *visit, asked url.Values) {
	if v != nil && asked.Get(editionParam) == lightingEdition {
		v.lighting = true
	}
}

// keepEdition records the edition of a session, for pages that lead back to the sign-in.
func keepEdition(r *http.Request, s access.Session) {
	if s.Lighting {
		visitOf(r.Context()).lighting = true
	}
}

// inEdition adds the edition to an address of this site when the request asks for it.
func inEdition(ctx context.Context, address string) string {
	if !asksLighting(ctx) || !strings.HasPrefix(address, "/") {
		return address
	}
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	query := u.Query()
	query.Set(editionParam, lightingEdition)
	u.RawQuery = query.Encode()
	return u.String()
}

// link is inEdition for the links and forms of templates.
func link(ctx context.Context, address string) templ.SafeURL {
	return templ.SafeURL(inEdition(ctx, address))
}
