package server

import (
	"context"
	"log"
	"log/slog"
	"strings"

	"portico/portal/access"
	"portico/server/tracing"
)

// LogHandler returns a handler that adds to each line the id of the request that it belongs to, and the ids of the
// trace and span if the request is recorded. Warnings and errors of one cause are written once a second.
func LogHandler(next slog.Handler) slog.Handler {
	return requestLines{repeatedLines{next, &causes{recent: map[cause]keptLine{}}}}
}

type requestLines struct{ slog.Handler }

// Handle writes one line.
func (h requestLines) Handle(ctx context.Context, line slog.Record) error {
	if id := access.CallerOf(ctx).RequestID; id != "" && !hasRequestID(line) {
		line.AddAttrs(slog.String("request_id", id))
	}
	if traceID, spanID := tracing.IDs(ctx); traceID != "" {
		line.AddAttrs(slog.String("trace_id", traceID), slog.String("span_id", spanID))
	}
	return h.Handler.Handle(ctx, line)
}

func hasRequestID(line slog.Record) (has bool) {
	line.Attrs(func(a slog.Attr) bool {
		has = a.Key == "request_id"
		return !has
	})
	return has
}

// WithAttrs returns a handler whose lines have these attributes too.
func (h requestLines) WithAttrs(more []slog.Attr) slog.Handler {
	return requestLines{h.Handler.WithAttrs(more)}
}

// WithGroup returns a handler whose later attributes are in a group.
func (h requestLines) WithGroup(name string) slog.Handler {
	return requestLines{h.Handler.WithGroup(name)}
}

// connectionLog returns a log for net/http, which writes free text about connections and handlers.
func connectionLog(to *slog.Logger) *log.Logger { return log.New(connectionLines{to}, "", 0) }

type connectionLines struct{ log *slog.Logger }

// Write logs one line of net/http.
func (l connectionLines) Write(text []byte) (int, error) {
	l.log.Warn("http server", slog.String("error", strings.TrimSuffix(string(text), "\n")))
	return len(text), nil
}
