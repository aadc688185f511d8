package store

import "context"

// Slot is one of the four sides that a browser can be signed in to.
type Slot string

// The four slots; the local-storage key of each is its name followed by "_user".
const (
	MobileShop Slot = "mShop"
	MobileMgr  Slot = "mMgr"
	PCShop     Slot = "pcShop"
	PCMgr      Slot = "pcMgr"
)

// SlotState says whether a slot is signed in or waits for the person to accept it.
type SlotState string

// The states of a slot.
const (
	SlotIn    SlotState = "in"
	SlotAsked SlotState = "asked"
)

// SessionSlot is one side that a session is signed in to. FromOrigin is the account site that the person came from
// ("https://host"); there they switch accounts and sign in again.
type SessionSlot struct {
	SessionID  string    `db:"session_id"`
	Slot       Slot      `db:"slot"`
	State      SlotState `db:"state"`
	AccountID  int64     `db:"account_id"`
	CompanyID  int64     `db:"company_id"`
	Family     string    `db:"family"`
	Device     string    `db:"device"`
	FromOrigin string    `db:"from_origin"`
	Lighting   bool      `db:"lighting"`
	Provider   string    `db:"provider"` // of the sign-in that entered it
	EnteredAt  Instant   `db:"entered_at"`
	IdleUntil  Instant   `db:"idle_until"` // never stored later than EndsAt
	EndsAt     Instant   `db:"ends_at"`
}

const slotColumns = `session_id, slot, state, account_id, company_id, family, device, from_origin, lighting, provider,
	entered_at, idle_until, ends_at`

// SlotTable reads and changes the slots of sessions: who is signed in on which side.
type SlotTable struct{ db *DB }

// Set signs a session in to a side, or stores that the person has to be asked. There is one row for each slot and
// state.
func (t SlotTable) Set(ctx context.Context, s SessionSlot) error {
	b := new(Batch)
	b.SetSlot(s)
	return t.db.Run(ctx, b)
}

// SetSlot adds to the batch what SlotTable.Set does.
func (b *Batch) SetSlot(s SessionSlot) {
	b.add("INSERT INTO session_slots ("+slotColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (session_id, slot, state) DO UPDATE
		SET account_id = excluded.account_id, company_id = excluded.company_id,
			family = excluded.family, device = excluded.device, from_origin = excluded.from_origin,
			lighting = excluded.lighting, provider = excluded.provider, entered_at = excluded.entered_at,
			idle_until = excluded.idle_until, ends_at = excluded.ends_at`,
		s.SessionID, s.Slot, s.State, s.AccountID, s.CompanyID, s.Family, s.Device, s.FromOrigin, s.Lighting,
		s.Provider, s.EnteredAt, min(s.IdleUntil, s.EndsAt), s.EndsAt)
}

// Of reads a slot of a session in the given state that has not expired at now; ErrNotFound.
func (t SlotTable) Of(
	ctx context.Context, sessionID string, slot Slot, state SlotState, now Instant) (SessionSlot, error) {
	return row[SessionSlot](ctx, t.db, "SELECT "+slotColumns+` FROM session_slots
		WHERE session_id = ? AND slot = ? AND state = ? AND ends_at > ? AND idle_until > ?`,
		sessionID, slot, state, now, now)
}

// OfSession reads all slots of a session, in both states, that have not expired at now.
func (t SlotTable) OfSession(ctx context.Context, sessionID string, now Instant) ([]SessionSlot, error) {
	return rows[SessionSlot](ctx, t.db, "SELECT "+slotColumns+` FROM session_slots
		WHERE session_id = ? AND ends_at > ? AND idle_until > ? ORDER BY slot, state`, sessionID, now, now)
}

// Drop removes a slot of a session in the given state; ErrNotFound when there is none.
func (t SlotTable) Drop(ctx context.Context, sessionID string, slot Slot, state SlotState) error {
	return t.db.one(ctx, "DELETE FROM session_slots WHERE session_id = ? AND slot = ? AND state = ?",
		sessionID, slot, state)
}

// DropOfFamily removes the slots that a sign-in made for an account, in every session.
func (t SlotTable) DropOfFamily(ctx context.Context, family string, accountID int64, slot Slot, state SlotState) error {
	_, err := t.db.exec(ctx, "DELETE FROM session_slots WHERE family = ? AND account_id = ? AND slot = ? AND state = ?",
		family, accountID, slot, state)
	return err
}

// Touch stores that a slot was used: it does not expire before idleUntil for lack of use.
func (t SlotTable) Touch(ctx context.Context, sessionID string, slot Slot, idleUntil Instant) error {
	_, err := t.db.exec(ctx, `UPDATE session_slots SET idle_until = CASE WHEN ends_at < ? THEN ends_at ELSE ? END
		WHERE session_id = ? AND slot = ? AND state = 'in'`, idleUntil, idleUntil, sessionID, slot)
	return err
}

// HideAccount removes an account from the list of a browser until the next sign-in, and ends the slots that the sign-in
// made for it. The next sign-in on the device does not start in that account either.
func (t SlotTable) HideAccount(ctx context.Context, sessionID, family, device string, accountID int64) error {
	_, err := t.db.exec(ctx, "DELETE FROM device_accounts WHERE account_id = ? AND device = ?", accountID, device)
	if err != nil {
		return err
	}
	if _, err := t.db.exec(ctx, "INSERT INTO session_hidden (session_id, account_id) VALUES (?, ?) "+
		"ON CONFLICT DO NOTHING", sessionID, accountID); err != nil {
		return err
	}
	_, err = t.db.exec(ctx, "DELETE FROM session_slots WHERE family = ? AND account_id = ?", family, accountID)
	return err
}

// HiddenAccounts reads the ids of the accounts that were removed from the list of a browser.
func (t SlotTable) HiddenAccounts(ctx context.Context, sessionID string) ([]int64, error) {
	return rows[int64](ctx, t.db, "SELECT account_id FROM session_hidden WHERE session_id = ?", sessionID)
}

// Forget removes slots that have ended by now or were idle for too long, at most SweepStep.
func (t SlotTable) Forget(ctx context.Context, now Instant) (int64, error) {
	return t.db.exec(ctx, `DELETE FROM session_slots
		WHERE (session_id, slot) IN (SELECT session_id, slot FROM session_slots WHERE idle_until <= ? LIMIT ?)`,
		now, SweepStep)
}
