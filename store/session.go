package store

import (
	"context"
	"errors"
)

// Purpose is what a session is for.
type Purpose string

// The purposes.
const (
	PurposeAll    Purpose = ""       // a sign-in, with all its rights
	PurposeChoose Purpose = "choose" // the ticket of a sign-in: to choose an account
	PurposeCode   Purpose = "code"   // made by redeeming an auth code: part of the sign-in that issued it
)

// Session is the signed-in state of one browser on one host, or of one API client (Client is its kind, Host empty).
// ID is the hex SHA-256 of the cookie's or token's value, so that a copy of the table signs nobody in. PersonID or
// AccountID is the person who signed in; both are 0 on a landing host, where only the slots count. Family identifies
// the sign-in and everything that it made, on every host. Width is in CSS pixels, 0 when unknown.
type Session struct {
	ID              string  `db:"id"`
	Host            string  `db:"host"`
	CompanyID       int64   `db:"company_id"` // the company of the host at sign-in; 0: none
	Family          string  `db:"family"`
	Device          string  `db:"device"`
	PersonID        int64   `db:"phone_id"`
	AccountID       int64   `db:"account_id"`
	ChosenCompanyID int64   `db:"chosen_company_id"`
	Lighting        bool    `db:"lighting"`
	Remember        bool    `db:"remember"`
	Width           int     `db:"width"`
	ShareUserID     int64   `db:"share_user_id"`
	ShareClientID   int64   `db:"share_client_id"`
	Address         string  `db:"address"`
	Agent           string  `db:"agent"`
	CreatedAt       Instant `db:"created_at"`
	SeenAt          Instant `db:"seen_at"`
	IdleUntil       Instant `db:"idle_until"` // never stored later than EndsAt
	EndsAt          Instant `db:"ends_at"`
	Client          string  `db:"client"` // "" a browser; "APP", "WEBAPP" or "PC"
	Purpose         Purpose `db:"purpose"`
	ActingID        int64   `db:"acting_id"` // the account an API token acts as; 0: none
	Provider        string  `db:"provider"`  // the chat app whose identity began the sign-in; "" a password or a code

	// FormerID is the id that the session had before its last renewal, "" for none. It is valid until FormerUntil or
	// until the browser sends the current id. Renewal holds the current cookie, sealed for the browser that may have
	// missed it: only the former cookie opens it, or the auth code that made the session.
	FormerID    string  `db:"former_id"`
	FormerUntil Instant `db:"former_until"`
	Renewal     string  `db:"renewal"`
	// Confirmed says that the client has received the session. A session that was never confirmed ends early.
	Confirmed bool `db:"confirmed"`
}

// Received says whether the browser has sent the session's current id, and so has not missed the response that set it.
func (s Session) Received() bool { return s.Confirmed && s.FormerID == "" }

// BrowserSession is a session as the session manager holds it during a request. StoredID is the id of its row, "" for a
// session that is not stored yet. When a commit finds another id in the row, it renames the row.
type BrowserSession struct {
	Session
	Slots    []SessionSlot
	StoredID string
}

// ErrSessionEnded says that the row of a session is not there any more under the id under which it was read: the
// session has ended, or another request has renewed it.
var ErrSessionEnded = errors.New("store: the session has ended")

const sessionColumns = `id, host, company_id, family, device, phone_id, account_id, chosen_company_id, lighting,
	remember, width,
	share_user_id, share_client_id, address, agent, created_at, seen_at, idle_until, ends_at, client, purpose,
	acting_id,
	former_id, former_until, renewal, confirmed, provider`

// SessionTable reads and changes sessions.
type SessionTable struct{ db *DB }

// ByID reads a session that has not expired at now; ErrNotFound.
func (t SessionTable) ByID(ctx context.Context, id string, now Instant) (Session, error) {
	return row[Session](ctx, t.db, "SELECT "+sessionColumns+" FROM sessions "+
		"WHERE id = ? AND ends_at > ? AND idle_until > ?", id, now, now)
}

// shownSlot is a session with one of its slots, whose columns are empty when it has none.
type shownSlot struct {
	Session Session     `db:"session"`
	Slot    SessionSlot `db:"slot"`
}

var shownSlotColumns = nested("session", "s", sessionColumns) + `, COALESCE(l.session_id, '') AS "slot.session_id",
	COALESCE(l.slot, '') AS "slot.slot", COALESCE(l.state, '') AS "slot.state",
	COALESCE(l.account_id, 0) AS "slot.account_id", COALESCE(l.company_id, 0) AS "slot.company_id",
	COALESCE(l.family, '') AS "slot.family", COALESCE(l.device, '') AS "slot.device",
	COALESCE(l.from_origin, '') AS "slot.from_origin", COALESCE(l.lighting, FALSE) AS "slot.lighting",
	COALESCE(l.provider, '') AS "slot.provider", COALESCE(l.entered_at, 0) AS "slot.entered_at",
	COALESCE(l.idle_until, 0) AS "slot.idle_until", COALESCE(l.ends_at, 0) AS "slot.ends_at"`

