package store

import (
	"context"
	"fmt"
)

// Standing says whether a company is on trial or has a contract.
type Standing string

// The two standings of a company; both end at Company.EndsAt.
const (
	Trial  Standing = "trial"
	Formal Standing = "formal"
)

// Mall is the state of a company's ordering mall.
type Mall string

// The three states of an ordering mall.
const (
	MallOpen     Mall = "open"
	MallNotOpen  Mall = "not_open"
	MallDisabled Mall = "disabled"
)

// Company is a tenant company. Theme is six hex digits or empty; EndsAt is the end of the trial or of the
// term, 0 for none; PCDomain is the origin ("https://host") of the desktop back office on a host that the company has proven
// to be its own, or that the operator gave it, or empty.
type Company struct {
	ID                   int64    `db:"id" json:"id_"`
	Name                 string   `db:"name" json:"name_"`
	ConfirmedName        string   `db:"confirmed_name" json:"-"` // for messages, by the operator; "" for none
	Theme                string   `db:"theme" json:"theme_"`
	IconURL              string   `db:"icon_url" json:"mini_web_icon_"`
	LoginStyleURL        string   `db:"login_style_url" json:"login_page_style_url_"`
	ViewCountURL         string   `db:"view_count_url" json:"view_count_url_"`
	Language             string   `db:"language" json:"language_type_"`
	ShopSkin             string   `db:"shop_skin" json:"-"`
	Standing             Standing `db:"standing" json:"-"`
	Disabled             bool     `db:"disabled" json:"-"`
	EndsAt               Instant  `db:"ends_at" json:"-"`
	Mall                 Mall     `db:"mall" json:"-"`
	ApplicationsOpen     bool     `db:"registration_open" json:"-"`
	ApplicationsReviewed bool     `db:"registration_review" json:"-"`
	ApplicationsRequired string   `db:"registration_required" json:"-"` // names of fields, a space between them
	EmployeeRights       string   `db:"employee_rights" json:"-"`       // names of rights, a space between them
	ExclusivePhones      bool     `db:"exclusive_phones" json:"-"`
	Lighting             bool     `db:"lighting" json:"-"`
	PCDomain             string   `db:"pc_domain" json:"-"`
	ContactName          string   `db:"contact_name" json:"-"`
	ContactPhone         string   `db:"contact_phone" json:"-"`
	ManagerName          string   `db:"manager_name" json:"-"`
	ManagerPhone         string   `db:"manager_phone" json:"-"`
	IndustryID           int64    `db:"industry_id" json:"-"`    // 0: none chosen
	InitialisedAt        Instant  `db:"initialised_at" json:"-"` // 0: still to be done
	Sandbox              bool     `db:"sandbox" json:"-"`        // a trial of the platform that nobody registered
	ChatDoors            string   `db:"chat_doors" json:"-"`     // kinds of credentials of its own, a space between them; "off" for no door at all
	CreatedAt            Instant  `db:"created_at" json:"-"`
	UpdatedAt            Instant  `db:"updated_at" json:"-"`
}

const companyColumns = `c.id, c.name, c.confirmed_name,
	c.theme, c.icon_url, c.login_style_url, c.view_count_url, c.language, c.shop_skin,
	c.standing, c.disabled, c.ends_at, c.mall, c.registration_open, c.registration_review, c.registration_required, c.employee_rights, c.exclusive_phones, c.lighting,
	c.pc_domain, c.contact_name, c.contact_phone, c.manager_name, c.manager_phone, c.industry_id, c.initialised_at, c.sandbox, c.chat_doors, c.created_at, c.updated_at`

// CompanyByID reads one company; ErrNotFound.
func (db *DB) CompanyByID(ctx context.Context, id int64) (Company, error) {
	var c Company
	err := db.get(ctx, &c, "SELECT "+companyColumns+" FROM companies c WHERE c.id = ?", id)
	return c, err
}

// CompanyByHost reads the company that registered this exact host (lower case, without port); ErrNotFound.
func (db *DB) CompanyByHost(ctx context.Context, host string) (Company, error) {
	var c Company
	err := db.get(ctx, &c, `SELECT `+companyColumns+` FROM companies c
		JOIN company_hosts h ON h.company_id = c.id WHERE h.host = ? AND h.verified_at > 0`, host)
	return c, err
}

// ListCompanies reads every company, by id: for the operator's command line.
func (db *DB) ListCompanies(ctx context.Context) ([]Company, error) {
	var all []Company
	err := db.list(ctx, &all, "SELECT "+companyColumns+" FROM companies c ORDER BY c.id")
	return all, err
}

