package signin_test

import (
	"testing"
	"time"

	"portico/portal"
	"portico/portal/access"
	"portico/portal/portaltest"
	"portico/portal/portaltest/chattest"
	"portico/portal/portaltest/companytest"
	"portico/portal/signin"
)

func TestAPersonUnlinksOnlyTheirOwnIdentities(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		b := p.Browser(portaltest.AccountHost, chattest.InWeChat)
		mine := b.Link(access.WeChat, chattest.Xiao, portaltest.BuyerPhone)
		p.Clock.Advance(time.Minute)
		p.Browser(portaltest.AccountHost, chattest.InWeCom).
			Link(access.WeCom, chattest.Lan, portaltest.BuyerPhone)
		theirs := b.Link(access.WeChat, chattest.Identity(2), portaltest.ManagerPhone)
		named := b.Link(access.WeChat, chattest.Identity(3), "nophone")
		list, err := p.Chatlogin.Identities(t.Context(), mine.Session)
		portaltest.NoError(t, err)
		if len(list) != 2 || list[0].Provider != access.WeChat || list[0].Nick != "小满" ||
			list[1].Provider != access.WeCom ||
			list[1].Nick != "张岚" ||
			!list[0].Linked.Before(list[1].Linked) {
			t.Fatalf("%+v", list)
		}
		before := p.DumpRows()
		for _, ref := range append(append(p.IdentityRefs(theirs.Session), p.IdentityRefs(named.Session)...), "", "x",
			chattest.Xiao.Subject) {
			portaltest.Refused(
				t, p.Chatlogin.Unlink(p.From(portaltest.HomeAddress), mine.Session, ref, "zh"), access.NotFound,
			)
		}
		portaltest.Refused(
			t, p.Chatlogin.Unlink(p.From(portaltest.HomeAddress), access.Session{}, list[0].Ref, "zh"), access.NotFound,
		)
		if all := p.IdentityRefs(access.Session{}); len(all) != 0 {
			t.Errorf("nobody has %q", all)
		}
		if p.DumpRows() != before {
			t.Error("something was written")
		}
		portaltest.NoError(t, p.Chatlogin.Unlink(p.From(portaltest.HomeAddress), mine.Session, list[0].Ref, "zh"))
		portaltest.Refused(
			t, p.Chatlogin.Unlink(p.From(portaltest.HomeAddress), mine.Session, list[0].Ref, "zh"), access.NotFound,
		) // twice
		if p.Log.Count(`"event":"identity_unlinked"`, `"detail":"wechat"`) != 1 ||
			len(p.IdentityRefs(mine.Session)) != 1 {
			t.Error("the log does not tell, or the list still does")
		}
		portaltest.NoError(t, p.RequestSignedIn(mine.Token, portaltest.AccountHost)) // what is signed in stays so
		if got := b.Outcome(access.WeChat, chattest.Xiao); got != "unknown" {
			t.Errorf("it signs in: %s", got)
		}
		if got := b.Outcome(access.WeChat, chattest.Identity(2)); got != "signed in" {
			t.Errorf("another's: %s", got)
		}
		b.Link(access.WeChat, chattest.Xiao, portaltest.ManagerPhone) // another person can link it now
		p.WantLinks(4)
	})
}

func TestUnlinkingAnIdentityUnlinksItAtEveryApplicationOfTheOwner(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		p.UseOwnWeChat(1001)
		phone := p.Browser(portaltest.AccountHost, chattest.InWeChat)
		desk := p.Browser(portaltest.AccountHost, chattest.OnDesktop)
		signed := phone.Link(access.WeChat, WithUnionID("oAtTheAccount"), portaltest.BuyerPhone)
		desk.SignIn(access.WeChat, WithUnionID("oAtTheWebsite"))
		p.Browser(chattest.Host1001, chattest.InWeChat).
			Link(access.WeChat, WithUnionID("oAtTheCompany"), portaltest.BuyerPhone)
		p.WantLinks(3)
		list, err := p.Chatlogin.Identities(t.Context(), signed.Session)
		portaltest.NoError(t, err)
		if len(list) != 3 {
			t.Fatalf("%+v", list)
		}
		portaltest.NoError(t, p.Chatlogin.Unlink(p.From(portaltest.HomeAddress), signed.Session, list[0].Ref, "zh"))
		p.WantLinks(1) // that of the company's own application
		for name, b := range map[string]*chattest.Browser{"the account": phone, "the website": desk} {
			if got := b.Outcome(
				access.WeChat,
				WithUnionID("oAt"+map[string]string{"the account": "TheAccount", "the website": "TheWebsite"}[name]),
			); got != "unknown" {
				t.Errorf("%s: %s", name, got)
			}
		}
	})
}

