package chatlogin_test

import (
	"testing"
	"time"

	"portico/portal"
	"portico/portal/access"
	"portico/portal/chatapps"
	"portico/portal/portaltest"
)

func TestAPersonUnlinksOnlyTheirOwnIdentities(t *testing.T) {
	portaltest.EachChat(t, func(t *testing.T, p *portaltest.Chatter) {
		b := p.Browser(portaltest.AccountHost, portaltest.InWeChat)
		mine := b.Links(access.WeChat, portaltest.Xiao, portaltest.BuyerPhone)
		p.Clock.Advance(time.Minute)
		p.Browser(portaltest.AccountHost, portaltest.InWorkChat).
			Links(access.WeCom, portaltest.Lan, portaltest.BuyerPhone)
		theirs := b.Links(access.WeChat, portaltest.Someone(2), portaltest.ManagerPhone)
		named := b.Links(access.WeChat, portaltest.Someone(3), "nophone")
		list, err := p.Chatlogin.Identities(t.Context(), mine.Session)
		portaltest.NoError(t, err)
		if len(list) != 2 || list[0].Provider != access.WeChat || list[0].Nick != "小满" ||
			list[1].Provider != access.WeCom ||
			list[1].Nick != "张岚" ||
			!list[0].Linked.Before(list[1].Linked) {
			t.Fatalf("%+v", list)
		}
		before := p.Rows()
		for _, ref := range append(append(p.Refs(theirs.Session), p.Refs(named.Session)...), "", "x",
			portaltest.Xiao.Subject) {
			portaltest.Refused(
				t, p.Chatlogin.Unlink(p.From(portaltest.HomeAddress), mine.Session, ref, "zh"), access.NotFound,
			)
		}
		portaltest.Refused(
			t, p.Chatlogin.Unlink(p.From(portaltest.HomeAddress), access.Session{}, list[0].Ref, "zh"), access.NotFound,
		)
		if all := p.Refs(access.Session{}); len(all) != 0 {
			t.Errorf("nobody has %q", all)
		}
		if p.Rows() != before {
			t.Error("something was written")
		}
		portaltest.NoError(t, p.Chatlogin.Unlink(p.From(portaltest.HomeAddress), mine.Session, list[0].Ref, "zh"))
		portaltest.Refused(
			t, p.Chatlogin.Unlink(p.From(portaltest.HomeAddress), mine.Session, list[0].Ref, "zh"), access.NotFound,
		) // twice
		if p.Log.Count(`"event":"identity_unlinked"`, `"detail":"wechat"`) != 1 || len(p.Refs(mine.Session)) != 1 {
			t.Error("the log does not tell, or the list still does")
		}
		portaltest.NoError(t, p.RequestSignedIn(mine.Token, portaltest.AccountHost)) // what is signed in stays so
		if got := b.Becomes(access.WeChat, portaltest.Xiao); got != "unknown" {
			t.Errorf("it signs in: %s", got)
		}
		if got := b.Becomes(access.WeChat, portaltest.Someone(2)); got != "signed in" {
			t.Errorf("another's: %s", got)
		}
		b.Links(access.WeChat, portaltest.Xiao, portaltest.ManagerPhone) // another person can link it now
		p.WantLinks(4)
	})
}

func TestUnlinkingAnIdentityUnlinksItAtEveryApplicationOfTheOwner(t *testing.T) {
	portaltest.EachChat(t, func(t *testing.T, p *portaltest.Chatter) {
		p.Own(1001)
		phone := p.Browser(portaltest.AccountHost, portaltest.InWeChat)
		desk := p.Browser(portaltest.AccountHost, portaltest.OnADesktop)
		signed := phone.Links(access.WeChat, WithUnionID("oAtTheAccount"), portaltest.BuyerPhone)
		desk.Signs(access.WeChat, WithUnionID("oAtTheWebsite"))
		p.Browser(portaltest.Host1001, portaltest.InWeChat).
			Links(access.WeChat, WithUnionID("oAtTheCompany"), portaltest.BuyerPhone)
		p.WantLinks(3)
		list, err := p.Chatlogin.Identities(t.Context(), signed.Session)
		portaltest.NoError(t, err)
		if len(list) != 3 {
			t.Fatalf("%+v", list)
		}
		portaltest.NoError(t, p.Chatlogin.Unlink(p.From(portaltest.HomeAddress), signed.Session, list[0].Ref, "zh"))
		p.WantLinks(1) // that of the company's own application
		for name, b := range map[string]*portaltest.Browser{"the account": phone, "the website": desk} {
			if got := b.Becomes(
				access.WeChat,
				WithUnionID("oAt"+map[string]string{"the account": "TheAccount", "the website": "TheWebsite"}[name]),
			); got != "unknown" {
				t.Errorf("%s: %s", name, got)
			}
		}
	})
}