// WithSlots reads a session that has not expired at now, with its slots, by the id that a browser sends: the
// session's current id, or its former id until FormerUntil. When the id is one session's current id and another's
// former id, the first wins. ErrNotFound. The former id is only looked up when there is no session with that current
// id, so that the usual request costs one statement.
func (t SessionTable) WithSlots(ctx context.Context, id string, now Instant) (BrowserSession, error) {
	if id == "" {
		return BrowserSession{}, ErrNotFound
	}
	const tables = ` FROM sessions s
		LEFT JOIN session_slots l ON l.session_id = s.id AND l.ends_at > ? AND l.idle_until > ?`
	var rows []shownSlot
	err := t.db.list(ctx, &rows, "SELECT "+shownSlotColumns+tables+`
		WHERE s.id = ? AND s.ends_at > ? AND s.idle_until > ? ORDER BY l.slot, l.state`, now, now, id, now, now)
	if err == nil && len(rows) == 0 {
		err = t.db.list(ctx, &rows, "SELECT "+shownSlotColumns+tables+`
			WHERE s.former_id = ? AND s.former_id <> '' AND s.former_until > ? AND s.ends_at > ? AND s.idle_until > ?
			ORDER BY l.slot, l.state`, now, now, id, now, now, now)
	}
	if err != nil {
		return BrowserSession{}, err
	}
	if len(rows) == 0 {
		return BrowserSession{}, ErrNotFound
	}
	found := BrowserSession{Session: rows[0].Session, StoredID: rows[0].Session.ID}
	for _, row := range rows {
		if row.Slot.SessionID != "" {
			found.Slots = append(found.Slots, row.Slot)
		}
	}
	return found, nil
}

// OfHolder reads the sessions in which a phone or an account without a phone signed in, the last used first, at most
// 50. One of the two ids is 0.
func (t SessionTable) OfHolder(ctx context.Context, personID, accountID int64, now Instant) ([]Session, error) {
	where, id := "phone_id = ?", personID
	if personID == 0 {
		where, id = "account_id = ?", accountID
	}
	if id == 0 {
		return nil, nil
	}
	return rows[Session](ctx, t.db, "SELECT "+sessionColumns+" FROM sessions WHERE "+where+`
		AND purpose = '' AND ends_at > ? AND idle_until > ? ORDER BY seen_at DESC, id LIMIT 50`, id, now, now)
}

// OfFamily reads the session in which a phone signed in, by its family; ErrNotFound.
func (t SessionTable) OfFamily(ctx context.Context, family string, now Instant) (Session, error) {
	return row[Session](ctx, t.db, "SELECT "+sessionColumns+" FROM sessions "+
		"WHERE family = ? AND phone_id > 0 AND purpose = '' AND ends_at > ? AND idle_until > ? LIMIT 1",
		family, now, now)
}

// Add inserts a session.
func (t SessionTable) Add(ctx context.Context, s Session) error {
	b := new(Batch)
	b.AddSession(s)
	return t.db.Run(ctx, b)
}

// AddSession inserts a session.
func (b *Batch) AddSession(s Session) {
	b.add("INSERT INTO sessions ("+sessionColumns+") VALUES "+
		"(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		s.ID, s.Host, s.CompanyID, s.Family, s.Device, s.PersonID, s.AccountID, s.ChosenCompanyID, s.Lighting,
		s.Remember, s.Width,
		s.ShareUserID, s.ShareClientID, s.Address, s.Agent, s.CreatedAt, s.SeenAt, min(s.IdleUntil, s.EndsAt), s.EndsAt,
		s.Client, s.Purpose, s.ActingID, s.FormerID, s.FormerUntil, s.Renewal, s.Confirmed, s.Provider)
}

// Touch stores that an API client used its token. Browsers' sessions are saved by SaveSession.
func (t SessionTable) Touch(ctx context.Context, id string, seen, idleUntil Instant) error {
	_, err := t.db.exec(ctx, `UPDATE sessions
		SET seen_at = ?, idle_until = CASE WHEN ends_at < ? THEN ends_at ELSE ? END, confirmed = TRUE
		WHERE id = ?`, seen, idleUntil, idleUntil, id)
	return err
}

// ConfirmFamily stores that a browser has received the session of a sign-in, because it redeemed a code that came in
// the same response. A remembered session then lasts until EndsAt, any other until idleUntil.
func (b *Batch) ConfirmFamily(family string, seen, idleUntil Instant) {
	b.add(`UPDATE sessions
		SET confirmed = TRUE, seen_at = ?, idle_until = CASE WHEN remember OR ends_at < ? THEN ends_at ELSE ? END
		WHERE family = ? AND NOT confirmed AND phone_id + account_id > 0`, seen, idleUntil, idleUntil, family)
}

// ChooseCompany stores the company that the person chose last; ErrNotFound when the session has ended.
func (t SessionTable) ChooseCompany(ctx context.Context, id string, companyID int64) error {
	return t.db.one(ctx, "UPDATE sessions SET chosen_company_id = ? WHERE id = ?", companyID, id)
}

