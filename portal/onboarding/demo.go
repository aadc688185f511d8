package onboarding

import (
	"context"
	"fmt"
	"time"

	"portico/portal/samples"
	"portico/store"
)

// DemoPassword is the password of every demo phone and account.
const DemoPassword = "Demo2026"

// DemoCompany is the id of the first demo company.
const DemoCompany = 1001

// DemoRow is one line of the table that is printed at start: a phone or account name, and the case that it
// demonstrates.
type DemoRow struct {
	Login string
	Shows string // "demo." + Shows is a locale key
}

// demoYear is how long the demo companies are valid after they are loaded.
const demoYear = 365 * 24 * time.Hour

// demoCompanies returns the demo companies. Their ids are fixed, because integrators rely on them.
func demoCompanies(now time.Time) []store.Company {
	base := store.Company{
		Language: "zh", Standing: store.Formal, Mall: store.MallOpen, EndsAt: store.At(now.Add(demoYear)),
		ApplicationsReviewed: true,
		ContactName:          "陈静", ContactPhone: "13700000001", ManagerName: "周宁", ManagerPhone: "13700000099",
		CreatedAt: store.At(now), UpdatedAt: store.At(now),
	}
	rows := make([]store.Company, 8)
	for i := range rows {
		rows[i] = base
		rows[i].ID = int64(1001 + i)
	}
	rows[0].Name, rows[0].ApplicationsOpen = "金穗粮油", true
	rows[1].Name = "Mariscos del Sur"
	rows[1].Language = "es"
	rows[1].Theme = "d9480f"
	rows[0].Greeting, rows[1].Greeting = "新米新油，当天下单，次日送达。", "Del muelle a su cocina, antes de las ocho."
	rows[2].Greeting = "Light for every room, from stock."
	rows[1].ApplicationsOpen, rows[1].ApplicationsReviewed = true, false
	rows[1].ContactName, rows[1].ContactPhone = "Lucía Ramos", "13700000002"
	rows[2].Name = "Northwind Lighting"
	rows[2].Language = "en"
	rows[2].Theme = "1c7ed6"
	rows[2].Lighting = true
	rows[2].ContactName, rows[2].ContactPhone = "Alan Reed", "13700000003"
	rows[3].Name, rows[3].Disabled = "停用商贸", true
	rows[4].Name = "试用到期商贸"
	rows[4].Standing = store.Trial
	rows[4].EndsAt = store.At(now.Add(-24 * time.Hour))
	rows[5].Name, rows[5].EndsAt = "过期商贸", store.At(now.Add(-24*time.Hour))
	rows[6].Name, rows[6].Mall = "未开商城", store.MallNotOpen
	rows[0].IndustryID = 118
	rows[1].IndustryID = 121
	rows[2].IndustryID = 128
	rows[7].IndustryID = 725
	rows[7].Name = "试用中商贸"
	rows[7].Standing = store.Trial
	rows[7].EndsAt = store.At(now.Add(12 * 24 * time.Hour))
	for i := range rows {
		if rows[i].Standing == store.Formal {
			rows[i].ConfirmedName = rows[i].Name
		}
	}
	return rows
}

type demoAccount struct {
	company int64
	side    store.Side
	kind    int
	login   string
	name    string
	phone   string
	state   store.AccountState
	client  int64
}

const (
	demoClientPartner = 2001
	demoClientEnded   = 2002
	demoClientLights  = 2003
	demoClientNotOpen = 2004
	demoClientTrial   = 2005
	demoUnbound       = "13800000011"
)

