package portal

import (
	"context"
	"errors"
	"slices"

	"portico/store"
)

// applicationsLookedAt is how many applications of a phone are looked at where no company is named.
const applicationsLookedAt = 10

// Applied is the application of a person who signs in with a proven phone and has no account yet. Closed says that the
// company takes no applications now. Ticket proves the phone to the company for ApplicantLife; it is "" unless a code
// proved the phone at the company's own host.
type Applied struct {
	ID           int64
	State        store.ApplicationState
	RejectReason string
	Company      store.Company
	Closed       bool
	Ticket       string
}

// refuseApplicant returns the refusal of a person who has no account in a company, or in any for 0: UnderReview with
// the person's application where there is one, the reason for which that company is blocked, or else the refusal as it
// is. The phone must have been proven. An account name proves no phone: an administrator can set its password.
func (p *Portal) refuseApplicant(
	ctx context.Context, phone store.Phone, companyID int64, refusal error,
) (refused, err error) {
	a, found, err := p.applicationOf(ctx, phone, companyID)
	if err != nil || !found {
		return refusal, err
	}
	return p.appliedRefusal(ctx, a)
}

// notHere returns the refusal of refuseApplicant for a person who has no account here, and any other refusal as it is.
func (p *Portal) notHere(ctx context.Context, phone store.Phone, place Place, refusal error) error {
	if !errors.Is(refusal, PhoneNotBound) && !errors.Is(refusal, NotInCompany) {
		return refusal
	}
	refused, err := p.refuseApplicant(ctx, phone, place.CompanyID(), refusal)
	if err != nil {
		return err
	}
	return refused
}

// appliedRefusal returns UnderReview with the application.
func (p *Portal) appliedRefusal(ctx context.Context, a store.Application) (refused, err error) {
	c, err := p.companies.byID(ctx, p.db, a.CompanyID, p.now())
	if err != nil {
		return nil, err
	}
	if reason := BlockedBy(store.Member{Company: *c}, false, p.now()); reason != "" {
		return p.blocked(store.Member{Company: *c}, reason), nil
	}
	return &Refused{
		Refusal: UnderReview, Company: c, Contacts: p.contactsFor(ApplicationsClosed, *c),
		Applied: &Applied{
			ID: a.ID, State: a.State, RejectReason: a.RejectReason, Company: *c, Closed: !c.ApplicationsOpen,
		},
	}, nil
}

// applicationOf finds the application that a person without an account wants to hear of: the last one to a company, or
// for 0 the last one that waits, else the last one. found is false when there is none, and for one that is over: its
// account was accepted or declined.
func (p *Portal) applicationOf(
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
func (p *Portal) stands(ctx context.Context, phone store.Phone, a store.Application) (bool, error) {
	if a.State != store.ApplicationApproved {
		return true, nil
	}
	offers, err := p.db.OffersIn(ctx, a.CompanyID, phone.ID)
	isOffered := func(m store.Member) bool { return m.ID == a.AccountID }
	return slices.ContainsFunc(offers, isOffered), err
}

// applicantByCode adds a ticket to the refusal of an applicant who signed in with a code, and makes the same code give
// the same answer again within RepeatWindow: the response may be lost. It returns any other refusal as it is.
func (p *Portal) applicantByCode(ctx context.Context, in CodeLoginInput, refusal error) error {
	refused := new(Refused)
	if !errors.As(refusal, &refused) || refused.Applied == nil {
		return refusal
	}
	if err := p.noteDone(ctx, p.db, p.applicantSignIn(in), ""); err != nil {
		return err
	}
	return p.withTicket(in, refused)
}

// applicantAgain returns the answer that applicantByCode gave to the same code before, or else the refusal as it is.
func (p *Portal) applicantAgain(ctx context.Context, in CodeLoginInput, refusal error) error {
	_, done, err := p.doneByCode(ctx, ForLogin, in.Phone, p.applicantSignIn(in))
	if err != nil {
		return err
	}
	if !done {
		return refusal
	}
	phone, _, err := p.person(ctx, in.Phone)
	if err != nil {
		return err
	}
	answer, err := p.refuseApplicant(ctx, phone, in.Place.CompanyID(), refusal)
	if err != nil {
		return err
	}
	if refused := new(Refused); errors.As(answer, &refused) && refused.Applied != nil {
		return p.withTicket(in, refused)
	}
	return answer
}

// applicantSignIn identifies an applicant's sign-in with a code.
func (p *Portal) applicantSignIn(in CodeLoginInput) string {
	return p.operationID("applicant signs in", in.Flow, in.Phone, decimal(in.Place.CompanyID()), in.Code)
}

// withTicket adds the ticket of a phone that a code proved at the company's own host.
func (p *Portal) withTicket(in CodeLoginInput, refused *Refused) error {
	if in.Place.CompanyID() == 0 {
		return refused
	}
	who := Applicant{refused.Applied.Company.ID, in.Phone, store.At(p.now())}
	ticket, err := p.sealApplicant(who, ApplicantLife)
	if err != nil {
		return err
	}
	refused.Applied.Ticket = ticket
	return refused
}
