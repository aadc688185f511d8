package portal

import (
	"context"
	"errors"
	"log/slog"

	"portico/store"
)

// missing makes NotFound of what a company does not have, and writes it down: it may be another's.
func (p *Portal) missing(ctx context.Context, here Landing, what string, err error) error {
	if !errors.Is(err, store.ErrNotFound) {
		return err
	}
	p.refuseForeign(ctx, Session{PhoneID: here.Member.PhoneID, AccountID: here.Member.ID}, what)
	return NotFound
}

// refuseForeign writes down that a session named something that is not its own.
func (p *Portal) refuseForeign(ctx context.Context, s Session, what string) {
	p.logSecurity(ctx, logInfo, "foreign_refused",
		slog.Int64("phone", s.PhoneID), slog.Int64("account", s.AccountID), slog.String("detail", what))
}
