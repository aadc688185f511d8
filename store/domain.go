package store

import "context"

// Host is a host that a company has proven to be its own, or that the operator gave it.
type Host struct {
	Host       string  `db:"host"`
	CompanyID  int64   `db:"company_id"`
	VerifiedAt Instant `db:"verified_at"`
}

// DomainClaim is a host that a company says is its own, until it has proven it by publishing Token.
type DomainClaim struct {
	CompanyID int64   `db:"company_id"`
	Host      string  `db:"host"`
	Token     string  `db:"token"`
	CreatedAt Instant `db:"created_at"`
}

// CompanyHosts reads the verified hosts of a company, by name.
func (db *DB) CompanyHosts(ctx context.Context, companyID int64) ([]Host, error) {
	var all []Host
	err := db.list(ctx, &all, "SELECT host, company_id, verified_at FROM company_hosts WHERE company_id = ? AND verified_at > 0 ORDER BY host", companyID)
	return all, err
}

// HostOwner is the company that holds a verified host; ErrNotFound.
func (db *DB) HostOwner(ctx context.Context, host string) (int64, error) {
	var id int64
	err := db.get(ctx, &id, "SELECT company_id FROM company_hosts WHERE host = ? AND verified_at > 0", host)
	return id, err
}

// VerifyHost gives a company a host; false where another company holds it.
func (db *DB) VerifyHost(ctx context.Context, companyID int64, host string, now Instant) (bool, error) {
	n, err := db.exec(ctx, `INSERT INTO company_hosts (host, company_id, verified_at) VALUES (?, ?, ?)
		ON CONFLICT (host) DO UPDATE SET company_id = excluded.company_id, verified_at = excluded.verified_at
			WHERE company_hosts.verified_at = 0 OR company_hosts.company_id = excluded.company_id`, host, companyID, now)
	return n == 1, err
}

// DropHost takes a host from a company; ErrNotFound when it is not that company's.
func (db *DB) DropHost(ctx context.Context, companyID int64, host string) error {
	return db.one(ctx, "DELETE FROM company_hosts WHERE host = ? AND company_id = ?", host, companyID)
}

// AddDomainClaim notes a claim; nothing happens when the company has made it already.
func (db *DB) AddDomainClaim(ctx context.Context, c DomainClaim) error {
	_, err := db.exec(ctx, "INSERT INTO domain_claims (company_id, host, token, created_at) VALUES (?, ?, ?, ?) ON CONFLICT (company_id, host) DO NOTHING",
		c.CompanyID, c.Host, c.Token, c.CreatedAt)
	return err
}

// DomainClaims reads what a company claims and has not proven, by name.
func (db *DB) DomainClaims(ctx context.Context, companyID int64) ([]DomainClaim, error) {
	var all []DomainClaim
	err := db.list(ctx, &all, "SELECT company_id, host, token, created_at FROM domain_claims WHERE company_id = ? ORDER BY host", companyID)
	return all, err
}

// DomainClaimOf reads one claim of a company; ErrNotFound.
func (db *DB) DomainClaimOf(ctx context.Context, companyID int64, host string) (DomainClaim, error) {
	var c DomainClaim
	err := db.get(ctx, &c, "SELECT company_id, host, token, created_at FROM domain_claims WHERE company_id = ? AND host = ?", companyID, host)
	return c, err
}

// DropDomainClaim takes a claim back, with the token it was proven by; ErrNotFound.
func (db *DB) DropDomainClaim(ctx context.Context, c DomainClaim) error {
	return db.one(ctx, "DELETE FROM domain_claims WHERE company_id = ? AND host = ? AND token = ?", c.CompanyID, c.Host, c.Token)
}
