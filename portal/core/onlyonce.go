package core

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"

	"portico/portal/access"
	"portico/store"
)

// ProofID returns the MadeBy.ID for a verification code that is used in its flow.
func (r *Replay) ProofID(purpose access.Purpose, flow, phone, code string) string {
	return r.core.Sealing.Tag("made by code", string(purpose)+"\x00"+flow+"\x00"+phone+"\x00"+code)
}

// SessionProofID returns the MadeBy.ID for a session that registers a company with a name.
func (r *Replay) SessionProofID(s access.Session, company string) string {
	return r.core.Sealing.Tag("made by session", s.ID+"\x00"+company)
}

// ContentHash returns the MadeBy.Content for the parts of an input: their SHA-256 in hex.
func ContentHash(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:])
}

// MadeBy is a proof that creates something once: its id, a hash of the input, and the phone and purpose of its code.
type MadeBy struct {
	ID, Content string
	Phone       string
	Purpose     access.Purpose
}

// ErrProofUsed says that a valid proof was used before, so that its result can be looked up.
var ErrProofUsed = errors.New("portal: the proof made something before")

// OnlyOnce calls make, which creates something with a proof. If the proof was used before, perhaps by a request at the
// same time, it calls again with what was created then. The same proof with other content is refused with
// WrongParameters. These look-ups are counted, so that nobody can guess codes with them, but not among the tries of a
// code, because anybody can use them up.
func (r *Replay) OnlyOnce(
	ctx context.Context, by MadeBy, make func() error, again func(store.Registration) error,
) error {
	defer r.Proofs.Hold(by.ID)() // a second request waits for the result of the first one
	err := make()
	if !errors.Is(err, ErrProofUsed) && !errors.Is(err, access.CodeExpired) {
		return err
	}
	if err := r.core.Limits.CountUpTo(
		ctx, r.core.DB, "look-ups:"+string(by.Purpose)+":"+r.core.Sealing.CodeSubject(by.Phone), LookUpsADay,
		access.Day,
	); err != nil {
		return err
	}
	made, missing := r.core.DB.Registrations.ByID(ctx, by.ID, store.At(r.core.Now().Add(-RegistrationKept)))
	switch {
	case errors.Is(missing, store.ErrNotFound):
		return err
	case missing != nil:
		return missing
	case made.Content != by.Content:
		return &access.Refused{Refusal: access.WrongParameters}
	}
	return again(made)
}

// NoteMade stores the account that a proof created. It returns ErrProofUsed when the proof has created one already.
func (r *Replay) NoteMade(ctx context.Context, tx *store.DB, by MadeBy, m store.Member) error {
	now := r.core.Now()
	fresh, err := tx.Registrations.Add(
		ctx,
		store.Registration{ID: by.ID, Content: by.Content, CompanyID: m.CompanyID, AccountID: m.ID, At: store.At(now)},
		store.At(now.Add(-RegistrationKept)),
	)
	if err == nil && !fresh {
		err = ErrProofUsed
	}
	return err
}

// CreatedAccount reads the account that a proof of a phone has created. It refuses with CodeExpired when the account no
// longer belongs to the phone.
func (r *Replay) CreatedAccount(
	ctx context.Context, tx *store.DB, made store.Registration, phone string,
) (store.Member, error) {
	m, err := tx.Accounts.ByID(ctx, made.CompanyID, made.AccountID)
	if errors.Is(err, store.ErrNotFound) || err == nil && m.Phone != phone {
		err = &access.Refused{Refusal: access.CodeExpired}
	}
	return m, err
}

// SpendOnce spends a proof within OnlyOnce's make. It adds ErrProofUsed to CodeExpired.
func (r *Replay) SpendOnce(ctx context.Context, tx *store.DB, proof CodeProof) error {
	err := r.core.Verification.Spend(ctx, tx, proof)
	if errors.Is(err, access.CodeExpired) {
		err = errors.Join(err, ErrProofUsed)
	}
	return err
}

// RegistrationKept is how long a repeated proof returns the company that it created.
const RegistrationKept = ProofLife
