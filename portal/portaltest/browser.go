package portaltest

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"portico/portal/access"
	"portico/portal/chatapps"
	"portico/portal/chatlogin"
	"portico/portal/entry"
	"portico/portal/onboarding"
	"portico/portal/signin"
	"portico/portal/statistics"
	"portico/portal/verification"
	"portico/store"
)

const (
	InWeChat = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) " +
		"AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 MicroMessenger/8.0.53(0x18003531) NetType/WIFI " +
		"Language/zh_CN"
	InWorkChat = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) " +
		"AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 wxwork/4.1.30 MicroMessenger/7.0.1 Language/zh " +
		"ColorScheme/Light"
	OnADesktop = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) " +
		"AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36"
)

const (
	Host1001 = "store1001.portico.test"
	Host1002 = "store1002.portico.test"
)

var (
	Xiao = chatapps.ProviderIdentity{Subject: "o6_bmjrPTlm6_2sgVt7hMZOPfL2M", Nick: "小满"}
	Lan  = chatapps.ProviderIdentity{Subject: "LanZhang", Nick: "张岚"}
)

// Browser is one, at a host, with the id that its cookie holds: "" where it lost it.
type Browser struct {
	P       *Chatter
	Host    string
	Agent   string
	Mobile  bool
	Flow    string
	Fresh   string // the id it is given where it has none
	Address string
	Known   bool
	Old     string // the session it holds
}

func (p *Chatter) Browser(host, agent string) *Browser {
	p.People++
	return &Browser{
		P:       p,
		Host:    host,
		Agent:   agent,
		Mobile:  strings.Contains(agent, "Mobile"),
		Flow:    verification.NewFlow(),
		Address: fmt.Sprintf("10.9.8.%d", p.People),
	}
}

// Without is the same browser after it lost its cookie.
func (b *Browser) Without() *Browser {
	other := *b
	other.Flow, other.Old = "", ""
	return &other
}

func (b *Browser) At(host string) *Browser {
	other := *b
	other.Host = host
	return &other
}

func (b *Browser) Ctx() context.Context {
	ctx := access.WithCaller(b.P.T.Context(), access.Caller{RequestID: "r-2", Address: b.Address, Agent: b.Agent})
	if b.Old == "" {
		return ctx
	}
	return b.P.Sessions.LoadSession(ctx, b.Old)
}

func (b *Browser) Browser() access.Browser {
	b.P.T.Helper()
	return access.Browser{Place: b.P.Place(b.Host)}
}

// Way is one to a provider, as the address there has it.
type Way struct {
	Provider             access.ProviderName
	App, Redirect, State string
	Scope                chatapps.Scope
}

// Tries begins an authorisation; a company's own domain redirects the browser to the company's platform host first.
func (b *Browser) Tries(provider access.ProviderName) (Way, error) {
	b.P.T.Helper()
	in := chatlogin.BeginAuthorisationInput{
		Provider: provider, Place: b.P.Place(b.Host), Agent: b.Agent, Mobile: b.Mobile, Flow: b.Flow, Known: b.Known,
	}
	address, err := b.P.Chatlogin.BeginAuthorisation(b.Ctx(), in)
	if err == nil && in.Place.OwnDomain {
		var u *url.URL
		u, err = url.Parse(address)
		NoError(b.P.T, err)
		in.Place, in.From = b.P.Place(u.Host), u.Query().Get("from")
		address, err = b.P.Chatlogin.BeginAuthorisation(b.Ctx(), in)
	}
	if err != nil {
		return Way{}, err
	}
	return WayOf(b.P.T, provider, address), nil
}

func WayOf(t *testing.T, provider access.ProviderName, address string) Way {
	t.Helper()
	u, err := url.Parse(address)
	NoError(t, err)
	q := u.Query()
	return Way{
		Provider: provider,
		App:      q.Get("app"),
		Redirect: q.Get("redirect"),
		State:    q.Get("state"),
		Scope:    chatapps.Scope(q.Get("scope")),
	}
}

// Goes begins an authorisation.
func (b *Browser) Goes(provider access.ProviderName) Way {
	b.P.T.Helper()
	w, err := b.Tries(provider)
	NoError(b.P.T, err)
	b.P.States = append(b.P.States, w.State)
	return w
}

