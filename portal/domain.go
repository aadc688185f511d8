package portal

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"time"

	"portico/store"
)

// Limits of a company's own domains (requirement 79).
const (
	// MaxDomains is how many a company may have, proven or not.
	MaxDomains = 5
	// MaxHost is the longest host, in characters.
	MaxHost = 253
	// DomainChecks is how often an hour a company may have its proofs looked up.
	DomainChecks = 10
	// LookUpTime is how long the look-up of a proof may take.
	LookUpTime = 3 * time.Second

	maxClaimed = 4 * MaxHost // bytes of a host that are read at all
)

// Domain is a host of a company. Where it is not proven yet, Record is the name of the DNS TXT record that proves it and
// Value what it says.
type Domain struct {
	Host          string
	Proven        bool
	Desktop       bool // the desktop back office's address
	Record, Value string
}

// Domains lists a company's own hosts, the proven ones first. Forbidden for others than its administrators.
func (p *Portal) Domains(ctx context.Context, here Landing) ([]Domain, error) {
	if err := may(here, RightSettings); err != nil {
		return nil, err
	}
	hosts, err := p.db.CompanyHosts(ctx, here.Member.CompanyID)
	if err != nil {
		return nil, err
	}
	claims, err := p.db.DomainClaims(ctx, here.Member.CompanyID)
	if err != nil {
		return nil, err
	}
	var all []Domain
	for _, h := range hosts {
		all = append(all, Domain{Host: h.Host, Proven: true, Desktop: here.Member.Company.PCDomain == p.desktopOrigin(h.Host)})
	}
	for _, c := range claims {
		all = append(all, Domain{Host: c.Host, Record: proofRecord(c.Host), Value: proofValue(c)})
	}
	return all, nil
}

func proofRecord(host string) string { return "_portico." + host }

func proofValue(c store.DomainClaim) string { return "portico=" + c.Token }

// ClaimDomain notes that a company says a host is its own; what is proven or claimed already stays as it is. Refused under
// "domain": DomainMalformed, DomainOurs, DomainReserved, DomainTaken, DomainsFull, NotWhileTrying. Forbidden for others than
// the company's administrators.
func (p *Portal) ClaimDomain(ctx context.Context, here Landing, typed string) error {
	host, problem := p.ownHost(typed)
	return p.onDomain(ctx, here, func(tx *store.DB) error {
		if problem != "" {
			return invalid(Fields{"domain": problem})
		}
		id := here.Member.CompanyID
		known, err := p.knownDomain(ctx, tx, id, host)
		if err != nil || known {
			return err
		}
		claim := store.DomainClaim{CompanyID: id, Host: host, Token: randomToken(24), CreatedAt: store.At(p.now())}
		if err := tx.AddDomainClaim(ctx, claim); err != nil {
			return err
		}
		return p.event(ctx, tx, "domain_claimed", here.Member, host)
	})
}

// knownDomain says whether a host is the company's already, proven or claimed, and refuses one that it cannot have.
func (p *Portal) knownDomain(ctx context.Context, tx *store.DB, companyID int64, host string) (bool, error) {
	if owner, err := hostOwner(ctx, tx, host); err != nil || owner == companyID {
		return err == nil, err
	} else if owner != 0 {
		return false, invalid(Fields{"domain": DomainTaken})
	}
	hosts, err := tx.CompanyHosts(ctx, companyID)
	if err != nil {
		return false, err
	}
	claims, err := tx.DomainClaims(ctx, companyID)
	if err != nil {
		return false, err
	}
	if slices.ContainsFunc(claims, func(c store.DomainClaim) bool { return c.Host == host }) {
		return true, nil
	}
	if len(hosts)+len(claims) >= MaxDomains {
		return false, invalid(Fields{"domain": DomainsFull})
	}
	return false, nil
}

// hostOwner is the company that holds a host, 0 for none.
func hostOwner(ctx context.Context, db *store.DB, host string) (int64, error) {
	owner, err := db.HostOwner(ctx, host)
	if errors.Is(err, store.ErrNotFound) {
		return 0, nil
	}
	return owner, err
}

// plainHost says that a host is written as those that companies have are.
func plainHost(host string) bool {
	normal, ok := NormalHost(host)
	return ok && normal == host
}

// ProveDomain looks the proof of a claim up in DNS and makes the host the company's. Refused under "domain": DomainUnproven
// where the record is not there or says something else, DomainUnanswered where DNS does not answer, DomainTaken where
// another company holds it. TooManyAttempts past DomainChecks; NotFound for a host that the company does not claim.
func (p *Portal) ProveDomain(ctx context.Context, here Landing, host string) error {
	if err := may(here, RightSettings); err != nil {
		return err
	}
	id := here.Member.CompanyID
	if !plainHost(host) {
		return p.missing(ctx, here, "domain", store.ErrNotFound)
	}
	claim, err := p.db.DomainClaimOf(ctx, id, host)
	if errors.Is(err, store.ErrNotFound) {
		owner, err := hostOwner(ctx, p.db, host)
		if err == nil && owner != id {
			err = p.missing(ctx, here, "domain", store.ErrNotFound)
		}
		return err
	}
	if err != nil {
		return err
	}
	if err := p.countUpTo(ctx, p.db, "domains:"+decimal(id), DomainChecks, hour); err != nil {
		return err
	}
	if problem := p.lookUpProof(ctx, claim); problem != "" {
		return invalid(Fields{"domain": problem})
	}
	return p.onDomain(ctx, here, func(tx *store.DB) error {
		if err := tx.DropDomainClaim(ctx, claim); err != nil {
			return err
		}
		ours, err := tx.VerifyHost(ctx, id, host, store.At(p.now()))
		if err == nil && !ours {
			err = invalid(Fields{"domain": DomainTaken})
		}
		if err != nil {
			return err
		}
		return p.event(ctx, tx, "domain_verified", here.Member, host)
	})
}

