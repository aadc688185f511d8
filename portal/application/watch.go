package application

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
	// ReviewersNotified is how many reviewers of a company get a message about a new application.
	ReviewersNotified = 20
	// ReviewerRest is the shortest time between two messages to a reviewer. The next message counts the applications
	// that arrive meanwhile.
	ReviewerRest = time.Hour

	// dueWatchers is how many due messages NotifyDueReviewers sends at a time.
	dueWatchers = 100
)

// Watching says whether a reviewer wants a message about new applications. Phone is where it goes, "" for an account
// without a phone, which cannot get messages.
type Watching struct {
	On    bool
	Phone string
}

// WatchingApplications reads whether a reviewer wants messages. It refuses with Forbidden an account without the right
// to review.
func (ap *Application) WatchingApplications(ctx context.Context, here access.Landing) (Watching, error) {
	if err := access.RequireRight(here, access.RightReview); err != nil {
		return Watching{}, err
	}
	on, err := ap.core.DB.Watchers.Has(ctx, here.Member.CompanyID, here.Member.ID)
	return Watching{On: on, Phone: here.Member.Phone}, err
}

// WatchApplications switches a reviewer's messages about new applications on or off. It refuses with Forbidden an
// account without the right to review, and with WrongParameters to switch them on for an account without a phone.
func (ap *Application) WatchApplications(ctx context.Context, here access.Landing, on bool, lang string) error {
	if err := access.RequireRight(here, access.RightReview); err != nil {
		return err
	}
	return ap.core.DB.Tx(ctx, func(tx *store.DB) error {
		m, err := ap.core.Access.LockActor(ctx, tx, here, access.RightReview)
		if err != nil {
			return err
		}
		if !on {
			return tx.Watchers.Remove(ctx, m.CompanyID, m.ID)
		}
		if m.PersonID == 0 {
			return &access.Refused{Refusal: access.WrongParameters}
		}
		return tx.Watchers.Add(ctx, m.CompanyID, m.ID, lang)
	})
}

// notifyReviewers sends a company's reviewers in the background a message about a new application. Errors are only
// logged, because the application is already stored.
func (ap *Application) notifyReviewers(ctx context.Context, companyID int64) {
	ctx = store.AfterRequest(ctx)
	ap.core.Running.Go(func() {
		watchers, err := ap.core.DB.Watchers.OfCompany(ctx, companyID, ReviewersNotified)
		if err == nil {
			err = ap.notifyEach(ctx, watchers)
		}
		if err != nil {
			ap.core.Log.LogAttrs(ctx, slog.LevelError, "reviewers not told",
				slog.Int64("company", companyID), slog.Any("error", err))
		}
	})
}

// NotifyDueReviewers sends the messages that were delayed by ReviewerRest.
func (ap *Application) NotifyDueReviewers(ctx context.Context) error {
	watchers, err := ap.core.DB.Watchers.Due(ctx, store.At(ap.core.Now()), dueWatchers)
	if err != nil {
		return err
	}
	return ap.notifyEach(ctx, watchers)
}

func (ap *Application) notifyEach(ctx context.Context, watchers []store.ApplicationWatcher) error {
	var failed error
	for _, w := range watchers {
		failed = errors.Join(failed, ap.notifyReviewer(ctx, w))
	}
	return failed
}

// notifyReviewer sends a reviewer how many applications wait, at most once in ReviewerRest and within the budgets of
// messages. Otherwise the message is due later. A reviewer who has lost the right or has no phone gets none.
func (ap *Application) notifyReviewer(ctx context.Context, w store.ApplicationWatcher) error {
	m, err := ap.core.DB.Accounts.ByID(ctx, w.CompanyID, w.AccountID)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	waiting, err := ap.core.DB.Applications.CountPending(ctx, w.CompanyID, core.WaitingShown+1)
	if err != nil {
		return err
	}
	mayNotify := m.PersonID != 0 && !m.Invited && access.May(m, access.RightReview) &&
		access.BlockedBy(m, false, ap.core.Now()) == ""
	if !mayNotify || waiting == 0 {
		return ap.core.DB.Watchers.SetDue(ctx, w, 0)
	}
	now := ap.core.Now()
	caps := ap.watcherCaps(m)
	var watched []core.MessageCap
	err = ap.core.DB.Tx(ctx, func(tx *store.DB) (err error) {
		if err = tx.Watchers.SetNotified(ctx, w, store.At(now), store.At(now.Add(-ReviewerRest))); err != nil {
			return err
		}
		watched, _, err = ap.core.Verification.RaiseCaps(ctx, tx, caps, now)
		return err
	})
	switch {
	case errors.Is(err, store.ErrNotFound): // a message was sent within ReviewerRest
		return ap.core.DB.Watchers.SetDue(ctx, w, store.At(w.NotifiedAt.Time().Add(ReviewerRest)))
	case errors.Is(err, access.TooManyAttempts):
		return ap.core.DB.Watchers.SetDue(ctx, w, store.At(now.Add(ReviewerRest)))
	case err != nil:
		return err
	}
	ap.core.Verification.LogBudgets(ctx, watched)
	return ap.sendToReviewer(ctx, w, m, waiting, caps)
}

// sendToReviewer sends the message. If the provider fails, the message does not count, and is due again later.
func (ap *Application) sendToReviewer(
	ctx context.Context, w store.ApplicationWatcher, m store.Member, waiting int, caps []core.MessageCap,
) error {
	err := ap.core.Verification.SendSMS(ctx, core.Message{
		ID: access.RandomString(), Phone: m.Phone, Lang: w.Lang, Company: core.NameInMessages(m.Company),
		Notice: core.NoticeApplications,
		Way:    ap.core.Access.CompanyOrigin(m.CompanyID) + "/mgr/applications", Waiting: waiting,
	})
	if err == nil || errors.Is(err, core.ErrMaybeSent) {
		return nil
	}
	taken := ap.core.DB.Tx(ctx, func(tx *store.DB) error {
		for _, c := range caps {
			if err := tx.Attempts.Lower(ctx, c.Key, 1); err != nil {
				return err
			}
		}
		return tx.Watchers.SetDue(ctx, w, store.At(ap.core.Now().Add(ReviewerRest)))
	})
	return errors.Join(err, taken)
}

// watcherCaps returns the counters that a message to a reviewer draws on: the phone's own, and the budgets of the
// company and the platform as far as registered phones may use them.
func (ap *Application) watcherCaps(m store.Member) []core.MessageCap {
	if ap.core.NoLimit {
		return nil
	}
	to := core.Recipient{Phone: m.Phone, Asker: core.RegisteredPhone, Company: m.Company}
	all := ap.core.Verification.PhoneCaps("sms:told:", m.Phone, core.Refusing)
	all = append(
		all, core.BudgetCaps("company:"+access.Decimal(m.CompanyID), ap.core.Verification.MessagesCompany, to)...,
	)
	return append(all, core.BudgetCaps("platform", ap.core.Verification.Messages, to)...)
}
