package signin

import (
	"errors"

	"portico/portal/access"
	"portico/portal/passwords"
)

// IsSamePassword says whether a new password was refused because it is the current one.
func IsSamePassword(err error) bool {
	refused, ok := errors.AsType[*access.Refused](err)
	return ok && refused.Fields["password"] == passwords.PasswordSame
}
