package signin

import (
	"context"
	"errors"

	"portico/portal/access"
	"portico/store"
)

// appliedBy returns the id of the application that an identity sent to the company where it authorised, while it is
// pending or after it was rejected; 0 for none. An applicant who was approved or offered an account in the meantime has
// an account to link.
func (cl *Chatlogin) appliedBy(ctx context.Context, who appIdentity) (int64, error) {
	if who.CompanyID == 0 {
		return 0, nil
	}
	phone, err := cl.PhoneOfApplicant(ctx, who, who.CompanyID)
	if phone == "" || err != nil {
		return 0, err
	}
	person, err := cl.core.DB.Persons.ByNumber(ctx, phone)
	if err == nil {
		members, err := cl.core.DB.Accounts.ByPerson(ctx, person.ID)
		if err != nil || len(cl.core.Access.InPlace(members, who.CompanyID)) > 0 {
			return 0, err
		}
		offers, err := cl.core.DB.Offers.InCompany(ctx, who.CompanyID, person.ID)
		if err != nil || len(offers) > 0 {
			return 0, err
		}
	} else if !errors.Is(err, store.ErrNotFound) {
		return 0, err
	}
	a, err := cl.core.DB.Applications.Last(ctx, who.CompanyID, phone)
	if errors.Is(err, store.ErrNotFound) || err == nil && a.State == store.ApplicationApproved {
		return 0, nil
	}
	return a.ID, err
}

// PhoneOfApplicant returns the phone with which an identity applied to a company, "" for none.
func (cl *Chatlogin) PhoneOfApplicant(ctx context.Context, who appIdentity, companyID int64) (phone string, err error) {
	sealed, err := cl.core.DB.Identities.PhoneOfApplicant(
		ctx, companyID, string(who.Provider), who.App, who.Identity.Subject, store.At(
			cl.core.Now().Add(-ApplicantKept),
		),
	)
	if errors.Is(err, store.ErrNotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if cl.core.Sealing.Unseal("applicant phone", sealed, &phone) != nil { // sealed with another master key
		return "", nil
	}
	return phone, nil
}

// NoteApplicant remembers for ApplicantKept with which phone an identity applies to a company, so that the person finds
// the application again. An invalid ticket is no error: then it remembers nothing.
func (cl *Chatlogin) NoteApplicant(ctx context.Context, ticket, flow string, companyID int64, phone string) error {
	who, err := cl.OpenTicket(ctx, ticket, Holder{Flow: flow})
	if err != nil || who.CompanyID != companyID {
		if errors.As(err, new(*access.Refused)) || errors.Is(err, access.LoginRequired) {
			err = nil
		}
		return err
	}
	sealed, err := cl.core.Sealing.Seal("applicant phone", phone)
	if err != nil {
		return err
	}
	return cl.core.DB.Identities.NoteApplicant(ctx, store.IdentityApplicant{
		CompanyID: companyID, Provider: string(who.Provider), App: who.App, Subject: who.Identity.Subject,
		Phone: sealed, At: store.At(cl.core.Now()),
	})
}
