package core

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"time"

	"portico/portal/access"
	"portico/store"
)

// The caps on messages: how many codes a phone, an account, a caller's networks, a company and the platform may cause
// to be sent.
const (
	// MessagesPhoneHour is how many codes a phone, or an account name typed instead, may get in an hour.
	MessagesPhoneHour = 5
	// MessagesPhoneDay is how many it may get in a day.
	MessagesPhoneDay = 10
	// MessagesAccountDay is how many codes an account, or a person, may have sent to phones that it wants to bind or
	// change to.
	MessagesAccountDay = 10
	// MessagesAddressHour is the cap of an IPv4 address and an IPv6 /64, MessagesNetworkHour that of an IPv4 /24 and an
	// IPv6 /48, MessagesWideHour that of an IPv4 /16 and an IPv6 /32. A mobile provider puts many people behind one
	// /16: where a WideShare of the platform's day is more, that is the widest network's cap.
	MessagesAddressHour = 20
	MessagesNetworkHour = 60
	MessagesWideHour    = 200
	WideShare           = 4 // per cent
	// MessagesCompanyDay is the default budget of a company for a day, MessagesDay that of the platform.
	MessagesCompanyDay = 500
	MessagesDay        = 5000

	// StrangersShare and RegisteredShare are the parts of a day's budget, in per cent, that strangers and registered
	// phones in unknown browsers may use. The rest, and whatever they leave, is for people in browsers we know.
	StrangersShare  = 50
	RegisteredShare = 40
	// SharePerHour is the part of what is left of a share that one hour may use: a sixth.
	SharePerHour = 6

	// RunLength is how many numbers of one block strangers may ask about in an hour before it counts as a run of
	// consecutive numbers. The thousand numbers of a block have their first blockDigits digits in common.
	RunLength   = 10
	blockDigits = 8 // of 11

	companyKey  = "sms:company:"
	platformKey = "sms:platform"
	// strangersHourKey begins the counters of what strangers used in the running hour, strangersDayKey of the day.
	strangersHourKey = "sms:strangers:hour:"
	strangersDayKey  = "sms:strangers:day:"

	// budgetWarning is the part of a day's budget, in per cent, from which the log warns. shareWarning is that of an
	// hour's part of a share.
	budgetWarning = 80
	shareWarning  = 50
)

// asker is the group that a request for a code belongs to. Each group has its own caps.
type asker string

const (
	// Stranger requests a code for a number that need not be registered.
	Stranger asker = "strangers"
	// RegisteredPhone: the phone is registered, but the browser or program need not be its holder's.
	RegisteredPhone asker = "registered"
	// KnownBrowser has signed in with the phone before, or is signed in to the account whose phone it is. The phone has
	// separate caps for known browsers, so the networks' caps do not apply.
	KnownBrowser asker = "known"
)

// capMode says what a cap does when it is reached.
type capMode int

const (
	// Refusing refuses the request.
	Refusing capMode = iota
	silently         // the request is answered as if a message was sent, but none is
	readOnly         // the request is refused and does not count: no message is sent
)

// MessageCap is one counter of messages.
type MessageCap struct {
	Key     string
	limit   int
	window  time.Duration
	mode    capMode
	warning int    // per cent of the limit at which the log warns; 0: this cap is not watched
	dayKey  string // of an hour's part of a share: the counter of the share's day; limit is the share's
	sent    int
}

// limitNow returns how many messages fit under a cap. An hour may use SharePerHour of what was left of the day's share
// when the hour began. So a flood slows down and never uses up a day, and a busy hour on a quiet day has room.
func (c MessageCap) limitNow(counted map[string]int) int {
	if c.dayKey == "" {
		return c.limit
	}
	before := max(0, counted[c.dayKey]-counted[c.Key])
	return (max(0, c.limit-before) + SharePerHour - 1) / SharePerHour
}

