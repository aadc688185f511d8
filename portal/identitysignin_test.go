package portal_test

import (
	"errors"
	"testing"
	"time"

	"portico/portal"
	"portico/store"
)

// linkedRow makes an identity at the platform's official account sign somebody in, by phone or by name, whatever blocks them.
func (p *chatter) linkedRow(who portal.ProviderIdentity, account string) {
	p.t.Helper()
	now := store.At(p.clock.now())
	i := store.Identity{Provider: string(portal.WeChat), App: platformAccount, Subject: who.Subject, UnionID: who.UnionID, LinkedAt: now, UsedAt: now}
	if _, ok := portal.NormalPhone(account); ok {
		i.PhoneID = phoneOf(p.t, p.db, account).ID
	} else {
		i.AccountID = p.account(account).ID
	}
	noError(p.t, p.db.LinkIdentity(p.t.Context(), i, store.Identity{}))
}

func TestWhatBlocksASignInBlocksOneByAnIdentity(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		b := p.browser(accountHost, inWeChat)
		for i, c := range []struct {
			phone string
			want  portal.Refusal
		}{
			{"13800000004", portal.UnderReview}, {"13800000005", portal.AccountDisabled}, {"13800000006", portal.PartnerEnded}, {"13800000007", portal.CompanyDisabled},
			{"13800000008", portal.TrialEnded}, {"13800000009", portal.CompanyExpired}, {"13800000010", portal.MallNotOpen}, {unboundPhone, portal.PhoneNotBound},
		} {
			p.linkedRow(someone(i), c.phone)
			_, byPassword := p.login(p.as(c.phone))
			want := refused(t, byPassword, c.want)
			_, err := b.authorises(portal.WeChat, someone(i))
			with := refused(t, err, c.want)
			if (with.Company == nil) != (want.Company == nil) || len(with.Contacts) != len(want.Contacts) || len(with.Contacts) == 0 {
				t.Errorf("%s: %+v, by the password %+v", c.phone, with, want)
			}
			_, err = b.saysYes(b.asked(portal.WeChat, someone(i)).Ask)
			refused(t, err, c.want)
		}
		if p.events(1001, "sign_in")+p.events(0, "sign_in") != 0 {
			t.Error("somebody was signed in")
		}
	})
}

func TestAnIdentityLeadsWhereThePasswordDoes(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		for i, account := range []string{buyerPhone, managerPhone, manyPhone, bothPhone, "nophone", "li.shop", "northwind"} {
			p.linkedRow(someone(i), account)
			b := p.browser(accountHost, inWeChat)
			result, want := b.signs(portal.WeChat, someone(i)), p.signIn(accountHost, account)
			if result.Step != want.Step || result.Session.PhoneID != want.Session.PhoneID || result.Session.AccountID != want.Session.AccountID {
				t.Errorf("%s: %+v, by the password %+v", account, result.Step, want.Step)
			}
			p.wantList(p.stored(result, accountHost), listed(p.list(want.Session))...)
		}
		p.linkedRow(someone(20), manyPhone)
		signed := p.signIn(accountHost, manyPhone)
		_, err := p.ChooseCompany(t.Context(), portal.ChooseCompanyInput{Session: signed.Session, CompanyID: 1003, Default: true})
		noError(t, err)
		result := p.browser(accountHost, inWeChat).signs(portal.WeChat, someone(20))
		if want := (portal.Step{Kind: portal.StepEnter, CompanyID: 1003, AccountID: p.account("li.lights").ID}); result.Step != want {
			t.Errorf("with a default company: %+v", result.Step)
		}
	})
}

func TestAtACompanyOnlyItsAccountsCountForAnIdentity(t *testing.T) {
	onceChat(t, func(t *testing.T, p *chatter) {
		p.linkedRow(xiao, manyPhone)
		result := p.browser(host1002, inWeChat).signs(portal.WeChat, xiao)
		if want := (portal.Step{Kind: portal.StepEnter, CompanyID: 1002, AccountID: p.account("sur").ID}); result.Step != want || result.Session.CompanyID != 1002 {
			t.Errorf("%+v", result.Step)
		}
		p.wantList(p.stored(result, host1002), "1002 mgr:sur")
		p.linkedRow(someone(2), buyerPhone)
		_, err := p.browser(host1002, inWeChat).authorises(portal.WeChat, someone(2))
		refused(t, err, portal.NotInCompany)
		p.linkedRow(someone(3), "nophone")
		_, err = p.browser(host1002, inWeChat).authorises(portal.WeChat, someone(3))
		refused(t, err, portal.NotInCompany)
	})
}

