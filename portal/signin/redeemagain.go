package signin

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"

	"portico/portal/access"
	"portico/portal/core"
	"portico/store"
)

// redeemedToken returns the token that a kind of client gets for an auth code. It is derived from the code, so that the
// same client gets the same token when the response is lost or the call arrives twice.
func (l *Landing) redeemedToken(codeID string, client access.Client) string {
	mac := hmac.New(sha256.New, l.core.Sealing.Keys.Hashes)
	mac.Write([]byte("redeemed token\x00" + codeID + "\x00" + string(client)))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// redeemedBefore reads an auth code that the same client has redeemed and whose token was not used yet. The client is
// the same when its kind, its User-Agent and its network are the same. It returns ErrNotFound for any other code and
// for an expired one.
func (l *Landing) redeemedBefore(
	ctx context.Context, tx *store.DB, id string, client access.Client, token string,
) (store.AuthCode, error) {
	now := store.At(l.core.Now())
	code, err := tx.AuthCodes.ByID(ctx, id)
	if err != nil {
		return code, err
	}
	if code.UsedAt == 0 || code.ExpiresAt <= now || code.MadeSessionID != access.Hashed(token) {
		return code, store.ErrNotFound
	}
	made, err := tx.Sessions.ByID(ctx, code.MadeSessionID, now)
	if err != nil {
		return code, err
	}
	present := l.core.Sessions.NewClientSession(ctx, client, token)
	isSame := made.Agent == present.Agent && access.Network(made.Address) == access.Network(present.Address)
	if made.SeenAt != core.NeverUsed || !isSame {
		return code, store.ErrNotFound
	}
	return code, nil
}
