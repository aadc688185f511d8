package program

import (
	"fmt"
	"testing"
	"time"

	"portico/store"
)

// Company is a company that a test has for itself and that accepts applications. Its administrator signs in with Phone
// and Password.
type Company struct {
	ID                         int64
	Name, Administrator, Phone string
}

// Host returns the first label of the company's host.
func (c Company) Host() string { return fmt.Sprintf("store%d", c.ID) }

// AddCompany adds a company with an administrator. Its pages are in the language lang. required lists the fields that
// an application must have besides the names. With review, an administrator decides each application.
func (s *Server) AddCompany(t *testing.T, lang, required string, review bool) Company {
	t.Helper()
	db, now := s.Database(t), store.At(time.Now())
	company := Company{Phone: NewPhone()}
	company.Name, company.Administrator = named(order(company.Phone), streets, shops), PersonName(company.Phone)
	id, err := db.Companies.Add(t.Context(), store.Company{
		Name: company.Name, Language: lang, Standing: store.Formal, EndsAt: store.At(time.Now().Add(1000 * time.Hour)),
		Mall: store.MallOpen, InitialisedAt: now, CreatedAt: now, UpdatedAt: now,
	})
	if err != nil {
		t.Fatal(err)
	}
	stored, err := db.Companies.ByID(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	company.ID = id
	stored.ApplicationsOpen = true
	stored.ApplicationsReviewed = review
	stored.ApplicationsRequired = required
	stored.ContactName = company.Administrator
	stored.ContactPhone = company.Phone
	stored.ConfirmedName = stored.Name
	if err := db.Companies.Update(t.Context(), stored); err != nil {
		t.Fatal(err)
	}
	s.AddStaff(t, company, store.TypeAdministrator, company.Phone, company.Administrator)
	return company
}

// OfferAccount opens an employee's account for a registered phone. Its holder has not accepted it yet.
func (s *Server) OfferAccount(t *testing.T, company Company, number string) {
	t.Helper()
	db := s.Database(t)
	person, err := db.Persons.ByNumber(t.Context(), number)
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.Accounts.Add(t.Context(), store.Account{
		CompanyID: company.ID, Side: store.Mgr, Type: store.TypeEmployee,
		Login:    "offer-" + number[7:] + "-" + company.Phone[7:],
		PersonID: person.ID, State: store.AccountActive, Invited: true, CreatedAt: store.At(time.Now()),
	})
	if err != nil {
		t.Fatal(err)
	}
}

// AddStaff adds a phone and an account of a company's back office, and returns the account's id. The account's password
// is that of the demo data.
func (s *Server) AddStaff(t *testing.T, company Company, accountType int, number, name string) (accountID int64) {
	t.Helper()
	db := s.Database(t)
	accountID, err := db.Accounts.Add(t.Context(), store.Account{
		CompanyID: company.ID, Side: store.Mgr, Type: accountType, Login: "staff-" + number[7:], Name: name,
		PersonID: addPhone(t, db, number), State: store.AccountActive, CreatedAt: store.At(time.Now()),
	})
	if err != nil || accountID == 0 {
		t.Fatal(accountID, err)
	}
	return accountID
}
