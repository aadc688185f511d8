package chatlogin_test

import (
	"testing"

	"portico/portal/access"
	"portico/portal/chatlogin"
	"portico/portal/portaltest"
	"portico/portal/verification"
)

func TestACodeSentForAnIdentityProvesThePhoneOnlyForThatIdentity(t *testing.T) {
	portaltest.InBothModes(t, func(t *testing.T, p *portaltest.Chatter) {
		b := p.Browser(portaltest.AccountHost, portaltest.InWeChat)
		// in one browser, one after the other
		mine, planted := b.Unknown(access.WeChat, portaltest.Xiao), b.Unknown(access.WeChat, portaltest.Someone(66))
		flows := map[string]string{
			"of the identity": p.Chatlogin.CodeFlow(b.Flow, mine), "of another": p.Chatlogin.CodeFlow(b.Flow, planted),
			"of the browser": b.Flow,
		}
		for name, flow := range flows {
			p.Clock.Advance(verification.DefaultResend)
			link := chatlogin.LinkInput{
				Ticket: mine, ByCode: true, Phone: portaltest.BuyerPhone, Flow: b.Flow, Browser: b.Browser(),
			}
			link.Code = p.Sent(p.Asking(verification.ForLogin, portaltest.BuyerPhone, flow))
			if name == "of the identity" {
				_, err := b.Proves(link)
				portaltest.NoError(t, err)
				continue
			}
			_, err := b.Proves(link)
			portaltest.Refused(t, err, access.CodeExpired)
		}
		p.WantLinks(0)
		for name, flow := range flows {
			if name == "of the identity" {
				continue
			}
			p.Clock.Advance(verification.DefaultResend)
			in := p.RegistersBy(b, mine, portaltest.NewPhone)
			p.Clock.Advance(verification.DefaultResend)
			in.Code = p.Sent(p.Asking(verification.ForRegister, portaltest.NewPhone, flow))
			_, err := p.Register(in)
			portaltest.Refused(t, err, access.CodeExpired)
		}
		p.WantLinks(0)
	})
}

func TestACodeSentForAnIdentityProvesNothingWithoutThatIdentity(t *testing.T) {
	portaltest.InBothModes(t, func(t *testing.T, p *portaltest.Chatter) {
		b := p.Browser(portaltest.AccountHost, portaltest.InWeChat)
		flow := p.Chatlogin.CodeFlow(b.Flow, b.Unknown(access.WeChat, portaltest.Xiao))
		code := p.Sent(p.Asking(verification.ForLogin, portaltest.BuyerPhone, flow))
		_, err := p.CodeLogin(p.WithCode(portaltest.BuyerPhone, code, b.Flow))
		portaltest.Refused(t, err, access.CodeExpired)
	})
}
