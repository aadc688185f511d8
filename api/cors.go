package api

import (
	"net/http"
	"slices"
	"strings"
)

// nullOrigin is what browsers call a page that is a file, a data address or in a sandbox. Anybody can make such a page.
const nullOrigin = "null"

// allowOrigin lets scripts of the platform's own sites and of the operator's wrappers read the answer, and reports
// whether the origin is one of these. It names the exact origin, and allows no credentials because no call uses
// cookies.
func (a *API) allowOrigin(w http.ResponseWriter, r *http.Request) (bool, error) {
	w.Header().Set("Vary", "Origin")
	origins := r.Header["Origin"]
	if len(origins) != 1 {
		return false, nil
	}
	allowed := slices.Contains(a.origins, origins[0])
	if origins[0] == nullOrigin {
		allowed = allowed && carriesToken(r)
	} else if !allowed {
		own, err := a.portal.Access.OwnOrigin(r.Context(), origins[0])
		if err != nil || !own {
			return false, err
		}
		allowed = true
	}
	if allowed {
		w.Header().Set("Access-Control-Allow-Origin", origins[0])
		w.Header().Set("Access-Control-Expose-Headers", "Retry-After, X-Request-Id, ETag")
	}
	return allowed, nil
}

// carriesToken says whether a call has a token and no cookie, or whether a preflight announces a token.
func carriesToken(r *http.Request) bool {
	if len(r.Header["Cookie"]) > 0 {
		return false
	}
	if r.Method != http.MethodOptions {
		return r.Header.Get("X-Token") != ""
	}
	for _, line := range r.Header["Access-Control-Request-Headers"] {
		for name := range strings.SplitSeq(line, ",") {
			if strings.EqualFold(strings.TrimSpace(name), "X-Token") {
				return true
			}
		}
	}
	return false
}

const preflightSeconds = "600"

// answerPreflight answers which method and headers a script of an allowed origin may use.
func answerPreflight(w http.ResponseWriter) {
	h := w.Header()
	h.Del("Allow")
	h.Set("Access-Control-Allow-Methods", "GET, POST")
	h.Set("Access-Control-Allow-Headers", "Content-Type, X-Token, X-Timestamp, X-Nonce, X-Token-Type, X-App-Source, "+
		"X-Sign, X-Company-Id, X-Edition, Idempotency-Key, If-None-Match")
	h.Set("Access-Control-Max-Age", preflightSeconds)
	w.WriteHeader(http.StatusNoContent)
}
