package signin

import (
	"cmp"
	"context"
	"errors"
	"time"

	"portico/portal/access"
	"portico/portal/core"
	"portico/store"
)

// RedeemInput is an auth code that a browser brought to a landing site.
type RedeemInput struct {
	Code  string `form:"auth_code_"`
	Place access.Place
	Slot  store.Slot // the side whose page received the code

	// Foreign says that the browser did not come from one of the platform's own pages, so that anybody may have sent
	// the code.
	Foreign bool

	// Opens says that a browser opens the page in a tab, so the code may be in its address: a reload sends it again.
	Opens bool
}

// RedeemResult is the landing host's session after a redemption: the new value of its cookie, and when it ends. Asked
// says that nobody is signed in to the account yet, because the code is foreign or another person is signed in: the
// next page asks the person.
type RedeemResult struct {
	Token  string
	EndsAt store.Instant
	Asked  bool
	Lang   string // the language chosen on the account site, "" for none
	Return string // the path of this side that the person wanted to open, "" for none
	Notice string // EnterInput.Notice
}

// Redeem accepts a code once, at the host and side it was issued for, while the sign-in that issued it lasts. It
// refuses any other code with RedirectFailed, and a blocked account with the reason.
//
// A response can be lost, and browsers then retry by themselves. So the same browser may redeem a code again, before
// the code expires and before the browser has sent the new session's cookie: it gets the same session. Any other
// second redemption is refused; within the life of the code it also ends what the first one made.
//
// The code is used and the session is signed in within one transaction, which uses the code first, so that a sign-out
// at the same time ends both or neither.
func (l *Landing) Redeem(ctx context.Context, in RedeemInput) (RedeemResult, error) {
	var sealed SealedCode
	if l.core.Sealing.Unseal("auth code", in.Code, &sealed) != nil {
		return RedeemResult{}, l.core.Sessions.CountBadCode(ctx, access.RedirectFailed)
	}
	ctx = l.core.Sessions.WithSession(ctx)
	result := RedeemResult{Lang: sealed.Lang, Return: sealed.Return, Notice: sealed.Notice}
	err := l.redeemOnce(ctx, in, sealed, &result)
	if errors.Is(err, store.ErrSessionEnded) { // or it was renewed by another landing in the same browser
		if _, err = l.core.Sessions.ReadSessionAgain(ctx); err == nil || errors.Is(err, access.LoginRequired) {
			err = l.redeemOnce(ctx, in, sealed, &result)
		}
	}
	if errors.Is(err, store.ErrNotFound) {
		err = l.redeemAgain(ctx, in, sealed.ID, &result)
	}
	if err != nil {
		return RedeemResult{}, err
	}
	return result, nil
}

// redeemOnce is the first use of a code; store.ErrNotFound for a code that was used or is not valid here. It reads
// before the transaction. The transaction fails if the code was used or has ended since then, or if the browser's
// session was renewed.
func (l *Landing) redeemOnce(ctx context.Context, in RedeemInput, sealed SealedCode, result *RedeemResult) error {
	now := store.At(l.core.Now())
	code, m, err := l.core.DB.AuthCodes.WithMember(ctx, access.Hashed(sealed.ID))
	if err != nil {
		return err
	}
	isHere := code.Target == in.Place.Host && code.Slot == in.Slot
	if code.UsedAt != 0 || code.ExpiresAt <= now || !isHere {
		return store.ErrNotFound
	}
	if err := l.checkTarget(ctx, l.core.DB, code); err != nil {
		return err
	}
	l.accounts.MarkEntry(&m, code.Provider)
	if reason := access.BlockedBy(m, code.Lighting, l.core.Now()); reason != "" {
		return l.core.Access.Blocked(ctx, l.core.DB, m, reason)
	}
	// The event of a sign-in that led straight into the account already says who entered it, when and from where.
	hasEvent := sealed.By != "" && sealed.By == l.entry.CallerTag(ctx)
	return l.signInToSide(ctx, in, redemption{code, sealed.ID, m}, hasEvent, result)
}

// checkTarget refuses a code with store.ErrNotFound when it was issued for a domain that no longer belongs to the
// company.
func (l *Landing) checkTarget(ctx context.Context, tx *store.DB, code store.AuthCode) error {
	if l.core.Access.UnderBase(code.Target) || l.core.Dev && access.IsLocal(code.Target) {
		return nil
	}
	owns, err := tx.Hosts.IsOwnedBy(ctx, code.CompanyID, code.Target)
	if err != nil {
		return err
	}
	if !owns {
		return store.ErrNotFound
	}
	return nil
}

