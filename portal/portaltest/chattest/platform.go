package chattest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/portal"
	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/onboarding"
	"portico/portal/portaltest"
	"portico/portal/portaltest/applicationtest"
	"portico/portal/portaltest/onboardingtest"
	"portico/portal/signin"
	"portico/store"
	"portico/store/storetest"
)

// SendApplication sends an application with a phone and the ticket of a chat identity and returns it. It fails the test
// if a step is refused.
func (p *ChatPlatform) SendApplication(b *Browser, ticket string, company int64, phone string) store.Application {
	p.T.Helper()
	in := applicationtest.New(p.SMSPlatform, company, phone)
	portaltest.NoError(p.T, p.Chatlogin.NoteApplicant(b.Context(), ticket, b.Flow, company, phone))
	a, err := applicationtest.Send(p.SMSPlatform, in)
	portaltest.NoError(p.T, err)
	return a
}

// Host1001 is the host of company 1001 on the platform.
const Host1001 = "store1001.portico.test"

// Host1002 is the host of company 1002 on the platform.
const Host1002 = "store1002.portico.test"

// Xiao is a person at WeChat.
var Xiao = signin.ProviderIdentity{Subject: "o6_bmjrPTlm6_2sgVt7hMZOPfL2M", Nick: "小满"}

// Lan is a person at WeCom.
var Lan = signin.ProviderIdentity{Subject: "LanZhang", Nick: "张岚"}

// DumpIdentities returns the stored links as text: provider, application, subject and the account. It fails the test if
// they cannot be read.
func (p *ChatPlatform) DumpIdentities() (all []string) {
	p.T.Helper()
	dump, err := storetest.Dump(p.T.Context(), p.DB)
	portaltest.NoError(p.T, err)
	for line := range strings.Lines(dump) {
		if rest, ok := strings.CutPrefix(line, "identities ["); ok {
			all = append(all, rest)
		}
	}
	return all
}

// WantLinks fails the test unless n identities are linked.
func (p *ChatPlatform) WantLinks(n int) {
	p.T.Helper()
	counts, err := storetest.RowCounts(p.T.Context(), p.DB)
	portaltest.NoError(p.T, err)
	if !strings.Contains(counts, fmt.Sprintf(" identities=%d ", n)) {
		p.T.Errorf("want %d links: %q", n, p.DumpIdentities())
	}
}

// Identity returns the nth of many people at WeChat.
func Identity(n int) signin.ProviderIdentity {
	return signin.ProviderIdentity{Subject: fmt.Sprintf("oSomeone_%d", n), Nick: fmt.Sprintf("某人%d", n)}
}

// BelongsTo says whether a session belongs to the person of a phone number, and to no single account.
func (p *ChatPlatform) BelongsTo(s store.Session, number string) bool {
	p.T.Helper()
	return s.PersonID == portaltest.PersonOf(p.T, p.DB, number).ID && s.AccountID == 0
}

// IdentityRefs returns the references of the identities of a session's person. It fails the test if they cannot be
// read.
func (p *ChatPlatform) IdentityRefs(s access.Session) (all []string) {
	p.T.Helper()
	list, err := p.Chatlogin.Identities(p.T.Context(), s)
	portaltest.NoError(p.T, err)
	for _, one := range list {
		all = append(all, one.Ref)
	}
	return all
}

// AddLink links an identity at the platform's official account to a phone number or account name directly in the
// database, so that a blocked account can be linked. It fails the test if the database refuses it.
func (p *ChatPlatform) AddLink(who signin.ProviderIdentity, account string) {
	p.T.Helper()
	now := store.At(p.Clock.Now())
	i := store.Identity{
		Provider: string(access.WeChat),
		App:      PlatformAccount,
		Subject:  who.Subject,
		UnionID:  who.UnionID,
		LinkedAt: now,
		UsedAt:   now,
	}
	if _, ok := access.NormalPhone(account); ok {
		i.PersonID = portaltest.PersonOf(p.T, p.DB, account).ID
	} else {
		i.AccountID = p.Account(account).ID
	}
	portaltest.NoError(p.T, p.DB.Identities.Link(p.T.Context(), i, store.Identity{}))
}

// PlatformAccount is the id of the platform's WeChat official account.
const PlatformAccount = "wx00000000000000a1"

// PlatformOpen is the id of the platform's WeChat website application.
const PlatformOpen = "wx00000000000000b1"

// PlatformCorp is the id of the platform's WeCom application.
const PlatformCorp = "ww00000000000000a9"

// PlatformSecret is how the secrets of the platform's applications begin.
const PlatformSecret = "platform-secret-of-"

// CompanyAccount is the id of company 1001's own WeChat official account.
const CompanyAccount = "wx00000000000010c1" // 1001's own

// CompanySecret is the secret of company 1001's own WeChat official account.
const CompanySecret = "a-company-keeps-this-to-itself-7"

