package api

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"portico/api/docs"
)

func TestSearchEnginesMayNotIndexTheAPI(t *testing.T) {
	a := &API{docs: docs.New(docs.Options{Description: openAPI}), routed: func(*http.Request, string) {}}
	w := httptest.NewRecorder()
	a.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/robots.txt", nil))
	if w.Code != http.StatusOK || w.Body.String() != "User-agent: *\nDisallow: /\n" ||
		w.Header().Get("X-Robots-Tag") != "noindex" {
		t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
	}
}
