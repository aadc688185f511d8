package store

import "context"

// Host is a host that a company has proven to own, or for which the operator vouches. Token is the value of the DNS
// record that proves it, "" when the operator vouches. SeenAt is when the record was last found, CheckedAt when it was
// last looked up.
//
//	verified ──record missing for too long──▶ lapsed (VerifiedAt 0): any company may prove it
//	   ▲                                        │
//	   └───────────────proven again─────────────┘
type Host struct {
	Host       string  `db:"host"`
	CompanyID  int64   `db:"company_id"`
	VerifiedAt Instant `db:"verified_at"`
	Token      string  `db:"token"`
	SeenAt     Instant `db:"seen_at"`
	CheckedAt  Instant `db:"checked_at"`
	// the desktop back office's origin on this host when the proof lapsed, or ""
	DesktopOrigin string `db:"desktop_origin"`
}

const hostColumns = "host, company_id, verified_at, token, seen_at, checked_at, desktop_origin"

// DomainClaim is a host that a company claims to own. The company proves it by publishing Token in the DNS.
type DomainClaim struct {
	CompanyID int64   `db:"company_id"`
	Host      string  `db:"host"`
	Token     string  `db:"token"`
	CreatedAt Instant `db:"created_at"`
}

// HostTable reads and changes hosts of companies, and claims of hosts that are not verified yet.
type HostTable struct{ db *DB }

// OfCompany reads the hosts of a company, by name: the verified ones and those that lapsed.
func (t HostTable) OfCompany(ctx context.Context, companyID int64) ([]Host, error) {
	return rows[Host](ctx, t.db, "SELECT "+hostColumns+` FROM company_hosts
		WHERE company_id = ? AND (verified_at > 0 OR token <> '') ORDER BY host`, companyID)
}

// ByName reads a host in any state; ErrNotFound.
func (t HostTable) ByName(ctx context.Context, host string) (Host, error) {
	return row[Host](ctx, t.db, "SELECT "+hostColumns+" FROM company_hosts WHERE host = ?", host)
}

// Owner returns the id of the company that owns a verified host. ErrNotFound.
func (t HostTable) Owner(ctx context.Context, host string) (int64, error) {
	return row[int64](ctx, t.db, "SELECT company_id FROM company_hosts WHERE host = ? AND verified_at > 0", host)
}

// Verify stores that a company owns a host. It returns false when another company owns it. token is the value of
// the DNS record that was found, "" when the operator vouches for the host.
func (t HostTable) Verify(ctx context.Context, companyID int64, host, token string, now Instant) (bool, error) {
	n, err := t.db.exec(ctx, `INSERT INTO company_hosts (host, company_id, verified_at, token, seen_at, checked_at)
		VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (host) DO UPDATE SET company_id = excluded.company_id, verified_at = excluded.verified_at,
			token = excluded.token, seen_at = excluded.seen_at, checked_at = excluded.checked_at, desktop_origin = ''
			WHERE company_hosts.verified_at = 0 OR company_hosts.company_id = excluded.company_id`,
		host, companyID, now, token, now, now)
	return n == 1, err
}

// ToCheck reads verified hosts whose record was last looked up at an instant or before, at most limit of them, the
// longest waiting first.
func (t HostTable) ToCheck(ctx context.Context, checked Instant, limit int) ([]Host, error) {
	return rows[Host](ctx, t.db, "SELECT "+hostColumns+` FROM company_hosts
		WHERE token <> '' AND verified_at > 0 AND checked_at <= ? ORDER BY checked_at LIMIT ?`, checked, limit)
}

// NoteCheck stores when the DNS record of a host was last found and last looked up. It changes nothing when the row
// has changed since it was read.
func (t HostTable) NoteCheck(ctx context.Context, h Host, seen, checked Instant) error {
	_, err := t.db.exec(ctx, `UPDATE company_hosts SET seen_at = ?, checked_at = ?
		WHERE host = ? AND company_id = ? AND token = ? AND verified_at > 0 AND checked_at = ?`,
		seen, checked, h.Host, h.CompanyID, h.Token, h.CheckedAt)
	return err
}

// Lapse ends the proof of a host. ErrNotFound when the row has changed since it was read. desktop is the origin of
// the desktop back office on that host, "" for none.
func (t HostTable) Lapse(ctx context.Context, h Host, desktop string, now Instant) error {
	return t.db.one(ctx, `UPDATE company_hosts SET verified_at = 0, checked_at = ?, desktop_origin = ?
		WHERE host = ? AND company_id = ? AND token = ? AND verified_at > 0 AND checked_at = ?`,
		now, desktop, h.Host, h.CompanyID, h.Token, h.CheckedAt)
}

// Drop takes a host from a company; ErrNotFound when it is not that company's.
func (t HostTable) Drop(ctx context.Context, companyID int64, host string) error {
	return t.db.one(ctx, "DELETE FROM company_hosts WHERE host = ? AND company_id = ?", host, companyID)
}

// AddClaim notes a claim; nothing happens when the company has made it already.
func (t HostTable) AddClaim(ctx context.Context, c DomainClaim) error {
	_, err := t.db.exec(ctx, "INSERT INTO domain_claims (company_id, host, token, created_at) VALUES (?, ?, ?, ?) "+
		"ON CONFLICT (company_id, host) DO NOTHING",
		c.CompanyID, c.Host, c.Token, c.CreatedAt)
	return err
}

// Claims reads the hosts that a company claims and has not proven, in the order of their names.
func (t HostTable) Claims(ctx context.Context, companyID int64) ([]DomainClaim, error) {
	return rows[DomainClaim](ctx, t.db, "SELECT company_id, host, token, created_at FROM domain_claims "+
		"WHERE company_id = ? ORDER BY host", companyID)
}

// Claim reads one claim of a company; ErrNotFound.
func (t HostTable) Claim(ctx context.Context, companyID int64, host string) (DomainClaim, error) {
	return row[DomainClaim](ctx, t.db, "SELECT company_id, host, token, created_at FROM domain_claims "+
		"WHERE company_id = ? AND host = ?", companyID, host)
}

// DropClaim removes a claim with its token. ErrNotFound.
func (t HostTable) DropClaim(ctx context.Context, c DomainClaim) error {
	return t.db.one(ctx, "DELETE FROM domain_claims WHERE company_id = ? AND host = ? AND token = ?",
		c.CompanyID, c.Host, c.Token)
}

// Add stores that a company owns a host. It changes nothing when a company has the host already.
func (t HostTable) Add(ctx context.Context, companyID int64, host string, verified Instant) error {
	_, err := t.db.exec(ctx, `INSERT INTO company_hosts (host, company_id, verified_at) VALUES (?, ?, ?)
		ON CONFLICT (host) DO NOTHING`,
		host, companyID, verified)
	return err
}

// IsOwnedBy says whether a host is a verified host of the company.
func (t HostTable) IsOwnedBy(ctx context.Context, companyID int64, host string) (bool, error) {
	var n int
	err := t.db.get(ctx, &n, "SELECT COUNT(*) FROM company_hosts WHERE host = ? AND company_id = ? AND verified_at > 0",
		host, companyID)
	return n == 1, err
}

// Company reads the company that registered this exact host (lower case, without port); ErrNotFound.
func (t HostTable) Company(ctx context.Context, host string) (Company, error) {
	return row[Company](ctx, t.db, `SELECT `+companyColumns+` FROM companies c
		JOIN company_hosts h ON h.company_id = c.id WHERE h.host = ? AND h.verified_at > 0`, host)
}
