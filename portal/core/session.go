package core

import (
	"context"
	"errors"
	"strings"
	"time"

	"portico/portal/access"
	"portico/store"
	"portico/store/sessionstore"
)

// How long a session lasts: Idle after its last use, Life after the sign-in. The cookie of the account site ends when
// the browser is closed unless the person asked to be remembered. Each side that is entered from it has its own limits.
const (
	AccountIdle    = 12 * time.Hour
	AccountLife    = 24 * time.Hour
	RememberedLife = 30 * 24 * time.Hour
	ManagerIdle    = 30 * time.Minute
	ManagerLife    = 24 * time.Hour
	ShopIdle       = 12 * time.Hour
	ShopLife       = 30 * 24 * time.Hour
	// UnconfirmedLife is how long a session lasts whose cookie the browser never sent, because the response was lost.
	UnconfirmedLife = 10 * time.Minute
	// FormerLife is how long the former cookie of a renewed session is valid, unless the browser sends the new one
	// earlier.
	FormerLife = time.Minute
	// TouchAfter is how much time passes before the use of a session is stored again.
	TouchAfter = time.Minute
)

const (
	maxAgent = 200    // bytes of User-Agent that are stored
	maxWidth = 16_384 // CSS pixels; larger reports are ignored
	minWidth = 100    // CSS pixels; smaller reports are ignored
)

// NeverUsed is the SeenAt of a session whose token was never used. The first use stores a real instant.
const NeverUsed store.Instant = 0

// NewSession returns the session of a new sign-in in a browser, not stored and without its id. Every browser session
// begins here. It expires after UnconfirmedLife unless the browser sends its cookie.
func (s *Sessions) NewSession(ctx context.Context, browser access.Browser) store.Session {
	now := s.core.Now()
	life := AccountLife
	if browser.Remember {
		life = RememberedLife
	}
	caller := access.CallerOf(ctx)
	return store.Session{
		Host: browser.Place.Host, CompanyID: browser.Place.CompanyID(),
		Family: access.RandomToken(16), Device: browser.Device,
		Lighting: browser.Lighting, Remember: browser.Remember, Width: ValidWidth(browser.Width),
		ShareUserID: browser.ShareUser, ShareClientID: browser.ShareClient,
		Address: caller.Address, Agent: agentOf(ctx),
		CreatedAt: store.At(now), SeenAt: store.At(now),
		IdleUntil: store.At(now.Add(UnconfirmedLife)), EndsAt: store.At(now.Add(life)),
	}
}

// agentOf returns the caller's User-Agent as sessions store it, at most maxAgent bytes.
func agentOf(ctx context.Context) string {
	return strings.ToValidUTF8(access.Truncated(access.CallerOf(ctx).Agent, maxAgent), "")
}

// ValidWidth returns a reported width in CSS pixels, or 0 when no screen has that width.
func ValidWidth(width int) int {
	if width < minWidth || width > maxWidth {
		return 0
	}
	return width
}

// Session returns the session of the request's browser at the place it was made for. It refuses with LoginRequired a
// browser whose session has expired or belongs to another host or company, or that has none.
func (s *Sessions) Session(ctx context.Context, place access.Place) (access.Session, error) {
	session, _, err := s.RenewedSession(ctx, place)
	return session, err
}

// RenewedSession does what Session does, for a caller that can set a cookie. renewed is the cookie's new value when the
// browser sent the session's former cookie, because it missed the response with the new one; "" otherwise.
func (s *Sessions) RenewedSession(
	ctx context.Context, place access.Place,
) (session access.Session, renewed string, err error) {
	stored, err := s.BrowserSession(ctx)
	if err != nil {
		return access.Session{}, "", err
	}
	if isOfAnotherPlace(stored.Session, place) {
		return access.Session{}, "", access.LoginRequired
	}
	if s.mustStoreUse(ctx, stored.Session) {
		if stored, err = s.touch(ctx, stored); err != nil {
			return access.Session{}, "", err
		}
	}
	if sent := s.SentCookie(ctx); stored.ID != access.Hashed(sent) {
		renewed = s.RenewedCookie(sent, stored.Session)
	}
	return stored.Session, renewed, nil
}

// isOfAnotherPlace says whether a session was made for another host or company than those of a place.
func isOfAnotherPlace(s access.Session, place access.Place) bool {
	return place.Host == "" || s.Host != place.Host || s.CompanyID != place.CompanyID() && !place.Local
}

// mustStoreUse says whether the use of a session has to be stored: the browser sent its current cookie for the first
// time, or TouchAfter has passed.
func (s *Sessions) mustStoreUse(ctx context.Context, session access.Session) bool {
	sent, _ := s.sessions.Get(ctx, sentCookieKey).(sentCookie)
	if sent.isNew || session.ID != access.Hashed(sent.cookie) || s.sessions.Token(ctx) != sent.cookie {
		return false
	}
	return s.core.Now().Sub(session.SeenAt.Time()) >= TouchAfter || !session.Received()
}

