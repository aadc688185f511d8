package office

import (
	"context"
	"slices"
	"strings"

	"portico/portal/access"
	"portico/portal/core"
	"portico/store"
)

// Limits of the types into which a company sorts its customers.
const (
	// MaxCustomerTypes is how many types a company has at most.
	MaxCustomerTypes = 30
	// CustomerTypesEver is how many types a company may have had: the ids of removed ones are not given again.
	CustomerTypesEver = 200
	// MaxCustomerType is the longest name of a type, in characters.
	MaxCustomerType = 30
)

const (
	// CustomerTypesChanged says that another person changed the types after the page was opened.
	CustomerTypesChanged access.Problem = "customer_types_changed"
	// CustomerTypeTwice says that two types have the same name.
	CustomerTypeTwice access.Problem = "customer_type_twice"
	// CustomerTypesFull says that the company has as many types as it can have.
	CustomerTypesFull access.Problem = "customer_types_full"
	// CustomerTypeGone says that the company does not have the chosen type.
	CustomerTypeGone access.Problem = "customer_type_gone"
	// CustomerChanged says that another person changed the customer's type after the page was opened.
	CustomerChanged access.Problem = "customer_changed"
)

// CustomerTypesInput names all types of a company. A type whose name is empty is removed; New is one to be added, ""
// for none. Seen is the tag of the types that the page showed; "" is not compared.
type CustomerTypesInput struct {
	Types []store.CustomerType // ID and Name
	New   string               `form:"new"`
	Seen  string               `form:"seen"`
}

// CustomerTypeField is the form name of a type's field.
func CustomerTypeField(id int64) string { return "type_" + access.Decimal(id) }

func activeTypes(all []store.CustomerType) []store.CustomerType {
	return slices.DeleteFunc(slices.Clone(all), func(t store.CustomerType) bool { return t.Removed })
}

func customerTypesTag(active []store.CustomerType) string { return core.SeenTag(active) }

// CustomerTypes reads the types into which a company sorts its customers, with their tag. Forbidden for those who may
// not see customers.
func (b *Backoffice) CustomerTypes(ctx context.Context, here access.Landing) (CustomerTypesInput, error) {
	if err := access.RequireRight(here, access.RightCustomers); err != nil {
		return CustomerTypesInput{}, err
	}
	all, err := b.core.DB.Clients.Types(ctx, here.Member.CompanyID)
	active := activeTypes(all)
	return CustomerTypesInput{Types: active, Seen: customerTypesTag(active)}, err
}

// SetCustomerTypes renames, removes and adds types of the administrator's company. A customer keeps a type that is
// removed, until it gets another. It refuses with Forbidden anyone without RightManageCustomers, malformed names, with
// CustomerTypeTwice two types of the same name, with CustomerTypesFull under "new" more than MaxCustomerTypes, and with
// CustomerTypesChanged under "seen" when another person has changed them since. Saving the stored types writes nothing.
func (b *Backoffice) SetCustomerTypes(ctx context.Context, here access.Landing, in CustomerTypesInput) error {
	if err := access.RequireRight(here, access.RightManageCustomers); err != nil {
		return err
	}
	fields := access.Fields{}
	names := map[string]bool{}
	check := func(field string, name *string) {
		fields.NormaliseText(field, name, MaxCustomerType)
		if key := strings.ToLower(*name); key != "" {
			if names[key] && fields[field] == "" {
				fields[field] = CustomerTypeTwice
			}
			names[key] = true
		}
	}
	for i := range in.Types {
		check(CustomerTypeField(in.Types[i].ID), &in.Types[i].Name)
	}
	check("new", &in.New)
	if err := access.Invalid(fields); err != nil {
		return err
	}
	return b.core.DB.Tx(ctx, func(tx *store.DB) error {
		by, err := b.core.Access.LockActor(ctx, tx, here, access.RightManageCustomers)
		if err != nil {
			return err
		}
		all, err := tx.Clients.Types(ctx, by.CompanyID)
		if err != nil {
			return err
		}
		changed, err := changedTypes(all, in, by.CompanyID)
		if err != nil || len(changed) == 0 {
			return err
		}
		for _, t := range changed {
			if err := tx.Clients.PutType(ctx, t); err != nil {
				return err
			}
		}
		return b.core.Access.Event(ctx, tx, "customer_types_set", by, "")
	})
}