// caps returns the counters that a message draws on, in the order in which they are counted. All instances share them.
func (v *Verification) caps(ctx context.Context, in AskCodeInput, to Recipient) []MessageCap {
	if v.core.NoLimit {
		return nil
	}
	var all []MessageCap
	if to.Asker != KnownBrowser {
		n := access.Networks(access.CallerOf(ctx).Address)
		of := string(to.Asker) + ":"
		all = append(
			all,
			MessageCap{Key: addressMessages(ctx), limit: MessagesAddressHour, window: Hour},
			MessageCap{
				Key: "sms:network:" + of + n[access.MiddleNetwork], limit: MessagesNetworkHour, window: Hour,
			},
			MessageCap{Key: "sms:wide:" + of + n[access.WideNetwork], limit: v.wideMessages(), window: Hour},
		)
	}
	own := "sms:"
	if to.Asker == KnownBrowser {
		own = "sms:known:" // separate from requests by other browsers, which must not use it up
	}
	all = append(all, v.PhoneCaps(own, to.Subject(), Refusing)...)
	switch {
	case to.Silent || to.Asker == KnownBrowser:
	case v.core.Strict:
		// A request by name must not affect the answer to a request by phone or by another name of the phone.
		all = append(all, v.PhoneCaps("sms:sent:", to.Phone, silently)...)
	case to.Name != "":
		all = append(all, v.PhoneCaps("sms:", to.Phone, Refusing)...)
	}
	if in.Purpose == ForBind || in.Purpose == ForNewPhone {
		all = append(all, MessageCap{Key: "sms:account:" + to.Target, limit: MessagesAccountDay, window: access.Day})
	}
	if in.CompanyID != 0 {
		all = append(all, BudgetCaps("company:"+access.Decimal(in.CompanyID), v.MessagesCompany, to)...)
	}
	return append(all, BudgetCaps("platform", v.Messages, to)...)
}

func addressMessages(ctx context.Context) string {
	return "sms:address:" + access.Network(access.CallerOf(ctx).Address)
}

// wideMessages is the cap of the widest network.
func (v *Verification) wideMessages() int { return max(MessagesWideHour, v.Messages*WideShare/100) }

// PhoneCaps returns the counters of a phone or account name, by hour and by day. Their keys begin with prefix.
func (v *Verification) PhoneCaps(prefix, subject string, mode capMode) []MessageCap {
	subject = v.core.Sealing.CodeSubject(subject)
	return []MessageCap{
		{Key: prefix + "hour:" + subject, limit: MessagesPhoneHour, window: Hour, mode: mode},
		{Key: prefix + "day:" + subject, limit: MessagesPhoneDay, window: access.Day, mode: mode},
	}
}

// BudgetCaps returns the counters of a day's budget, which is a company's or the platform's.
func BudgetCaps(of string, limit int, to Recipient) []MessageCap {
	mode := Refusing
	if to.Silent {
		mode = readOnly
	}
	var all []MessageCap
	switch {
	case to.SandboxOnly: // counts as a stranger and is answered like a registered phone
		all = append(shareCaps(RegisteredPhone, of, limit, readOnly), shareCaps(Stranger, of, limit, silently)...)
	case to.Asker != KnownBrowser:
		all = shareCaps(to.Asker, of, limit, mode)
	}
	return append(
		all, MessageCap{Key: "sms:" + of, limit: limit, window: access.Day, mode: mode, warning: budgetWarning},
	)
}

// shareCaps returns the counters of a share of a day's budget: the day's and the hour's.
func shareCaps(who asker, of string, budget int, mode capMode) []MessageCap {
	limit := shareOf(who, budget)
	dayKey := "sms:" + string(who) + ":day:" + of
	hourKey := "sms:" + string(who) + ":hour:" + of
	return []MessageCap{
		{Key: dayKey, limit: limit, window: access.Day, mode: mode},
		{Key: hourKey, limit: limit, window: Hour, mode: mode, dayKey: dayKey, warning: shareWarning},
	}
}

func shareOf(who asker, budget int) int {
	if who == Stranger {
		return max(1, budget*StrangersShare/100)
	}
	return max(1, budget*RegisteredShare/100)
}

// messageCounts are counters of messages by key, each within its window.
type messageCounts struct {
	in    map[string]int
	until map[string]time.Time // when a counter's window ends
	asks  int                  // of the proof's counter
}

// readCounts reads the counters of caps and of what decides about a proof of work.
func (v *Verification) readCounts(
	ctx context.Context, in AskCodeInput, to Recipient, caps []MessageCap,
) (messageCounts, error) {
	windows := map[string]time.Duration{in.proofKey: access.Day, addressMessages(ctx): Hour}
	if block := v.numberBlock(to); block != "" {
		windows[block] = Hour
	}
	for _, c := range caps {
		windows[c.Key] = c.window
	}
	keys := make([]string, 0, len(windows))
	for key := range windows {
		keys = append(keys, key)
	}
	rows, err := v.core.DB.Attempts.OfAll(ctx, keys)
	counts := messageCounts{in: map[string]int{}, until: map[string]time.Time{}}
	for _, a := range rows {
		counts.in[a.Key] = FailuresInWindow(a, v.core.Now(), windows[a.Key])
		counts.until[a.Key] = a.WindowFrom.Time().Add(windows[a.Key])
		if a.Key == in.proofKey {
			counts.asks = a.Failures
		}
	}
	return counts, err
}

