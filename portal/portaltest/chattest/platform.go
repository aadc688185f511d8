package chattest

import (
	"fmt"
	"portico/portal"
	"portico/portal/access"
	"portico/portal/chatapps"
	"portico/portal/onboarding"
	"portico/portal/portaltest"
	"portico/portal/portaltest/applicationtest"
	"portico/portal/portaltest/onboardingtest"
	"portico/portal/verification"
	"portico/store"
	"portico/store/storetest"
	"slices"
	"strings"
	"testing"
	"time"
)

// SendApplication sends an application with a phone and the ticket of a chat identity.
func (p *ChatPlatform) SendApplication(b *Browser, ticket string, company int64, phone string) store.Application {
	p.T.Helper()
	in := applicationtest.New(p.SMSPlatform, company, phone)
	portaltest.NoError(p.T, p.Chatlogin.NoteApplicant(b.Context(), ticket, b.Flow, company, phone))
	a, err := applicationtest.Send(p.SMSPlatform, in)
	portaltest.NoError(p.T, err)
	return a
}

const Host1001 = "store1001.portico.test"

const Host1002 = "store1002.portico.test"

var Xiao = chatapps.ProviderIdentity{Subject: "o6_bmjrPTlm6_2sgVt7hMZOPfL2M", Nick: "小满"}

var Lan = chatapps.ProviderIdentity{Subject: "LanZhang", Nick: "张岚"}

// DumpIdentities are the stored links: provider, application, subject and whom they sign in.
func (p *ChatPlatform) DumpIdentities() (all []string) {
	p.T.Helper()
	dump, err := p.Db.Dump(p.T.Context())
	portaltest.NoError(p.T, err)
	for line := range strings.Lines(dump) {
		if rest, ok := strings.CutPrefix(line, "identities ["); ok {
			all = append(all, rest)
		}
	}
	return all
}

func (p *ChatPlatform) WantLinks(n int) {
	p.T.Helper()
	counts, err := p.Db.RowCounts(p.T.Context())
	portaltest.NoError(p.T, err)
	if !strings.Contains(counts, fmt.Sprintf(" identities=%d ", n)) {
		p.T.Errorf("want %d links: %q", n, p.DumpIdentities())
	}
}

// Identity is one of many at WeChat.
func Identity(n int) chatapps.ProviderIdentity {
	return chatapps.ProviderIdentity{Subject: fmt.Sprintf("oSomeone_%d", n), Nick: fmt.Sprintf("某人%d", n)}
}

// BelongsTo says whose a session is.
func (p *ChatPlatform) BelongsTo(s store.Session, number string) bool {
	p.T.Helper()
	return s.PhoneID == portaltest.PhoneOf(p.T, p.Db, number).ID && s.AccountID == 0
}

// IdentityRefs are what names the identities of a session.
func (p *ChatPlatform) IdentityRefs(s access.Session) (all []string) {
	p.T.Helper()
	list, err := p.Chatlogin.Identities(p.T.Context(), s)
	portaltest.NoError(p.T, err)
	for _, one := range list {
		all = append(all, one.Ref)
	}
	return all
}

// AddLink makes an identity at the platform's official account sign somebody in, by phone or by name, whatever blocks
// them.
func (p *ChatPlatform) AddLink(who chatapps.ProviderIdentity, account string) {
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
		i.PhoneID = portaltest.PhoneOf(p.T, p.Db, account).ID
	} else {
		i.AccountID = p.Account(account).ID
	}
	portaltest.NoError(p.T, p.Db.Identities.Link(p.T.Context(), i, store.Identity{}))
}

const PlatformAccount = "wx00000000000000a1"

const PlatformOpen = "wx00000000000000b1"

const PlatformCorp = "ww00000000000000a9"

const PlatformSecret = "platform-secret-of-"

const CompanyAccount = "wx00000000000010c1" // 1001's own

const CompanySecret = "a-company-keeps-this-to-itself-7"

