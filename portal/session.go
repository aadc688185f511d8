package portal

import (
	"context"
	"errors"
	"strings"
	"time"

	"portico/store"
)

// How long a browser stays signed in. The account site's cookie ends when the browser is closed unless the person asked
// to be remembered. Each side that is entered from it has its own limits.
const (
	AccountIdle     = 12 * time.Hour
	AccountLife     = 24 * time.Hour
	RememberedLife  = 30 * 24 * time.Hour
	ManagerIdle     = 30 * time.Minute
	ManagerLife     = 24 * time.Hour
	ShopIdle        = 12 * time.Hour
	ShopLife        = 30 * 24 * time.Hour
	LandingLife     = 30 * 24 * time.Hour // the cookie of a landing host; the sides in it end sooner
	UnconfirmedLife = 10 * time.Minute    // a session whose cookie the browser never sent: the response was lost
	FormerLife      = time.Minute         // a session's former id, unless the browser sends the new one earlier
	touchAfter      = time.Minute         // the last use of a session is stored at most this often
	maxAgent        = 200                 // bytes of User-Agent that are stored
	maxWidth        = 16_384              // CSS pixels; larger reports are ignored
	minWidth        = 100
)

// Session is the signed-in state of one browser on one host.
type Session = store.Session

// newSession makes the session of a new sign-in, without its id. It expires after UnconfirmedLife unless the browser
// sends its cookie.
func (p *Portal) newSession(ctx context.Context, browser Browser) store.Session {
	now := p.now()
	life := AccountLife
	if browser.Remember {
		life = RememberedLife
	}
	caller := callerOf(ctx)
	return store.Session{
		Host: browser.Place.Host, CompanyID: browser.Place.CompanyID(), Family: randomToken(16), Device: browser.Device,
		Lighting: browser.Lighting, Remember: browser.Remember, Width: BelievedWidth(browser.Width),
		ShareUserID: browser.ShareUser, ShareClientID: browser.ShareClient,
		Address: caller.Address, Agent: agentOf(ctx),
		CreatedAt: store.At(now), SeenAt: store.At(now),
		IdleUntil: store.At(now.Add(UnconfirmedLife)), EndsAt: store.At(now.Add(life)),
	}
}

// agentOf returns the caller's User-Agent as sessions store it, at most maxAgent bytes.
func agentOf(ctx context.Context) string {
	return strings.ToValidUTF8(limited(callerOf(ctx).Agent, maxAgent), "")
}

// BelievedWidth returns a reported width in CSS pixels, or 0 when no screen has that width.
func BelievedWidth(width int) int {
	if width < minWidth || width > maxWidth {
		return 0
	}
	return width
}

// Session returns the session of the request's browser at the place it was made for. It refuses with LoginRequired a
// browser whose session has expired or belongs to another host or company, or that has none.
func (p *Portal) Session(ctx context.Context, place Place) (Session, error) {
	s, _, err := p.RenewedSession(ctx, place)
	return s, err
}

// RenewedSession does what Session does, for a caller that can set a cookie. renewed is the cookie's new value when the
// browser sent the session's former cookie, because it missed the response with the new one; "" otherwise.
func (p *Portal) RenewedSession(ctx context.Context, place Place) (s Session, renewed string, err error) {
	held, err := p.browserSession(ctx)
	if err != nil {
		return Session{}, "", err
	}
	if isElsewhere(held.Session, place) {
		return Session{}, "", LoginRequired
	}
	if p.isDue(ctx, held.Session) {
		held, err = p.touch(ctx, held)
	}
	if err != nil {
		return Session{}, "", err
	}
	if shown := p.shownCookie(ctx); held.ID != hashed(shown) {
		renewed = p.renewedCookie(shown, held.Session)
	}
	return held.Session, renewed, nil
}

// isElsewhere says whether a session was made for another host or company than those of a place.
func isElsewhere(s Session, place Place) bool {
	return place.Host == "" || s.Host != place.Host || s.CompanyID != place.CompanyID() && !place.Local
}

// isDue says whether the use of a session has to be stored: the browser sent its current cookie for the first time, or
// touchAfter has passed.
func (p *Portal) isDue(ctx context.Context, s Session) bool {
	if shown := p.shownCookie(ctx); s.ID != hashed(shown) || p.sessions.Token(ctx) != shown {
		return false
	}
	return p.now().Sub(s.SeenAt.Time()) >= touchAfter || !s.Received()
}

// touch stores that the browser sent the session's current cookie. The former cookie is invalid from now on. If another
// request has ended or renewed the session meanwhile, it is read again.
func (p *Portal) touch(ctx context.Context, held store.BrowserSession) (store.BrowserSession, error) {
	idle := AccountIdle
	if held.Remember || held.PhoneID == 0 && held.AccountID == 0 {
		idle = RememberedLife
	}
	now := p.now()
	held.SeenAt, held.IdleUntil = store.At(now), store.At(now.Add(idle))
	held.FormerID, held.FormerUntil, held.Renewal, held.Confirmed = "", 0, "", true
	b := new(store.Batch)
	if _, err := p.commitSession(ctx, p.db, b, held); err != nil {
		return held, err
	}
	err := p.db.Run(ctx, b)
	if errors.Is(err, store.ErrSessionEnded) {
		return p.readSessionAgain(ctx)
	}
	return held, err
}

