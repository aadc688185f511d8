package portal

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"

	"portico/store"
)

// neverUsed is when a token was used last that was never used. Token writes its first use down.
const neverUsed store.Instant = 0

// redeemedToken is the token that a kind of client gets for an auth code. It is derived, so that the same client
// gets the same one when the answer is lost or the call is delivered twice.
func (p *Portal) redeemedToken(codeID string, client Client) string {
	mac := hmac.New(sha256.New, p.keys.tags)
	mac.Write([]byte("redeemed token\x00" + codeID + "\x00" + string(client)))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// redeemedBefore reads an auth code that the same client has redeemed for a token that it has not used yet. The
// client is the same when its kind, its program and its address are. ErrNotFound for any other code, and for one
// that has ended.
func (p *Portal) redeemedBefore(
	ctx context.Context, tx *store.DB, id string, client Client, token string,
) (store.AuthCode, error) {
	now := store.At(p.now())
	code, err := tx.AuthCodeByID(ctx, id)
	if err == nil && (code.UsedAt == 0 || code.ExpiresAt <= now || code.MadeSessionID != hashed(token)) {
		err = store.ErrNotFound
	}
	if err != nil {
		return code, err
	}
	made, err := tx.SessionByID(ctx, code.MadeSessionID, now)
	fresh := p.newClientSession(ctx, client, token)
	isSame := made.Agent == fresh.Agent && network(made.Address) == network(fresh.Address)
	if err == nil && (made.SeenAt != neverUsed || !isSame) {
		err = store.ErrNotFound
	}
	return code, err
}
