package branding

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"time"

	"portico/portal/access"
	"portico/portal/core"
	"portico/store"
)

// Limits of a company's own domains.
const (
	// MaxDomains is how many a company may have, proven or not.
	MaxDomains = 5
	// DomainChecks is how often an hour a company may have its proofs looked up.
	DomainChecks = 10
	// LookUpTime is how long the look-up of a proof may take.
	LookUpTime = 3 * time.Second
)

// Domain is a host of a company. Record is the name of the DNS TXT record that proves it and Value the record's value;
// both are "" when the company need not add the record.
type Domain struct {
	Host          string
	Proven        bool
	Desktop       bool // the desktop back office's address
	Record, Value string

	// Of a domain whose record is missing. LapsesAt is when it lapses, unless the record is found before; LapsedAt is
	// when it lapsed.
	SeenAt, LapsesAt, LapsedAt time.Time
}

// Domains lists a company's own hosts, the proven ones first. It refuses with Forbidden anyone but the company's
// administrators.
func (b *Branding) Domains(ctx context.Context, here access.Landing) ([]Domain, error) {
	if err := access.RequireRight(here, access.RightSettings); err != nil {
		return nil, err
	}
	hosts, err := b.core.DB.Hosts.OfCompany(ctx, here.Member.CompanyID)
	if err != nil {
		return nil, err
	}
	claims, err := b.core.DB.Hosts.Claims(ctx, here.Member.CompanyID)
	if err != nil {
		return nil, err
	}
	var proven, others []Domain
	for _, h := range hosts {
		if h.VerifiedAt > 0 {
			proven = append(proven, b.provenDomain(h, here.Member.Company))
		} else {
			lapsed := unprovenDomain(claimOf(h))
			lapsed.SeenAt, lapsed.LapsedAt = h.SeenAt.Time(), h.CheckedAt.Time()
			others = append(others, lapsed)
		}
	}
	for _, c := range claims {
		others = append(others, unprovenDomain(c))
	}
	return append(proven, others...), nil
}

// provenDomain describes a proven host, with its record if the last look-up did not find it.
func (b *Branding) provenDomain(h store.Host, c store.Company) Domain {
	d := Domain{Host: h.Host}
	if h.Token != "" && h.SeenAt < h.CheckedAt {
		d = unprovenDomain(claimOf(h))
		d.SeenAt = h.SeenAt.Time()
		lapse, check := store.Instant(DomainLapse.Milliseconds()), store.Instant(DomainCheckEvery.Milliseconds())
		d.LapsesAt = max(h.SeenAt+lapse, h.CheckedAt+check).Time()
	}
	d.Proven, d.Desktop = true, c.PCDomain == b.desktopOrigin(h.Host)
	return d
}

func unprovenDomain(c store.DomainClaim) Domain {
	return Domain{Host: c.Host, Record: proofRecord(c.Host), Value: proofValue(c)}
}

// claimOf returns the claim that a host was proven by.
func claimOf(h store.Host) store.DomainClaim {
	return store.DomainClaim{CompanyID: h.CompanyID, Host: h.Host, Token: h.Token}
}

func proofRecord(host string) string { return "_portico." + host }

func proofValue(c store.DomainClaim) string { return "portico=" + c.Token }

// ClaimDomain stores a company's claim of a host. A host that the company has proven or claimed before does not change.
// It refuses with Forbidden anyone but the company's administrators, and under "domain" with DomainMalformed,
// DomainOfPlatform, DomainReserved, DomainTaken, DomainsFull and NotWhileTrying.
func (b *Branding) ClaimDomain(ctx context.Context, here access.Landing, typed string) error {
	host, problem := b.core.Access.OwnHost(typed)
	return b.onDomain(ctx, here, func(tx *store.DB) error {
		if problem != "" {
			return access.Invalid(access.Fields{"domain": problem})
		}
		id := here.Member.CompanyID
		known, err := b.knownDomain(ctx, tx, id, host)
		if err != nil || known {
			return err
		}
		claim := store.DomainClaim{
			CompanyID: id, Host: host, Token: access.RandomToken(24), CreatedAt: store.At(b.core.Now()),
		}
		if err := tx.Hosts.AddClaim(ctx, claim); err != nil {
			return err
		}
		return b.core.Access.Event(ctx, tx, "domain_claimed", here.Member, host)
	})
}