// Returns is a callback.
func (b *Browser) Returns(w Way, code string) (chatlogin.Callback, error) {
	b.P.T.Helper()
	return b.P.Chatlogin.FinishAuthorisation(
		b.Ctx(),
		chatlogin.CallbackInput{
			Provider: w.Provider,
			Code:     code,
			State:    w.State,
			Flow:     b.Flow,
			Fresh:    b.Fresh,
			Browser:  b.Browser(),
		},
	)
}

// Authorises goes all the way there and back, by the platform's account host where that is the way.
func (b *Browser) Authorises(provider access.ProviderName, who chatapps.ProviderIdentity) (chatlogin.Callback, error) {
	b.P.T.Helper()
	w := b.Goes(provider)
	return b.Returns(w, b.P.Counterpart(provider).Grants(w.App, who))
}

// Signs is somebody who comes back signed in.
func (b *Browser) Signs(provider access.ProviderName, who chatapps.ProviderIdentity) signin.LoginResult {
	b.P.T.Helper()
	back, err := b.Authorises(provider, who)
	NoError(b.P.T, err)
	if back.Login == nil || back.ConfirmToken != "" || back.Ticket != "" || back.Application != 0 ||
		back.RedirectURL != "" {
		b.P.T.Fatalf("not signed in: %+v", back)
	}
	return *back.Login
}

// Unknown is somebody who comes back and signs nobody in: the ticket.
func (b *Browser) Unknown(provider access.ProviderName, who chatapps.ProviderIdentity) string {
	b.P.T.Helper()
	back, err := b.Authorises(provider, who)
	NoError(b.P.T, err)
	if back.Ticket == "" || back.Login != nil || back.ConfirmToken != "" || back.Application != 0 ||
		back.RedirectURL != "" {
		b.P.T.Fatalf("not unknown: %+v", back)
	}
	return back.Ticket
}

// Linking is the account of a phone, or of a name, with the demo password.
func (b *Browser) Linking(ticket, who string) chatlogin.LinkInput {
	b.P.T.Helper()
	in := chatlogin.LinkInput{
		Ticket:   ticket,
		Phone:    who,
		Password: onboarding.DemoPassword,
		Flow:     b.Flow,
		Browser:  b.Browser(),
	}
	if _, ok := access.NormalPhone(who); !ok {
		in.ByName, in.Phone, in.Login = true, "", who
	}
	return in
}

func (b *Browser) Proves(in chatlogin.LinkInput) (chatlogin.Linking, error) {
	return b.P.Chatlogin.ProveForLink(b.Ctx(), in)
}

func (b *Browser) Confirms(l chatlogin.Linking) (signin.LoginResult, error) {
	b.P.T.Helper()
	return b.P.Chatlogin.ConfirmLink(b.Ctx(), l.Sealed, b.Flow, "zh", b.Browser())
}

// Proven is a link of an unknown identity that waits for the yes.
func (b *Browser) Proven(
	provider access.ProviderName,
	who chatapps.ProviderIdentity,
	account string,
) chatlogin.Linking {
	b.P.T.Helper()
	l, err := b.Proves(b.Linking(b.Unknown(provider, who), account))
	NoError(b.P.T, err)
	return l
}

// Links makes an identity sign an account in: that of a phone, or of a name, with the demo password.
func (b *Browser) Links(
	provider access.ProviderName,
	who chatapps.ProviderIdentity,
	account string,
) signin.LoginResult {
	b.P.T.Helper()
	result, err := b.Confirms(b.Proven(provider, who, account))
	NoError(b.P.T, err)
	return result
}

// Identities are the stored links: provider, application, subject and whom they sign in.
func (p *Chatter) Identities() (all []string) {
	p.T.Helper()
	dump, err := p.Db.Dump(p.T.Context())
	NoError(p.T, err)
	for line := range strings.Lines(dump) {
		if rest, ok := strings.CutPrefix(line, "identities ["); ok {
			all = append(all, rest)
		}
	}
	return all
}

