package store

import "context"

// Look is the appearance and language of a company. The fields are those of Company. The former look is kept so that an
// administrator can go back to it.
type Look struct {
	CompanyID     int64   `db:"company_id"`
	KeptAt        Instant `db:"kept_at"`
	Name          string  `db:"name"`
	Theme         string  `db:"theme"`
	Language      string  `db:"language"`
	IconURL       string  `db:"icon_url"`
	ShopSkin      string  `db:"shop_skin"`
	LoginStyleURL string  `db:"login_style_url"`
	ViewCountURL  string  `db:"view_count_url"`
	Greeting      string  `db:"greeting"`
	WelcomeURL    string  `db:"welcome_url"`
}

const lookColumns = `company_id, kept_at, name, theme, language, icon_url, shop_skin, login_style_url, view_count_url,
	greeting, welcome_url`

// LookTable reads and changes the appearances of companies, their style sheets and drafts.
type LookTable struct{ db *DB }

// Before reads the former look of a company. ErrNotFound.
func (t LookTable) Before(ctx context.Context, companyID int64) (Look, error) {
	return row[Look](ctx, t.db, "SELECT "+lookColumns+" FROM company_looks WHERE company_id = ?", companyID)
}

// Keep stores a company's former look. It replaces the one that was kept before.
func (t LookTable) Keep(ctx context.Context, l Look) error {
	_, err := t.db.exec(ctx, "INSERT INTO company_looks ("+lookColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (company_id) DO UPDATE
		SET kept_at = excluded.kept_at, name = excluded.name, theme = excluded.theme, language = excluded.language,
			icon_url = excluded.icon_url, shop_skin = excluded.shop_skin, login_style_url = excluded.login_style_url,
			view_count_url = excluded.view_count_url, greeting = excluded.greeting, welcome_url = excluded.welcome_url`,
		l.CompanyID, l.KeptAt, l.Name, l.Theme, l.Language, l.IconURL, l.ShopSkin, l.LoginStyleURL, l.ViewCountURL,
		l.Greeting, l.WelcomeURL)
	return err
}

// Drop removes a company's former look. ErrNotFound when it is not the one that was kept at keptAt.
func (t LookTable) Drop(ctx context.Context, companyID int64, keptAt Instant) error {
	return t.db.one(ctx, "DELETE FROM company_looks WHERE company_id = ? AND kept_at = ?", companyID, keptAt)
}

// KeepStyle stores a company's style sheet under its name. It changes nothing when there is one of that name.
func (t LookTable) KeepStyle(ctx context.Context, companyID int64, name, source string, now Instant) error {
	_, err := t.db.exec(ctx, "INSERT INTO company_styles (company_id, name, source, created_at) VALUES (?, ?, ?, ?) "+
		"ON CONFLICT (company_id, name) DO NOTHING", companyID, name, source, now)
	return err
}

// Style reads a company's style sheet as the company wrote it. ErrNotFound.
func (t LookTable) Style(ctx context.Context, companyID int64, name string) (string, error) {
	return row[string](ctx, t.db, "SELECT source FROM company_styles WHERE company_id = ? AND name = ?", companyID,
		name)
}

// StyleByName reads the style sheet of a name and the id of the company that has it. ErrNotFound.
func (t LookTable) StyleByName(ctx context.Context, name string) (companyID int64, source string, err error) {
	var s struct {
		CompanyID int64  `db:"company_id"`
		Source    string `db:"source"`
	}
	err = t.db.get(ctx, &s, "SELECT company_id, source FROM company_styles WHERE name = ?", name)
	return s.CompanyID, s.Source, err
}

// DropStyles removes the style sheets of a company, except the two with these names.
func (t LookTable) DropStyles(ctx context.Context, companyID int64, name, other string) error {
	_, err := t.db.exec(ctx, "DELETE FROM company_styles WHERE company_id = ? AND name <> ? AND name <> ?",
		companyID, name, other)
	return err
}

// LookDraft is a look that an administrator has not published. Content is what was typed, as JSON.
type LookDraft struct {
	CompanyID int64   `db:"company_id"`
	AccountID int64   `db:"account_id"`
	Content   string  `db:"content"`
	UpdatedAt Instant `db:"updated_at"`
}

// KeepDraft stores a draft. It replaces the administrator's former draft.
func (t LookTable) KeepDraft(ctx context.Context, d LookDraft) error {
	_, err := t.db.exec(ctx, `INSERT INTO look_drafts (company_id, account_id, content, updated_at) VALUES (?, ?, ?, ?)
		ON CONFLICT (company_id, account_id) DO UPDATE
		SET content = excluded.content, updated_at = excluded.updated_at`,
		d.CompanyID, d.AccountID, d.Content, d.UpdatedAt)
	return err
}

// Draft reads an administrator's draft; ErrNotFound.
func (t LookTable) Draft(ctx context.Context, companyID, accountID int64) (LookDraft, error) {
	return row[LookDraft](ctx, t.db, "SELECT company_id, account_id, content, updated_at FROM look_drafts "+
		"WHERE company_id = ? AND account_id = ?", companyID, accountID)
}

// DropDraft removes an administrator's draft, if there is one.
func (t LookTable) DropDraft(ctx context.Context, companyID, accountID int64) error {
	_, err := t.db.exec(ctx, "DELETE FROM look_drafts WHERE company_id = ? AND account_id = ?", companyID, accountID)
	return err
}

// ForgetDrafts removes drafts that have not changed since the given instant, at most SweepStep.
func (t LookTable) ForgetDrafts(ctx context.Context, before Instant) (int64, error) {
	return t.db.exec(ctx, `DELETE FROM look_drafts
		WHERE (company_id, account_id) IN (SELECT company_id, account_id FROM look_drafts
		WHERE updated_at < ? LIMIT ?)`,
		before, SweepStep)
}
