package chatlogin_test

import (
	"slices"
	"strings"
	"testing"

	"portico/portal/access"
	"portico/portal/chatapps"
	"portico/portal/portaltest"
)

// WithUnionID returns the identity of portaltest.Xiao at one application of an owner: each application has another
// subject, and all have the same union ID.
func WithUnionID(subject string) chatapps.ProviderIdentity {
	return chatapps.ProviderIdentity{Subject: subject, UnionID: "oUnion-of-xiao-6_bmasdasdsad6", Nick: "小满"}
}

func TestTheSameSubjectAtAnotherApplicationIsAnotherIdentity(t *testing.T) {
	portaltest.EachChat(t, func(t *testing.T, p *portaltest.Chatter) {
		same := chatapps.ProviderIdentity{Subject: "oOneTextForAll"}
		p.Browser(portaltest.AccountHost, portaltest.InWeChat).Links(access.WeChat, same, portaltest.BuyerPhone)
		p.Browser(portaltest.AccountHost, portaltest.OnADesktop).Unknown(access.WeChat, same) // another application
		p.Browser(portaltest.AccountHost, portaltest.InWorkChat).Unknown(access.WeCom, same)  // another provider
		p.Browser(portaltest.AccountHost, portaltest.OnADesktop).Unknown(access.WeCom, same)
		p.Own(1001)
		p.Browser(portaltest.Host1001, portaltest.InWeChat).
			Unknown(access.WeChat, same)
			// the company's own application
		p.WantLinks(1)

		p.Browser(portaltest.AccountHost, portaltest.OnADesktop).Links(access.WeChat, same, portaltest.ManagerPhone)
		p.Browser(portaltest.AccountHost, portaltest.InWorkChat).Links(access.WeCom, same, portaltest.BothPhone)
		p.Browser(portaltest.Host1001, portaltest.InWeChat).Links(access.WeChat, same, portaltest.ManyPhone)
		p.WantLinks(4)
		for account, b := range map[string]*portaltest.Browser{
			portaltest.BuyerPhone:   p.Browser(portaltest.AccountHost, portaltest.InWeChat),
			portaltest.ManagerPhone: p.Browser(portaltest.AccountHost, portaltest.OnADesktop),
			portaltest.ManyPhone:    p.Browser(portaltest.Host1001, portaltest.InWeChat),
		} {
			if s := b.Signs(access.WeChat, same).Session; !p.Is(s, account) {
				t.Errorf("%s: %+v", account, s)
			}
		}
		// WeCom has one application for both sign-in methods
		for _, agent := range []string{portaltest.InWorkChat, portaltest.OnADesktop} {
			if s := p.Browser(portaltest.AccountHost, agent).
				Signs(access.WeCom, same).
				Session; !p.Is(
				s,
				portaltest.BothPhone,
			) {
				t.Errorf("%+v", s)
			}
		}
		if s := p.Browser(portaltest.Host1002, portaltest.InWeChat).
			Becomes(access.WeChat, portaltest.Someone(5)); s != "unknown" { // subjects are case-sensitive
			t.Error(s)
		}
		p.Browser(portaltest.AccountHost, portaltest.InWeChat).
			Unknown(access.WeChat, chatapps.ProviderIdentity{Subject: strings.ToUpper(same.Subject)})
	})
}

func TestAUnionIDSignsInAtOtherApplicationsOfTheSameOwner(t *testing.T) {
	portaltest.EachChat(t, func(t *testing.T, p *portaltest.Chatter) {
		phone := p.Browser(portaltest.AccountHost, portaltest.InWeChat)
		desk := p.Browser(portaltest.AccountHost, portaltest.OnADesktop)
		phone.Links(access.WeChat, WithUnionID("oAtTheAccount"), portaltest.BuyerPhone)
		if s := desk.Signs(access.WeChat, WithUnionID("oAtTheWebsite")).Session; !p.Is(s, portaltest.BuyerPhone) {
			t.Errorf("%+v", s)
		}
		p.WantLinks(2)
		if p.Log.Count(`"event":"identity_linked"`) != 2 {
			t.Error("the log does not tell")
		}
		alone := WithUnionID("oAtTheWebsite")
		alone.UnionID, alone.Nick = "", "" // as one who is asked silently
		if s := desk.Signs(access.WeChat, alone).Session; !p.Is(s, portaltest.BuyerPhone) {
			t.Errorf("%+v", s)
		}
		p.WantLinks(2)
		if all := p.Identities(); !slices.ContainsFunc(all, func(one string) bool {
			return strings.Contains(one, "oAtTheWebsite oUnion-of") && strings.Contains(one, "小满")
		}) {
			t.Errorf("what was known of them is lost: %q", all)
		}
	})
}

