package store

import "context"

// Identity is a person's account at an identity provider, as one application of the provider sees it. It signs in the
// person PersonID or the account AccountID. OwnerID is the company that owns the application, 0 for the platform.
type Identity struct {
	Provider  string  `db:"provider"`
	App       string  `db:"app"`
	Subject   string  `db:"subject"`
	UnionID   string  `db:"union_id"`
	OwnerID   int64   `db:"owner_id"`
	PersonID  int64   `db:"phone_id"`
	AccountID int64   `db:"account_id"`
	Nick      string  `db:"nick"`
	Portrait  string  `db:"head"` // URL of the portrait at the provider, "" for none; see Profiles.UseWeChatPortrait
	LinkedAt  Instant `db:"linked_at"`
	UsedAt    Instant `db:"used_at"`
}

const identityColumns = `provider, app, subject, union_id, owner_id, phone_id, account_id, nick, head, linked_at,
	used_at`

// IdentityTable reads and changes identities and the phones with which their holders applied to companies.
type IdentityTable struct{ db *DB }

// Of reads an identity; ErrNotFound.
func (t IdentityTable) Of(ctx context.Context, provider, app, subject string) (Identity, error) {
	return row[Identity](ctx, t.db, "SELECT "+identityColumns+" FROM identities "+
		"WHERE provider = ? AND app = ? AND subject = ?", provider, app, subject)
}

// OfUnion reads the identities that a person has at all applications of one owner, in the order in which they
// were linked, at most 20. WeChat gives them the same union id.
func (t IdentityTable) OfUnion(ctx context.Context, provider string, ownerID int64, unionID string) ([]Identity,
	error) {
	return rows[Identity](ctx, t.db, "SELECT "+identityColumns+` FROM identities
		WHERE union_id = ? AND union_id <> '' AND provider = ? AND owner_id = ?
		ORDER BY linked_at, app LIMIT 20`, unionID, provider, ownerID)
}

// OfHolder reads the identities that sign in a person or an account without a phone. One of the two ids is 0. The
// conditions repeat those of the indexes.
func (t IdentityTable) OfHolder(ctx context.Context, personID, accountID int64) ([]Identity, error) {
	where := "phone_id = ? AND phone_id > 0 AND account_id = ?"
	if personID == 0 {
		where = "phone_id = ? AND account_id = ? AND account_id > 0"
	}
	return rows[Identity](ctx, t.db, "SELECT "+identityColumns+" FROM identities WHERE "+where+
		" ORDER BY linked_at, provider, app, subject", personID, accountID)
}

