package signin

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"portico/portal/access"
	"portico/portal/core"
	"portico/store"
)

// AuthCodeLife is how long a code to a landing site can be redeemed.
const AuthCodeLife = 60 * time.Second

// slotFor returns the side that an account enters on a device.
func slotFor(m store.Member, d access.Device) store.Slot {
	switch {
	case m.Side == store.Shop && d.Mobile():
		return store.MobileShop
	case m.Side == store.Shop:
		return store.PCShop
	case d.Mobile():
		return store.MobileMgr
	}
	return store.PCMgr
}

// ChosenSlot returns the side that in asks for, or else the one that fits the account and the device. It refuses an
// unknown side under "target", and with WrongParameters one that the account cannot enter.
func ChosenSlot(m store.Member, in access.EnterInput) (store.Slot, error) {
	switch {
	case in.Slot == "":
		return slotFor(m, in.Device), nil
	case !slices.Contains(access.Slots, in.Slot):
		return "", access.Invalid(access.Fields{"target": access.TargetUnknown})
	case (in.Slot == store.MobileShop || in.Slot == store.PCShop) != (m.Side == store.Shop):
		return "", &access.Refused{Refusal: access.WrongParameters}
	}
	return in.Slot, nil
}

// destination returns the address of a side of a company, without the code. variant is the host family that the person
// came through ("", "a" or "b"): the mobile shop keeps it. Hosts come from the configuration and from domains that the
// company owns, never from a request, so that nobody can redirect a code to a site of their own.
func (e *Entry) destination(ctx context.Context, slot store.Slot, variant string, c store.Company) (*url.URL, error) {
	id := access.Decimal(c.ID)
	target := &url.URL{Scheme: e.core.Base.Scheme}
	switch slot {
	case store.MobileMgr:
		target.Host, target.Path = "mgr."+e.core.Base.Host, "/home"
		target.RawQuery = "companyId=" + id
	case store.MobileShop:
		target.Host, target.Path = variant+"m."+e.core.Base.Host, "/shop"
		target.RawQuery = "companyId=" + id
	case store.PCShop:
		target.Host, target.Path = "store"+id+"."+e.core.Base.Host, "/home"
		target.RawQuery = "companyId=" + id
	default:
		target.Host, target.Path = "store"+id+"."+e.core.Base.Host, "/mgr"
		if c.PCDomain != "" {
			own, err := e.OwnDomain(ctx, c)
			if err != nil {
				return nil, err
			}
			target.Scheme, target.Host = own.Scheme, own.Host
		}
	}
	return target, nil
}

// OwnDomain checks a company's own desktop domain before it is used, and returns its normal form. The domain must be a
// bare host, on https (or http in dev), on the platform's port or the scheme's default port, and either the company's
// host on this platform or one that it registered. It refuses anything else with RedirectFailed.
func (e *Entry) OwnDomain(ctx context.Context, c store.Company) (*url.URL, error) {
	own, err := url.Parse(c.PCDomain)
	if err != nil || own.User != nil || own.Path != "" || own.RawQuery != "" || own.Fragment != "" || own.Opaque != "" {
		return nil, access.RedirectFailed
	}
	host, ok := access.NormalHost(own.Host)
	if !ok || own.Scheme != "https" && (own.Scheme != "http" || !e.core.Dev) ||
		own.Port() != "" && own.Port() != e.core.Base.Port() {
		return nil, access.RedirectFailed
	}
	origin := &url.URL{Scheme: own.Scheme, Host: host}
	if own.Port() != "" {
		origin.Host += ":" + own.Port()
	}
	if label, under := strings.CutSuffix(host, "."+e.core.BaseHost); under {
		if _, id := access.StoreLabel(label); id == c.ID {
			return origin, nil
		}
	}
	owns, err := e.core.DB.Hosts.IsOwnedBy(ctx, c.ID, host)
	if err != nil {
		return nil, err
	}
	if !owns {
		return nil, access.RedirectFailed
	}
	return origin, nil
}

// Redirect is the landing site that a person is redirected to. URL carries a new one-time code in auth_code_.
type Redirect struct {
	URL  string
	Slot store.Slot // the side
	Code string     // the one-time code
}

// Enter makes a one-time code for an account and the address that redeems it. It refuses with NotFound an account of
// another person, with the reason a blocked account, with RedirectFailed when no address can be built, and what
// ChosenSlot refuses.
func (e *Entry) Enter(ctx context.Context, in access.EnterInput) (Redirect, error) {
	m, err := e.accounts.OwnMember(ctx, in.Session, in.AccountID)
	if err != nil {
		return Redirect{}, err
	}
	if reason := access.BlockedBy(m, in.Session.Lighting, e.core.Now()); reason != "" {
		return Redirect{}, e.core.Access.Blocked(ctx, e.core.DB, m, reason)
	}
	entry, err := e.NewEntry(ctx, in, m)
	if err != nil {
		return Redirect{}, err
	}
	return entry.To, e.Issue(ctx, in.Session, entry)
}

// OneTimeCode is a way into an account: a one-time code and the address that redeems it. It works once the code is
// stored.
type OneTimeCode struct {
	Member store.Member
	Code   store.AuthCode
	To     Redirect
}

