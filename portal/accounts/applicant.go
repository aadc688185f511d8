package accounts

import (
	"context"
	"errors"
	"slices"

	"portico/portal/access"
	"portico/store"
)

// applicationsRead is how many of a phone's newest applications are read when no company is named.
const applicationsRead = 10

// RefuseApplicant returns the refusal of a person who has no account in a company, or in any for 0: UnderReview with
// the person's application where there is one, the reason for which that company is blocked, or else the refusal as it
// is. The phone must have been proven. An account name proves no phone: an administrator can set its password.
func (a *Accounts) RefuseApplicant(
	ctx context.Context, phone store.Phone, companyID int64, refusal error,
) (refused, err error) {
	application, found, err := a.ApplicationOf(ctx, phone, companyID)
	if err != nil || !found {
		return refusal, err
	}
	return a.AppliedRefusal(ctx, application)
}

// AppliedRefusal returns UnderReview with the application, or the refusal of a blocked company with its reason.
func (a *Accounts) AppliedRefusal(ctx context.Context, application store.Application) (refused, err error) {
	c, err := a.access.Companies.ByID(ctx, a.db, application.CompanyID, a.now())
	if err != nil {
		return nil, err
	}
	if reason := access.BlockedBy(store.Member{Company: *c}, false, a.now()); reason != "" {
		return a.access.Blocked(store.Member{Company: *c}, reason), nil
	}
	return &access.Refused{
		Refusal: access.UnderReview, Company: c, Contacts: a.access.ContactsFor(access.ApplicationsClosed, *c),
		Applied: &access.Applied{
			ID: application.ID, State: application.State, RejectReason: application.RejectReason, Company: *c,
			Closed: !c.ApplicationsOpen,
		},
	}, nil
}

// ApplicationOf finds the application whose state a person without an account sees: the last one to a company or, for
// 0, the newest one anywhere, pending ones before the others. found is false when there is none or when it is settled:
// the account that it led to was accepted or declined.
func (a *Accounts) ApplicationOf(
	ctx context.Context, phone store.Phone, companyID int64,
) (application store.Application, found bool, err error) {
	if phone.Phone == "" {
		return application, false, nil
	}
	var all []store.Application
	if companyID == 0 {
		all, err = a.db.Applications.Anywhere(ctx, phone.Phone, applicationsRead)
	} else if application, err = a.db.Applications.Last(ctx, companyID, phone.Phone); err == nil {
		all = []store.Application{application}
	}
	if errors.Is(err, store.ErrNotFound) {
		return application, false, nil
	}
	for _, application := range all {
		isOpen, err := a.isOpen(ctx, phone, application)
		if err != nil || isOpen {
			return application, isOpen, err
		}
	}
	return application, false, err
}

// isOpen says whether the company still has to decide an application or the applicant to accept the account.
func (a *Accounts) isOpen(ctx context.Context, phone store.Phone, application store.Application) (bool, error) {
	if application.State != store.ApplicationApproved {
		return true, nil
	}
	offers, err := a.db.Offers.InCompany(ctx, application.CompanyID, phone.ID)
	isOffered := func(m store.Member) bool { return m.ID == application.AccountID }
	return slices.ContainsFunc(offers, isOffered), err
}
