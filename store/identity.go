package store

import "context"

// Identity is who somebody is at a provider, by one of its applications, and whom that signs in: PhoneID or AccountID.
// Owner is the company whose own application it is, 0 the platform's.
type Identity struct {
	Provider  string  `db:"provider"`
	App       string  `db:"app"`
	Subject   string  `db:"subject"`
	UnionID   string  `db:"union_id"`
	OwnerID   int64   `db:"owner_id"`
	PhoneID   int64   `db:"phone_id"`
	AccountID int64   `db:"account_id"`
	Nick      string  `db:"nick"`
	Head      string  `db:"head"` // address of the portrait at the provider, "" for none; see portal.UseWeChatPortrait
	LinkedAt  Instant `db:"linked_at"`
	UsedAt    Instant `db:"used_at"`
}

const identityColumns = `provider, app, subject, union_id, owner_id, phone_id, account_id, nick, head, linked_at,
	used_at`

// IdentityOf reads an identity; ErrNotFound.
func (db *DB) IdentityOf(ctx context.Context, provider, app, subject string) (Identity, error) {
	return row[Identity](ctx, db, "SELECT "+identityColumns+" FROM identities "+
		"WHERE provider = ? AND app = ? AND subject = ?", provider, app, subject)
}

// IdentitiesOfUnion reads the identities of one person at the other applications of the same owner, the first linked
// first.
func (db *DB) IdentitiesOfUnion(ctx context.Context, provider string, ownerID int64, unionID string) ([]Identity,
	error) {
	return rows[Identity](ctx, db, "SELECT "+identityColumns+` FROM identities
		WHERE union_id = ? AND union_id <> '' AND provider = ? AND owner_id = ?
		ORDER BY linked_at, app LIMIT 20`, unionID, provider, ownerID)
}

// IdentitiesOf reads what signs a person in, or an account without one; one of the two ids is 0. Its conditions repeat
// those of the indexes.
func (db *DB) IdentitiesOf(ctx context.Context, phoneID, accountID int64) ([]Identity, error) {
	where := "phone_id = ? AND phone_id > 0 AND account_id = ?"
	if phoneID == 0 {
		where = "phone_id = ? AND account_id = ? AND account_id > 0"
	}
	return rows[Identity](ctx, db, "SELECT "+identityColumns+" FROM identities WHERE "+where+
		" ORDER BY linked_at, provider, app, subject", phoneID, accountID)
}

