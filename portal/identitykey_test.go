package portal_test

import (
	"slices"
	"strings"
	"testing"

	"portico/portal"
)

// united is xiao as each application of one owner knows them: another subject, the same person.
func united(subject string) portal.ProviderIdentity {
	return portal.ProviderIdentity{Subject: subject, UnionID: "oUnion-of-xiao-6_bmasdasdsad6", Nick: "小满"}
}

func TestTheSameSubjectElsewhereIsSomebodyElse(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		same := portal.ProviderIdentity{Subject: "oOneTextForAll"}
		p.browser(accountHost, inWeChat).links(portal.WeChat, same, buyerPhone)
		p.browser(accountHost, onADesktop).unknown(portal.WeChat, same) // another application
		p.browser(accountHost, inWorkChat).unknown(portal.WeCom, same)  // another provider
		p.browser(accountHost, onADesktop).unknown(portal.WeCom, same)
		p.own(1001)
		p.browser(host1001, inWeChat).unknown(portal.WeChat, same) // the company's own application
		p.wantLinks(1)

		p.browser(accountHost, onADesktop).links(portal.WeChat, same, managerPhone)
		p.browser(accountHost, inWorkChat).links(portal.WeCom, same, bothPhone)
		p.browser(host1001, inWeChat).links(portal.WeChat, same, manyPhone)
		p.wantLinks(4)
		for account, b := range map[string]*browser{
			buyerPhone: p.browser(accountHost, inWeChat), managerPhone: p.browser(accountHost, onADesktop), manyPhone: p.browser(host1001, inWeChat),
		} {
			if s := b.signs(portal.WeChat, same).Session; !p.is(s, account) {
				t.Errorf("%s: %+v", account, s)
			}
		}
		for _, agent := range []string{inWorkChat, onADesktop} { // work-chat is one application by either door
			if s := p.browser(accountHost, agent).signs(portal.WeCom, same).Session; !p.is(s, bothPhone) {
				t.Errorf("%+v", s)
			}
		}
		if s := p.browser(host1002, inWeChat).becomes(portal.WeChat, someone(5)); s != "unknown" { // capitals count
			t.Error(s)
		}
		p.browser(accountHost, inWeChat).unknown(portal.WeChat, portal.ProviderIdentity{Subject: strings.ToUpper(same.Subject)})
	})
}

// becomes is what comes of an identity, in a word.
func (b *browser) becomes(provider portal.ProviderName, who portal.ProviderIdentity) string {
	b.p.t.Helper()
	switch back, err := b.authorises(provider, who); {
	case err != nil:
		return err.Error()
	case back.Login != nil:
		return "signed in"
	case back.Ticket != "":
		return "unknown"
	}
	return "something else"
}

func TestAPersonIsKnownAtTheOtherApplicationsOfOneOwner(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		phone, desk := p.browser(accountHost, inWeChat), p.browser(accountHost, onADesktop)
		phone.links(portal.WeChat, united("oAtTheAccount"), buyerPhone)
		if s := desk.signs(portal.WeChat, united("oAtTheWebsite")).Session; !p.is(s, buyerPhone) {
			t.Errorf("%+v", s)
		}
		p.wantLinks(2)
		if p.log.count(`"event":"identity_linked"`) != 2 {
			t.Error("the log does not tell")
		}
		alone := united("oAtTheWebsite")
		alone.UnionID, alone.Nick = "", "" // as one who is asked silently
		if s := desk.signs(portal.WeChat, alone).Session; !p.is(s, buyerPhone) {
			t.Errorf("%+v", s)
		}
		p.wantLinks(2)
		if all := p.identities(); !slices.ContainsFunc(all, func(one string) bool {
			return strings.Contains(one, "oAtTheWebsite oUnion-of") && strings.Contains(one, "小满")
		}) {
			t.Errorf("what was known of them is lost: %q", all)
		}
	})
}

func TestAUnionReachesNoOtherOwnerProviderOrPerson(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		p.own(1001)
		noError(t, p.SetCompany(t.Context(), 1002, "wechat_open", "wx00000000000010d2:"+companySecret))
		p.browser(host1001, inWeChat).links(portal.WeChat, united("oAtTheCompany"), manyPhone)
		for name, b := range map[string]*browser{
			"the platform's account": p.browser(accountHost, inWeChat), "the platform's website": p.browser(accountHost, onADesktop),
			"the platform's website at the company": p.browser(host1001, onADesktop), "another company's website": p.browser(host1002, onADesktop),
		} {
			if got := b.becomes(portal.WeChat, united("oElsewhere")); got != "unknown" {
				t.Errorf("%s: %s", name, got)
			}
		}
		if got := p.browser(accountHost, inWorkChat).becomes(portal.WeCom, united("oElsewhere")); got != "unknown" {
			t.Errorf("work-chat: %s", got)
		}
		p.browser(accountHost, inWeChat).links(portal.WeChat, united("oAtTheAccount"), buyerPhone)
		other := united("oOfSomebodyElse")
		other.UnionID = "oUnion-of-another"
		if got := p.browser(accountHost, onADesktop).becomes(portal.WeChat, other); got != "unknown" {
			t.Errorf("another union: %s", got)
		}
		none := united("oWithoutUnion")
		none.UnionID = ""
		if got := p.browser(accountHost, onADesktop).becomes(portal.WeChat, none); got != "unknown" {
			t.Errorf("no union: %s", got)
		}
		if s := p.browser(accountHost, onADesktop).signs(portal.WeChat, united("oElsewhere")).Session; !p.is(s, buyerPhone) {
			t.Errorf("at the owner itself: %+v", s)
		}
		p.wantLinks(3)
	})
}

func TestACallbackOfAUnionThatHitsTenTimesAtOnceSignsInTenTimes(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		p.browser(accountHost, inWeChat).links(portal.WeChat, united("oAtTheAccount"), buyerPhone)
		b := p.browser(accountHost, onADesktop)
		w := b.goes(portal.WeChat)
		code := p.wechat.grants(w.app, united("oAtTheWebsite"))
		together(10, func(int) {
			if back, err := b.returns(w, code); err != nil || back.Login == nil {
				t.Errorf("%+v %v", back, err)
			}
		})
		p.wantLinks(2)
		if p.log.count(`"event":"identity_linked"`) != 2 {
			t.Error("the log tells of another number of links")
		}
	})
}

func TestAnAppIsKnownToItsOwnerByItsId(t *testing.T) {
	onceChat(t, func(t *testing.T, p *chatter) {
		p.own(1001)
		p.browser(host1001, inWeChat).links(portal.WeChat, xiao, manyPhone)
		noError(t, p.SetCompany(t.Context(), 1001, "wechat", ""))
		p.own(1002) // the same application, of another company now
		result := p.browser(host1002, inWeChat).signs(portal.WeChat, xiao)
		if !p.is(result.Session, manyPhone) { // the same person, whose accounts count there
			t.Errorf("%+v", result.Session)
		}
		if i, err := p.db.IdentityOf(t.Context(), "wechat", companyAccount, xiao.Subject); err != nil || i.LinkedAt == 0 {
			t.Errorf("%+v %v", i, err)
		}
	})
}
