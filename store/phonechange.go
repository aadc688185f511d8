package store

import (
	"context"
	"errors"
)

// GiveUpNumber separates a number from a person who has no account, so that somebody else can have it. It returns that
// person, who keeps the offers to the number until MoveOffers; zero when nobody has the number. ErrNotFound when the
// person has an account.
func (db *DB) GiveUpNumber(ctx context.Context, number string) (Phone, error) {
	was, err := db.PhoneByNumber(ctx, number)
	if errors.Is(err, ErrNotFound) {
		return Phone{}, nil
	}
	if err == nil {
		err = db.LockPhone(ctx, was.ID)
	}
	if err != nil {
		return Phone{}, err
	}
	return was, db.one(ctx, `UPDATE phones SET phone = 'freed:' || id, password_hash = '', default_company_id = 0
		WHERE id = ? AND phone = ? AND NOT EXISTS (SELECT 1 FROM accounts WHERE phone_id = ? AND NOT invited)`,
		was.ID, number, was.ID)
}

// ChangeNumber gives a person another number, which must be free. Offers to the former number stay with it. ErrNotFound
// when the person no longer has the former number.
func (db *DB) ChangeNumber(ctx context.Context, was Phone, number string, at Instant) error {
	err := db.one(ctx, "UPDATE phones SET phone = ? WHERE id = ? AND phone = ?", number, was.ID, was.Phone)
	if err != nil {
		return err
	}
	return db.moveOffers(ctx, was, at)
}

// MoveOffers moves the offers to a number from the person who gave the number up to its new holder.
func (db *DB) MoveOffers(ctx context.Context, from, to int64) error {
	_, err := db.exec(ctx, "UPDATE accounts SET phone_id = ? WHERE phone_id = ? AND invited", to, from)
	return err
}
