package portal

import (
	"context"
	"errors"

	"portico/store"
)

// appliedBy returns the id of the application that an identity sent to the company where it authorised, while it is
// pending or after it was rejected; 0 for none. An applicant who was approved or offered an account in the meantime has
// an account to link.
func (p *Portal) appliedBy(ctx context.Context, who known) (int64, error) {
	if who.CompanyID == 0 {
		return 0, nil
	}
	phone, err := p.phoneOfApplicant(ctx, who, who.CompanyID)
	if phone == "" || err != nil {
		return 0, err
	}
	person, err := p.db.PhoneByNumber(ctx, phone)
	if err == nil {
		members, err := p.db.MembersByPhone(ctx, person.ID)
		if err != nil || len(p.inPlace(members, who.CompanyID)) > 0 {
			return 0, err
		}
		offers, err := p.db.OffersIn(ctx, who.CompanyID, person.ID)
		if err != nil || len(offers) > 0 {
			return 0, err
		}
	} else if !errors.Is(err, store.ErrNotFound) {
		return 0, err
	}
	a, err := p.db.LastApplication(ctx, who.CompanyID, phone)
	if errors.Is(err, store.ErrNotFound) || err == nil && a.State == store.ApplicationApproved {
		return 0, nil
	}
	return a.ID, err
}

// phoneOfApplicant is the phone that an identity applied to a company with, "" for none.
func (p *Portal) phoneOfApplicant(ctx context.Context, who known, companyID int64) (phone string, err error) {
	sealed, err := p.db.PhoneOfApplicant(
		ctx, companyID, string(who.Provider), who.App, who.Identity.Subject, store.At(p.now().Add(-ApplicantKept)),
	)
	if errors.Is(err, store.ErrNotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if p.unseal("applicant phone", sealed, &phone) != nil { // sealed with another master key
		return "", nil
	}
	return phone, nil
}

// NoteApplicant remembers for ApplicantKept with which phone an identity applies to a company, so that the person finds
// the application again. An invalid ticket is no error: then it remembers nothing.
func (p *Portal) NoteApplicant(ctx context.Context, ticket, flow string, companyID int64, phone string) error {
	who, err := p.openTicket(ctx, ticket, holder{Flow: flow})
	if err != nil || who.CompanyID != companyID {
		if errors.As(err, new(*Refused)) || errors.Is(err, LoginRequired) {
			err = nil
		}
		return err
	}
	sealed, err := p.seal("applicant phone", phone)
	if err != nil {
		return err
	}
	return p.db.NoteIdentityApplicant(ctx, store.IdentityApplicant{
		CompanyID: companyID, Provider: string(who.Provider), App: who.App, Subject: who.Identity.Subject,
		Phone: sealed, At: store.At(p.now()),
	})
}
