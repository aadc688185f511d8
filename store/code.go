package store

import "context"

// Code is a verification code as the server stores it. Phone is sealed. Subject (the phone), Flow (the browser that
// asked for the code) and Hash (the code) are keyed hashes. Target is what a code is for beside its purpose, like an
// account.
//
//	sent ──right code entered──▶ proven ──operation done──▶ spent
//	  ├──too many tries, or ExpiresAt──▶ dead
//	  └──a newer code sent──▶ replaced
type Code struct {
	Subject     string  `db:"subject"`
	Purpose     string  `db:"purpose"`
	CompanyID   int64   `db:"company_id"`
	Phone       string  `db:"phone"`
	Flow        string  `db:"flow"`
	Target      string  `db:"target"`
	Hash        string  `db:"hash"`
	Tries       int     `db:"tries"`
	SentAt      Instant `db:"sent_at"`
	ExpiresAt   Instant `db:"expires_at"`
	UsedAt      Instant `db:"used_at"`
	ProvenUntil Instant `db:"proven_until"`
}

const codeColumns = `subject, purpose, company_id, phone, flow, target, hash, tries, sent_at, expires_at, used_at,
	proven_until`

// CodeTable reads and changes verification codes.
type CodeTable struct{ db *DB }

// Put stores a code. It replaces the former code of the same phone, purpose and company, unless that was sent after
// the instant before. Of several calls at the same time one gets true.
func (t CodeTable) Put(ctx context.Context, c Code, before Instant) (bool, error) {
	n, err := t.db.exec(ctx, "INSERT INTO codes ("+codeColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, 0, ?, ?, 0, 0)
		ON CONFLICT (subject, purpose, company_id) DO UPDATE
		SET phone = excluded.phone, flow = excluded.flow, target = excluded.target,
			hash = excluded.hash, tries = 0, sent_at = excluded.sent_at, expires_at = excluded.expires_at, used_at = 0,
			proven_until = 0
			WHERE codes.sent_at <= ?`,
		c.Subject, c.Purpose, c.CompanyID, c.Phone, c.Flow, c.Target, c.Hash, c.SentAt, c.ExpiresAt, before)
	return n == 1, err
}

// Of reads the code of a phone (subject), purpose and company. ErrNotFound.
func (t CodeTable) Of(ctx context.Context, subject, purpose string, companyID int64) (Code, error) {
	return row[Code](ctx, t.db,
		"SELECT "+codeColumns+" FROM codes WHERE subject = ? AND purpose = ? AND company_id = ?",
		subject, purpose, companyID)
}

// OfFlow reads the last code for a purpose that a flow asked for. ErrNotFound.
func (t CodeTable) OfFlow(ctx context.Context, flow, purpose string) (Code, error) {
	return row[Code](ctx, t.db, "SELECT "+codeColumns+" FROM codes WHERE flow = ? AND purpose = ? "+
		"ORDER BY sent_at DESC LIMIT 1", flow, purpose)
}

// Try counts one try of a code, before the caller compares the code, so that tries at the same time cannot exceed
// the limit. ErrNotFound after limit tries, and for a code that has expired, was spent, or was requested by another
// flow. A code that is proven may be tried again.
func (t CodeTable) Try(ctx context.Context, c Code, limit int, now Instant) (Code, error) {
	err := t.db.change(ctx, &c, `UPDATE codes SET tries = tries + 1 WHERE subject = ? AND purpose = ? AND company_id = ?
		AND flow = ? AND target = ?
		AND (used_at = 0 AND tries < ? AND expires_at > ? OR proven_until > ?) RETURNING `+codeColumns,
		c.Subject, c.Purpose, c.CompanyID, c.Flow, c.Target, limit, now, now)
	return c, err
}

// Prove stores that the right code was entered, which counts until the given instant. ErrNotFound when another code
// has replaced this one.
func (t CodeTable) Prove(ctx context.Context, c Code, now, until Instant) error {
	return t.db.one(ctx, `UPDATE codes
		SET used_at = ?, proven_until = CASE WHEN used_at = 0 THEN ? ELSE proven_until END
		WHERE subject = ? AND purpose = ? AND company_id = ? AND hash = ? AND flow = ?`,
		now, until, c.Subject, c.Purpose, c.CompanyID, c.Hash, c.Flow)
}

// SpendProof marks a proven code as spent. Of several calls at the same time one succeeds, the others get ErrNotFound.
func (t CodeTable) SpendProof(ctx context.Context, c Code, now Instant) error {
	return t.db.one(ctx, `UPDATE codes SET proven_until = 0 WHERE subject = ? AND purpose = ? AND company_id = ?
		AND hash = ? AND flow = ? AND target = ? AND proven_until > ?`,
		c.Subject, c.Purpose, c.CompanyID, c.Hash, c.Flow, c.Target, now)
}

// Drop removes a code that could not be sent.
func (t CodeTable) Drop(ctx context.Context, c Code) error {
	_, err := t.db.exec(ctx, "DELETE FROM codes WHERE subject = ? AND purpose = ? AND company_id = ? AND hash = ?",
		c.Subject, c.Purpose, c.CompanyID, c.Hash)
	return err
}

// End voids every open code and every proof of a phone.
func (t CodeTable) End(ctx context.Context, subject string) error {
	_, err := t.db.exec(ctx, "UPDATE codes SET expires_at = 0, proven_until = 0 WHERE subject = ?", subject)
	return err
}

// Forget removes codes sent before the given instant, at most SweepStep.
func (t CodeTable) Forget(ctx context.Context, before Instant) (int64, error) {
	return t.db.exec(ctx, `DELETE FROM codes
		WHERE (subject, purpose, company_id) IN (SELECT subject, purpose, company_id FROM codes
		WHERE sent_at < ? LIMIT ?)`,
		before, SweepStep)
}

// EndOpen voids the open codes and proofs of a phone (subject) for one company, and those for one account
// (target).
func (t CodeTable) EndOpen(ctx context.Context, subject string, companyID int64, target string) error {
	const ofTarget = "UPDATE codes SET expires_at = 0, proven_until = 0 WHERE target = ? AND target <> ''"
	if _, err := t.db.exec(ctx, ofTarget, target); err != nil {
		return err
	}
	const ofCompany = "UPDATE codes SET expires_at = 0, proven_until = 0 WHERE subject = ? AND company_id = ?"
	_, err := t.db.exec(ctx, ofCompany, subject, companyID)
	return err
}
