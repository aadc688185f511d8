package portal_test

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"portico/portal"
	"portico/store"
)

// User-Agents as they are sent.
const (
	inWeChat   = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 MicroMessenger/8.0.53(0x18003531) NetType/WIFI Language/zh_CN"
	inWorkChat = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 wxwork/4.1.30 MicroMessenger/7.0.1 Language/zh ColorScheme/Light"
	onADesktop = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36"
)

const (
	host1001 = "store1001.portico.test"
	host1002 = "store1002.portico.test"
)

// xiao is somebody at WeChat, lan somebody at work-chat.
var (
	xiao = portal.ProviderIdentity{Subject: "o6_bmjrPTlm6_2sgVt7hMZOPfL2M", Nick: "小满"}
	lan  = portal.ProviderIdentity{Subject: "LanZhang", Nick: "张岚"}
)

// browser is one, at a host, with the id that its cookie holds: "" where it lost it.
type browser struct {
	p       *chatter
	host    string
	agent   string
	mobile  bool
	flow    string
	fresh   string // the id it is given where it has none
	address string
	known   bool
	old     string // the session it holds
}

func (p *chatter) browser(host, agent string) *browser {
	p.people++
	return &browser{p: p, host: host, agent: agent, mobile: strings.Contains(agent, "Mobile"), flow: portal.NewFlow(), address: fmt.Sprintf("10.9.8.%d", p.people)}
}

// without is the same browser after it lost its cookie.
func (b *browser) without() *browser {
	other := *b
	other.flow, other.old = "", ""
	return &other
}

func (b *browser) at(host string) *browser {
	other := *b
	other.host = host
	return &other
}

func (b *browser) ctx() context.Context {
	ctx := portal.WithCaller(b.p.t.Context(), portal.Caller{RequestID: "r-2", Address: b.address, Agent: b.agent})
	if b.old == "" {
		return ctx
	}
	return b.p.LoadSession(ctx, b.old)
}

func (b *browser) browser() portal.Browser {
	b.p.t.Helper()
	return portal.Browser{Place: b.p.place(b.host)}
}

// way is one to a provider, as the address there has it.
type way struct {
	provider             portal.ProviderName
	app, redirect, state string
	scope                portal.Scope
}

// tries begins an authorisation; a company's own domain redirects the browser to the company's platform host first.
func (b *browser) tries(provider portal.ProviderName) (way, error) {
	b.p.t.Helper()
	in := portal.BeginAuthorisationInput{
		Provider: provider, Place: b.p.place(b.host), Agent: b.agent, Mobile: b.mobile, Flow: b.flow, Known: b.known,
	}
	address, err := b.p.BeginAuthorisation(b.ctx(), in)
	if err == nil && in.Place.OwnDomain {
		var u *url.URL
		u, err = url.Parse(address)
		noError(b.p.t, err)
		in.Place, in.From = b.p.place(u.Host), u.Query().Get("from")
		address, err = b.p.BeginAuthorisation(b.ctx(), in)
	}
	if err != nil {
		return way{}, err
	}
	return wayOf(b.p.t, provider, address), nil
}

func wayOf(t *testing.T, provider portal.ProviderName, address string) way {
	t.Helper()
	u, err := url.Parse(address)
	noError(t, err)
	q := u.Query()
	return way{provider: provider, app: q.Get("app"), redirect: q.Get("redirect"), state: q.Get("state"), scope: portal.Scope(q.Get("scope"))}
}

// goes begins an authorisation.
func (b *browser) goes(provider portal.ProviderName) way {
	b.p.t.Helper()
	w, err := b.tries(provider)
	noError(b.p.t, err)
	b.p.states = append(b.p.states, w.state)
	return w
}

// returns is a callback.
func (b *browser) returns(w way, code string) (portal.Callback, error) {
	b.p.t.Helper()
	return b.p.FinishAuthorisation(b.ctx(), portal.CallbackInput{Provider: w.provider, Code: code, State: w.state, Flow: b.flow, Fresh: b.fresh, Browser: b.browser()})
}

