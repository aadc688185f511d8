package portal_test

import (
	"testing"

	"portico/portal"
)

func TestACodeProvesAPhoneOnlyForTheIdentityItWasAskedFor(t *testing.T) {
	inBothModes(t, func(t *testing.T, p *chatter) {
		b := p.browser(accountHost, inWeChat)
		// in one browser, one after the other
		mine, planted := b.unknown(portal.WeChat, xiao), b.unknown(portal.WeChat, someone(66))
		flows := map[string]string{
			"of the identity": p.CodeFlow(b.flow, mine), "of another": p.CodeFlow(b.flow, planted),
			"of the browser": b.flow,
		}
		for name, flow := range flows {
			p.clock.advance(portal.DefaultResend)
			link := portal.LinkInput{Ticket: mine, ByCode: true, Phone: buyerPhone, Flow: b.flow, Browser: b.browser()}
			link.Code = p.sent(p.asking(portal.ForLogin, buyerPhone, flow))
			if name == "of the identity" {
				_, err := b.proves(link)
				noError(t, err)
				continue
			}
			_, err := b.proves(link)
			refused(t, err, portal.CodeExpired)
		}
		p.wantLinks(0)
		for name, flow := range flows {
			if name == "of the identity" {
				continue
			}
			p.clock.advance(portal.DefaultResend)
			in := p.registersBy(b, mine, newPhone)
			p.clock.advance(portal.DefaultResend)
			in.Code = p.sent(p.asking(portal.ForRegister, newPhone, flow))
			_, err := p.register(in)
			refused(t, err, portal.CodeExpired)
		}
		p.wantLinks(0)
	})
}

func TestACodeAskedForWithAnIdentityProvesNothingWithoutIt(t *testing.T) {
	inBothModes(t, func(t *testing.T, p *chatter) {
		b := p.browser(accountHost, inWeChat)
		flow := p.CodeFlow(b.flow, b.unknown(portal.WeChat, xiao))
		code := p.sent(p.asking(portal.ForLogin, buyerPhone, flow))
		_, err := p.codeLogin(p.withCode(buyerPhone, code, b.flow))
		refused(t, err, portal.CodeExpired)
	})
}
