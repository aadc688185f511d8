package portal_test

import (
	"slices"
	"testing"

	"portico/portal"
)

// Links of those who had an account, a number or a phone before.

func TestANewPasswordFromTheAdministratorTakesTheAccountsLinksAway(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		former := p.browser(host1001, inWeChat)
		former.links(portal.WeChat, xiao, "nophone")
		p.browser(host1001, inWeChat).links(portal.WeChat, someone(2), buyerPhone)
		given, err := p.GiveFirstPassword(p.from(homeAddress), p.boss(), p.account("nophone").ID, "")
		noError(t, err)
		p.wantLinks(1)
		next, err := p.Login(p.from(homeAddress), portal.LoginInput{ByName: true, Login: "nophone", Password: given.Password, Browser: portal.Browser{Place: p.place(host1001)}})
		noError(t, err)
		_, err = p.change(p.changing(next.Session, given.Password))
		noError(t, err)
		if back, err := former.authorises(portal.WeChat, xiao); err != nil || back.Login != nil || back.Ticket == "" {
			t.Errorf("who had the account before: %+v, %v", back, err)
		}
		if p.events(1001, "identity_unlinked") != 1 {
			t.Error("the audit log does not tell of it")
		}
	})
}

func TestANewOwnerOfANumberWhoRegistersByWeChatInheritsNoLink(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		former := p.browser(accountHost, inWeChat)
		trial, _ := p.tried(newPhone, seafood)
		p.role(p.stored(trial.LoginResult, accountHost), "shop", true)
		former.linksByCode(portal.WeChat, xiao, newPhone)
		p.clock.advance(portal.DefaultResend)

		owner := p.browser(accountHost, inWeChat)
		ticket := owner.unknown(portal.WeChat, someone(2))
		in := p.registering(newPhone, "", owner.flow)
		in.Ticket, in.Password = ticket, ""
		in.Code = p.sent(p.asking(portal.ForRegister, newPhone, p.CodeFlow(owner.flow, ticket)))
		made, err := p.register(in)
		noError(t, err)
		p.stored(made.LoginResult, accountHost)
		p.wantLinks(1)
		if back, err := former.authorises(portal.WeChat, xiao); err != nil || back.Login != nil {
			t.Errorf("who had the number before: %+v, %v", back, err)
		}
		if !p.is(owner.signs(portal.WeChat, someone(2)).Session, newPhone) {
			t.Error("the owner does not come in")
		}
	})
}

func TestWhoeverTriedAndLinkedIsUnknownOnceTheSandboxIsGone(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		b := p.browser(accountHost, inWeChat)
		trial, _ := p.tried(newPhone, seafood)
		p.role(p.stored(trial.LoginResult, accountHost), "shop", true)
		b.linksByCode(portal.WeChat, xiao, newPhone)
		p.clock.advance(portal.SandboxLife)
		p.sweeps(1)
		p.wantLinks(0)
		b.unknown(portal.WeChat, xiao)
	})
}

// linksByCode makes an identity sign the person of a phone in, proven by a code.
func (b *browser) linksByCode(provider portal.ProviderName, who portal.ProviderIdentity, phone string) {
	b.p.t.Helper()
	b.p.clock.advance(portal.DefaultResend)
	in := portal.LinkInput{Ticket: b.unknown(provider, who), ByCode: true, Phone: phone, Flow: b.flow, Browser: b.browser()}
	in.Code = b.p.sent(b.p.asking(portal.ForLogin, phone, b.p.CodeFlow(b.flow, in.Ticket)))
	l, err := b.proves(in)
	noError(b.p.t, err)
	_, err = b.confirms(l)
	noError(b.p.t, err)
}

func TestUnlinkingTakesAwayAllThatAUnionIDJoins(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		phone, desk := xiao, someone(2)
		phone.UnionID, desk.UnionID = "uXiao", "uXiao"
		b := p.browser(host1001, inWeChat)
		b.links(portal.WeChat, someone(3), buyerPhone)
		session := b.links(portal.WeChat, phone, buyerPhone).Session
		atDesk := p.browser(host1001, onADesktop)
		atDesk.signs(portal.WeChat, desk)
		p.wantLinks(3)
		list, err := p.Identities(t.Context(), session)
		noError(t, err)
		i := slices.IndexFunc(list, func(v portal.IdentityView) bool { return v.Nick == desk.Nick })
		noError(t, p.Unlink(t.Context(), session, list[i].Ref, "zh"))
		p.wantLinks(1)
		b.unknown(portal.WeChat, phone)
		atDesk.unknown(portal.WeChat, desk)
	})
}
