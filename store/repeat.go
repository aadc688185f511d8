package store

import "context"

// Repeat stores that an operation was done, so that the same request again gets the same result. ID is a keyed hash of
// the operation, the proof and the input. Each operation chooses the format of Result; it must not hold a secret.
type Repeat struct {
	ID     string  `db:"id"`
	Result string  `db:"result"`
	At     Instant `db:"at"`
}

// RepeatTable keeps results of requests, which a repeated request gets again.
type RepeatTable struct{ db *DB }

// Add stores that an operation was done. It replaces an earlier row with the same id.
func (t RepeatTable) Add(ctx context.Context, r Repeat) error {
	_, err := t.db.exec(ctx, `INSERT INTO repeats (id, result, at) VALUES (?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET result = excluded.result, at = excluded.at`, r.ID, r.Result, r.At)
	return err
}

// ByID reads an operation that was done after since; ErrNotFound.
func (t RepeatTable) ByID(ctx context.Context, id string, since Instant) (Repeat, error) {
	return row[Repeat](ctx, t.db, "SELECT id, result, at FROM repeats WHERE id = ? AND at > ?", id, since)
}

// Forget removes rows of Add from before the given instant, at most SweepStep.
func (t RepeatTable) Forget(ctx context.Context, before Instant) (int64, error) {
	return t.db.exec(ctx, `DELETE FROM repeats
		WHERE id IN (SELECT id FROM repeats WHERE at < ? LIMIT ?)`, before, SweepStep)
}

// Registration stores that a company or an account was created with a proof (a verification code or a session), so that
// the same request again finds it. ID is the keyed hash of the proof, Content that of the request's input.
type Registration struct {
	ID        string  `db:"id"`
	Content   string  `db:"content"`
	CompanyID int64   `db:"company_id"`
	AccountID int64   `db:"account_id"`
	At        Instant `db:"at"`
}

// RegistrationTable keeps registrations, which a repeated request continues.
type RegistrationTable struct{ db *DB }

// Add stores what was created with a proof. It returns false when the proof was used since the given instant.
func (t RegistrationTable) Add(ctx context.Context, r Registration, since Instant) (bool, error) {
	n, err := t.db.exec(ctx, `INSERT INTO registrations (id, content, company_id, account_id, at) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET content = excluded.content, company_id = excluded.company_id,
		account_id = excluded.account_id, at = excluded.at
			WHERE registrations.at <= ?`,
		r.ID, r.Content, r.CompanyID, r.AccountID, r.At, since)
	return n == 1, err
}

// EndOfPerson removes the registrations that created accounts of a person, so that the proofs no longer lead to
// those accounts.
func (t RegistrationTable) EndOfPerson(ctx context.Context, personID int64) error {
	_, err := t.db.exec(ctx, "DELETE FROM registrations WHERE account_id IN (SELECT id FROM accounts "+
		"WHERE phone_id = ?)", personID)
	return err
}

// ByID reads what was created with a proof after since. ErrNotFound.
func (t RegistrationTable) ByID(ctx context.Context, id string, since Instant) (Registration, error) {
	return row[Registration](ctx, t.db, "SELECT id, content, company_id, account_id, at FROM registrations "+
		"WHERE id = ? AND at > ?", id, since)
}

// Forget removes registrations from before the given instant, at most SweepStep.
func (t RegistrationTable) Forget(ctx context.Context, before Instant) (int64, error) {
	return t.db.exec(ctx, `DELETE FROM registrations
		WHERE id IN (SELECT id FROM registrations WHERE at < ? LIMIT ?)`, before, SweepStep)
}

// EndOfAccount does what EndOfPerson does, for one account.
func (t RegistrationTable) EndOfAccount(ctx context.Context, accountID int64) error {
	_, err := t.db.exec(ctx, "DELETE FROM registrations WHERE account_id = ?", accountID)
	return err
}

// TicketTable keeps which tickets have been used.
type TicketTable struct{ db *DB }

