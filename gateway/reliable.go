package gateway

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"time"
)

const (
	tryTime   = 5 * time.Second
	wholeTime = 5500 * time.Millisecond // so that the answer to the person takes no more than 6 s
)

// Reliable sends by a provider and, where that is safe, by a second one. It writes to nobody twice: a message
// that may be on its way is only given again to a provider that recognises its id.
type Reliable struct {
	primary, fallback *line
	log               *slog.Logger
	now               func() time.Time
	try, whole        time.Duration
}

// line is a provider and how it has been doing.
type line struct {
	sender  Sender
	breaker breaker
}

// NewReliable returns a sender by primary; fallback may be nil.
func NewReliable(primary, fallback Sender, log *slog.Logger) *Reliable {
	r := &Reliable{primary: &line{sender: primary}, log: log, now: time.Now, try: tryTime, whole: wholeTime}
	if fallback != nil {
		r.fallback = &line{sender: fallback}
	}
	return r
}

// PrimaryUp reports whether the first provider is in use, and not paused after repeated failures.
func (r *Reliable) PrimaryUp() bool { return r.primary.breaker.up() }

// FallbackUp reports the same for the second provider. There must be one.
func (r *Reliable) FallbackUp() bool { return r.fallback.breaker.up() }

// Send sends one message in at most two tries. A message without an id is given one.
func (r *Reliable) Send(ctx context.Context, m SMS) error {
	if m.ID == "" {
		m.ID = rand.Text()
	}
	ctx, cancel := context.WithTimeout(ctx, r.whole)
	defer cancel()
	first := r.ask(ctx, r.primary, m)
	if first == nil {
		return nil
	}
	next := r.after(first)
	if next == nil || ctx.Err() != nil {
		return first
	}
	second := r.ask(ctx, next, m)
	switch {
	case second == nil:
		return nil
	case second.Code == codeResting:
		return first
	}
	second.Unsure = second.Unsure || first.Unsure
	return second
}

// after chooses who tries a second time, or nobody.
func (r *Reliable) after(f *Failure) *line {
	switch {
	case f.Kind == BadPhone, f.Unsure && !f.KnowsID:
		return nil
	case f.Unsure:
		return r.primary
	case r.fallback != nil:
		return r.fallback
	case f.Kind == Refused, f.Throttled, f.Code == codeResting:
		return nil // the same answer would follow
	}
	return r.primary
}

// ask is one try, counted and logged.
func (r *Reliable) ask(ctx context.Context, l *line, m SMS) *Failure {
	start := r.now()
	if resting := l.breaker.allows(start); resting != nil {
		return resting
	}
	ctx, cancel := context.WithTimeout(ctx, r.try)
	defer cancel()
	f := asFailure(l.sender.Send(ctx, m))
	now := r.now()
	opened := l.breaker.report(f, now)
	if f == nil {
		return nil
	}
	about := []slog.Attr{slog.String("provider", f.Provider), slog.String("code", f.Code)}
	r.log.LogAttrs(ctx, slog.LevelWarn, "sms not accepted", append(about, slog.String("kind", string(f.Kind)),
		slog.Bool("unsure", f.Unsure), slog.String("message", m.ID),
		slog.Int64("ms", now.Sub(start).Milliseconds()))...)
	if opened {
		r.log.LogAttrs(ctx, slog.LevelError, "sms provider left alone",
			append(about, slog.Int64("rest_ms", breakFor.Milliseconds()))...)
	}
	return f
}

// asFailure takes an error that is no Failure, of a sender that is not ours, for the worst.
func asFailure(err error) *Failure {
	if err == nil {
		return nil
	}
	var f *Failure
	if errors.As(err, &f) {
		return f
	}
	return &Failure{Provider: "unknown", Code: "unknown", Kind: Temporary, Unsure: true}
}
