package signin_test

import (
	"slices"
	"strings"
	"testing"

	"portico/portal/access"
	"portico/portal/portaltest"
	"portico/portal/portaltest/chattest"
	"portico/portal/signin"
)

// WithUnionID returns the identity of chattest.Xiao at one application of an owner: each application has another
// subject, and all have the same union ID.
func WithUnionID(subject string) signin.ProviderIdentity {
	return signin.ProviderIdentity{Subject: subject, UnionID: "oUnion-of-xiao-6_bmasdasdsad6", Nick: "小满"}
}

func TestTheSameSubjectAtAnotherApplicationIsAnotherIdentity(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		same := signin.ProviderIdentity{Subject: "oOneTextForAll"}
		p.Browser(portaltest.AccountHost, chattest.InWeChat).Link(access.WeChat, same, portaltest.BuyerPhone)
		p.Browser(portaltest.AccountHost, chattest.OnDesktop).UnknownTicket(access.WeChat, same) // another application
		p.Browser(portaltest.AccountHost, chattest.InWeCom).UnknownTicket(access.WeCom, same)    // another provider
		p.Browser(portaltest.AccountHost, chattest.OnDesktop).UnknownTicket(access.WeCom, same)
		p.UseOwnWeChat(1001)
		p.Browser(chattest.Host1001, chattest.InWeChat).
			UnknownTicket(access.WeChat, same)
			// the company's own application
		p.WantLinks(1)

		p.Browser(portaltest.AccountHost, chattest.OnDesktop).Link(access.WeChat, same, portaltest.ManagerPhone)
		p.Browser(portaltest.AccountHost, chattest.InWeCom).Link(access.WeCom, same, portaltest.BothPhone)
		p.Browser(chattest.Host1001, chattest.InWeChat).Link(access.WeChat, same, portaltest.ManyPhone)
		p.WantLinks(4)
		for account, b := range map[string]*chattest.Browser{
			portaltest.BuyerPhone:   p.Browser(portaltest.AccountHost, chattest.InWeChat),
			portaltest.ManagerPhone: p.Browser(portaltest.AccountHost, chattest.OnDesktop),
			portaltest.ManyPhone:    p.Browser(chattest.Host1001, chattest.InWeChat),
		} {
			if s := b.SignIn(access.WeChat, same).Session; !p.BelongsTo(s, account) {
				t.Errorf("%s: %+v", account, s)
			}
		}
		// WeCom has one application for both sign-in methods
		for _, agent := range []string{chattest.InWeCom, chattest.OnDesktop} {
			if s := p.Browser(portaltest.AccountHost, agent).
				SignIn(access.WeCom, same).
				Session; !p.BelongsTo(
				s,
				portaltest.BothPhone,
			) {
				t.Errorf("%+v", s)
			}
		}
		if s := p.Browser(chattest.Host1002, chattest.InWeChat).
			Outcome(access.WeChat, chattest.Identity(5)); s != "unknown" { // subjects are case-sensitive
			t.Error(s)
		}
		p.Browser(portaltest.AccountHost, chattest.InWeChat).
			UnknownTicket(access.WeChat, signin.ProviderIdentity{Subject: strings.ToUpper(same.Subject)})
	})
}

func TestAUnionIDSignsInAtOtherApplicationsOfTheSameOwner(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		phone := p.Browser(portaltest.AccountHost, chattest.InWeChat)
		desk := p.Browser(portaltest.AccountHost, chattest.OnDesktop)
		phone.Link(access.WeChat, WithUnionID("oAtTheAccount"), portaltest.BuyerPhone)
		if s := desk.SignIn(access.WeChat, WithUnionID("oAtTheWebsite")).Session; !p.BelongsTo(s,
			portaltest.BuyerPhone) {
			t.Errorf("%+v", s)
		}
		p.WantLinks(2)
		if p.Log.Count(`"event":"identity_linked"`) != 2 {
			t.Error("the log does not tell")
		}
		alone := WithUnionID("oAtTheWebsite")
		alone.UnionID, alone.Nick = "", "" // as one who is asked silently
		if s := desk.SignIn(access.WeChat, alone).Session; !p.BelongsTo(s, portaltest.BuyerPhone) {
			t.Errorf("%+v", s)
		}
		p.WantLinks(2)
		if all := p.DumpIdentities(); !slices.ContainsFunc(all, func(one string) bool {
			return strings.Contains(one, "oAtTheWebsite oUnion-of") && strings.Contains(one, "小满")
		}) {
			t.Errorf("what was known of them is lost: %q", all)
		}
	})
}

