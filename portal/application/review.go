package application

import (
	"context"
	"errors"
	"slices"

	"portico/portal/access"
	"portico/portal/core"
	"portico/store"
)

// ReviewInput decides an application. The applicant reads the Reason of a rejection.
type ReviewInput struct {
	ID      int64
	Approve bool
	Reason  string `form:"reason"`
}

// NormalReason returns the reason as it is stored. It refuses a malformed one, and a rejection without a reason, under
// "reason".
func (in ReviewInput) NormalReason() (string, error) {
	reason, ok := access.NormalLines(in.Reason, MaxRejectReason)
	switch {
	case !ok:
		return "", access.Invalid(access.Fields{"reason": access.TextMalformed})
	case reason == "" && !in.Approve:
		return "", access.Invalid(access.Fields{"reason": access.FieldRequired})
	}
	return reason, nil
}

// Review decides an application once. It returns the application as it is decided. An application that was decided
// before does not change, and decided is false, except when the same reviewer repeats the same decision because the
// answer was lost. It refuses with Forbidden an account without the right, and the applicant; with NotFound another
// company's application; a rejection without a reason; and with PhoneBoundElsewhere a phone that belongs to a company
// with exclusive phones.
func (ap *Application) Review(
	ctx context.Context, here access.Landing, in ReviewInput,
) (a store.Application, decided bool, err error) {
	if err := access.RequireRight(here, access.RightReview); err != nil {
		return a, false, err
	}
	reason, err := in.NormalReason()
	if err != nil {
		return a, false, err
	}
	m, fresh := here.Member, false
	err = ap.core.DB.Tx(ctx, func(tx *store.DB) error {
		var err error
		fresh = false
		// LockActor locks the company, so that two reviewers decide one after the other
		if m, err = ap.core.Access.LockActor(ctx, tx, here, access.RightReview); err != nil {
			return err
		}
		if a, err = tx.Applications.OfCompany(ctx, m.CompanyID, in.ID); err != nil {
			return ap.core.Access.RefuseMissing(ctx, here, "application", err)
		}
		if a.Phone == m.Phone {
			return access.Forbidden
		}
		if a.State != store.ApplicationPending {
			isSame := in.Approve == (a.State == store.ApplicationApproved) && (in.Approve || a.RejectReason == reason)
			decided = a.DecidedBy == m.ID && isSame
			return nil
		}
		fresh, decided = true, true
		if in.Approve {
			a, err = ap.approve(ctx, tx, a, m.ID)
			return err
		}
		a.State = store.ApplicationRejected
		a.RejectReason = reason
		a.DecidedBy = m.ID
		a.DecidedAt = store.At(ap.core.Now())
		if err := tx.Applications.Decide(ctx, a); err != nil {
			return err
		}
		return ap.core.Access.Event(ctx, tx, "application_rejected", m, access.Decimal(a.ID))
	})
	if err != nil {
		return store.Application{}, false, err
	}
	if fresh {
		ap.notifyApplicant(ctx, a, m.Company)
	}
	return a, decided, nil
}

// notifyApplicant sends the decision with a link: to set the account up, or to read the reason.
func (ap *Application) notifyApplicant(ctx context.Context, a store.Application, c store.Company) {
	m := core.Message{
		Phone: a.Phone, Lang: a.Lang, Company: core.NameInMessages(c), Notice: core.NoticeRejected,
		Way: ap.core.Access.CompanyOrigin(c.ID) + "/register/result?id=" + access.Decimal(a.ID),
	}
	if a.State == store.ApplicationApproved {
		m.Notice, m.Way = core.NoticeApproved, ap.core.Access.CompanyOrigin(c.ID)+"/register/complete"
	}
	ap.core.Verification.SendInBackground(ctx, m)
}

// approve makes the applicant a customer with an offered account, unless the company has offered one meanwhile. by is
// the account of the reviewer, 0 when the company requires no review.
func (ap *Application) approve(
	ctx context.Context, tx *store.DB, a store.Application, by int64,
) (store.Application, error) {
	person, err := ap.core.Access.PersonOf(ctx, tx, a.Phone)
	if err != nil {
		return a, err
	}
	members, err := tx.Accounts.ByPerson(ctx, person.ID)
	if err != nil {
		return a, err
	}
	offers, err := tx.Offers.InCompany(ctx, a.CompanyID, person.ID)
	if err != nil {
		return a, err
	}
	here := append(ap.core.Access.InPlace(members, a.CompanyID), offers...)
	if own := slices.IndexFunc(here, isCustomer); own >= 0 {
		a.AccountID = here[own].ID
	} else if a.AccountID, err = ap.openShop(ctx, tx, a, person, members); err != nil {
		return a, err
	}
	a.State = store.ApplicationApproved
	a.DecidedBy = by
	a.DecidedAt = store.At(ap.core.Now())
	if err := tx.Applications.Decide(ctx, a); err != nil {
		return a, err
	}
	reviewer := store.Member{Account: store.Account{ID: by, CompanyID: a.CompanyID}}
	return a, ap.core.Access.Event(ctx, tx, "application_approved", reviewer, access.Decimal(a.ID))
}

