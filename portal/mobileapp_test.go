package portal_test

import (
	"fmt"
	"testing"

	"portico/portal"
	"portico/store"
)

const platformMobile = "wx00000000000000d1"

func withMobileApp(o *portal.Options) {
	o.Providers.Apps = append(o.Providers.Apps, portal.ProviderApp{
		Kind: store.WeChatMobile, ID: platformMobile, Secret: platformSecret + "the-mobile-app",
	})
}

// ofMobileApp is a code that WeChat's SDK gave to the native app.
func (c *program) ofMobileApp(code string) portal.ClientCallbackInput {
	return portal.ClientCallbackInput{Code: code, App: portal.MobileApp, Provider: portal.WeChat, Client: c.kind}
}

func TestANativeAppBringsTheCodesOfItsOwnWeChatApplication(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		united := portal.ProviderIdentity{Subject: "oAtTheMobileApp", UnionID: "u-xiao", Nick: "小"}
		c := p.program(portal.ClientApp)
		in := c.ofMobileApp(p.wechat.grants(platformMobile, united))
		back, err := p.FinishForClient(c.ctx(), in, false)
		noError(t, err)
		if back.Linked || back.Identity != united || back.Ticket == "" {
			t.Fatalf("%+v", back)
		}
		for range 2 { // the answer was lost
			again, err := p.FinishForClient(c.ctx(), in, false)
			if err != nil || again.Identity != united {
				t.Fatalf("%+v %v", again, err)
			}
		}
		if n := p.wechat.count("exchange"); n != 1 {
			t.Errorf("WeChat was asked %d times", n)
		}
		p.clock.advance(portal.AuthorisationAgain)
		_, err = p.FinishForClient(c.ctx(), in, false)
		refused(t, err, portal.WeChatExpired)

		// The union id links it with the identity at the official account.
		elsewhere := united
		elsewhere.Subject = "oAtTheAccount"
		p.linkedRow(elsewhere, buyerPhone)
		back, err = p.FinishForClient(c.ctx(), c.ofMobileApp(p.wechat.grants(platformMobile, united)), false)
		noError(t, err)
		if !back.Linked {
			t.Fatal("the union id does not link")
		}
		signed, err := c.uses(back.Ticket, 0)
		noError(t, err)
		if signed.User == nil || signed.User.Login != "buyer1" {
			t.Errorf("%+v", signed)
		}
		p.wantLinks(2)
	}, withMobileApp)
}

func TestTheCodesOfTheMobileApplicationAreTakenFromNativeAppsAlone(t *testing.T) {
	onceChat(t, func(t *testing.T, p *chatter) {
		c := p.program(portal.ClientApp)
		for _, kind := range []portal.Client{portal.ClientWebApp, portal.ClientPC} {
			other := p.program(kind)
			_, err := p.FinishForClient(other.ctx(), other.ofMobileApp(p.wechat.grants(platformMobile, xiao)), false)
			wantUnknownApp(t, err)
		}
		unknown := c.ofMobileApp(p.wechat.grants(platformMobile, xiao))
		unknown.App = "website"
		_, err := p.FinishForClient(c.ctx(), unknown, false)
		wantUnknownApp(t, err)
		_, err = p.FinishForClient(c.ctx(), c.ofMobileApp(""), false) // declined
		refused(t, err, portal.WeChatFailed)
		// A code of another application, and one of the mobile application without its name.
		_, err = p.FinishForClient(c.ctx(), c.ofMobileApp(p.wechat.grants(platformAccount, xiao)), false)
		if err == nil {
			t.Error("a code of the official account is taken")
		}
		w := c.beginsAtThePlatform()
		_, err = p.FinishForClient(c.ctx(), portal.ClientCallbackInput{
			Code: p.wechat.grants(platformMobile, xiao), State: w.state, Provider: portal.WeChat, Client: c.kind,
		}, false)
		if err == nil {
			t.Error("a code of the mobile application is taken by another")
		}

		in := c.ofMobileApp(p.wechat.grants(platformMobile, xiao)) // for one company, and then for another
		in.CompanyID = 1001
		_, err = p.FinishForClient(c.ctx(), in, false)
		noError(t, err)
		in.CompanyID = 1002
		_, err = p.FinishForClient(c.ctx(), in, false)
		refused(t, err, portal.WeChatFailed)
		p.turnsChatOff(1001)
		in = c.ofMobileApp(p.wechat.grants(platformMobile, xiao))
		in.CompanyID = 1001
		_, err = p.FinishForClient(c.ctx(), in, false)
		refused(t, err, portal.WeChatFailed)
		p.leavesNothingOfTheCounterparts()
	}, withMobileApp)
	t.Run("without credentials", func(t *testing.T) {
		onceChat(t, func(t *testing.T, p *chatter) {
			c := p.program(portal.ClientApp)
			_, err := p.FinishForClient(c.ctx(), c.ofMobileApp("code"), false)
			refused(t, err, portal.WeChatFailed)
		})
	})
}

func TestANativeAppIsRefusedPastTheLimitOfAuthorisations(t *testing.T) {
	onceChat(t, func(t *testing.T, p *chatter) {
		c := p.program(portal.ClientApp)
		var last error
		for i := range portal.Authorisations + 1 {
			_, last = p.FinishForClient(c.ctx(), c.ofMobileApp(fmt.Sprintf("guess-%d", i)), false)
		}
		refused(t, last, portal.TooManyAttempts)
	}, withMobileApp)
}

func TestWhileTheManagementSideIsClosedTheNativeAppsWeChatEntersNoBackOffice(t *testing.T) {
	onceChat(t, func(t *testing.T, p *chatter) {
		c := p.program(portal.ClientApp)
		back, err := p.FinishForClient(c.ctx(), c.ofMobileApp(p.wechat.grants(platformMobile, xiao)), false)
		noError(t, err)
		_, err = p.BindByTicket(c.ctx(), portal.BindByTicketInput{
			Ticket: back.Ticket, Login: managerPhone, Password: portal.DemoPassword, Client: c.kind,
		})
		refused(t, err, portal.WeChatManagerClosed)
		p.wantLinks(0)
	}, withMobileApp, managerClosed)
}

func wantUnknownApp(t *testing.T, err error) {
	t.Helper()
	if with := refused(t, err, portal.ValidationFailed); with.Fields["app"] != portal.TargetUnknown {
		t.Errorf("%+v", with)
	}
}
