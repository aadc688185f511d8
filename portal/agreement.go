package portal

import (
	"context"
	"errors"

	"portico/store"
)

// Acceptance is a person's yes to a version of the agreement.
type Acceptance = store.Acceptance

// Accepted is the newest version of the agreement that the person of a session has accepted; its Version is "" for nobody's,
// and where the person has accepted none: an account without a phone is nobody's.
func (p *Portal) Accepted(ctx context.Context, s Session) (newest Acceptance, err error) {
	person, err := p.holder(ctx, s)
	if err != nil || person == 0 {
		return newest, err
	}
	all, err := p.db.Acceptances(ctx, person)
	for _, a := range all {
		if a.Version > newest.Version {
			newest = a
		}
	}
	return newest, err
}

// AgreementDue says whether the person of a session is to be asked for the newest version of the agreement: one not older
// than demanded was never accepted. demanded "" asks nobody, and neither is asked whose acceptance could not be kept.
func (p *Portal) AgreementDue(ctx context.Context, s Session, demanded string) (bool, error) {
	if demanded == "" {
		return false, nil
	}
	person, err := p.holder(ctx, s)
	if err != nil || person == 0 {
		return false, err
	}
	newest, err := p.Accepted(ctx, s)
	return newest.Version < demanded, err
}

// AcceptAgreement keeps that the person of a session accepts a version, in the language it was shown in; said twice it is kept
// once. LoginRequired for a session of nobody's.
func (p *Portal) AcceptAgreement(ctx context.Context, s Session, version, lang string) error {
	person, err := p.holder(ctx, s)
	if err != nil {
		return err
	}
	if person == 0 {
		return LoginRequired
	}
	return p.accept(ctx, p.db, store.Phone{ID: person}, 0, version, lang)
}

// holder is the id of the person behind a session, 0 for none: of the phone it was proven by, or of the phone that the
// account it was opened by is bound to.
func (p *Portal) holder(ctx context.Context, s Session) (int64, error) {
	if s.PhoneID != 0 || s.AccountID == 0 {
		return s.PhoneID, nil
	}
	m, err := p.db.MemberOfAccount(ctx, s.AccountID)
	if errors.Is(err, store.ErrNotFound) || err == nil && m.Invited {
		return 0, nil
	}
	return m.PhoneID, err
}
