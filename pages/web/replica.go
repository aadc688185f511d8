package web

import (
	"net/http"
	"strconv"

	"portico/store"
)

// AllowReplica lets the lists of a page come from a replica of the database, which may be some seconds old. It has at
// least what this browser has changed itself.
func (p *Requests) AllowReplica(r *http.Request) {
	since, err := strconv.ParseInt(p.Cookie(r, ChangedCookie), 10, 64)
	if err != nil {
		since = 0
	}
	store.AllowReplica(r.Context(), store.Instant(since))
}

// NotingChanges returns a writer for the answer to a request. If the request has changed something, the browser gets
// ChangedCookie with the answer.
func (p *Requests) NotingChanges(w http.ResponseWriter, r *http.Request) http.ResponseWriter {
	return &changeWriter{ResponseWriter: w, request: r, requests: p}
}

type changeWriter struct {
	http.ResponseWriter
	request  *http.Request
	requests *Requests
	begun    bool
}

// Unwrap returns the underlying writer, for http.ResponseController.
func (w *changeWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *changeWriter) WriteHeader(status int) {
	w.begin()
	w.ResponseWriter.WriteHeader(status)
}

func (w *changeWriter) Write(b []byte) (int, error) {
	w.begin()
	return w.ResponseWriter.Write(b)
}

// begin sets the cookie before the first byte of the answer.
func (w *changeWriter) begin() {
	if w.begun {
		return
	}
	w.begun = true
	if at := store.Changed(w.request.Context()); at != 0 {
		w.requests.SetCookie(w.ResponseWriter, ChangedCookie, Decimal(int64(at)), MinuteSeconds)
	}
}
