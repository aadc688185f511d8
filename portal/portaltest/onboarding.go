package portaltest

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/accounts"
	"portico/portal/entry"
	"portico/portal/onboarding"
	"portico/portal/samples"
	"portico/portal/verification"
	"portico/store"
)

// Filled adds a company with the samples of an industry.
func (p *Platform) Filled(industry int64) store.Member {
	p.T.Helper()
	m := p.Founded("zh")
	_, err := p.Initialise(SessionOf(m), industry, true)
	NoError(p.T, err)
	return m
}

// Clear clears a company's samples.
func (p *Platform) Clear(m store.Member) store.SampleCounts {
	p.T.Helper()
	n, err := p.Onboarding.ClearSamples(p.From(HomeAddress), p.At(m))
	NoError(p.T, err)
	return n
}

// Invites adds an offered shop account of a company for a phone.
func (p *Platform) Invites(company int64, login, number string) store.Member {
	p.T.Helper()
	ctx, now := p.T.Context(), store.At(p.Clock.Now())
	_, err := p.Db.Phones.Add(ctx, store.Phone{Phone: number, CreatedAt: now})
	NoError(p.T, err)
	id, err := p.Db.Accounts.Add(ctx, store.Account{
		CompanyID: company, Side: store.Shop, Type: store.TypeShop, Login: login, Name: "采购",
		PhoneID:  PhoneOf(p.T, p.Db, number).ID,
		ClientID: p.Account("buyer1").ClientID, State: store.AccountActive, Invited: true, CreatedAt: now,
	})
	NoError(p.T, err)
	m, err := p.Db.Accounts.ByID(ctx, company, id)
	NoError(p.T, err)
	return m
}

// Completing returns the input that sets up an offered account.
func (p *Carer) Completing(company int64, phone, code, flow string) onboarding.CompleteInput {
	p.T.Helper()
	return onboarding.CompleteInput{
		Phone: phone, Code: code, Name: OwnName, Password: NewPassword, Confirm: NewPassword, CompanyID: company,
		Flow: flow, Browser: access.Browser{Place: p.Place(AccountHost)},
	}
}

// AskToComplete returns the request for the code that sets up an offered account.
func (p *Carer) AskToComplete(company int64, phone, flow string) verification.AskCodeInput {
	p.T.Helper()
	ask := p.Asking(verification.ForShopRegister, phone, flow)
	ask.CompanyID = company
	return ask
}

// ProvenComplete returns the input that sets up an offered account, with a valid code.
func (p *Carer) ProvenComplete(company int64, phone string) onboarding.CompleteInput {
	p.T.Helper()
	in := p.Completing(company, phone, "", verification.NewFlow())
	in.Code = p.Sent(p.AskToComplete(company, phone, in.Flow))
	return in
}

// Complete sets up an offered account.
func (p *Carer) Complete(in onboarding.CompleteInput) (onboarding.Completed, error) {
	return p.Onboarding.Complete(p.From(HomeAddress), in)
}

// DemoCase is a demo phone or account name and the result of signing in with it.
type DemoCase struct {
	Who      string
	Company  int64 // of the first step, or of the refusal
	Kind     accounts.StepKind
	Account  string
	Refusal  access.Refusal
	Contacts []string // phone numbers, best first
}