// knownDomain reports whether a company has proven or claimed a host before. It refuses a host that the company cannot
// have.
func (b *Branding) knownDomain(ctx context.Context, tx *store.DB, companyID int64, host string) (bool, error) {
	if owner, err := hostOwner(ctx, tx, host); err != nil || owner == companyID {
		return err == nil, err
	} else if owner != 0 {
		return false, access.Invalid(access.Fields{"domain": access.DomainTaken})
	}
	hosts, err := tx.Hosts.OfCompany(ctx, companyID)
	if err != nil {
		return false, err
	}
	claims, err := tx.Hosts.Claims(ctx, companyID)
	if err != nil {
		return false, err
	}
	if slices.ContainsFunc(claims, func(c store.DomainClaim) bool { return c.Host == host }) ||
		slices.ContainsFunc(hosts, func(h store.Host) bool { return h.Host == host }) { // lapsed
		return true, nil
	}
	if len(hosts)+len(claims) >= MaxDomains {
		return false, access.Invalid(access.Fields{"domain": access.DomainsFull})
	}
	return false, nil
}

// hostOwner returns the id of the company that has a host, 0 for none.
func hostOwner(ctx context.Context, db *store.DB, host string) (int64, error) {
	owner, err := db.Hosts.Owner(ctx, host)
	if errors.Is(err, store.ErrNotFound) {
		return 0, nil
	}
	return owner, err
}

// plainHost reports whether a host is written in the normal form of companies' hosts.
func plainHost(host string) bool {
	normal, ok := access.NormalHost(host)
	return ok && normal == host
}

// ProveDomain looks the proof of a claim up in DNS and makes the host the company's; for a host that lapsed, or whose
// record was missing, it looks the same record up again. It refuses under "domain" with DomainUnproven when the record
// is missing or has another value, with DomainUnanswered when DNS does not answer, and with DomainTaken when another
// company has the host; with TooManyAttempts past DomainChecks, and with NotFound for a host that the company does not
// claim.
func (b *Branding) ProveDomain(ctx context.Context, here access.Landing, host string) error {
	if err := access.RequireRight(here, access.RightSettings); err != nil {
		return err
	}
	id := here.Member.CompanyID
	claim, claimed, err := b.claimToProve(ctx, id, host)
	if err != nil {
		return b.core.Access.RefuseMissing(ctx, here, "domain", err)
	}
	if claim.Token == "" {
		return nil
	}
	if err := b.core.Limits.CountUpTo(
		ctx, b.core.DB, "domains:"+access.Decimal(id), DomainChecks, core.Hour,
	); err != nil {
		return err
	}
	if problem := b.lookUpProof(ctx, claim); problem != "" {
		return access.Invalid(access.Fields{"domain": problem})
	}
	return b.onDomain(ctx, here, func(tx *store.DB) error {
		if claimed {
			if err := tx.Hosts.DropClaim(ctx, claim); err != nil {
				return err
			}
		} else if h, err := tx.Hosts.ByName(ctx, host); err != nil || claimOf(h) != claim { // changed meanwhile
			return errors.Join(err, store.ErrNotFound)
		}
		held, err := b.HoldHost(ctx, tx, id, host, claim.Token)
		if err == nil && !held {
			err = access.Invalid(access.Fields{"domain": access.DomainTaken})
		}
		if err != nil {
			return err
		}
		return b.core.Access.Event(ctx, tx, "domain_verified", here.Member, host)
	})
}

// claimToProve reads what proves a host: the company's claim of it (claimed), or else the record of a host that lapsed
// or whose record is missing. The token is empty when nothing has to be proven, because the operator vouches for the
// host or its record was found by the last look-up. ErrNotFound when the host is not the company's.
func (b *Branding) claimToProve(
	ctx context.Context, companyID int64, host string,
) (claim store.DomainClaim, claimed bool, err error) {
	if !plainHost(host) {
		return claim, false, store.ErrNotFound
	}
	claim, err = b.core.DB.Hosts.Claim(ctx, companyID, host)
	if !errors.Is(err, store.ErrNotFound) {
		return claim, err == nil, err
	}
	h, err := b.core.DB.Hosts.ByName(ctx, host)
	if err == nil && (h.CompanyID != companyID || h.VerifiedAt == 0 && h.Token == "") {
		err = store.ErrNotFound
	}
	if h.VerifiedAt > 0 && h.SeenAt >= h.CheckedAt {
		h.Token = ""
	}
	return claimOf(h), false, err
}

// HoldHost gives a host to a company. It returns false when another company has it. token is the value of the record
// that proves the host, "" when the operator vouches for it. If the host was the address of the desktop back office
// when it lapsed, it becomes that again.
func (b *Branding) HoldHost(ctx context.Context, tx *store.DB, companyID int64, host, token string) (bool, error) {
	before, err := tx.Hosts.ByName(ctx, host)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return false, err
	}
	held, err := tx.Hosts.Verify(ctx, companyID, host, token, store.At(b.core.Now()))
	if err != nil || !held || before.CompanyID != companyID || before.DesktopOrigin == "" {
		return held, err
	}
	c, err := tx.Companies.ByID(ctx, companyID)
	if err != nil || c.PCDomain != "" {
		return true, err
	}
	return true, b.setDesktop(ctx, tx, c, before.DesktopOrigin)
}