// SaveCompany inserts the company under its own id, or leaves the existing one as it is; it says whether
// it inserted.
func (db *DB) SaveCompany(ctx context.Context, c Company) (bool, error) {
	n, err := db.exec(ctx, `INSERT INTO companies (id, name, confirmed_name,
			theme, icon_url, login_style_url, view_count_url, language, shop_skin,
			standing, disabled, ends_at, mall, registration_open, registration_review, exclusive_phones, lighting,
			pc_domain, contact_name, contact_phone, manager_name, manager_phone, industry_id, created_at, updated_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
		c.ID, c.Name, c.ConfirmedName, c.Theme, c.IconURL, c.LoginStyleURL, c.ViewCountURL, c.Language, c.ShopSkin,
		c.Standing, c.Disabled, c.EndsAt, c.Mall, c.ApplicationsOpen, c.ApplicationsReviewed, c.ExclusivePhones, c.Lighting,
		c.PCDomain, c.ContactName, c.ContactPhone, c.ManagerName, c.ManagerPhone, c.IndustryID, c.CreatedAt, c.UpdatedAt)
	return n == 1, err
}

// AddCompany inserts a company that registers itself, or a sandbox, and gives its id.
func (db *DB) AddCompany(ctx context.Context, c Company) (int64, error) {
	var id int64
	err := db.change(ctx, &id, `INSERT INTO companies (id, name, language, standing, ends_at, mall, industry_id, initialised_at, sandbox, created_at, updated_at)
		VALUES (`+db.freshID("companies")+`, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
		c.Name, c.Language, c.Standing, c.EndsAt, c.Mall, c.IndustryID, c.InitialisedAt, c.Sandbox, c.CreatedAt, c.UpdatedAt)
	return id, err
}

// LockCompany keeps a company's row to this transaction until it ends; ErrNotFound.
func (db *DB) LockCompany(ctx context.Context, companyID int64) error {
	return db.one(ctx, "UPDATE companies SET updated_at = updated_at WHERE id = ?", companyID)
}

// InitialiseCompany notes a company's industry and that it has been initialised, once; ErrNotFound when it was.
func (db *DB) InitialiseCompany(ctx context.Context, companyID, industryID int64, now Instant) error {
	return db.one(ctx, "UPDATE companies SET industry_id = ?, initialised_at = ? WHERE id = ? AND initialised_at = 0", industryID, now, companyID)
}

// UpdateCompany writes what the operator and the company's administrators may change of a company: standing, end, whether
// it is disabled, name, the name confirmed for messages, theme, icon, the shop's colour, style sheet and statistics of
// its pages, language, mall, lighting edition, whether phones are exclusive, how it takes new customers, what its
// employees may do, whether it is a sandbox, desktop domain and the people to call. ErrNotFound.
func (db *DB) UpdateCompany(ctx context.Context, c Company) error {
	n, err := db.exec(ctx, `UPDATE companies SET name = ?, confirmed_name = ?,
			theme = ?, language = ?, standing = ?, disabled = ?, ends_at = ?, mall = ?,
			lighting = ?, exclusive_phones = ?, registration_open = ?, registration_review = ?, registration_required = ?,
			employee_rights = ?, icon_url = ?, sandbox = ?, chat_doors = ?, pc_domain = ?, contact_name = ?, contact_phone = ?, manager_name = ?, manager_phone = ?,
			shop_skin = ?, login_style_url = ?, view_count_url = ?, updated_at = ? WHERE id = ?`,
		c.Name, c.ConfirmedName, c.Theme, c.Language, c.Standing, c.Disabled, c.EndsAt, c.Mall,
		c.Lighting, c.ExclusivePhones, c.ApplicationsOpen, c.ApplicationsReviewed, c.ApplicationsRequired,
		c.EmployeeRights, c.IconURL, c.Sandbox, c.ChatDoors, c.PCDomain, c.ContactName, c.ContactPhone, c.ManagerName, c.ManagerPhone,
		c.ShopSkin, c.LoginStyleURL, c.ViewCountURL, c.UpdatedAt, c.ID)
	if err == nil && n == 0 {
		err = ErrNotFound
	}
	return err
}

// AddCompanyHost registers a host a company owns; nothing happens when the host is taken already.
func (db *DB) AddCompanyHost(ctx context.Context, companyID int64, host string, verified Instant) error {
	_, err := db.exec(ctx, `INSERT INTO company_hosts (host, company_id, verified_at) VALUES (?, ?, ?) ON CONFLICT (host) DO NOTHING`,
		host, companyID, verified)
	return err
}

// CompanyOwnsHost says whether host is a verified host of the company.
func (db *DB) CompanyOwnsHost(ctx context.Context, companyID int64, host string) (bool, error) {
	var n int
	err := db.get(ctx, &n, "SELECT COUNT(*) FROM company_hosts WHERE host = ? AND company_id = ? AND verified_at > 0", host, companyID)
	return n == 1, err
}

// AdvanceIdentities makes the ids given out from now on follow the largest one stored. Rows with explicit
// ids (the demo data) do not advance the sequences of Postgres; SQLite needs nothing.
func (db *DB) AdvanceIdentities(ctx context.Context) error {
	if !db.postgres {
		return nil
	}
	for _, table := range []string{"companies", "clients", "phones", "accounts", "categories", "products", "orders", "acceptances"} {
		if _, err := db.exec(ctx, fmt.Sprintf(`SELECT setval(pg_get_serial_sequence('%s', 'id'), (SELECT COALESCE(MAX(id), 1) FROM %s))`, table, table)); err != nil {
			return fmt.Errorf("advance identities of %s: %w", table, err)
		}
	}
	return nil
}
