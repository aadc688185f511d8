package signin

import (
	"context"
	"errors"

	"portico/portal/core"

	"portico/portal/access"
	"portico/store"
)

// Acceptance says that a person or account accepted a version of the service agreement, when and from where.
type Acceptance = store.Acceptance

// Agreements records which versions of the service agreement a person or account has accepted. It is safe for
// concurrent use.
type Agreements struct {
	core *core.Core
}

// Accepted returns the newest version of the agreement that the session's person or account has accepted. Its Version
// is "" when there is none, and when the session may not accept the agreement.
func (a *Agreements) Accepted(ctx context.Context, s access.Session) (Acceptance, error) {
	who, err := a.signatory(ctx, s)
	if err != nil {
		return Acceptance{}, err
	}
	return a.newestAccepted(ctx, who)
}

// Due says whether the session's person or account still has to accept the agreement: no version from
// demanded on was accepted. "" demands no version.
func (a *Agreements) Due(ctx context.Context, s access.Session, demanded string) (bool, error) {
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

// newestAccepted returns the newest version that a signatory has accepted, zero for none.
func (a *Agreements) newestAccepted(ctx context.Context, who Signatory) (newest Acceptance, err error) {
	var all []Acceptance
	switch {
	case who.AccountID != 0:
		all, err = a.core.DB.Acceptances.OfAccount(ctx, who.CompanyID, who.AccountID)
	case who.PersonID != 0:
		all, err = a.core.DB.Acceptances.OfPerson(ctx, who.PersonID)
	}
	for _, acceptance := range all {
		if acceptance.Version > newest.Version {
			newest = acceptance
		}
	}
	return newest, err
}

// Accept records that the session's person or account accepts a version of the agreement, in the language that
// it was shown in. A second acceptance of a version changes nothing. It refuses with LoginRequired a session that may
// not accept the agreement, see signatory.
func (a *Agreements) Accept(ctx context.Context, s access.Session, version, lang string) error {
	who, err := a.signatory(ctx, s)
	if err != nil {
		return err
	}
	if who.isZero() {
		return access.LoginRequired
	}
	return a.Record(ctx, a.core.DB, who, version, lang)
}

// Record records within the caller's transaction that who accepts a version of the agreement.
func (a *Agreements) Record(ctx context.Context, tx *store.DB, who Signatory, version, lang string) error {
	return tx.Acceptances.Add(ctx, store.Acceptance{
		PersonID: who.PersonID, AccountID: who.AccountID, CompanyID: who.CompanyID,
		Version: version, Lang: lang, Address: access.CallerOf(ctx).Address, At: store.At(a.core.Now()),
	})
}

// Signatory is who accepts the agreement: a person (PersonID), with CompanyID when the person registers that company
// and 0 otherwise, or an account of a company (AccountID and CompanyID). The zero value may not accept it.
type Signatory struct{ PersonID, AccountID, CompanyID int64 }

// isZero says whether nobody accepts the agreement.
func (w Signatory) isZero() bool { return w.PersonID == 0 && w.AccountID == 0 }

// signatory returns who accepts the agreement in a session: the person of its phone or of the phone that its account is
// bound to, else the account. So what an account accepted counts for its person while a phone is bound; once the phone
// is unbound, the account is asked again. Nobody accepts for an account that its holder has not set up yet: it is only
// offered, or its password is the first one from an administrator.
func (a *Agreements) signatory(ctx context.Context, s access.Session) (Signatory, error) {
	if s.PersonID != 0 || s.AccountID == 0 {
		return Signatory{PersonID: s.PersonID}, nil
	}
	m, err := a.core.DB.Accounts.OfAnyCompany(ctx, s.AccountID)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return Signatory{}, nil
	case err != nil:
		return Signatory{}, err
	case m.Invited || ByFirstPassword(s, []store.Member{m}):
		return Signatory{}, nil
	case m.PersonID != 0:
		return Signatory{PersonID: m.PersonID}, nil
	}
	return Signatory{AccountID: m.ID, CompanyID: m.CompanyID}, nil
}
