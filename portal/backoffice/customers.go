package backoffice

import (
	"context"

	"portico/portal/access"
	"portico/portal/application"
	"portico/portal/samples"
	"portico/store"
)

// PartnersShown is how many customers there are at most to choose from when an account is opened.
const PartnersShown = 500

// CustomersShown is how many customers a page of the list has.
const CustomersShown = 50

// CustomerList is a page of a company's customers; More is the id to continue after, 0 at the end. Count is how many
// there are in all, up to CountShown+1.
type CustomerList struct {
	Customers []store.Client
	More      int64
	Count     int
}

// CustomerDetail is a customer with its accounts.
type CustomerDetail struct {
	store.Client
	Accounts []store.Member
}

// Customers are a company's customers with a larger id than after, in the reader's language where they are samples.
// Forbidden.
func (b *Backoffice) Customers(
	ctx context.Context, here access.Landing, after int64, lang string,
) (CustomerList, error) {
	if err := access.RequireRight(here, access.RightCustomers); err != nil {
		return CustomerList{}, err
	}
	all, err := b.db.ClientsAfter(ctx, here.Member.CompanyID, after, CustomersShown+1)
	if err != nil {
		return CustomerList{}, err
	}
	nameSamples(here, lang, all)
	list := CustomerList{Customers: all}
	if len(all) > CustomersShown {
		list.Customers, list.More = all[:CustomersShown], all[CustomersShown-1].ID
	}
	list.Count, err = b.db.CountClients(ctx, here.Member.CompanyID, application.CountShown+1)
	return list, err
}

// Partners are the customers for which an account can be opened, PartnersShown at most. Forbidden.
func (b *Backoffice) Partners(ctx context.Context, here access.Landing, lang string) ([]store.Client, error) {
	if err := access.RequireRight(here, access.RightManagePeople); err != nil {
		return nil, err
	}
	all, err := b.db.PartnersAfter(ctx, here.Member.CompanyID, 0, PartnersShown)
	nameSamples(here, lang, all)
	return all, err
}

// nameSamples gives sample customers their names in the reader's language.
func nameSamples(here access.Landing, lang string, all []store.Client) {
	words := samples.WordsFor(here.Member.Company, lang)
	for i := range all {
		words.Client(all[i].Sample, &all[i].Name, &all[i].Contact)
	}
}

// Customer is one of a company's customers; Forbidden, NotFound for another company's.
func (b *Backoffice) Customer(ctx context.Context, here access.Landing, id int64, lang string) (CustomerDetail, error) {
	if err := access.RequireRight(here, access.RightCustomers); err != nil {
		return CustomerDetail{}, err
	}
	client, err := b.db.ClientByID(ctx, here.Member.CompanyID, id)
	if err != nil {
		return CustomerDetail{}, b.accounts.Missing(ctx, here, "customer", err)
	}
	samples.WordsFor(here.Member.Company, lang).Client(client.Sample, &client.Name, &client.Contact)
	accounts, err := b.db.AccountsOfClient(ctx, here.Member.CompanyID, id)
	return CustomerDetail{client, accounts}, err
}

// EndPartnership ends the partnership with a customer: what is signed in to its accounts ends with it.
// Forbidden, NotFound.
func (b *Backoffice) EndPartnership(ctx context.Context, here access.Landing, id int64) error {
	return b.changeCustomer(ctx, here, id, store.ClientEnded, "customer_ended")
}

// ResumePartnership makes a customer a partner again: its accounts may be entered as before. Forbidden, NotFound.
func (b *Backoffice) ResumePartnership(ctx context.Context, here access.Landing, id int64) error {
	return b.changeCustomer(ctx, here, id, store.ClientPartner, "customer_resumed")
}

func (b *Backoffice) changeCustomer(ctx context.Context, here access.Landing, id int64, state, event string) error {
	if err := access.RequireRight(here, access.RightManageCustomers); err != nil {
		return err
	}
	return b.db.Tx(ctx, func(tx *store.DB) error {
		by, err := b.access.Acting(ctx, tx, here, access.RightManageCustomers)
		if err != nil {
			return err
		}
		client, err := tx.ClientByID(ctx, by.CompanyID, id)
		if err != nil || client.State == state {
			return b.accounts.Missing(ctx, here, "customer", err)
		}
		if err := tx.SetClientState(ctx, by.CompanyID, id, state); err != nil {
			return err
		}
		if state == store.ClientEnded {
			accounts, err := tx.AccountsOfClient(ctx, by.CompanyID, id)
			if err != nil {
				return err
			}
			for _, m := range accounts {
				if err := b.revocation.EndMember(ctx, tx, m); err != nil {
					return err
				}
			}
		}
		return b.access.Event(ctx, tx, event, by, access.Decimal(id))
	})
}
