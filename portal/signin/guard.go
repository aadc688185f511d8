package signin

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"portico/portal/access"
	"portico/portal/core"
	"portico/store"
)

const (
	// FreeFailures is how many wrong passwords in a row cause no wait. Each further one doubles the wait.
	FreeFailures = 4
	// ProofFailures is after how many failures within FailureWindow each attempt also needs the answer to a sum or a
	// proof of work.
	ProofFailures = 10
	// OffFailures is after how many failures in a row no password is accepted until the phone is proven.
	OffFailures = 100
	// LongestWait is the longest wait before OffFailures is reached.
	LongestWait = 15 * time.Minute
	// AddressFailures is how many failures one address (an IPv4 address or an IPv6 /64) may make within FailureWindow.
	AddressFailures = 30
	// AddressCredit is how many failures a successful sign-in subtracts from its address, once within FailureWindow for
	// each subject. Many people may share the address of a shop, and some of them mistype.
	AddressCredit = 3

	// offFor is the wait from OffFailures on. It means "for good".
	offFor = 100 * 365 * 24 * time.Hour
)

// TryPassword compares a password for an operation that asks for it and then uses a transaction of its own. It counts
// and refuses a wrong password; the right one clears the counter.
func (s *Signin) TryPassword(ctx context.Context, try access.PasswordTry, of access.Subject) error {
	g, err := s.guard(ctx, try, of)
	if err != nil {
		return err
	}
	right, err := g.Compare(ctx, nil)
	if err != nil {
		return err
	}
	if !right {
		return g.Wrong(ctx)
	}
	return g.Settle(ctx)
}

// Guard guards one attempt at the password of a subject: Admit says whether it may be compared, Compare compares it,
// and Wrong, Right or Settle counts the outcome. The counter is the subject's or, on a browser known to the subject,
// one of that browser's own, which nobody else can use up.
type Guard struct {
	signin  *Signin
	Subject access.Subject // whose password is compared
	try     access.PasswordTry

	key     string // of the counter
	address string // "" for a known browser, which the limit of the address does not concern
	known   bool   // the browser is known to the subject
	worked  bool   // the attempt brought a proof of work or the answer to a question

	counter   store.Attempts // of key, its value before the comparison or, after Wrong, its present value
	atAddress store.Attempts // of address

	rehashed bool // the right password was stored with a new hash after the comparison
}

// guard chooses the counters for an attempt at a subject's password, and reads them.
func (s *Signin) guard(ctx context.Context, try access.PasswordTry, of access.Subject) (*Guard, error) {
	g := &Guard{signin: s, Subject: of, try: try, key: of.Key, address: core.AddressKey(ctx)}
	keys := []string{g.key, g.address}
	if try.Device == "" {
		counters, err := s.core.DB.Attempts.OfAll(ctx, keys)
		g.readCounters(counters)
		return g, err
	}
	own := "known:" + try.Device + ":" + of.Key
	counters, seenAt, err := s.core.DB.Attempts.WithDevice(ctx, append(keys, own), try.Device, of.Key)
	if seenAt > store.At(s.core.Now().Add(-core.DeviceKnownFor)) {
		g.key = own
		g.address = ""
		g.known = true
	}
	g.readCounters(counters)
	return g, err
}

// readCounters sets the counters of the guard's keys, which are zero for a key that is missing.
func (g *Guard) readCounters(counters []store.Attempts) {
	g.counter, g.atAddress = store.Attempts{}, store.Attempts{}
	for _, counter := range counters {
		switch counter.Key {
		case g.key:
			g.counter = counter
		case g.address:
			g.atAddress = counter
		}
	}
}