// DemoCases are the demo phones, and then the demo account names.
var DemoCases = []DemoCase{
	{Who: "13800000001", Kind: accounts.StepEnter, Company: 1001, Account: "buyer1"},
	{Who: "13800000002", Kind: accounts.StepEnter, Company: 1001, Account: "jinsui"},
	{Who: "13800000003", Kind: accounts.StepCompany},
	{Who: "13800000004", Refusal: access.UnderReview, Company: 1001, Contacts: []string{
		"13700000001", "13700000099", "13700000500",
	}},
	{Who: "13800000005", Refusal: access.AccountDisabled, Company: 1001, Contacts: []string{
		"13700000001", "13700000099", "13700000500",
	}},
	{Who: "13800000006", Refusal: access.PartnerEnded, Company: 1001, Contacts: []string{
		"13700000001", "13700000099", "13700000500",
	}},
	{Who: "13800000007", Refusal: access.CompanyDisabled, Company: 1004, Contacts: []string{
		"13700000099", "13700000500", "13700000001",
	}},
	{Who: "13800000008", Refusal: access.TrialEnded, Company: 1005, Contacts: []string{
		"13700000099", "13700000500", "13700000001",
	}},
	{Who: "13800000009", Refusal: access.CompanyExpired, Company: 1006, Contacts: []string{
		"13700000099", "13700000500", "13700000001",
	}},
	{Who: "13800000010", Refusal: access.MallNotOpen, Company: 1007, Contacts: []string{
		"13700000001", "13700000099", "13700000500",
	}},
	{Who: "13800000011", Refusal: access.PhoneNotBound, Contacts: []string{"13700000500"}},
	{Who: "13800000012", Kind: accounts.StepCompany},
	{Who: "nophone", Kind: accounts.StepBind, Company: 1001, Account: "nophone"},
	{Who: "northwind", Kind: accounts.StepBind, Company: 1003, Account: "northwind"},
	{Who: "buyer1", Kind: accounts.StepEnter, Company: 1001, Account: "buyer1"},
	{Who: "jinsui", Kind: accounts.StepEnter, Company: 1001, Account: "jinsui"},
	{Who: "li.manager", Kind: accounts.StepEnter, Company: 1001, Account: "li.manager"},
	{Who: "sur", Kind: accounts.StepEnter, Company: 1002, Account: "sur"},
	{Who: "li.shop", Kind: accounts.StepEnter, Company: 1001, Account: "li.shop"},
	{Who: "li.lights", Kind: accounts.StepEnter, Company: 1003, Account: "li.lights"},
	{Who: "trial", Kind: accounts.StepEnter, Company: 1008, Account: "trial"},
}

// Rolling chooses a role in the sandbox of a session.
func (p *Carer) Rolling(in onboarding.RoleInput) (store.Member, error) {
	return p.Onboarding.ChooseRole(p.From(HomeAddress), in)
}

// Initialise initialises the company of a session with an industry, with or without samples.
func (p *Platform) Initialise(s access.Session, industry int64, samples bool) (onboarding.Initialised, error) {
	return p.Onboarding.Initialise(p.From(HomeAddress), onboarding.InitialiseInput{
		Industry: industry, Import: samples, Session: s,
	})
}

// Goods counts the categories, products, customers and orders of a company.
func (p *Platform) Goods(company int64) string {
	p.T.Helper()
	ctx := p.T.Context()
	categories, err := p.Db.Catalogue.Categories(ctx, company)
	NoError(p.T, err)
	products, err := p.Db.Catalogue.Products(ctx, company)
	NoError(p.T, err)
	clients, err := p.Db.Clients.After(ctx, company, 0, 1000)
	NoError(p.T, err)
	orders, err := p.Db.Orders.OfCompany(ctx, company, 1<<30, 1000)
	NoError(p.T, err)
	return fmt.Sprintf("%d %d %d %d", len(categories), len(products), len(clients), len(orders))
}

// Packed counts the rows of a pack, in the format of Goods.
func Packed(t *testing.T, industry int64) string {
	t.Helper()
	pack, ok := samples.Samples(industry)
	if !ok {
		t.Fatal("there is no pack")
	}
	return fmt.Sprintf("%d %d %d %d", len(pack.Categories), len(pack.Products), len(pack.Customers), len(pack.Orders))
}

// WantTrade checks the orders of a company that a pack filled.
func (p *Platform) WantTrade(m store.Member, industry int64) {
	p.T.Helper()
	if got := p.Goods(m.CompanyID); got != Packed(p.T, industry) {
		p.T.Errorf("%d: it holds %s", industry, got)
	}
	now := store.At(p.Clock.Now())
	list, err := p.Backoffice.CompanyOrders(p.T.Context(), p.At(m), 0, "zh")
	NoError(p.T, err)
	states, later := map[store.OrderState]int{}, now
	for i, o := range list.Orders { // the newest first
		states[o.State]++
		if o.Number != int64(len(list.Orders)-i) || o.PlacedAt > later ||
			o.PlacedAt < now-store.Instant((60*24*time.Hour).Milliseconds()) {
			p.T.Errorf("%d: order %d of %d was placed at %v", industry, o.Number, len(list.Orders), o.PlacedAt.Time())
		}
		later = o.PlacedAt
		if confirmed := o.State == store.OrderConfirmed; confirmed != (o.ConfirmedAt != 0) || o.ConfirmedAt > now ||
			confirmed && o.ConfirmedAt < o.PlacedAt || o.ConfirmedBy != 0 || o.AccountID != 0 || o.Sample == "" {
			p.T.Errorf("%d: order %d is %+v", industry, o.Number, o)
		}
		detail, err := p.Backoffice.CompanyOrder(p.T.Context(), p.At(m), o.ID, "zh")
		NoError(p.T, err)
		sum := int64(0)
		for _, l := range detail.Lines {
			sum += l.Quantity * l.Price
			if l.Quantity < 1 || l.Price < 1 || l.Sample == "" {
				p.T.Errorf("%d: a line is %+v", industry, l)
			}
		}
		if len(detail.Lines) == 0 || len(detail.Lines) != o.Lines || sum != o.Total || detail.PlacedBy != "" ||
			detail.ConfirmedBy != "" {
			p.T.Errorf(
				"%d: order %d of %d lines comes to %d, not %d", industry, o.Number, len(detail.Lines), sum, o.Total,
			)
		}
	}
	if len(list.Orders) < 6 || states[store.OrderNew] == 0 || states[store.OrderConfirmed] == 0 {
		p.T.Errorf("%d: %v", industry, states)
	}
}