// demoAccounts are the accounts of the demo companies.
var demoAccounts = []demoAccount{
	{1001, store.Shop, store.TypeShop, "buyer1", "王芳", "13800000001", store.AccountActive, demoClientPartner},
	{1001, store.Mgr, store.TypeAdministrator, "jinsui", "陈静", "13800000002", store.AccountActive, 0},
	{1001, store.Mgr, store.TypeEmployee, "li.manager", "李伟", "13800000003", store.AccountActive, 0},
	{1002, store.Mgr, store.TypeAdministrator, "sur", "Lucía Ramos", "13800000003", store.AccountActive, 0},
	{1001, store.Shop, store.TypeShop, "li.shop", "李伟", "13800000003", store.AccountActive, demoClientPartner},
	{1003, store.Shop, store.TypeShop, "li.lights", "Li Wei", "13800000003", store.AccountActive, demoClientLights},
	{1001, store.Shop, store.TypeShop, "review", "赵敏", "13800000004", store.AccountUnderReview, demoClientPartner},
	{1001, store.Shop, store.TypeShop, "disabled", "孙强", "13800000005", store.AccountDisabled, demoClientPartner},
	{1001, store.Shop, store.TypeShop, "former", "吴磊", "13800000006", store.AccountActive, demoClientEnded},
	{1004, store.Mgr, store.TypeAdministrator, "stopped", "郑洁", "13800000007", store.AccountActive, 0},
	{1005, store.Mgr, store.TypeAdministrator, "trial.over", "冯涛", "13800000008", store.AccountActive, 0},
	{1006, store.Mgr, store.TypeAdministrator, "expired", "何琳", "13800000009", store.AccountActive, 0},
	{1007, store.Shop, store.TypeShop, "early", "马超", "13800000010", store.AccountActive, demoClientNotOpen},
	{1008, store.Mgr, store.TypeAdministrator, "trial", "林岚", "13800000012", store.AccountActive, 0},
	{1008, store.Shop, store.TypeShop, "trial.shop", "林岚", "13800000012", store.AccountActive, demoClientTrial},
	{1001, store.Shop, store.TypeShop, "nophone", "许静", "", store.AccountActive, demoClientPartner},
	{1003, store.Mgr, store.TypeAdministrator, "northwind", "Alan Reed", "", store.AccountActive, 0},
}

// DemoTable lists what each demo phone and account name demonstrates.
var DemoTable = []DemoRow{
	{"13800000001", "one_shop"}, {"13800000002", "one_manager"}, {"13800000003", "many"},
	{"13800000004", "under_review"},
	{"13800000005", "account_disabled"}, {"13800000006", "partner_ended"}, {"13800000007", "company_disabled"},
	{"13800000008", "trial_ended"}, {"13800000009", "company_expired"}, {"13800000010", "mall_not_open"},
	{demoUnbound, "phone_not_bound"}, {"13800000012", "both_sides"}, {"nophone", "no_phone_shop"},
	{"northwind", "no_phone_manager"},
}

// LoadDemo loads the demo data. It does nothing when the data is already there.
func (o *Onboarding) LoadDemo(ctx context.Context) error {
	loaded, err := o.DemoLoaded(ctx)
	if err != nil || loaded {
		return err
	}
	hashes, err := o.demoHashes(ctx)
	if err != nil {
		return err
	}
	now := o.core.Now()
	return o.core.DB.Tx(ctx, func(tx *store.DB) error {
		for _, c := range demoCompanies(now) {
			if c.ID == 1003 {
				c.PCDomain = o.core.Access.Origin("store1003")
			}
			if _, err := tx.Companies.Save(ctx, c); err != nil {
				return fmt.Errorf("demo company %d: %w", c.ID, err)
			}
		}
		if err := tx.Hosts.Add(ctx, 1001, "jinsui.test", store.At(now)); err != nil {
			return err
		}
		if err := addDemoClients(ctx, tx, store.At(now)); err != nil {
			return err
		}
		phones, err := addDemoPhones(ctx, tx, hashes, store.At(now))
		if err != nil {
			return err
		}
		for i, a := range demoAccounts {
			if _, err := tx.Accounts.Add(ctx, store.Account{
				ID: int64(3001 + i), CompanyID: a.company, Side: a.side, Type: a.kind, Login: a.login, Name: a.name,
				PersonID: phones[a.phone],
				ClientID: a.client, PasswordHash: hashes[a.login], State: a.state, CreatedAt: store.At(now),
			}); err != nil {
				return fmt.Errorf("demo account %s: %w", a.login, err)
			}
		}
		if err := tx.AdvanceIdentities(ctx); err != nil {
			return err
		}
		return addDemoSamples(ctx, tx, now)
	})
}

// demoPack returns what a demo company sells: the samples of its industry, or for the one whose name promises seafood
// nothing else. ok is false for a company without an industry.
func demoPack(c store.Company) (pack *samples.SamplePack, ok bool) {
	if c.ID == 1002 {
		return samples.Seafood(), true
	}
	return samples.Samples(c.IndustryID)
}