func (p *Chatter) WantLinks(n int) {
	p.T.Helper()
	counts, err := p.Db.RowCounts(p.T.Context())
	NoError(p.T, err)
	if !strings.Contains(counts, fmt.Sprintf(" identities=%d ", n)) {
		p.T.Errorf("want %d links: %q", n, p.Identities())
	}
}

// Someone is one of many at WeChat.
func Someone(n int) chatapps.ProviderIdentity {
	return chatapps.ProviderIdentity{Subject: fmt.Sprintf("oSomeone_%d", n), Nick: fmt.Sprintf("某人%d", n)}
}

// Is says whose a session is.
func (p *Chatter) Is(s store.Session, number string) bool {
	p.T.Helper()
	return s.PhoneID == PhoneOf(p.T, p.Db, number).ID && s.AccountID == 0
}

// Operations take the browser's session from the context of the request. Tests name the cookie that the browser sends.

func (p *Platform) Session(ctx context.Context, cookie string, place access.Place) (access.Session, error) {
	return p.Portal.Sessions.Session(p.Sessions.LoadSession(ctx, cookie), place)
}

func (p *Platform) RenewedSession(
	ctx context.Context, cookie string, place access.Place,
) (access.Session, string, error) {
	return p.Portal.Sessions.RenewedSession(p.Sessions.LoadSession(ctx, cookie), place)
}

func (p *Platform) SignedIn(ctx context.Context, cookie string, place access.Place) (access.Session, error) {
	return p.Portal.Sessions.SignedIn(p.Sessions.LoadSession(ctx, cookie), place)
}

func (p *Platform) SignOut(ctx context.Context, cookie string, place access.Place) (string, error) {
	return p.Portal.Sessions.SignOut(p.Sessions.LoadSession(ctx, cookie), place)
}

func (p *Platform) LandingOf(
	ctx context.Context, cookie string, place access.Place, slot store.Slot,
) (access.Landing, error) {
	return p.Portal.Landing.Landing(p.Sessions.LoadSession(ctx, cookie), place, slot)
}

func (p *Platform) Asked(
	ctx context.Context, cookie string, place access.Place, slot store.Slot,
) (access.Landing, error) {
	return p.Portal.Landing.Asked(p.Sessions.LoadSession(ctx, cookie), place, slot)
}

func (p *Platform) AnswerAsked(
	ctx context.Context, cookie string, place access.Place, slot store.Slot, yes bool,
) (string, error) {
	return p.Portal.Landing.AnswerAsked(p.Sessions.LoadSession(ctx, cookie), place, slot, yes)
}

func (p *Platform) SwitchSide(
	ctx context.Context, cookie string, place access.Place, slot store.Slot, device access.Device, lang string,
) (entry.Destination, error) {
	return p.Portal.Landing.SwitchSide(p.Sessions.LoadSession(ctx, cookie), place, slot, device, lang)
}

func (p *Platform) AppCode(ctx context.Context, cookie string, place access.Place, slot store.Slot) (string, error) {
	return p.Portal.Landing.AppCode(p.Sessions.LoadSession(ctx, cookie), place, slot)
}

func (p *Platform) CountMenu(
	ctx context.Context, cookie string, place access.Place, chosen statistics.Screen, on access.DeviceKind,
) error {
	return p.Portal.Landing.CountMenu(p.Sessions.LoadSession(ctx, cookie), place, chosen, on)
}

// FormerProgram stores a session as the version before scs did, and returns its cookie.
func (p *Platform) FormerProgram(change func(cookie string, s *store.Session)) string {
	p.T.Helper()
	cookie, now := strings.Repeat("c", 43), store.At(p.Clock.Now())
	phone, err := p.Db.Phones.ByNumber(p.T.Context(), BuyerPhone)
	NoError(p.T, err)
	s := store.Session{
		ID: access.Hashed(cookie), Host: AccountHost, Family: "family", Device: "device", PhoneID: phone.ID,
		Confirmed: true, CreatedAt: now, SeenAt: now, IdleUntil: now + 3_600_000, EndsAt: now + 2*3_600_000,
	}
	change(cookie, &s)
	NoError(p.T, p.Db.Sessions.Add(p.T.Context(), s))
	return cookie
}