// LinkIdentity links an identity that signs nobody in, or the one whose link is as it was read: of several at once one
// succeeds, the others get ErrNotFound. was is zero for an identity that has no row.
func (db *DB) LinkIdentity(ctx context.Context, i, was Identity) error {
	return db.one(ctx, "INSERT INTO identities ("+identityColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (provider, app, subject) DO UPDATE
		SET union_id = excluded.union_id, owner_id = excluded.owner_id, phone_id = excluded.phone_id,
			account_id = excluded.account_id, nick = excluded.nick, head = excluded.head,
			linked_at = excluded.linked_at, used_at = excluded.used_at
			WHERE identities.phone_id = ? AND identities.account_id = ? AND identities.linked_at = ?`,
		i.Provider, i.App, i.Subject, i.UnionID, i.OwnerID, i.PhoneID, i.AccountID, i.Nick, i.Head, i.LinkedAt,
		i.UsedAt, was.PhoneID, was.AccountID, was.LinkedAt)
}

// UseIdentity notes that an identity signed somebody in; ErrNotFound when it was unlinked meanwhile.
func (db *DB) UseIdentity(ctx context.Context, i Identity, now Instant) error {
	return db.one(ctx, `UPDATE identities SET used_at = ?, union_id = ?, nick = ?, head = ?
		WHERE provider = ? AND app = ? AND subject = ? AND phone_id = ? AND account_id = ?`,
		now, i.UnionID, i.Nick, i.Head, i.Provider, i.App, i.Subject, i.PhoneID, i.AccountID)
}

// DropIdentity unlinks an identity from whom it signs in; ErrNotFound.
func (db *DB) DropIdentity(ctx context.Context, i Identity) error {
	return db.one(ctx, "DELETE FROM identities WHERE provider = ? AND app = ? AND subject = ? AND phone_id = ? "+
		"AND account_id = ?",
		i.Provider, i.App, i.Subject, i.PhoneID, i.AccountID)
}

// DropIdentities unlinks all that signs a person in, or an account by its name, and says how many.
func (db *DB) DropIdentities(ctx context.Context, phoneID, accountID int64) (int64, error) {
	return db.exec(ctx, "DELETE FROM identities WHERE phone_id = ? AND phone_id > 0 OR account_id = ? "+
		"AND account_id > 0", phoneID, accountID)
}

// IdentityApplicant is the phone that an identity has proven to a company it wants to join; Phone is sealed.
type IdentityApplicant struct {
	CompanyID int64   `db:"company_id"`
	Provider  string  `db:"provider"`
	App       string  `db:"app"`
	Subject   string  `db:"subject"`
	Phone     string  `db:"phone"`
	At        Instant `db:"at"`
}

// NoteIdentityApplicant keeps the phone an identity applies with, instead of the one before.
func (db *DB) NoteIdentityApplicant(ctx context.Context, a IdentityApplicant) error {
	_, err := db.exec(ctx, `INSERT INTO identity_applicants (company_id, provider, app, subject, phone, at)
		VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (company_id, provider, app, subject) DO UPDATE SET phone = excluded.phone, at = excluded.at`,
		a.CompanyID, a.Provider, a.App, a.Subject, a.Phone, a.At)
	return err
}

// PhoneOfApplicant reads the phone, sealed, that an identity applied to a company with after since; ErrNotFound.
func (db *DB) PhoneOfApplicant(
	ctx context.Context, companyID int64, provider, app, subject string, since Instant,
) (string, error) {
	return row[string](ctx, db, `SELECT phone FROM identity_applicants
		WHERE company_id = ? AND provider = ? AND app = ? AND subject = ? AND at > ?`,
		companyID, provider, app, subject, since)
}

// ForgetIdentityApplicants removes applicants by chat apps of before the given instant, at most SweepStep.
func (db *DB) ForgetIdentityApplicants(ctx context.Context, before Instant) (int64, error) {
	return db.exec(ctx, `DELETE FROM identity_applicants
		WHERE (company_id, provider, app, subject) IN (SELECT company_id, provider, app, subject
		FROM identity_applicants WHERE at < ? LIMIT ?)`,
		before, SweepStep)
}

// AllIdentityApplicants reads at most limit applicants of all companies, in the order of their key, after the given
// one.
func (db *DB) AllIdentityApplicants(ctx context.Context, after IdentityApplicant, limit int) ([]IdentityApplicant,
	error) {
	return rows[IdentityApplicant](ctx, db, `SELECT company_id, provider, app, subject, phone, at
		FROM identity_applicants
		WHERE (company_id, provider, app, subject) > (?, ?, ?, ?)
		ORDER BY company_id, provider, app, subject LIMIT ?`, after.CompanyID, after.Provider, after.App, after.Subject,
		limit)
}

// ResealIdentityApplicant replaces the sealed phone of an applicant, unless it has changed since it was read. changed
// says whether it was replaced.
func (db *DB) ResealIdentityApplicant(ctx context.Context, was IdentityApplicant, sealed string) (changed bool,
	err error) {
	n, err := db.exec(ctx, `UPDATE identity_applicants SET phone = ?
		WHERE company_id = ? AND provider = ? AND app = ? AND subject = ? AND phone = ?`,
		sealed, was.CompanyID, was.Provider, was.App, was.Subject, was.Phone)
	return n == 1, err
}
