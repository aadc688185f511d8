package portal

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"portico/store"
)

// AuthCodeLife is how long a code to a landing site can be redeemed.
const AuthCodeLife = 60 * time.Second

// Device is what a request says about the screen. Width is in CSS pixels, as the page reported it; 0 for no report.
type Device struct {
	Width       int
	Hint        *bool // of the client hints: a phone or not; nil without one
	MobileAgent bool
	WorkChat    bool
}

// Mobile says whether the screen is a phone's: by the width if it is known, else by the client hint, else by the
// User-Agent.
func (d Device) Mobile() bool {
	if d.Width > 0 {
		return d.Width < MobileWidth
	}
	if d.Hint != nil {
		return *d.Hint
	}
	return d.MobileAgent
}

// slotFor decides which of the four sides an account enters on a device. Inside WeCom, the back office is always
// the mobile one.
func slotFor(m store.Member, d Device) store.Slot {
	switch {
	case m.Side == store.Shop && d.Mobile():
		return store.MobileShop
	case m.Side == store.Shop:
		return store.PCShop
	case d.Mobile() || d.WorkChat:
		return store.MobileMgr
	}
	return store.PCMgr
}

// chosenSlot returns the side that was asked for, or slotFor's when none was. It refuses an unknown side under
// "target", and with WrongParameters one that the account cannot enter.
func chosenSlot(m store.Member, in EnterInput) (store.Slot, error) {
	switch {
	case in.Slot == "":
		return slotFor(m, in.Device), nil
	case !slices.Contains(Slots, in.Slot):
		return "", invalid(Fields{"target": TargetUnknown})
	case (in.Slot == store.MobileShop || in.Slot == store.PCShop) != (m.Side == store.Shop):
		return "", &Refused{Refusal: WrongParameters}
	}
	return in.Slot, nil
}

// destination returns the address of a side of a company, without the code. variant is the host family that the person
// came through ("", "a" or "b"): the mobile shop keeps it. Hosts come from the configuration and from domains that the
// company owns, never from a request, so that nobody can redirect a code to a site of their own.
func (p *Portal) destination(ctx context.Context, slot store.Slot, variant string, c store.Company) (*url.URL, error) {
	id := decimal(c.ID)
	target := &url.URL{Scheme: p.base.Scheme}
	switch slot {
	case store.MobileMgr:
		target.Host, target.Path = "mgr."+p.base.Host, "/home"
		target.RawQuery = "companyId=" + id
	case store.MobileShop:
		target.Host, target.Path = variant+"m."+p.base.Host, "/shop"
		target.RawQuery = "companyId=" + id
	case store.PCShop:
		target.Host, target.Path = "store"+id+"."+p.base.Host, "/home"
		target.RawQuery = "companyId=" + id
	default:
		target.Host, target.Path = "store"+id+"."+p.base.Host, "/mgr"
		if c.PCDomain != "" {
			own, err := p.ownDomain(ctx, c)
			if err != nil {
				return nil, err
			}
			target.Scheme, target.Host = own.Scheme, own.Host
		}
	}
	return target, nil
}

// ownDomain checks a company's own desktop domain before it is used, and returns its normal form. The domain must be a
// bare host, on https (or http in dev), on the platform's port or the scheme's default port, and either the company's
// host on this platform or one that it registered. It refuses anything else with RedirectFailed.
func (p *Portal) ownDomain(ctx context.Context, c store.Company) (*url.URL, error) {
	own, err := url.Parse(c.PCDomain)
	if err != nil || own.User != nil || own.Path != "" || own.RawQuery != "" || own.Fragment != "" || own.Opaque != "" {
		return nil, RedirectFailed
	}
	host, ok := NormalHost(own.Host)
	if !ok || own.Scheme != "https" && (own.Scheme != "http" || !p.dev) || own.Port() != "" && own.Port() != p.base.Port() {
		return nil, RedirectFailed
	}
	origin := &url.URL{Scheme: own.Scheme, Host: host}
	if own.Port() != "" {
		origin.Host += ":" + own.Port()
	}
	if label, under := strings.CutSuffix(host, "."+p.baseHost); under {
		if _, id := storeLabel(label); id == c.ID {
			return origin, nil
		}
	}
	owns, err := p.db.CompanyOwnsHost(ctx, c.ID, host)
	if err == nil && !owns {
		err = RedirectFailed
	}
	return origin, err
}

// EnterInput asks to enter one of the person's accounts.
type EnterInput struct {
	Session   store.Session
	AccountID int64 `form:"account_id"`
	Place     Place
	Device    Device
	Lang      string     // the language the person chose, "" for none; the landing site uses it too
	Slot      store.Slot // the side to enter; "" lets the device decide

	// Arrive returns the path to open on the side that is entered, "" for its first page. nil means the first page.
	Arrive func(store.Slot) string

	// Notice names the message that the side shows the person on arrival. Package pages defines the names.
	Notice string

	by string // sealedCode.By
}

// Destination is the landing site that a person is redirected to. URL carries a new one-time code in auth_code_.
type Destination struct {
	URL  string
	Slot store.Slot
	Code string
}

// Enter makes a one-time code for an account and the address that redeems it. It refuses with NotFound an account of
// another person, with the reason a blocked account, with RedirectFailed when no address can be built, and what
// chosenSlot refuses.
func (p *Portal) Enter(ctx context.Context, in EnterInput) (Destination, error) {
	m, err := p.ownMember(ctx, in.Session, in.AccountID)
	if err != nil {
		return Destination{}, err
	}
	if reason := BlockedBy(m, in.Session.Lighting, p.now()); reason != "" {
		return Destination{}, p.blocked(m, reason)
	}
	entry, err := p.newEntry(ctx, in, m)
	if err != nil {
		return Destination{}, err
	}
	return entry.to, p.issue(ctx, in.Session, entry)
}

