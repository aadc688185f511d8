package web

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"portico/portal/access"
)

// WriteJSON writes v as JSON that caches must not store.
func WriteJSON(w http.ResponseWriter, status int, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(body)
	return nil
}

// Decimal returns a number in decimal digits.
func Decimal(n int64) string { return strconv.FormatInt(n, 10) }

// Handler handles a request for a page. The adapter web.Serve writes the error that it returns.
type Handler func(w http.ResponseWriter, r *http.Request) error

// NoOrigin reports whether the browser sent neither Sec-Fetch-Site nor Origin, so that the form's origin is unknown.
func NoOrigin(r *http.Request) bool {
	return r.Header.Get("Sec-Fetch-Site") == "" && r.Header.Get("Origin") == ""
}

// SeeOther answers a successful form: it redirects with 303 to an address built from configuration or a fixed path.
func SeeOther(w http.ResponseWriter, location string) error {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Location", location)
	w.WriteHeader(http.StatusSeeOther)
	return nil
}

// IsRefusal reports whether err is one of the refusals.
func IsRefusal(err error, refusals ...access.Refusal) bool {
	for _, r := range refusals {
		if errors.Is(err, r) {
			return true
		}
	}
	return false
}
