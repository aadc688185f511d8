package portal

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"

	"portico/store"
)

// proofID is the id of what a code makes, shown in its flow.
func (p *Portal) proofID(purpose Purpose, flow, phone, code string) string {
	return p.tag("made by code", string(purpose)+"\x00"+flow+"\x00"+phone+"\x00"+code)
}

// sessionProofID is the id of the company of a name that a session makes.
func (p *Portal) sessionProofID(s Session, company string) string {
	return p.tag("made by session", s.ID+"\x00"+company)
}

func contentOf(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:])
}

// madeBy is a proof: the id of what it makes, what is asked for, and the phone and purpose of its code.
type madeBy struct {
	id, content string
	phone       string
	purpose     Purpose
}

// errMadeBefore says that a right proof was used up: what it made is to be found.
var errMadeBefore = errors.New("portal: the proof made something before")

// onlyOnce makes something with a proof, or gives what the proof made before: also when another request with the same
// proof was faster. Looking that up counts, or codes could be guessed here; apart from the tries of codes, because
// anyone can use it up.
func (p *Portal) onlyOnce(
	ctx context.Context, by madeBy, make func() error, again func(store.Registration) error,
) error {
	defer p.proofs.hold(by.id)() // one at a time: who comes second waits for what the first one makes
	err := make()
	if !errors.Is(err, errMadeBefore) && !errors.Is(err, CodeExpired) {
		return err
	}
	if err := p.countUpTo(ctx, p.db, "look-ups:"+string(by.purpose)+":"+p.codeSubject(by.phone), LookUpsADay, day); err != nil {
		return err
	}
	made, missing := p.db.RegistrationByID(ctx, by.id, store.At(p.now().Add(-RegistrationKept)))
	switch {
	case errors.Is(missing, store.ErrNotFound):
		return err
	case missing != nil:
		return missing
	case made.Content != by.content:
		return &Refused{Refusal: WrongParameters}
	}
	return again(made)
}

// noteMade notes what a proof makes; errMadeBefore when it made something already.
func (p *Portal) noteMade(ctx context.Context, tx *store.DB, by madeBy, m store.Member) error {
	now := p.now()
	fresh, err := tx.AddRegistration(ctx, store.Registration{ID: by.id, Content: by.content, CompanyID: m.CompanyID, AccountID: m.ID, At: store.At(now)}, store.At(now.Add(-RegistrationKept)))
	if err == nil && !fresh {
		err = errMadeBefore
	}
	return err
}

// madeFor reads the account that a proof of a phone has made; CodeExpired when it is not that phone's any more.
func (p *Portal) madeFor(
	ctx context.Context, tx *store.DB, made store.Registration, phone string,
) (store.Member, error) {
	m, err := tx.MemberByID(ctx, made.CompanyID, made.AccountID)
	if errors.Is(err, store.ErrNotFound) || err == nil && m.Phone != phone {
		err = &Refused{Refusal: CodeExpired}
	}
	return m, err
}

// spendOnce is spend for what onlyOnce makes.
func (p *Portal) spendOnce(ctx context.Context, tx *store.DB, proof codeProof) error {
	err := p.spend(ctx, tx, proof)
	if errors.Is(err, CodeExpired) {
		err = errors.Join(err, errMadeBefore)
	}
	return err
}