// Link links an identity to a person or an account. was is the identity's row as it was read, zero for none. Of
// several calls at the same time one succeeds. The others find a changed row and get ErrNotFound.
func (t IdentityTable) Link(ctx context.Context, i, was Identity) error {
	return t.db.one(ctx, "INSERT INTO identities ("+identityColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (provider, app, subject) DO UPDATE
		SET union_id = excluded.union_id, owner_id = excluded.owner_id, phone_id = excluded.phone_id,
			account_id = excluded.account_id, nick = excluded.nick, head = excluded.head,
			linked_at = excluded.linked_at, used_at = excluded.used_at
			WHERE identities.phone_id = ? AND identities.account_id = ? AND identities.linked_at = ?`,
		i.Provider, i.App, i.Subject, i.UnionID, i.OwnerID, i.PersonID, i.AccountID, i.Nick, i.Portrait, i.LinkedAt,
		i.UsedAt, was.PersonID, was.AccountID, was.LinkedAt)
}

// Use stores that an identity signed in its person or account. ErrNotFound when it was unlinked meanwhile.
func (t IdentityTable) Use(ctx context.Context, i Identity, now Instant) error {
	return t.db.one(ctx, `UPDATE identities SET used_at = ?, union_id = ?, nick = ?, head = ?
		WHERE provider = ? AND app = ? AND subject = ? AND phone_id = ? AND account_id = ?`,
		now, i.UnionID, i.Nick, i.Portrait, i.Provider, i.App, i.Subject, i.PersonID, i.AccountID)
}

// Drop unlinks an identity from its person or account. ErrNotFound.
func (t IdentityTable) Drop(ctx context.Context, i Identity) error {
	return t.db.one(ctx, "DELETE FROM identities WHERE provider = ? AND app = ? AND subject = ? AND phone_id = ? "+
		"AND account_id = ?",
		i.Provider, i.App, i.Subject, i.PersonID, i.AccountID)
}

// DropAll unlinks all identities of a person or of an account, and returns how many there were.
func (t IdentityTable) DropAll(ctx context.Context, personID, accountID int64) (int64, error) {
	return t.db.exec(ctx, "DELETE FROM identities WHERE phone_id = ? AND phone_id > 0 OR account_id = ? "+
		"AND account_id > 0", personID, accountID)
}

// IdentityApplicant says that the holder of an identity applied to a company, with a proven phone. Phone is sealed.
type IdentityApplicant struct {
	CompanyID int64   `db:"company_id"`
	Provider  string  `db:"provider"`
	App       string  `db:"app"`
	Subject   string  `db:"subject"`
	Phone     string  `db:"phone"`
	At        Instant `db:"at"`
}

// NoteApplicant stores the phone with which an identity's holder applies to a company. It replaces the former phone.
func (t IdentityTable) NoteApplicant(ctx context.Context, a IdentityApplicant) error {
	_, err := t.db.exec(ctx, `INSERT INTO identity_applicants (company_id, provider, app, subject, phone, at)
		VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (company_id, provider, app, subject) DO UPDATE SET phone = excluded.phone, at = excluded.at`,
		a.CompanyID, a.Provider, a.App, a.Subject, a.Phone, a.At)
	return err
}

// PhoneOfApplicant reads the sealed phone with which an identity's holder applied to a company. ErrNotFound when there
// is none, or the application is not later than since.
func (t IdentityTable) PhoneOfApplicant(
	ctx context.Context, companyID int64, provider, app, subject string, since Instant,
) (string, error) {
	return row[string](ctx, t.db, `SELECT phone FROM identity_applicants
		WHERE company_id = ? AND provider = ? AND app = ? AND subject = ? AND at > ?`,
		companyID, provider, app, subject, since)
}

// ForgetApplicants removes rows that NoteApplicant stored before the given instant, at most SweepStep.
func (t IdentityTable) ForgetApplicants(ctx context.Context, before Instant) (int64, error) {
	return t.db.exec(ctx, `DELETE FROM identity_applicants
		WHERE (company_id, provider, app, subject) IN (SELECT company_id, provider, app, subject
		FROM identity_applicants WHERE at < ? LIMIT ?)`,
		before, SweepStep)
}

// Applicants reads at most limit rows of all companies, in the order of their keys, after the given row.
func (t IdentityTable) Applicants(
	ctx context.Context, after IdentityApplicant, limit int) ([]IdentityApplicant, error) {
	return rows[IdentityApplicant](ctx, t.db, `SELECT company_id, provider, app, subject, phone, at
		FROM identity_applicants
		WHERE (company_id, provider, app, subject) > (?, ?, ?, ?)
		ORDER BY company_id, provider, app, subject LIMIT ?`, after.CompanyID, after.Provider, after.App, after.Subject,
		limit)
}

// ResealApplicant replaces the sealed phone of an applicant, unless it has changed since it was read. changed
// says whether it was replaced.
func (t IdentityTable) ResealApplicant(ctx context.Context, was IdentityApplicant, sealed string) (changed bool,
	err error) {
	n, err := t.db.exec(ctx, `UPDATE identity_applicants SET phone = ?
		WHERE company_id = ? AND provider = ? AND app = ? AND subject = ? AND phone = ?`,
		sealed, was.CompanyID, was.Provider, was.App, was.Subject, was.Phone)
	return n == 1, err
}
