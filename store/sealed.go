package store

import "context"

// HashKey is a key of keyed hashes, sealed with the master key that KeyID names.
type HashKey struct {
	KeyID     string  `db:"key_id"`
	Sealed    string  `db:"sealed"`
	CreatedAt Instant `db:"created_at"`
}

// HashKeys reads every key of keyed hashes, the oldest first. There is one for each master key that was ever the only
// one, so they are few.
func (db *DB) HashKeys(ctx context.Context) ([]HashKey, error) {
	var all []HashKey
	err := db.list(ctx, &all, "SELECT key_id, sealed, created_at FROM hash_keys ORDER BY created_at, key_id")
	return all, err
}

// AddHashKey stores a key of keyed hashes, unless its master key has one already.
func (db *DB) AddHashKey(ctx context.Context, k HashKey) error {
	_, err := db.exec(ctx, `INSERT INTO hash_keys (key_id, sealed, created_at) VALUES (?, ?, ?)
		ON CONFLICT (key_id) DO NOTHING`, k.KeyID, k.Sealed, k.CreatedAt)
	return err
}

// DropHashKey removes the key of keyed hashes that a master key sealed.
func (db *DB) DropHashKey(ctx context.Context, keyID string) error {
	_, err := db.exec(ctx, "DELETE FROM hash_keys WHERE key_id = ?", keyID)
	return err
}

// AllCredentials reads at most limit credentials of all companies, in the order of company and kind, after the given
// one.
func (db *DB) AllCredentials(ctx context.Context, after Credentials, limit int) ([]Credentials, error) {
	var all []Credentials
	err := db.list(ctx, &all, "SELECT "+credentialColumns+` FROM company_credentials
		WHERE (company_id, kind) > (?, ?) ORDER BY company_id, kind LIMIT ?`, after.CompanyID, after.Kind, limit)
	return all, err
}

// ResealCredentials replaces the sealed secret of a company's credentials, unless it has changed since it was read.
// changed says whether it was replaced.
func (db *DB) ResealCredentials(ctx context.Context, was Credentials, sealed string) (changed bool, err error) {
	n, err := db.exec(ctx, `UPDATE company_credentials SET secret = ?
		WHERE company_id = ? AND kind = ? AND secret = ?`, sealed, was.CompanyID, was.Kind, was.Secret)
	return n == 1, err
}

// AllIdentityApplicants reads at most limit applicants of all companies, in the order of their key, after the given
// one.
func (db *DB) AllIdentityApplicants(ctx context.Context, after IdentityApplicant, limit int) ([]IdentityApplicant, error) {
	var all []IdentityApplicant
	err := db.list(ctx, &all, `SELECT company_id, provider, app, subject, phone, at FROM identity_applicants
		WHERE (company_id, provider, app, subject) > (?, ?, ?, ?)
		ORDER BY company_id, provider, app, subject LIMIT ?`, after.CompanyID, after.Provider, after.App, after.Subject, limit)
	return all, err
}

// ResealIdentityApplicant replaces the sealed phone of an applicant, unless it has changed since it was read. changed
// says whether it was replaced.
func (db *DB) ResealIdentityApplicant(ctx context.Context, was IdentityApplicant, sealed string) (changed bool, err error) {
	n, err := db.exec(ctx, `UPDATE identity_applicants SET phone = ?
		WHERE company_id = ? AND provider = ? AND app = ? AND subject = ? AND phone = ?`,
		sealed, was.CompanyID, was.Provider, was.App, was.Subject, was.Phone)
	return n == 1, err
}
