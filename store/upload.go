package store

import "context"

// UploadPurpose is what a file is for.
type UploadPurpose string

// The purposes.
const (
	UploadLicence UploadPurpose = "licence"
	UploadIcon    UploadPurpose = "icon"
)

// Upload is a file somebody may send in, or has: ID is the random name it is kept under, Owner the keyed hash of who
// may use it, "" for nobody any more. CompanyID 0 is none yet. Content is the SHA-256 of the bytes as they came, ""
// until they have; Kind, Size, Width and Height are of the file as it is kept. SentUntil is until when somebody may
// send it straight to the store.
type Upload struct {
	ID        string        `db:"id"`
	CompanyID int64         `db:"company_id"`
	Purpose   UploadPurpose `db:"purpose"`
	Owner     string        `db:"owner"`
	Content   string        `db:"content"`
	Kind      string        `db:"kind"`
	Size      int64         `db:"size"`
	Width     int           `db:"width"`
	Height    int           `db:"height"`
	SentUntil Instant       `db:"sent_until"`
	CreatedAt Instant       `db:"created_at"`
	UsedAt    Instant       `db:"used_at"`
}

const uploadColumns = `u.id, u.company_id, u.purpose, u.owner, u.content, u.kind, u.size, u.width, u.height,
	u.sent_until, u.created_at, u.used_at`

// AddUpload inserts a file under its own id; false when the id is taken.
func (db *DB) AddUpload(ctx context.Context, u Upload) (bool, error) {
	n, err := db.exec(ctx, `INSERT INTO uploads (id, company_id, purpose, owner, content, kind, size, width, height,
		sent_until, created_at, used_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		u.ID, u.CompanyID, u.Purpose, u.Owner, u.Content, u.Kind, u.Size, u.Width, u.Height, u.SentUntil, u.CreatedAt,
		u.UsedAt)
	return n == 1, err
}

// UploadByID reads a file, of whichever company: its id is nobody's to guess. ErrNotFound.
func (db *DB) UploadByID(ctx context.Context, id string) (Upload, error) {
	return row[Upload](ctx, db, "SELECT "+uploadColumns+" FROM uploads u WHERE u.id = ?", id)
}

// SameUpload reads a file of the same content that an owner has in a company already, the used ones first; one that is
// unused since before an instant is none. ErrNotFound.
func (db *DB) SameUpload(ctx context.Context, companyID int64, owner, content string, since Instant) (Upload, error) {
	return row[Upload](ctx, db, "SELECT "+uploadColumns+` FROM uploads u
		WHERE u.company_id = ? AND u.owner = ? AND u.content = ? AND (u.used_at > 0 OR u.created_at > ?)
		ORDER BY u.used_at DESC, u.id LIMIT 1`, companyID, owner, content, since)
}

// FinishUpload notes what came in for a file, once; ErrNotFound when it came before.
func (db *DB) FinishUpload(ctx context.Context, u Upload) error {
	return db.one(ctx, "UPDATE uploads SET content = ?, kind = ?, size = ?, width = ?, height = ? "+
		"WHERE id = ? AND content = '' AND owner <> ''",
		u.Content, u.Kind, u.Size, u.Width, u.Height, u.ID)
}

// ClaimUpload gives a file that nothing refers to to an owner and a company; ErrNotFound when it is no longer as it was
// read.
func (db *DB) ClaimUpload(ctx context.Context, u Upload, companyID int64, owner string) error {
	return db.one(ctx, "UPDATE uploads SET company_id = ?, owner = ? WHERE id = ? AND company_id = ? AND owner = ? "+
		"AND used_at = 0",
		companyID, owner, u.ID, u.CompanyID, u.Owner)
}

// UseUpload notes that something of a company refers to a file that has come in; ErrNotFound.
func (db *DB) UseUpload(ctx context.Context, companyID int64, id string, now Instant) error {
	return db.one(ctx, "UPDATE uploads SET used_at = CASE WHEN used_at > 0 THEN used_at ELSE ? END "+
		"WHERE id = ? AND company_id = ? AND content <> '' AND owner <> ''",
		now, id, companyID)
}

// ReleaseUpload notes that nothing of a company refers to a file any more: it is removed with what was abandoned.
func (db *DB) ReleaseUpload(ctx context.Context, companyID int64, id string) error {
	_, err := db.exec(ctx, "UPDATE uploads SET used_at = 0, created_at = 0 "+
		"WHERE id = ? AND company_id = ?", id, companyID)
	return err
}

// EndedUploads reads files that nothing has referred to since before an instant, in the order in which they were
// created, after another one; Upload{CreatedAt: -1} begins. The files of a removed company are among them, see
// RemoveSandbox.
func (db *DB) EndedUploads(ctx context.Context, before Instant, after Upload, limit int) ([]Upload, error) {
	return rows[Upload](ctx, db, "SELECT "+uploadColumns+` FROM uploads u
		WHERE u.used_at = 0 AND u.created_at < ? AND (u.created_at, u.id) > (?, ?)
		ORDER BY u.created_at, u.id LIMIT ?`, before, after.CreatedAt, after.ID, limit)
}

// EndUpload takes a file from its owner, so that nothing can begin to refer to it; ErrNotFound when something has since
// it was read.
func (db *DB) EndUpload(ctx context.Context, u Upload) error {
	return db.one(ctx, "UPDATE uploads SET owner = '' WHERE id = ? AND used_at = ?", u.ID, u.UsedAt)
}

// DropUpload forgets a file that was ended.
func (db *DB) DropUpload(ctx context.Context, id string) error {
	_, err := db.exec(ctx, "DELETE FROM uploads WHERE id = ? AND owner = ''", id)
	return err
}

// SentUploads reads files that nobody can send to the store any more since an instant: those after another one,
// Upload{} for the first.
func (db *DB) SentUploads(ctx context.Context, before Instant, after Upload, limit int) ([]Upload, error) {
	return rows[Upload](ctx, db, "SELECT "+uploadColumns+` FROM uploads u WHERE u.sent_until > 0 AND u.sent_until < ?
		AND (u.sent_until > ? OR u.sent_until = ? AND u.id > ?) ORDER BY u.sent_until, u.id LIMIT ?`,
		before, after.SentUntil, after.SentUntil, after.ID, limit)
}

// CloseUpload notes that nobody can send a file to the store, and nothing that was sent is there.
func (db *DB) CloseUpload(ctx context.Context, id string) error {
	_, err := db.exec(ctx, "UPDATE uploads SET sent_until = 0 WHERE id = ?", id)
	return err
}