func TestAPersonSeesAlsoTheIdentitiesOfTheirAccounts(t *testing.T) {
	portaltest.EachChat(t, func(t *testing.T, p *portaltest.Chatter) {
		m := p.Browser(portaltest.AccountHost, portaltest.InWeChat)
		m.Links(access.WeChat, portaltest.Someone(66), "li.shop") // by a person who knew the account's password
		m.Links(access.WeChat, portaltest.Someone(67), "nophone")
		owner := p.SignIn(portaltest.AccountHost, portaltest.ManyPhone)
		list, err := p.Chatlogin.Identities(t.Context(), owner.Session)
		if err != nil || len(list) != 1 || list[0].Login != "li.shop" {
			t.Fatalf("%+v %v", list, err)
		}
		portaltest.NoError(t, p.Chatlogin.Unlink(p.From(portaltest.HomeAddress), owner.Session, list[0].Ref, "zh"))
		if got := m.Becomes(access.WeChat, portaltest.Someone(66)); got != "unknown" {
			t.Errorf("%s", got)
		}
		byName := p.SignIn(portaltest.AccountHost, "li.shop") // proves the account alone
		m.Links(access.WeChat, portaltest.Someone(68), portaltest.ManyPhone)
		if all := p.Refs(byName.Session); len(all) != 0 {
			t.Errorf("the account's password shows %d of the person's", len(all))
		}
	})
}

func TestTheUserPayloadNamesChatAppsWithoutSecrets(t *testing.T) {
	portaltest.EachChat(t, func(t *testing.T, p *portaltest.Chatter) {
		want := func(login string, bound bool, corp, agent any) {
			t.Helper()
			fields, _ := portaltest.WireOf(t, p.Landed(login, portaltest.PhoneScreen).User)
			for name, value := range map[string]any{
				"wechat_bind_": bound, "corp_id_": corp, "agent_id_": agent, "corp_jsapi_ticket_": nil,
				"agent_jsapi_ticket_": nil,
			} {
				if fields[name] != value {
					t.Errorf("%s: %s is %v, want %v", login, name, fields[name], value)
				}
			}
		}
		want("buyer1", false, portaltest.PlatformCorp, "1000002")
		p.Browser(portaltest.AccountHost, portaltest.InWorkChat).
			Links(access.WeCom, portaltest.Lan, portaltest.BuyerPhone)
		want("buyer1", false, portaltest.PlatformCorp, "1000002") // work-chat is not WeChat
		b := p.Browser(portaltest.AccountHost, portaltest.InWeChat)
		b.Links(access.WeChat, portaltest.Xiao, portaltest.BuyerPhone)
		b.Links(access.WeChat, portaltest.Someone(2), "nophone")
		b.Links(access.WeChat, portaltest.Someone(3), "li.shop")
		portaltest.NoError(
			t,
			p.Operator.SetCompany(t.Context(), 1001, "wecom", "ww00000000000000c1:1000007:"+portaltest.CompanySecret),
		)
		want("buyer1", true, "ww00000000000000c1", "1000007")
		want("nophone", true, "ww00000000000000c1", "1000007")
		want("li.shop", true, "ww00000000000000c1", "1000007")
		want("li.manager", false, "ww00000000000000c1", "1000007") // another account of that phone
		want("li.lights", false, portaltest.PlatformCorp, "1000002")
		portaltest.NoError(t, p.Operator.SetCompany(t.Context(), 1001, "chat", "off"))
		want("buyer1", true, nil, nil)
		p.Restart(func(o *portal.Options) { o.Providers = chatapps.Providers{} })
		want("li.lights", false, nil, nil)
	})
}
