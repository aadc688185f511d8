package portal

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"portico/store"
)

// The guessing limits (requirements 22 to 27 and 12).
const (
	// FreeFailures is how many wrong passwords go unpunished; each further one doubles the wait.
	FreeFailures = 4
	// ProofFailures within FailureWindow ask for an extra proof beside the password.
	ProofFailures = 10
	// OffFailures in a row switch password sign-in off until the phone is proven.
	OffFailures = 100
	// FailureWindow is the window of ProofFailures and AddressFailures.
	FailureWindow = 15 * time.Minute
	// LongestWait caps the growing wait.
	LongestWait = 15 * time.Minute
	// AddressFailures is how many failures one address (an IPv6 /64) may make in the window.
	AddressFailures = 30
	// AddressCredit is how many failures a successful sign-in takes back, once in the window for each who
	// signs in: a shop's shared address has both.
	AddressCredit = 3
	// BadCodes is how many auth codes that are none an address may send in FailureWindow.
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
	// DeviceKnownFor is how long a browser counts as known after a sign-in.
	DeviceKnownFor = 180 * 24 * time.Hour
	// AttemptsKept is how long an untouched counter is kept.
	AttemptsKept = 30 * 24 * time.Hour

	offFor = 100 * 365 * 24 * time.Hour
)

// guard is the failure budget one sign-in draws on: its subject's, or, on a browser known to the subject,
// one of that browser's own, which nobody else can burn (requirement 25).
type guard struct {
	key     string
	address string // "" when a known browser is not held to the address's budget
	known   bool
	counted store.Attempts // the counter with this try in it; zero when the try was not counted
}

// guardFor chooses the budget for trying a password of a subject from a browser.
func (p *Portal) guardFor(ctx context.Context, subject, device string) (guard, error) {
	g := guard{key: subject, address: addressKey(ctx)}
	if device == "" {
		return g, nil
	}
	known, err := p.db.DeviceKnown(ctx, device, subject, store.At(p.now().Add(-DeviceKnownFor)))
	if err == nil && known {
		g = guard{key: "known:" + device + ":" + subject, known: true}
	}
	return g, err
}

// attempt counts a try before anything is compared, atomically: of fifty wrong passwords at once only the
// free ones are looked at (requirement 23). It refuses with TooManyAttempts while the subject or the address
// must wait; a refused try is not counted and lengthens nothing.
func (p *Portal) attempt(ctx context.Context, g guard) (store.Attempts, error) {
	if p.noLimit {
		return store.Attempts{}, nil
	}
	if g.address != "" {
		if err := p.refuseAddress(ctx, g.address); err != nil {
			return store.Attempts{}, err
		}
	}
	now := p.now()
	var counted store.Attempts
	err := p.db.Tx(ctx, func(tx *store.DB) error {
		if g.address != "" {
			a, err := tx.RaiseAttempts(ctx, g.address, store.At(now), store.At(now.Add(-FailureWindow)))
			if err != nil {
				return blockedError(ctx, tx, g.address, now, err)
			}
			if a.WindowFailures > AddressFailures {
				return addressRefusal(a, now) // rolls back the change to the counter
			}
		}
		var err error
		counted, err = tx.RaiseAttempts(ctx, g.key, store.At(now), store.At(now.Add(-FailureWindow)))
		if err != nil {
			return blockedError(ctx, tx, g.key, now, err)
		}
		if wait := waitAfter(counted.Failures); wait > 0 {
			p.log.LogAttrs(ctx, logInfo, "security", logEvent("locked"), logCaller(ctx), logSubject(g.key), slog.Duration("wait", wait))
			return tx.BlockAttempts(ctx, g.key, store.At(now.Add(wait)))
		}
		return nil
	})
	return counted, err
}

// refuseStranger refuses a sign-in from a browser without a device cookie, or from a program, before anything is read
// about the one it asks for: with TooManyAttempts when its address has used up its failures, with NotAvailable when the
// hash queue is full.
func (p *Portal) refuseStranger(ctx context.Context, in LoginInput) error {
	if in.Device != "" || in.SignedIn {
		return nil
	}
	if err := p.hasher.queue.room(ctx, laneStrangers); err != nil || p.noLimit {
		return err
	}
	return p.refuseAddress(ctx, addressKey(ctx))
}

// refuseAddress refuses an address that has used up its failures, without writing anything.
func (p *Portal) refuseAddress(ctx context.Context, key string) error {
	now := p.now()
	a, err := p.db.AttemptsOf(ctx, key)
	if err == nil && a.WindowFailures >= AddressFailures && a.WindowFrom > store.At(now.Add(-FailureWindow)) {
		err = addressRefusal(a, now)
	}
	return err
}

func addressRefusal(a store.Attempts, now time.Time) error {
	return &Refused{Refusal: TooManyAttempts, OfAddress: true, Wait: a.WindowFrom.Time().Add(FailureWindow).Sub(now)}
}

// blockedError tells a block from a failing database.
func blockedError(ctx context.Context, tx *store.DB, key string, now time.Time, err error) error {
	if !errors.Is(err, store.ErrNotFound) {
		return err
	}
	a, err := tx.AttemptsOf(ctx, key)
	if err != nil {
		return err
	}
	return &Refused{Refusal: TooManyAttempts, Wait: min(a.BlockedUntil.Time().Sub(now), 24*time.Hour)}
}

