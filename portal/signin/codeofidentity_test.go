package signin_test

import (
	"testing"

	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/portaltest"
	"portico/portal/portaltest/chattest"
	"portico/portal/portaltest/onboardingtest"
	"portico/portal/signin"
)

func TestACodeSentForAnIdentityProvesThePhoneOnlyForThatIdentity(t *testing.T) {
	chattest.EachPrivacyMode(t, func(t *testing.T, p *chattest.ChatPlatform) {
		b := p.Browser(portaltest.AccountHost, chattest.InWeChat)
		// in one browser, one after the other
		mine, planted := b.UnknownTicket(access.WeChat, chattest.Xiao), b.UnknownTicket(
			access.WeChat, chattest.Identity(66),
		)
		flows := map[string]string{
			"of the identity": p.Chatlogin.CodeFlow(b.Flow, mine), "of another": p.Chatlogin.CodeFlow(b.Flow, planted),
			"of the browser": b.Flow,
		}
		for name, flow := range flows {
			p.Clock.Advance(core.DefaultResend)
			link := signin.LinkInput{
				Ticket: mine, ByCode: true, Phone: portaltest.BuyerPhone, Flow: b.Flow, Browser: b.Browser(),
			}
			link.Code = p.ReceiveCode(p.CodeRequest(core.ForLogin, portaltest.BuyerPhone, flow))
			if name == "of the identity" {
				_, err := b.ProveLink(link)
				portaltest.NoError(t, err)
				continue
			}
			_, err := b.ProveLink(link)
			portaltest.Refused(t, err, access.CodeExpired)
		}
		p.WantLinks(0)
		for name, flow := range flows {
			if name == "of the identity" {
				continue
			}
			p.Clock.Advance(core.DefaultResend)
			in := p.RegisterInput(b, mine, portaltest.NewPhone)
			p.Clock.Advance(core.DefaultResend)
			in.Code = p.ReceiveCode(p.CodeRequest(core.ForRegister, portaltest.NewPhone, flow))
			_, err := onboardingtest.Register(p.SMSPlatform, in)
			portaltest.Refused(t, err, access.CodeExpired)
		}
		p.WantLinks(0)
	})
}

func TestACodeSentForAnIdentityProvesNothingWithoutThatIdentity(t *testing.T) {
	chattest.EachPrivacyMode(t, func(t *testing.T, p *chattest.ChatPlatform) {
		b := p.Browser(portaltest.AccountHost, chattest.InWeChat)
		flow := p.Chatlogin.CodeFlow(b.Flow, b.UnknownTicket(access.WeChat, chattest.Xiao))
		code := p.ReceiveCode(p.CodeRequest(core.ForLogin, portaltest.BuyerPhone, flow))
		_, err := p.CodeLogin(p.CodeLoginInput(portaltest.BuyerPhone, code, b.Flow))
		portaltest.Refused(t, err, access.CodeExpired)
	})
}