// lookUpProof asks DNS for the record alone; nothing is fetched from the host (requirement 94).
func (p *Portal) lookUpProof(ctx context.Context, claim store.DomainClaim) Problem {
	limited, cancel := context.WithTimeout(ctx, LookUpTime)
	defer cancel()
	texts, err := p.lookUpTXT(limited, proofRecord(claim.Host))
	var missing *net.DNSError
	switch {
	case errors.As(err, &missing) && missing.IsNotFound:
		return DomainUnproven
	case err != nil:
		return DomainUnanswered
	case !slices.ContainsFunc(texts, func(text string) bool { return strings.TrimSpace(text) == proofValue(claim) }):
		return DomainUnproven
	}
	return ""
}

// lookUpTXT asks the system's resolver for a name as it is, without its list of domains to try.
func lookUpTXT(ctx context.Context, name string) ([]string, error) {
	return net.DefaultResolver.LookupTXT(ctx, name+".")
}

// RemoveDomain takes a host or a claim back; it is free for others from then on, and where it was the desktop back office's
// address, that is the platform's again. NotFound for a host that is not the company's.
func (p *Portal) RemoveDomain(ctx context.Context, here Landing, host string) error {
	return p.onDomain(ctx, here, func(tx *store.DB) error {
		if !plainHost(host) {
			return store.ErrNotFound
		}
		id := here.Member.CompanyID
		claim, err := tx.DomainClaimOf(ctx, id, host)
		if err == nil {
			err = tx.DropDomainClaim(ctx, claim)
		} else if errors.Is(err, store.ErrNotFound) {
			err = p.dropHost(ctx, tx, id, host)
		}
		if err != nil {
			return err
		}
		return p.event(ctx, tx, "domain_removed", here.Member, host)
	})
}

// dropHost takes a host from a company, and its desktop back office from the host.
func (p *Portal) dropHost(ctx context.Context, tx *store.DB, companyID int64, host string) error {
	if err := tx.DropHost(ctx, companyID, host); err != nil {
		return err
	}
	c, err := tx.CompanyByID(ctx, companyID)
	if _, rest, _ := strings.Cut(c.PCDomain, "://"); err == nil && rest != "" {
		if used, ok := NormalHost(rest); ok && used == host {
			c.PCDomain, c.UpdatedAt = "", max(c.UpdatedAt+1, store.At(p.now()))
			err = tx.UpdateCompany(ctx, c)
		}
	}
	return err
}

// UseDomain makes one of the company's proven hosts the address of its desktop back office; "" gives that back to the
// platform's own address. NotFound for a host that is not the company's.
func (p *Portal) UseDomain(ctx context.Context, here Landing, host string) error {
	return p.onDomain(ctx, here, func(tx *store.DB) error {
		if host != "" && !plainHost(host) {
			return store.ErrNotFound
		}
		c, err := tx.CompanyByID(ctx, here.Member.CompanyID)
		if err != nil {
			return err
		}
		before := c.PCDomain
		c.PCDomain = ""
		if host != "" {
			owner, err := hostOwner(ctx, tx, host)
			if err == nil && owner != c.ID {
				err = store.ErrNotFound
			}
			if err != nil {
				return err
			}
			c.PCDomain = p.desktopOrigin(host)
		}
		if c.PCDomain == before {
			return nil
		}
		c.UpdatedAt = max(c.UpdatedAt+1, store.At(p.now()))
		if err := tx.UpdateCompany(ctx, c); err != nil {
			return err
		}
		return p.event(ctx, tx, "desktop_domain_set", here.Member, host)
	})
}

// desktopOrigin is where a company's own host serves its desktop back office.
func (p *Portal) desktopOrigin(host string) string { return p.base.Scheme + "://" + host + p.port() }

// onDomain changes a company's hosts, one change of it at a time. Forbidden for others than its administrators; a sandbox
// has none of its own.
func (p *Portal) onDomain(ctx context.Context, here Landing, change func(tx *store.DB) error) error {
	if err := may(here, RightSettings); err != nil {
		return err
	}
	err := p.db.Tx(ctx, func(tx *store.DB) error {
		by, err := p.acting(ctx, tx, here, RightSettings)
		if err != nil {
			return err
		}
		if by.Company.Sandbox {
			return invalid(Fields{"domain": NotWhileTrying})
		}
		return change(tx)
	})
	if err == nil {
		p.companies.forget()
	}
	return p.missing(ctx, here, "domain", err)
}
