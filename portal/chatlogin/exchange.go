package chatlogin

import (
	"context"
	"errors"
	"time"

	"portico/portal/access"
	"portico/portal/chatapps"
	"portico/store"
)

// known is an identity as a provider gave it, with the application by which it is known. CompanyID is where it
// authorised, 0 for none.
type known struct {
	Provider  access.ProviderName       `json:"p"`
	Kind      store.CredentialKind      `json:"k"`
	App       string                    `json:"a"`
	Owner     int64                     `json:"o"`
	CompanyID int64                     `json:"c"`
	Lighting  bool                      `json:"l,omitempty"` // the lighting edition was asked for
	Identity  chatapps.ProviderIdentity `json:"i"`
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
func (cl *Chatlogin) exchangeOnce(
	ctx context.Context, a store.Authorisation, c *store.Company, code, by string,
) (known, error) {
	if code == "" { // declined: the same state may still come back with one
		return known{}, &access.Refused{Refusal: access.WeChatFailed, Detail: ""}
	}
	mine, err := cl.db.UseAuthorisation(ctx, a.ID, access.Hashed(code), store.At(cl.now()))
	if err != nil {
		return known{}, err
	}
	if !mine {
		return cl.decidedBefore(ctx, a.ID, access.Hashed(code), by == "")
	}
	ctx, cancel := context.WithTimeout(
		context.WithoutCancel(ctx), exchangeTime,
	) // whoever goes away has spent the code all the same
	defer cancel()
	what, err := cl.exchange(ctx, a, c, code)
	if err != nil {
		cl.access.CountSignIn(a.Provider, err)
	}
	outcome := decided{By: by}
	refused, ok := errors.AsType[*access.Refused](err)
	switch {
	case err == nil:
		outcome.Known = what
	case ok:
		outcome.Refused, outcome.Detail = string(refused.Refusal), refused.Detail
	default:
		outcome.Refused = string(access.WeChatFailed)
	}
	sealed, sealErr := cl.sealing.Seal("outcome "+a.ID, outcome)
	if sealErr == nil {
		sealErr = cl.db.DecideAuthorisation(store.AfterRequest(ctx), a.ID, sealed)
	}
	return what, errors.Join(err, sealErr)
}

// exchange asks the provider.
func (cl *Chatlogin) exchange(ctx context.Context, a store.Authorisation, c *store.Company, code string) (known, error) {
	door := chatapps.Method(a.Door)
	app, err := cl.chatapps.AppFor(ctx, c, door.Kind())
	if err != nil {
		return known{}, err
	}
	if app.ID != a.App { // the credentials were changed meanwhile
		return known{}, &access.Refused{Refusal: access.WeChatExpired}
	}
	provider, name := cl.chatapps.Provider(door.Provider()), door.Provider()
	var who chatapps.ProviderIdentity
	if provider.NeedsToken() {
		err = cl.chatapps.WithToken(ctx, name, app, func(access string) (err error) {
			who, err = provider.Exchange(ctx, app, access, code)
			return err
		})
	} else {
		who, err = provider.Exchange(ctx, app, "", code)
	}
	if err == nil && who.Subject == "" {
		err = &chatapps.ProviderFailure{Code: "no subject"}
	}
	if err != nil {
		cl.log.LogAttrs(
			ctx, access.LogWarn, "provider", access.LogEvent("exchange_failed"), access.LogDetail(err.Error()),
		)
		return known{}, chatapps.ProviderRefusal(err)
	}
	return known{
		Provider:  name,
		Kind:      app.Kind,
		App:       app.ID,
		Owner:     app.Owner,
		CompanyID: a.CompanyID,
		Lighting:  a.Lighting,
		Identity:  who,
	}, nil
}

// decidedBefore waits for what another hit of the same callback was told.
func (cl *Chatlogin) decidedBefore(ctx context.Context, id, code string, own bool) (known, error) {
	ctx, cancel := context.WithTimeout(ctx, chatapps.TokenFetch)
	defer cancel()
	for {
		a, err := cl.db.AuthorisationByID(ctx, id)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return known{}, err
		}
		if err != nil || a.UsedAt == 0 || a.Code != code || cl.longUsed(a) {
			return known{}, &access.Refused{Refusal: access.WeChatExpired}
		}
		if a.Outcome != "" {
			var outcome decided
			if cl.sealing.Unseal("outcome "+id, a.Outcome, &outcome) != nil { // no master key opens it
				return known{}, &access.Refused{Refusal: access.WeChatExpired}
			}
			if outcome.By == "" && !own {
				return known{}, &access.Refused{Refusal: access.WeChatExpired}
			}
			if outcome.Refused != "" {
				return known{}, &access.Refused{Refusal: access.Refusal(outcome.Refused), Detail: outcome.Detail}
			}
			return outcome.Known, nil
		}
		select {
		case <-ctx.Done():
			return known{}, &access.Refused{Refusal: access.WeChatFailed}
		case <-time.After(chatapps.TokenPoll):
		}
	}
}