// entry is a way into an account: a one-time code and the address that redeems it. It works once the code is stored.
type entry struct {
	member store.Member
	code   store.AuthCode
	to     Destination
}

// newEntry makes an entry into an account. It refuses what chosenSlot refuses, and with RedirectFailed when no address
// can be built.
func (p *Portal) newEntry(ctx context.Context, in EnterInput, m store.Member) (entry, error) {
	slot, err := chosenSlot(m, in)
	if err != nil {
		return entry{}, err
	}
	target, err := p.destination(ctx, slot, in.Place.Variant, m.Company)
	if err != nil {
		return entry{}, err
	}
	arrive := ""
	if in.Arrive != nil {
		arrive = in.Arrive(slot)
	}
	sealed := sealedCode{Lang: in.Lang, Return: arrive, Notice: in.Notice, By: in.by}
	e, err := p.newCode(in, m, slot, target.Host, sealed)
	if err != nil {
		return entry{}, err
	}
	if target.RawQuery != "" {
		target.RawQuery += "&"
	}
	target.RawQuery += "auth_code_=" + url.QueryEscape(e.to.Code)
	e.to.URL = target.String()
	return e, nil
}

// EnterAnother takes a person on a landing site to another of their accounts, with the sign-in that entered the current
// one. in names the account, the page and the device. It refuses with LoginRequired when that sign-in has ended, and
// what Enter refuses.
func (p *Portal) EnterAnother(ctx context.Context, here Landing, in EnterInput) (Destination, error) {
	s, err := p.db.SignInOfFamily(ctx, here.family, store.At(p.now()))
	if errors.Is(err, store.ErrNotFound) {
		err = LoginRequired
	}
	if err != nil {
		return Destination{}, err
	}
	in.Session, in.Place = s, Place{Origin: here.FromOrigin, Variant: in.Place.Variant}
	return p.Enter(ctx, in)
}

// EnterAsClient does what Enter does, for an API client. Without a side it enters the desktop site for a client on a PC
// and the mobile site for any other client.
func (p *Portal) EnterAsClient(ctx context.Context, s Session, accountID int64, slot store.Slot) (Destination, error) {
	if accountID == 0 {
		return Destination{}, invalid(Fields{"account_id": ChoiceRequired})
	}
	return p.Enter(ctx, EnterInput{
		Session: s, AccountID: accountID, Slot: slot, Place: Place{Site: SiteAPI, Origin: p.origin("account")},
		Device: Device{MobileAgent: s.Client != string(ClientPC)},
	})
}

// sealedCode is the content of an auth code: an id, of which the server stores the hash, and the user.
type sealedCode struct {
	ID   string `json:"i"`
	User User   `json:"u"`
	Lang string `json:"l,omitempty"`

	Return string `json:"r,omitempty"` // the path to open on the side, "" for its first page

	Notice string `json:"n,omitempty"` // EnterInput.Notice

	// By is the callerTag of the browser whose sign-in led straight into the account; "" when the person chose it.
	By string `json:"b,omitempty"`
}

// callerTag is a keyed hash of the caller's address and User-Agent.
func (p *Portal) callerTag(ctx context.Context) string {
	c := callerOf(ctx)
	return p.tag("caller", c.Address+"\x00"+c.Agent)
}

// newCode makes a one-time code, and its row with a hash of it and everything it is valid for: the sign-in that issues
// it, the account, the side, and the one host that may redeem it. sealed is what the code carries besides its id and
// the user.
func (p *Portal) newCode(
	in EnterInput, m store.Member, slot store.Slot, target string, sealed sealedCode,
) (entry, error) {
	host, ok := NormalHost(target)
	if !ok {
		return entry{}, RedirectFailed
	}
	now := p.now()
	id := randomToken(16)
	sealed.ID, sealed.User = id, p.userOf(m)
	code, err := p.seal("auth code", sealed)
	return entry{
		member: m, to: Destination{Slot: slot, Code: code},
		code: store.AuthCode{
			ID: hashed(id), SessionID: in.Session.ID, Family: in.Session.Family, Device: in.Session.Device,
			AccountID: m.ID, CompanyID: m.CompanyID, Slot: slot, Target: host, FromOrigin: in.Place.Origin,
			Lighting: in.Session.Lighting, Provider: in.Session.Provider,
			CreatedAt: store.At(now), ExpiresAt: store.At(now.Add(AuthCodeLife)),
		},
	}, err
}

// issue stores the code of an entry. TooManyAttempts when a sign-in issues more than CodesIssued codes within
// FailureWindow. The code with which a sign-in led straight into an account does not count.
func (p *Portal) issue(ctx context.Context, s store.Session, e entry) error {
	err := p.db.Tx(ctx, func(tx *store.DB) error {
		if err := p.countUpTo(ctx, tx, "issue:"+s.Family, CodesIssued, FailureWindow); err != nil {
			return err
		}
		b := new(store.Batch)
		p.addEntry(b, s, e)
		b.AddAuditEvent(p.auditEvent(ctx, "auth_code_issued", e.member, string(e.code.Slot)))
		return tx.Run(ctx, b)
	})
	if err == nil {
		p.logAudit(ctx, "auth_code_issued", e.member, string(e.code.Slot))
	}
	return err
}

// addEntry adds the code of an entry to a batch, and the account to what the device entered last.
func (p *Portal) addEntry(b *store.Batch, s store.Session, e entry) {
	if s.PhoneID != 0 && s.Client == "" {
		at := e.code.CreatedAt
		b.UseAccount(s.Device, s.PhoneID, e.member.ID, at, store.At(at.Time().Add(-DeviceNotedFor)))
	}
	b.AddAuthCode(e.code)
}
