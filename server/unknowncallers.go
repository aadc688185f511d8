package server

import (
	"log/slog"
	"strings"
	"sync"
	"time"
)

// warnAgain is how long the log says nothing more about callers without an address.
const warnAgain = time.Minute

// unknownCallers warns about requests of a trusted proxy that do not say from which address they come. All their
// callers share the limits of one address.
type unknownCallers struct {
	mu     sync.Mutex
	warned time.Time
}

// warn logs the header of such a request, at most once in warnAgain.
func (u *unknownCallers) warn(log *slog.Logger, proxy string, header []string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if !u.warned.IsZero() && time.Since(u.warned) < warnAgain {
		return
	}
	u.warned = time.Now()
	log.Warn("caller's address unknown", slog.String("proxy", proxy),
		slog.String("x_forwarded_for", shorten(strings.Join(header, ", "), 200)))
}