// touch stores that the browser sent the session's current cookie. The former cookie is invalid from now on. If another
// request has ended or renewed the session meanwhile, it is read again.
func (s *Sessions) touch(ctx context.Context, stored store.BrowserSession) (store.BrowserSession, error) {
	idle := AccountIdle
	if stored.Remember || stored.PersonID == 0 && stored.AccountID == 0 {
		idle = RememberedLife
	}
	now := s.core.Now()
	stored.SeenAt, stored.IdleUntil = store.At(now), store.At(now.Add(idle))
	stored.FormerID = ""
	stored.FormerUntil = 0
	stored.Renewal = ""
	stored.Confirmed = true
	b := new(store.Batch)
	if _, err := s.CommitSession(ctx, s.core.DB, b, stored); err != nil {
		return stored, err
	}
	err := s.core.DB.Run(ctx, b)
	if errors.Is(err, store.ErrSessionEnded) {
		return s.ReadSessionAgain(ctx)
	}
	return stored, err
}

// SignedIn returns the session of a person who signed in on this host. It refuses with LoginRequired a session that
// only has sides, as on a landing host.
func (s *Sessions) SignedIn(ctx context.Context, place access.Place) (access.Session, error) {
	session, err := s.Session(ctx, place)
	if err != nil {
		return session, err
	}
	if session.PersonID == 0 && session.AccountID == 0 {
		return session, access.LoginRequired
	}
	return session, nil
}

// SignOut ends everything that the sign-ins of this browser made, on every host. It returns the account site that the
// browser came from, "" when it signs out on an account site. Signing out twice succeeds.
func (s *Sessions) SignOut(ctx context.Context, place access.Place) (from string, err error) {
	session, err := s.Session(ctx, place)
	if errors.Is(err, access.LoginRequired) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if session.PersonID == 0 && session.AccountID == 0 {
		from = s.originOfSignIn(ctx, session)
	}
	err = s.core.DB.Tx(ctx, func(tx *store.DB) error {
		if session.PersonID != 0 { // a proof of the phone must not sign in again
			if err := tx.Registrations.EndOfPerson(ctx, session.PersonID); err != nil {
				return err
			}
		}
		if err := s.core.Access.Event(ctx, tx, "sign_out",
			store.Member{Account: store.Account{ID: session.AccountID, PersonID: session.PersonID}}, ""); err != nil {
			return err
		}
		return s.endSession(ctx, tx, session)
	})
	if err != nil {
		return "", err
	}
	return from, s.sessions.Destroy(sessionstore.WithRowKept(ctx)) // endSession has removed the row
}

// EndOldSession ends the session that the browser has on a host, because it signs in there again. It does nothing when
// there is none.
func (s *Sessions) EndOldSession(ctx context.Context, tx *store.DB, host string) error {
	stored, err := s.BrowserSession(ctx)
	if errors.Is(err, access.LoginRequired) || err == nil && stored.Host != host {
		return nil
	}
	if err != nil {
		return err
	}
	return s.endSession(ctx, tx, stored.Session)
}

// endSession ends a session with its sign-in (family) and with the sign-ins that entered its sides.
func (s *Sessions) endSession(ctx context.Context, tx *store.DB, session store.Session) error {
	families := map[string]bool{session.Family: true}
	for _, slot := range access.Slots {
		entered, err := tx.Slots.Of(ctx, session.ID, slot, store.SlotIn, store.At(s.core.Now()))
		if err == nil {
			families[entered.Family] = true
		} else if !errors.Is(err, store.ErrNotFound) {
			return err
		}
	}
	for family := range families {
		if err := tx.Sessions.EndFamily(ctx, family); err != nil {
			return err
		}
	}
	return tx.Sessions.End(ctx, session.ID)
}

// originOfSignIn returns the account site that a landing session was entered from.
func (s *Sessions) originOfSignIn(ctx context.Context, session store.Session) string {
	for _, slot := range access.Slots {
		if entered, err := s.core.DB.Slots.Of(ctx, session.ID, slot, store.SlotIn, store.At(s.core.Now())); err == nil {
			return entered.FromOrigin
		}
	}
	return s.core.Access.Origin("account")
}

// BrowserTag returns a keyed hash that identifies the value of a browser's cookie without revealing it. A form that was
// opened while nobody was signed in carries it, sealed in its owner.
func (s *Sessions) BrowserTag(cookie string) string { return s.core.Sealing.Tag("form", cookie) }

// DeviceCookie returns the cookie value of a browser's id: the id with a signature.
func (s *Sessions) DeviceCookie(device string) string {
	return device + "." + s.core.Sealing.Tag("device", device)
}

// DeviceID returns the browser's id in a device cookie, "" when the signature is wrong.
func (s *Sessions) DeviceID(cookie string) string {
	const idLength = 22 // 16 bytes in base64
	if len(cookie) < idLength+1 || s.DeviceCookie(cookie[:idLength]) != cookie {
		return ""
	}
	return cookie[:idLength]
}