// WordsOf returns the texts of all rows of a company, as a reader of a language sees them.
func (p *Platform) WordsOf(m store.Member, lang string) map[string]string {
	p.T.Helper()
	ctx, here, words := p.T.Context(), p.At(m), map[string]string{}
	catalogue, err := p.Ordering.Catalogue(ctx, here, lang)
	NoError(p.T, err)
	for _, c := range catalogue {
		words["category "+c.Sample] = c.Name
		if _, ok := samples.SamplePicture(c.Picture); !ok {
			p.T.Errorf("there is no picture %s", c.Picture)
		}
		for _, k := range c.Products {
			words["product "+k.Sample], words["spec "+k.Sample], words["unit "+k.Sample] = k.Name, k.Spec, k.Unit
		}
	}
	customers, err := p.Backoffice.Customers(ctx, here, 0, lang)
	NoError(p.T, err)
	for _, k := range customers.Customers {
		words["customer "+k.Sample], words["contact "+k.Sample] = k.Name, k.Contact
	}
	list, err := p.Backoffice.CompanyOrders(ctx, here, 0, lang)
	NoError(p.T, err)
	for _, o := range list.Orders {
		if o.ClientName != words["customer "+o.ClientSample] || o.ClientContact != words["contact "+o.ClientSample] {
			p.T.Errorf("order %d is of %s", o.Number, o.ClientName)
		}
		detail, err := p.Backoffice.CompanyOrder(ctx, here, o.ID, lang)
		NoError(p.T, err)
		for _, l := range detail.Lines {
			if detail.ClientName != o.ClientName || l.Name != words["product "+l.ProductSample] ||
				l.Unit != words["unit "+l.ProductSample] || l.Spec != words["spec "+l.ProductSample] {
				p.T.Errorf("a line of order %d is %+v", o.Number, l)
			}
		}
	}
	return words
}

// Sweeps removes the expired sandboxes and requires their number.
func (p *Carer) Sweeps(want int) {
	p.T.Helper()
	n, err := p.Onboarding.RemoveSandboxes(p.T.Context())
	if err != nil || n != want {
		p.T.Errorf("removed %d, want %d: %v", n, want, err)
	}
}

const (
	OwnName     = "Marta Solano"
	OwnCompany  = "Ballena Azul"
	Seafood     = int64(121)
	Groceries   = int64(118)
	AgreementV1 = "2026-09-01"
)

// Registering returns the input that registers a company in a new browser.
func (p *Carer) Registering(phone, code, flow string) onboarding.RegisterInput {
	p.T.Helper()
	return onboarding.RegisterInput{
		Phone: phone, Code: code, Password: NewPassword, Name: OwnName, CompanyName: OwnCompany, Agree: true,
		Flow: flow, Version: AgreementV1, Lang: "es", Browser: access.Browser{Place: p.Place(AccountHost)},
	}
}

// Register registers a company.
func (p *Carer) Register(in onboarding.RegisterInput) (onboarding.Registered, error) {
	return p.Onboarding.Register(p.From(HomeAddress), in)
}

