package signin

import (
	"context"
	"errors"
	"time"

	"portico/portal/access"
	"portico/portal/core"
	"portico/store"
)

// RedeemedUser is the user that a client gets for an auth code.
type RedeemedUser struct {
	access.User
	Return access.Text `json:"return_"` // the path that the person wanted to open, "" for the first page
}

// RedeemForClient redeems an auth code for an API client, whichever site received the code. It returns the user with a
// token for that account alone. The same client may redeem the code again before it has used the token: it gets the
// same answer. It refuses with LoginRequired a code that is unknown, used, expired, or of another company than
// companyID. A second redemption within the life of the code also ends what the first one made (see endReusedCode).
func (l *Landing) RedeemForClient(
	ctx context.Context, code string, client access.Client, companyID int64,
) (RedeemedUser, error) {
	var sealed SealedCode
	if l.core.Sealing.Unseal("auth code", code, &sealed) != nil || companyID != 0 &&
		companyID != sealed.User.CompanyID {
		return RedeemedUser{}, l.core.Sessions.CountBadCode(ctx, access.LoginRequired)
	}
	token := l.redeemedToken(sealed.ID, client)
	var user access.User
	err := l.core.DB.Tx(ctx, func(tx *store.DB) error {
		used, again, err := l.useCodeForClient(ctx, tx, access.Hashed(sealed.ID), client, token)
		if err != nil {
			return err
		}
		m, err := tx.Accounts.ByID(ctx, used.CompanyID, used.AccountID)
		if err != nil {
			return err
		}
		l.accounts.MarkEntry(&m, used.Provider)
		if reason := access.BlockedBy(m, used.Lighting, l.core.Now()); reason != "" {
			return l.core.Access.Blocked(ctx, tx, m, reason)
		}
		user = l.accounts.UserOf(m)
		user.Token = access.Text(token)
		if again {
			return nil
		}
		return l.addClientSession(ctx, tx, used, m, client, token)
	})
	if errors.Is(err, store.ErrNotFound) {
		if err = l.endReusedCode(ctx, access.Hashed(sealed.ID)); errors.Is(err, access.RedirectFailed) {
			err = l.core.Sessions.CountBadCode(ctx, access.LoginRequired)
		}
	}
	if err != nil {
		return RedeemedUser{}, err
	}
	return RedeemedUser{user, access.Text(sealed.Return)}, nil
}

// useCodeForClient uses an auth code. It returns the code once more, with again, to the client that redeemed it before
// (see redeemedBefore). It refuses any other code with store.ErrNotFound.
func (l *Landing) useCodeForClient(
	ctx context.Context, tx *store.DB, id string, client access.Client, token string,
) (code store.AuthCode, again bool, err error) {
	code, err = tx.AuthCodes.UseAnywhere(ctx, id, store.At(l.core.Now()))
	if errors.Is(err, store.ErrNotFound) {
		again = true
		code, err = l.redeemedBefore(ctx, tx, id, client, token)
	}
	if err != nil {
		return code, again, err
	}
	return code, again, l.checkTarget(ctx, tx, code)
}

// addClientSession stores the session of the token that a client gets for a code. The token works for the account m
// only.
func (l *Landing) addClientSession(
	ctx context.Context, tx *store.DB, code store.AuthCode, m store.Member, client access.Client, token string,
) (err error) {
	b := new(store.Batch)
	l.confirmSignIn(b, code)
	s := l.core.Sessions.NewClientSession(ctx, client, token)
	s.SeenAt = core.NeverUsed
	s.Purpose = store.PurposeCode
	s.Family = code.Family
	s.Device = code.Device
	s.Provider = code.Provider
	s.AccountID = m.ID
	s.ActingID = m.ID
	s.CompanyID = m.CompanyID
	s.Lighting = code.Lighting
	if s.CreatedAt, err = l.provenAt(ctx, tx, code); err != nil {
		return err
	}
	b.AddSession(s)
	if err := tx.Run(ctx, b); err != nil {
		return err
	}
	if err := tx.AuthCodes.SetSession(ctx, code.ID, s.ID, ""); err != nil {
		return err
	}
	return l.core.Access.Event(ctx, tx, "auth_code_used", m, string(client))
}

// provenAt returns when the sign-in that issued a code was made, so that what the code opens is no fresher. It returns
// an instant that is not fresh (see FreshSession) when that session has another id by now.
func (l *Landing) provenAt(ctx context.Context, tx *store.DB, code store.AuthCode) (store.Instant, error) {
	issuer, err := tx.Sessions.ByID(ctx, code.SessionID, store.At(l.core.Now()))
	if errors.Is(err, store.ErrNotFound) {
		return store.At(l.core.Now().Add(-FreshSession - time.Second)), nil
	}
	return issuer.CreatedAt, err
}
