package store

import "context"

// Authorisation is one trip to an identity provider (OAuth 2) and back. ID is the hex SHA-256 of the state parameter.
// MethodWeChatMobile has no state: there ID is made from the provider's code. A trip that a browser began has Host and
// Origin, where it began, and Flow, the keyed hash of the browser's own id. A trip that a program began has Client, the
// kind of program. Method is the sign-in method. The callback that uses the authorisation sets Code, the hash of the
// provider's code, and Outcome, which is sealed.
//
//	begun ──callback──▶ used ──decided──▶ Outcome set
//	  └──ExpiresAt──▶ expired
type Authorisation struct {
	ID        string  `db:"id"`
	Method    string  `db:"door"`
	Provider  string  `db:"provider"`
	App       string  `db:"app"`
	CompanyID int64   `db:"company_id"`
	Host      string  `db:"host"`
	Origin    string  `db:"origin"`
	Flow      string  `db:"flow"`
	Client    string  `db:"client"`
	Lighting  bool    `db:"lighting"`
	Width     int     `db:"width"` // CSS pixels, 0 unknown
	CreatedAt Instant `db:"created_at"`
	ExpiresAt Instant `db:"expires_at"`
	UsedAt    Instant `db:"used_at"`
	Code      string  `db:"code"`
	Outcome   string  `db:"outcome"`
}

const authorisationColumns = `id, door, provider, app, company_id, host, origin, flow, client, lighting, width,
	created_at, expires_at, used_at, code, outcome`

// AuthorisationTable reads and changes authorisations at WeChat and WeCom.
type AuthorisationTable struct{ db *DB }

// Add inserts an authorisation. It does nothing when the id exists already.
func (t AuthorisationTable) Add(ctx context.Context, a Authorisation) error {
	_, err := t.db.exec(ctx, "INSERT INTO authorisations ("+authorisationColumns+") "+
		"VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, '', '') ON CONFLICT (id) DO NOTHING",
		a.ID, a.Method, a.Provider, a.App, a.CompanyID, a.Host, a.Origin, a.Flow, a.Client, a.Lighting, a.Width,
		a.CreatedAt, a.ExpiresAt)
	return err
}

// ByID reads an authorisation. ErrNotFound.
func (t AuthorisationTable) ByID(ctx context.Context, id string) (Authorisation, error) {
	return row[Authorisation](ctx, t.db, "SELECT "+authorisationColumns+" FROM authorisations WHERE id = ?", id)
}

// Use marks an authorisation as used and stores code, the hash of the code that the provider sent. Of several callbacks
// at the same time one gets true.
func (t AuthorisationTable) Use(ctx context.Context, id, code string, now Instant) (bool, error) {
	n, err := t.db.exec(ctx, "UPDATE authorisations SET used_at = ?, code = ? "+
		"WHERE id = ? AND used_at = 0 AND expires_at > ?", now, code, id, now)
	return n == 1, err
}

// Decide stores the outcome of an authorisation. ErrNotFound when it has one.
func (t AuthorisationTable) Decide(ctx context.Context, id, outcome string) error {
	return t.db.one(ctx, "UPDATE authorisations SET outcome = ? WHERE id = ? AND outcome = ''", outcome, id)
}

// Forget removes authorisations that expired before the given instant, used or not, at most SweepStep.
func (t AuthorisationTable) Forget(ctx context.Context, before Instant) (int64, error) {
	return t.db.exec(ctx, `DELETE FROM authorisations
		WHERE id IN (SELECT id FROM authorisations WHERE expires_at < ? LIMIT ?)`, before, SweepStep)
}