// waitAfter is the wait after the nth failure in a row: none for the first few, then 2 s, 4 s, … up to
// LongestWait, and for good from OffFailures on.
func waitAfter(failures int) time.Duration {
	switch {
	case failures <= FreeFailures:
		return 0
	case failures >= OffFailures:
		return offFor
	}
	wait := time.Second << min(failures-FreeFailures, 20)
	return min(wait, LongestWait)
}

// needsProof says whether the next try under the guard must answer a question as well, and how many failures
// in a row the question stands for.
func (p *Portal) needsProof(ctx context.Context, g guard) (needed bool, failures int, err error) {
	if p.noLimit || g.known {
		return false, 0, nil
	}
	a, err := p.db.AttemptsOf(ctx, g.key)
	if err != nil {
		return false, 0, err
	}
	return a.WindowFailures >= ProofFailures && a.WindowFrom >= store.At(p.now().Add(-FailureWindow)), a.Failures, nil
}

// forgive takes back a try that came to nothing through no fault of the person's.
func (p *Portal) forgive(ctx context.Context, g guard) error {
	if p.noLimit {
		return nil
	}
	return p.db.Tx(ctx, func(tx *store.DB) error {
		if g.address != "" {
			if err := tx.LowerAttempts(ctx, g.address, 1); err != nil {
				return err
			}
		}
		return tx.ForgiveAttempt(ctx, g.key, g.counted.Failures)
	})
}

// passed clears the budget after the right password, and takes back what the guards tried before it counted
// in this sign-in. The address comes before the subjects, as in attempt: two sign-ins at once must not wait
// for each other.
func (p *Portal) passed(ctx context.Context, tx *store.DB, g guard, before []guard) error {
	if p.noLimit {
		return nil
	}
	before = slices.DeleteFunc(slices.Clone(before), func(b guard) bool { return b.key == g.key || b.counted.Failures == 0 })
	if err := p.repay(ctx, tx, g, before); err != nil {
		return err
	}
	for _, b := range before {
		if err := tx.ForgiveAttempt(ctx, b.key, b.counted.Failures); err != nil {
			return err
		}
	}
	return tx.ClearAttempts(ctx, g.key)
}

// repay takes back off the address what this sign-in counted there, and AddressCredit more, once a window and
// subject: whoever guesses between sign-ins to an account of their own does not win tries without end.
func (p *Portal) repay(ctx context.Context, tx *store.DB, g guard, before []guard) error {
	counted := 0
	for _, each := range append(before, g) {
		if each.address != "" {
			counted++
		}
	}
	if g.address != "" {
		now := p.now()
		credit, err := tx.RaiseAttempts(ctx, "credit:"+g.address+":"+g.key, store.At(now), store.At(now.Add(-FailureWindow)))
		if err != nil {
			return err
		}
		if credit.WindowFailures == 1 {
			counted += AddressCredit
		}
	}
	if counted == 0 {
		return nil
	}
	return tx.LowerAttempts(ctx, addressKey(ctx), counted)
}

// probed counts a phone or login that a caller got wrong or that does not exist, and refuses once the caller's address
// has asked about too many different ones: from then on wrong and unknown look alike. A refused look-up costs one short
// read and writes nothing, the first one beyond the limit excepted, which is noted in the audit log.
func (p *Portal) probed(ctx context.Context, identifier string) error {
	if p.noLimit {
		return nil
	}
	now := p.now()
	since, from := store.At(now.Add(-LookupWindow)), networks(callerOf(ctx).Address)
	asked, err := p.db.CountLookups(ctx, from[narrowNetwork], since, LookupLimit+1)
	if err != nil {
		return err
	}
	refused := &Refused{Refusal: TooManyAttempts, Wait: LookupWindow}
	if asked > LookupLimit {
		return refused
	}
	wider := []struct {
		key   string
		limit int
	}{
		{"probes:" + from[middleNetwork], LookupLimitMiddle},
		{"probes:" + from[wideNetwork], LookupLimitWide},
	}
	for _, w := range wider {
		a, err := p.db.AttemptsOf(ctx, w.key)
		if err != nil {
			return err
		}
		if inWindow(a, now, LookupWindow) >= w.limit {
			return refused
		}
	}
	err = p.db.Tx(ctx, func(tx *store.DB) error {
		before, err := tx.CountLookups(ctx, from[narrowNetwork], since, LookupLimit+1)
		if err != nil {
			return err
		}
		subject := p.tag("lookup", identifier)
		asked, err = tx.NoteLookup(ctx, from[narrowNetwork], subject, store.At(now), since, LookupLimit+1)
		if err != nil || asked == before { // the address asked about this one before
			return err
		}
		for _, w := range wider {
			if _, err := tx.RaiseAttempts(ctx, w.key, store.At(now), since); err != nil {
				return err
			}
		}
		if asked <= LookupLimit {
			return nil
		}
		return p.event(ctx, tx, "probe", store.Member{}, "")
	})
	if err == nil && asked > LookupLimit {
		return refused
	}
	return err
}

func addressKey(ctx context.Context) string { return "address:" + network(callerOf(ctx).Address) }
