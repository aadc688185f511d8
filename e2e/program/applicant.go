package program

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"portico/store"
)

// Applicant is a person who applies to become a customer of a company.
type Applicant struct {
	Phone, Company, Name, Reason string
	Attached                     bool // the picture of the licence is
}

// NewApplicant returns an applicant whose phone no other test uses.
func NewApplicant() Applicant {
	number := NewPhone()
	company := named(order(number), streets, kitchens)
	return Applicant{
		Phone: number, Company: company, Name: PersonName(number), Reason: company + "新开业，每周进货两次。",
	}
}

// AddApplication adds a pending application and returns the URL of the page that shows its state.
func (s *Server) AddApplication(t *testing.T, company Company, a Applicant) string {
	t.Helper()
	db, id := s.Database(t), rand.Int64N(1<<52)+1
	ok, err := db.Applications.Add(t.Context(), store.Application{
		ID: id, CompanyID: company.ID, Phone: a.Phone, State: store.ApplicationPending, CompanyName: a.Company,
		ContactName: a.Name, Position: "店长",
		Province: "330000", City: "330100", District: "330106", Address: "文三路 1 号", Reason: a.Reason, Lang: "zh",
		CreatedAt: store.At(time.Now()),
	})
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	return s.URL(company.Host(), fmt.Sprintf("/register/result?id=%d", id))
}

// CountApplications counts the applications that an applicant's phone has sent.
func (s *Server) CountApplications(t *testing.T, a Applicant) int {
	t.Helper()
	return s.Count(t, "SELECT COUNT(*) FROM applications WHERE phone = ?", a.Phone)
}

// AddCustomer makes an applicant a customer of a company. The phone gets the password of the demo data.
func (s *Server) AddCustomer(t *testing.T, company Company, a Applicant) {
	t.Helper()
	db, now := s.Database(t), store.At(time.Now())
	personID := addPhone(t, db, a.Phone)
	clientID, err := db.Clients.Add(t.Context(), store.Client{
		CompanyID: company.ID, Name: a.Company, Contact: a.Name, State: store.ClientPartner, CreatedAt: now,
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.Accounts.Add(t.Context(), store.Account{
		CompanyID: company.ID, Side: store.Shop, Type: store.TypeShop, Login: "guest-" + a.Phone[7:], Name: a.Name,
		PersonID: personID, ClientID: clientID, State: store.AccountActive, CreatedAt: now,
	})
	if err != nil {
		t.Fatal(err)
	}
}