// addDemoSamples fills the demo's shops with what they sell.
func addDemoSamples(ctx context.Context, tx *store.DB, now time.Time) error {
	for _, c := range demoCompanies(now) {
		pack, ok := demoPack(c)
		if !ok {
			continue
		}
		guest := map[int64]int64{1001: demoClientPartner, 1003: demoClientLights, 1008: demoClientTrial}[c.ID]
		if err := importSamples(ctx, tx, c, pack, guest, now); err != nil {
			return fmt.Errorf("demo samples of %d: %w", c.ID, err)
		}
	}
	return nil
}

// DemoLoaded reports whether the demo data is there: it looks for the last row that LoadDemo adds.
func (o *Onboarding) DemoLoaded(ctx context.Context) (bool, error) {
	last := demoAccounts[len(demoAccounts)-1]
	members, err := o.core.DB.Accounts.ByLogin(ctx, last.login)
	return len(members) > 0, err
}

// demoHashes hashes the demo password once for each account name and phone, each with its own salt.
func (o *Onboarding) demoHashes(ctx context.Context) (map[string]string, error) {
	hashes := map[string]string{demoUnbound: ""}
	for _, a := range demoAccounts {
		hashes[a.login], hashes[a.phone] = "", ""
	}
	delete(hashes, "")
	for name := range hashes {
		hash, err := o.core.Passwords.Hasher.Hash(ctx, DemoPassword)
		if err != nil {
			return nil, err
		}
		hashes[name] = hash
	}
	return hashes, nil
}

func addDemoClients(ctx context.Context, tx *store.DB, now store.Instant) error {
	for _, k := range []store.Client{
		{ID: demoClientPartner, CompanyID: 1001, Name: "芳华便利店", TypeID: 1, State: store.ClientPartner},
		{ID: demoClientEnded, CompanyID: 1001, Name: "老街副食", TypeID: 1, State: store.ClientEnded},
		{ID: demoClientLights, CompanyID: 1003, Name: "Li Interiors", TypeID: 2, State: store.ClientPartner},
		{ID: demoClientNotOpen, CompanyID: 1007, Name: "超越商行", TypeID: 1, State: store.ClientPartner},
		{ID: demoClientTrial, CompanyID: 1008, Name: "试用客户", TypeID: 1, State: store.ClientPartner},
	} {
		k.CreatedAt = now
		if err := tx.Clients.AddWithID(ctx, k); err != nil {
			return fmt.Errorf("demo client %d: %w", k.ID, err)
		}
	}
	for _, t := range []store.CustomerType{
		{CompanyID: 1001, ID: 1, Name: "零售店"}, {CompanyID: 1001, ID: 2, Name: "连锁店"},
		{CompanyID: 1001, ID: 3, Name: "餐厅"},
		{CompanyID: 1003, ID: 1, Name: "Retailer"}, {CompanyID: 1003, ID: 2, Name: "Interior designer"},
		{CompanyID: 1007, ID: 1, Name: "零售店"}, {CompanyID: 1008, ID: 1, Name: "零售店"},
	} {
		if err := tx.Clients.PutType(ctx, t); err != nil {
			return fmt.Errorf("demo customer type: %w", err)
		}
	}
	return nil
}

func addDemoPhones(
	ctx context.Context, tx *store.DB, hashes map[string]string, now store.Instant,
) (map[string]int64, error) {
	numbers := []string{demoUnbound}
	for _, a := range demoAccounts {
		if a.phone != "" {
			numbers = append(numbers, a.phone)
		}
	}
	ids := map[string]int64{}
	for _, number := range numbers {
		if ids[number] != 0 {
			continue
		}
		id, err := tx.Persons.Add(ctx, store.Person{Phone: number, PasswordHash: hashes[number], CreatedAt: now})
		if err != nil {
			return nil, fmt.Errorf("demo phone: %w", err)
		}
		if id == 0 {
			existing, err := tx.Persons.ByNumber(ctx, number)
			if err != nil {
				return nil, err
			}
			id = existing.ID
		}
		ids[number] = id
	}
	return ids, nil
}