// Compare compares the password, unless the attempt is refused before that. It writes no counter, so the caller has to
// count a wrong password (Wrong) and settle a right one (Right, Settle). earlier is the guard by which the same sign-in
// has compared the password for another account of the same person already, nil for none: both are one attempt.
func (g *Guard) Compare(ctx context.Context, earlier *Guard) (right bool, err error) {
	isFirst := earlier == nil
	g.worked = !isFirst && earlier.worked || isFirst && g.bringsWork(ctx)
	lane := core.LaneStrangers
	switch {
	case g.known || g.try.SignedIn:
		lane = core.LaneProven
	case g.worked:
		lane = core.LaneWorked
	}
	hasher := g.signin.core.Passwords.Hasher
	place, err := hasher.Queue.Reserve(ctx, lane)
	if err != nil {
		return false, err
	}
	defer place.Leave()
	if isFirst {
		if err := g.Admit(ctx, place.Crowded()); err != nil {
			return false, err
		}
	}
	password, weak, err := hasher.VerifyAt(ctx, place, g.Subject.Hash, g.try.Password)
	if err == nil && weak && password != "" {
		g.rehashed, err = true, g.signin.rehash(ctx, g.Subject, password)
	}
	return password != "", err
}

// Admit refuses an attempt whose subject or address must wait, and one without the right answer to the question or the
// proof of work that is due. crowded says that many strangers wait for a comparison.
func (g *Guard) Admit(ctx context.Context, crowded bool) error {
	s, try := g.signin, g.try
	answered := s.core.Limits.Answered(g.Subject.Key, g.counter.Failures, try.Question, try.Answer)
	if g.needsProof() && !answered {
		problem := access.AnswerRequired
		if try.Answer != "" {
			problem = access.AnswerWrong
		}
		return g.withQuestion(&access.Refused{Refusal: access.ValidationFailed,
			Fields: access.Fields{"answer": problem}}, g.Subject.Key)
	}
	if crowded && !s.core.NoLimit {
		return g.askInCrowd(ctx)
	}
	return g.withQuestion(g.refuseWaiting(), g.Subject.Key)
}

// hasWork says whether an attempt has an answer or a proof of work, right or not.
func hasWork(try access.PasswordTry) bool { return try.Answer != "" || try.Proof != "" }

// bringsWork says whether an attempt brings the proof of work that was set for it, or the answer to its question, and
// uses it up. A second attempt with the same one stands among those who have not worked.
func (g *Guard) bringsWork(ctx context.Context) bool {
	if g.known || !hasWork(g.try) {
		return false
	}
	l, try := g.signin.core.Limits, g.try
	return l.CrowdWorkDone(ctx, g.Subject.Key, try) ||
		l.Answered(g.Subject.Key, g.counter.Failures, try.Question, try.Answer) && l.UseCrowdProof(try.Question)
}

// askInCrowd refuses a stranger's attempt while too many wait, with work to do or a question to answer.
func (g *Guard) askInCrowd(ctx context.Context) error {
	g.signin.noteCrowd(ctx)
	refused := &access.Refused{Refusal: access.ValidationFailed, Fields: access.Fields{"answer": access.AnswerRequired}}
	if g.try.Answer != "" {
		refused.Fields["answer"] = access.AnswerWrong
	}
	var err error
	if refused.Question, err = g.signin.core.Limits.Ask(g.Subject.Key, g.counter.Failures); err != nil {
		return err
	}
	if refused.Work, err = g.signin.core.Limits.SetCrowdWork(ctx, g.Subject.Key); err != nil {
		return err
	}
	return refused
}

// noteCrowd writes to the log, once a minute, that strangers crowd in.
func (s *Signin) noteCrowd(ctx context.Context) {
	now, noted := s.core.Now().UnixMilli(), s.crowdNoted.Load()
	if now-noted >= time.Minute.Milliseconds() && s.crowdNoted.CompareAndSwap(noted, now) {
		s.core.Access.LogSecurity(ctx, access.LogWarn, "sign_ins_crowded")
	}
}

