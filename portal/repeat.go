package portal

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"portico/store"
)

// RepeatWindow is how long an operation that was done answers its repetition with the same success: when an answer
// is lost, the browser, the person or the program sends the same again. A repetition shows the same proof and
// changes nothing, and it does not extend the window.
const RepeatWindow = 5 * time.Minute

// operationID identifies an operation, who asked for it and what was asked for. The parts are never passwords: of
// those nothing but their argon2id hash is kept, so isPasswordNow compares them.
func (p *Portal) operationID(operation string, parts ...string) string {
	all, _ := json.Marshal(parts) // strings
	return p.tag("operation", operation+"\x00"+string(all))
}

// noteDone notes in the transaction of an operation that it was done.
func (p *Portal) noteDone(ctx context.Context, tx *store.DB, id, result string) error {
	return tx.AddRepeat(ctx, store.Repeat{ID: id, Result: result, At: store.At(p.now())})
}

// doneBefore reads what noteDone noted within RepeatWindow; ok is false when it noted nothing.
func (p *Portal) doneBefore(ctx context.Context, id string) (note store.Repeat, ok bool, err error) {
	note, err = p.db.RepeatByID(ctx, id, store.At(p.now().Add(-RepeatWindow)))
	if errors.Is(err, store.ErrNotFound) {
		return note, false, nil
	}
	return note, err == nil, err
}

// doneByCode is doneBefore for an operation that a code proved. It counts, or codes could be guessed here; past
// LookUpsADay it finds nothing.
func (p *Portal) doneByCode(
	ctx context.Context, purpose Purpose, phone, id string,
) (note store.Repeat, ok bool, err error) {
	err = p.countUpTo(ctx, p.db, "look-ups:"+string(purpose)+":"+p.codeSubject(phone), LookUpsADay, day)
	if errors.Is(err, TooManyAttempts) {
		return note, false, nil
	}
	if err != nil {
		return note, false, err
	}
	return p.doneBefore(ctx, id)
}

// isPasswordNow says whether a password is the owner's present one. It counts as a try to sign in, so that nobody
// can guess passwords here; a try that is refused finds nothing.
func (p *Portal) isPasswordNow(ctx context.Context, owner candidate, device, password string) (bool, error) {
	if password == "" || len(password) > MaxPassword {
		return false, nil
	}
	g, err := p.checkPassword(ctx, LoginInput{Password: password, Device: device}, owner, nil)
	if refused := new(Refused); errors.As(err, &refused) && refused.Refusal != NotAvailable {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, p.db.Tx(ctx, func(tx *store.DB) error { return p.passed(ctx, tx, g, nil) })
}

// isSamePassword says whether a new password was refused because it is the present one.
func isSamePassword(err error) bool {
	refused := new(Refused)
	return errors.As(err, &refused) && refused.Fields["password"] == PasswordSame
}

// isRefused says whether an error is a refusal of ours, and not a failure.
func isRefused(err error) bool {
	plain := Refusal("")
	return errors.As(err, &plain)
}
