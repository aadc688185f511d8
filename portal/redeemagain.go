package portal

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"

	"portico/store"
)

// redeemedToken returns the token that a kind of client gets for an auth code. It is derived from the code, so that the
// same client gets the same token when the response is lost or the call arrives twice.
func (p *Portal) redeemedToken(codeID string, client Client) string {
	mac := hmac.New(sha256.New, p.keys.hashes)
	mac.Write([]byte("redeemed token\x00" + codeID + "\x00" + string(client)))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// redeemedBefore reads an auth code that the same client has redeemed and whose token was not used yet. The client is
// the same when its kind, its User-Agent and its network are the same. It returns ErrNotFound for any other code and
// for an expired one.
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