// refuseWaiting refuses with TooManyAttempts while the subject or the address must wait.
func (g *Guard) refuseWaiting() error {
	s := g.signin
	if s.core.NoLimit {
		return nil
	}
	if err := s.refuseAddress(g.atAddress); err != nil {
		return err
	}
	if wait := g.counter.BlockedUntil.Time().Sub(s.core.Now()); wait > 0 {
		s.core.Access.CountLimited("account")
		return subjectRefusal(wait)
	}
	return nil
}

// refuseAddress refuses with TooManyAttempts while an address has used up its failures.
func (s *Signin) refuseAddress(a store.Attempts) error {
	now := s.core.Now()
	if a.WindowFailures < AddressFailures || a.WindowFrom <= store.At(now.Add(-core.FailureWindow)) {
		return nil
	}
	wait := a.WindowFrom.Time().Add(core.FailureWindow).Sub(now)
	s.core.Access.CountLimited("address")
	return &access.Refused{Refusal: access.TooManyAttempts, OfAddress: true, Wait: wait}
}

// refuseStranger refuses a sign-in from a browser without a device cookie, or from a program, before anything is read
// about the subject. It refuses with TooManyAttempts when the address has used up its failures, and with NotAvailable
// when its own network fills the hash queue. A proof of work that cannot be valid counts as none.
func (s *Signin) refuseStranger(ctx context.Context, try access.PasswordTry) error {
	if try.Device != "" || try.SignedIn {
		return nil
	}
	lane := core.LaneStrangers
	if s.core.Limits.MayHaveWorked(ctx, try) {
		lane = core.LaneWorked
	}
	if err := s.core.Passwords.Hasher.Queue.Room(ctx, lane); err != nil || s.core.NoLimit {
		return err
	}
	a, err := s.core.DB.Attempts.Of(ctx, core.AddressKey(ctx))
	if err != nil {
		return err
	}
	return s.refuseAddress(a)
}

// subjectRefusal returns TooManyAttempts for a subject that has to wait. It never says more than a day, also for
// offFor.
func subjectRefusal(wait time.Duration) *access.Refused {
	return &access.Refused{Refusal: access.TooManyAttempts, Wait: min(wait, 24*time.Hour)}
}

