package api

import "net/http"

// allowOrigin lets scripts of the platform's own sites read the answer: the exact origin, no credentials
// (requirement 63). It says whether the origin is one of them.
func (a *API) allowOrigin(w http.ResponseWriter, r *http.Request) (bool, error) {
	w.Header().Set("Vary", "Origin")
	origins := r.Header["Origin"]
	if len(origins) != 1 {
		return false, nil
	}
	own, err := a.portal.OwnOrigin(r.Context(), origins[0])
	if err != nil || !own {
		return false, err
	}
	w.Header().Set("Access-Control-Allow-Origin", origins[0])
	w.Header().Set("Access-Control-Expose-Headers", "Retry-After, X-Request-Id, ETag")
	return true, nil
}

const preflightSeconds = "600"

// answerPreflight says what a call of one of our sites may carry.
func answerPreflight(w http.ResponseWriter) {
	h := w.Header()
	h.Del("Allow")
	h.Set("Access-Control-Allow-Methods", "GET, POST")
	h.Set("Access-Control-Allow-Headers", "Content-Type, X-Token, X-Timestamp, X-Nonce, X-Token-Type, X-App-Source, X-Sign, X-Company-Id, X-Edition, Idempotency-Key, If-None-Match")
	h.Set("Access-Control-Max-Age", preflightSeconds)
	w.WriteHeader(http.StatusNoContent)
}