// Registered registers a company with a phone. It returns the result and the input.
func (p *Carer) Registered(phone string) (onboarding.Registered, onboarding.RegisterInput) {
	p.T.Helper()
	in := p.Registering(phone, "", verification.NewFlow())
	in.Code = p.Sent(p.Asking(verification.ForRegister, phone, in.Flow))
	result, err := p.Register(in)
	NoError(p.T, err)
	return result, in
}

// Adding returns the input that registers another company for the person of a session.
func (p *Carer) Adding(s access.Session, company string) onboarding.RegisterInput {
	p.T.Helper()
	in := p.Registering("", "", "")
	in.Session, in.CompanyName, in.Password = s, company, ""
	return in
}

// Trying returns the input that opens a sandbox in a new browser.
func (p *Carer) Trying(phone, code, flow string, industry int64) onboarding.ExperienceInput {
	p.T.Helper()
	return onboarding.ExperienceInput{
		Phone: phone, Code: code, Industry: industry, Agree: true,
		Names: onboarding.SandboxNames{Company: "试用公司", Person: "我", Customer: "试用客户"},
		Flow:  flow, Version: AgreementV1, Lang: "zh", Browser: access.Browser{Place: p.Place(AccountHost)},
	}
}

// Try opens a sandbox.
func (p *Carer) Try(in onboarding.ExperienceInput) (onboarding.Experience, error) {
	return p.Onboarding.OpenExperience(p.From(HomeAddress), in)
}

// Tried opens a sandbox with a phone in a new browser. It returns the result and the input.
func (p *Carer) Tried(phone string, industry int64) (onboarding.Experience, onboarding.ExperienceInput) {
	p.T.Helper()
	in := p.Trying(phone, "", verification.NewFlow(), industry)
	in.Code = p.Sent(p.Asking(verification.ForExperience, phone, in.Flow))
	result, err := p.Try(in)
	NoError(p.T, err)
	return result, in
}

// Role chooses a side of the sandbox of a session and returns its account.
func (p *Carer) Role(s access.Session, role string, samples bool) store.Member {
	p.T.Helper()
	m, err := p.Onboarding.ChooseRole(p.From(HomeAddress), onboarding.RoleInput{
		Role: role, Import: samples, Session: s,
	})
	NoError(p.T, err)
	return m
}

// Visit is a browser on a landing page.
type Visit struct {
	access.Landing
	Destination entry.Destination
	Token       string
}

// Visits enters an account of a session and follows the redirect to the landing page.
func (p *Carer) Visits(s access.Session, m store.Member) Visit {
	p.T.Helper()
	destination, err := p.Entry.Enter(p.From(HomeAddress), access.EnterInput{
		Session: s, AccountID: m.ID, Place: p.Place(AccountHost), Device: PhoneScreen,
	})
	NoError(p.T, err)
	return p.Arrives(destination)
}

// Arrives follows a redirect to the landing page.
func (p *Carer) Arrives(destination entry.Destination) Visit {
	p.T.Helper()
	redeemed, err := p.Redeem(destination, "")
	NoError(p.T, err)
	landing, err := p.LandAt(destination, redeemed.Token)
	NoError(p.T, err)
	return Visit{landing, destination, redeemed.Token}
}

// Rows dumps the database without the named tables, so that tests can see that nothing changed.
func (p *Platform) Rows(but ...string) string {
	p.T.Helper()
	dump, err := p.Db.Dump(p.T.Context())
	NoError(p.T, err)
	var kept []string
	for line := range strings.Lines(dump) {
		if table, _, _ := strings.Cut(line, " "); !slices.Contains(but, table) {
			kept = append(kept, line)
		}
	}
	slices.Sort(kept)
	return strings.Join(kept, "")
}

// Counted counts the rows of all tables except the named ones.
func (p *Platform) Counted(but ...string) string {
	p.T.Helper()
	counts, err := p.Db.RowCounts(p.T.Context())
	NoError(p.T, err)
	words := strings.Fields(counts)
	return strings.Join(slices.DeleteFunc(words, func(word string) bool {
		table, _, _ := strings.Cut(word, "=")
		return slices.Contains(but, table)
	}), " ")
}

// Companies returns the number of companies.
func (p *Platform) Companies() int {
	p.T.Helper()
	all, err := p.Db.Companies.All(p.T.Context())
	NoError(p.T, err)
	return len(all)
}

// Company reads a company.
func (p *Platform) Company(id int64) store.Company {
	p.T.Helper()
	c, err := p.Db.Companies.ByID(p.T.Context(), id)
	NoError(p.T, err)
	return c
}

