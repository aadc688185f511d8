package companytest

import (
	"fmt"
	"strings"

	"portico/portal/access"
	"portico/portal/office"
	"portico/portal/onboarding"
	"portico/portal/portaltest"
	"portico/portal/portaltest/onboardingtest"
	"portico/store"
)

// CountCompanies returns the number of companies. It fails the test if they cannot be read.
func CountCompanies(p *portaltest.Platform) int {
	p.T.Helper()
	all, err := p.DB.Companies.Find(p.T.Context(), store.CompanyQuery{Limit: 1000})
	portaltest.NoError(p.T, err)
	return len(all)
}

// AddCompany adds a company with an administrator directly to the database and returns the administrator. The company
// is not initialised. It fails the test if the database refuses it.
func AddCompany(p *portaltest.Platform, lang string) store.Member {
	p.T.Helper()
	ctx, now := p.T.Context(), store.At(p.Clock.Now())
	id, err := p.DB.Companies.Add(ctx, store.Company{
		Name:      onboardingtest.CompanyName,
		Language:  lang,
		Standing:  store.Trial,
		EndsAt:    now + 1e9,
		Mall:      store.MallOpen,
		CreatedAt: now,
		UpdatedAt: now,
	})
	portaltest.NoError(p.T, err)
	phone, err := p.DB.Persons.Add(ctx, store.Person{Phone: fmt.Sprintf("139%08d", id), CreatedAt: now})
	portaltest.NoError(p.T, err)
	account, err := p.DB.Accounts.Add(ctx, store.Account{
		CompanyID: id, Side: store.Mgr, Type: store.TypeAdministrator, Login: fmt.Sprintf("founder%d", id),
		PersonID: phone, State: store.AccountActive, CreatedAt: now,
	})
	portaltest.NoError(p.T, err)
	m, err := p.DB.Accounts.ByID(ctx, id, account)
	portaltest.NoError(p.T, err)
	return m
}

// AddCustomer adds a customer with a shop account to a company and returns the account. It fails the test if the
// database refuses it.
func AddCustomer(p *portaltest.Platform, company int64) store.Member {
	p.T.Helper()
	ctx, now := p.T.Context(), store.At(p.Clock.Now())
	client, err := p.DB.Clients.Add(ctx, store.Client{
		CompanyID: company, Name: "Casa Pepa", State: store.ClientPartner, CreatedAt: now,
	})
	portaltest.NoError(p.T, err)
	id, err := p.DB.Accounts.Add(ctx, store.Account{
		CompanyID: company, Side: store.Shop, Type: store.TypeShop, Login: fmt.Sprintf("buyer.%d", client),
		ClientID: client, State: store.AccountActive, CreatedAt: now,
	})
	portaltest.NoError(p.T, err)
	m, err := p.DB.Accounts.ByID(ctx, company, id)
	portaltest.NoError(p.T, err)
	return m
}

// OpenAccount opens an account of company 1001 as its administrator and returns the operation's result.
func OpenAccount(p *portaltest.Platform, in office.OpenAccountInput) (office.OpenedAccount, error) {
	p.T.Helper()
	return p.Backoffice.OpenAccount(p.From(portaltest.HomeAddress), p.Administrator(), in)
}

// PartnerID returns the id of a customer of company 1001 whose partnership has not ended.
func PartnerID(p *portaltest.Platform) int64 { return p.Account("buyer1").ClientID }

// RoleChangeInput returns the input that changes the role of an account, with the demo password.
func RoleChangeInput(login string, p *portaltest.Platform, change office.RoleChange) office.ChangeRoleInput {
	return office.ChangeRoleInput{AccountID: p.Account(login).ID, Change: change, Password: onboarding.DemoPassword}
}

// AccountTypes returns the types of accounts as text, such as "1 2".
func AccountTypes(p *portaltest.Platform, logins ...string) string {
	p.T.Helper()
	var all []string
	for _, login := range logins {
		all = append(all, fmt.Sprint(p.Account(login).Type))
	}
	return strings.Join(all, " ")
}

// EmployeeWithRights gives all employees of company 1001 exactly these rights, directly in the database, and returns a
// landing for an employee.
func EmployeeWithRights(p *portaltest.Platform, rights ...access.Right) access.Landing {
	p.T.Helper()
	var names []string
	for _, right := range rights {
		names = append(names, string(right))
	}
	p.UpdateCompany(1001, func(c *store.Company) { c.EmployeeRights = strings.Join(names, " ") })
	return p.LandingFor(p.Account("li.manager"))
}

// AuditEvents reads all events of the log that pass a filter, in the order of an export.
func AuditEvents(
	p *portaltest.Platform, here access.Landing, f access.AuditFilter,
) (all []access.AuditEvent, err error) {
	p.T.Helper()
	err = p.Lists.EachAuditEvent(p.T.Context(), here, f, func(events []access.AuditEvent) error {
		all = append(all, events...)
		return nil
	})
	return all, err
}

// AddEvent adds an audit event of a company. It fails the test if the event cannot be written.
func AddEvent(p *portaltest.Platform, company, account int64, kind, detail string) {
	p.T.Helper()
	actor := store.Member{Account: store.Account{ID: account, CompanyID: company, PersonID: 7}}
	ctx := access.WithCaller(p.T.Context(), access.Caller{Address: "203.0.113.77", RequestID: "r-9"})
	portaltest.NoError(p.T, p.Access.Event(ctx, p.DB, kind, actor, detail))
}

// AddExclusiveCompany makes company 1008 one that keeps phones exclusively, and adds shop accounts to it. It returns
// their phones, which are new.
func AddExclusiveCompany(p *portaltest.Platform, accounts int) (phones []string) {
	p.T.Helper()
	p.UpdateCompany(1008, func(c *store.Company) { c.ExclusivePhones = true })
	for i := range accounts {
		phone := fmt.Sprintf("139888%05d", i)
		_, err := p.DB.Persons.Add(p.T.Context(), store.Person{Phone: phone, CreatedAt: 1})
		portaltest.NoError(p.T, err)
		AddAccount(p, fmt.Sprintf("kept%d", i), 1008, store.Shop, phone)
		phones = append(phones, phone)
	}
	return phones
}