// setDesktop stores the address of a company's desktop back office, "" for the platform's own.
func (b *Branding) setDesktop(ctx context.Context, tx *store.DB, c store.Company, origin string) error {
	c.PCDomain, c.UpdatedAt = origin, max(c.UpdatedAt+1, store.At(b.core.Now()))
	return tx.Companies.Update(ctx, c)
}

// isDesktop reports whether a host is the address of a company's desktop back office.
func isDesktop(c store.Company, host string) bool {
	_, rest, _ := strings.Cut(c.PCDomain, "://")
	used, ok := access.NormalHost(rest)
	return ok && used == host
}

// lookUpProof asks DNS for the record. It fetches nothing from the host.
func (b *Branding) lookUpProof(ctx context.Context, claim store.DomainClaim) access.Problem {
	limited, cancel := context.WithTimeout(ctx, LookUpTime)
	defer cancel()
	texts, err := b.lookUpTXT(limited, proofRecord(claim.Host))
	var missing *net.DNSError
	switch {
	case errors.As(err, &missing) && missing.IsNotFound:
		return access.DomainUnproven
	case err != nil:
		return access.DomainUnanswered
	case !slices.ContainsFunc(texts, func(text string) bool { return strings.TrimSpace(text) == proofValue(claim) }):
		return access.DomainUnproven
	}
	return ""
}

// LookUpTXT asks the system's resolver for the TXT records of a name, without the search list of the system.
func LookUpTXT(ctx context.Context, name string) ([]string, error) {
	return net.DefaultResolver.LookupTXT(ctx, name+".")
}

// RemoveDomain removes a host or a claim, so that others may claim it. If the host was the address of the desktop back
// office, the platform's address replaces it. It refuses with NotFound a host that is not the company's.
func (b *Branding) RemoveDomain(ctx context.Context, here access.Landing, host string) error {
	return b.onDomain(ctx, here, func(tx *store.DB) error {
		if !plainHost(host) {
			return store.ErrNotFound
		}
		id := here.Member.CompanyID
		claim, err := tx.Hosts.Claim(ctx, id, host)
		if err == nil {
			err = tx.Hosts.DropClaim(ctx, claim)
		} else if errors.Is(err, store.ErrNotFound) {
			err = b.DropHost(ctx, tx, id, host)
		}
		if err != nil {
			return err
		}
		return b.core.Access.Event(ctx, tx, "domain_removed", here.Member, host)
	})
}

// DropHost takes a host from a company, and its desktop back office from the host.
func (b *Branding) DropHost(ctx context.Context, tx *store.DB, companyID int64, host string) error {
	if err := tx.Hosts.Drop(ctx, companyID, host); err != nil {
		return err
	}
	c, err := tx.Companies.ByID(ctx, companyID)
	if err == nil && isDesktop(c, host) {
		err = b.setDesktop(ctx, tx, c, "")
	}
	return err
}

// UseDomain makes one of the company's proven hosts the address of its desktop back office, or for "" the platform's
// own address. It refuses with NotFound a host that is not the company's.
func (b *Branding) UseDomain(ctx context.Context, here access.Landing, host string) error {
	return b.onDomain(ctx, here, func(tx *store.DB) error {
		if host != "" && !plainHost(host) {
			return store.ErrNotFound
		}
		c, err := tx.Companies.ByID(ctx, here.Member.CompanyID)
		if err != nil {
			return err
		}
		origin := ""
		if host != "" {
			owner, err := hostOwner(ctx, tx, host)
			if err == nil && owner != c.ID {
				err = store.ErrNotFound
			}
			if err != nil {
				return err
			}
			origin = b.desktopOrigin(host)
		}
		if c.PCDomain == origin {
			return nil
		}
		if err := b.setDesktop(ctx, tx, c, origin); err != nil {
			return err
		}
		return b.core.Access.Event(ctx, tx, "desktop_domain_set", here.Member, host)
	})
}

// desktopOrigin returns the origin of the desktop back office on a company's own host.
func (b *Branding) desktopOrigin(host string) string {
	return b.core.Base.Scheme + "://" + host + b.core.Access.Port()
}

// onDomain changes a company's hosts. The company is locked meanwhile. It refuses with Forbidden anyone but the
// company's administrators, and sandboxes.
func (b *Branding) onDomain(ctx context.Context, here access.Landing, change func(tx *store.DB) error) error {
	if err := access.RequireRight(here, access.RightSettings); err != nil {
		return err
	}
	err := b.core.DB.Tx(ctx, func(tx *store.DB) error {
		by, err := b.core.Access.LockActor(ctx, tx, here, access.RightSettings)
		if err != nil {
			return err
		}
		if by.Company.Sandbox {
			return access.Invalid(access.Fields{"domain": access.NotWhileTrying})
		}
		return change(tx)
	})
	if err == nil {
		b.core.Access.Companies.Forget()
	}
	return b.core.Access.RefuseMissing(ctx, here, "domain", err)
}