// ChatPlatform is an SMSPlatform with stand-ins of WeChat and WeCom. People counts the browsers, States are the states
// that went to a provider.
type ChatPlatform struct {
	*portaltest.SMSPlatform
	Wechat, Wecom *ChatProvider
	People        int      // for addresses of their own
	States        []string // that went to a provider
}

// EachWithChat runs a test on a new ChatPlatform on SQLite and on one on Postgres. Afterwards WantNoSecrets and
// WantNoChatSecrets must hold.
func EachWithChat(t *testing.T, test func(t *testing.T, p *ChatPlatform), change ...func(*portal.Options)) {
	t.Helper()
	storetest.EachRule(t, func(t *testing.T, db *store.DB) {
		t.Parallel()
		p := NewChatPlatform(t, db, change...)
		test(t, p)
		p.WantNoSecrets()
		p.WantNoChatSecrets()
	})
}

// OnSQLiteWithChat does what EachWithChat does, on SQLite only. It is for rules that need no SQL of their own.
func OnSQLiteWithChat(t *testing.T, test func(t *testing.T, p *ChatPlatform), change ...func(*portal.Options)) {
	t.Helper()
	t.Parallel()
	p := NewChatPlatform(t, storetest.SQLite(t), change...)
	test(t, p)
	p.WantNoSecrets()
	p.WantNoChatSecrets()
}

// NewChatPlatform returns a ChatPlatform with the demo data on a database. It fails the test if the platform cannot
// start.
func NewChatPlatform(t *testing.T, db *store.DB, change ...func(*portal.Options)) *ChatPlatform {
	t.Helper()
	p := &ChatPlatform{Wechat: newChatProvider(access.WeChat), Wecom: newChatProvider(access.WeCom)}
	p.SMSPlatform = portaltest.NewSMSPlatform(t, db, append([]func(*portal.Options){func(o *portal.Options) {
		p.Wechat.Now, p.Wecom.Now = o.Now, o.Now
		o.Providers = signin.Providers{WeChat: p.Wechat, WeCom: p.Wecom, Apps: PlatformApps()}
	}}, change...)...)
	return p
}

// PlatformApps returns the platform's own applications.
func PlatformApps() []signin.ProviderApp {
	return []signin.ProviderApp{
		{Kind: store.WeChatAccount, ID: PlatformAccount, Secret: PlatformSecret + "the-account"},
		{Kind: store.WeChatOpen, ID: PlatformOpen, Secret: PlatformSecret + "the-website"},
		{Kind: store.WeComCorp, ID: PlatformCorp, Agent: "1000002", Secret: PlatformSecret + "work-chat"},
	}
}

// ManagerClosed is an option: sign-ins that began at WeChat cannot enter the back office.
func ManagerClosed(o *portal.Options) { o.Providers.ManagerClosed = true }

// UseOwnWeChat gives a company an official account of its own, and waits until all instances know it. It fails the test
// if that is refused.
func (p *ChatPlatform) UseOwnWeChat(company int64) {
	p.T.Helper()
	portaltest.NoError(p.T, p.Operator.SetCompany(p.T.Context(), company, "wechat", CompanyAccount+":"+CompanySecret))
	p.Clock.Advance(2 * time.Second) // what is known of a company is a second old at most
}

// Provider returns the stand-in of a provider.
func (p *ChatPlatform) Provider(name access.ProviderName) *ChatProvider {
	if name == access.WeCom {
		return p.Wecom
	}
	return p.Wechat
}

// WantNoChatSecrets fails the test if the database or the log contains a secret, or a code, token or ticket of the
// stand-ins.
func (p *ChatPlatform) WantNoChatSecrets() {
	p.T.Helper()
	dump, err := storetest.Dump(p.T.Context(), p.DB)
	portaltest.NoError(p.T, err)
	log := p.Log.String()
	for _, secret := range slices.Concat([]string{PlatformSecret, CompanySecret}, p.Wechat.Given, p.Wecom.Given,
		p.States) {
		if strings.Contains(dump, secret) || strings.Contains(log, secret) {
			p.T.Errorf("%s is written down", secret)
		}
	}
}

// EachPrivacyMode runs a test like EachWithChat in each privacy mode.
func EachPrivacyMode(t *testing.T, test func(t *testing.T, p *ChatPlatform)) {
	t.Run("spec", func(t *testing.T) { EachWithChat(t, test) })
	t.Run("strict", func(t *testing.T) { EachWithChat(t, test, portaltest.Strict) })
}

// RegisterInput returns the input that registers a company with a chat identity instead of a password, with a code that
// was sent.
func (p *ChatPlatform) RegisterInput(b *Browser, ticket, phone string) onboarding.RegisterInput {
	p.T.Helper()
	in := onboardingtest.RegisterInput(p.SMSPlatform, phone, "", b.Flow)
	in.Password = ""
	in.Ticket = ticket
	in.Browser = b.Browser()
	in.Code = p.ReceiveCode(p.CodeRequest(core.ForRegister, phone, p.Chatlogin.CodeFlow(b.Flow, ticket)))
	return in
}
