package portal

import (
	"context"
	"errors"
	"time"

	"portico/store"
)

// RedeemForClient redeems an auth code for an API client, whichever site received the code. It returns the user with a
// token for that account alone. The same client may redeem the code again before it has used the token: it gets the
// same answer. It refuses with LoginRequired a code that is unknown, used, expired, or of another company than
// companyID. A second redemption also ends what the first one made.
func (p *Portal) RedeemForClient(ctx context.Context, code string, client Client, companyID int64) (User, error) {
	var sealed sealedCode
	if p.unseal("auth code", code, &sealed) != nil || companyID != 0 && companyID != sealed.User.CompanyID {
		return User{}, p.badCode(ctx, LoginRequired)
	}
	token := p.redeemedToken(sealed.ID, client)
	var user User
	err := p.db.Tx(ctx, func(tx *store.DB) error {
		used, err := tx.UseAuthCodeAnywhere(ctx, hashed(sealed.ID), store.At(p.now()))
		again := errors.Is(err, store.ErrNotFound)
		if again {
			used, err = p.redeemedBefore(ctx, tx, hashed(sealed.ID), client, token)
		}
		if err == nil {
			err = p.checkTarget(ctx, tx, used)
		}
		if err != nil {
			return err
		}
		m, err := tx.MemberByID(ctx, used.CompanyID, used.AccountID)
		if err != nil {
			return err
		}
		p.markEntry(&m, used.Provider)
		if reason := BlockedBy(m, used.Lighting, p.now()); reason != "" {
			return p.blocked(m, reason)
		}
		user = p.userOf(m)
		user.Token = Text(token)
		if again {
			return nil
		}
		b := new(store.Batch)
		p.confirmSignIn(b, used)
		s := p.newClientSession(ctx, client, token)
		s.SeenAt = neverUsed
		s.Purpose, s.Family, s.Device, s.Provider = store.PurposeCode, used.Family, used.Device, used.Provider
		s.AccountID, s.ActingID, s.CompanyID, s.Lighting = m.ID, m.ID, m.CompanyID, used.Lighting
		if s.CreatedAt, err = p.provenAt(ctx, tx, used); err != nil {
			return err
		}
		b.AddSession(s)
		if err := tx.Run(ctx, b); err != nil {
			return err
		}
		if err := tx.SetAuthCodeSession(ctx, used.ID, s.ID, ""); err != nil {
			return err
		}
		return p.event(ctx, tx, "auth_code_used", m, string(client))
	})
	if errors.Is(err, store.ErrNotFound) {
		if err = p.reused(ctx, hashed(sealed.ID)); errors.Is(err, RedirectFailed) {
			err = p.badCode(ctx, LoginRequired)
		}
	}
	if err != nil {
		return User{}, err
	}
	return user, nil
}

// provenAt is when the sign-in that issued a code was made: what it hands on is no fresher than that. One that has
// gone under another id since is not fresh.
func (p *Portal) provenAt(ctx context.Context, tx *store.DB, code store.AuthCode) (store.Instant, error) {
	issuer, err := tx.SessionByID(ctx, code.SessionID, store.At(p.now()))
	if errors.Is(err, store.ErrNotFound) {
		return store.At(p.now().Add(-FreshSession - time.Second)), nil
	}
	return issuer.CreatedAt, err
}
