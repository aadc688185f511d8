package credentials

import (
	"errors"

	"portico/portal/access"
	"portico/portal/limits"
)

// WaitInstead turns a refusal with a picture question, which this form cannot show, into one with a wait of
// FailureWindow.
func WaitInstead(err error) error {
	if refused, ok := errors.AsType[*access.Refused](err); ok && refused.Question != nil {
		return &access.Refused{Refusal: access.TooManyAttempts, Wait: limits.FailureWindow}
	}
	return err
}