// Wrong counts a wrong password and returns its refusal: WrongPassword or PasswordNotSet, or TooManyAttempts as count
// says. It also counts when the caller has disconnected.
func (g *Guard) Wrong(ctx context.Context) error {
	if err := g.count(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	g.signin.core.Access.LogSecurity(ctx, access.LogInfo, "sign_in_failed", access.LogSubject(g.Subject.Key))
	return g.wrongRefusal()
}

// wrongRefusal returns the refusal of a wrong password that was counted.
func (g *Guard) wrongRefusal() error {
	refused := &access.Refused{Refusal: access.WrongPassword, Left: max(0, ProofFailures-g.counter.WindowFailures)}
	if g.Subject.Hash == "" && g.Subject.Person.ID != 0 {
		refused.Refusal = access.PasswordNotSet
	}
	return g.withQuestion(refused, g.Subject.Key)
}

// count counts a wrong password. Many passwords may be compared at the same time. If the others have made the subject
// or the address wait meanwhile, count changes nothing and refuses with TooManyAttempts, which says nothing about the
// password. So of fifty wrong passwords at once, only the free ones are answered.
func (g *Guard) count(ctx context.Context) error {
	s := g.signin
	if s.core.NoLimit {
		return nil
	}
	now := s.core.Now()
	since := store.At(now.Add(-core.FailureWindow))
	var wait time.Duration
	err := s.core.DB.Tx(ctx, func(tx *store.DB) (err error) {
		if g.address != "" {
			if g.atAddress, err = tx.Attempts.Raise(ctx, g.address, store.At(now), since); err != nil {
				return err
			}
			if g.atAddress.WindowFailures > AddressFailures {
				return store.ErrBlocked // rolls back the change to the counter
			}
		}
		if g.counter, err = tx.Attempts.Raise(ctx, g.key, store.At(now), since); errors.Is(err, store.ErrNotFound) {
			err = store.ErrBlocked
		}
		wait = waitAfter(g.counter.Failures)
		if err != nil || wait == 0 {
			return err
		}
		return tx.Attempts.Block(ctx, g.key, store.At(now.Add(wait)))
	})
	if errors.Is(err, store.ErrBlocked) {
		return g.refuseMeanwhile(ctx)
	}
	if err == nil && wait > 0 {
		s.core.Access.LogSecurity(ctx, access.LogInfo, "locked", access.LogSubject(g.key),
			slog.Int64("wait_ms", wait.Milliseconds()))
	}
	return err
}

// refuseMeanwhile returns the refusal of an attempt whose subject or address has to wait since its counters were
// read, and reads the counters again. The refusal must be the same for a right and a wrong password, with the
// question for the next attempt. Otherwise an attacker who tries many passwords at once learns which one is right.
func (g *Guard) refuseMeanwhile(ctx context.Context) error {
	counters, err := g.signin.core.DB.Attempts.OfAll(ctx, []string{g.key, g.address})
	if err != nil {
		return err
	}
	g.readCounters(counters)
	refused := subjectRefusal(time.Second) // the wait may be over by now
	if waiting, ok := errors.AsType[*access.Refused](g.refuseWaiting()); ok {
		refused = waiting
	}
	refused.Compared = true
	return g.withQuestion(refused, g.key)
}

// waitAfter returns the wait after the nth failure in a row: none up to FreeFailures, then 2 s, 4 s, … up to
// LongestWait, and offFor from OffFailures on.
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

// needsProof says whether the next attempt must answer a question as well.
func (g *Guard) needsProof() bool {
	s := g.signin
	return !s.core.NoLimit && !g.known &&
		core.FailuresInWindow(g.counter, s.core.Now(), core.FailureWindow) >= ProofFailures
}

// withQuestion adds a fresh question about a subject to a refusal when the next attempt will need one.
func (g *Guard) withQuestion(err error, subject string) error {
	refused, ok := errors.AsType[*access.Refused](err)
	if !ok || !g.needsProof() {
		return err
	}
	var asking error
	refused.Question, asking = g.signin.core.Limits.Ask(subject, g.counter.Failures)
	return errors.Join(asking, err)
}

// Right adds to a batch what the right password does to the counters: it clears the subject's, and subtracts failures
// from the address's (see repay). The batch fails with store.ErrBlocked if wrong passwords, tried at the same time,
// have made the subject or the address wait meanwhile: nobody learns anything from trying many at once. The address
// comes before the subject, as in count, so that two sign-ins at the same time do not deadlock.
func (g *Guard) Right(ctx context.Context, tx *store.DB, b *store.Batch) error {
	s := g.signin
	if s.core.NoLimit {
		return nil
	}
	now := s.core.Now()
	if g.address != "" {
		b.RefuseUsedUp(g.address, AddressFailures, store.At(now.Add(-core.FailureWindow)))
		if core.FailuresInWindow(g.atAddress, now, core.FailureWindow) > 0 {
			if err := g.repay(ctx, tx, b); err != nil {
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
func (g *Guard) repay(ctx context.Context, tx *store.DB, b *store.Batch) error {
	now := g.signin.core.Now()
	key := "credit:" + g.address + ":" + g.key
	credit, err := tx.Attempts.Raise(ctx, key, store.At(now), store.At(now.Add(-core.FailureWindow)))
	if err == nil && credit.WindowFailures == 1 {
		b.LowerAttempts(g.address, AddressCredit)
	}
	return err
}

// Settle does what Right does, for an operation that asks for a password and does the rest in a transaction of its own.
// It refuses with TooManyAttempts when the subject or the address has to wait since the comparison.
func (g *Guard) Settle(ctx context.Context) error {
	err := g.signin.core.DB.Tx(ctx, func(tx *store.DB) error {
		b := new(store.Batch)
		if err := g.Right(ctx, tx, b); err != nil {
			return err
		}
		return tx.Run(ctx, b)
	})
	if errors.Is(err, store.ErrBlocked) {
		return g.refuseMeanwhile(ctx)
	}
	return err
}

// SettleSignIn does what Settle does, for a password that proves a sign-in.
func (g *Guard) SettleSignIn(ctx context.Context) error {
	err := g.Settle(ctx)
	if access.IsRefused(err) {
		return g.signin.neutral(ctx, err, g.try.Password)
	}
	return err
}

// RightPassword returns what a sign-in by password does in its transaction, see Right. It fails with
// store.ErrPasswordReplaced when the password was replaced since the comparison. Otherwise the new session would
// survive that change.
func (g *Guard) RightPassword(ctx context.Context) func(tx *store.DB, b *store.Batch) error {
	of := g.Subject
	return func(tx *store.DB, b *store.Batch) error {
		switch {
		case g.rehashed:
		case of.Member.ID != 0:
			tx.Passwords.RequireAccount(b, of.Member.CompanyID, of.Member.ID, of.Hash)
		default:
			tx.Passwords.RequirePerson(b, of.Person.ID, of.Hash)
		}
		return g.Right(ctx, tx, b)
	}
}

// Explain replaces the errors of RightPassword by the refusal that a sign-in shows, and returns any other error as it
// is. A password that was replaced since the comparison is a wrong one.
func (g *Guard) Explain(ctx context.Context, err error) error {
	switch {
	case errors.Is(err, store.ErrBlocked):
		err = g.refuseMeanwhile(ctx)
	case errors.Is(err, store.ErrPasswordReplaced):
		err = g.Wrong(ctx)
	default:
		return err
	}
	return g.signin.neutral(ctx, err, g.try.Password)
}

// neutral makes the refusals of an unknown, wrong or locked subject the same under PORTICO_PRIVACY=strict. A refusal of
// the caller's address says nothing about the subject, and stays as it is.
func (s *Signin) neutral(ctx context.Context, err error, password string) error {
	refused, ok := errors.AsType[*access.Refused](err)
	if !s.core.Strict || !ok {
		return err
	}
	switch refused.Refusal {
	case access.TooManyAttempts:
		if refused.OfAddress {
			return err
		}
		if !refused.Compared {
			if err := s.core.Passwords.Hasher.Queue.Pause(ctx, password); err != nil {
				return err
			}
		}
	case access.WrongPassword, access.PasswordNotSet, access.AccountNotFound, access.PhoneNotBound:
	default:
		return err
	}
	return &access.Refused{Refusal: access.WrongPassword, Left: access.LeftHidden, Question: refused.Question}
}

// rehash stores the password with a new hash at the current cost.
func (s *Signin) rehash(ctx context.Context, of access.Subject, password string) error {
	hash, err := s.core.Passwords.Hasher.Hash(ctx, password)
	if err != nil {
		return err
	}
	if of.Member.ID != 0 {
		return s.core.DB.Passwords.RehashAccount(ctx, of.Member.CompanyID, of.Member.ID, of.Hash, hash)
	}
	return s.core.DB.Passwords.RehashPerson(ctx, of.Person.ID, of.Hash, hash)
}

// IsPasswordNow says whether a password is the owner's current one. Each call counts as an attempt to sign in, so that
// nobody can guess passwords here. It returns false when the attempt is refused, for example by the rate limit.
func (s *Signin) IsPasswordNow(ctx context.Context, owner access.Subject, device, password string) (bool, error) {
	if password == "" || len(password) > access.MaxPassword {
		return false, nil
	}
	err := s.TryPassword(ctx, access.PasswordTry{Password: password, Device: device}, owner)
	if refused, ok := errors.AsType[*access.Refused](err); ok && refused.Refusal != access.NotAvailable {
		return false, nil
	}
	return err == nil, err
}
