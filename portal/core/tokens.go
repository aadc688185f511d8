package core

import (
	"encoding/json"

	"portico/portal/access"
	"portico/store"
)

// CredentialsPurpose returns the purpose with which a company's credentials of one kind are sealed.
func CredentialsPurpose(companyID int64, kind store.CredentialKind) string {
	return "credentials " + access.Decimal(companyID) + " " + string(kind)
}

// SeenTag returns a short hash of the values that a form shows. The form sends it back as "seen", so that the operation
// notices when another person has changed the values since.
func SeenTag(values any) string {
	text, _ := json.Marshal(values) // strings, numbers and booleans
	return access.Hashed(string(text))[:16]
}
