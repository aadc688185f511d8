package store

import "context"

// CredentialKind is the kind of application that credentials are for.
type CredentialKind string

// The kinds of credentials.
const (
	WeChatAccount CredentialKind = "wechat"      // an official account: sign-in within the WeChat app
	WeChatOpen    CredentialKind = "wechat_open" // a website application of the open platform: sign-in by QR code

	// WeChatMobile is a mobile application of the open platform, for native apps. No company has one of its own.
	WeChatMobile CredentialKind = "wechat_mobile"
	WeComCorp    CredentialKind = "wecom" // a WeCom application
)

// Credentials are a company's own application at an identity provider. Secret is sealed. Only WeCom has an Agent.
type Credentials struct {
	CompanyID int64          `db:"company_id"`
	Kind      CredentialKind `db:"kind"`
	App       string         `db:"app"`
	Agent     string         `db:"agent"`
	Secret    string         `db:"secret"`
	UpdatedAt Instant        `db:"updated_at"`
}

const credentialColumns = "company_id, kind, app, agent, secret, updated_at"

// CredentialTable reads and changes the credentials of the providers of companies.
type CredentialTable struct{ db *DB }

// Of reads a company's own credentials of a kind; ErrNotFound.
func (t CredentialTable) Of(ctx context.Context, companyID int64, kind CredentialKind) (Credentials, error) {
	return row[Credentials](ctx, t.db, "SELECT "+credentialColumns+" FROM company_credentials "+
		"WHERE company_id = ? AND kind = ?", companyID, kind)
}

// CompaniesOfApp reads the ids of the companies that have an application, at most two. Companies may share a WeCom
// application, each with an agent of its own.
func (t CredentialTable) CompaniesOfApp(ctx context.Context, kind CredentialKind, app string) ([]int64, error) {
	return rows[int64](ctx, t.db, "SELECT company_id FROM company_credentials WHERE kind = ? AND app = ? "+
		"ORDER BY company_id LIMIT 2", kind, app)
}

// Put stores a company's credentials. They replace the former ones of the same kind. It returns false when
// another company has the application.
func (t CredentialTable) Put(ctx context.Context, c Credentials) (bool, error) {
	if _, err := t.db.exec(ctx, "DELETE FROM company_credentials WHERE company_id = ? AND kind = ?",
		c.CompanyID, c.Kind); err != nil {
		return false, err
	}
	n, err := t.db.exec(ctx, "INSERT INTO company_credentials ("+credentialColumns+") VALUES (?, ?, ?, ?, ?, ?) "+
		"ON CONFLICT DO NOTHING",
		c.CompanyID, c.Kind, c.App, c.Agent, c.Secret, c.UpdatedAt)
	return n == 1, err
}

// Drop removes a company's own credentials of a kind.
func (t CredentialTable) Drop(ctx context.Context, companyID int64, kind CredentialKind) error {
	_, err := t.db.exec(ctx, "DELETE FROM company_credentials WHERE company_id = ? AND kind = ?", companyID, kind)
	return err
}

// After reads at most limit credentials of all companies, in the order of company and kind, after the given one.
func (t CredentialTable) After(ctx context.Context, after Credentials, limit int) ([]Credentials, error) {
	return rows[Credentials](ctx, t.db, "SELECT "+credentialColumns+` FROM company_credentials
		WHERE (company_id, kind) > (?, ?) ORDER BY company_id, kind LIMIT ?`, after.CompanyID, after.Kind, limit)
}

// Reseal replaces the sealed secret of a company's credentials, unless it has changed since it was read.
// changed says whether it was replaced.
func (t CredentialTable) Reseal(ctx context.Context, was Credentials, sealed string) (changed bool, err error) {
	n, err := t.db.exec(ctx, `UPDATE company_credentials SET secret = ?
		WHERE company_id = ? AND kind = ? AND secret = ?`, sealed, was.CompanyID, was.Kind, was.Secret)
	return n == 1, err
}
