package portal

import (
	"context"
	"errors"
	"time"

	"portico/store"
)

const (
	tokenFetch  = 6 * time.Second        // how long one instance may ask for a token before another may
	tokenPoll   = 100 * time.Millisecond // how often the others look whether it came
	tokenMargin = 5 * time.Minute        // a token is renewed this long before it ends
)

// providerToken gives an access token or a ticket of an application, from the store while it is good: of all that
// need a new one, on every instance, one asks for it. What was kept under an older secret is not used.
func (p *Portal) providerToken(
	ctx context.Context, provider ProviderName, app ProviderApp, kind TokenKind,
) (string, error) {
	key := p.tokenKey(provider, app)
	ctx, cancel := context.WithTimeout(ctx, tokenFetch)
	defer cancel()
	for {
		now := p.now()
		kept, err := p.db.ProviderTokenOf(ctx, key, string(kind), store.At(now))
		if err == nil {
			var token ProviderToken
			if err := p.unseal("token "+key, kept.Value, &token); err == nil {
				return token.Value, nil
			}
		} else if !errors.Is(err, store.ErrNotFound) {
			return "", err
		}
		mine, err := p.db.MayFetchToken(ctx, key, string(kind), store.At(now), store.At(now.Add(tokenFetch)))
		if err != nil {
			return "", err
		}
		if mine {
			return p.fetchToken(ctx, provider, app, kind, key)
		}
		select {
		case <-ctx.Done():
			return "", &ProviderFailure{Code: "timeout"}
		case <-time.After(tokenPoll):
		}
	}
}

// tokenKey names the tokens of an application: those of other credentials are others.
func (p *Portal) tokenKey(provider ProviderName, app ProviderApp) string {
	return string(provider) + " " + app.ID + " " + p.tag("token", string(provider)+"\x00"+app.ID+"\x00"+app.Agent+"\x00"+app.Secret)
}

// fetchToken asks the provider, and lets the others go on whatever comes of it.
func (p *Portal) fetchToken(
	ctx context.Context, provider ProviderName, app ProviderApp, kind TokenKind, key string,
) (string, error) {
	token, err := p.askForToken(ctx, provider, app, kind)
	var kept store.ProviderToken
	if err == nil {
		if kept.Value, err = p.seal("token "+key, token); err == nil {
			kept.ExpiresAt = store.At(p.now().Add(max(token.Life-tokenMargin, token.Life/2)))
		}
	}
	if putErr := p.db.PutProviderToken(store.AfterRequest(ctx), key, string(kind), kept); err == nil {
		err = putErr
	}
	return token.Value, err
}

func (p *Portal) askForToken(
	ctx context.Context, provider ProviderName, app ProviderApp, kind TokenKind,
) (ProviderToken, error) {
	if kind == AccessToken {
		return p.provider(provider).Token(ctx, app)
	}
	var ticket ProviderToken
	err := p.withToken(ctx, provider, app, func(access string) (err error) {
		ticket, err = p.provider(provider).Ticket(ctx, app, kind, access)
		return err
	})
	return ticket, err
}

// withToken runs ask with the access token of an application, and once more with a fresh one where the provider takes
// that no more.
func (p *Portal) withToken(
	ctx context.Context, provider ProviderName, app ProviderApp, ask func(access string) error,
) error {
	for again := false; ; again = true {
		access, err := p.providerToken(ctx, provider, app, AccessToken)
		if err != nil {
			return err
		}
		err = ask(access)
		failure := new(ProviderFailure)
		if again || !errors.As(err, &failure) || !failure.Stale {
			return err
		}
		if err := p.dropToken(ctx, provider, app, access); err != nil {
			return err
		}
	}
}

// dropToken forgets an access token, unless another instance has a new one already.
func (p *Portal) dropToken(ctx context.Context, provider ProviderName, app ProviderApp, access string) error {
	key := p.tokenKey(provider, app)
	kept, err := p.db.ProviderTokenOf(ctx, key, string(AccessToken), store.At(p.now()))
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	var token ProviderToken
	if p.unseal("token "+key, kept.Value, &token) == nil && token.Value != access {
		return nil
	}
	return p.db.DropProviderToken(ctx, key, string(AccessToken), kept.Value)
}