func TestAPersonSeesAlsoTheIdentitiesOfTheirAccounts(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		m := p.Browser(portaltest.AccountHost, chattest.InWeChat)
		m.Link(access.WeChat, chattest.Identity(66), "li.shop") // by a person who knew the account's password
		m.Link(access.WeChat, chattest.Identity(67), "nophone")
		owner := p.SignIn(portaltest.AccountHost, portaltest.ManyPhone)
		list, err := p.Chatlogin.Identities(t.Context(), owner.Session)
		if err != nil || len(list) != 1 || list[0].Login != "li.shop" {
			t.Fatalf("%+v %v", list, err)
		}
		portaltest.NoError(t, p.Chatlogin.Unlink(p.From(portaltest.HomeAddress), owner.Session, list[0].Ref, "zh"))
		if got := m.Outcome(access.WeChat, chattest.Identity(66)); got != "unknown" {
			t.Errorf("%s", got)
		}
		byName := p.SignIn(portaltest.AccountHost, "li.shop") // proves the account alone
		m.Link(access.WeChat, chattest.Identity(68), portaltest.ManyPhone)
		if all := p.IdentityRefs(byName.Session); len(all) != 0 {
			t.Errorf("the account's password shows %d of the person's", len(all))
		}
	})
}

func TestTheUserPayloadNamesChatAppsWithoutSecrets(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		want := func(login string, bound bool, corp, agent any) {
			t.Helper()
			fields, _ := companytest.UserJSON(t, p.Land(login, portaltest.PhoneScreen).User)
			for name, value := range map[string]any{
				"wechat_bind_": bound, "corp_id_": corp, "agent_id_": agent, "corp_jsapi_ticket_": nil,
				"agent_jsapi_ticket_": nil,
			} {
				if fields[name] != value {
					t.Errorf("%s: %s is %v, want %v", login, name, fields[name], value)
				}
			}
		}
		want("buyer1", false, chattest.PlatformCorp, "1000002")
		p.Browser(portaltest.AccountHost, chattest.InWeCom).
			Link(access.WeCom, chattest.Lan, portaltest.BuyerPhone)
		want("buyer1", false, chattest.PlatformCorp, "1000002") // work-chat is not WeChat
		b := p.Browser(portaltest.AccountHost, chattest.InWeChat)
		b.Link(access.WeChat, chattest.Xiao, portaltest.BuyerPhone)
		b.Link(access.WeChat, chattest.Identity(2), "nophone")
		b.Link(access.WeChat, chattest.Identity(3), "li.shop")
		portaltest.NoError(
			t,
			p.Operator.SetCompany(t.Context(), 1001, "wecom", "ww00000000000000c1:1000007:"+chattest.CompanySecret),
		)
		want("buyer1", true, "ww00000000000000c1", "1000007")
		want("nophone", true, "ww00000000000000c1", "1000007")
		want("li.shop", true, "ww00000000000000c1", "1000007")
		want("li.manager", false, "ww00000000000000c1", "1000007") // another account of that phone
		want("li.lights", false, chattest.PlatformCorp, "1000002")
		portaltest.NoError(t, p.Operator.SetCompany(t.Context(), 1001, "chat", "off"))
		want("buyer1", true, nil, nil)
		p.Restart(func(o *portal.Options) { o.Providers = signin.Providers{} })
		want("li.lights", false, nil, nil)
	})
}
