package portal

import (
	"cmp"
	"context"
	"errors"
	"time"

	"portico/store"
)

// RedeemInput is an auth code that a browser brought to a landing site.
type RedeemInput struct {
	Code  string `form:"auth_code_"`
	Place Place
	Slot  store.Slot // the side whose page received the code

	// Foreign says that the browser did not come from one of the platform's own pages, so that anybody may have sent
	// the code.
	Foreign bool
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
// second redemption is refused and ends what the first one made.
//
// The code is used and the session is signed in within one transaction, which uses the code first, so that a sign-out
// at the same time ends both or neither.
func (p *Portal) Redeem(ctx context.Context, in RedeemInput) (RedeemResult, error) {
	var sealed sealedCode
	if p.unseal("auth code", in.Code, &sealed) != nil {
		return RedeemResult{}, p.badCode(ctx, RedirectFailed)
	}
	ctx = p.withSession(ctx)
	result := RedeemResult{Lang: sealed.Lang, Return: sealed.Return, Notice: sealed.Notice}
	err := p.redeemOnce(ctx, in, sealed, &result)
	if errors.Is(err, store.ErrSessionEnded) { // or it was renewed by another landing in the same browser
		if _, err = p.readSessionAgain(ctx); err == nil || errors.Is(err, LoginRequired) {
			err = p.redeemOnce(ctx, in, sealed, &result)
		}
	}
	if errors.Is(err, store.ErrNotFound) {
		err = p.redeemAgain(ctx, in, sealed.ID, &result)
	}
	if err != nil {
		return RedeemResult{}, err
	}
	return result, nil
}

// redeemOnce is the first use of a code; store.ErrNotFound for a code that was used or is not valid here. It reads
// before the transaction. The transaction fails if the code was used or has ended since then, or if the browser's
// session was renewed.
func (p *Portal) redeemOnce(ctx context.Context, in RedeemInput, sealed sealedCode, result *RedeemResult) error {
	now := store.At(p.now())
	code, m, err := p.db.AuthCodeWithMember(ctx, hashed(sealed.ID))
	isHere := code.Target == in.Place.Host && code.Slot == in.Slot
	if err == nil && (code.UsedAt != 0 || code.ExpiresAt <= now || !isHere) {
		err = store.ErrNotFound
	}
	if err == nil {
		err = p.checkTarget(ctx, p.db, code)
	}
	if err != nil {
		return err
	}
	p.markEntry(&m, code.Provider)
	if reason := BlockedBy(m, code.Lighting, p.now()); reason != "" {
		return p.blocked(m, reason)
	}
	// The event of a sign-in that led straight into the account already says who entered it, when and from where.
	hasEvent := sealed.By != "" && sealed.By == p.callerTag(ctx)
	return p.land(ctx, in, arrival{code, sealed.ID, m}, hasEvent, result)
}

// checkTarget refuses a code with store.ErrNotFound when it was issued for a domain that no longer belongs to the
// company.
func (p *Portal) checkTarget(ctx context.Context, tx *store.DB, code store.AuthCode) error {
	if p.underBase(code.Target) || p.dev && isLocal(code.Target) {
		return nil
	}
	owns, err := tx.CompanyOwnsHost(ctx, code.CompanyID, code.Target)
	if err == nil && !owns {
		err = store.ErrNotFound
	}
	return err
}

// redeemAgain handles the second redemption of a code. It gives the first result again when the first response was
// lost; otherwise it refuses and ends what the first redemption made (see reused). secret is what the browser's code
// holds; its hash identifies the code.
func (p *Portal) redeemAgain(ctx context.Context, in RedeemInput, secret string, result *RedeemResult) error {
	now, id := store.At(p.now()), hashed(secret)
	code, err := p.db.AuthCodeByID(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return p.badCode(ctx, RedirectFailed)
	}
	if err != nil {
		return err
	}
	s, err := p.db.SessionByID(ctx, code.MadeSessionID, now)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	token, same := p.sameLanding(ctx, secret, code, s)
	if !same || s.Received() || code.ExpiresAt <= now || code.Target != in.Place.Host || code.Slot != in.Slot {
		return p.badCode(ctx, p.reused(ctx, id))
	}
	asked, err := p.db.SlotOf(ctx, s.ID, code.Slot, store.SlotAsked, now)
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
func (p *Portal) sameLanding(
	ctx context.Context, secret string, code store.AuthCode, s store.Session,
) (cookie string, same bool) {
	if s.ID == "" || code.UsedAt == 0 || code.UsedBy == "" || callerOf(ctx).Agent == "" {
		return "", false
	}
	shown := p.shownCookie(ctx)
	if shown != "" && hashed(shown) == s.ID {
		return shown, true
	}
	cookie = cmp.Or(p.renewedCookie(shown, s), p.renewedCookie(secret, s))
	return cookie, cookie != "" && code.UsedBy == p.landingBrowser(ctx)
}

// landingBrowser is a keyed hash of a browser's User-Agent and session cookie. It recognises the browser that redeemed
// a code.
func (p *Portal) landingBrowser(ctx context.Context) string {
	return p.tag("landing browser", callerOf(ctx).Agent+"\x00"+p.shownCookie(ctx))
}

// reused ends the token and the sides that the first redemption of a code signed in, and logs the second one. It always
// returns an error: RedirectFailed unless the database fails.
func (p *Portal) reused(ctx context.Context, id string) error {
	code, err := p.db.AuthCodeByID(ctx, id)
	if err != nil || code.UsedAt == 0 || code.MadeSessionID == "" {
		if err == nil || errors.Is(err, store.ErrNotFound) {
			err = RedirectFailed
		}
		return err
	}
	m := store.Member{Account: store.Account{ID: code.AccountID, CompanyID: code.CompanyID}}
	err = p.db.Tx(ctx, func(tx *store.DB) error {
		for _, state := range []store.SlotState{store.SlotIn, store.SlotAsked} {
			if err := tx.DropFamilySlot(ctx, code.Family, code.AccountID, code.Slot, state); err != nil {
				return err
			}
		}
		if err := tx.EndCodeSession(ctx, code.MadeSessionID); err != nil {
			return err
		}
		return p.event(ctx, tx, "auth_code_reused", m, string(code.Slot))
	})
	if err != nil {
		return err
	}
	return RedirectFailed
}

// confirmSignIn notes that the browser has received the sign-in that issued a code: the code and that sign-in's cookie
// came in the same response.
func (p *Portal) confirmSignIn(b *store.Batch, code store.AuthCode) {
	now := p.now()
	b.ConfirmFamily(code.Family, store.At(now), store.At(now.Add(AccountIdle)))
}

// arrival is a code that a browser redeems: its row, the secret that only the browser has, and the account that it is
// for.
type arrival struct {
	code   store.AuthCode
	secret string
	member store.Member
}

// land signs the landing host's session in to the side and gives the session a new cookie. When another person is
// signed in there, or the code is foreign, it marks the account as asked instead, so that nobody is signed in to
// another person's account without noticing. When hasEvent is set, it adds no event to the audit log.
func (p *Portal) land(
	ctx context.Context, in RedeemInput, a arrival, hasEvent bool, result *RedeemResult,
) error {
	now, code, m := p.now(), a.code, a.member
	landed, err := p.landingSession(ctx, in.Place, a)
	if err != nil {
		return err
	}
	slot := slotOf(code, landed.session.ID, now)
	existing, held := landed.existing.Session, landed.in(code.Slot)
	if ofSomeoneElse(existing, held, code, m) || in.Foreign && !isSignedIn(existing, held, m) {
		slot.State = store.SlotAsked
	}
	err = p.db.Tx(ctx, func(tx *store.DB) error {
		b := new(store.Batch)
		b.UseAuthCode(code.ID, in.Place.Host, in.Slot, landed.session.ID, p.landingBrowser(ctx), store.At(now))
		if err := p.addLanding(ctx, tx, b, landed, code); err != nil {
			return err
		}
		b.SetSlot(slot)
		if !hasEvent {
			b.AddAuditEvent(p.auditEvent(ctx, "auth_code_used", m, string(code.Slot)))
		}
		return tx.Run(ctx, b)
	})
	if errors.Is(err, store.ErrGone) { // the browser signed out, or the account was removed, in this moment
		return RedirectFailed
	}
	if err != nil {
		return err
	}
	p.logAudit(ctx, "auth_code_used", m, string(code.Slot))
	result.Token, result.EndsAt, result.Asked = landed.cookie, landed.session.EndsAt, slot.State == store.SlotAsked
	return nil
}

// landing is the session that a browser has on a landing host, and what a redemption makes of it.
type landing struct {
	existing store.BrowserSession // zero for none
	session  store.BrowserSession // after the redemption
	cookie   string               // of the session after the redemption
	isNew    bool                 // whether the cookie is a new one: the session is committed under it
}

// in returns the slot in which the browser is signed in to a side, zero for none.
func (l landing) in(slot store.Slot) store.SessionSlot {
	for _, held := range l.existing.Slots {
		if held.Slot == slot && held.State == store.SlotIn {
			return held
		}
	}
	return store.SessionSlot{}
}

// addLanding adds to a batch the new session, or the new cookie of the existing one. It also notes that the browser has
// received the sign-in.
func (p *Portal) addLanding(
	ctx context.Context, tx *store.DB, b *store.Batch, l landing, code store.AuthCode,
) error {
	if l.isNew {
		if _, err := p.commitSession(ctx, tx, b, l.session); err != nil {
			return err
		}
		if l.existing.ID == code.SessionID { // the person signed in on this very host
			return nil
		}
	}
	p.confirmSignIn(b, code)
	return nil
}

// landingSession returns the session of a landing: a new one, or the existing one with a new cookie. While the response
// to an earlier landing is on its way or lost, the browser still sends the former cookie: it gets the same cookie
// again, so that the responses can arrive in any order. If the session also belongs to another person, the former
// cookie expires at once, because that person may have a copy of it.
func (p *Portal) landingSession(ctx context.Context, place Place, a arrival) (landing, error) {
	existing, err := p.browserSession(ctx)
	if err != nil && !errors.Is(err, LoginRequired) {
		return landing{}, err
	}
	if err != nil || existing.Host != place.Host {
		return p.newLanding(ctx, place, a)
	}
	isSame, err := p.holdsOnly(ctx, existing, a)
	if err != nil {
		return landing{}, err
	}
	if shown := p.shownCookie(ctx); isSame && existing.ID != hashed(shown) {
		return landing{existing: existing, session: existing, cookie: p.renewedCookie(shown, existing.Session)}, nil
	}
	cookie, err := p.newCookie(ctx)
	if err != nil {
		return landing{}, err
	}
	renewed := p.renewal(ctx, existing, cookie)
	if !isSame {
		renewed.FormerUntil = 0
	}
	if existing.ID == a.code.SessionID && !existing.Confirmed {
		p.confirm(&renewed.Session)
	}
	return landing{existing, renewed, cookie, true}, nil
}

// newLanding makes the session of a browser that has none on a landing host. Its cookie is sealed with the code's
// secret, so that the browser gets it again if the response is lost.
func (p *Portal) newLanding(ctx context.Context, place Place, a arrival) (landing, error) {
	cookie, err := p.newCookie(ctx)
	if err != nil {
		return landing{}, err
	}
	made := p.newSession(ctx, Browser{Place: place, Remember: true, Device: a.code.Device})
	made.ID, made.Renewal = hashed(cookie), sealWith(a.secret, cookie)
	made.Family = a.code.Family + "+" + randomToken(6)
	return landing{session: store.BrowserSession{Session: made}, cookie: cookie, isNew: true}, nil
}

// confirm notes in a session that the browser has received it, as ConfirmFamily does in the database.
func (p *Portal) confirm(s *store.Session) {
	now := p.now()
	s.Confirmed, s.SeenAt, s.IdleUntil = true, store.At(now), store.At(now.Add(AccountIdle))
	if s.Remember {
		s.IdleUntil = s.EndsAt
	}
}

// holdsOnly says whether a session is signed in, and only to accounts of the person that the code is for.
func (p *Portal) holdsOnly(ctx context.Context, s store.BrowserSession, a arrival) (bool, error) {
	m := a.member
	signedIn := s.PhoneID != 0 || s.AccountID != 0
	if signedIn && s.AccountID != m.ID && (s.PhoneID == 0 || s.PhoneID != m.PhoneID) {
		return false, nil
	}
	for _, slot := range s.Slots {
		if slot.Family == a.code.Family || slot.AccountID == m.ID {
			continue
		}
		other, err := p.db.MemberByID(ctx, slot.CompanyID, slot.AccountID)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return false, err
		}
		if other.PhoneID == 0 || other.PhoneID != m.PhoneID {
			return false, nil
		}
	}
	return signedIn || len(s.Slots) > 0, nil
}

// ofSomeoneElse says whether a code was issued to another device than the one that redeems it, and another person is
// signed in here: to the side (held, zero for nobody) or to the account site on this host.
func ofSomeoneElse(s store.Session, held store.SessionSlot, code store.AuthCode, m store.Member) bool {
	if held.AccountID != 0 && held.AccountID != m.ID && held.Device != code.Device {
		return true
	}
	signedIn := s.PhoneID != 0 || s.AccountID != 0
	return signedIn && !isSessionOf(s, m) && s.Device != code.Device
}

// isSignedIn says whether an account is signed in here already: to the side (held, zero for nobody), or as the person
// of the session. A second sign-in to it changes nothing that the person could miss.
func isSignedIn(s store.Session, held store.SessionSlot, m store.Member) bool {
	return held.AccountID == m.ID || isSessionOf(s, m)
}

// isSessionOf says whether a session is signed in as the account or as its person.
func isSessionOf(s store.Session, m store.Member) bool {
	return s.PhoneID != 0 && s.PhoneID == m.PhoneID || s.AccountID == m.ID
}

func slotOf(code store.AuthCode, sessionID string, now time.Time) store.SessionSlot {
	idle, life := slotLife(code.Slot)
	return store.SessionSlot{
		SessionID: sessionID, Slot: code.Slot, State: store.SlotIn, AccountID: code.AccountID, CompanyID: code.CompanyID,
		Family: code.Family, Device: code.Device, FromOrigin: code.FromOrigin, Lighting: code.Lighting,
		Provider:  code.Provider,
		EnteredAt: store.At(now), IdleUntil: store.At(now.Add(idle)), EndsAt: store.At(now.Add(life)),
	}
}
