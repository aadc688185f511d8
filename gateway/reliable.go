package gateway

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"time"
)

const (
	tryTime   = 5 * time.Second         // for one attempt
	wholeTime = 5500 * time.Millisecond // for both attempts, so that the person waits for at most 6 s
)

// Reliable sends messages by a provider and, when that is safe, by a second provider. Nobody gets a message twice: a
// message that may have been accepted is only sent again to a provider that recognises its id.
type Reliable struct {
	primary, fallback *line
	log               *slog.Logger
	now               func() time.Time
	try, whole        time.Duration
}

// line is a provider with its circuit breaker.
type line struct {
	sender  Sender
	breaker breaker
}

// NewReliable returns a sender that uses primary, and fallback when primary fails. fallback may be nil.
func NewReliable(primary, fallback Sender, log *slog.Logger) *Reliable {
	r := &Reliable{primary: &line{sender: primary}, log: log, now: time.Now, try: tryTime, whole: wholeTime}
	if fallback != nil {
		r.fallback = &line{sender: fallback}
	}
	return r
}

// PrimaryUp reports whether the first provider is in use, and not paused after repeated failures.
func (r *Reliable) PrimaryUp() bool { return r.primary.breaker.up() }

// FallbackUp reports the same for the second provider. It must not be called without one.
func (r *Reliable) FallbackUp() bool { return r.fallback.breaker.up() }

// Send sends one message in at most two attempts. It gives a message without an id an id.
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

// after returns the provider for the second attempt, nil for no second attempt.
func (r *Reliable) after(f *Failure) *line {
	switch {
	case f.Kind == BadPhone, f.Unsure && !f.KnowsID:
		return nil
	case f.Unsure:
		return r.primary
	case r.fallback != nil:
		return r.fallback
	case f.Kind == Refused, f.Throttled, f.Code == codeResting:
		return nil // the provider would answer the same again
	}
	return r.primary
}

// ask makes one attempt, counts its result and logs its failure.
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

// asFailure turns an error into a *Failure. An error of another kind is treated as the worst: the message may have been
// sent.
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