// authorises goes all the way there and back, by the platform's account host where that is the way.
func (b *browser) authorises(provider portal.ProviderName, who portal.ProviderIdentity) (portal.Callback, error) {
	b.p.t.Helper()
	w := b.goes(provider)
	return b.returns(w, b.p.counterpart(provider).grants(w.app, who))
}

// signs is somebody who comes back signed in.
func (b *browser) signs(provider portal.ProviderName, who portal.ProviderIdentity) portal.LoginResult {
	b.p.t.Helper()
	back, err := b.authorises(provider, who)
	noError(b.p.t, err)
	if back.Login == nil || back.Ask != "" || back.Ticket != "" || back.Application != 0 || back.Elsewhere != "" {
		b.p.t.Fatalf("not signed in: %+v", back)
	}
	return *back.Login
}

// unknown is somebody who comes back and signs nobody in: the ticket.
func (b *browser) unknown(provider portal.ProviderName, who portal.ProviderIdentity) string {
	b.p.t.Helper()
	back, err := b.authorises(provider, who)
	noError(b.p.t, err)
	if back.Ticket == "" || back.Login != nil || back.Ask != "" || back.Application != 0 || back.Elsewhere != "" {
		b.p.t.Fatalf("not unknown: %+v", back)
	}
	return back.Ticket
}

// linking is the account of a phone, or of a name, with the demo password.
func (b *browser) linking(ticket, who string) portal.LinkInput {
	b.p.t.Helper()
	in := portal.LinkInput{Ticket: ticket, Phone: who, Password: portal.DemoPassword, Flow: b.flow, Browser: b.browser()}
	if _, ok := portal.NormalPhone(who); !ok {
		in.ByName, in.Phone, in.Login = true, "", who
	}
	return in
}

func (b *browser) proves(in portal.LinkInput) (portal.Linking, error) {
	return b.p.ProveForLink(b.ctx(), in)
}

func (b *browser) confirms(l portal.Linking) (portal.LoginResult, error) {
	b.p.t.Helper()
	return b.p.ConfirmLink(b.ctx(), l.Sealed, b.flow, "zh", b.browser())
}

// proven is a link of an unknown identity that waits for the yes.
func (b *browser) proven(provider portal.ProviderName, who portal.ProviderIdentity, account string) portal.Linking {
	b.p.t.Helper()
	l, err := b.proves(b.linking(b.unknown(provider, who), account))
	noError(b.p.t, err)
	return l
}

// links makes an identity sign an account in: that of a phone, or of a name, with the demo password.
func (b *browser) links(provider portal.ProviderName, who portal.ProviderIdentity, account string) portal.LoginResult {
	b.p.t.Helper()
	result, err := b.confirms(b.proven(provider, who, account))
	noError(b.p.t, err)
	return result
}

// identities are the stored links: provider, application, subject and whom they sign in.
func (p *chatter) identities() (all []string) {
	p.t.Helper()
	dump, err := p.db.Dump(p.t.Context())
	noError(p.t, err)
	for line := range strings.Lines(dump) {
		if rest, ok := strings.CutPrefix(line, "identities ["); ok {
			all = append(all, rest)
		}
	}
	return all
}

func (p *chatter) wantLinks(n int) {
	p.t.Helper()
	counts, err := p.db.RowCounts(p.t.Context())
	noError(p.t, err)
	if !strings.Contains(counts, fmt.Sprintf(" identities=%d ", n)) {
		p.t.Errorf("want %d links: %q", n, p.identities())
	}
}

// someone is one of many at WeChat.
func someone(n int) portal.ProviderIdentity {
	return portal.ProviderIdentity{Subject: fmt.Sprintf("oSomeone_%d", n), Nick: fmt.Sprintf("某人%d", n)}
}

// is says whose a session is.
func (p *chatter) is(s store.Session, number string) bool {
	p.t.Helper()
	return s.PhoneID == phoneOf(p.t, p.db, number).ID && s.AccountID == 0
}
