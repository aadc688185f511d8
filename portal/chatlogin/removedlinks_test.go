package chatlogin_test

import (
	"slices"
	"testing"

	"portico/portal/access"
	"portico/portal/chatlogin"
	"portico/portal/onboarding"
	"portico/portal/portaltest"
	"portico/portal/signin"
	"portico/portal/verification"
)

// Links of those who had an account, a number or a phone before.

func TestAFirstPasswordFromAnAdministratorRemovesTheAccountsLinks(t *testing.T) {
	portaltest.EachChat(t, func(t *testing.T, p *portaltest.Chatter) {
		former := p.Browser(portaltest.Host1001, portaltest.InWeChat)
		former.Links(access.WeChat, portaltest.Xiao, "nophone")
		p.Browser(portaltest.Host1001, portaltest.InWeChat).
			Links(access.WeChat, portaltest.Someone(2), portaltest.BuyerPhone)
		given, err := p.Backoffice.GiveFirstPassword(
			p.From(portaltest.HomeAddress), p.Boss(), p.Account("nophone").ID, "",
		)
		portaltest.NoError(t, err)
		p.WantLinks(1)
		next, err := p.Signin.Login(
			p.From(portaltest.HomeAddress),
			signin.LoginInput{
				ByName:   true,
				Login:    "nophone",
				Password: given.Password,
				Browser:  access.Browser{Place: p.Place(portaltest.Host1001)},
			},
		)
		portaltest.NoError(t, err)
		_, err = p.Change(p.Changing(next.Session, given.Password))
		portaltest.NoError(t, err)
		if back, err := former.Authorises(access.WeChat, portaltest.Xiao); err != nil || back.Login != nil ||
			back.Ticket == "" {
			t.Errorf("who had the account before: %+v, %v", back, err)
		}
		if p.Events(1001, "identity_unlinked") != 1 {
			t.Error("the audit log does not tell of it")
		}
	})
}

func TestANewOwnerOfANumberWhoRegistersByWeChatInheritsNoLink(t *testing.T) {
	portaltest.EachChat(t, func(t *testing.T, p *portaltest.Chatter) {
		former := p.Browser(portaltest.AccountHost, portaltest.InWeChat)
		trial, _ := p.Tried(portaltest.NewPhone, portaltest.Seafood)
		p.Role(p.Stored(trial.LoginResult, portaltest.AccountHost), "shop", true)
		former.LinksByCode(access.WeChat, portaltest.Xiao, portaltest.NewPhone)
		p.Clock.Advance(verification.DefaultResend)

		owner := p.Browser(portaltest.AccountHost, portaltest.InWeChat)
		ticket := owner.Unknown(access.WeChat, portaltest.Someone(2))
		in := p.Registering(portaltest.NewPhone, "", owner.Flow)
		in.Ticket, in.Password = ticket, ""
		in.Code = p.Sent(
			p.Asking(verification.ForRegister, portaltest.NewPhone, p.Chatlogin.CodeFlow(owner.Flow, ticket)),
		)
		made, err := p.Register(in)
		portaltest.NoError(t, err)
		p.Stored(made.LoginResult, portaltest.AccountHost)
		p.WantLinks(1)
		if back, err := former.Authorises(access.WeChat, portaltest.Xiao); err != nil || back.Login != nil {
			t.Errorf("who had the number before: %+v, %v", back, err)
		}
		if !p.Is(owner.Signs(access.WeChat, portaltest.Someone(2)).Session, portaltest.NewPhone) {
			t.Error("the owner does not come in")
		}
	})
}

func TestAnIdentityLinkedInASandboxIsUnknownOnceTheSandboxIsRemoved(t *testing.T) {
	portaltest.EachChat(t, func(t *testing.T, p *portaltest.Chatter) {
		b := p.Browser(portaltest.AccountHost, portaltest.InWeChat)
		trial, _ := p.Tried(portaltest.NewPhone, portaltest.Seafood)
		p.Role(p.Stored(trial.LoginResult, portaltest.AccountHost), "shop", true)
		b.LinksByCode(access.WeChat, portaltest.Xiao, portaltest.NewPhone)
		p.Clock.Advance(onboarding.SandboxLife)
		p.Sweeps(1)
		p.WantLinks(0)
		b.Unknown(access.WeChat, portaltest.Xiao)
	})
}

func TestUnlinkingRemovesEveryIdentityWithTheSameUnionID(t *testing.T) {
	portaltest.EachChat(t, func(t *testing.T, p *portaltest.Chatter) {
		phone, desk := portaltest.Xiao, portaltest.Someone(2)
		phone.UnionID, desk.UnionID = "uXiao", "uXiao"
		b := p.Browser(portaltest.Host1001, portaltest.InWeChat)
		b.Links(access.WeChat, portaltest.Someone(3), portaltest.BuyerPhone)
		session := b.Links(access.WeChat, phone, portaltest.BuyerPhone).Session
		atDesk := p.Browser(portaltest.Host1001, portaltest.OnADesktop)
		atDesk.Signs(access.WeChat, desk)
		p.WantLinks(3)
		list, err := p.Chatlogin.Identities(t.Context(), session)
		portaltest.NoError(t, err)
		i := slices.IndexFunc(list, func(v chatlogin.IdentityView) bool { return v.Nick == desk.Nick })
		portaltest.NoError(t, p.Chatlogin.Unlink(t.Context(), session, list[i].Ref, "zh"))
		p.WantLinks(1)
		b.Unknown(access.WeChat, phone)
		atDesk.Unknown(access.WeChat, desk)
	})
}
