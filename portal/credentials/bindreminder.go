package credentials

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"time"

	"portico/portal/access"
	"portico/portal/signin"
	"portico/store"
)

// How many reminders to bind a phone callers who are not signed in may stop within ReminderWindow, by network. A
// wrapper stops one reminder, once.
const (
	RemindersNarrow = 20   // of an IPv4 address or IPv6 /64
	RemindersMiddle = 200  // of an IPv4 /24 or IPv6 /48
	RemindersWide   = 2000 // of an IPv4 /16 or IPv6 /32
	ReminderWindow  = time.Hour
)

// StopBindReminder stores that the holder of an account does not want to be asked again to bind a phone. named is the
// account id that some callers send a second time, 0 for none. It refuses with WrongParameters when the two ids differ,
// and with NotFound an account of another person.
func (b *Binding) StopBindReminder(ctx context.Context, s access.Session, accountID, named int64) error {
	if named != 0 && named != accountID {
		return &access.Refused{Refusal: access.WrongParameters}
	}
	return b.setBindReminder(ctx, s, accountID, false)
}

// ResumeBindReminder asks the holder of an account again to bind a phone, after StopBindReminder. It refuses with
// NotFound an account of another person.
func (b *Binding) ResumeBindReminder(ctx context.Context, s access.Session, accountID int64) error {
	return b.setBindReminder(ctx, s, accountID, true)
}

func (b *Binding) setBindReminder(ctx context.Context, s access.Session, accountID int64, on bool) error {
	m, err := b.accounts.OwnMember(ctx, s, accountID)
	if err != nil {
		return err
	}
	return b.core.DB.Tx(ctx, func(tx *store.DB) error { return b.setBindReminderIn(ctx, tx, m, on, "") })
}

// setBindReminderIn turns the reminder on or off and logs the change. If there is nothing to change, it logs nothing.
func (b *Binding) setBindReminderIn(ctx context.Context, tx *store.DB, m store.Member, on bool, detail string) error {
	kind := "bind_reminder_stopped"
	if on {
		kind = "bind_reminder_resumed"
	}
	changed, err := tx.Accounts.SetBindReminder(ctx, m.CompanyID, m.ID, on)
	if err != nil || !changed {
		return err
	}
	return b.core.Access.Event(ctx, tx, kind, m, detail)
}

// StopBindReminderOf does what StopBindReminder does for a caller who is not signed in, by the id alone. It says
// nothing about the account: an id that no account has succeeds too, and so does an account that is only offered, whose
// reminder stays. It refuses with TooManyAttempts a network that has stopped too many.
func (b *Binding) StopBindReminderOf(ctx context.Context, accountID, named int64) error {
	if named != 0 && named != accountID {
		return &access.Refused{Refusal: access.WrongParameters}
	}
	m, err := b.core.DB.Accounts.EntryState(ctx, accountID)
	known := err == nil && !m.Invited
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	return b.core.DB.Tx(ctx, func(tx *store.DB) error {
		if err := b.countReminder(ctx, tx); err != nil {
			return err
		}
		tx.AfterCommit(func() {
			c := access.CallerOf(ctx)
			b.core.Log.LogAttrs(ctx, slog.LevelInfo, "reminder to bind a phone stopped without a token",
				slog.String("request_id", c.RequestID),
				slog.String("address", c.Address), slog.Int64("account", accountID), slog.Bool("known", known))
		})
		if !known {
			return nil
		}
		return b.setBindReminderIn(ctx, tx, m, false, "without_token")
	})
}

// countReminder counts a reminder that a network stops. It refuses, and counts nothing, when there were too many.
func (b *Binding) countReminder(ctx context.Context, tx *store.DB) error {
	if b.core.NoLimit {
		return nil
	}
	now, from := b.core.Now(), access.Networks(access.CallerOf(ctx).Address)
	limits := [access.NetworkWidths]int{RemindersNarrow, RemindersMiddle, RemindersWide}
	for i, limit := range limits {
		stopped, err := tx.Attempts.Raise(ctx, "reminders:"+strconv.Itoa(i)+":"+from[i], store.At(now),
			store.At(now.Add(-ReminderWindow)))
		if err != nil {
			return err
		}
		if stopped.WindowFailures > limit {
			b.core.Access.CountLimited("reminders")
			return &access.Refused{Refusal: access.TooManyAttempts, Wait: ReminderWindow}
		}
	}
	return nil
}

// ContinueSignIn returns the step after a first password was replaced: binding a phone where it is offered, else the
// step of Continue.
func (b *Binding) ContinueSignIn(ctx context.Context, s access.Session) (signin.Step, error) {
	if m, ok, err := b.Bindable(ctx, s); err != nil || ok && signin.OffersBinding(m) {
		return signin.Step{Kind: signin.StepBind, CompanyID: m.CompanyID, AccountID: m.ID}, err
	}
	return b.accounts.Continue(ctx, s)
}
