package store

import (
	"context"
	"errors"
)

// Person is a human being with a password of its own, to whom accounts are bound. A person is known by an address: a
// phone number.
type Person struct {
	ID               int64   `db:"id"`
	Phone            string  `db:"phone"` // 11 digits
	PasswordHash     string  `db:"password_hash"`
	DefaultCompanyID int64   `db:"default_company_id"` // 0: none
	DefaultSide      Side    `db:"default_side"`       // of the default company, "" for either
	CreatedAt        Instant `db:"created_at"`
}

// PersonTable reads and changes persons.
type PersonTable struct{ db *DB }

// ByNumber reads a person by number (11 digits); ErrNotFound.
func (t PersonTable) ByNumber(ctx context.Context, number string) (Person, error) {
	return row[Person](ctx, t.db, "SELECT id, phone, password_hash, default_company_id, default_side, created_at "+
		"FROM phones WHERE phone = ?", number)
}

// ByID reads a person; ErrNotFound.
func (t PersonTable) ByID(ctx context.Context, id int64) (Person, error) {
	return row[Person](ctx, t.db, "SELECT id, phone, password_hash, default_company_id, default_side, created_at "+
		"FROM phones WHERE id = ?", id)
}

// Add inserts a person and returns the id, or 0 when there is a person with that number.
func (t PersonTable) Add(ctx context.Context, p Person) (int64, error) {
	var id int64
	err := t.db.change(ctx, &id, `INSERT INTO phones (phone, password_hash, default_company_id, created_at)
		VALUES (?, ?, ?, ?)
		ON CONFLICT (phone) DO NOTHING RETURNING id`, p.Phone, p.PasswordHash, p.DefaultCompanyID, p.CreatedAt)
	if err == ErrNotFound {
		return 0, nil
	}
	return id, err
}

// SetDefaultCompany stores the company that a person enters after signing in, 0 for none, and its side, "" for either.
func (t PersonTable) SetDefaultCompany(ctx context.Context, personID, companyID int64, side Side) error {
	_, err := t.db.exec(ctx, "UPDATE phones SET default_company_id = ?, default_side = ? WHERE id = ?",
		companyID, side, personID)
	return err
}

// Bind binds an account to a person. ErrNotFound when the account has a phone already, or the person no longer has
// that number.
func (t PersonTable) Bind(ctx context.Context, companyID, accountID int64, to Person) error {
	return t.db.one(ctx, `UPDATE accounts SET phone_id = ? WHERE id = ? AND company_id = ? AND phone_id IS NULL
		AND EXISTS (SELECT 1 FROM phones p WHERE p.id = ? AND p.phone = ?)`,
		to.ID, accountID, companyID, to.ID, to.Phone)
}

// Unbind unbinds an account from a person. ErrNotFound when it is not bound to that person.
func (t PersonTable) Unbind(ctx context.Context, companyID, accountID, personID int64) error {
	return t.db.one(ctx, "UPDATE accounts SET phone_id = NULL WHERE id = ? AND company_id = ? AND phone_id = ?",
		accountID, companyID, personID)
}

// Lock locks a person's row until the transaction ends. Other transactions that lock the same person, or give the
// person an account, wait. On SQLite there is nothing to do, because only one transaction writes at a time.
//
// The row is also written. Otherwise a transaction at REPEATABLE READ that waited here would continue with what it read
// before.
func (t PersonTable) Lock(ctx context.Context, personID int64) error {
	if !t.db.postgres {
		return nil
	}
	_, err := t.db.exec(ctx, `UPDATE phones SET created_at = created_at
		WHERE id = (SELECT id FROM phones WHERE id = ? FOR UPDATE)`, personID)
	return err
}

// Free takes the number from a person who has no account left. ErrNotFound when the person has one. The person's
// row stays, without a number or password, so that no other person gets its id. Offers do not count as accounts: they
// move to a new person with that number.
func (t PersonTable) Free(ctx context.Context, personID int64, at Instant) error {
	if err := t.Lock(ctx, personID); err != nil {
		return err
	}
	was, err := t.ByID(ctx, personID)
	if err != nil {
		return err
	}
	err = t.db.one(ctx, `UPDATE phones SET phone = 'freed:' || id, password_hash = '', default_company_id = 0
		WHERE id = ? AND NOT EXISTS (SELECT 1 FROM accounts WHERE phone_id = ? AND NOT invited)`, personID, personID)
	if err != nil {
		return err
	}
	return t.db.Offers.move(ctx, was, at)
}

// GiveUpNumber takes a number from a person who has no account, so that another person can have it. It returns that
// person, who keeps the offers to the number until MoveOffers, or a zero Person when nobody has the number. ErrNotFound
// when the person has an account.
func (t PersonTable) GiveUpNumber(ctx context.Context, number string) (Person, error) {
	was, err := t.ByNumber(ctx, number)
	if errors.Is(err, ErrNotFound) {
		return Person{}, nil
	}
	if err == nil {
		err = t.Lock(ctx, was.ID)
	}
	if err != nil {
		return Person{}, err
	}
	return was, t.db.one(ctx, `UPDATE phones SET phone = 'freed:' || id, password_hash = '', default_company_id = 0
		WHERE id = ? AND phone = ? AND NOT EXISTS (SELECT 1 FROM accounts WHERE phone_id = ? AND NOT invited)`,
		was.ID, number, was.ID)
}

// ChangeNumber gives a person another number, which must be free. Offers to the former number stay with it. ErrNotFound
// when the person no longer has the former number.
func (t PersonTable) ChangeNumber(ctx context.Context, was Person, number string, at Instant) error {
	err := t.db.one(ctx, "UPDATE phones SET phone = ? WHERE id = ? AND phone = ?", number, was.ID, was.Phone)
	if err != nil {
		return err
	}
	return t.db.Offers.move(ctx, was, at)
}

// MoveOffers moves the offers to a number from the person who gave the number up to its new holder.
func (t PersonTable) MoveOffers(ctx context.Context, from, to int64) error {
	_, err := t.db.exec(ctx, "UPDATE accounts SET phone_id = ? WHERE phone_id = ? AND invited", to, from)
	return err
}
