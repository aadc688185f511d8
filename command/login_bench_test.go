package command

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
)

// BenchmarkLoginPage measures the sign-in page, the page with the most requests, without the network.
func BenchmarkLoginPage(b *testing.B) {
	s, _ := testServer(b)
	s.RequestLog = slog.New(slog.NewJSONHandler(discard{}, nil))
	r := httptest.NewRequest(http.MethodGet, "/login", nil)
	r.Host, r.URL.Host = "store1001.localhost", ""
	r.Header.Set("Accept-Encoding", "gzip, deflate, br")
	b.ReportAllocs()
	for b.Loop() {
		w := &discardResponse{header: http.Header{}}
		s.ServeHTTP(w, r)
		if w.status != http.StatusOK {
			b.Fatal(w.status)
		}
	}
}

// discard is a Writer that drops everything.
type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

// discardResponse is a ResponseWriter that keeps only the status.
type discardResponse struct {
	header http.Header
	status int
}

func (w *discardResponse) Header() http.Header         { return w.header }
func (w *discardResponse) WriteHeader(status int)      { w.status = status }
func (w *discardResponse) Write(p []byte) (int, error) { return len(p), nil }

// BenchmarkRefusedForm measures forms that are decoded and refused, and the pages that are rendered and compressed for
// them.
func BenchmarkRefusedForm(b *testing.B) {
	s, _ := testServer(b)
	s.RequestLog = slog.New(slog.NewJSONHandler(discard{}, nil))
	for _, f := range publicForms {
		b.Run(f.host+f.path, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				w := &discardResponse{header: http.Header{}}
				sendEmptyForm(s, w, f.host, f.path, "gzip, deflate, br")
				if w.status == http.StatusOK {
					b.Fatal(w.status)
				}
			}
		})
	}
}
