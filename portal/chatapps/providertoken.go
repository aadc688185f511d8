package chatapps

import (
	"context"
	"errors"
	"time"

	"portico/portal/access"
	"portico/store"
)

const (
	TokenFetch  = 6 * time.Second        // how long one instance may ask for a token before another may
	TokenPoll   = 100 * time.Millisecond // how often the others look whether it came
	tokenMargin = 5 * time.Minute        // a token is renewed this long before it ends
)

// ProviderToken gives an access token or a ticket of an application, from the store while it is good: of all that
// need a new one, on every instance, one asks for it. What was kept under an older secret is not used.
func (ca *Chatapps) ProviderToken(
	ctx context.Context, provider access.ProviderName, app ProviderApp, kind TokenKind,
) (string, error) {
	key := ca.tokenKey(provider, app)
	ctx, cancel := context.WithTimeout(ctx, TokenFetch)
	defer cancel()
	for {
		now := ca.now()
		kept, err := ca.db.ProviderTokenOf(ctx, key, string(kind), store.At(now))
		if err == nil {
			var token ProviderToken
			if err := ca.sealing.Unseal("token "+key, kept.Value, &token); err == nil {
				return token.Value, nil
			}
		} else if !errors.Is(err, store.ErrNotFound) {
			return "", err
		}
		mine, err := ca.db.MayFetchToken(ctx, key, string(kind), store.At(now), store.At(now.Add(TokenFetch)))
		if err != nil {
			return "", err
		}
		if mine {
			return ca.fetchToken(ctx, provider, app, kind, key)
		}
		select {
		case <-ctx.Done():
			return "", &ProviderFailure{Code: "timeout"}
		case <-time.After(TokenPoll):
		}
	}
}

// tokenKey names the tokens of an application: those of other credentials are others.
func (ca *Chatapps) tokenKey(provider access.ProviderName, app ProviderApp) string {
	secret := ca.sealing.Tag("token", string(provider)+"\x00"+app.ID+"\x00"+app.Agent+"\x00"+app.Secret)
	return string(provider) + " " + app.ID + " " + secret
}

// fetchToken asks the provider, and lets the others go on whatever comes of it.
func (ca *Chatapps) fetchToken(
	ctx context.Context, provider access.ProviderName, app ProviderApp, kind TokenKind, key string,
) (string, error) {
	token, err := ca.askForToken(ctx, provider, app, kind)
	var kept store.ProviderToken
	if err == nil {
		if kept.Value, err = ca.sealing.Seal("token "+key, token); err == nil {
			kept.ExpiresAt = store.At(ca.now().Add(max(token.Life-tokenMargin, token.Life/2)))
		}
	}
	if putErr := ca.db.PutProviderToken(store.AfterRequest(ctx), key, string(kind), kept); err == nil {
		err = putErr
	}
	return token.Value, err
}

func (ca *Chatapps) askForToken(
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

// WithToken runs ask with the access token of an application, and once more with a fresh one where the provider takes
// that no more.
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

// dropToken forgets an access token, unless another instance has a new one already.
func (ca *Chatapps) dropToken(ctx context.Context, provider access.ProviderName, app ProviderApp, access string) error {
	key := ca.tokenKey(provider, app)
	kept, err := ca.db.ProviderTokenOf(ctx, key, string(AccessToken), store.At(ca.now()))
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	var token ProviderToken
	if ca.sealing.Unseal("token "+key, kept.Value, &token) == nil && token.Value != access {
		return nil
	}
	return ca.db.DropProviderToken(ctx, key, string(AccessToken), kept.Value)
}
