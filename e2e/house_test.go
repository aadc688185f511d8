package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"portico/store"
)

// house is a company of a test's own that takes new customers. Its administrator signs in with phone and the demo's password.
type house struct {
	id                   int64
	company, name, phone string
}

func (h house) host() string { return fmt.Sprintf("store%d", h.id) }

// house opens a company; required are the details it asks of those who apply, beside the names.
func (s *site) house(t *testing.T, lang, required string, review bool) house {
	t.Helper()
	db, now := s.seed(t), store.At(time.Now())
	h := house{phone: newPhone()}
	h.company, h.name = "批发"+inWords(h.phone[7:]), "掌柜"+h.phone[7:]
	c := store.Company{
		Name: h.company, Language: lang, Standing: store.Formal, EndsAt: store.At(time.Now().Add(1000 * time.Hour)), Mall: store.MallOpen,
		InitialisedAt: now, CreatedAt: now, UpdatedAt: now,
	}
	var err error
	if h.id, err = db.AddCompany(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if c, err = db.CompanyByID(t.Context(), h.id); err == nil {
		c.ApplicationsOpen, c.ApplicationsReviewed, c.ApplicationsRequired = true, review, required
		c.ContactName, c.ContactPhone, c.ConfirmedName = h.name, h.phone, c.Name
		err = db.UpdateCompany(t.Context(), c)
	}
	if err != nil {
		t.Fatal(err)
	}
	s.employ(t, h, store.TypeAdministrator, h.phone, h.name)
	return h
}

// admit makes somebody who applied a customer, whose phone has the demo's password.
func (s *site) admit(t *testing.T, h house, a applicant) {
	t.Helper()
	db, now := s.seed(t), store.At(time.Now())
	like, err := db.PhoneByNumber(t.Context(), "13800000001")
	var phoneID, clientID int64
	if err == nil {
		phoneID, err = db.AddPhone(t.Context(), store.Phone{Phone: a.phone, PasswordHash: like.PasswordHash, CreatedAt: now})
	}
	if err == nil {
		clientID, err = db.NewClient(t.Context(), store.Client{CompanyID: h.id, Name: a.company, Contact: a.name, State: store.ClientPartner, CreatedAt: now})
	}
	if err == nil {
		_, err = db.AddAccount(t.Context(), store.Account{
			CompanyID: h.id, Side: store.Shop, Type: store.TypeShop, Login: "guest-" + a.phone[7:], Name: a.name, PhoneID: phoneID, ClientID: clientID,
			State: store.AccountActive, CreatedAt: now,
		})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// officePage opens a page of a company's back office.
func (b *tab) officePage(h house, path string) {
	b.t.Helper()
	host, root := b.sideOf("mgr", h.id)
	b.visit(host, root+path)
}

// inWords writes digits so that messages keep them: digits of a name could be taken for a code.
func inWords(digits string) string {
	return strings.Map(func(r rune) rune { return []rune("零一二三四五六七八九")[r-'0'] }, digits)
}

// offer opens an employee's account for a registered phone, whose holder has not accepted it.
func (s *site) offer(t *testing.T, h house, number string) {
	t.Helper()
	db := s.seed(t)
	person, err := db.PhoneByNumber(t.Context(), number)
	if err == nil {
		_, err = db.AddAccount(t.Context(), store.Account{
			CompanyID: h.id, Side: store.Mgr, Type: store.TypeEmployee,
			Login:   "offer-" + number[7:] + inWords(h.phone[7:]),
			PhoneID: person.ID, State: store.AccountActive, Invited: true, CreatedAt: store.At(time.Now()),
		})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// employ gives somebody with a phone an account of a company's management side, and the demo's password.
func (s *site) employ(t *testing.T, h house, kind int, number, name string) (accountID int64) {
	t.Helper()
	db, now := s.seed(t), store.At(time.Now())
	like, err := db.PhoneByNumber(t.Context(), "13800000001")
	var phoneID int64
	if err == nil {
		phoneID, err = db.AddPhone(t.Context(), store.Phone{Phone: number, PasswordHash: like.PasswordHash, CreatedAt: now})
	}
	if err == nil {
		accountID, err = db.AddAccount(t.Context(), store.Account{
			CompanyID: h.id, Side: store.Mgr, Type: kind, Login: "staff-" + number[7:], Name: name, PhoneID: phoneID, State: store.AccountActive, CreatedAt: now,
		})
	}
	if err != nil || accountID == 0 {
		t.Fatal(accountID, err)
	}
	return accountID
}
