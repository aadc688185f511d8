package server

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// askTime is how long a question of a proxy may take.
const askTime = 2 * time.Second

// hostQuestion reports whether this program serves a host. It returns an error when that cannot be found out.
type hostQuestion func(ctx context.Context, host string) (bool, error)

// tlsAsk answers GET /tls/ask?domain=NAME: 200 for a host that this program serves, 404 for any other, and 503 when
// that cannot be found out. It is the form in which Caddy asks before it gets a certificate on demand, so that nobody
// can make the proxy get certificates for names of their own.
func tlsAsk(serves hostQuestion, answers *prometheus.CounterVec, log *slog.Logger) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), askTime)
		defer cancel()
		w.Header().Set("Cache-Control", "no-store")
		switch own, err := serves(ctx, r.URL.Query().Get("domain")); {
		case err != nil:
			answers.WithLabelValues("unknown").Inc()
			log.LogAttrs(r.Context(), slog.LevelError, "tls ask failed", slog.Any("error", err))
			http.Error(w, "unknown at the moment", http.StatusServiceUnavailable)
		case !own:
			answers.WithLabelValues("no").Inc()
			http.Error(w, "not a host of this platform", http.StatusNotFound)
		default:
			answers.WithLabelValues("yes").Inc()
			w.WriteHeader(http.StatusOK)
		}
	}
}