func TestAUnionIDDoesNotWorkForAnotherOwnerProviderOrPerson(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		p.UseOwnWeChat(1001)
		portaltest.NoError(
			t, p.Operator.SetCompany(t.Context(), 1002, "wechat_open", "wx00000000000010d2:"+chattest.CompanySecret),
		)
		p.Browser(chattest.Host1001, chattest.InWeChat).
			Link(access.WeChat, WithUnionID("oAtTheCompany"), portaltest.ManyPhone)
		for name, b := range map[string]*chattest.Browser{
			"the platform's account":                p.Browser(portaltest.AccountHost, chattest.InWeChat),
			"the platform's website":                p.Browser(portaltest.AccountHost, chattest.OnDesktop),
			"the platform's website at the company": p.Browser(chattest.Host1001, chattest.OnDesktop),
			"another company's website":             p.Browser(chattest.Host1002, chattest.OnDesktop),
		} {
			if got := b.Outcome(access.WeChat, WithUnionID("oElsewhere")); got != "unknown" {
				t.Errorf("%s: %s", name, got)
			}
		}
		if got := p.Browser(portaltest.AccountHost, chattest.InWeCom).
			Outcome(access.WeCom, WithUnionID("oElsewhere")); got != "unknown" {
			t.Errorf("work-chat: %s", got)
		}
		p.Browser(portaltest.AccountHost, chattest.InWeChat).
			Link(access.WeChat, WithUnionID("oAtTheAccount"), portaltest.BuyerPhone)
		other := WithUnionID("oOfSomebodyElse")
		other.UnionID = "oUnion-of-another"
		if got := p.Browser(portaltest.AccountHost, chattest.OnDesktop).
			Outcome(access.WeChat, other); got != "unknown" {
			t.Errorf("another union: %s", got)
		}
		none := WithUnionID("oWithoutUnion")
		none.UnionID = ""
		if got := p.Browser(portaltest.AccountHost, chattest.OnDesktop).
			Outcome(access.WeChat, none); got != "unknown" {
			t.Errorf("no union: %s", got)
		}
		if s := p.Browser(portaltest.AccountHost, chattest.OnDesktop).
			SignIn(access.WeChat, WithUnionID("oElsewhere")).
			Session; !p.BelongsTo(
			s,
			portaltest.BuyerPhone,
		) {
			t.Errorf("at the owner itself: %+v", s)
		}
		p.WantLinks(3)
	})
}

func TestTenConcurrentCallbacksWithAUnionIDAllSignIn(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		p.Browser(portaltest.AccountHost, chattest.InWeChat).
			Link(access.WeChat, WithUnionID("oAtTheAccount"), portaltest.BuyerPhone)
		b := p.Browser(portaltest.AccountHost, chattest.OnDesktop)
		w := b.Begin(access.WeChat)
		code := p.Wechat.Grant(w.App, WithUnionID("oAtTheWebsite"))
		portaltest.Together(10, func(int) {
			if back, err := b.Finish(w, code); err != nil || back.Login == nil {
				t.Errorf("%+v %v", back, err)
			}
		})
		p.WantLinks(2)
		if p.Log.Count(`"event":"identity_linked"`) != 2 {
			t.Error("the log has another number of links")
		}
	})
}

func TestLinksSurviveWhenAnotherCompanyGetsTheChatApplication(t *testing.T) {
	chattest.OnSQLiteWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		p.UseOwnWeChat(1001)
		p.Browser(chattest.Host1001, chattest.InWeChat).Link(access.WeChat, chattest.Xiao, portaltest.ManyPhone)
		portaltest.NoError(t, p.Operator.SetCompany(t.Context(), 1001, "wechat", ""))
		p.UseOwnWeChat(1002) // the same application, of another company now
		result := p.Browser(chattest.Host1002, chattest.InWeChat).SignIn(access.WeChat, chattest.Xiao)
		if !p.BelongsTo(result.Session, portaltest.ManyPhone) { // the same person, whose accounts count there
			t.Errorf("%+v", result.Session)
		}
		if i, err := p.DB.Identities.Of(
			t.Context(), "wechat", chattest.CompanyAccount, chattest.Xiao.Subject,
		); err != nil ||
			i.LinkedAt == 0 {
			t.Errorf("%+v %v", i, err)
		}
	})
}
