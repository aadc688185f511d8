package core

import (
	"context"
	"time"

	"portico/portal/access"
	"portico/store"
)

// Limits for an address or a sign-in.
const (
	// FailureWindow is the window in which failures are counted: of passwords, auth codes and issued codes.
	FailureWindow = 15 * time.Minute
	// BadCodes is how many invalid auth codes an address may send in FailureWindow.
	BadCodes = 60
	// CodesIssued is how many auth codes one sign-in may ask for in FailureWindow.
	CodesIssued = 60
	// LookupLimit is how many distinct phones and logins one address may ask about within LookupWindow.
	LookupLimit = 10
	// LookupLimitMiddle and LookupLimitWide are how many look-ups the addresses of wider networks may make together
	// within LookupWindow: of an IPv4 /24 or IPv6 /48, and of an IPv4 /16 or IPv6 /32.
	LookupLimitMiddle = 100
	LookupLimitWide   = 1000
	// LookupWindow is the window of these limits.
	LookupWindow = time.Hour
	// AttemptsKept is how long a counter is kept after its last use.
	AttemptsKept = 30 * 24 * time.Hour

	// DeviceKnownFor is how long a browser counts as known after a sign-in.
	DeviceKnownFor = 180 * 24 * time.Hour
	// DeviceNotedFor is the age from which the stored time of a browser's last sign-in is renewed: a sign-in writes
	// nothing while it is younger. So a browser counts as known for at least DeviceKnownFor minus DeviceNotedFor.
	DeviceNotedFor = 24 * time.Hour
)

// Hour is the window of limits that are counted by the hour.
const Hour = time.Hour

// CountUpTo counts one use of key. After limit uses within a window it refuses with TooManyAttempts and the wait, and
// writes nothing.
func (l *Limits) CountUpTo(ctx context.Context, db *store.DB, key string, limit int, window time.Duration) error {
	if l.core.NoLimit {
		return nil
	}
	now := l.core.Now()
	since := store.At(now.Add(-window))
	a, err := db.Attempts.Of(ctx, key)
	if err == nil && (a.WindowFailures < limit || a.WindowFrom <= since) {
		a, err = db.Attempts.Raise(ctx, key, store.At(now), since)
	} else if err == nil {
		a.WindowFailures = limit + 1
	}
	if err == nil && a.WindowFailures > limit {
		l.core.Access.CountLimited(key)
		err = &access.Refused{Refusal: access.TooManyAttempts, Wait: a.WindowFrom.Time().Add(window).Sub(now)}
	}
	return err
}

// FailuresInWindow returns the number of failures in a counter's window, 0 when the window is over.
func FailuresInWindow(a store.Attempts, now time.Time, window time.Duration) int {
	if a.WindowFrom < store.At(now.Add(-window)) {
		return 0
	}
	return a.WindowFailures
}

// CountLookup counts a look-up of a phone or account name that does not exist or whose password was wrong. It refuses
// with TooManyAttempts when the caller's networks have looked up too many different ones, so that the caller can no
// longer tell wrong from unknown. A refused look-up costs one short read and writes nothing, except for the first one
// over the limit, which writes an audit event.
func (l *Limits) CountLookup(ctx context.Context, identifier string) error {
	if l.core.NoLimit {
		return nil
	}
	now := l.core.Now()
	since, from := store.At(now.Add(-LookupWindow)), access.Networks(access.CallerOf(ctx).Address)
	asked, err := l.core.DB.Attempts.CountLookups(ctx, from[access.NarrowNetwork], since, LookupLimit+1)
	if err != nil {
		return err
	}
	refused := &access.Refused{Refusal: access.TooManyAttempts, Wait: LookupWindow}
	if asked > LookupLimit {
		l.core.Access.CountLimited("probes")
		return refused
	}
	wider := []struct {
		key   string
		limit int
	}{
		{"probes:" + from[access.MiddleNetwork], LookupLimitMiddle},
		{"probes:" + from[access.WideNetwork], LookupLimitWide},
	}
	for _, w := range wider {
		a, err := l.core.DB.Attempts.Of(ctx, w.key)
		if err != nil {
			return err
		}
		if FailuresInWindow(a, now, LookupWindow) >= w.limit {
			l.core.Access.CountLimited("probes")
			return refused
		}
	}
	err = l.core.DB.Tx(ctx, func(tx *store.DB) error {
		before, err := tx.Attempts.CountLookups(ctx, from[access.NarrowNetwork], since, LookupLimit+1)
		if err != nil {
			return err
		}
		subject := l.core.Sealing.Tag("lookup", identifier)
		asked, err = tx.Attempts.NoteLookup(ctx, from[access.NarrowNetwork], subject, store.At(now), since,
			LookupLimit+1)
		if err != nil || asked == before { // the address asked about this one before
			return err
		}
		for _, w := range wider {
			if _, err := tx.Attempts.Raise(ctx, w.key, store.At(now), since); err != nil {
				return err
			}
		}
		if asked <= LookupLimit {
			return nil
		}
		return l.core.Access.Event(ctx, tx, "probe", store.Member{}, "")
	})
	if err == nil && asked > LookupLimit {
		l.core.Access.CountLimited("probes")
		return refused
	}
	return err
}

// AddressKey returns the key of a counter for the caller's network.
func AddressKey(ctx context.Context) string {
	return "address:" + access.Network(access.CallerOf(ctx).Address)
}

// Ended says whether something that works until a moment (Unix ms) has expired. At that moment it has.
func (l *Limits) Ended(until int64) bool { return until <= l.core.Now().UnixMilli() }