// hasRoom refuses a request when a cap is reached. It writes nothing, so that a flood of refused requests costs little.
func (v *Verification) hasRoom(caps []MessageCap, counts messageCounts) error {
	for _, c := range caps {
		if c.mode != silently && counts.in[c.Key] >= c.limitNow(counts.in) {
			return v.overCap(c, counts.until[c.Key])
		}
	}
	return nil
}

// overCap returns the refusal of a cap, with the wait until its window ends. If the cap is a budget, others used the
// messages up.
func (v *Verification) overCap(c MessageCap, until time.Time) error {
	name := c.Key
	if c.isBudget() {
		name = "sms:budget"
	}
	v.core.Access.CountLimited(name)
	return &access.Refused{Refusal: access.TooManyAttempts, Wait: until.Sub(v.core.Now()), MessagesSpent: c.isBudget()}
}

func (c MessageCap) isBudget() bool { return c.warning != 0 }

// countMessage counts a message under every cap. Past one of them it refuses with TooManyAttempts and the wait, and the
// transaction must be rolled back; past a silent one, silent says that no message may go out. watched are the budgets
// with their new counts.
func (v *Verification) countMessage(
	ctx context.Context, tx *store.DB, in AskCodeInput, to Recipient, now time.Time,
) (watched []MessageCap, silent bool, err error) {
	if v.core.NoLimit {
		return nil, false, nil
	}
	if watched, silent, err = v.RaiseCaps(ctx, tx, v.caps(ctx, in, to), now); err != nil {
		return nil, false, err
	}
	run, err := v.countBlock(ctx, tx, to, now)
	if err != nil {
		return nil, false, err
	}
	asks, err := tx.Attempts.Raise(ctx, in.proofKey, store.At(now), store.At(now.Add(-access.Day)))
	if err == nil && asks.Failures != in.asks+1 && (in.Browser || in.proven) { // another request used the proof first
		err = errProofUsed
	}
	return append(watched, run...), silent, err
}

// RaiseCaps counts a message under every cap; see countMessage.
func (v *Verification) RaiseCaps(
	ctx context.Context, tx *store.DB, caps []MessageCap, now time.Time,
) (watched []MessageCap, silent bool, err error) {
	counted := map[string]int{}
	for _, c := range caps {
		if c.mode == readOnly || silent && c.isBudget() {
			continue
		}
		a, err := tx.Attempts.Raise(ctx, c.Key, store.At(now), store.At(now.Add(-c.window)))
		if err != nil {
			return nil, false, err
		}
		counted[c.Key] = a.WindowFailures
		limit := c.limitNow(counted)
		switch {
		case a.WindowFailures > limit && c.mode == silently:
			silent = true
			err = tx.Attempts.Lower(ctx, c.Key, 1)
		case a.WindowFailures > limit:
			err = v.overCap(c, a.WindowFrom.Time().Add(c.window))
		case c.isBudget():
			c.sent, c.limit = a.WindowFailures, limit
			watched = append(watched, c)
		}
		if err != nil {
			return nil, false, err
		}
	}
	return watched, silent, nil
}

var errProofUsed = errors.New("portal: the proof was used")

// numberBlock is the counter of the block of consecutive numbers that a stranger's number is in, "" for none.
func (v *Verification) numberBlock(to Recipient) string {
	if to.Asker != Stranger || len(to.Phone) < blockDigits {
		return ""
	}
	return "sms:block:" + v.core.Sealing.Tag("number block", to.Phone[:blockDigits])
}

// countBlock counts a stranger's number in its block. It returns the block when it has RunLength numbers: an
// alarm.
func (v *Verification) countBlock(
	ctx context.Context, tx *store.DB, to Recipient, now time.Time,
) ([]MessageCap, error) {
	key := v.numberBlock(to)
	if key == "" {
		return nil, nil
	}
	a, err := tx.Attempts.Raise(ctx, key, store.At(now), store.At(now.Add(-Hour)))
	if err != nil || a.WindowFailures != RunLength {
		return nil, err
	}
	return []MessageCap{{Key: "sms:block", limit: RunLength, sent: RunLength}}, nil
}