// SignedIn returns the session of a person who signed in on this host. It refuses with LoginRequired a session that
// only has sides, as on a landing host.
func (p *Portal) SignedIn(ctx context.Context, place Place) (Session, error) {
	s, err := p.Session(ctx, place)
	if err == nil && s.PhoneID == 0 && s.AccountID == 0 {
		err = LoginRequired
	}
	return s, err
}

// SignOut ends everything that the sign-ins of this browser made, on every host. It returns the account site that the
// browser came from, "" when it signs out on an account site. Signing out twice succeeds.
func (p *Portal) SignOut(ctx context.Context, place Place) (from string, err error) {
	s, err := p.Session(ctx, place)
	if errors.Is(err, LoginRequired) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if s.PhoneID == 0 && s.AccountID == 0 {
		from = p.cameFrom(ctx, s)
	}
	err = p.db.Tx(ctx, func(tx *store.DB) error {
		if s.PhoneID != 0 { // proofs of the phone must not sign in again
			if err := tx.EndRegistrations(ctx, s.PhoneID); err != nil {
				return err
			}
		}
		if err := p.event(ctx, tx, "sign_out", store.Member{Account: store.Account{ID: s.AccountID, PhoneID: s.PhoneID}}, ""); err != nil {
			return err
		}
		return p.endSession(ctx, tx, s)
	})
	if err != nil {
		return "", err
	}
	return from, p.sessions.Destroy(store.WithRowKept(ctx)) // endSession has removed the row
}

// endOldSession ends the session that the browser holds on a host before it signs in there.
func (p *Portal) endOldSession(ctx context.Context, tx *store.DB, host string) error {
	held, err := p.browserSession(ctx)
	if errors.Is(err, LoginRequired) || err == nil && held.Host != host {
		return nil
	}
	if err != nil {
		return err
	}
	return p.endSession(ctx, tx, held.Session)
}

// endSession ends a session with its sign-in (family) and with the sign-ins that entered its sides.
func (p *Portal) endSession(ctx context.Context, tx *store.DB, s store.Session) error {
	families := map[string]bool{s.Family: true}
	for _, slot := range Slots {
		entered, err := tx.SlotOf(ctx, s.ID, slot, store.SlotIn, store.At(p.now()))
		if err == nil {
			families[entered.Family] = true
		} else if !errors.Is(err, store.ErrNotFound) {
			return err
		}
	}
	for family := range families {
		if err := tx.EndFamily(ctx, family); err != nil {
			return err
		}
	}
	return tx.EndSession(ctx, s.ID)
}

// cameFrom returns the account site that a landing session was entered from.
func (p *Portal) cameFrom(ctx context.Context, s store.Session) string {
	for _, slot := range Slots {
		if entered, err := p.db.SlotOf(ctx, s.ID, slot, store.SlotIn, store.At(p.now())); err == nil {
			return entered.FromOrigin
		}
	}
	return p.origin("account")
}

// BrowserTag returns a keyed hash that identifies the value of a browser's cookie without revealing it. A form that was
// opened while nobody was signed in carries it, sealed in its owner.
func (p *Portal) BrowserTag(cookie string) string { return p.tag("form", cookie) }

// DeviceCookie returns the cookie value of a browser's id: the id with a signature.
func (p *Portal) DeviceCookie(device string) string { return device + "." + p.tag("device", device) }

// DeviceID reads the id from a device cookie; "" when the signature is wrong.
func (p *Portal) DeviceID(cookie string) string {
	const idLength = 22 // 16 bytes in base64
	if len(cookie) < idLength+1 || p.DeviceCookie(cookie[:idLength]) != cookie {
		return ""
	}
	return cookie[:idLength]
}

// renew gives a browser's session a new cookie and returns its value; "" for an API token, which it leaves alone. The
// former cookie stays valid for a while, see renewal. LoginRequired when the session has ended.
func (p *Portal) renew(ctx context.Context, tx *store.DB, s Session) (token string, err error) {
	if s.Client != "" {
		return "", nil
	}
	ctx = p.withSession(ctx)
	if token, err = p.newCookie(ctx); err != nil {
		return "", err
	}
	b := new(store.Batch)
	renewed := p.renewal(ctx, store.BrowserSession{Session: s, StoredID: s.ID}, token)
	if _, err := p.commitSession(ctx, tx, b, renewed); err != nil {
		return "", err
	}
	err = tx.Run(ctx, b)
	if errors.Is(err, store.ErrSessionEnded) {
		err = LoginRequired
	}
	return token, err
}

// FreshSession is how old a sign-in may be to unbind a phone without the password.
const FreshSession = 10 * time.Minute

// neverUsed is the SeenAt of a session whose token was never used. The first use stores a real instant.
const neverUsed store.Instant = 0
