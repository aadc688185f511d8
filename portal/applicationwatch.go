package portal

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"portico/store"
)

const (
	// ReviewersNotified is how many reviewers of a company get a message about a new application.
	ReviewersNotified = 20
	// ReviewerRest is how long after a message a reviewer gets no other one. Applications that come meanwhile are in
	// the next one.
	ReviewerRest = time.Hour
	// WaitingShown is the largest number of waiting applications that the menu and a message say.
	WaitingShown = 99

	// dueWatchers is how many messages that are due a sweep sends.
	dueWatchers = 100
)

// Watching says whether a reviewer wants a message when somebody applies. Phone is where it goes, "" for an account
// without a phone, which cannot get one.
type Watching struct {
	On    bool
	Phone string
}

// WaitingApplications counts the applications that wait for the decision of those who may review, up to
// WaitingShown+1; 0 for everybody else.
func (p *Portal) WaitingApplications(ctx context.Context, here Landing) (int, error) {
	if !May(here.Member, RightReview) {
		return 0, nil
	}
	return p.db.CountPending(ctx, here.Member.CompanyID, WaitingShown+1)
}

// WatchingApplications says whether a reviewer wants messages. Forbidden for those who may not review.
func (p *Portal) WatchingApplications(ctx context.Context, here Landing) (Watching, error) {
	if err := may(here, RightReview); err != nil {
		return Watching{}, err
	}
	on, err := p.db.WatchesApplications(ctx, here.Member.CompanyID, here.Member.ID)
	return Watching{On: on, Phone: here.Member.Phone}, err
}

// WatchApplications switches a reviewer's messages about new applications on or off. It refuses with Forbidden those
// who may not review, and with WrongParameters to switch them on for an account without a phone.
func (p *Portal) WatchApplications(ctx context.Context, here Landing, on bool, lang string) error {
	if err := may(here, RightReview); err != nil {
		return err
	}
	return p.db.Tx(ctx, func(tx *store.DB) error {
		m, err := p.acting(ctx, tx, here, RightReview)
		if err != nil {
			return err
		}
		if !on {
			return tx.UnwatchApplications(ctx, m.CompanyID, m.ID)
		}
		if m.PhoneID == 0 {
			return &Refused{Refusal: WrongParameters}
		}
		return tx.WatchApplications(ctx, m.CompanyID, m.ID, lang)
	})
}

// notifyReviewers tells a company's reviewers in the background that somebody has applied. Errors are only logged,
// because the application is already stored.
func (p *Portal) notifyReviewers(ctx context.Context, companyID int64) {
	ctx = store.AfterRequest(ctx)
	p.running.Go(func() {
		watchers, err := p.db.ApplicationWatchers(ctx, companyID, ReviewersNotified)
		if err == nil {
			err = p.notifyEach(ctx, watchers)
		}
		if err != nil {
			p.log.LogAttrs(ctx, slog.LevelError, "reviewers not told",
				slog.Int64("company", companyID), slog.Any("error", err))
		}
	})
}

// notifyDueReviewers sends the messages that waited for the end of ReviewerRest.
func (p *Portal) notifyDueReviewers(ctx context.Context) error {
	watchers, err := p.db.DueApplicationWatchers(ctx, store.At(p.now()), dueWatchers)
	if err != nil {
		return err
	}
	return p.notifyEach(ctx, watchers)
}

func (p *Portal) notifyEach(ctx context.Context, watchers []store.ApplicationWatcher) error {
	var failed error
	for _, w := range watchers {
		failed = errors.Join(failed, p.notifyReviewer(ctx, w))
	}
	return failed
}

// notifyReviewer sends a reviewer how many applications wait, at most once in ReviewerRest and within the budgets of
// messages. Otherwise the message is due later. A reviewer who has lost the right or has no phone gets
// none.
func (p *Portal) notifyReviewer(ctx context.Context, w store.ApplicationWatcher) error {
	m, err := p.db.MemberByID(ctx, w.CompanyID, w.AccountID)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	waiting, err := p.db.CountPending(ctx, w.CompanyID, WaitingShown+1)
	if err != nil {
		return err
	}
	mayBeTold := m.PhoneID != 0 && !m.Invited && May(m, RightReview) && BlockedBy(m, false, p.now()) == ""
	if !mayBeTold || waiting == 0 {
		return p.db.SetWatcherDue(ctx, w, 0)
	}
	now := p.now()
	caps := p.watcherCaps(m)
	var watched []messageCap
	err = p.db.Tx(ctx, func(tx *store.DB) (err error) {
		if err = tx.SetWatcherNotified(ctx, w, store.At(now), store.At(now.Add(-ReviewerRest))); err != nil {
			return err
		}
		watched, _, err = p.raiseCaps(ctx, tx, caps, now)
		return err
	})
	switch {
	case errors.Is(err, store.ErrNotFound): // a message was sent within ReviewerRest
		return p.db.SetWatcherDue(ctx, w, store.At(w.NotifiedAt.Time().Add(ReviewerRest)))
	case errors.Is(err, TooManyAttempts):
		return p.db.SetWatcherDue(ctx, w, store.At(now.Add(ReviewerRest)))
	case err != nil:
		return err
	}
	p.logBudgets(ctx, watched)
	return p.sendToReviewer(ctx, w, m, waiting, caps)
}

// sendToReviewer sends the message. If the provider fails, the message does not count, and is due again later.
func (p *Portal) sendToReviewer(
	ctx context.Context, w store.ApplicationWatcher, m store.Member, waiting int, caps []messageCap,
) error {
	err := p.sendSMS(ctx, Message{
		ID: RandomString(), Phone: m.Phone, Lang: w.Lang, Company: nameInMessages(m.Company),
		Notice: NoticeApplications,
		Way:    p.CompanyOrigin(m.CompanyID) + "/mgr/applications", Waiting: waiting,
	})
	if err == nil || errors.Is(err, ErrMaybeSent) {
		return nil
	}
	taken := p.db.Tx(ctx, func(tx *store.DB) error {
		for _, c := range caps {
			if err := tx.LowerAttempts(ctx, c.key, 1); err != nil {
				return err
			}
		}
		return tx.SetWatcherDue(ctx, w, store.At(p.now().Add(ReviewerRest)))
	})
	return errors.Join(err, taken)
}

// watcherCaps returns the counters that a message to a reviewer draws on: the phone's own, and the budgets of the
// company and the platform as far as registered phones may use them.
func (p *Portal) watcherCaps(m store.Member) []messageCap {
	if p.noLimit {
		return nil
	}
	to := recipient{phone: m.Phone, asker: registeredPhone, company: m.Company}
	all := p.phoneCaps("sms:told:", m.Phone, refusing)
	all = append(all, budgetCaps("company:"+decimal(m.CompanyID), p.messagesCompany, to)...)
	return append(all, budgetCaps("platform", p.messages, to)...)
}
