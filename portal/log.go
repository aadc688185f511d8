package portal

import (
	"context"
	"log/slog"
)

// logInfo is the level of all security events, refused or not.
const logInfo = slog.LevelInfo

// logWarn is the level of events that an operator may have to look at.
const logWarn = slog.LevelWarn

func logDetail(detail string) slog.Attr { return slog.String("detail", detail) }

func logEvent(kind string) slog.Attr { return slog.String("event", kind) }

// logSubject names a failure counter by ids; never by a phone number or a name.
func logSubject(subject string) slog.Attr { return slog.String("subject", subject) }

// logSecurity writes a security line. Every line has the same keys for the event, the request and the caller's address.
func (p *Portal) logSecurity(ctx context.Context, level slog.Level, event string, more ...slog.Attr) {
	c := callerOf(ctx)
	about := []slog.Attr{logEvent(event), slog.String("request_id", c.RequestID), slog.String("address", c.Address)}
	p.log.LogAttrs(ctx, level, "security", append(about, more...)...)
}
