package accounts

import (
	"context"
	"errors"
	"slices"

	"portico/portal/access"
	"portico/store"
)

// applicationsLookedAt is how many applications of a phone are looked at where no company is named.
const applicationsLookedAt = 10

// RefuseApplicant returns the refusal of a person who has no account in a company, or in any for 0: UnderReview with
// the person's application where there is one, the reason for which that company is blocked, or else the refusal as it
// is. The phone must have been proven. An account name proves no phone: an administrator can set its password.
func (p *Accounts) RefuseApplicant(
	ctx context.Context, phone store.Phone, companyID int64, refusal error,
) (refused, err error) {
	a, found, err := p.ApplicationOf(ctx, phone, companyID)
	if err != nil || !found {
		return refusal, err
	}
	return p.AppliedRefusal(ctx, a)
}

// AppliedRefusal returns UnderReview with the application.
func (p *Accounts) AppliedRefusal(ctx context.Context, a store.Application) (refused, err error) {
	c, err := p.access.Companies.ByID(ctx, p.db, a.CompanyID, p.now())
	if err != nil {
		return nil, err
	}
	if reason := access.BlockedBy(store.Member{Company: *c}, false, p.now()); reason != "" {
		return p.access.Blocked(store.Member{Company: *c}, reason), nil
	}
	return &access.Refused{
		Refusal: access.UnderReview, Company: c, Contacts: p.access.ContactsFor(access.ApplicationsClosed, *c),
		Applied: &access.Applied{
			ID: a.ID, State: a.State, RejectReason: a.RejectReason, Company: *c, Closed: !c.ApplicationsOpen,
		},
	}, nil
}

// ApplicationOf finds the application that a person without an account wants to hear of: the last one to a company, or
// for 0 the last one that waits, else the last one. found is false when there is none, and for one that is over: its
// account was accepted or declined.
func (p *Accounts) ApplicationOf(
	ctx context.Context, phone store.Phone, companyID int64,
) (a store.Application, found bool, err error) {
	if phone.Phone == "" {
		return a, false, nil
	}
	var all []store.Application
	if companyID == 0 {
		all, err = p.db.ApplicationsAnywhere(ctx, phone.Phone, applicationsLookedAt)
	} else if a, err = p.db.LastApplication(ctx, companyID, phone.Phone); err == nil {
		all = []store.Application{a}
	}
	if errors.Is(err, store.ErrNotFound) {
		return a, false, nil
	}
	for _, a := range all {
		stands, err := p.stands(ctx, phone, a)
		if err != nil || stands {
			return a, stands, err
		}
	}
	return a, false, err
}

// stands says whether an application still waits for the company or for its applicant.
func (p *Accounts) stands(ctx context.Context, phone store.Phone, a store.Application) (bool, error) {
	if a.State != store.ApplicationApproved {
		return true, nil
	}
	offers, err := p.db.OffersIn(ctx, a.CompanyID, phone.ID)
	isOffered := func(m store.Member) bool { return m.ID == a.AccountID }
	return slices.ContainsFunc(offers, isOffered), err
}