// SetWidth stores the width that the page reported last, in CSS pixels.
func (t SessionTable) SetWidth(ctx context.Context, id string, width int) error {
	_, err := t.db.exec(ctx, "UPDATE sessions SET width = ? WHERE id = ?", width, id)
	return err
}

// End removes one session with its slots.
func (t SessionTable) End(ctx context.Context, id string) error {
	_, err := t.db.exec(ctx, "DELETE FROM sessions WHERE id = ?", id)
	return err
}

// EndFamily removes everything that one sign-in made: its auth codes, its session, its slots on every host, and landing
// sessions without another slot. It removes the codes first: a redemption locks its code's row until it commits, so
// that the slot it adds is removed here too.
func (t SessionTable) EndFamily(ctx context.Context, family string) error {
	if _, err := t.db.exec(ctx, "DELETE FROM auth_codes WHERE family = ?", family); err != nil {
		return err
	}
	if _, err := t.db.exec(ctx, "DELETE FROM sessions WHERE family = ?", family); err != nil {
		return err
	}
	if _, err := t.db.exec(ctx, `DELETE FROM sessions
		WHERE id IN (SELECT session_id FROM session_slots WHERE family = ?) AND phone_id + account_id = 0
		AND NOT EXISTS (SELECT 1 FROM session_slots s WHERE s.session_id = sessions.id AND s.family <> ?)`,
		family, family); err != nil {
		return err
	}
	_, err := t.db.exec(ctx, "DELETE FROM session_slots WHERE family = ?", family)
	return err
}

// EndAccount removes the auth codes, slots and tokens of an account and the sessions in which it signed in by name. It
// leaves those of the family kept; "" keeps none.
func (t SessionTable) EndAccount(ctx context.Context, accountID int64, kept string) error {
	for _, query := range []string{
		"DELETE FROM auth_codes WHERE account_id = ? AND family <> ?",
		"DELETE FROM session_slots WHERE account_id = ? AND family <> ?",
		"DELETE FROM sessions WHERE account_id = ? AND family <> ?",
		"DELETE FROM sessions WHERE acting_id = ? AND family <> ?",
	} {
		if _, err := t.db.exec(ctx, query, accountID, kept); err != nil {
			return err
		}
	}
	return nil
}

// EndPerson removes the sessions in which a person signed in, except those of the family kept; "" keeps none.
func (t SessionTable) EndPerson(ctx context.Context, personID int64, kept string) error {
	_, err := t.db.exec(ctx, "DELETE FROM sessions WHERE phone_id = ? AND family <> ?", personID, kept)
	return err
}

// Forget removes sessions that have ended by now or were idle for too long, at most SweepStep.
func (t SessionTable) Forget(ctx context.Context, now Instant) (int64, error) {
	return t.db.exec(ctx, "DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE idle_until <= ? LIMIT ?)",
		now, SweepStep)
}

// SignInOfFamily reads the session that began a family: its first session in which a person or an account signed in.
// ErrNotFound when that session has expired at now.
func (t SessionTable) SignInOfFamily(ctx context.Context, family string, now Instant) (Session, error) {
	return row[Session](ctx, t.db, "SELECT "+sessionColumns+` FROM sessions
		WHERE family = ? AND phone_id + account_id > 0 AND ends_at > ? AND idle_until > ?
		ORDER BY created_at, id LIMIT 1`, family, now, now)
}

// Lock locks a session's row until the transaction ends. It waits for a transaction that is about to end the
// session. ErrNotFound when the session has ended.
func (t SessionTable) Lock(ctx context.Context, id string) error {
	return t.db.one(ctx, "UPDATE sessions SET family = family WHERE id = ?", id)
}

// SaveSession inserts a session that is not stored yet. Of a stored one it updates what a request may change: the id
// with the former id, and the times of use, which only grow. Run returns ErrSessionEnded when the row is gone, so that
// a slow request never brings an ended session back.
func (b *Batch) SaveSession(s BrowserSession) {
	if s.StoredID == "" {
		b.AddSession(s.Session)
		return
	}
	idleUntil := min(s.IdleUntil, s.EndsAt)
	b.mustChange(ErrSessionEnded, `UPDATE sessions
		SET id = ?, former_id = ?, former_until = ?, renewal = ?, confirmed = (confirmed OR ?),
			seen_at = CASE WHEN seen_at < ? THEN ? ELSE seen_at END,
			idle_until = CASE WHEN idle_until < ? THEN ? ELSE idle_until END
		WHERE id = ?`,
		s.ID, s.FormerID, s.FormerUntil, s.Renewal, s.Confirmed, s.SeenAt, s.SeenAt, idleUntil, idleUntil, s.StoredID)
}

// EndSession removes a session with its slots.
func (b *Batch) EndSession(id string) { b.add("DELETE FROM sessions WHERE id = ?", id) }
