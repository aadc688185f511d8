package core

import (
	"context"
	"errors"
	"fmt"

	"portico/store"
)

// ResealAtOnce is how many rows Reseal reads in one query.
const ResealAtOnce = 500

// Resealed counts what Reseal found.
type Resealed struct {
	Credentials int // companies' credentials of chat apps that were sealed again
	Applicants  int // phones of applicants that were sealed again
	Lost        int // values that no master key opens; they stay as they are and count as not set up
}

// Reseal seals with the first master key every stored secret that is kept for longer than a day. It can run while the
// program serves, and can be repeated.
func (s *Sealing) Reseal(ctx context.Context) (Resealed, error) {
	var done Resealed
	if err := s.resealHashKey(ctx); err != nil {
		return done, fmt.Errorf("reseal the key of keyed hashes: %w", err)
	}
	if err := s.resealCredentials(ctx, &done); err != nil {
		return done, fmt.Errorf("reseal credentials: %w", err)
	}
	if err := s.resealApplicants(ctx, &done); err != nil {
		return done, fmt.Errorf("reseal applicants: %w", err)
	}
	return done, nil
}

// resealHashKey stores the key of keyed hashes under the first master key alone. Keys that cannot be opened belong to
// other master keys and stay.
func (s *Sealing) resealHashKey(ctx context.Context) error {
	return s.core.DB.Tx(ctx, func(tx *store.DB) error {
		all, err := tx.HashKeys.All(ctx)
		if err != nil {
			return err
		}
		for _, k := range all {
			var key []byte
			if s.Unseal("hash key", k.Sealed, &key) != nil {
				continue
			}
			if err := tx.HashKeys.Drop(ctx, k.KeyID); err != nil {
				return err
			}
		}
		sealed, err := s.Seal("hash key", s.Keys.Hashes)
		if err != nil {
			return err
		}
		return tx.HashKeys.Add(ctx, store.HashKey{KeyID: s.sealingKeyID(), Sealed: sealed,
			CreatedAt: store.At(s.core.Now())})
	})
}

func (s *Sealing) resealCredentials(ctx context.Context, done *Resealed) error {
	var last store.Credentials
	for {
		rows, err := s.core.DB.Credentials.After(ctx, last, ResealAtOnce)
		if err != nil || len(rows) == 0 {
			return err
		}
		for _, row := range rows {
			sealed, err := s.resealed(CredentialsPurpose(row.CompanyID, row.Kind), row.Secret)
			if errors.Is(err, ErrUnsealed) {
				done.Lost++
				continue
			}
			changed := false
			if err == nil {
				changed, err = s.core.DB.Credentials.Reseal(ctx, row, sealed)
			}
			if err != nil {
				return err
			}
			if changed {
				done.Credentials++
			}
		}
		last = rows[len(rows)-1]
	}
}

func (s *Sealing) resealApplicants(ctx context.Context, done *Resealed) error {
	var last store.IdentityApplicant
	for {
		rows, err := s.core.DB.Identities.Applicants(ctx, last, ResealAtOnce)
		if err != nil || len(rows) == 0 {
			return err
		}
		for _, row := range rows {
			sealed, err := s.resealed("applicant phone", row.Phone)
			if errors.Is(err, ErrUnsealed) {
				done.Lost++
				continue
			}
			changed := false
			if err == nil {
				changed, err = s.core.DB.Identities.ResealApplicant(ctx, row, sealed)
			}
			if err != nil {
				return err
			}
			if changed {
				done.Applicants++
			}
		}
		last = rows[len(rows)-1]
	}
}

// resealed opens a sealed text and seals it with the first master key. It returns ErrUnsealed when no master key opens
// it.
func (s *Sealing) resealed(purpose, sealed string) (string, error) {
	var plain string
	if err := s.Unseal(purpose, sealed, &plain); err != nil {
		return "", err
	}
	return s.Seal(purpose, plain)
}
