package store

import (
	"context"
	"errors"
)

// Offer is an account that a company opened for a phone and that the phone's holder has not accepted: Account.Invited
// is set. It is not an account of the person yet: Accounts.ByPhone and ByLogin leave it out, and every count of a
// person's accounts uses those two.
//
//	offered ──Accept, Accounts.SetUp──▶ accepted: an account of the person
//	   └─────Decline──────────────────▶ declined: without a phone, for ever
type Offer struct {
	Member
	OpenerName string `db:"opener_name"` // of the account that opened it, "" for none
	Applied    bool   `db:"applied"`     // the company opened it because the phone's holder had applied
}

// openOffers are the offers to a person that can be accepted: made after an instant, by a company that has not ended
// and is not disabled. Its placeholders are the person's id, twice the company's id (0 for all), that instant and now.
const openOffers = `WHERE a.phone_id = ? AND a.invited AND (? = 0 OR a.company_id = ?) AND a.invited_at >= ?
	AND a.state = 'active' AND NOT c.disabled AND (c.ends_at = 0 OR c.ends_at > ?)`

// OfferTable reads and changes offers: accounts that a phone may take over, and the offers that it declined.
type OfferTable struct{ db *DB }

// ToPerson reads the offers to a person that can be accepted, of one company or, for 0, of all. It reads limit of them:
// accounts that the person applied for come first, then the offers of companies that are not on trial, then the newest.
func (t OfferTable) ToPerson(
	ctx context.Context, personID, companyID int64, since, now Instant, limit int,
) ([]Offer, error) {
	return rows[Offer](ctx, t.db, "SELECT "+listedColumns+`,
		COALESCE((SELECT o.name FROM accounts o WHERE o.id = a.opened_by), '') AS opener_name,
		EXISTS (SELECT 1 FROM applications j WHERE j.phone = p.phone AND j.company_id = a.company_id
			AND j.account_id = a.id) AS applied`+memberTables+openOffers+`
		ORDER BY applied DESC, c.standing = 'formal' DESC, a.invited_at DESC, a.id DESC LIMIT ?`,
		personID, companyID, companyID, since, now, limit)
}

// CountToPerson counts what ToPerson reads without a limit.
func (t OfferTable) CountToPerson(ctx context.Context, personID, companyID int64, since, now Instant) (int, error) {
	return row[int](ctx, t.db, "SELECT COUNT(*) FROM accounts a JOIN companies c ON c.id = a.company_id "+openOffers,
		personID, companyID, companyID, since, now)
}

// InCompany reads every offer of a company to a person, also those that have expired or cannot be accepted now.
func (t OfferTable) InCompany(ctx context.Context, companyID, personID int64) ([]Member, error) {
	return rows[Member](ctx, t.db, "SELECT "+listedColumns+memberTables+
		"WHERE a.phone_id = ? AND a.company_id = ? AND a.invited ORDER BY a.side, a.id", personID, companyID)
}

// ByID reads an offer to a person, also one that has expired or cannot be accepted now. ErrNotFound.
func (t OfferTable) ByID(ctx context.Context, personID, accountID int64) (Member, error) {
	return row[Member](ctx, t.db,
		"SELECT "+memberColumns+memberTables+"WHERE a.id = ? AND a.phone_id = ? AND a.invited",
		accountID, personID)
}

// Accept gives an offered account to the person; ErrNotFound when it is not offered to the person.
func (t OfferTable) Accept(ctx context.Context, companyID, accountID, personID int64) error {
	const query = "UPDATE accounts SET invited = FALSE WHERE id = ? AND company_id = ? AND phone_id = ? AND invited"
	return t.db.one(ctx, query, accountID, companyID, personID)
}

// Decline takes the phone off an offered account; ErrNotFound when it is not offered to the person.
func (t OfferTable) Decline(ctx context.Context, companyID, accountID, personID int64, at Instant) error {
	return t.db.one(ctx, `UPDATE accounts SET phone_id = NULL, declined_at = ?
		WHERE id = ? AND company_id = ? AND phone_id = ? AND invited`, at, accountID, companyID, personID)
}

// move moves the offers to a person whose number was separated from them to a new person of that number.
func (t OfferTable) move(ctx context.Context, was Person, at Instant) error {
	var n int
	err := t.db.get(ctx, &n, "SELECT COUNT(*) FROM accounts WHERE phone_id = ? AND invited", was.ID)
	if err != nil || n == 0 {
		return err
	}
	id, err := t.db.Persons.Add(ctx, Person{Phone: was.Phone, CreatedAt: at})
	if err != nil {
		return err
	}
	if id == 0 {
		return errors.New("store: a number that was separated from its person is taken")
	}
	_, err = t.db.exec(ctx, "UPDATE accounts SET phone_id = ? WHERE phone_id = ? AND invited", id, was.ID)
	return err
}

// NoteDeclined stores that a phone's holder declined an offer of a company. subject is a keyed hash of the phone.
func (t OfferTable) NoteDeclined(ctx context.Context, companyID int64, subject string, at Instant) error {
	_, err := t.db.exec(ctx, `INSERT INTO declined_offers (company_id, subject, at) VALUES (?, ?, ?)
		ON CONFLICT (company_id, subject) DO UPDATE SET at = excluded.at`, companyID, subject, at)
	return err
}

// DeclinedSince says whether a phone's holder declined an offer of a company after an instant.
func (t OfferTable) DeclinedSince(ctx context.Context, companyID int64, subject string, since Instant) (bool, error) {
	var declined bool
	err := t.db.get(ctx, &declined,
		"SELECT EXISTS (SELECT 1 FROM declined_offers WHERE company_id = ? AND subject = ? AND at > ?)",
		companyID, subject, since)
	return declined, err
}

// CountDeclined counts the phones whose holders declined an offer of a company after an instant, up to most, and
// returns when the last of them did; 0 for none.
func (t OfferTable) CountDeclined(
	ctx context.Context, companyID int64, since Instant, most int,
) (n int, last Instant, err error) {
	var declined struct {
		N    int     `db:"n"`
		Last Instant `db:"last"`
	}
	err = t.db.get(ctx, &declined, `SELECT COUNT(*) AS n, COALESCE(MAX(at), 0) AS last FROM (
			SELECT at FROM declined_offers WHERE company_id = ? AND at > ? ORDER BY at DESC LIMIT ?) AS latest`,
		companyID, since, most)
	return declined.N, declined.Last, err
}

// ForgetDeclined removes what NoteDeclined stored up to an instant, at most SweepStep.
func (t OfferTable) ForgetDeclined(ctx context.Context, until Instant) (int64, error) {
	return t.db.exec(ctx, `DELETE FROM declined_offers WHERE (company_id, subject) IN
		(SELECT company_id, subject FROM declined_offers WHERE at <= ? LIMIT ?)`, until, SweepStep)
}
