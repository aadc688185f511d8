package portal

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"portico/store"
)

// The guessing limits.
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
	// DeviceNotedFor is the age from which the stored time of a browser's last sign-in is renewed: a sign-in writes
	// nothing while it is younger. So a browser counts as known for at least DeviceKnownFor minus DeviceNotedFor.
	DeviceNotedFor = 24 * time.Hour
	// AttemptsKept is how long an untouched counter is kept.
	AttemptsKept = 30 * 24 * time.Hour

	offFor = 100 * 365 * 24 * time.Hour
)

// guard is the failure budget one sign-in draws on: its subject's, or, on a browser known to the subject,
// one of that browser's own, which nobody else can burn.
type guard struct {
	key     string
	address string // "" when a known browser is not held to the address's budget
	known   bool

	counter   store.Attempts // of key, as it stood before the comparison
	atAddress store.Attempts // of address

	rehashed bool // the right password was stored with a new hash after the comparison
}

// guardFor chooses the budget for trying a password of a subject from a browser, and reads its counters.
func (p *Portal) guardFor(ctx context.Context, subject, device string) (guard, error) {
	g := guard{key: subject, address: addressKey(ctx)}
	keys := []string{g.key, g.address}
	var counters []store.Attempts
	var seenAt store.Instant
	var err error
	if device == "" {
		counters, err = p.db.AttemptsOfAll(ctx, keys)
	} else {
		own := "known:" + device + ":" + subject
		counters, seenAt, err = p.db.AttemptsAndDevice(ctx, append(keys, own), device, subject)
		if seenAt > store.At(p.now().Add(-DeviceKnownFor)) {
			g = guard{key: own, known: true}
		}
	}
	return g.with(counters), err
}

// with returns the guard with the counters of its keys, which are zero for a key that is missing.
func (g guard) with(counters []store.Attempts) guard {
	g.counter, g.atAddress = store.Attempts{}, store.Attempts{}
	for _, counter := range counters {
		switch counter.Key {
		case g.key:
			g.counter = counter
		case g.address:
			g.atAddress = counter
		}
	}
	return g
}

// refuseBlocked refuses with TooManyAttempts while the subject or the address must wait.
func (p *Portal) refuseBlocked(g guard) error {
	if p.noLimit {
		return nil
	}
	now := p.now()
	a := g.atAddress
	if a.WindowFailures >= AddressFailures && a.WindowFrom > store.At(now.Add(-FailureWindow)) {
		wait := a.WindowFrom.Time().Add(FailureWindow).Sub(now)
		return &Refused{Refusal: TooManyAttempts, OfAddress: true, Wait: wait}
	}
	if wait := g.counter.BlockedUntil.Time().Sub(now); wait > 0 {
		return subjectRefusal(wait)
	}
	return nil
}

// failed counts a wrong password and returns the guard with the counter as it is now. Many passwords may be compared at
// the same time. If the others have made the subject or the address wait meanwhile, failed counts nothing and refuses
// with TooManyAttempts, which says nothing about the password. So of fifty wrong passwords at once, only the free ones
// are answered.
func (p *Portal) failed(ctx context.Context, g guard) (guard, error) {
	if p.noLimit {
		return g, nil
	}
	now := p.now()
	since := store.At(now.Add(-FailureWindow))
	var wait time.Duration
	err := p.db.Tx(ctx, func(tx *store.DB) (err error) {
		if g.address != "" {
			if g.atAddress, err = tx.RaiseAttempts(ctx, g.address, store.At(now), since); err != nil {
				return err
			}
			if g.atAddress.WindowFailures > AddressFailures {
				return store.ErrBlocked // rolls back the change to the counter
			}
		}
		if g.counter, err = tx.RaiseAttempts(ctx, g.key, store.At(now), since); errors.Is(err, store.ErrNotFound) {
			err = store.ErrBlocked
		}
		wait = waitAfter(g.counter.Failures)
		if err != nil || wait == 0 {
			return err
		}
		return tx.BlockAttempts(ctx, g.key, store.At(now.Add(wait)))
	})
	if errors.Is(err, store.ErrBlocked) {
		return p.blockedMeanwhile(ctx, g)
	}
	if err == nil && wait > 0 {
		p.logSecurity(ctx, logInfo, "locked", logSubject(g.key), slog.Int64("wait_ms", wait.Milliseconds()))
	}
	return g, err
}