// redeemAgain handles the second redemption of a code. It gives the first result again when the first response was
// lost, or when the browser with the session loads the page again. Otherwise it refuses, and endReusedCode decides
// what ends. secret is what the browser's code holds; its hash identifies the code.
func (l *Landing) redeemAgain(ctx context.Context, in RedeemInput, secret string, result *RedeemResult) error {
	now, id := store.At(l.core.Now()), access.Hashed(secret)
	code, err := l.core.DB.AuthCodes.ByID(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return l.core.Sessions.CountBadCode(ctx, access.RedirectFailed)
	}
	if err != nil {
		return err
	}
	s, err := l.core.DB.Sessions.ByID(ctx, code.MadeSessionID, now)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	token, same := l.sameLanding(ctx, secret, code, s)
	isReload := in.Opens && same && access.Hashed(token) == s.ID && token == l.core.Sessions.SentCookie(ctx)
	isLate := (s.Received() || code.ExpiresAt <= now) && !isReload
	if !same || isLate || code.Target != in.Place.Host || code.Slot != in.Slot {
		return l.core.Sessions.CountBadCode(ctx, l.endReusedCode(ctx, id))
	}
	asked, err := l.core.DB.Slots.Of(ctx, s.ID, code.Slot, store.SlotAsked, now)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	result.Token, result.EndsAt = token, s.EndsAt
	result.Asked = err == nil && asked.AccountID == code.AccountID
	return nil
}

// sameLanding says whether the browser that redeems a code again is the one that redeemed it first, and returns the
// value of the session cookie in that case. It is the same browser when it sends the same User-Agent and the same
// cookie (or no cookie) as the first time, or when it sends the cookie that the first redemption made. A browser
// without a User-Agent is never recognised. s is the session that the first redemption made, zero when it has ended.
func (l *Landing) sameLanding(
	ctx context.Context, secret string, code store.AuthCode, s store.Session,
) (cookie string, same bool) {
	if s.ID == "" || code.UsedAt == 0 || code.UsedBy == "" || access.CallerOf(ctx).Agent == "" {
		return "", false
	}
	shown := l.core.Sessions.SentCookie(ctx)
	if shown != "" && access.Hashed(shown) == s.ID {
		return shown, true
	}
	cookie = cmp.Or(l.core.Sessions.RenewedCookie(shown, s), l.core.Sessions.RenewedCookie(secret, s))
	return cookie, cookie != "" && code.UsedBy == l.landingBrowser(ctx)
}

// landingBrowser is a keyed hash of a browser's User-Agent and session cookie. It recognises the browser that redeemed
// a code.
func (l *Landing) landingBrowser(ctx context.Context) string {
	return l.core.Sealing.Tag("landing browser", access.CallerOf(ctx).Agent+"\x00"+l.core.Sessions.SentCookie(ctx))
}

// endReusedCode ends the token and the sides that the first redemption of a code signed in, and logs the second one. It
// always returns an error: RedirectFailed unless the database fails. A code that has expired ends nothing: whoever
// opens an old address from a history, a chat or a log has no part in the sign-in, and the person should not lose it.
func (l *Landing) endReusedCode(ctx context.Context, id string) error {
	code, err := l.core.DB.AuthCodes.ByID(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return access.RedirectFailed
	}
	if err != nil {
		return err
	}
	if code.UsedAt == 0 || code.MadeSessionID == "" || code.ExpiresAt <= store.At(l.core.Now()) {
		return access.RedirectFailed
	}
	m := store.Member{Account: store.Account{ID: code.AccountID, CompanyID: code.CompanyID}}
	err = l.core.DB.Tx(ctx, func(tx *store.DB) error {
		for _, state := range []store.SlotState{store.SlotIn, store.SlotAsked} {
			if err := tx.Slots.DropOfFamily(ctx, code.Family, code.AccountID, code.Slot, state); err != nil {
				return err
			}
		}
		if err := tx.AuthCodes.EndSession(ctx, code.MadeSessionID); err != nil {
			return err
		}
		return l.core.Access.Event(ctx, tx, "auth_code_reused", m, string(code.Slot))
	})
	if err != nil {
		return err
	}
	return access.RedirectFailed
}

