package office

import (
	"context"
	"errors"

	"portico/portal/access"
	"portico/store"
	"portico/store/lists"
	"portico/store/searchkey"
)

// CustomerNamed says that the company has a customer with the name.
const CustomerNamed access.Problem = "customer_named"

// AddCustomerInput is a customer that staff add. With Phone, Contact gets a shop account, which is offered to the
// phone's holder as by OpenAccount.
type AddCustomerInput struct {
	Name, Contact, Phone string
}

// Validate normalises and checks the input.
func (in *AddCustomerInput) Validate() access.Fields {
	fields := access.Fields{}
	var ok bool
	switch in.Name, ok = access.NormalText(in.Name, access.MaxCompanyName); {
	case !ok:
		fields["name"] = access.CompanyMalformed
	case in.Name == "":
		fields["name"] = access.CompanyRequired
	}
	if in.Contact, ok = access.NormalText(in.Contact, access.MaxName); !ok {
		fields["contact"] = access.NameMalformed
	}
	if in.Phone == "" {
		return fields
	}
	for _, problem := range access.PhoneFields(&in.Phone) {
		fields["phone"] = problem
	}
	if ok && in.Contact == "" {
		fields["contact"] = access.FieldRequired
	}
	return fields
}

// AddCustomer adds a customer. It refuses with Forbidden anyone without RightManagePeople; malformed fields;
// CustomerNamed under "name"; and with a phone what OpenAccount refuses.
func (b *Backoffice) AddCustomer(ctx context.Context, here access.Landing, in AddCustomerInput) error {
	if err := access.RequireRight(here, access.RightManagePeople); err != nil {
		return err
	}
	if err := access.Invalid(in.Validate()); err != nil {
		return err
	}
	if in.Phone != "" {
		if err := b.countOpening(ctx, here.Member.Company, true); err != nil {
			return err
		}
	}
	err := b.core.DB.Tx(ctx, func(tx *store.DB) error {
		by, err := b.core.Access.LockActor(ctx, tx, here, access.RightManagePeople)
		if err != nil {
			return err
		}
		return b.addCustomer(ctx, tx, by, in)
	})
	if errors.Is(err, access.PhoneBoundElsewhere) {
		err = b.countRevealed(ctx, here.Member.CompanyID, in.Phone, err)
	}
	return err
}

// addCustomer adds a customer and the shop account of its contact.
func (b *Backoffice) addCustomer(ctx context.Context, tx *store.DB, by store.Member, in AddCustomerInput) error {
	named, err := lists.CustomersByName(ctx, tx, by.CompanyID, []string{searchkey.OfRow(in.Name)})
	if err != nil {
		return err
	}
	if len(named) > 0 {
		return access.Invalid(access.Fields{"name": CustomerNamed})
	}
	id, err := b.addClient(ctx, tx, by, in.Name, in.Contact)
	if err != nil || in.Phone == "" {
		return err
	}
	account := OpenAccountInput{
		Side: string(store.Shop), Type: store.TypeShop, Name: in.Contact, Phone: in.Phone, ClientID: id, Again: true,
	}
	return b.openAccount(ctx, tx, by, opening{in: account, account: store.Account{
		CompanyID: by.CompanyID, Side: store.Shop, Type: store.TypeShop, Name: in.Contact, Invited: true,
		OpenedBy: by.ID,
	}}, new(OpenedAccount))
}

// addClient adds a customer and logs who added it.
func (b *Backoffice) addClient(
	ctx context.Context, tx *store.DB, by store.Member, name, contact string,
) (id int64, err error) {
	id, err = tx.Clients.Add(ctx, store.Client{
		CompanyID: by.CompanyID, Name: name, Contact: contact, State: store.ClientPartner,
		CreatedAt: store.At(b.core.Now()),
	})
	if err != nil {
		return 0, err
	}
	return id, b.core.Access.Event(ctx, tx, "customer_added", by, access.Decimal(id))
}