// NewEntry makes a one-time code for an account, and does not store it. It refuses what ChosenSlot refuses, and with
// RedirectFailed when no address can be built.
func (e *Entry) NewEntry(ctx context.Context, in access.EnterInput, m store.Member) (OneTimeCode, error) {
	slot, err := ChosenSlot(m, in)
	if err != nil {
		return OneTimeCode{}, err
	}
	target, err := e.destination(ctx, slot, in.Place.Variant, m.Company)
	if err != nil {
		return OneTimeCode{}, err
	}
	arrive := in.Arrive[slot]
	sealed := SealedCode{Lang: in.Lang, Return: arrive, Notice: in.Notice, By: in.By}
	code, err := e.NewCode(in, m, slot, target.Host, sealed)
	if err != nil {
		return OneTimeCode{}, err
	}
	if target.RawQuery != "" {
		target.RawQuery += "&"
	}
	target.RawQuery += "auth_code_=" + url.QueryEscape(code.To.Code)
	if arrive != "" { // for a shop or back office that is another product
		target.RawQuery += "&return=" + url.QueryEscape(arrive)
	}
	code.To.URL = target.String()
	return code, nil
}

// EnterAnother takes a person on a landing site to another of their accounts, with the sign-in that entered the current
// one. in names the account, the page and the device. It refuses with LoginRequired when that sign-in has ended, and
// what Enter refuses.
func (e *Entry) EnterAnother(ctx context.Context, here access.Landing, in access.EnterInput) (Redirect, error) {
	s, err := e.core.DB.Sessions.SignInOfFamily(ctx, here.Family, store.At(e.core.Now()))
	if errors.Is(err, store.ErrNotFound) {
		err = access.LoginRequired
	}
	if err != nil {
		return Redirect{}, err
	}
	in.Session, in.Place = s, access.Place{Origin: here.FromOrigin, Variant: in.Place.Variant}
	return e.Enter(ctx, in)
}

// EnterAsClient does what Enter does, for a program. It refuses a missing account under "account_id". Without a side it
// enters the desktop site for a client on a PC and the mobile site for any other client.
func (e *Entry) EnterAsClient(
	ctx context.Context, s access.Session, accountID int64, slot store.Slot,
) (Redirect, error) {
	if accountID == 0 {
		return Redirect{}, access.Invalid(access.Fields{"account_id": access.ChoiceRequired})
	}
	return e.Enter(ctx, access.EnterInput{
		Session: s, AccountID: accountID, Slot: slot,
		Place:  access.Place{Site: access.SiteAPI, Origin: e.core.Access.Origin("account")},
		Device: access.Device{MobileAgent: s.Client != string(access.ClientPC)},
	})
}

// SealedCode is the content of an auth code: an id, of which the server stores the hash, and the user.
type SealedCode struct {
	ID   string      `json:"i"`
	User access.User `json:"u"`
	Lang string      `json:"l,omitempty"`

	Return string `json:"r,omitempty"` // the path to open on the side, "" for its first page

	Notice string `json:"n,omitempty"` // EnterInput.Notice

	// By is the CallerTag of the browser whose sign-in led straight into the account; "" when the person chose it.
	By string `json:"b,omitempty"`
}

// CallerTag returns a keyed hash of the caller's address and User-Agent.
func (e *Entry) CallerTag(ctx context.Context) string {
	c := access.CallerOf(ctx)
	return e.core.Sealing.Tag("caller", c.Address+"\x00"+c.Agent)
}

// NewCode makes a one-time code, and its row with a hash of it and everything it is valid for: the sign-in that issues
// it, the account, the side, and the one host that may redeem it. sealed is what the code carries besides its id and
// the user.
func (e *Entry) NewCode(
	in access.EnterInput, m store.Member, slot store.Slot, target string, sealed SealedCode,
) (OneTimeCode, error) {
	host, ok := access.NormalHost(target)
	if !ok {
		return OneTimeCode{}, access.RedirectFailed
	}
	now := e.core.Now()
	id := access.RandomToken(16)
	sealed.ID, sealed.User = id, e.accounts.UserOf(m)
	code, err := e.core.Sealing.Seal("auth code", sealed)
	return OneTimeCode{
		Member: m, To: Redirect{Slot: slot, Code: code},
		Code: store.AuthCode{
			ID: access.Hashed(id), SessionID: in.Session.ID, Family: in.Session.Family, Device: in.Session.Device,
			AccountID: m.ID, CompanyID: m.CompanyID, Slot: slot, Target: host, FromOrigin: in.Place.Origin,
			Lighting: in.Session.Lighting, Provider: in.Session.Provider,
			CreatedAt: store.At(now), ExpiresAt: store.At(now.Add(AuthCodeLife)),
		},
	}, err
}

// Issue stores a one-time code. It refuses with TooManyAttempts when a sign-in issues more than CodesIssued codes
// within FailureWindow. The code with which a sign-in led straight into an account does not count.
func (e *Entry) Issue(ctx context.Context, s store.Session, code OneTimeCode) error {
	err := e.core.DB.Tx(ctx, func(tx *store.DB) error {
		if err := e.core.Limits.CountUpTo(
			ctx, tx, "issue:"+s.Family, core.CodesIssued, core.FailureWindow,
		); err != nil {
			return err
		}
		b := new(store.Batch)
		e.AddEntry(b, s, code)
		b.AddAuditEvent(e.core.Access.AuditEvent(ctx, "auth_code_issued", code.Member, string(code.Code.Slot)))
		return tx.Run(ctx, b)
	})
	if err == nil {
		e.core.Access.LogAudit(ctx, "auth_code_issued", code.Member, string(code.Code.Slot))
	}
	return err
}

// AddEntry adds a one-time code to a batch, and notes its account as the one that the device entered last.
func (e *Entry) AddEntry(b *store.Batch, s store.Session, code OneTimeCode) {
	if s.PersonID != 0 && s.Client == "" {
		at := code.Code.CreatedAt
		b.UseAccount(s.Device, s.PersonID, code.Member.ID, at, store.At(at.Time().Add(-core.DeviceNotedFor)))
	}
	b.AddAuthCode(code.Code)
}
