package replay

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"

	"portico/portal/access"
	"portico/portal/verification"
	"portico/store"
)

// ProofID is the id of what a code makes, shown in its flow.
func (r *Replay) ProofID(purpose access.Purpose, flow, phone, code string) string {
	return r.sealing.Tag("made by code", string(purpose)+"\x00"+flow+"\x00"+phone+"\x00"+code)
}

// SessionProofID is the id of the company of a name that a session makes.
func (r *Replay) SessionProofID(s access.Session, company string) string {
	return r.sealing.Tag("made by session", s.ID+"\x00"+company)
}

func ContentOf(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:])
}

// MadeBy is a proof: the id of what it makes, what is asked for, and the phone and purpose of its code.
type MadeBy struct {
	Id, Content string
	Phone       string
	Purpose     access.Purpose
}

// ErrMadeBefore says that a right proof was used up: what it made is to be found.
var ErrMadeBefore = errors.New("portal: the proof made something before")

// OnlyOnce makes something with a proof, or gives what the proof made before: also when another request with the same
// proof was faster. Looking that up counts, or codes could be guessed here; apart from the tries of codes, because
// anyone can use it up.
func (r *Replay) OnlyOnce(
	ctx context.Context, by MadeBy, make func() error, again func(store.Registration) error,
) error {
	defer r.Proofs.Hold(by.Id)() // one at a time: who comes second waits for what the first one makes
	err := make()
	if !errors.Is(err, ErrMadeBefore) && !errors.Is(err, access.CodeExpired) {
		return err
	}
	if err := r.limits.CountUpTo(
		ctx, r.db, "look-ups:"+string(by.Purpose)+":"+r.sealing.CodeSubject(by.Phone), verification.LookUpsADay,
		access.Day,
	); err != nil {
		return err
	}
	made, missing := r.db.RegistrationByID(ctx, by.Id, store.At(r.now().Add(-RegistrationKept)))
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

// NoteMade notes what a proof makes; ErrMadeBefore when it made something already.
func (r *Replay) NoteMade(ctx context.Context, tx *store.DB, by MadeBy, m store.Member) error {
	now := r.now()
	fresh, err := tx.AddRegistration(
		ctx,
		store.Registration{ID: by.Id, Content: by.Content, CompanyID: m.CompanyID, AccountID: m.ID, At: store.At(now)},
		store.At(now.Add(-RegistrationKept)),
	)
	if err == nil && !fresh {
		err = ErrMadeBefore
	}
	return err
}

// MadeFor reads the account that a proof of a phone has made; CodeExpired when it is not that phone's any more.
func (r *Replay) MadeFor(
	ctx context.Context, tx *store.DB, made store.Registration, phone string,
) (store.Member, error) {
	m, err := tx.MemberByID(ctx, made.CompanyID, made.AccountID)
	if errors.Is(err, store.ErrNotFound) || err == nil && m.Phone != phone {
		err = &access.Refused{Refusal: access.CodeExpired}
	}
	return m, err
}

// SpendOnce is spend for what OnlyOnce makes.
func (r *Replay) SpendOnce(ctx context.Context, tx *store.DB, proof verification.CodeProof) error {
	err := r.verification.Spend(ctx, tx, proof)
	if errors.Is(err, access.CodeExpired) {
		err = errors.Join(err, ErrMadeBefore)
	}
	return err
}

const (
	// RegistrationKept is how long the same proof gives the same company again.
	RegistrationKept = verification.ProofLife
)
