package program

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"portico/store"
)

// Person has a phone and a shop account at company 1001. No other test uses either. Both have the password of the demo
// data.
type Person struct {
	Phone, Login, Name  string
	PersonID, AccountID int64
}

// phones counts the phone numbers that NewPhone has returned.
var phones atomic.Int64

// AddPerson adds a person whose phone is bound to the account.
func (s *Server) AddPerson(t *testing.T) Person {
	t.Helper()
	who := NewPerson()
	who.PersonID = addPhone(t, s.Database(t), who.Phone)
	return s.addAccount(t, who)
}

// AddPersonWithoutPhone adds a person whose account has no phone. Phone is a number that nobody has registered.
func (s *Server) AddPersonWithoutPhone(t *testing.T) Person {
	t.Helper()
	return s.addAccount(t, NewPerson())
}

// AddAccountOf adds one more account to a person's phone.
func (s *Server) AddAccountOf(t *testing.T, who Person) Person {
	t.Helper()
	second := NewPerson()
	second.Phone, second.PersonID = who.Phone, who.PersonID
	return s.addAccount(t, second)
}

// NewPerson returns a person without adding anything to a database.
func NewPerson() Person {
	number := NewPhone()
	return Person{Phone: number, Login: "guest-" + number[7:], Name: PersonName(number)}
}

// NewPhone returns a phone number that nobody has registered.
func NewPhone() string { return fmt.Sprintf("1390000%04d", phones.Add(1)) }

// addAccount adds a person's account, with the rights and the password of the demo account "nophone".
func (s *Server) addAccount(t *testing.T, who Person) Person {
	t.Helper()
	db := s.Database(t)
	like, err := db.Accounts.ByLogin(t.Context(), "nophone")
	if err != nil || len(like) != 1 {
		t.Fatal(len(like), err)
	}
	account := like[0].Account
	account.ID = 0
	account.Login = who.Login
	account.Name = who.Name
	account.PersonID = who.PersonID
	if who.AccountID, err = db.Accounts.Add(t.Context(), account); err != nil || who.AccountID == 0 {
		t.Fatal(who.AccountID, err)
	}
	return who
}

// addPhone adds a phone with the password of the demo data and returns its id.
func addPhone(t *testing.T, db *store.DB, number string) int64 {
	t.Helper()
	demo, err := db.Persons.ByNumber(t.Context(), "13800000001")
	if err != nil {
		t.Fatal(err)
	}
	id, err := db.Persons.Add(t.Context(), store.Person{
		Phone: number, PasswordHash: demo.PasswordHash, CreatedAt: store.At(time.Now()),
	})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// Grouped returns a phone number as pages show it while it is typed: "138 0013 8000".
func Grouped(number string) string { return number[:3] + " " + number[3:7] + " " + number[7:] }

// Masked returns a phone number as pages show it to others: "138****8000".
func Masked(number string) string { return number[:3] + "****" + number[7:] }