// openShop adds the applicant's business as a customer and offers it a shop account. It returns the account's id.
func (ap *Application) openShop(
	ctx context.Context, tx *store.DB, a store.Application, person store.Person, members []store.Member,
) (int64, error) {
	c, err := tx.Companies.ByID(ctx, a.CompanyID)
	if err != nil {
		return 0, err
	}
	if err := access.RequireExclusivePhone(
		store.Member{Account: store.Account{CompanyID: c.ID}, Company: c}, members,
	); err != nil {
		return 0, err
	}
	client, err := tx.Clients.Add(ctx, store.Client{
		CompanyID: c.ID, Name: a.CompanyName, Contact: a.ContactName, State: store.ClientPartner,
		CreatedAt: store.At(ap.core.Now()),
	})
	if err != nil {
		return 0, err
	}
	return ap.accounts.AddOwnAccount(ctx, tx, store.Account{
		CompanyID: c.ID, Side: store.Shop, Type: store.TypeShop, Name: a.ContactName, DutyName: a.Position,
		PersonID: person.ID, ClientID: client, Invited: true,
	}, "c"+access.Decimal(client)+"-")
}

// ApplicationDetail is an application as its reviewers see it, with the other applications of the phone and the name of
// the reviewer who decided.
type ApplicationDetail struct {
	store.Application
	Earlier []store.Application
	Decider string // the name or account name of the reviewer who decided, "" for none
	Own     bool   // the reader is the applicant, and may not decide

	ClientID int64 // the customer that the applicant became; 0 for none, or when the reader may not see customers
}

// CompanyApplication reads one application to the company. It refuses with Forbidden an account without the right to
// see applications, and with NotFound another company's application.
func (ap *Application) CompanyApplication(
	ctx context.Context, here access.Landing, id int64,
) (ApplicationDetail, error) {
	m := here.Member
	if err := access.RequireRight(here, access.RightApplications); err != nil {
		return ApplicationDetail{}, err
	}
	a, err := ap.core.DB.Applications.OfCompany(ctx, m.CompanyID, id)
	if err != nil {
		return ApplicationDetail{}, ap.core.Access.RefuseMissing(ctx, here, "application", err)
	}
	detail := ApplicationDetail{Application: a, Own: a.Phone == m.Phone}
	if detail.Earlier, err = ap.otherApplications(ctx, a); err != nil || a.DecidedBy == 0 {
		return detail, err
	}
	if err = ap.addCustomer(ctx, m, &detail); err != nil {
		return detail, err
	}
	decider, err := ap.core.DB.Accounts.ByID(ctx, m.CompanyID, a.DecidedBy)
	if errors.Is(err, store.ErrNotFound) {
		return detail, nil
	}
	if detail.Decider = decider.Name; detail.Decider == "" {
		detail.Decider = decider.Login
	}
	return detail, err
}

// addCustomer adds the customer that an approved applicant became, for a reader who may see customers.
func (ap *Application) addCustomer(ctx context.Context, m store.Member, detail *ApplicationDetail) error {
	if detail.AccountID == 0 || !access.May(m, access.RightCustomers) {
		return nil
	}
	account, err := ap.core.DB.Accounts.ByID(ctx, m.CompanyID, detail.AccountID)
	if errors.Is(err, store.ErrNotFound) { // declined or removed
		return nil
	}
	detail.ClientID = account.ClientID
	return err
}

// Next is the application that has waited longest for a decision; ID is 0 when none waits. Waiting is how many wait, up
// to core.WaitingShown+1.
type Next struct {
	ID      int64
	Waiting int
}

// NextApplication returns what a reviewer decides next. It returns zero for an account without the right to review.
func (ap *Application) NextApplication(ctx context.Context, here access.Landing) (n Next, err error) {
	if !access.May(here.Member, access.RightReview) {
		return n, nil
	}
	n.Waiting, err = ap.core.DB.Applications.CountPending(ctx, here.Member.CompanyID, core.WaitingShown+1)
	if err != nil || n.Waiting == 0 {
		return n, err
	}
	n.ID, err = ap.core.DB.Reports.OldestApplication(ctx, here.Member.CompanyID)
	return n, err
}

// otherApplications reads the other applications that the same phone sent to the company.
func (ap *Application) otherApplications(ctx context.Context, a store.Application) ([]store.Application, error) {
	all, err := ap.core.DB.Applications.OfPhone(ctx, a.CompanyID, a.Phone)
	return slices.DeleteFunc(all, func(other store.Application) bool { return other.ID == a.ID }), err
}
