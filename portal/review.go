package portal

import (
	"context"
	"errors"

	"portico/store"
)

// ReviewInput decides an application. Reason is told to an applicant who is rejected.
type ReviewInput struct {
	ID      int64
	Approve bool
	Reason  string `form:"reason"`
}

// Review decides an application, once, for one of the company's administrators, never for the applicant (requirement
// 109). It gives the application as it is decided; one that was decided before stays as it was, and decided says false.
// Refused: Forbidden, NotFound for another company's, a rejection without a reason, PhoneBoundElsewhere where the phone is
// another company's alone.
func (p *Portal) Review(ctx context.Context, here Landing, in ReviewInput) (a store.Application, decided bool, err error) {
	m := here.Member
	if err := may(here, RightReview); err != nil {
		return a, false, err
	}
	reason, ok := NormalText(in.Reason, MaxRejectReason)
	switch {
	case !ok:
		return a, false, invalid(Fields{"reason": TextMalformed})
	case reason == "" && !in.Approve:
		return a, false, invalid(Fields{"reason": FieldRequired})
	}
	err = p.db.Tx(ctx, func(tx *store.DB) error {
		if err := tx.LockCompany(ctx, m.CompanyID); err != nil { // two reviewers, one after the other
			return err
		}
		if a, err = tx.ApplicationOf(ctx, m.CompanyID, in.ID); err != nil {
			return err
		}
		if a.Phone == m.Phone {
			return Forbidden
		}
		if a.State != store.ApplicationPending {
			return nil
		}
		decided = true
		if in.Approve {
			a, err = p.approve(ctx, tx, a, m.ID)
			return err
		}
		a.State, a.RejectReason, a.DecidedBy, a.DecidedAt = store.ApplicationRejected, reason, m.ID, store.At(p.now())
		if err := tx.DecideApplication(ctx, a); err != nil {
			return err
		}
		return p.event(ctx, tx, "application_rejected", m, decimal(a.ID))
	})
	if errors.Is(err, store.ErrNotFound) {
		err = NotFound
	}
	if err != nil {
		return store.Application{}, false, err
	}
	if decided {
		notice := map[store.ApplicationState]Notice{store.ApplicationApproved: NoticeApproved, store.ApplicationRejected: NoticeRejected}[a.State]
		p.tell(ctx, a.Phone, notice, a.Lang, m.Company)
	}
	return a, decided, nil
}

// approve makes the customer and the account that its holder sets up; by is the reviewer, 0 where none was needed.
func (p *Portal) approve(ctx context.Context, tx *store.DB, a store.Application, by int64) (store.Application, error) {
	now := store.At(p.now())
	person, err := p.personOf(ctx, tx, a.Phone)
	if err != nil {
		return a, err
	}
	members, err := tx.MembersByPhone(ctx, person.ID)
	if err != nil {
		return a, err
	}
	c, err := tx.CompanyByID(ctx, a.CompanyID)
	if err != nil {
		return a, err
	}
	if err := exclusive(store.Member{Account: store.Account{CompanyID: c.ID}, Company: c}, members); err != nil {
		return a, err
	}
	client, err := tx.NewClient(ctx, store.Client{CompanyID: c.ID, Name: a.CompanyName, Contact: a.ContactName, State: store.ClientPartner, CreatedAt: now})
	if err != nil {
		return a, err
	}
	a.AccountID, err = p.addOwnAccount(ctx, tx, store.Account{
		CompanyID: c.ID, Side: store.Shop, Type: store.TypeShop, Name: a.ContactName, DutyName: a.Position, PhoneID: person.ID, ClientID: client, Invited: true,
	}, "c"+decimal(client)+"-")
	if err != nil {
		return a, err
	}
	a.State, a.DecidedBy, a.DecidedAt = store.ApplicationApproved, by, now
	if err := tx.DecideApplication(ctx, a); err != nil {
		return a, err
	}
	return a, p.event(ctx, tx, "application_approved", store.Member{Account: store.Account{ID: by, CompanyID: c.ID}}, decimal(a.ID))
}

// personOf is the person of a proven number, made without a password where there is none.
func (p *Portal) personOf(ctx context.Context, tx *store.DB, number string) (store.Phone, error) {
	if _, err := tx.AddPhone(ctx, store.Phone{Phone: number, CreatedAt: store.At(p.now())}); err != nil {
		return store.Phone{}, err
	}
	return tx.PhoneByNumber(ctx, number)
}
