package core

import (
	"context"
	"errors"

	"portico/portal/access"
	"portico/store"
)

// FormOwner names the person or account that a form was opened for. On a landing site it is an account of a company. On
// the account site it is a person: PersonID, or AccountID for an account without a phone, and CompanyID is 0. All three
// are 0 when nobody was signed in.
//
// Browser identifies the browser when nobody is signed in. It is compared when the browser sends neither Sec-Fetch-Site
// nor Origin.
type FormOwner struct {
	CompanyID int64  `json:"c,omitempty"`
	PersonID  int64  `json:"p,omitempty"`
	AccountID int64  `json:"a,omitempty"`
	Browser   string `json:"b,omitempty"`
}

// formSeal is the purpose with which owners are sealed.
const formSeal = "form"

// ErrFormMisplaced says that a form was opened for one company or person and sent while another one is signed in.
var ErrFormMisplaced = errors.New("portal: the form was opened for another person")

// Nobody says whether the form was opened while nobody was signed in.
func (o FormOwner) Nobody() bool { return o.PersonID == 0 && o.AccountID == 0 }

// SealForm returns the value of a form's hidden field "token". The field is also the form's CSRF token: only the server
// can make it.
func (l *Limits) SealForm(o FormOwner) (string, error) { return l.core.Sealing.Seal(formSeal, o) }

// OpenForm reads the hidden field of a form; false when it is empty or was not made by SealForm.
func (l *Limits) OpenForm(sealed string) (FormOwner, bool) {
	var o FormOwner
	return o, sealed != "" && l.core.Sealing.Unseal(formSeal, sealed, &o) == nil
}

// PersonOwner returns the owner of the account site's forms: the person of a session.
func PersonOwner(s access.Session) FormOwner {
	return FormOwner{PersonID: s.PersonID, AccountID: s.AccountID}
}

// LandingOwner returns the owner of a landing site's forms: the account that is signed in.
func LandingOwner(here access.Landing) FormOwner {
	m := here.Member
	return FormOwner{CompanyID: m.CompanyID, PersonID: m.PersonID, AccountID: m.ID}
}

// CheckForm compares a form's owner with a session. It returns ErrFormMisplaced when the form was opened for another
// person, and LoginRequired when nobody is signed in any more. A form of a landing site belongs to the session while
// the session is signed in to the form's account on any side.
func (l *Limits) CheckForm(ctx context.Context, o FormOwner, s access.Session) error {
	switch {
	case o.Nobody():
		return nil
	case s.ID == "":
		return access.LoginRequired
	case o.CompanyID == 0 && s.PersonID == 0 && s.AccountID == 0:
		return access.LoginRequired
	case o.CompanyID == 0:
		if o.PersonID != s.PersonID || o.AccountID != s.AccountID {
			return ErrFormMisplaced
		}
		return nil
	}
	slots, err := l.core.DB.Slots.OfSession(ctx, s.ID, store.At(l.core.Now()))
	if err != nil {
		return err
	}
	for _, slot := range slots {
		if slot.AccountID == o.AccountID && slot.CompanyID == o.CompanyID {
			return nil
		}
	}
	if len(slots) == 0 {
		return access.LoginRequired
	}
	return ErrFormMisplaced
}

// CheckLandingForm returns ErrFormMisplaced when a landing site's form was opened for another company or account.
func CheckLandingForm(o FormOwner, here access.Landing) error {
	if !o.Nobody() && (o.CompanyID != here.Member.CompanyID || o.AccountID != here.Member.ID) {
		return ErrFormMisplaced
	}
	return nil
}

// OwnerMember reads the account that a landing site's form was opened for; NotFound when the account no longer exists.
func (l *Limits) OwnerMember(ctx context.Context, o FormOwner) (store.Member, error) {
	m, err := l.core.DB.Accounts.ByID(ctx, o.CompanyID, o.AccountID)
	if errors.Is(err, store.ErrNotFound) {
		err = access.NotFound
	}
	return m, err
}

// SamePerson says whether a form's owner and an account belong to the same person: the same account, or the same phone.
func (o FormOwner) SamePerson(m store.Member) bool {
	return o.AccountID != 0 && o.AccountID == m.ID || o.PersonID != 0 && o.PersonID == m.PersonID
}

// OpensFor says whether a landing site may show a kept form to the account that is signed in: the form is of a landing
// site and belongs to the same person, perhaps to another of their accounts.
func (o FormOwner) OpensFor(m store.Member) bool { return o.CompanyID != 0 && o.SamePerson(m) }
