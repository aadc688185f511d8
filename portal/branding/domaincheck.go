package branding

import (
	"context"
	"errors"
	"time"

	"portico/store"
)

// A company proves a domain once by a DNS record. Another owner can have the domain a year later, so the record is
// looked up again and again.
const (
	// DomainCheckEvery is how often the record of a proven domain is looked up.
	DomainCheckEvery = 24 * time.Hour
	// DomainLapse is how long a record may be missing before the domain lapses.
	DomainLapse = 3 * 24 * time.Hour

	domainLease = time.Minute // longer than domainBatch look-ups take
	domainBatch = 10
)

// CheckDomains looks up the records of the proven domains that are due. A domain whose record was missing for
// DomainLapse no longer belongs to the company: the platform redirects nobody there, serves no company there, and shows
// it to the company's administrators. One process at a time does this; in all others CheckDomains does nothing.
func (b *Branding) CheckDomains(ctx context.Context) error {
	leased, err := b.checkDomains(ctx)
	if b.core.Counted.DomainsChecked != nil && (leased || err != nil) {
		b.core.Counted.DomainsChecked(err)
	}
	return err
}

// checkDomains returns whether this process had the lease.
func (b *Branding) checkDomains(ctx context.Context) (leased bool, err error) {
	for {
		now := b.core.Now()
		taken, err := b.core.DB.Leases.Take(
			ctx, "domains", b.core.Process, store.At(now), store.At(now.Add(domainLease)),
		)
		if err != nil || !taken {
			return leased, err
		}
		leased = true
		due, err := b.core.DB.Hosts.ToCheck(ctx, store.At(now.Add(-DomainCheckEvery)), domainBatch)
		if err != nil || len(due) == 0 {
			return true, err
		}
		for _, h := range due {
			if err := b.checkDomain(ctx, h); err != nil {
				return true, err
			}
		}
	}
}

// checkDomain looks up the record of one domain. DNS that does not answer is no proof either, so it counts as missing.
func (b *Branding) checkDomain(ctx context.Context, h store.Host) error {
	problem := b.lookUpProof(ctx, claimOf(h))
	if ctx.Err() != nil { // stopped: the look-up has no result
		return ctx.Err()
	}
	now := b.core.Now()
	switch {
	case problem == "":
		return b.core.DB.Hosts.NoteCheck(ctx, h, store.At(now), store.At(now))
	case now.Sub(h.SeenAt.Time()) < DomainLapse || h.SeenAt == h.CheckedAt:
		// The second condition: no single look-up ends a proof. The program may not have run for days.
		return b.core.DB.Hosts.NoteCheck(ctx, h, h.SeenAt, store.At(now))
	}
	return b.lapseDomain(ctx, h)
}

// lapseDomain takes a domain from its company, and the desktop back office from the domain.
func (b *Branding) lapseDomain(ctx context.Context, h store.Host) error {
	err := b.core.DB.Tx(ctx, func(tx *store.DB) error {
		if err := tx.Companies.Lock(ctx, h.CompanyID); err != nil {
			return err
		}
		c, err := tx.Companies.ByID(ctx, h.CompanyID)
		if err != nil {
			return err
		}
		desktop := ""
		if isDesktop(c, h.Host) {
			desktop = c.PCDomain
			if err := b.setDesktop(ctx, tx, c, ""); err != nil {
				return err
			}
		}
		if err := tx.Hosts.Lapse(ctx, h, desktop, store.At(b.core.Now())); err != nil {
			return err
		}
		return b.core.Access.Event(
			ctx, tx, "domain_lapsed", store.Member{Account: store.Account{CompanyID: h.CompanyID}}, h.Host,
		)
	})
	b.core.Access.Companies.Forget()
	if errors.Is(err, store.ErrNotFound) { // removed or proven again meanwhile
		return nil
	}
	return err
}