// changedTypes returns the rows that in changes or adds.
func changedTypes(
	all []store.CustomerType, in CustomerTypesInput, companyID int64,
) (changed []store.CustomerType, err error) {
	active := activeTypes(all)
	count := len(active)
	for _, t := range active {
		i := slices.IndexFunc(in.Types, func(typed store.CustomerType) bool { return typed.ID == t.ID })
		if i < 0 || in.Types[i].Name == t.Name {
			continue
		}
		if t.Removed = in.Types[i].Name == ""; t.Removed {
			count--
		} else {
			t.Name = in.Types[i].Name
		}
		changed = append(changed, t)
	}
	isThere := func(t store.CustomerType) bool { return strings.EqualFold(t.Name, in.New) }
	if in.New != "" && !slices.ContainsFunc(active, isThere) { // the form may be sent twice
		added := store.CustomerType{CompanyID: companyID, ID: 1, Name: in.New}
		if n := len(all); n > 0 {
			added.ID = all[n-1].ID + 1
		}
		if i := slices.IndexFunc(all, isThere); i >= 0 { // a removed type comes back
			added.ID = all[i].ID
		}
		if count >= MaxCustomerTypes || added.ID > CustomerTypesEver {
			return nil, access.Invalid(access.Fields{"new": CustomerTypesFull})
		}
		changed = append(changed, added)
	}
	if len(changed) > 0 && in.Seen != "" && in.Seen != customerTypesTag(active) {
		return nil, access.Invalid(access.Fields{"seen": CustomerTypesChanged})
	}
	return changed, nil
}

// CustomerTypeInput sorts a customer into a type, 0 for none. Seen is the type that the page showed, from
// CustomerTypeTag; "" is not compared.
type CustomerTypeInput struct {
	TypeID int64  `form:"client_type_id"`
	Seen   string `form:"seen"`
}

// CustomerTypeTag is the tag of a customer's type, for CustomerTypeInput.
func CustomerTypeTag(c store.Client) string { return core.SeenTag(c.TypeID) }

// SetCustomerType sorts a customer into one of the company's types. It refuses with Forbidden anyone without
// RightManageCustomers, with NotFound another company's customer, with CustomerTypeGone under "client_type_id" a type
// that the company does not have, and with CustomerChanged under "seen" when another person has changed it since.
func (b *Backoffice) SetCustomerType(ctx context.Context, here access.Landing, id int64, in CustomerTypeInput) error {
	if err := access.RequireRight(here, access.RightManageCustomers); err != nil {
		return err
	}
	return b.core.DB.Tx(ctx, func(tx *store.DB) error {
		by, err := b.core.Access.LockActor(ctx, tx, here, access.RightManageCustomers)
		if err != nil {
			return err
		}
		client, err := tx.Clients.ByID(ctx, by.CompanyID, id)
		if err != nil || client.TypeID == in.TypeID {
			return b.core.Access.RefuseMissing(ctx, here, "customer", err)
		}
		if in.Seen != "" && in.Seen != CustomerTypeTag(client) {
			return access.Invalid(access.Fields{"seen": CustomerChanged})
		}
		all, err := tx.Clients.Types(ctx, by.CompanyID)
		if err != nil {
			return err
		}
		isChosen := func(t store.CustomerType) bool { return t.ID == in.TypeID }
		if in.TypeID != 0 && !slices.ContainsFunc(activeTypes(all), isChosen) {
			return access.Invalid(access.Fields{"client_type_id": CustomerTypeGone})
		}
		if err := tx.Clients.SetType(ctx, by.CompanyID, id, in.TypeID); err != nil {
			return err
		}
		return b.core.Access.Event(ctx, tx, "customer_type_set", by, access.Decimal(id))
	})
}