// Use stores the first use of a sign-in ticket and returns the family of the sign-in that the ticket belongs to.
// That is the given family for the first use, and the family of the first use for every later one. Uses at the same
// time wait for each other.
func (t TicketTable) Use(ctx context.Context, id, family string, expiresAt Instant) (string, error) {
	_, err := t.db.exec(ctx, `INSERT INTO used_tickets (id, family, expires_at) VALUES (?, ?, ?)
		ON CONFLICT (id) DO NOTHING`, id, family, expiresAt)
	if err != nil {
		return "", err
	}
	err = t.db.get(ctx, &family, "SELECT family FROM used_tickets WHERE id = ?", id)
	return family, err
}

// Forget removes the uses of tickets that have expired, at most SweepStep.
func (t TicketTable) Forget(ctx context.Context, now Instant) (int64, error) {
	return t.db.exec(ctx, "DELETE FROM used_tickets WHERE id IN (SELECT id FROM used_tickets "+
		"WHERE expires_at <= ? LIMIT ?)", now, SweepStep)
}

// IdempotencyKey is an API call that its caller gave an idempotency key. ID is the hash of caller, path and key.
// Content is the hash of the request. Answer is sealed.
//
//	claimed ──call succeeded──▶ answered, until ExpiresAt
//	   └──call refused, or ClaimedUntil has passed──▶ free
type IdempotencyKey struct {
	ID           string  `db:"id"`
	Content      string  `db:"content"`
	Answer       string  `db:"answer"`
	ClaimedUntil Instant `db:"claimed_until"`
	ExpiresAt    Instant `db:"expires_at"`
}

// IdempotencyKeyTable keeps idempotency keys of API requests with their answers.
type IdempotencyKeyTable struct{ db *DB }

// Claim claims a key for a call. ErrNotFound when the key is claimed or answered; ByID then returns which.
func (t IdempotencyKeyTable) Claim(ctx context.Context, k IdempotencyKey, now Instant) error {
	return t.db.one(ctx, `INSERT INTO idempotency_keys (id, content, answer, claimed_until, expires_at)
		VALUES (?, ?, '', ?, ?)
		ON CONFLICT (id) DO UPDATE SET content = excluded.content, answer = '', claimed_until = excluded.claimed_until,
		expires_at = excluded.expires_at
			WHERE idempotency_keys.expires_at <= ? OR idempotency_keys.answer = ''
			AND idempotency_keys.claimed_until <= ?`,
		k.ID, k.Content, k.ClaimedUntil, k.ExpiresAt, now, now)
}

// ByID reads a key; ErrNotFound.
func (t IdempotencyKeyTable) ByID(ctx context.Context, id string) (IdempotencyKey, error) {
	return row[IdempotencyKey](ctx, t.db,
		"SELECT id, content, answer, claimed_until, expires_at FROM idempotency_keys WHERE id = ?", id)
}

// Answer stores the answer of the call that claimed a key.
func (t IdempotencyKeyTable) Answer(ctx context.Context, id, answer string) error {
	return t.db.one(ctx, "UPDATE idempotency_keys SET answer = ? WHERE id = ? AND answer = ''", answer, id)
}

// Remove removes a key: one whose call was refused or failed, or also one that is answered.
func (t IdempotencyKeyTable) Remove(ctx context.Context, id string, answered bool) error {
	_, err := t.db.exec(ctx, "DELETE FROM idempotency_keys WHERE id = ? AND (answer = '' OR ?)", id, answered)
	return err
}

// Forget removes idempotency keys that have expired by now, at most SweepStep.
func (t IdempotencyKeyTable) Forget(ctx context.Context, now Instant) (int64, error) {
	return t.db.exec(ctx, `DELETE FROM idempotency_keys
		WHERE id IN (SELECT id FROM idempotency_keys WHERE expires_at <= ? LIMIT ?)`, now, SweepStep)
}