// blockedMeanwhile returns the refusal of a try whose subject or address has to wait since its counters were read, and
// the guard with the counters as they stand now. The refusal must be the same for a right and a wrong password, with
// the question for the next try. Otherwise an attacker who tries many passwords at once learns which one is right.
func (p *Portal) blockedMeanwhile(ctx context.Context, g guard) (guard, error) {
	counters, err := p.db.AttemptsOfAll(ctx, []string{g.key, g.address})
	if err != nil {
		return g, err
	}
	g = g.with(counters)
	refused := subjectRefusal(time.Second) // the wait may be over by now
	_ = errors.As(p.refuseBlocked(g), &refused)
	refused.compared = true
	return g, p.withQuestion(refused, g.key, g)
}

// refuseStranger refuses a sign-in from a browser without a device cookie, or from a program, before anything is read
// about the one it asks for: with TooManyAttempts when its address has used up its failures, with NotAvailable when the
// hash queue is full.
func (p *Portal) refuseStranger(ctx context.Context, in PasswordTry) error {
	if in.Device != "" || in.SignedIn {
		return nil
	}
	if err := p.hasher.queue.room(ctx, laneStrangers); err != nil || p.noLimit {
		return err
	}
	key := addressKey(ctx)
	a, err := p.db.AttemptsOf(ctx, key)
	if err != nil {
		return err
	}
	return p.refuseBlocked(guard{address: key, atAddress: a})
}

func subjectRefusal(wait time.Duration) *Refused {
	return &Refused{Refusal: TooManyAttempts, Wait: min(wait, 24*time.Hour)}
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

// needsProof says whether the next try under the guard must answer a question as well.
func (p *Portal) needsProof(g guard) bool {
	return !p.noLimit && !g.known && inWindow(g.counter, p.now(), FailureWindow) >= ProofFailures
}

// passed adds to a batch what the right password does to the counters: it clears the subject's, and subtracts failures
// from the address's (see repay). The batch fails with store.ErrBlocked if wrong passwords, tried at the same time,
// have made the subject or the address wait meanwhile: nobody learns anything from trying many at once. The address
// comes before the subject, as in failed, so that two sign-ins at the same time do not deadlock.
func (p *Portal) passed(ctx context.Context, tx *store.DB, b *store.Batch, g guard) error {
	if p.noLimit {
		return nil
	}
	now := p.now()
	if g.address != "" {
		b.RefuseUsedUp(g.address, AddressFailures, store.At(now.Add(-FailureWindow)))
		if inWindow(g.atAddress, now, FailureWindow) > 0 {
			if err := p.repay(ctx, tx, b, g); err != nil {
				return err
			}
		}
	}
	b.ClearUnblocked(g.key, store.At(now))
	b.RefuseBlocked(g.key, store.At(now))
	return nil
}

// repay subtracts AddressCredit failures from an address where failures were counted, once for each window and subject.
// Without that limit, an attacker could guess forever by signing in to an account of their own between the guesses.
func (p *Portal) repay(ctx context.Context, tx *store.DB, b *store.Batch, g guard) error {
	now := p.now()
	key := "credit:" + g.address + ":" + g.key
	credit, err := tx.RaiseAttempts(ctx, key, store.At(now), store.At(now.Add(-FailureWindow)))
	if err == nil && credit.WindowFailures == 1 {
		b.LowerAttempts(g.address, AddressCredit)
	}
	return err
}

// settle does what passed does, for an operation that asks for a password and does the rest in a transaction of its
// own. It refuses with TooManyAttempts when the subject or the address has to wait since the comparison.
func (p *Portal) settle(ctx context.Context, g guard) error {
	err := p.db.Tx(ctx, func(tx *store.DB) error {
		b := new(store.Batch)
		if err := p.passed(ctx, tx, b, g); err != nil {
			return err
		}
		return tx.Run(ctx, b)
	})
	if errors.Is(err, store.ErrBlocked) {
		_, err = p.blockedMeanwhile(ctx, g)
	}
	return err
}

// settleProof does what settle does, for a password that prove found right.
func (p *Portal) settleProof(ctx context.Context, of proof) error {
	err := p.settle(ctx, of.guard)
	if isRefused(err) {
		err = p.neutral(ctx, err)
	}
	return err
}

// explainUnsettled replaces the errors of settling by the refusal that a sign-in shows. A password that was replaced
// since the comparison is a wrong one.
func (p *Portal) explainUnsettled(ctx context.Context, of proof, err error) error {
	switch {
	case errors.Is(err, store.ErrBlocked):
		_, err = p.blockedMeanwhile(ctx, of.guard)
	case errors.Is(err, store.ErrPasswordReplaced):
		_, err = p.wrong(ctx, of.candidate, of.guard)
	default:
		return err
	}
	return p.neutral(ctx, err)
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
