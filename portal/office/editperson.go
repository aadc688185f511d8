package office

import (
	"context"

	"portico/portal/access"
	"portico/portal/core"
	"portico/store"
)

// MaxDepartment is the longest name of a department, in characters.
const MaxDepartment = 40

// PersonChanged says that an account was changed after its page was opened.
const PersonChanged access.Problem = "person_changed"

// PersonInput is what administrators may change of an account. ClientID is the customer of a shop account. Seen is the
// tag of the values that the page showed, from PersonDetails; "" is not compared.
type PersonInput struct {
	Name       string `form:"name"`
	Position   string `form:"position"`
	Department string `form:"department"`
	ClientID   int64  `form:"client_id"`
	Seen       string `form:"seen"`
}

// PersonDetails returns what EditPerson can change of an account, as it is stored.
func PersonDetails(m store.Member) PersonInput {
	in := PersonInput{Name: m.Name, Position: m.DutyName, Department: m.DeptName, ClientID: m.ClientID}
	in.Seen = core.SeenTag([]string{m.Name, m.DutyName, m.DeptName, access.Decimal(m.ClientID)})
	return in
}

// EditPerson changes the name, job title and department of an account, and the customer of a shop account. It refuses
// with Forbidden anyone without RightManagePeople, with NotFound an account of another company, malformed fields, with
// ClientRequired under "client_id" a customer that is none of the company's partners, and with PersonChanged under
// "seen" when another person has changed the account since. Saving the stored values again writes nothing.
func (b *Backoffice) EditPerson(ctx context.Context, here access.Landing, id int64, in PersonInput) error {
	fields := access.Fields{}
	access.NameField(fields, &in.Name)
	fields.NormaliseText("position", &in.Position, access.MaxPosition)
	fields.NormaliseText("department", &in.Department, MaxDepartment)
	invalidFields := access.Invalid(fields)
	return b.changePerson(ctx, here, id, func(tx *store.DB, by, m store.Member) error {
		if invalidFields != nil {
			return invalidFields
		}
		stored, in := PersonDetails(m), in
		if m.Side != store.Shop {
			in.ClientID = m.ClientID
		}
		seen := in.Seen
		if in.Seen = stored.Seen; in == stored {
			return nil
		}
		if seen != "" && seen != stored.Seen {
			return access.Invalid(access.Fields{"seen": PersonChanged})
		}
		if in.ClientID != m.ClientID {
			if _, err := b.partner(ctx, tx, by, in.ClientID); err != nil {
				return err
			}
		}
		m.Name = in.Name
		m.DutyName = in.Position
		m.DeptName = in.Department
		m.ClientID = in.ClientID
		if err := tx.Accounts.Edit(ctx, m.Account); err != nil {
			return err
		}
		return b.core.Access.Event(ctx, tx, "account_edited", by, access.Decimal(m.ID))
	})
}

// partner reads a customer of the administrator's company for which accounts can be opened. It refuses with NotFound a
// customer of another company, and with ClientRequired under "client_id" none and one whose partnership has ended.
func (b *Backoffice) partner(ctx context.Context, tx *store.DB, by store.Member, id int64) (store.Client, error) {
	if id == 0 {
		return store.Client{}, access.Invalid(access.Fields{"client_id": access.ClientRequired})
	}
	client, err := tx.Clients.ByID(ctx, by.CompanyID, id)
	switch {
	case err != nil:
		return client, b.core.Access.RefuseMissing(ctx, access.Landing{Member: by}, "customer", err)
	case client.State != store.ClientPartner:
		return client, access.Invalid(access.Fields{"client_id": access.ClientRequired})
	}
	return client, nil
}
