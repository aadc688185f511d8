package server

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

func TestProxyGetsAnAnswerWithinTwoSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		silent := func(ctx context.Context, _ string) (bool, error) {
			<-ctx.Done()
			return false, ctx.Err()
		}
		answers := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "answers"}, []string{"answer"})
		began, w := time.Now(), httptest.NewRecorder()
		tlsAsk(silent, answers, slog.New(slog.DiscardHandler))(w, httptest.NewRequest("GET", "/tls/ask?domain=a", nil))
		if took := time.Since(began); took != 2*time.Second || w.Code != http.StatusServiceUnavailable {
			t.Errorf("%d after %s", w.Code, took)
		}
	})
}
