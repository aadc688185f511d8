package office

import (
	"context"
	"slices"
	"strings"

	"portico/portal/access"
	"portico/portal/core"
	"portico/store"
)

// EmployeeRightsInput are the rights of a company's employees. Seen is the tag of the rights that the page showed, from
// EmployeeRights; "" is not compared.
type EmployeeRightsInput struct {
	Seen string `form:"seen"`

	Rights []access.Right
}

// EmployeeRights reads the rights that a company's employees have now, with their tag. It refuses with Forbidden anyone
// who may not change them.
func (b *Backoffice) EmployeeRights(ctx context.Context, here access.Landing) (EmployeeRightsInput, error) {
	if err := access.RequireRight(here, access.RightSettings); err != nil {
		return EmployeeRightsInput{}, err
	}
	c, err := b.core.DB.Companies.ByID(ctx, here.Member.CompanyID)
	if err != nil {
		return EmployeeRightsInput{}, err
	}
	return employeeRightsOf(c), nil
}

func employeeRightsOf(c store.Company) EmployeeRightsInput {
	var in EmployeeRightsInput
	for _, name := range strings.Fields(c.EmployeeRights) {
		in.Rights = append(in.Rights, access.Right(name))
	}
	in.Rights = employeesRights(in.Rights)
	in.Seen = core.SeenTag(in.Rights)
	return in
}

// employeesRights keeps the rights that an employee can have, each once, in the order of the table.
func employeesRights(rights []access.Right) (kept []access.Right) {
	for _, row := range access.Rights {
		if slices.Contains(rights, row.Right) && !row.Alone {
			kept = append(kept, row.Right)
		}
	}
	return kept
}

// SetEmployeeRights changes what a company's employees may do, at once. It refuses with Forbidden anyone who may not
// change it, with ChoiceRequired under "rights" a right that no employee can have, and with RightsChanged under "seen"
// when another person changed the rights after the page was opened. Saving the stored rights again succeeds and writes
// nothing.
func (b *Backoffice) SetEmployeeRights(ctx context.Context, here access.Landing, in EmployeeRightsInput) error {
	if err := access.RequireRight(here, access.RightSettings); err != nil {
		return err
	}
	rights := employeesRights(in.Rights)
	if len(rights) != len(in.Rights) {
		return access.Invalid(access.Fields{"rights": access.ChoiceRequired})
	}
	return b.core.Access.SetCompany(ctx, here, "employee_rights_set", func(c *store.Company) error {
		stored := employeeRightsOf(*c)
		if slices.Equal(rights, stored.Rights) {
			return nil
		}
		if in.Seen != "" && in.Seen != stored.Seen {
			return access.Invalid(access.Fields{"seen": access.RightsChanged})
		}
		names := make([]string, len(rights))
		for i, right := range rights {
			names[i] = string(right)
		}
		c.EmployeeRights = strings.Join(names, " ")
		return nil
	})
}
