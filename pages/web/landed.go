package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// landedParam marks the address to which a landing redirects a browser that has sent no cookie and does not say where
// its requests come from. Without the mark, a browser that blocks cookies would get the sign-in page with no
// explanation. Once a cookie comes back, Serve redirects to the address without the mark, so that no bookmark or shared
// link has it.
const landedParam = "landed"

// WithLanded marks the address of a page, see landedParam.
func WithLanded(address string) string {
	page, fragment, hasFragment := strings.Cut(address, "#")
	separator := "?"
	if strings.Contains(page, "?") {
		separator = "&"
	}
	page += separator + landedParam + "=1"
	if hasFragment {
		page += "#" + fragment
	}
	return page
}

// WithoutLanded removes the mark of WithLanded from an address.
func WithoutLanded(address string) string {
	page, fragment, hasFragment := strings.Cut(address, "#")
	page, query, hasQuery := strings.Cut(page, "?")
	parts := slices.DeleteFunc(strings.Split(query, "&"), func(part string) bool {
		escaped, _, _ := strings.Cut(part, "=")
		name, err := url.QueryUnescape(escaped)
		return err == nil && name == landedParam
	})
	if hasQuery && len(parts) > 0 {
		page += "?" + strings.Join(parts, "&")
	}
	if hasFragment {
		page += "#" + fragment
	}
	return page
}

// unmarked returns the address of a page that is marked and whose browser sends cookies, without the mark; false for
// any other request.
func unmarked(r *http.Request) (address string, ok bool) {
	if r.Method != http.MethodGet || len(r.Header["Cookie"]) == 0 || !r.URL.Query().Has(landedParam) {
		return "", false
	}
	page, ok := localPath(r.URL.RequestURI()) // never the address of another host
	if !ok {
		return "", false
	}
	return WithoutLanded(page.String()), true
}
