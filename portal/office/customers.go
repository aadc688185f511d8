package office

import (
	"context"

	"portico/portal/access"
	"portico/store"
)

// PartnersShown is the largest number of customers offered as a choice when an account is opened.
const PartnersShown = 500

// CustomerDetail is a customer with its accounts, and its orders for readers who may see them.
type CustomerDetail struct {
	store.Client
	Accounts []store.Member
	Orders   CustomerOrders
}

// Partners reads the customers for which an account can be opened, at most PartnersShown. It refuses with Forbidden an
// account without RightManagePeople.
func (b *Backoffice) Partners(ctx context.Context, here access.Landing) ([]store.Client, error) {
	if err := access.RequireRight(here, access.RightManagePeople); err != nil {
		return nil, err
	}
	return b.core.DB.Clients.PartnersAfter(ctx, here.Member.CompanyID, 0, PartnersShown)
}

// Customer reads a customer with its accounts and orders. It refuses with Forbidden an account without the right to see
// customers, and with NotFound another company's customer.
func (b *Backoffice) Customer(ctx context.Context, here access.Landing, id int64) (CustomerDetail, error) {
	if err := access.RequireRight(here, access.RightCustomers); err != nil {
		return CustomerDetail{}, err
	}
	client, err := b.core.DB.Clients.ByID(ctx, here.Member.CompanyID, id)
	if err != nil {
		return CustomerDetail{}, b.core.Access.RefuseMissing(ctx, here, "customer", err)
	}
	accounts, err := b.core.DB.Accounts.OfClient(ctx, here.Member.CompanyID, id)
	detail := CustomerDetail{Client: client, Accounts: accounts}
	if err == nil && access.May(here.Member, access.RightOrders) {
		detail.Orders, err = customerOrders(ctx, b, here.Member.CompanyID, id)
	}
	return detail, err
}

// EndPartnership ends the partnership with a customer and revokes the sessions of its accounts. It refuses with
// Forbidden an account without RightManageCustomers, and with NotFound another company's customer.
func (b *Backoffice) EndPartnership(ctx context.Context, here access.Landing, id int64) error {
	_, err := b.EndIfPartner(ctx, here, id)
	return err
}

// EndIfPartner does what EndPartnership does and says whether it was this call that ended the partnership.
func (b *Backoffice) EndIfPartner(ctx context.Context, here access.Landing, id int64) (ended bool, err error) {
	return b.changeCustomer(ctx, here, id, store.ClientEnded, "customer_ended")
}

// ResumePartnership resumes the partnership with a customer, so that its accounts work again. It refuses as
// EndPartnership does.
func (b *Backoffice) ResumePartnership(ctx context.Context, here access.Landing, id int64) error {
	_, err := b.ResumeIfEnded(ctx, here, id)
	return err
}

// ResumeIfEnded does what ResumePartnership does and says whether it was this call that resumed the partnership.
func (b *Backoffice) ResumeIfEnded(ctx context.Context, here access.Landing, id int64) (resumed bool, err error) {
	return b.changeCustomer(ctx, here, id, store.ClientPartner, "customer_resumed")
}

func (b *Backoffice) changeCustomer(
	ctx context.Context, here access.Landing, id int64, state, event string,
) (changed bool, err error) {
	if err := access.RequireRight(here, access.RightManageCustomers); err != nil {
		return false, err
	}
	err = b.core.DB.Tx(ctx, func(tx *store.DB) error {
		by, err := b.core.Access.LockActor(ctx, tx, here, access.RightManageCustomers)
		if err != nil {
			return err
		}
		client, err := tx.Clients.ByID(ctx, by.CompanyID, id)
		if changed = err == nil && client.State != state; !changed {
			return b.core.Access.RefuseMissing(ctx, here, "customer", err)
		}
		if err := tx.Clients.SetState(ctx, by.CompanyID, id, state); err != nil {
			return err
		}
		if state == store.ClientEnded {
			accounts, err := tx.Accounts.OfClient(ctx, by.CompanyID, id)
			if err != nil {
				return err
			}
			for _, m := range accounts {
				if err := b.core.Revocation.EndMember(ctx, tx, m); err != nil {
					return err
				}
			}
		}
		return b.core.Access.Event(ctx, tx, event, by, access.Decimal(id))
	})
	return changed && err == nil, err
}