// MembersOf reads the accounts of a phone.
func (p *Platform) MembersOf(number string) []store.Member {
	p.T.Helper()
	members, err := p.Db.Accounts.ByPhone(p.T.Context(), PhoneOf(p.T, p.Db, number).ID)
	NoError(p.T, err)
	return members
}

// OffersIn reads the accounts that a company offers to a number.
func (p *Platform) OffersIn(company int64, number string) []store.Member {
	p.T.Helper()
	offers, err := p.Db.Offers.InCompany(p.T.Context(), company, PhoneOf(p.T, p.Db, number).ID)
	NoError(p.T, err)
	return offers
}

// Founded adds a company with an administrator directly in the database. It is not initialised.
func (p *Platform) Founded(lang string) store.Member {
	p.T.Helper()
	ctx, now := p.T.Context(), store.At(p.Clock.Now())
	id, err := p.Db.Companies.Add(ctx, store.Company{
		Name: OwnCompany, Language: lang, Standing: store.Trial, EndsAt: now + 1e9, Mall: store.MallOpen,
		CreatedAt: now, UpdatedAt: now,
	})
	NoError(p.T, err)
	phone, err := p.Db.Phones.Add(ctx, store.Phone{Phone: fmt.Sprintf("139%08d", id), CreatedAt: now})
	NoError(p.T, err)
	account, err := p.Db.Accounts.Add(ctx, store.Account{
		CompanyID: id, Side: store.Mgr, Type: store.TypeAdministrator, Login: fmt.Sprintf("founder%d", id),
		PhoneID: phone, State: store.AccountActive, CreatedAt: now,
	})
	NoError(p.T, err)
	m, err := p.Db.Accounts.ByID(ctx, id, account)
	NoError(p.T, err)
	return m
}

// CustomerOf adds a customer of a company with a shop account.
func (p *Platform) CustomerOf(company int64) store.Member {
	p.T.Helper()
	ctx, now := p.T.Context(), store.At(p.Clock.Now())
	client, err := p.Db.Clients.Add(ctx, store.Client{
		CompanyID: company, Name: "Casa Pepa", State: store.ClientPartner, CreatedAt: now,
	})
	NoError(p.T, err)
	id, err := p.Db.Accounts.Add(ctx, store.Account{
		CompanyID: company, Side: store.Shop, Type: store.TypeShop, Login: fmt.Sprintf("buyer.%d", client),
		ClientID: client, State: store.AccountActive, CreatedAt: now,
	})
	NoError(p.T, err)
	m, err := p.Db.Accounts.ByID(ctx, company, id)
	NoError(p.T, err)
	return m
}

// At reads an account again and returns its landing.
func (p *Platform) At(m store.Member) access.Landing {
	p.T.Helper()
	fresh, err := p.Db.Accounts.ByID(p.T.Context(), m.CompanyID, m.ID)
	NoError(p.T, err)
	return access.Landing{Member: fresh}
}

// SessionOf returns a session of an account's person.
func SessionOf(m store.Member) access.Session { return access.Session{ID: "s", PhoneID: m.PhoneID} }

// Together calls run n times at once and waits for all calls.
func Together(n int, run func(i int)) {
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() { run(i) })
	}
	group.Wait()
}

// Field requires that exactly one field is refused, for a reason.
func Field(t *testing.T, err error, name string, want access.Problem) {
	t.Helper()
	if with := Refused(t, err, access.ValidationFailed); len(with.Fields) != 1 || with.Fields[name] != want {
		t.Errorf("got %v, want %s: %s", with.Fields, name, want)
	}
}

// HashOfPhone returns the stored password hash of a person.
func (p *Platform) HashOfPhone(number string) string {
	p.T.Helper()
	return PhoneOf(p.T, p.Db, number).PasswordHash
}

// RegistersBy returns the input that registers a company with a chat identity instead of a password.
func (p *Chatter) RegistersBy(b *Browser, ticket, phone string) onboarding.RegisterInput {
	p.T.Helper()
	in := p.Registering(phone, "", b.Flow)
	in.Password, in.Ticket, in.Browser = "", ticket, b.Browser()
	in.Code = p.Sent(p.Asking(verification.ForRegister, phone, p.Chatlogin.CodeFlow(b.Flow, ticket)))
	return in
}
