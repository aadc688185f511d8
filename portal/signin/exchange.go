package signin

import (
	"context"
	"errors"
	"time"

	"portico/portal/access"
	"portico/store"
)

// appIdentity is an identity that a provider confirmed, with the application that it belongs to.
type appIdentity struct {
	Provider  access.ProviderName  `json:"p"`
	Kind      store.CredentialKind `json:"k"`
	App       string               `json:"a"`
	Owner     int64                `json:"o"`
	CompanyID int64                `json:"c"`           // where it authorised, 0 for none
	Lighting  bool                 `json:"l,omitempty"` // the lighting edition was asked for
	Identity  ProviderIdentity     `json:"i"`
}

// exchangeOutcome is what a provider answered to a code: an identity or a refusal. By is "" when the browser that began
// the authorisation sent the callback: no other browser gets this outcome then. Otherwise By is the keyed hash of the
// id that the browser was given.
type exchangeOutcome struct {
	Known   appIdentity `json:"k"`
	By      string      `json:"b"`
	Refused string      `json:"r"`
	Detail  string      `json:"d"`
}

// exchangeOnce exchanges a code once for each authorisation. Of several requests of a callback one calls the provider,
// and the others wait for its outcome.
func (cl *Chatlogin) exchangeOnce(
	ctx context.Context, a store.Authorisation, c *store.Company, code, by string,
) (appIdentity, error) {
	if code == "" { // the person declined; the same state may still come back with a code
		return appIdentity{}, &access.Refused{Refusal: access.WeChatFailed, Detail: ""}
	}
	first, err := cl.core.DB.Authorisations.Use(ctx, a.ID, access.Hashed(code), store.At(cl.core.Now()))
	if err != nil {
		return appIdentity{}, err
	}
	if !first {
		return cl.awaitOutcome(ctx, a.ID, access.Hashed(code), by == "")
	}
	// The exchange goes on when the caller hangs up: the code is spent, and the next request needs the outcome.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), exchangeTime)
	defer cancel()
	what, err := cl.exchange(ctx, a, c, code)
	if err != nil {
		cl.core.Access.CountSignIn(a.Provider, err)
	}
	outcome := exchangeOutcome{By: by}
	refused, ok := errors.AsType[*access.Refused](err)
	switch {
	case err == nil:
		outcome.Known = what
	case ok:
		outcome.Refused, outcome.Detail = string(refused.Refusal), refused.Detail
	default:
		outcome.Refused = string(access.WeChatFailed)
	}
	sealed, sealErr := cl.core.Sealing.Seal("outcome "+a.ID, outcome)
	if sealErr == nil {
		sealErr = cl.core.DB.Authorisations.Decide(store.AfterRequest(ctx), a.ID, sealed)
	}
	return what, errors.Join(err, sealErr)
}

// exchange calls the provider. It refuses with WeChatExpired when the application's credentials were changed since the
// authorisation began.
func (cl *Chatlogin) exchange(
	ctx context.Context, a store.Authorisation, c *store.Company, code string,
) (appIdentity, error) {
	method := Method(a.Method)
	app, err := cl.chatapps.AppFor(ctx, c, method.Kind())
	if err != nil {
		return appIdentity{}, err
	}
	if app.ID != a.App {
		return appIdentity{}, &access.Refused{Refusal: access.WeChatExpired}
	}
	provider, name := cl.chatapps.Provider(method.Provider()), method.Provider()
	var who ProviderIdentity
	if provider.NeedsToken() {
		err = cl.chatapps.WithToken(ctx, name, app, func(access string) (err error) {
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
		cl.core.Log.LogAttrs(
			ctx, access.LogWarn, "provider", access.LogEvent("exchange_failed"), access.LogDetail(err.Error()),
		)
		return appIdentity{}, ProviderRefusal(err)
	}
	return appIdentity{
		Provider:  name,
		Kind:      app.Kind,
		App:       app.ID,
		Owner:     app.Owner,
		CompanyID: a.CompanyID,
		Lighting:  a.Lighting,
		Identity:  who,
	}, nil
}

// awaitOutcome waits for the outcome of another request of the same callback. own says that this browser began the
// authorisation.
func (cl *Chatlogin) awaitOutcome(ctx context.Context, id, code string, own bool) (appIdentity, error) {
	ctx, cancel := context.WithTimeout(ctx, TokenFetch)
	defer cancel()
	for {
		a, err := cl.core.DB.Authorisations.ByID(ctx, id)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return appIdentity{}, err
		}
		if err != nil || a.UsedAt == 0 || a.Code != code || cl.longUsed(a) {
			return appIdentity{}, &access.Refused{Refusal: access.WeChatExpired}
		}
		if a.Outcome != "" {
			var outcome exchangeOutcome
			if cl.core.Sealing.Unseal("outcome "+id, a.Outcome, &outcome) != nil { // no master key opens it
				return appIdentity{}, &access.Refused{Refusal: access.WeChatExpired}
			}
			if outcome.By == "" && !own {
				return appIdentity{}, &access.Refused{Refusal: access.WeChatExpired}
			}
			if outcome.Refused != "" {
				return appIdentity{}, &access.Refused{Refusal: access.Refusal(outcome.Refused), Detail: outcome.Detail}
			}
			return outcome.Known, nil
		}
		select {
		case <-ctx.Done():
			return appIdentity{}, &access.Refused{Refusal: access.WeChatFailed}
		case <-time.After(TokenPoll):
		}
	}
}
