package core

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"portico/store"
)

// RepeatWindow is how long a repeated request gets the same success as the first one. Requests are repeated because
// responses get lost: the browser, the person or the program then sends the same again. A repetition needs the same
// proof as the first request, changes nothing, and does not extend the window.
const RepeatWindow = 5 * time.Minute

// OperationID returns a keyed hash of an operation, the person or code that proved it, and its input. A password must
// not be one of the parts, because only argon2id hashes of passwords may be stored: signin.IsPasswordNow compares them.
func (r *Replay) OperationID(operation string, parts ...string) string {
	all, _ := json.Marshal(parts) // strings
	return r.core.Sealing.Tag("operation", operation+"\x00"+string(all))
}

// NoteDone stores that an operation was done. It runs in the operation's own transaction. result is what a repetition
// needs to answer, "" for nothing; it must not hold a secret.
func (r *Replay) NoteDone(ctx context.Context, tx *store.DB, id, result string) error {
	return tx.Repeats.Add(ctx, store.Repeat{ID: id, Result: result, At: store.At(r.core.Now())})
}

// DoneBefore reads what NoteDone stored within RepeatWindow; ok is false when there is nothing.
func (r *Replay) DoneBefore(ctx context.Context, id string) (note store.Repeat, ok bool, err error) {
	note, err = r.core.DB.Repeats.ByID(ctx, id, store.At(r.core.Now().Add(-RepeatWindow)))
	if errors.Is(err, store.ErrNotFound) {
		return note, false, nil
	}
	return note, err == nil, err
}
