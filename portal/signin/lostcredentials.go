package signin

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"portico/portal/core"
	"portico/store"
)

// lostCredentials are the companies' credentials that none of the master keys opens. They count as not set up: the
// sign-in that needs them is not offered.
type lostCredentials struct {
	mu   sync.Mutex
	rows map[credentialKey]bool
}

type credentialKey struct {
	companyID int64
	kind      store.CredentialKind
}

func (l *lostCredentials) has(companyID int64, kind store.CredentialKind) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.rows[credentialKey{companyID, kind}]
}

func (l *lostCredentials) set(companyID int64, kind store.CredentialKind, lost bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !lost {
		delete(l.rows, credentialKey{companyID, kind})
		return
	}
	if l.rows == nil {
		l.rows = map[credentialKey]bool{}
	}
	l.rows[credentialKey{companyID, kind}] = true
}

func (l *lostCredentials) all() []credentialKey {
	l.mu.Lock()
	defer l.mu.Unlock()
	var keys []credentialKey
	for key := range l.rows {
		keys = append(keys, key)
	}
	return keys
}

// FindLostCredentials tries to open the credentials of every company and logs how many no master key opens.
func (ca *Chatapps) FindLostCredentials(ctx context.Context) error {
	var last store.Credentials
	lost := 0
	for {
		rows, err := ca.core.DB.Credentials.After(ctx, last, core.ResealAtOnce)
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			break
		}
		for _, row := range rows {
			if _, err := ca.ownApp(row); errors.Is(err, core.ErrUnsealed) {
				lost++
			}
		}
		last = rows[len(rows)-1]
	}
	if lost > 0 {
		ca.core.Log.LogAttrs(ctx, slog.LevelError, "credentials of companies cannot be opened",
			slog.Int("number", lost), slog.String("advice", "add the former master key to PORTICO_SECRET, and run "+
				"portico reseal"))
	}
	return nil
}

// RecheckLostCredentials tries the lost credentials again: another process may have set or resealed them.
func (ca *Chatapps) RecheckLostCredentials(ctx context.Context) error {
	for _, key := range ca.lost.all() {
		row, err := ca.core.DB.Credentials.Of(ctx, key.companyID, key.kind)
		if errors.Is(err, store.ErrNotFound) {
			ca.lost.set(key.companyID, key.kind, false)
			continue
		}
		if err != nil {
			return err
		}
		_, _ = ca.ownApp(row) // notes whether the row can be opened now
	}
	return nil
}
