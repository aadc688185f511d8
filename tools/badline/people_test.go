package badline_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"portico/store"
)

// numbers numbers the phones, accounts and records that the tests add.
var numbers atomic.Int64

// newPhone returns a phone number that nobody has registered.
func newPhone() string { return fmt.Sprintf("139%08d", 10_000_000+numbers.Add(1)) }

// testCompany is a company that one test uses. It has an administrator, a customer, and a product.
type testCompany struct {
	s                       *site
	id, clientID, productID int64
	owner, buyer            person
}

// person has one account in a testCompany. The password is the demo's.
type person struct {
	phone     string // "" for none
	login     string
	name      string
	accountID int64
}

// host returns the first label of the company's host.
func (c testCompany) host() string { return fmt.Sprintf("store%d", c.id) }

// newCompany adds a company that accepts new customers after a review.
func (s *site) newCompany(t testing.TB) testCompany {
	t.Helper()
	company, now := testCompany{s: s}, store.At(time.Now())
	n := numbers.Add(1)
	c := store.Company{
		Name: fmt.Sprintf("House %d", n), Language: "en", Standing: store.Formal,
		EndsAt: store.At(time.Now().Add(1000 * time.Hour)), Mall: store.MallOpen,
		IndustryID: 118, InitialisedAt: now, CreatedAt: now, UpdatedAt: now,
	}
	id, err := s.db.Companies.Add(t.Context(), c)
	if err == nil {
		c, err = s.db.Companies.ByID(t.Context(), id)
	}
	if err == nil {
		c.ApplicationsOpen, c.ApplicationsReviewed, c.ContactName, c.ContactPhone = true, true, "Keeper", "13700000001"
		err = s.db.Companies.Update(t.Context(), c)
	}
	var category int64
	if err == nil {
		category, err = s.db.Catalogue.AddCategory(t.Context(), store.Category{CompanyID: id, Name: "Goods"})
	}
	company.id = id
	if err == nil {
		company.productID, err = s.db.Catalogue.AddProduct(
			t.Context(),
			store.Product{CompanyID: id, CategoryID: category, Name: "Rice",
				Spec: "25 kg", Unit: "bag", Price: 3280, Stock: 1000},
		)
	}
	if err == nil {
		company.clientID, err = s.db.Clients.Add(
			t.Context(),
			store.Client{CompanyID: id, Name: fmt.Sprintf("Customer %d", n),
				State: store.ClientPartner, CreatedAt: now},
		)
	}
	if err != nil {
		t.Fatal(err)
	}
	company.owner = company.addAccount(t, store.TypeAdministrator, newPhone())
	company.buyer = company.addAccount(t, store.TypeShop, newPhone())
	return company
}

// offerAccount opens an employee's account for a phone, whose holder has not accepted it.
func (c testCompany) offerAccount(t testing.TB, phone string) person {
	t.Helper()
	p := c.addAccount(t, store.TypeEmployee, phone)
	c.s.change(t, "UPDATE accounts SET invited = 1, invited_at = ? WHERE id = ?", time.Now().UnixMilli(), p.accountID)
	return p
}

// addAccount adds an account to the company. Without a phone ("") the account has a password of its own.
func (c testCompany) addAccount(t testing.TB, kind int, phone string) person {
	t.Helper()
	s, n := c.s, numbers.Add(1)
	like, err := s.db.Persons.ByNumber(t.Context(), "13800000001")
	if err != nil {
		t.Fatal(err)
	}
	p := person{phone: phone, login: fmt.Sprintf("person%d", n), name: fmt.Sprintf("Person %d", n)}
	a := store.Account{
		CompanyID: c.id, Side: store.Mgr, Type: kind, Login: p.login, Name: p.name, PasswordHash: like.PasswordHash,
		State:        store.AccountActive,
		BindReminder: false, CreatedAt: store.At(time.Now()),
	}
	if kind == store.TypeShop {
		a.Side, a.ClientID = store.Shop, c.clientID
	}
	if phone != "" {
		known, err := s.db.Persons.ByNumber(t.Context(), phone)
		if a.PersonID = known.ID; err != nil {
			a.PersonID, err = s.db.Persons.Add(t.Context(), store.Person{Phone: phone, PasswordHash: like.PasswordHash,
				CreatedAt: a.CreatedAt})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if p.accountID, err = s.db.Accounts.Add(t.Context(), a); err != nil || p.accountID == 0 {
		t.Fatal(p.accountID, err)
	}
	return p
}

// addApplication adds a pending application and returns its id and the applicant's phone.
func (c testCompany) addApplication(t testing.TB) (id int64, phone string) {
	t.Helper()
	id, phone = 900_000_000+numbers.Add(1), newPhone()
	ok, err := c.s.db.Applications.Add(t.Context(), store.Application{
		ID: id, CompanyID: c.id, Phone: phone, State: store.ApplicationPending, CompanyName: "Corner shop",
		ContactName: "Wang", Lang: "en",
		CreatedAt: store.At(time.Now()),
	})
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	return id, phone
}

// addOrder adds an order that is not confirmed and returns its id.
func (c testCompany) addOrder(t testing.TB) int64 {
	t.Helper()
	n := numbers.Add(1)
	id, err := c.s.db.Orders.Add(t.Context(), store.Order{
		CompanyID: c.id, Number: n, ClientID: c.clientID, AccountID: c.buyer.accountID, Form: fmt.Sprintf("form%d", n),
		State: store.OrderNew,
		Total: 3280, PlacedAt: store.At(time.Now()),
	})
	if err == nil {
		err = c.s.db.Orders.AddLine(t.Context(), store.OrderLine{OrderID: id, Line: 1, ProductID: c.productID,
			Quantity: 1, Price: 3280})
	}
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// signIn signs a person in at the account site, by phone or by login, and returns the next page.
func (b *browser) signIn(p person) *page {
	b.t.Helper()
	if p.phone == "" {
		return b.open("account", "/login/account").form("password").fill("login", p.login, "password",
			password).press("")
	}
	return b.open("account", "/login").form("password").fill("phone", p.phone, "password", password).press("")
}
