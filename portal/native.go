package portal

import (
	"context"
	"errors"

	"portico/store"
)

// appSlot is the side of codes for the native wrapper: none of the four, so that no landing page takes one.
const appSlot store.Slot = "app"

// SignInTag names one account entered by one sign-in to scripts: it opens nothing and tells nothing.
func (p *Portal) SignInTag(here Landing) string {
	return p.tag("sign in", here.family+" "+decimal(here.Member.ID))[:12]
}

// AppCode makes a one-time code for the native wrapper that shows a landing page: it is redeemed through the API
// alone (RedeemForClient), for the account that is signed in to the side, and ends like any code. LoginRequired when
// nobody is, or when the sign-in that entered the side has ended; the reason when the account is blocked.
func (p *Portal) AppCode(ctx context.Context, place Place, slot store.Slot) (string, error) {
	here, err := p.Landing(ctx, place, slot)
	if err != nil {
		return "", err
	}
	s, err := p.db.SignInOfFamily(ctx, here.family, store.At(p.now()))
	if errors.Is(err, store.ErrNotFound) {
		err = LoginRequired
	}
	if err != nil {
		return "", err
	}
	in := EnterInput{Session: s, Place: Place{Origin: here.FromOrigin}}
	e, err := p.newCode(in, here.Member, appSlot, "api."+p.base.Host, sealedCode{})
	if err != nil {
		return "", err
	}
	return e.to.Code, p.issue(ctx, s, e)
}

// AppLoginInput is a native wrapper's own token, with which it brings its person to the account site.
type AppLoginInput struct {
	Token   string `form:"app_token"`
	Browser Browser
}

// AppLogin signs a browser in with the API token that its native wrapper holds. The browser session has the same rights
// and expiry as the token, and ends with it. AppLogin refuses with WrongParameters while the browser has a session, so
// that nobody gets into another person's account unseen; with LoginRequired anything but a valid token of an app (a
// ticket is none) and a token of another company than the site's; and a blocked account with its reason.
func (p *Portal) AppLogin(ctx context.Context, in AppLoginInput) (LoginResult, error) {
	ctx = p.withSession(ctx)
	if _, err := p.Session(ctx, in.Browser.Place); !errors.Is(err, LoginRequired) {
		if err == nil {
			err = &Refused{Refusal: WrongParameters}
		}
		return LoginResult{}, err
	}
	held, err := p.Token(ctx, TokenInput{Token: in.Token, Client: ClientApp, CompanyID: in.Browser.Place.CompanyID()})
	if err == nil && held.ActingID == 0 {
		err = LoginRequired
	}
	if err != nil {
		return LoginResult{}, p.badCode(ctx, err)
	}
	result, err := p.appSession(ctx, in, held)
	if err != nil {
		return LoginResult{}, err
	}
	err = p.db.Tx(ctx, func(tx *store.DB) error {
		if err := p.countUpTo(ctx, tx, "app:"+held.Family, CodesIssued, FailureWindow); err != nil {
			return err
		}
		b := new(store.Batch)
		if err := p.addLogin(ctx, tx, b, &result); err != nil {
			return err
		}
		if err := tx.Run(ctx, b); err != nil {
			return err
		}
		who := store.Member{Account: store.Account{ID: held.ActingID, CompanyID: result.Step.CompanyID, PhoneID: held.PhoneID}}
		return p.event(ctx, tx, "sign_in", who, "app token")
	})
	if err != nil {
		return LoginResult{}, err
	}
	return result, p.stillHeld(ctx, held, result.Session)
}

// appSession is the browser's session, and the way into the account that the token acts as.
func (p *Portal) appSession(ctx context.Context, in AppLoginInput, held Session) (LoginResult, error) {
	m, err := p.db.MemberOfAccount(ctx, held.ActingID)
	if errors.Is(err, store.ErrNotFound) {
		err = LoginRequired
	}
	if err != nil {
		return LoginResult{}, err
	}
	browser := in.Browser
	browser.Device, browser.Lighting, browser.Remember = browser.deviceOrNew(), held.Lighting, false
	browser.ShareUser, browser.ShareClient = 0, 0
	result := LoginResult{Device: browser.Device, Step: Step{Kind: StepEnter, CompanyID: m.CompanyID, AccountID: m.ID}}
	s := p.newSession(ctx, browser)
	s.Family, s.PhoneID, s.AccountID, s.Purpose, s.CreatedAt = held.Family, held.PhoneID, held.AccountID, held.Purpose, held.CreatedAt
	s.Provider = held.Provider
	s.EndsAt = min(s.EndsAt, held.EndsAt)
	s.IdleUntil = min(s.IdleUntil, s.EndsAt)
	if held.PhoneID != 0 && held.CompanyID != 0 && held.CompanyID != s.CompanyID { // the site's session would cover the phone's other companies
		s.PhoneID, s.AccountID, s.Purpose = 0, m.ID, store.PurposeCode
	}
	if byFirstPassword(s, []store.Member{m}) {
		result.Step.Kind = StepPassword
	}
	result.Session = s
	return result, nil
}

// stillHeld takes a session back that was made while its token was being ended.
func (p *Portal) stillHeld(ctx context.Context, held, made Session) error {
	err := p.db.LockSession(ctx, held.ID)
	if !errors.Is(err, store.ErrNotFound) {
		return err
	}
	if err := p.db.EndSession(ctx, made.ID); err != nil {
		return err
	}
	return LoginRequired
}