func TestAUnionIDDoesNotWorkForAnotherOwnerProviderOrPerson(t *testing.T) {
	portaltest.EachChat(t, func(t *testing.T, p *portaltest.Chatter) {
		p.Own(1001)
		portaltest.NoError(
			t, p.Operator.SetCompany(t.Context(), 1002, "wechat_open", "wx00000000000010d2:"+portaltest.CompanySecret),
		)
		p.Browser(portaltest.Host1001, portaltest.InWeChat).
			Links(access.WeChat, WithUnionID("oAtTheCompany"), portaltest.ManyPhone)
		for name, b := range map[string]*portaltest.Browser{
			"the platform's account":                p.Browser(portaltest.AccountHost, portaltest.InWeChat),
			"the platform's website":                p.Browser(portaltest.AccountHost, portaltest.OnADesktop),
			"the platform's website at the company": p.Browser(portaltest.Host1001, portaltest.OnADesktop),
			"another company's website":             p.Browser(portaltest.Host1002, portaltest.OnADesktop),
		} {
			if got := b.Becomes(access.WeChat, WithUnionID("oElsewhere")); got != "unknown" {
				t.Errorf("%s: %s", name, got)
			}
		}
		if got := p.Browser(portaltest.AccountHost, portaltest.InWorkChat).
			Becomes(access.WeCom, WithUnionID("oElsewhere")); got != "unknown" {
			t.Errorf("work-chat: %s", got)
		}
		p.Browser(portaltest.AccountHost, portaltest.InWeChat).
			Links(access.WeChat, WithUnionID("oAtTheAccount"), portaltest.BuyerPhone)
		other := WithUnionID("oOfSomebodyElse")
		other.UnionID = "oUnion-of-another"
		if got := p.Browser(portaltest.AccountHost, portaltest.OnADesktop).
			Becomes(access.WeChat, other); got != "unknown" {
			t.Errorf("another union: %s", got)
		}
		none := WithUnionID("oWithoutUnion")
		none.UnionID = ""
		if got := p.Browser(portaltest.AccountHost, portaltest.OnADesktop).
			Becomes(access.WeChat, none); got != "unknown" {
			t.Errorf("no union: %s", got)
		}
		if s := p.Browser(portaltest.AccountHost, portaltest.OnADesktop).
			Signs(access.WeChat, WithUnionID("oElsewhere")).
			Session; !p.Is(
			s,
			portaltest.BuyerPhone,
		) {
			t.Errorf("at the owner itself: %+v", s)
		}
		p.WantLinks(3)
	})
}

func TestTenConcurrentCallbacksWithAUnionIDAllSignIn(t *testing.T) {
	portaltest.EachChat(t, func(t *testing.T, p *portaltest.Chatter) {
		p.Browser(portaltest.AccountHost, portaltest.InWeChat).
			Links(access.WeChat, WithUnionID("oAtTheAccount"), portaltest.BuyerPhone)
		b := p.Browser(portaltest.AccountHost, portaltest.OnADesktop)
		w := b.Goes(access.WeChat)
		code := p.Wechat.Grants(w.App, WithUnionID("oAtTheWebsite"))
		portaltest.Together(10, func(int) {
			if back, err := b.Returns(w, code); err != nil || back.Login == nil {
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
	portaltest.OnceChat(t, func(t *testing.T, p *portaltest.Chatter) {
		p.Own(1001)
		p.Browser(portaltest.Host1001, portaltest.InWeChat).Links(access.WeChat, portaltest.Xiao, portaltest.ManyPhone)
		portaltest.NoError(t, p.Operator.SetCompany(t.Context(), 1001, "wechat", ""))
		p.Own(1002) // the same application, of another company now
		result := p.Browser(portaltest.Host1002, portaltest.InWeChat).Signs(access.WeChat, portaltest.Xiao)
		if !p.Is(result.Session, portaltest.ManyPhone) { // the same person, whose accounts count there
			t.Errorf("%+v", result.Session)
		}
		if i, err := p.Db.Identities.Of(
			t.Context(), "wechat", portaltest.CompanyAccount, portaltest.Xiao.Subject,
		); err != nil ||
			i.LinkedAt == 0 {
			t.Errorf("%+v %v", i, err)
		}
	})
}
