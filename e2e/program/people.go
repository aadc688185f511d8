package program

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"portico/store"
)

// Person is someone no other test knows: an account of company 1001's mall and a phone, with the demo's
// password both.
type Person struct {
	Phone, Login, Name string
	PhoneID, AccountID int64
}

var newcomers atomic.Int64

// AddPerson adds a newcomer whose phone is bound to the account.
func (s *Server) AddPerson(t *testing.T) Person {
	t.Helper()
	db, who := s.Database(t), s.NewPerson()
	like, err := db.PhoneByNumber(t.Context(), "13800000001")
	if err == nil {
		who.PhoneID, err = db.AddPhone(t.Context(), store.Phone{Phone: who.Phone, PasswordHash: like.PasswordHash, CreatedAt: store.At(time.Now())})
	}
	if err != nil {
		t.Fatal(err)
	}
	return s.addAccount(t, who)
}

// AddPersonWithoutPhone adds a newcomer whose account has no phone; nobody registered the one named.
func (s *Server) AddPersonWithoutPhone(t *testing.T) Person {
	t.Helper()
	return s.addAccount(t, s.NewPerson())
}

// AddAccountOf adds one more account to a newcomer's phone.
func (s *Server) AddAccountOf(t *testing.T, who Person) Person {
	t.Helper()
	second := s.NewPerson()
	second.Phone, second.PhoneID = who.Phone, who.PhoneID
	return s.addAccount(t, second)
}

func (s *Server) NewPerson() Person {
	number := NewPhone()
	return Person{Phone: number, Login: "guest-" + number[7:], Name: "来客" + number[7:]}
}

// NewPhone is a number that nobody registered.
func NewPhone() string { return fmt.Sprintf("1390000%04d", newcomers.Add(1)) }

func (s *Server) addAccount(t *testing.T, who Person) Person {
	t.Helper()
	db := s.Database(t)
	like, err := db.MembersByLogin(t.Context(), "nophone")
	if err != nil || len(like) != 1 {
		t.Fatal(len(like), err)
	}
	account := like[0].Account
	account.ID, account.Login, account.Name, account.PhoneID = 0, who.Login, who.Name, who.PhoneID
	if who.AccountID, err = db.AddAccount(t.Context(), account); err != nil || who.AccountID == 0 {
		t.Fatal(who.AccountID, err)
	}
	return who
}

func Grouped(number string) string { return number[:3] + " " + number[3:7] + " " + number[7:] }

func Masked(number string) string { return number[:3] + "****" + number[7:] }