// LogBudgets logs budgets after their message is counted: a warning at their mark, and an error, which is the alarm,
// when the last message is used. A run of consecutive numbers is also an alarm.
func (v *Verification) LogBudgets(ctx context.Context, watched []MessageCap) {
	for _, c := range watched {
		event, level := "sms_budget", slog.LevelWarn
		switch c.sent {
		case c.limit:
			level = slog.LevelError
		case max(1, c.limit*c.warning/100):
		default:
			continue
		}
		if c.Key == "sms:block" {
			event = "sms_run"
		}
		v.core.Access.LogSecurity(ctx, level, event,
			slog.String("of", c.Key), slog.Int("sent", c.sent), slog.Int("limit", c.limit))
	}
}

// MessageBudget is how much of a day's messages has been sent, and how much of the hour's part for strangers. CompanyID
// 0 is the platform.
type MessageBudget struct {
	CompanyID                     int64
	Sent, Limit                   int
	StrangersHour, StrangersLimit int
}

// BudgetsShown is how many companies' budgets are shown. It is small, so that reading them takes the same time however
// many companies there are. The log warns when any company's budget is nearly used up.
const BudgetsShown = 10

// MessageBudgets reads the running day of the platform and of the BudgetsShown companies that sent messages last.
func (v *Verification) MessageBudgets(ctx context.Context) ([]MessageBudget, error) {
	companies, err := v.core.DB.Attempts.OfCompanies(ctx, BudgetsShown)
	if err != nil {
		return nil, err
	}
	keys := append([]string{platformKey}, strangersKeys("platform")...)
	for _, c := range companies {
		keys = append(keys, strangersKeys(strings.TrimPrefix(c.Key, "sms:"))...)
	}
	others, err := v.core.DB.Attempts.OfAll(ctx, keys)
	if err != nil {
		return nil, err
	}
	now := v.core.Now()
	counted := map[string]int{}
	for _, a := range others {
		window := access.Day
		if strings.HasPrefix(a.Key, strangersHourKey) {
			window = Hour
		}
		counted[a.Key] = FailuresInWindow(a, now, window)
	}
	budget := func(id int64, of string, sent, limit int) MessageBudget {
		hours := MessageCap{Key: strangersHourKey + of, dayKey: strangersDayKey + of, limit: shareOf(Stranger, limit)}
		return MessageBudget{id, sent, limit, counted[hours.Key], hours.limitNow(counted)}
	}
	all := []MessageBudget{budget(0, "platform", counted[platformKey], v.Messages)}
	for _, c := range companies {
		if id, ok := access.DecimalID(strings.TrimPrefix(c.Key, companyKey)); ok {
			all = append(
				all,
				budget(id, "company:"+access.Decimal(id), FailuresInWindow(c, now, access.Day), v.MessagesCompany),
			)
		}
	}
	slices.SortFunc(all, func(a, b MessageBudget) int { return cmp.Compare(a.CompanyID, b.CompanyID) })
	return all, nil
}

// strangersKeys returns the keys of the counters for messages to unregistered numbers, of the hour and of the day.
func strangersKeys(of string) []string { return []string{strangersHourKey + of, strangersDayKey + of} }

// uncountMessage subtracts a message that was not sent. It updates the counters in the order of countMessage, to avoid
// a deadlock.
func (v *Verification) uncountMessage(ctx context.Context, tx *store.DB, in AskCodeInput, to Recipient) error {
	if v.core.NoLimit {
		return nil
	}
	var keys []string
	for _, c := range v.caps(ctx, in, to) {
		if c.mode != readOnly {
			keys = append(keys, c.Key)
		}
	}
	if block := v.numberBlock(to); block != "" {
		keys = append(keys, block)
	}
	for _, key := range append(keys, in.proofKey) {
		if err := tx.Attempts.Lower(ctx, key, 1); err != nil {
			return err
		}
	}
	return nil
}

// countTry counts an attempt at a code before the code is read. Past the day's attempts it refuses with
// TooManyAttempts. A new code does not give new attempts. subject is the phone or account name that the code was asked
// for.
func (v *Verification) countTry(ctx context.Context, subject string, purpose access.Purpose) error {
	return v.core.Limits.CountUpTo(
		ctx, v.core.DB, "code tries:"+v.core.Sealing.CodeSubject(subject)+":"+string(purpose), CodeTriesADay,
		access.Day,
	)
}
