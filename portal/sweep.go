package portal

import (
	"context"
	"time"

	"portico/portal/access"
	"portico/portal/application"
	"portico/portal/branding"
	"portico/portal/core"
	"portico/portal/shop"
	"portico/portal/signin"
	"portico/store"
	"portico/store/lists"
)

const (
	// SweepLease is how long a lease to sweep lasts. If it is not extended, another instance may sweep after that.
	SweepLease = 10 * time.Minute
	// SweepExtend is the shortest time after which the instance that sweeps extends its lease. It does so between two
	// kinds of rows.
	SweepExtend = time.Minute
	// SweepRest is how long a sweep leaves the database to others after each step.
	SweepRest = 20 * time.Millisecond

	sweepName = "sweep"
)

// Sweep removes expired rows, in steps of store.SweepStep rows, adds the keys by which lists find rows of former
// versions, and sends the messages to reviewers that are due. main
// calls it regularly on every instance. Only one instance sweeps at a time; on the others it returns at once.
func (p *Portal) Sweep(ctx context.Context) error {
	leased, err := p.sweep(ctx)
	if p.Counted.Swept != nil && (leased || err != nil) {
		p.Counted.Swept(err)
	}
	return err
}

// sweep returns whether this process had the lease.
func (p *Portal) sweep(ctx context.Context) (leased bool, err error) {
	defer func() { _ = p.DB.Leases.End(context.WithoutCancel(ctx), sweepName, p.Process) }()
	extended := time.Time{}
	for _, forget := range p.sweeps() {
		if now := p.Now(); now.Sub(extended) >= SweepExtend {
			leased, err = p.DB.Leases.Take(ctx, sweepName, p.Process, store.At(now), store.At(now.Add(SweepLease)))
			if err != nil || !leased {
				return false, err
			}
			extended = now
		}
		if err := inSteps(ctx, forget); err != nil {
			return true, err
		}
	}
	if _, err := p.Onboarding.RemoveSandboxes(ctx); err != nil {
		return true, err
	}
	if err := p.Chatapps.RecheckLostCredentials(ctx); err != nil {
		return true, err
	}
	if err := p.Licences.RemoveAbandoned(ctx); err != nil {
		return true, err
	}
	if err := p.Profiles.RemoveEndedPortraits(ctx); err != nil {
		return true, err
	}
	return true, p.Application.NotifyDueReviewers(ctx)
}

// forgetting removes up to store.SweepStep expired rows and returns how many.
type forgetting func(context.Context) (int64, error)

// sweeps returns the removals for all kinds of rows that expire by age, and what else is done in steps.
func (p *Portal) sweeps() []forgetting {
	now := p.Now()
	before := func(forget func(context.Context, store.Instant) (int64, error), age time.Duration) forgetting {
		return func(ctx context.Context) (int64, error) { return forget(ctx, store.At(now.Add(-age))) }
	}
	db := p.DB
	return []forgetting{
		before(db.Slots.Forget, 0),
		before(db.AuthCodes.Forget, access.Day),
		before(db.Sessions.Forget, 0),
		before(db.Signatures.Forget, 0),
		before(db.Signatures.ForgetReads, 0),
		before(db.Codes.Forget, core.CodesKept),
		before(db.Authorisations.Forget, signin.AuthorisationKept),
		before(db.Tickets.Forget, 0),
		before(db.ProviderTokens.Forget, access.Day),
		before(db.Identities.ForgetApplicants, signin.ApplicantKept),
		before(db.IdempotencyKeys.Forget, 0),
		before(db.Drafts.Forget, application.DraftKept),
		before(db.Looks.ForgetDrafts, branding.LookDraftKept),
		before(db.KeptForms.Forget, core.FormKept),
		before(func(ctx context.Context, at store.Instant) (int64, error) { return db.Carts.Forget(ctx, at) },
			shop.CartKept),
		before(db.Registrations.Forget, core.RegistrationKept),
		before(db.Repeats.Forget, core.RepeatWindow),
		before(db.Attempts.Forget, core.AttemptsKept),
		before(db.Attempts.ForgetLookups, core.LookupWindow),
		before(db.Devices.Forget, core.DeviceKnownFor),
		before(db.Devices.ForgetUsedAccounts, core.DeviceKnownFor),
		before(db.Offers.ForgetDeclined, signin.DeclinedFor),
		before(db.Audit.Forget, p.Sessions.AuditKept),
		func(ctx context.Context) (int64, error) {
			return db.Views.Forget(ctx, p.Statistics.Today()-core.ViewsKept)
		},
		func(ctx context.Context) (int64, error) { return lists.AddKeys(ctx, db) },
	}
}

// inSteps removes rows until a step finds fewer than it may remove, with a rest after each full step.
func inSteps(ctx context.Context, forget forgetting) error {
	for {
		n, err := forget(ctx)
		if err != nil || n < store.SweepStep {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(SweepRest):
		}
	}
}
