package core

import (
	"context"
	"errors"

	"portico/portal/access"
	"portico/store"
)

// DoneByCode does what DoneBefore does for an operation that a verification code proved. It counts its calls, so that
// nobody can guess codes with it: after LookUpsADay calls for a phone in a day it finds nothing.
func (r *Replay) DoneByCode(
	ctx context.Context, purpose access.Purpose, phone, id string,
) (note store.Repeat, ok bool, err error) {
	err = r.core.Limits.CountUpTo(
		ctx, r.core.DB, "look-ups:"+string(purpose)+":"+r.core.Sealing.CodeSubject(phone), LookUpsADay, access.Day,
	)
	if errors.Is(err, access.TooManyAttempts) {
		return note, false, nil
	}
	if err != nil {
		return note, false, err
	}
	return r.DoneBefore(ctx, id)
}
