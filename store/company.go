package store

import (
	"context"
	"strconv"
	"strings"
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

// Company is a tenant company. Theme is six hex digits, or empty. EndsAt is when the trial or the paid time ends, 0 for
// never. PCDomain is the origin ("https://host") of the desktop back office on a host of the company's own, or empty;
// the company has proven that it owns the host, or the operator vouches for it.
type Company struct {
	ID   int64  `db:"id" json:"id_"`
	Name string `db:"name" json:"name_"`
	// the name in messages, confirmed by the operator; "" for none
	ConfirmedName        string   `db:"confirmed_name" json:"-"`
	Theme                string   `db:"theme" json:"theme_"`
	IconURL              string   `db:"icon_url" json:"mini_web_icon_"`
	LoginStyleURL        string   `db:"login_style_url" json:"login_page_style_url_"`
	ViewCountURL         string   `db:"view_count_url" json:"view_count_url_"`
	Language             string   `db:"language" json:"language_type_"`
	ShopSkin             string   `db:"shop_skin" json:"-"`
	Greeting             string   `db:"greeting" json:"-"`    // on the company's own sign-in page, "" for none
	WelcomeURL           string   `db:"welcome_url" json:"-"` // path of the picture beside it, "" for none
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
	InitialisedAt        Instant  `db:"initialised_at" json:"-"` // 0: not initialised
	Sandbox              bool     `db:"sandbox" json:"-"`        // a trial of the platform that nobody registered
	// ChatDoors are the kinds of the company's own credentials that people can sign in by, a space between them; "off"
	// when nobody signs in by chat apps.
	ChatDoors string  `db:"chat_doors" json:"-"`
	CreatedAt Instant `db:"created_at" json:"-"`
	UpdatedAt Instant `db:"updated_at" json:"-"`
}

const companyColumns = `c.id, c.name, c.confirmed_name,
	c.theme, c.icon_url, c.login_style_url, c.view_count_url, c.language, c.shop_skin, c.greeting, c.welcome_url,
	c.standing, c.disabled, c.ends_at, c.mall, c.registration_open, c.registration_review, c.registration_required,
	c.employee_rights, c.exclusive_phones, c.lighting,
	c.pc_domain, c.contact_name, c.contact_phone, c.manager_name, c.manager_phone, c.industry_id, c.initialised_at,
	c.sandbox, c.chat_doors, c.created_at, c.updated_at`

// CompanyTable reads and changes companies and their bank accounts.
type CompanyTable struct{ db *DB }

// ByID reads one company; ErrNotFound.
func (t CompanyTable) ByID(ctx context.Context, id int64) (Company, error) {
	return row[Company](ctx, t.db, "SELECT "+companyColumns+" FROM companies c WHERE c.id = ?", id)
}

// CompanyQuery selects companies. Text is part of a name in any case, a whole host or domain, or an id; "" for all.
type CompanyQuery struct {
	Text  string
	After int64 // the id after which the result begins
	Limit int   // how many companies are read at most
}

// likeEscape makes the characters of a LIKE pattern stand for themselves.
var likeEscape = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// Find reads the companies that a query selects, by id: for the operator's command line.
func (t CompanyTable) Find(ctx context.Context, q CompanyQuery) ([]Company, error) {
	where, args := "c.id > ?", []any{q.After}
	if q.Text != "" {
		text := strings.ToLower(q.Text)
		id, _ := strconv.ParseInt(text, 10, 64) // 0, which no company has
		where += ` AND (c.id = ? OR LOWER(c.name) LIKE ? ESCAPE '\' OR c.pc_domain = ?
			OR c.id IN (SELECT h.company_id FROM company_hosts h WHERE h.host = ?))`
		args = append(args, id, "%"+likeEscape.Replace(text)+"%", "https://"+text, text)
	}
	query := "SELECT " + companyColumns + " FROM companies c WHERE " + where + " ORDER BY c.id LIMIT ?"
	return rows[Company](ctx, t.db, query, append(args, q.Limit)...)
}

// Save inserts a company with the id c.ID. It changes nothing and returns false when there is one with that id.
func (t CompanyTable) Save(ctx context.Context, c Company) (bool, error) {
	n, err := t.db.exec(ctx, `INSERT INTO companies (id, name, confirmed_name,
			theme, icon_url, login_style_url, view_count_url, language, shop_skin, greeting,
			standing, disabled, ends_at, mall, registration_open, registration_review, exclusive_phones, lighting,
			pc_domain, contact_name, contact_phone, manager_name, manager_phone, industry_id, created_at, updated_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO NOTHING`,
		c.ID, c.Name, c.ConfirmedName, c.Theme, c.IconURL, c.LoginStyleURL, c.ViewCountURL, c.Language, c.ShopSkin,
		c.Greeting, c.Standing, c.Disabled, c.EndsAt, c.Mall, c.ApplicationsOpen, c.ApplicationsReviewed,
		c.ExclusivePhones, c.Lighting,
		c.PCDomain, c.ContactName, c.ContactPhone, c.ManagerName, c.ManagerPhone, c.IndustryID, c.CreatedAt,
		c.UpdatedAt)
	return n == 1, err
}

// Add inserts a company that registers itself, or a sandbox, and returns the id that the database chose.
func (t CompanyTable) Add(ctx context.Context, c Company) (int64, error) {
	var id int64
	err := t.db.change(ctx, &id, `INSERT INTO companies (id, name, language, standing, ends_at, mall, industry_id,
		initialised_at, sandbox, created_at, updated_at)
		VALUES (`+t.db.freshID("companies")+`, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
		c.Name, c.Language, c.Standing, c.EndsAt, c.Mall, c.IndustryID, c.InitialisedAt, c.Sandbox, c.CreatedAt,
		c.UpdatedAt)
	return id, err
}

// Lock locks a company's row until the transaction ends. ErrNotFound.
func (t CompanyTable) Lock(ctx context.Context, companyID int64) error {
	return t.db.one(ctx, "UPDATE companies SET updated_at = updated_at WHERE id = ?", companyID)
}

// Initialise stores a company's industry and that it has been initialised. ErrNotFound when it was before.
func (t CompanyTable) Initialise(ctx context.Context, companyID, industryID int64, now Instant) error {
	return t.db.one(ctx, "UPDATE companies SET industry_id = ?, initialised_at = ? "+
		"WHERE id = ? AND initialised_at = 0", industryID, now, companyID)
}

// Update writes the columns of a company that the operator and the company's administrators may change. These
// are all but the id, the industry and the times of creation and initialisation. ErrNotFound.
func (t CompanyTable) Update(ctx context.Context, c Company) error {
	return t.db.one(ctx, `UPDATE companies SET name = ?, confirmed_name = ?,
			theme = ?, language = ?, standing = ?, disabled = ?, ends_at = ?, mall = ?,
			lighting = ?, exclusive_phones = ?, registration_open = ?, registration_review = ?,
			registration_required = ?,
			employee_rights = ?, icon_url = ?, sandbox = ?, chat_doors = ?, pc_domain = ?, contact_name = ?,
			contact_phone = ?, manager_name = ?, manager_phone = ?,
			shop_skin = ?, login_style_url = ?, view_count_url = ?, greeting = ?, welcome_url = ?, updated_at = ?
		WHERE id = ?`,
		c.Name, c.ConfirmedName, c.Theme, c.Language, c.Standing, c.Disabled, c.EndsAt, c.Mall,
		c.Lighting, c.ExclusivePhones, c.ApplicationsOpen, c.ApplicationsReviewed, c.ApplicationsRequired,
		c.EmployeeRights, c.IconURL, c.Sandbox, c.ChatDoors, c.PCDomain, c.ContactName, c.ContactPhone, c.ManagerName,
		c.ManagerPhone,
		c.ShopSkin, c.LoginStyleURL, c.ViewCountURL, c.Greeting, c.WelcomeURL, c.UpdatedAt, c.ID)
}

// BankAccount is the account to which a company's customers pay. Card has 12 to 19 digits and nothing else.
type BankAccount struct {
	CompanyID int64   `db:"company_id"`
	Holder    string  `db:"holder"`
	Bank      string  `db:"bank"`
	Card      string  `db:"card"`
	UpdatedAt Instant `db:"updated_at"`
}

// BankAccount reads a company's bank account. ErrNotFound when it has none.
func (t CompanyTable) BankAccount(ctx context.Context, companyID int64) (BankAccount, error) {
	return row[BankAccount](ctx, t.db, "SELECT company_id, holder, bank, card, updated_at FROM company_bank_accounts "+
		"WHERE company_id = ?", companyID)
}

// PutBankAccount stores a company's bank account. It replaces the former one.
func (t CompanyTable) PutBankAccount(ctx context.Context, a BankAccount) error {
	_, err := t.db.exec(ctx, `INSERT INTO company_bank_accounts (company_id, holder, bank, card, updated_at)
		VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (company_id) DO UPDATE
		SET holder = excluded.holder, bank = excluded.bank, card = excluded.card, updated_at = excluded.updated_at`,
		a.CompanyID, a.Holder, a.Bank, a.Card, a.UpdatedAt)
	return err
}

// DropBankAccount removes a company's bank account, if it has one.
func (t CompanyTable) DropBankAccount(ctx context.Context, companyID int64) error {
	_, err := t.db.exec(ctx, "DELETE FROM company_bank_accounts WHERE company_id = ?", companyID)
	return err
}
