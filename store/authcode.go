package store

import "context"

// AuthCode is what the server stores about a one-time code that takes a person to a landing site. ID is the hex SHA-256
// of the id that is sealed in the code. Target is the only host that may redeem it, without port.
//
//	issued ──redeemed──▶ used     (the same browser may redeem it again until it has received the session;
//	   │                           any other second redemption ends what the first one made)
//	   └────60 s────▶ expired
type AuthCode struct {
	ID            string  `db:"id"`
	SessionID     string  `db:"session_id"`
	Family        string  `db:"family"`
	Device        string  `db:"device"`
	AccountID     int64   `db:"account_id"`
	CompanyID     int64   `db:"company_id"`
	Slot          Slot    `db:"slot"`
	Target        string  `db:"target"`
	FromOrigin    string  `db:"from_origin"`
	Lighting      bool    `db:"lighting"`
	Provider      string  `db:"provider"` // of the sign-in that issued it
	CreatedAt     Instant `db:"created_at"`
	ExpiresAt     Instant `db:"expires_at"`
	UsedAt        Instant `db:"used_at"`
	MadeSessionID string  `db:"made_session_id"`
	UsedBy        string  `db:"used_by"` // keyed hash of the browser that redeemed it, "" for a program
}

const authCodeColumns = `id, session_id, family, device, account_id, company_id, slot, target, from_origin,
	lighting, provider, created_at, expires_at, used_at, made_session_id, used_by`

// issuedColumns are authCodeColumns of x, which sqlx reads into a field named "code".
var issuedColumns = nested("code", "x", authCodeColumns)

// issuerLives is true while the sign-in that issued the code lasts. Its parameter is now.
const issuerLives = "EXISTS (SELECT 1 FROM sessions s WHERE s.family = auth_codes.family AND s.ends_at > ? " +
	"AND (s.phone_id <> 0 OR s.account_id <> 0))"

// AddAuthCode stores a new code.
func (b *Batch) AddAuthCode(c AuthCode) {
	b.add("INSERT INTO auth_codes ("+authCodeColumns+") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		c.ID, c.SessionID, c.Family, c.Device, c.AccountID, c.CompanyID, c.Slot, c.Target, c.FromOrigin, c.Lighting,
		c.Provider, c.CreatedAt, c.ExpiresAt, c.UsedAt, c.MadeSessionID, c.UsedBy)
}

// UseAuthCode marks a code as used, with the session that the redemption makes and the browser that redeems it, so that
// the same browser can redeem it again. Of many redemptions at once, one succeeds and the others get ErrNotFound. So do
// expired codes, codes for another host or side, and codes whose sign-in has ended.
func (b *Batch) UseAuthCode(id, target string, slot Slot, sessionID, usedBy string, now Instant) {
	b.mustChange(ErrNotFound, `UPDATE auth_codes SET used_at = ?, made_session_id = ?, used_by = ?
		WHERE id = ? AND used_at = 0 AND expires_at > ? AND target = ? AND slot = ? AND `+issuerLives,
		now, sessionID, usedBy, id, now, target, slot, now)
}

// AuthCodeTable reads and changes authorisation codes of signed-in people.
type AuthCodeTable struct{ db *DB }

// WithMember reads a code in any state, expired or not, and the account that it enters; ErrNotFound.
func (t AuthCodeTable) WithMember(ctx context.Context, id string) (AuthCode, Member, error) {
	var row struct {
		Member
		Code AuthCode `db:"code"`
	}
	err := t.db.get(ctx, &row, "SELECT "+memberColumns+", "+issuedColumns+memberTables+
		"JOIN auth_codes x ON x.account_id = a.id AND x.company_id = a.company_id WHERE x.id = ?", id)
	return row.Code, row.Member, err
}

// UseAnywhere does what UseAuthCode does, for a redemption through the API. There the host is not known,
// because an API client redeems the code that its own site received.
func (t AuthCodeTable) UseAnywhere(ctx context.Context, id string, now Instant) (AuthCode, error) {
	var c AuthCode
	err := t.db.change(ctx, &c, `UPDATE auth_codes SET used_at = ? WHERE id = ? AND used_at = 0 AND expires_at > ?
		AND `+issuerLives+`
		RETURNING `+authCodeColumns, now, id, now, now)
	return c, err
}

// ByID reads a code in any state, expired or not; ErrNotFound.
func (t AuthCodeTable) ByID(ctx context.Context, id string) (AuthCode, error) {
	return row[AuthCode](ctx, t.db, "SELECT "+authCodeColumns+" FROM auth_codes WHERE id = ?", id)
}

// SetSession stores which session a redemption made and which browser redeemed the code, so that the same
// browser can redeem it again.
func (t AuthCodeTable) SetSession(ctx context.Context, id, sessionID, usedBy string) error {
	return t.db.one(ctx, "UPDATE auth_codes SET made_session_id = ?, used_by = ? WHERE id = ?", sessionID, usedBy, id)
}

// EndSession ends the API token that a redemption made. It leaves the browser sessions of landing hosts.
func (t AuthCodeTable) EndSession(ctx context.Context, sessionID string) error {
	_, err := t.db.exec(ctx, "DELETE FROM sessions WHERE id = ? AND purpose = ?", sessionID, PurposeCode)
	return err
}

// Forget removes auth codes that expired before the given instant, at most SweepStep.
func (t AuthCodeTable) Forget(ctx context.Context, before Instant) (int64, error) {
	return t.db.exec(ctx,
		"DELETE FROM auth_codes WHERE id IN (SELECT id FROM auth_codes WHERE expires_at <= ? LIMIT ?)",
		before, SweepStep)
}
