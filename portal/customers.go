package portal

import (
	"context"

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
func (p *Portal) Customers(ctx context.Context, here Landing, after int64, lang string) (CustomerList, error) {
	if err := may(here, RightCustomers); err != nil {
		return CustomerList{}, err
	}
	all, err := p.db.ClientsAfter(ctx, here.Member.CompanyID, after, CustomersShown+1)
	if err != nil {
		return CustomerList{}, err
	}
	nameSamples(here, lang, all)
	list := CustomerList{Customers: all}
	if len(all) > CustomersShown {
		list.Customers, list.More = all[:CustomersShown], all[CustomersShown-1].ID
	}
	list.Count, err = p.db.CountClients(ctx, here.Member.CompanyID, CountShown+1)
	return list, err
}

// Partners are the customers for which an account can be opened, PartnersShown at most. Forbidden.
func (p *Portal) Partners(ctx context.Context, here Landing, lang string) ([]store.Client, error) {
	if err := may(here, RightManagePeople); err != nil {
		return nil, err
	}
	all, err := p.db.PartnersAfter(ctx, here.Member.CompanyID, 0, PartnersShown)
	nameSamples(here, lang, all)
	return all, err
}

// nameSamples gives sample customers their names in the reader's language.
func nameSamples(here Landing, lang string, all []store.Client) {
	words := wordsFor(here.Member.Company, lang)
	for i := range all {
		words.client(all[i].Sample, &all[i].Name, &all[i].Contact)
	}
}

// Customer is one of a company's customers; Forbidden, NotFound for another company's.
func (p *Portal) Customer(ctx context.Context, here Landing, id int64, lang string) (CustomerDetail, error) {
	if err := may(here, RightCustomers); err != nil {
		return CustomerDetail{}, err
	}
	client, err := p.db.ClientByID(ctx, here.Member.CompanyID, id)
	if err != nil {
		return CustomerDetail{}, p.missing(ctx, here, "customer", err)
	}
	wordsFor(here.Member.Company, lang).client(client.Sample, &client.Name, &client.Contact)
	accounts, err := p.db.AccountsOfClient(ctx, here.Member.CompanyID, id)
	return CustomerDetail{client, accounts}, err
}

// EndPartnership ends the partnership with a customer: what is signed in to its accounts ends with it.
// Forbidden, NotFound.
func (p *Portal) EndPartnership(ctx context.Context, here Landing, id int64) error {
	return p.changeCustomer(ctx, here, id, store.ClientEnded, "customer_ended")
}

// ResumePartnership makes a customer a partner again: its accounts may be entered as before. Forbidden, NotFound.
func (p *Portal) ResumePartnership(ctx context.Context, here Landing, id int64) error {
	return p.changeCustomer(ctx, here, id, store.ClientPartner, "customer_resumed")
}

func (p *Portal) changeCustomer(ctx context.Context, here Landing, id int64, state, event string) error {
	if err := may(here, RightManageCustomers); err != nil {
		return err
	}
	return p.db.Tx(ctx, func(tx *store.DB) error {
		by, err := p.acting(ctx, tx, here, RightManageCustomers)
		if err != nil {
			return err
		}
		client, err := tx.ClientByID(ctx, by.CompanyID, id)
		if err != nil || client.State == state {
			return p.missing(ctx, here, "customer", err)
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
				if err := p.endMember(ctx, tx, m); err != nil {
					return err
				}
			}
		}
		return p.event(ctx, tx, event, by, decimal(id))
	})
}