// confirmSignIn notes that the browser has received the sign-in that issued a code: the code and that sign-in's cookie
// came in the same response.
func (l *Landing) confirmSignIn(b *store.Batch, code store.AuthCode) {
	now := l.core.Now()
	b.ConfirmFamily(code.Family, store.At(now), store.At(now.Add(core.AccountIdle)))
}

// redemption is a code that a browser redeems: its row, the secret that only the browser has, and the account that it
// is for.
type redemption struct {
	code   store.AuthCode
	secret string
	member store.Member
}

// signInToSide signs the landing host's session in to the side and gives the session a new cookie. When another person
// is signed in there, or the code is foreign, it marks the account as asked instead, so that nobody is signed in to
// another person's account without noticing. When hasEvent is set, it adds no event to the audit log.
func (l *Landing) signInToSide(
	ctx context.Context, in RedeemInput, a redemption, hasEvent bool, result *RedeemResult,
) error {
	now := l.core.Now()
	code := a.code
	m := a.member
	landed, err := l.landingSession(ctx, in, a)
	if err != nil {
		return err
	}
	slot := slotOf(code, landed.session.ID, now)
	existing, existingSlot := landed.existing.Session, landed.signedInSlot(code.Slot)
	if isOfAnotherPerson(existing, existingSlot, code, m) || in.Foreign && !isSignedIn(existing, existingSlot, m) {
		slot.State = store.SlotAsked
	}
	err = l.core.DB.Tx(ctx, func(tx *store.DB) error {
		b := new(store.Batch)
		b.UseAuthCode(code.ID, in.Place.Host, in.Slot, landed.session.ID, l.landingBrowser(ctx), store.At(now))
		if err := l.addLanding(ctx, tx, b, landed, code); err != nil {
			return err
		}
		b.SetSlot(slot)
		if !hasEvent {
			b.AddAuditEvent(l.core.Access.AuditEvent(ctx, "auth_code_used", m, string(code.Slot)))
		}
		return tx.Run(ctx, b)
	})
	if errors.Is(err, store.ErrGone) { // the browser signed out, or the account was removed, in this moment
		return access.RedirectFailed
	}
	if err != nil {
		return err
	}
	l.core.Access.LogAudit(ctx, "auth_code_used", m, string(code.Slot))
	result.Token = landed.cookie
	result.EndsAt = landed.session.EndsAt
	result.Asked = slot.State == store.SlotAsked
	return nil
}

// landing is the session that a browser has on a landing host, and what a redemption makes of it.
type landing struct {
	existing store.BrowserSession // zero for none
	session  store.BrowserSession // after the redemption
	cookie   string               // of the session after the redemption
	isNew    bool                 // whether the cookie is a new one: the session is committed under it
}

// signedInSlot returns the slot in which the browser is signed in to a side, zero for none.
func (l landing) signedInSlot(slot store.Slot) store.SessionSlot {
	for _, existing := range l.existing.Slots {
		if existing.Slot == slot && existing.State == store.SlotIn {
			return existing
		}
	}
	return store.SessionSlot{}
}

// addLanding adds to a batch the new session, or the new cookie of the existing one. It also notes that the browser has
// received the sign-in.
func (l *Landing) addLanding(
	ctx context.Context, tx *store.DB, b *store.Batch, landed landing, code store.AuthCode,
) error {
	if landed.isNew {
		if _, err := l.core.Sessions.CommitSession(ctx, tx, b, landed.session); err != nil {
			return err
		}
		if landed.existing.ID == code.SessionID { // the person signed in on this very host
			return nil
		}
	}
	l.confirmSignIn(b, code)
	return nil
}

// landingSession returns the session of a landing: a new one, or the existing one with a new cookie. While the response
// to an earlier landing is on its way or lost, the browser still sends the former cookie: it gets the same cookie
// again, so that the responses can arrive in any order. If the session also belongs to another person, the former
// cookie expires at once, because that person may have a copy of it.
func (l *Landing) landingSession(ctx context.Context, in RedeemInput, a redemption) (landing, error) {
	existing, err := l.core.Sessions.BrowserSession(ctx)
	if err != nil && !errors.Is(err, access.LoginRequired) {
		return landing{}, err
	}
	if err != nil || existing.Host != in.Place.Host {
		return l.newLanding(ctx, in, a)
	}
	isSame, err := l.holdsOnly(ctx, existing, a)
	if err != nil {
		return landing{}, err
	}
	if shown := l.core.Sessions.SentCookie(ctx); isSame && existing.ID != access.Hashed(shown) {
		return landing{existing: existing, session: existing,
			cookie: l.core.Sessions.RenewedCookie(shown, existing.Session)}, nil
	}
	cookie, err := l.core.Sessions.NewCookie(ctx)
	if err != nil {
		return landing{}, err
	}
	renewed := l.core.Sessions.Renewal(ctx, existing, cookie)
	if !isSame {
		renewed.FormerUntil = 0
	}
	if existing.ID == a.code.SessionID && !existing.Confirmed {
		l.confirm(&renewed.Session)
	}
	return landing{existing, renewed, cookie, true}, nil
}

