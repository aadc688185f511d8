package portal

import (
	"context"
	"errors"

	"portico/store"
)

// FormOwner is whom a form was opened for. On a landing site that is an account of a company; on the account site a person, by
// phone or, without one, by account, and CompanyID is 0. All three are 0 for a form that was opened while nobody was signed in.
//
// Browser tells browsers apart where nobody is signed in. A browser that does not say where a request comes from must send it.
type FormOwner struct {
	CompanyID int64  `json:"c,omitempty"`
	PhoneID   int64  `json:"p,omitempty"`
	AccountID int64  `json:"a,omitempty"`
	Browser   string `json:"b,omitempty"`
}

// formSeal is the purpose of a sealed owner.
const formSeal = "form"

// ErrFormMisplaced says that a form was opened for another company or person than the one it was sent under.
var ErrFormMisplaced = errors.New("portal: the form was opened for somebody else")

// Nobody says whether the form was opened while nobody was signed in.
func (o FormOwner) Nobody() bool { return o.PhoneID == 0 && o.AccountID == 0 }

// SealForm gives the value of a form's hidden field. The field is also the form's CSRF token: nobody else can make it.
func (p *Portal) SealForm(o FormOwner) (string, error) { return p.seal(formSeal, o) }

// OpenForm reads the hidden field of a form; false when there is none, or when it is not ours.
func (p *Portal) OpenForm(sealed string) (FormOwner, bool) {
	var o FormOwner
	return o, sealed != "" && p.unseal(formSeal, sealed, &o) == nil
}

// PersonOwner is the owner of the account site's forms for the person of a session.
func PersonOwner(s Session) FormOwner { return FormOwner{PhoneID: s.PhoneID, AccountID: s.AccountID} }

// LandingOwner is the owner of a landing site's forms for the account that is signed in.
func LandingOwner(here Landing) FormOwner {
	m := here.Member
	return FormOwner{CompanyID: m.CompanyID, PhoneID: m.PhoneID, AccountID: m.ID}
}

// CheckForm refuses a form of the account site that was opened for another person: ErrFormMisplaced, or LoginRequired when nobody
// is signed in any more. A form that a landing site opened belongs to the session while one of its sides holds the account.
func (p *Portal) CheckForm(ctx context.Context, o FormOwner, s Session) error {
	switch {
	case o.Nobody():
		return nil
	case s.ID == "":
		return LoginRequired
	case o.CompanyID == 0 && s.PhoneID == 0 && s.AccountID == 0:
		return LoginRequired
	case o.CompanyID == 0:
		if o.PhoneID != s.PhoneID || o.AccountID != s.AccountID {
			return ErrFormMisplaced
		}
		return nil
	}
	held, err := p.db.SlotsOf(ctx, s.ID, store.At(p.now()))
	if err != nil {
		return err
	}
	for _, slot := range held {
		if slot.AccountID == o.AccountID && slot.CompanyID == o.CompanyID {
			return nil
		}
	}
	if len(held) == 0 {
		return LoginRequired
	}
	return ErrFormMisplaced
}

// CheckLandingForm refuses a form of a landing site that was opened for another company or account: ErrFormMisplaced.
func CheckLandingForm(o FormOwner, here Landing) error {
	if !o.Nobody() && (o.CompanyID != here.Member.CompanyID || o.AccountID != here.Member.ID) {
		return ErrFormMisplaced
	}
	return nil
}

// OwnerMember reads the account that a landing site's form was opened for; NotFound when it is gone.
func (p *Portal) OwnerMember(ctx context.Context, o FormOwner) (store.Member, error) {
	m, err := p.db.MemberByID(ctx, o.CompanyID, o.AccountID)
	if errors.Is(err, store.ErrNotFound) {
		err = NotFound
	}
	return m, err
}

// SamePerson says whether a form's owner and an account belong to the same person: the same account, or the same phone.
func (o FormOwner) SamePerson(m store.Member) bool {
	return o.AccountID != 0 && o.AccountID == m.ID || o.PhoneID != 0 && o.PhoneID == m.PhoneID
}
