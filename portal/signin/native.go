package signin

import (
	"context"
	"errors"

	"portico/portal/access"
	"portico/portal/core"
	"portico/store"
)

// appSlot is the side of the codes for native apps. It is none of the four sides, so no landing page redeems such a
// code.
const appSlot store.Slot = "app"

// SignInTag returns a short keyed hash of an account and the sign-in that entered it. Scripts compare it to notice
// another sign-in. It opens nothing and reveals nothing.
func (l *Landing) SignInTag(here access.Landing) string {
	return l.core.Sealing.Tag("sign in", here.Family+" "+access.Decimal(here.Member.ID))[:12]
}

// AppCode makes a one-time code for the native app that shows a landing page. Only the API redeems it
// (RedeemForClient), for the account that is signed in to the side. It refuses with LoginRequired when nobody is signed
// in there or the sign-in that entered the side has ended, and a blocked account with the reason.
func (l *Landing) AppCode(ctx context.Context, place access.Place, slot store.Slot) (string, error) {
	here, err := l.Landing(ctx, place, slot)
	if err != nil {
		return "", err
	}
	s, err := l.core.DB.Sessions.SignInOfFamily(ctx, here.Family, store.At(l.core.Now()))
	if errors.Is(err, store.ErrNotFound) {
		return "", access.LoginRequired
	}
	if err != nil {
		return "", err
	}
	in := access.EnterInput{Session: s, Place: access.Place{Origin: here.FromOrigin}}
	e, err := l.entry.NewCode(in, here.Member, appSlot, "api."+l.core.Base.Host, SealedCode{})
	if err != nil {
		return "", err
	}
	return e.To.Code, l.entry.Issue(ctx, s, e)
}

// AppLoginInput is the API token of a native app that signs its browser in to the account site.
type AppLoginInput struct {
	Token   string `form:"app_token"`
	Browser access.Browser
}

// AppLogin signs a browser in with the API token that its native wrapper holds. The browser session has the same rights
// and expiry as the token, and ends with it. AppLogin refuses with WrongParameters while the browser has a session, so
// that nobody gets into another person's account unseen; with LoginRequired anything but a valid token of an app (a
// ticket is none) and a token of another company than the site's; and a blocked account with its reason.
func (l *Landing) AppLogin(ctx context.Context, in AppLoginInput) (LoginResult, error) {
	ctx = l.core.Sessions.WithSession(ctx)
	_, err := l.core.Sessions.Session(ctx, in.Browser.Place)
	if err == nil {
		return LoginResult{}, &access.Refused{Refusal: access.WrongParameters}
	}
	if !errors.Is(err, access.LoginRequired) {
		return LoginResult{}, err
	}
	token, err := l.Token(ctx, TokenInput{Token: in.Token, Client: ClientApp, CompanyID: in.Browser.Place.CompanyID()})
	if err != nil {
		return LoginResult{}, l.core.Sessions.CountBadCode(ctx, err)
	}
	if token.ActingID == 0 {
		return LoginResult{}, l.core.Sessions.CountBadCode(ctx, access.LoginRequired)
	}
	result, err := l.appSession(ctx, in, token)
	if err != nil {
		return LoginResult{}, err
	}
	err = l.core.DB.Tx(ctx, func(tx *store.DB) error {
		if err := l.core.Limits.CountUpTo(ctx, tx, "app:"+token.Family, core.CodesIssued,
			core.FailureWindow); err != nil {
			return err
		}
		b := new(store.Batch)
		if err := l.signin.AddLogin(ctx, tx, b, &result); err != nil {
			return err
		}
		if err := tx.Run(ctx, b); err != nil {
			return err
		}
		who := store.Member{Account: store.Account{ID: token.ActingID, CompanyID: result.Step.CompanyID,
			PersonID: token.PersonID}}
		return l.core.Access.Event(ctx, tx, "sign_in", who, "app token")
	})
	if err != nil {
		return LoginResult{}, err
	}
	return result, l.endIfRevoked(ctx, token, result.Session)
}

// appSession returns the browser's session for a token, not stored, with the step into the account that the token acts
// as.
func (l *Landing) appSession(ctx context.Context, in AppLoginInput, token access.Session) (LoginResult, error) {
	m, err := l.core.DB.Accounts.OfAnyCompany(ctx, token.ActingID)
	if errors.Is(err, store.ErrNotFound) {
		return LoginResult{}, access.LoginRequired
	}
	if err != nil {
		return LoginResult{}, err
	}
	browser := in.Browser
	browser.Device = browser.DeviceOrNew()
	browser.Lighting = token.Lighting
	browser.Remember = false
	browser.ShareUser, browser.ShareClient = 0, 0
	result := LoginResult{Device: browser.Device,
		Step: Step{Kind: StepEnter, CompanyID: m.CompanyID, AccountID: m.ID}}
	s := l.core.Sessions.NewSession(ctx, browser)
	s.Family = token.Family
	s.PersonID = token.PersonID
	s.AccountID = token.AccountID
	s.Purpose = token.Purpose
	s.CreatedAt, s.Provider = token.CreatedAt, token.Provider
	s.EndsAt = min(s.EndsAt, token.EndsAt)
	s.IdleUntil = min(s.IdleUntil, s.EndsAt)
	// the site's session would cover the phone's other companies
	if token.PersonID != 0 && token.CompanyID != 0 && token.CompanyID != s.CompanyID {
		s.PersonID = 0
		s.AccountID = m.ID
		s.Purpose = store.PurposeCode
	}
	if ByFirstPassword(s, []store.Member{m}) {
		result.Step.Kind = StepPassword
	}
	result.Session = s
	return result, nil
}

// endIfRevoked ends the new session of a browser when its token was revoked while the session was made.
func (l *Landing) endIfRevoked(ctx context.Context, token, made access.Session) error {
	err := l.core.DB.Sessions.Lock(ctx, token.ID)
	if !errors.Is(err, store.ErrNotFound) {
		return err
	}
	if err := l.core.DB.Sessions.End(ctx, made.ID); err != nil {
		return err
	}
	return access.LoginRequired
}
