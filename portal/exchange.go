package portal

import (
	"context"
	"errors"
	"time"

	"portico/store"
)

// known is an identity as a provider gave it, with the application by which it is known. CompanyID is where it
// authorised, 0 for none.
type known struct {
	Provider  ProviderName         `json:"p"`
	Kind      store.CredentialKind `json:"k"`
	App       string               `json:"a"`
	Owner     int64                `json:"o"`
	CompanyID int64                `json:"c"`
	Lighting  bool                 `json:"l,omitempty"` // the lighting edition was asked for
	Identity  ProviderIdentity     `json:"i"`
}

// decided is what a provider said of a code: an identity, or why not. By is "" where the browser that began brought
// it: the address of that callback is worth nothing in another; else the keyed hash of the id that the one which did
// was given.
type decided struct {
	Known   known  `json:"k"`
	By      string `json:"b"`
	Refused string `json:"r"`
	Detail  string `json:"d"`
}

// exchangeOnce asks the provider whose a code is, once for each authorisation: of several callbacks one asks, the
// others wait for what it is told.
func (p *Portal) exchangeOnce(
	ctx context.Context, a store.Authorisation, c *store.Company, code, by string,
) (known, error) {
	if code == "" { // declined: the same state may still come back with one
		return known{}, &Refused{Refusal: WeChatFailed, Detail: ""}
	}
	mine, err := p.db.UseAuthorisation(ctx, a.ID, hashed(code), store.At(p.now()))
	if err != nil {
		return known{}, err
	}
	if !mine {
		return p.decidedBefore(ctx, a.ID, hashed(code), by == "")
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), exchangeTime) // whoever goes away has spent the code all the same
	defer cancel()
	what, err := p.exchange(ctx, a, c, code)
	if err != nil {
		p.countSignIn(a.Provider, err)
	}
	outcome := decided{By: by}
	refused, ok := errors.AsType[*Refused](err)
	switch {
	case err == nil:
		outcome.Known = what
	case ok:
		outcome.Refused, outcome.Detail = string(refused.Refusal), refused.Detail
	default:
		outcome.Refused = string(WeChatFailed)
	}
	sealed, sealErr := p.seal("outcome "+a.ID, outcome)
	if sealErr == nil {
		sealErr = p.db.DecideAuthorisation(store.AfterRequest(ctx), a.ID, sealed)
	}
	return what, errors.Join(err, sealErr)
}

// exchange asks the provider.
func (p *Portal) exchange(ctx context.Context, a store.Authorisation, c *store.Company, code string) (known, error) {
	door := Door(a.Door)
	app, err := p.appFor(ctx, c, door.kind())
	if err != nil {
		return known{}, err
	}
	if app.ID != a.App { // the credentials were changed meanwhile
		return known{}, &Refused{Refusal: WeChatExpired}
	}
	provider, name := p.provider(door.Provider()), door.Provider()
	var who ProviderIdentity
	if provider.NeedsToken() {
		err = p.withToken(ctx, name, app, func(access string) (err error) {
			who, err = provider.Exchange(ctx, app, access, code)
			return err
		})
	} else {
		who, err = provider.Exchange(ctx, app, "", code)
	}
	if err == nil && who.Subject == "" {
		err = &ProviderFailure{Code: "no subject"}
	}
	if err != nil {
		p.log.LogAttrs(ctx, logWarn, "provider", logEvent("exchange_failed"), logDetail(err.Error()))
		return known{}, providerRefusal(err)
	}
	return known{Provider: name, Kind: app.Kind, App: app.ID, Owner: app.Owner, CompanyID: a.CompanyID, Lighting: a.Lighting, Identity: who}, nil
}

// decidedBefore waits for what another hit of the same callback was told.
func (p *Portal) decidedBefore(ctx context.Context, id, code string, own bool) (known, error) {
	ctx, cancel := context.WithTimeout(ctx, tokenFetch)
	defer cancel()
	for {
		a, err := p.db.AuthorisationByID(ctx, id)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return known{}, err
		}
		if err != nil || a.UsedAt == 0 || a.Code != code || p.longUsed(a) {
			return known{}, &Refused{Refusal: WeChatExpired}
		}
		if a.Outcome != "" {
			var outcome decided
			if p.unseal("outcome "+id, a.Outcome, &outcome) != nil { // no master key opens it
				return known{}, &Refused{Refusal: WeChatExpired}
			}
			if outcome.By == "" && !own {
				return known{}, &Refused{Refusal: WeChatExpired}
			}
			if outcome.Refused != "" {
				return known{}, &Refused{Refusal: Refusal(outcome.Refused), Detail: outcome.Detail}
			}
			return outcome.Known, nil
		}
		select {
		case <-ctx.Done():
			return known{}, &Refused{Refusal: WeChatFailed}
		case <-time.After(tokenPoll):
		}
	}
}
