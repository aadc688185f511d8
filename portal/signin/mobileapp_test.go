package signin_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"portico/portal"
	"portico/portal/access"
	"portico/portal/onboarding"
	"portico/portal/portaltest"
	"portico/portal/portaltest/chattest"
	"portico/portal/signin"
	"portico/store"
)

// PlatformMobile is the ID of the platform's WeChat application for native apps.
const PlatformMobile = "wx00000000000000d1"

// WithMobileApp adds the WeChat application for native apps to the options.
func WithMobileApp(o *portal.Options) {
	o.Providers.Apps = append(o.Providers.Apps, signin.ProviderApp{
		Kind: store.WeChatMobile, ID: PlatformMobile, Secret: chattest.PlatformSecret + "the-mobile-app",
	})
}

func TestANativeAppSignsInWithCodesOfItsOwnWeChatApplication(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		united := signin.ProviderIdentity{Subject: "oAtTheMobileApp", UnionID: "u-xiao", Nick: "小"}
		c := p.Program(signin.ClientApp)
		in := mobileAppInput(c, p.Wechat.Grant(PlatformMobile, united))
		back, err := p.Chatlogin.FinishForClient(c.Context(), in, false)
		portaltest.NoError(t, err)
		if back.Linked || back.Identity != united || back.Ticket == "" {
			t.Fatalf("%+v", back)
		}
		for range 2 { // the answer was lost
			again, err := p.Chatlogin.FinishForClient(c.Context(), in, false)
			if err != nil || again.Identity != united {
				t.Fatalf("%+v %v", again, err)
			}
		}
		if n := p.Wechat.Count("exchange"); n != 1 {
			t.Errorf("WeChat was asked %d times", n)
		}
		p.Clock.Advance(2 * time.Minute)
		_, err = p.Chatlogin.FinishForClient(c.Context(), in, false)
		portaltest.Refused(t, err, access.WeChatExpired)

		// The union id links it with the identity at the official account.
		elsewhere := united
		elsewhere.Subject = "oAtTheAccount"
		p.AddLink(elsewhere, portaltest.BuyerPhone)
		back, err = p.Chatlogin.FinishForClient(
			c.Context(), mobileAppInput(c, p.Wechat.Grant(PlatformMobile, united)), false,
		)
		portaltest.NoError(t, err)
		if !back.Linked {
			t.Fatal("the union id does not link")
		}
		signed, err := c.LoginByTicket(back.Ticket, 0)
		portaltest.NoError(t, err)
		if signed.User == nil || signed.User.Login != "buyer1" {
			t.Errorf("%+v", signed)
		}
		p.WantLinks(2)
	}, WithMobileApp)
}

func TestCodesOfTheMobileApplicationAreAcceptedOnlyFromNativeApps(t *testing.T) {
	chattest.OnSQLiteWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		c := p.Program(signin.ClientApp)
		for _, kind := range []access.Client{signin.ClientWebApp, access.ClientPC} {
			other := p.Program(kind)
			_, err := p.Chatlogin.FinishForClient(
				other.Context(), mobileAppInput(other, p.Wechat.Grant(PlatformMobile, chattest.Xiao)), false,
			)
			WantUnknownApp(t, err)
		}
		unknown := mobileAppInput(c, p.Wechat.Grant(PlatformMobile, chattest.Xiao))
		unknown.App = "website"
		_, err := p.Chatlogin.FinishForClient(c.Context(), unknown, false)
		WantUnknownApp(t, err)
		_, err = p.Chatlogin.FinishForClient(c.Context(), mobileAppInput(c, ""), false) // declined
		portaltest.Refused(t, err, access.WeChatFailed)
		// A code of another application, and one of the mobile application without its name.
		_, err = p.Chatlogin.FinishForClient(
			c.Context(), mobileAppInput(c, p.Wechat.Grant(chattest.PlatformAccount, chattest.Xiao)), false,
		)
		if err == nil {
			t.Error("a code of the official account is taken")
		}
		w := c.BeginAtPlatform()
		_, err = p.Chatlogin.FinishForClient(c.Context(), signin.ClientCallbackInput{
			Code:     p.Wechat.Grant(PlatformMobile, chattest.Xiao),
			State:    w.State,
			Provider: access.WeChat,
			Client:   c.Kind,
		}, false)
		if err == nil {
			t.Error("a code of the mobile application is taken by another")
		}

		in := mobileAppInput(c, p.Wechat.Grant(PlatformMobile, chattest.Xiao)) // for one company, and then for another
		in.CompanyID = 1001
		_, err = p.Chatlogin.FinishForClient(c.Context(), in, false)
		portaltest.NoError(t, err)
		in.CompanyID = 1002
		_, err = p.Chatlogin.FinishForClient(c.Context(), in, false)
		portaltest.Refused(t, err, access.WeChatFailed)
		turnChatOff(p, 1001)
		in = mobileAppInput(c, p.Wechat.Grant(PlatformMobile, chattest.Xiao))
		in.CompanyID = 1001
		_, err = p.Chatlogin.FinishForClient(c.Context(), in, false)
		portaltest.Refused(t, err, access.WeChatFailed)
		p.WantNoChatSecrets()
	}, WithMobileApp)
	t.Run("without credentials", func(t *testing.T) {
		chattest.OnSQLiteWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
			c := p.Program(signin.ClientApp)
			_, err := p.Chatlogin.FinishForClient(c.Context(), mobileAppInput(c, "code"), false)
			portaltest.Refused(t, err, access.WeChatFailed)
		})
	})
}

func TestNativeAppsAreRefusedAboveTheLimitOfAuthorisations(t *testing.T) {
	chattest.OnSQLiteWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		c := p.Program(signin.ClientApp)
		for i := range 201 {
			_, err := p.Chatlogin.FinishForClient(c.Context(), mobileAppInput(c, fmt.Sprintf("guess-%d", i)), false)
			if errors.Is(err, access.TooManyAttempts) != (i == 200) {
				t.Fatalf("guess %d: %v", i+1, err)
			}
		}
	}, WithMobileApp)
}

func TestANativeAppsWeChatEntersNoBackOfficeWhileTheManagementSideIsClosed(t *testing.T) {
	chattest.OnSQLiteWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		c := p.Program(signin.ClientApp)
		back, err := p.Chatlogin.FinishForClient(
			c.Context(), mobileAppInput(c, p.Wechat.Grant(PlatformMobile, chattest.Xiao)), false,
		)
		portaltest.NoError(t, err)
		_, err = p.Chatlogin.BindByTicket(c.Context(), signin.BindByTicketInput{
			Ticket: back.Ticket, Login: portaltest.ManagerPhone, Password: onboarding.DemoPassword, Client: c.Kind,
		})
		portaltest.Refused(t, err, access.WeChatManagerClosed)
		p.WantLinks(0)
	}, WithMobileApp, chattest.ManagerClosed)
}

// WantUnknownApp fails the test unless err says that the chat application is unknown.
func WantUnknownApp(t *testing.T, err error) {
	t.Helper()
	if with := portaltest.Refused(t, err, access.ValidationFailed); with.Fields["app"] != access.TargetUnknown {
		t.Errorf("%+v", with)
	}
}

// mobileAppInput returns the callback of the native app with a code from WeChat's SDK.
func mobileAppInput(c *chattest.Program, code string) signin.ClientCallbackInput {
	return signin.ClientCallbackInput{Code: code, App: signin.MobileApp, Provider: access.WeChat, Client: c.Kind}
}
