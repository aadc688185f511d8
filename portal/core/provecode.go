package core

import (
	"context"
	"crypto/subtle"
	"errors"
	"log/slog"
	"strings"

	"portico/portal/access"
	"portico/store"
	"portico/store/searchkey"
)

// LookUpsADay is how often the results of a phone's proofs may be looked up in a day.
const LookUpsADay = 40

// CodeProof is the proof that a code was right. Spend uses it up in the transaction that it is for.
type CodeProof struct {
	Code  store.Code
	Phone string
}

// TypedCode is a code as a person typed it, with what it was sent for. CompanyID is 0 for a code of the platform.
type TypedCode struct {
	Phone     string
	Purpose   access.Purpose
	CompanyID int64
	Flow      string
	Target    string
	Code      string
}

// ProveCode counts a try and compares. It refuses with CodeWrong; with CodeExpired a code that expired, was used, was
// tried too often, or was sent to another phone, purpose, company or flow; with TooManyAttempts past the day's tries.
func (v *Verification) ProveCode(ctx context.Context, in TypedCode) (CodeProof, error) {
	to := Recipient{Phone: in.Phone, Target: in.Target}
	return v.ProveCodeTo(ctx, to, in.Purpose, in.CompanyID, in.Flow, in.Code)
}

// ProveCodeTo does what ProveCode does for a code that may have been requested by an account name.
func (v *Verification) ProveCodeTo(
	ctx context.Context, to Recipient, purpose access.Purpose, companyID int64, flow, typed string,
) (CodeProof, error) {
	now := v.core.Now()
	c, err := v.core.DB.Codes.Try(ctx, store.Code{
		Subject: v.core.Sealing.CodeSubject(to.Subject()), Purpose: string(purpose), CompanyID: companyID,
		Flow: v.Flow(flow), Target: to.Target,
	}, CodeTries, store.At(now))
	if errors.Is(err, store.ErrNotFound) {
		return CodeProof{}, &access.Refused{Refusal: access.CodeExpired}
	}
	if err != nil {
		return CodeProof{}, err
	}
	// Only attempts at an existing code count, so nobody can use up another person's attempts.
	if err := v.countTry(ctx, to.Subject(), purpose); err != nil {
		return CodeProof{}, err
	}
	var sentTo string
	if v.core.Sealing.Unseal("code phone", c.Phone, &sentTo) != nil ||
		sentTo != to.Phone { // the account has another phone now
		return CodeProof{}, &access.Refused{Refusal: access.CodeExpired}
	}
	if subtle.ConstantTimeCompare([]byte(c.Hash), []byte(v.CodeHash(to.Phone, purpose, typed))) != 1 {
		v.core.Access.LogSecurity(ctx, access.LogInfo, "code_failed", slog.String("detail", string(purpose)))
		return CodeProof{}, &access.Refused{Refusal: access.CodeWrong}
	}
	if err := v.core.DB.Codes.Prove(ctx, c, store.At(now), store.At(now.Add(ProofLife))); err != nil {
		if errors.Is(err, store.ErrNotFound) {
			err = &access.Refused{Refusal: access.CodeExpired}
		}
		return CodeProof{}, err
	}
	return CodeProof{c, to.Phone}, nil
}

// Proven returns the unused proof of a flow. It refuses with CodeExpired when there is none.
func (v *Verification) Proven(
	ctx context.Context, flow string, purpose access.Purpose, target string,
) (CodeProof, error) {
	c, err := v.core.DB.Codes.OfFlow(ctx, v.Flow(flow), string(purpose))
	if err == nil && (c.ProvenUntil <= store.At(v.core.Now()) || c.Target != target) {
		err = store.ErrNotFound
	}
	if errors.Is(err, store.ErrNotFound) {
		return CodeProof{}, &access.Refused{Refusal: access.CodeExpired}
	}
	if err != nil {
		return CodeProof{}, err
	}
	proof := CodeProof{Code: c}
	if v.core.Sealing.Unseal("code phone", c.Phone, &proof.Phone) != nil { // no master key opens it
		return CodeProof{}, &access.Refused{Refusal: access.CodeExpired}
	}
	return proof, nil
}

// Spend uses up a proof. Of several requests at once one succeeds; the others are refused with CodeExpired.
func (v *Verification) Spend(ctx context.Context, tx *store.DB, proof CodeProof) error {
	err := tx.Codes.SpendProof(ctx, proof.Code, store.At(v.core.Now()))
	if errors.Is(err, store.ErrNotFound) {
		err = &access.Refused{Refusal: access.CodeExpired}
	}
	return err
}

// NormalCode removes the spaces, hyphens and invisible characters that phones and people put into a code. ok says
// whether six digits are left.
func NormalCode(typed string) (code string, ok bool) {
	if len(typed) > access.MaxTyped {
		return "", false
	}
	code, ok = searchkey.Digits(typed)
	return code, ok && len(code) == CodeDigits
}

// CodeProblem returns what is wrong with a typed code, "" for nothing.
func CodeProblem(typed string) access.Problem {
	if strings.TrimSpace(typed) == "" {
		return access.CodeRequired
	}
	if _, ok := NormalCode(typed); !ok {
		return access.CodeMalformed
	}
	return ""
}

// CodeFields normalises a phone and the code that was sent to it, and returns what is wrong with them.
func CodeFields(phone, code *string) access.Fields {
	fields := access.PhoneFields(phone)
	if problem := CodeProblem(*code); problem != "" {
		fields["code"] = problem
	}
	*code, _ = NormalCode(*code)
	return fields
}
