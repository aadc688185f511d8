package gateway

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"time"
)

const (
	attemptTime = 5 * time.Second         // for one attempt
	totalTime   = 5500 * time.Millisecond // for both attempts, so that the person waits for at most 6 s
)

// Reliable sends messages by a provider and, when that is safe, by a second provider. No message arrives twice: one
// that may have been accepted is sent again only to a provider that recognises its id.
type Reliable struct {
	primary, fallback      *guardedSender
	log                    *slog.Logger
	now                    func() time.Time
	attemptTime, totalTime time.Duration
}

// guardedSender is the sender of a provider, with its circuit breaker.
type guardedSender struct {
	sender  Sender
	breaker breaker
}

// NewReliable returns a sender that uses primary, and fallback when primary fails. fallback may be nil. Its methods may
// be called from several goroutines.
func NewReliable(primary, fallback Sender, log *slog.Logger) *Reliable {
	r := &Reliable{primary: &guardedSender{sender: primary}, log: log, now: time.Now, attemptTime: attemptTime,
		totalTime: totalTime}
	if fallback != nil {
		r.fallback = &guardedSender{sender: fallback}
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
	ctx, cancel := context.WithTimeout(ctx, r.totalTime)
	defer cancel()
	first := r.attempt(ctx, r.primary, m)
	if first == nil {
		return nil
	}
	next := r.nextSender(first)
	if next == nil || ctx.Err() != nil {
		return first
	}
	second := r.attempt(ctx, next, m)
	switch {
	case second == nil:
		return nil
	case second.Code == codePaused:
		return first
	}
	second.MayHaveSucceeded = second.MayHaveSucceeded || first.MayHaveSucceeded
	return second
}

// nextSender returns the sender for the second attempt, or nil when there must be none.
func (r *Reliable) nextSender(f *Failure) *guardedSender {
	switch {
	case f.Kind == BadPhone, f.MayHaveSucceeded && !f.DetectsDuplicates:
		return nil
	case f.MayHaveSucceeded:
		return r.primary
	case r.fallback != nil:
		return r.fallback
	case f.Kind == Refused, f.Throttled, f.Code == codePaused:
		return nil // the provider would answer the same again
	}
	return r.primary
}

// attempt makes one attempt, counts its result and logs its failure.
func (r *Reliable) attempt(ctx context.Context, s *guardedSender, m SMS) *Failure {
	start := r.now()
	if paused := s.breaker.allows(start); paused != nil {
		return paused
	}
	ctx, cancel := context.WithTimeout(ctx, r.attemptTime)
	defer cancel()
	f := asFailure(s.sender.Send(ctx, m))
	now := r.now()
	opened := s.breaker.report(f, now)
	if f == nil {
		return nil
	}
	attributes := []slog.Attr{slog.String("provider", f.Provider), slog.String("code", f.Code)}
	r.log.LogAttrs(ctx, slog.LevelWarn, "sms not accepted", append(attributes, slog.String("kind", string(f.Kind)),
		slog.Bool("unsure", f.MayHaveSucceeded), slog.String("message", m.ID),
		slog.Int64("ms", now.Sub(start).Milliseconds()))...)
	if opened {
		r.log.LogAttrs(ctx, slog.LevelError, "sms provider left alone",
			append(attributes, slog.Int64("rest_ms", breakFor.Milliseconds()))...)
	}
	return f
}

// asFailure turns an error into a *Failure. Any other error means that the message may have been sent.
func asFailure(err error) *Failure {
	if err == nil {
		return nil
	}
	var f *Failure
	if errors.As(err, &f) {
		return f
	}
	return &Failure{Provider: "unknown", Code: "unknown", Kind: Temporary, MayHaveSucceeded: true}
}
