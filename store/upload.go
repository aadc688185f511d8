package store

import "context"

// UploadPurpose says what an uploaded file is for.
type UploadPurpose string

// The purposes of uploads.
const (
	UploadLicence UploadPurpose = "licence"
	// a company's icon (PNG), the picture of its sign-in page or one of a product (JPEG)
	UploadLook UploadPurpose = "icon"
)

// Upload is an uploaded file, or one that may be uploaded. ID is its random name in the file store. Owner is the keyed
// hash of who may use it, "" for nobody any more. CompanyID is 0 before it belongs to a company. Content is the SHA-256
// of the uploaded bytes, "" before the upload. Kind, Size (bytes), Width and Height (pixels) are those of the stored
// file. Until SentUntil a browser may send the file directly to the file store.
//
//	reserved (Content "") ──Finish──▶ unused ──Use──▶ used ──Release──▶ unused
//	unused ──End──▶ ended (Owner "") ──Drop──▶ no row
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

// UploadTable reads and changes uploads.
type UploadTable struct{ db *DB }

// Add inserts an upload. It returns false when there is one with that id.
func (t UploadTable) Add(ctx context.Context, u Upload) (bool, error) {
	n, err := t.db.exec(ctx, `INSERT INTO uploads (id, company_id, purpose, owner, content, kind, size, width, height,
		sent_until, created_at, used_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		u.ID, u.CompanyID, u.Purpose, u.Owner, u.Content, u.Kind, u.Size, u.Width, u.Height, u.SentUntil, u.CreatedAt,
		u.UsedAt)
	return n == 1, err
}

// ByID reads an upload of any company, because nobody can guess the id. ErrNotFound.
func (t UploadTable) ByID(ctx context.Context, id string) (Upload, error) {
	return row[Upload](ctx, t.db, "SELECT "+uploadColumns+" FROM uploads u WHERE u.id = ?", id)
}

// Same reads an upload of an owner in a company with the same content, a used one if there is one. Unused uploads
// from before since do not count. ErrNotFound.
func (t UploadTable) Same(ctx context.Context, companyID int64, owner, content string, since Instant) (Upload, error) {
	return row[Upload](ctx, t.db, "SELECT "+uploadColumns+` FROM uploads u
		WHERE u.company_id = ? AND u.owner = ? AND u.content = ? AND (u.used_at > 0 OR u.created_at > ?)
		ORDER BY u.used_at DESC, u.id LIMIT 1`, companyID, owner, content, since)
}

// Finish stores what was uploaded. ErrNotFound when the file was uploaded before.
func (t UploadTable) Finish(ctx context.Context, u Upload) error {
	return t.db.one(ctx, "UPDATE uploads SET content = ?, kind = ?, size = ?, width = ?, height = ? "+
		"WHERE id = ? AND content = '' AND owner <> ''",
		u.Content, u.Kind, u.Size, u.Width, u.Height, u.ID)
}

// Claim gives an unused upload to an owner and a company. ErrNotFound when its row has changed since it was read.
func (t UploadTable) Claim(ctx context.Context, u Upload, companyID int64, owner string) error {
	return t.db.one(ctx, "UPDATE uploads SET company_id = ?, owner = ? WHERE id = ? AND company_id = ? AND owner = ? "+
		"AND used_at = 0",
		companyID, owner, u.ID, u.CompanyID, u.Owner)
}

// Use stores that a row of a company refers to an upload. ErrNotFound.
func (t UploadTable) Use(ctx context.Context, companyID int64, id string, now Instant) error {
	return t.db.one(ctx, "UPDATE uploads SET used_at = CASE WHEN used_at > 0 THEN used_at ELSE ? END "+
		"WHERE id = ? AND company_id = ? AND content <> '' AND owner <> ''",
		now, id, companyID)
}

// Release stores that no row of a company refers to an upload any more. A sweep then removes the upload.
func (t UploadTable) Release(ctx context.Context, companyID int64, id string) error {
	_, err := t.db.exec(ctx, "UPDATE uploads SET used_at = 0, created_at = 0 "+
		"WHERE id = ? AND company_id = ?", id, companyID)
	return err
}

// Ended reads unused uploads from before an instant, also those of removed companies (Sandboxes.Remove). They come
// in the order of creation, after the upload after; Upload{CreatedAt: -1} reads from the beginning.
func (t UploadTable) Ended(ctx context.Context, before Instant, after Upload, limit int) ([]Upload, error) {
	return rows[Upload](ctx, t.db, "SELECT "+uploadColumns+` FROM uploads u
		WHERE u.used_at = 0 AND u.created_at < ? AND (u.created_at, u.id) > (?, ?)
		ORDER BY u.created_at, u.id LIMIT ?`, before, after.CreatedAt, after.ID, limit)
}

// End takes an upload from its owner, so that no row can begin to refer to it. ErrNotFound when one has begun to.
func (t UploadTable) End(ctx context.Context, u Upload) error {
	return t.db.one(ctx, "UPDATE uploads SET owner = '' WHERE id = ? AND used_at = ?", u.ID, u.UsedAt)
}

// Drop removes the row of an upload that has ended.
func (t UploadTable) Drop(ctx context.Context, id string) error {
	_, err := t.db.exec(ctx, "DELETE FROM uploads WHERE id = ? AND owner = ''", id)
	return err
}

// Sent reads uploads whose SentUntil was before an instant, in that order, after the upload after; Upload{}
// reads from the beginning.
func (t UploadTable) Sent(ctx context.Context, before Instant, after Upload, limit int) ([]Upload, error) {
	return rows[Upload](ctx, t.db, "SELECT "+uploadColumns+` FROM uploads u WHERE u.sent_until > 0 AND u.sent_until < ?
		AND (u.sent_until > ? OR u.sent_until = ? AND u.id > ?) ORDER BY u.sent_until, u.id LIMIT ?`,
		before, after.SentUntil, after.SentUntil, after.ID, limit)
}

// Close stores that a file cannot be sent directly any more, and that the file store has no unchecked file of it.
func (t UploadTable) Close(ctx context.Context, id string) error {
	_, err := t.db.exec(ctx, "UPDATE uploads SET sent_until = 0 WHERE id = ?", id)
	return err
}
