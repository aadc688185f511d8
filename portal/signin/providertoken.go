package signin

import (
	"context"
	"errors"
	"time"

	"portico/portal/access"
	"portico/store"
)

const (
	// TokenFetch is how long one instance may take to request a token before another instance may request it.
	TokenFetch = 6 * time.Second
	// TokenPoll is how often the other instances look for the new token.
	TokenPoll = 100 * time.Millisecond
	// tokenMargin is how long before its expiry a token is renewed.
	tokenMargin = 5 * time.Minute
)

// ProviderToken returns an access token or a ticket of an application. It reads the stored one until that expires. When
// a new one is needed, one request on one instance fetches it and the others wait for it. A token that was fetched with
// an older secret is not used.
func (ca *Chatapps) ProviderToken(
	ctx context.Context, provider access.ProviderName, app ProviderApp, kind TokenKind,
) (string, error) {
	key := ca.tokenKey(provider, app)
	ctx, cancel := context.WithTimeout(ctx, TokenFetch)
	defer cancel()
	for {
		now := ca.core.Now()
		stored, err := ca.core.DB.ProviderTokens.Of(ctx, key, string(kind), store.At(now))
		if err == nil {
			var token ProviderToken
			if err := ca.core.Sealing.Unseal("token "+key, stored.Value, &token); err == nil {
				return token.Value, nil
			}
		} else if !errors.Is(err, store.ErrNotFound) {
			return "", err
		}
		fetch, err := ca.core.DB.ProviderTokens.MayFetch(ctx, key, string(kind), store.At(now),
			store.At(now.Add(TokenFetch)))
		if err != nil {
			return "", err
		}
		if fetch {
			return ca.fetchToken(ctx, provider, app, kind, key)
		}
		select {
		case <-ctx.Done():
			return "", &ProviderFailure{Code: "timeout"}
		case <-time.After(TokenPoll):
		}
	}
}

// tokenKey is the key under which the tokens of an application are stored. It changes with the credentials.
func (ca *Chatapps) tokenKey(provider access.ProviderName, app ProviderApp) string {
	secret := ca.core.Sealing.Tag("token", string(provider)+"\x00"+app.ID+"\x00"+app.Agent+"\x00"+app.Secret)
	return string(provider) + " " + app.ID + " " + secret
}

// fetchToken requests a token from the provider and stores it. After an error it releases the lease, so that another
// request can try.
func (ca *Chatapps) fetchToken(
	ctx context.Context, provider access.ProviderName, app ProviderApp, kind TokenKind, key string,
) (string, error) {
	token, err := ca.requestToken(ctx, provider, app, kind)
	var stored store.ProviderToken
	if err == nil {
		if stored.Value, err = ca.core.Sealing.Seal("token "+key, token); err == nil {
			stored.ExpiresAt = store.At(ca.core.Now().Add(max(token.Life-tokenMargin, token.Life/2)))
		}
	}
	if putErr := ca.core.DB.ProviderTokens.Put(store.AfterRequest(ctx), key, string(kind), stored); err == nil {
		err = putErr
	}
	return token.Value, err
}

func (ca *Chatapps) requestToken(
	ctx context.Context, provider access.ProviderName, app ProviderApp, kind TokenKind,
) (ProviderToken, error) {
	if kind == AccessToken {
		return ca.Provider(provider).Token(ctx, app)
	}
	var ticket ProviderToken
	err := ca.WithToken(ctx, provider, app, func(access string) (err error) {
		ticket, err = ca.Provider(provider).Ticket(ctx, app, kind, access)
		return err
	})
	return ticket, err
}

// WithToken runs ask with the access token of an application. When the provider no longer accepts the token, it runs
// ask once more with a new one.
func (ca *Chatapps) WithToken(
	ctx context.Context, provider access.ProviderName, app ProviderApp, ask func(access string) error,
) error {
	for again := false; ; again = true {
		access, err := ca.ProviderToken(ctx, provider, app, AccessToken)
		if err != nil {
			return err
		}
		err = ask(access)
		failure := new(ProviderFailure)
		if again || !errors.As(err, &failure) || !failure.Stale {
			return err
		}
		if err := ca.dropToken(ctx, provider, app, access); err != nil {
			return err
		}
	}
}

// dropToken deletes an access token, unless another instance has stored a new one already.
func (ca *Chatapps) dropToken(ctx context.Context, provider access.ProviderName, app ProviderApp, access string) error {
	key := ca.tokenKey(provider, app)
	stored, err := ca.core.DB.ProviderTokens.Of(ctx, key, string(AccessToken), store.At(ca.core.Now()))
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	var token ProviderToken
	if ca.core.Sealing.Unseal("token "+key, stored.Value, &token) == nil && token.Value != access {
		return nil
	}
	return ca.core.DB.ProviderTokens.Drop(ctx, key, string(AccessToken), stored.Value)
}
