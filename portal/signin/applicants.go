package signin

import (
	"context"
	"errors"
	"slices"
	"time"

	"portico/portal/core"

	"portico/portal/access"
	"portico/store"
)

// applicationsRead is how many of a phone's newest applications are read when no company is named.
const applicationsRead = 10

// Applicants answers sign-ins of people who have applied to a company and have no account in it: it refuses them with
// the state of their application. It is safe for concurrent use.
type Applicants struct {
	core *core.Core
}

// Refuse returns the refusal for a person who cannot sign in because they have no account in a company, or in any
// company when companyID is 0. If the person has an open application (see OpenApplication), it returns what Refusal
// returns for it, else the given refusal. err is set when the applications cannot be read.
//
// The caller must have proved that the person holds the phone. Signing in by account name does not prove it, because an
// administrator can set the password of an account.
func (a *Applicants) Refuse(
	ctx context.Context, person store.Person, companyID int64, refusal error,
) (refused, err error) {
	application, found, err := a.OpenApplication(ctx, person, companyID)
	if err != nil || !found {
		return refusal, err
	}
	return a.Refusal(ctx, application)
}

// Refusal returns the refusal for a person who has applied and has no account yet: UnderReview with the application,
// its state and the contacts of the company. If the company is blocked, it returns the reason of the block instead. err
// is set when the company cannot be read.
func (a *Applicants) Refusal(ctx context.Context, application store.Application) (refused, err error) {
	c, err := a.core.Access.Companies.ByID(ctx, a.core.DB, application.CompanyID, a.core.Now())
	if err != nil {
		return nil, err
	}
	m := store.Member{Company: *c, Phone: application.Phone}
	if reason := access.BlockedBy(m, false, a.core.Now()); reason != "" {
		return a.core.Access.Blocked(ctx, a.core.DB, m, reason), nil
	}
	contacts, err := access.ContactsForOwn(ctx, a.core.Access, a.core.DB, m, access.ApplicationsClosed)
	if err != nil {
		return nil, err
	}
	return &access.Refused{
		Refusal: access.UnderReview, Company: c, Contacts: contacts,
		Applied: &access.Applied{
			ID: application.ID, State: application.State, RejectReason: application.RejectReason, Company: *c,
			Closed: !c.ApplicationsOpen,
		},
	}, nil
}

// OpenApplication returns the application whose state is shown to the holder of a phone. With a company, it is the last
// application to that company. When companyID is 0, it is the first open one of the applications to all companies:
// pending ones come first, then the newest. An application is open until it is approved and the applicant has accepted
// or declined the new account. found is false when no application is open.
func (a *Applicants) OpenApplication(
	ctx context.Context, person store.Person, companyID int64,
) (application store.Application, found bool, err error) {
	if person.Phone == "" {
		return application, false, nil
	}
	var all []store.Application
	if companyID == 0 {
		all, err = a.core.DB.Applications.ToAnyCompany(ctx, person.Phone, applicationsRead)
	} else if application, err = a.core.DB.Applications.Last(ctx, companyID, person.Phone); err == nil {
		all = []store.Application{application}
	}
	if errors.Is(err, store.ErrNotFound) {
		return application, false, nil
	}
	for _, application := range all {
		isOpen, err := a.isOpen(ctx, person, application)
		if err != nil || isOpen {
			return application, isOpen, err
		}
	}
	return application, false, err
}

// isOpen says whether the company still has to decide an application or the applicant to accept the account.
func (a *Applicants) isOpen(ctx context.Context, person store.Person, application store.Application) (bool, error) {
	if application.State != store.ApplicationApproved {
		return true, nil
	}
	offers, err := a.core.DB.Offers.InCompany(ctx, application.CompanyID, person.ID)
	isOffered := func(m store.Member) bool { return m.ID == application.AccountID }
	return slices.ContainsFunc(offers, isOffered), err
}

// Seal makes the ticket of an applicant. It expires when life has passed since the proof.
func (a *Applicants) Seal(who Applicant, life time.Duration) (ticket string, err error) {
	return a.core.Sealing.Seal("applicant", ApplicantTicket{
		CompanyID: who.Company, Phone: who.Number, Proven: int64(who.Proven),
		Until: who.Proven.Time().Add(life).UnixMilli(),
	})
}

// Open opens the ticket of an applicant. It refuses with CodeExpired one that is malformed, expired or another
// company's.
func (a *Applicants) Open(ticket string, companyID int64) (Applicant, error) {
	var t ApplicantTicket
	isBad := a.core.Sealing.Unseal("applicant", ticket, &t) != nil || a.core.Limits.Ended(t.Until)
	if isBad || t.CompanyID != companyID {
		return Applicant{}, &access.Refused{Refusal: access.CodeExpired}
	}
	return Applicant{Company: t.CompanyID, Number: t.Phone, Proven: store.Instant(t.Proven)}, nil
}
