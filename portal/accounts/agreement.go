package accounts

import (
	"context"
	"errors"

	"portico/portal/access"
	"portico/store"
)

// Acceptance is a yes to a version of the agreement.
type Acceptance = store.Acceptance

// Accepted is the newest version of the agreement that was accepted by whom a session is of; its Version is "" for
// nobody's, and where none was.
func (a *Accounts) Accepted(ctx context.Context, s access.Session) (Acceptance, error) {
	who, err := a.signatory(ctx, s)
	if err != nil {
		return Acceptance{}, err
	}
	return a.newestAccepted(ctx, who)
}

// AgreementDue says whether whom a session is of is to be asked for the newest version of the agreement: one not
// older than demanded was never accepted. demanded "" asks nobody.
func (a *Accounts) AgreementDue(ctx context.Context, s access.Session, demanded string) (bool, error) {
	if demanded == "" {
		return false, nil
	}
	who, err := a.signatory(ctx, s)
	if err != nil || who.isZero() {
		return false, err
	}
	newest, err := a.newestAccepted(ctx, who)
	return newest.Version < demanded, err
}

func (a *Accounts) newestAccepted(ctx context.Context, who Signatory) (newest Acceptance, err error) {
	var all []Acceptance
	switch {
	case who.AccountID != 0:
		all, err = a.db.AcceptancesOfAccount(ctx, who.CompanyID, who.AccountID)
	case who.PhoneID != 0:
		all, err = a.db.Acceptances(ctx, who.PhoneID)
	}
	for _, application := range all {
		if application.Version > newest.Version {
			newest = application
		}
	}
	return newest, err
}

// AcceptAgreement keeps that whom a session is of accepts a version, in the language it was shown in; said twice it
// is kept once. LoginRequired for a session of nobody's.
func (a *Accounts) AcceptAgreement(ctx context.Context, s access.Session, version, lang string) error {
	who, err := a.signatory(ctx, s)
	if err != nil {
		return err
	}
	if who.isZero() {
		return access.LoginRequired
	}
	return a.Accept(ctx, a.db, who, version, lang)
}

func (a *Accounts) Accept(ctx context.Context, tx *store.DB, who Signatory, version, lang string) error {
	return tx.AddAcceptance(ctx, store.Acceptance{
		PhoneID: who.PhoneID, AccountID: who.AccountID, CompanyID: who.CompanyID,
		Version: version, Lang: lang, Address: access.CallerOf(ctx).Address, At: store.At(a.now()),
	})
}

// Signatory is who says yes to the agreement: a person (PhoneID), for a company that is registered with it
// (CompanyID, else 0); or an account of a company.
type Signatory struct{ PhoneID, AccountID, CompanyID int64 }

func (w Signatory) isZero() bool { return w.PhoneID == 0 && w.AccountID == 0 }

// Signatory is who accepts in a session: the person of the phone that proved it or that its account is bound to, else
// the account itself. Once a phone is bound, what the account accepted before is its person's; once it is taken off,
// the account is asked for itself, for the person took their own yes along. Nobody accepts who is to set up the
// account first: it was opened for somebody who has not come yet, or its password is an administrator's.
func (a *Accounts) signatory(ctx context.Context, s access.Session) (Signatory, error) {
	if s.PhoneID != 0 || s.AccountID == 0 {
		return Signatory{PhoneID: s.PhoneID}, nil
	}
	m, err := a.db.MemberOfAccount(ctx, s.AccountID)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return Signatory{}, nil
	case err != nil:
		return Signatory{}, err
	case m.Invited || ByFirstPassword(s, []store.Member{m}):
		return Signatory{}, nil
	case m.PhoneID != 0:
		return Signatory{PhoneID: m.PhoneID}, nil
	}
	return Signatory{AccountID: m.ID, CompanyID: m.CompanyID}, nil
}
