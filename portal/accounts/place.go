package accounts

import (
	"portico/portal/access"
	"portico/store"
)

// PlaceOfCompany is where a program is that names a company, 0 for none: one that does not exist has no accounts.
func PlaceOfCompany(companyID int64) access.Place {
	if companyID == 0 {
		return access.Place{}
	}
	return access.Place{Company: &store.Company{ID: companyID}}
}
