package web

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
	EditionParam    = "edition"
	LightingEdition = "lighting"
)

// AsksLighting reports whether the request asks for the lighting edition: by its address, by its form, or because the
// sign-in that it continues asked for it.
func AsksLighting(ctx context.Context) bool {
	v := VisitOf(ctx)
	return v != nil && v.Lighting
}

// NoteEdition records that an address or a form asks for the lighting edition.
func NoteEdition(v *Visit, asked url.Values) {
	if v != nil && asked.Get(EditionParam) == LightingEdition {
		v.Lighting = true
	}
}

// KeepEdition records the edition of a session, for pages that lead back to the sign-in.
func KeepEdition(r *http.Request, s access.Session) {
	if s.Lighting {
		VisitOf(r.Context()).Lighting = true
	}
}

// InEdition adds the edition to an address of this site when the request asks for it.
func InEdition(ctx context.Context, address string) string {
	if !AsksLighting(ctx) || !strings.HasPrefix(address, "/") {
		return address
	}
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	query := u.Query()
	query.Set(EditionParam, LightingEdition)
	u.RawQuery = query.Encode()
	return u.String()
}

// Link is InEdition for the links and forms of templates.
func Link(ctx context.Context, address string) templ.SafeURL {
	return templ.SafeURL(InEdition(ctx, address))
}
