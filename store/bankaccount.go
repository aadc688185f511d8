package store

import "context"

// BankAccount is where a company's customers pay to. Card is digits alone, 12 to 19 of them.
type BankAccount struct {
	CompanyID int64   `db:"company_id"`
	Holder    string  `db:"holder"`
	Bank      string  `db:"bank"`
	Card      string  `db:"card"`
	UpdatedAt Instant `db:"updated_at"`
}

// BankAccountOf reads a company's account; ErrNotFound where it has named none.
func (db *DB) BankAccountOf(ctx context.Context, companyID int64) (BankAccount, error) {
	var a BankAccount
	err := db.get(ctx, &a, "SELECT company_id, holder, bank, card, updated_at FROM company_bank_accounts WHERE company_id = ?", companyID)
	return a, err
}

// PutBankAccount keeps a company's account instead of the one before.
func (db *DB) PutBankAccount(ctx context.Context, a BankAccount) error {
	_, err := db.exec(ctx, `INSERT INTO company_bank_accounts (company_id, holder, bank, card, updated_at) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (company_id) DO UPDATE SET holder = excluded.holder, bank = excluded.bank, card = excluded.card, updated_at = excluded.updated_at`,
		a.CompanyID, a.Holder, a.Bank, a.Card, a.UpdatedAt)
	return err
}

// DropBankAccount removes a company's account, if it has one.
func (db *DB) DropBankAccount(ctx context.Context, companyID int64) error {
	_, err := db.exec(ctx, "DELETE FROM company_bank_accounts WHERE company_id = ?", companyID)
	return err
}