// ChatPlatform is a platform that WeChat and work-chat answer.
type ChatPlatform struct {
	*portaltest.SMSPlatform
	Wechat, Wecom *ChatProvider
	People        int      // for addresses of their own
	States        []string // that went to a provider
}

// EachWithChat runs a test on SQLite and on Postgres; after each nothing secret is left behind, of the counterparts
// neither.
func EachWithChat(t *testing.T, test func(t *testing.T, p *ChatPlatform), change ...func(*portal.Options)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		t.Parallel()
		p := NewChatPlatform(t, db, change...)
		test(t, p)
		p.WantNoSecrets()
		p.WantNoChatSecrets()
	})
}

// OnSQLiteWithChat is eachChat on SQLite alone, for rules that no statement of their own stands behind.
func OnSQLiteWithChat(t *testing.T, test func(t *testing.T, p *ChatPlatform), change ...func(*portal.Options)) {
	t.Helper()
	t.Parallel()
	p := NewChatPlatform(t, storetest.SQLite(t), change...)
	test(t, p)
	p.WantNoSecrets()
	p.WantNoChatSecrets()
}

// NewChatPlatform makes a platform with stand-ins of WeChat and WeCom.
func NewChatPlatform(t *testing.T, db *store.DB, change ...func(*portal.Options)) *ChatPlatform {
	t.Helper()
	p := &ChatPlatform{Wechat: newChatProvider(access.WeChat), Wecom: newChatProvider(access.WeCom)}
	p.SMSPlatform = portaltest.NewSMSPlatform(t, db, append([]func(*portal.Options){func(o *portal.Options) {
		p.Wechat.Now, p.Wecom.Now = o.Now, o.Now
		o.Providers = chatapps.Providers{WeChat: p.Wechat, WeCom: p.Wecom, Apps: PlatformApps()}
	}}, change...)...)
	return p
}

// PlatformApps returns the platform's own applications.
func PlatformApps() []chatapps.ProviderApp {
	return []chatapps.ProviderApp{
		{Kind: store.WeChatAccount, ID: PlatformAccount, Secret: PlatformSecret + "the-account"},
		{Kind: store.WeChatOpen, ID: PlatformOpen, Secret: PlatformSecret + "the-website"},
		{Kind: store.WeComCorp, ID: PlatformCorp, Agent: "1000002", Secret: PlatformSecret + "work-chat"},
	}
}

// ManagerClosed refuses the back office to sign-ins that began at WeChat.
func ManagerClosed(o *portal.Options) { o.Providers.ManagerClosed = true }

// UseOwnWeChat gives 1001 an official account of its own.
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

// WantNoChatSecrets searches the database and the log for what they gave out and for the secrets.
func (p *ChatPlatform) WantNoChatSecrets() {
	p.T.Helper()
	dump, err := p.Db.Dump(p.T.Context())
	portaltest.NoError(p.T, err)
	log := p.Log.String()
	for _, secret := range slices.Concat([]string{PlatformSecret, CompanySecret}, p.Wechat.Given, p.Wecom.Given,
		p.States) {
		if strings.Contains(dump, secret) || strings.Contains(log, secret) {
			p.T.Errorf("%s is written down", secret)
		}
	}
}

// EachPrivacyMode runs a test in either privacy mode, with limits on.
func EachPrivacyMode(t *testing.T, test func(t *testing.T, p *ChatPlatform)) {
	t.Run("spec", func(t *testing.T) { EachWithChat(t, test) })
	t.Run("strict", func(t *testing.T) { EachWithChat(t, test, portaltest.Strict) })
}

// RegisterInput returns the input that registers a company with a chat identity instead of a password.
func (p *ChatPlatform) RegisterInput(b *Browser, ticket, phone string) onboarding.RegisterInput {
	p.T.Helper()
	in := onboardingtest.RegisterInput(p.SMSPlatform, phone, "", b.Flow)
	in.Password, in.Ticket, in.Browser = "", ticket, b.Browser()
	in.Code = p.ReceiveCode(p.CodeRequest(verification.ForRegister, phone, p.Chatlogin.CodeFlow(b.Flow, ticket)))
	return in
}
