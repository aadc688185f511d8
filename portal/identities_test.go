package portal_test

import (
	"testing"
	"time"

	"portico/portal"
)

// refs are what names the identities of a session.
func (p *chatter) refs(s portal.Session) (all []string) {
	p.t.Helper()
	list, err := p.Identities(p.t.Context(), s)
	noError(p.t, err)
	for _, one := range list {
		all = append(all, one.Ref)
	}
	return all
}

func TestAPersonTakesOffTheirOwnIdentitiesAlone(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		b := p.browser(accountHost, inWeChat)
		mine := b.links(portal.WeChat, xiao, buyerPhone)
		p.clock.advance(time.Minute)
		p.browser(accountHost, inWorkChat).links(portal.WeCom, lan, buyerPhone)
		theirs := b.links(portal.WeChat, someone(2), managerPhone)
		named := b.links(portal.WeChat, someone(3), "nophone")
		list, err := p.Identities(t.Context(), mine.Session)
		noError(t, err)
		if len(list) != 2 || list[0].Provider != portal.WeChat || list[0].Nick != "小满" || list[1].Provider != portal.WeCom || list[1].Nick != "张岚" || !list[0].Linked.Before(list[1].Linked) {
			t.Fatalf("%+v", list)
		}
		before := p.rows()
		for _, ref := range append(append(p.refs(theirs.Session), p.refs(named.Session)...), "", "x", xiao.Subject) {
			refused(t, p.Unlink(p.from(homeAddress), mine.Session, ref, "zh"), portal.NotFound)
		}
		refused(t, p.Unlink(p.from(homeAddress), portal.Session{}, list[0].Ref, "zh"), portal.NotFound)
		if all := p.refs(portal.Session{}); len(all) != 0 {
			t.Errorf("nobody has %q", all)
		}
		if p.rows() != before {
			t.Error("something was written")
		}
		noError(t, p.Unlink(p.from(homeAddress), mine.Session, list[0].Ref, "zh"))
		refused(t, p.Unlink(p.from(homeAddress), mine.Session, list[0].Ref, "zh"), portal.NotFound) // twice
		if p.log.count(`"event":"identity_unlinked"`, `"detail":"wechat"`) != 1 || len(p.refs(mine.Session)) != 1 {
			t.Error("the log does not tell, or the list still does")
		}
		noError(t, p.signedIn(mine.Token, accountHost)) // what is signed in stays so
		if got := b.becomes(portal.WeChat, xiao); got != "unknown" {
			t.Errorf("it signs in: %s", got)
		}
		if got := b.becomes(portal.WeChat, someone(2)); got != "signed in" {
			t.Errorf("another's: %s", got)
		}
		b.links(portal.WeChat, xiao, managerPhone) // free for somebody else
		p.wantLinks(4)
	})
}

func TestWhatIsTakenOffIsOffAtEveryApplicationOfItsOwner(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		p.own(1001)
		phone, desk := p.browser(accountHost, inWeChat), p.browser(accountHost, onADesktop)
		signed := phone.links(portal.WeChat, united("oAtTheAccount"), buyerPhone)
		desk.signs(portal.WeChat, united("oAtTheWebsite"))
		p.browser(host1001, inWeChat).links(portal.WeChat, united("oAtTheCompany"), buyerPhone)
		p.wantLinks(3)
		list, err := p.Identities(t.Context(), signed.Session)
		noError(t, err)
		if len(list) != 3 {
			t.Fatalf("%+v", list)
		}
		noError(t, p.Unlink(p.from(homeAddress), signed.Session, list[0].Ref, "zh"))
		p.wantLinks(1) // that of the company's own application
		for name, b := range map[string]*browser{"the account": phone, "the website": desk} {
			if got := b.becomes(portal.WeChat, united("oAt"+map[string]string{"the account": "TheAccount", "the website": "TheWebsite"}[name])); got != "unknown" {
				t.Errorf("%s: %s", name, got)
			}
		}
	})
}

func TestAPersonSeesTheIdentitiesOfTheirAccountsToo(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		m := p.browser(accountHost, inWeChat)
		m.links(portal.WeChat, someone(66), "li.shop") // by whoever knew the account's password
		m.links(portal.WeChat, someone(67), "nophone")
		owner := p.signIn(accountHost, manyPhone)
		list, err := p.Identities(t.Context(), owner.Session)
		if err != nil || len(list) != 1 || list[0].Login != "li.shop" {
			t.Fatalf("%+v %v", list, err)
		}
		noError(t, p.Unlink(p.from(homeAddress), owner.Session, list[0].Ref, "zh"))
		if got := m.becomes(portal.WeChat, someone(66)); got != "unknown" {
			t.Errorf("%s", got)
		}
		byName := p.signIn(accountHost, "li.shop") // proves the account alone
		m.links(portal.WeChat, someone(68), manyPhone)
		if all := p.refs(byName.Session); len(all) != 0 {
			t.Errorf("the account's password shows %d of the person's", len(all))
		}
	})
}

func TestTheUserPayloadTellsOfChatAppsWithoutASecret(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		want := func(login string, bound bool, corp, agent any) {
			t.Helper()
			fields, _ := wireOf(t, p.landed(login, phoneScreen).User)
			for name, value := range map[string]any{
				"wechat_bind_": bound, "corp_id_": corp, "agent_id_": agent, "corp_jsapi_ticket_": nil, "agent_jsapi_ticket_": nil,
			} {
				if fields[name] != value {
					t.Errorf("%s: %s is %v, want %v", login, name, fields[name], value)
				}
			}
		}
		want("buyer1", false, platformCorp, "1000002")
		p.browser(accountHost, inWorkChat).links(portal.WeCom, lan, buyerPhone)
		want("buyer1", false, platformCorp, "1000002") // work-chat is not WeChat
		b := p.browser(accountHost, inWeChat)
		b.links(portal.WeChat, xiao, buyerPhone)
		b.links(portal.WeChat, someone(2), "nophone")
		b.links(portal.WeChat, someone(3), "li.shop")
		noError(t, p.SetCompany(t.Context(), 1001, "wecom", "ww00000000000000c1:1000007:"+companySecret))
		want("buyer1", true, "ww00000000000000c1", "1000007")
		want("nophone", true, "ww00000000000000c1", "1000007")
		want("li.shop", true, "ww00000000000000c1", "1000007")
		want("li.manager", false, "ww00000000000000c1", "1000007") // another account of that phone
		want("li.lights", false, platformCorp, "1000002")
		noError(t, p.SetCompany(t.Context(), 1001, "chat", "off"))
		want("buyer1", true, nil, nil)
		p.restart(func(o *portal.Options) { o.Providers = portal.Providers{} })
		want("li.lights", false, nil, nil)
	})
}