// newLanding makes the session of a browser that has none on a landing host. Its cookie is sealed with the code's
// secret, so that the browser gets it again if the response is lost. When the response is the page itself, the browser
// sends the cookie only with the person's next step, so the session waits for that as long as a side does.
func (l *Landing) newLanding(ctx context.Context, in RedeemInput, a redemption) (landing, error) {
	cookie, err := l.core.Sessions.NewCookie(ctx)
	if err != nil {
		return landing{}, err
	}
	made := l.core.Sessions.NewSession(ctx, access.Browser{Place: in.Place, Remember: true, Device: a.code.Device})
	if in.Opens {
		made.IdleUntil = store.At(l.core.Now().Add(core.ShopIdle))
	}
	made.ID, made.Renewal = access.Hashed(cookie), core.SealWith(a.secret, cookie)
	made.Family = a.code.Family + "+" + access.RandomToken(6)
	return landing{session: store.BrowserSession{Session: made}, cookie: cookie, isNew: true}, nil
}

// confirm notes in a session that the browser has received it, as ConfirmFamily does in the database.
func (l *Landing) confirm(s *store.Session) {
	now := l.core.Now()
	s.Confirmed = true
	s.SeenAt = store.At(now)
	s.IdleUntil = store.At(now.Add(core.AccountIdle))
	if s.Remember {
		s.IdleUntil = s.EndsAt
	}
}

// holdsOnly says whether a session is signed in, and only to accounts of the person that the code is for.
func (l *Landing) holdsOnly(ctx context.Context, s store.BrowserSession, a redemption) (bool, error) {
	m := a.member
	signedIn := s.PersonID != 0 || s.AccountID != 0
	if signedIn && s.AccountID != m.ID && (s.PersonID == 0 || s.PersonID != m.PersonID) {
		return false, nil
	}
	for _, slot := range s.Slots {
		if slot.Family == a.code.Family || slot.AccountID == m.ID {
			continue
		}
		other, err := l.core.DB.Accounts.ByID(ctx, slot.CompanyID, slot.AccountID)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return false, err
		}
		if other.PersonID == 0 || other.PersonID != m.PersonID {
			return false, nil
		}
	}
	return signedIn || len(s.Slots) > 0, nil
}

// isOfAnotherPerson says whether a code was issued to another device than the one that redeems it, and another person
// is signed in here: to the side (slot, zero for nobody) or to the account site on this host.
func isOfAnotherPerson(s store.Session, slot store.SessionSlot, code store.AuthCode, m store.Member) bool {
	if slot.AccountID != 0 && slot.AccountID != m.ID && slot.Device != code.Device {
		return true
	}
	signedIn := s.PersonID != 0 || s.AccountID != 0
	return signedIn && !isSessionOf(s, m) && s.Device != code.Device
}

// isSignedIn says whether an account is signed in here already: to the side (slot, zero for nobody), or as the person
// of the session. A second sign-in to it changes nothing that the person could miss.
func isSignedIn(s store.Session, slot store.SessionSlot, m store.Member) bool {
	return slot.AccountID == m.ID || isSessionOf(s, m)
}

// isSessionOf says whether a session is signed in as the account or as its person.
func isSessionOf(s store.Session, m store.Member) bool {
	return s.PersonID != 0 && s.PersonID == m.PersonID || s.AccountID == m.ID
}

// slotOf returns the side that a code signs a session in to.
func slotOf(code store.AuthCode, sessionID string, now time.Time) store.SessionSlot {
	idle, life := slotLife(code.Slot)
	return store.SessionSlot{
		SessionID: sessionID, Slot: code.Slot, State: store.SlotIn,
		AccountID: code.AccountID, CompanyID: code.CompanyID,
		Family: code.Family, Device: code.Device, FromOrigin: code.FromOrigin, Lighting: code.Lighting,
		Provider:  code.Provider,
		EnteredAt: store.At(now), IdleUntil: store.At(now.Add(idle)), EndsAt: store.At(now.Add(life)),
	}
}