func TestTheLightingEditionIsAskedForAllTheWay(t *testing.T) {
	onceChat(t, func(t *testing.T, p *chatter) {
		p.linkedRow(xiao, manyPhone)
		p.linkedRow(someone(2), buyerPhone)
		b := p.browser(accountHost, inWeChat)
		come := func(who portal.ProviderIdentity) (portal.Callback, error) {
			address, err := p.BeginAuthorisation(b.ctx(), portal.BeginAuthorisationInput{
				Provider: portal.WeChat, Place: p.place(b.host), Agent: b.agent, Mobile: true, Flow: b.flow, Lighting: true, Width: 390,
			})
			noError(t, err)
			w := wayOf(t, portal.WeChat, address)
			return b.returns(w, p.wechat.grants(w.app, who))
		}
		back, err := come(xiao)
		noError(t, err)
		if s := p.stored(*back.Login, accountHost); !s.Lighting || s.Width != 390 || back.Login.Step.AccountID != p.account("li.lights").ID {
			t.Errorf("%+v, %+v", s, back.Login.Step)
		}
		_, err = come(someone(2))
		refused(t, err, portal.LightingNotEnabled)
		for i, want := range map[int]portal.Refusal{3: "", 4: portal.LightingNotEnabled} { // linked on the way
			back, err := come(someone(i))
			noError(t, err)
			l, err := b.proves(b.linking(back.Ticket, map[int]string{3: manyPhone, 4: buyerPhone}[i]))
			if want != "" {
				refused(t, err, want)
				continue
			}
			noError(t, err)
			result, err := b.confirms(l)
			noError(t, err)
			if s := p.stored(result, accountHost); !s.Lighting {
				t.Errorf("linked: %+v", s)
			}
		}
	})
}

func TestASessionByAnIdentityIsOneLikeAnyOther(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		p.linkedRow(xiao, buyerPhone)
		b := p.browser(accountHost, inWeChat)
		first := b.signs(portal.WeChat, xiao)
		b.old = first.Token
		p.clock.advance(time.Hour)
		second := b.signs(portal.WeChat, xiao)
		if first.Token == second.Token || first.Session.Family == second.Session.Family || first.Device == "" {
			t.Error("it is the same session")
		}
		refused(t, p.signedIn(first.Token, accountHost), portal.LoginRequired) // replaced
		s := p.stored(second, accountHost)
		if s.Remember || s.EndsAt != store.At(p.clock.in(portal.AccountLife)) || s.Agent != limit(inWeChat, 200) || s.Address != b.address {
			t.Errorf("%+v", s)
		}
		if p.events(0, "sign_in") != 2 || p.log.count(`"event":"sign_in"`, `"detail":"wechat"`) != 2 {
			t.Error("the audit log does not tell")
		}
		list, err := p.Identities(t.Context(), s)
		if err != nil || len(list) != 1 {
			t.Errorf("%+v %v", list, err)
		}
	})
}

func limit(s string, n int) string { return s[:min(n, len(s))] }

func TestAnIdentityWhosePersonIsGoneIsUnknownAgain(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		now := store.At(p.clock.now())
		for _, gone := range []store.Identity{{Subject: "oGone1", PhoneID: 987654}, {Subject: "oGone2", AccountID: 987654}} {
			gone.Provider, gone.App, gone.LinkedAt, gone.UsedAt = "wechat", platformAccount, now, now
			noError(t, p.db.LinkIdentity(t.Context(), gone, store.Identity{}))
			b := p.browser(accountHost, inWeChat)
			b.links(portal.WeChat, portal.ProviderIdentity{Subject: gone.Subject}, buyerPhone)
			if result := b.signs(portal.WeChat, portal.ProviderIdentity{Subject: gone.Subject}); !p.is(result.Session, buyerPhone) {
				t.Errorf("%+v", result.Session)
			}
		}
		p.wantLinks(2)
	})
}

func TestWhoeverWasUnlinkedWhileTheyCameBackIsNotSignedIn(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		b := p.browser(host1001, inWorkChat)
		b.links(portal.WeCom, lan, buyerPhone)
		w := b.goes(portal.WeCom)
		p.wecom.during = func() {
			_, err := p.db.DropIdentities(t.Context(), phoneOf(t, p.db, buyerPhone).ID, 0)
			noError(t, err)
		}
		back, err := b.returns(w, p.wecom.grants(w.app, lan))
		if err != nil && !errors.Is(err, portal.LoginRequired) || back.Login != nil {
			t.Errorf("%+v %v", back, err)
		}
	})
}
