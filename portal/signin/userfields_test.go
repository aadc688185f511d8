package signin_test

import (
	"bytes"
	"strings"
	"testing"

	"portico/portal"
	"portico/portal/access"
	"portico/portal/credentials"
	"portico/portal/office"
	"portico/portal/onboarding"
	"portico/portal/picturetest"
	"portico/portal/portaltest"
	"portico/portal/portaltest/chattest"
	"portico/portal/portaltest/companytest"
	"portico/portal/signin"
	"portico/store"
)

// StayNull are the fields of the payload that are always null: the tickets stay on the server.
var StayNull = []string{"corp_jsapi_ticket_", "agent_jsapi_ticket_"}

func TestEveryFieldOfTheUserPayloadCanBeFilled(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		p.Restart(func(o *portal.Options) { o.Environment = "staging" })
		p.AddLink(chattest.Xiao, portaltest.BuyerPhone)
		p.UpdateCompany(1001, func(c *store.Company) {
			c.Theme, c.Lighting, c.PCDomain = "d9480f", true, "http://store1001.portico.test"
		})
		buyer := p.Account("buyer1")
		portaltest.NoError(t, p.Backoffice.EditPerson(t.Context(), p.Administrator(), buyer.ID, office.PersonInput{
			Name: "王芳", Position: "采购经理", Department: "采购部", ClientID: buyer.ClientID,
		}))
		portaltest.NoError(t, p.Backoffice.SetCustomerType(t.Context(), p.Administrator(), buyer.ClientID,
			office.CustomerTypeInput{TypeID: 3}))
		s := p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone).Session
		portaltest.NoError(t, p.Profiles.SaveProfile(p.From(portaltest.HomeAddress), credentials.ProfileInput{
			AccountID: buyer.ID, Name: "王芳芳", Position: "店长", Session: s,
			Body: bytes.NewReader(picturetest.JPEG(400, 300)),
		}))
		mixed, err := p.Signin.ClientLogin(p.From(portaltest.HomeAddress), signin.ClientLoginInput{
			Login: portaltest.BuyerPhone, Password: onboarding.DemoPassword, Client: signin.ClientApp,
			Target: store.PCShop,
		})
		portaltest.NoError(t, err)
		fields, _ := companytest.UserJSON(t, *mixed.User)
		for _, name := range Payload {
			isNull := fields[name] == nil
			if wantNull := name == StayNull[0] || name == StayNull[1]; isNull != wantNull {
				t.Errorf("%s is %v", name, fields[name])
			}
		}
		for name, want := range map[string]any{
			"env_": "staging", "name_": "王芳芳", "duty_name_": "店长", "dept_name_": "采购部", "client_type_id_": 3.0,
			"wechat_bind_": true, "isLighting": true, "company_theme_": "d9480f", "corp_id_": chattest.PlatformCorp,
			"pc_domain_": "http://store1001.portico.test", "client_id_": float64(buyer.ClientID),
		} {
			if fields[name] != want {
				t.Errorf("%s is %v, want %v", name, fields[name], want)
			}
		}
		if head, _ := fields["head_img_"].(string); !strings.HasPrefix(head, "http://account.portico.test/portrait/") {
			t.Errorf("the portrait is at %q", head)
		}
	})
}

func TestTheEnvironmentIsDevOrProductionUnlessItHasAName(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		for want, change := range map[string]func(*portal.Options){
			"dev": func(*portal.Options) {}, "production": func(o *portal.Options) { o.Dev = false },
			"eu-1": func(o *portal.Options) { o.Environment = "eu-1" },
		} {
			p.Restart(func(o *portal.Options) { o.Dev, o.Environment = true, "" }, change)
			mixed, err := p.Signin.ClientLogin(p.From(portaltest.HomeAddress), signin.ClientLoginInput{
				Login: portaltest.BuyerPhone, Password: onboarding.DemoPassword, Client: signin.ClientApp,
			})
			if err != nil || string(mixed.User.Env) != want || mixed.User.AuthCode != "" {
				t.Errorf("%s: %+v, %v", want, mixed.User, err)
			}
		}
	})
}

func TestTheAnswerThatBindsWeChatSaysThatItIsBound(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		c := p.Program(signin.ClientApp)
		before, err := p.Signin.ClientLogin(c.Context(),
			signin.ClientLoginInput{Login: portaltest.BuyerPhone, Password: onboarding.DemoPassword, Client: c.Kind})
		if err != nil || before.User.WechatBind {
			t.Fatalf("before: %+v, %v", before.User, err)
		}
		ticket := c.UnknownCallback(access.WeChat, chattest.Xiao).Ticket
		bound, err := p.Chatlogin.BindByTicket(c.Context(), signin.BindByTicketInput{
			Ticket: ticket, Login: portaltest.BuyerPhone, Password: onboarding.DemoPassword, Client: c.Kind,
		})
		if err != nil || bound.User == nil || !bound.User.WechatBind {
			t.Errorf("the one that binds: %+v, %v", bound.User, err)
		}
		back := c.UnknownCallback(access.WeChat, chattest.Xiao)
		again, err := p.Chatlogin.LoginByTicket(c.Context(),
			signin.TicketLoginInput{Ticket: back.Ticket, Client: c.Kind})
		if err != nil || again.User == nil || !again.User.WechatBind {
			t.Errorf("the one after it: %+v, %v", again.User, err)
		}
		s, err := p.Landing.Token(t.Context(), signin.TokenInput{Token: again.Ticket, Client: c.Kind, Ticket: true})
		portaltest.NoError(t, err)
		user, err := p.Chatlogin.LoginAs(c.Context(), s,
			signin.LoginAsInput{AccountID: p.Account("buyer1").ID, Client: c.Kind})
		if err != nil || !user.WechatBind {
			t.Errorf("a chosen account: %+v, %v", user, err)
		}
		if here := p.Land("buyer1", portaltest.PhoneScreen); !here.User.WechatBind {
			t.Error("a landing does not know it")
		}
	})
}

func TestAnIdentityOfWorkChatBindsNoWeChat(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		c := p.Program(signin.ClientApp)
		bound, err := p.Chatlogin.BindByTicket(c.Context(), signin.BindByTicketInput{
			Ticket: c.UnknownCallback(access.WeCom, chattest.Lan).Ticket, Login: portaltest.BuyerPhone,
			Password: onboarding.DemoPassword, Client: c.Kind,
		})
		if err != nil || bound.User == nil || bound.User.WechatBind {
			t.Errorf("%+v, %v", bound.User, err)
		}
	})
}

func TestASignInGivesACodeForTheSiteItNames(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		c := p.Program(access.ClientPC)
		in := signin.ClientLoginInput{Login: portaltest.BuyerPhone, Password: onboarding.DemoPassword, Client: c.Kind}
		signed := func(target store.Slot) (signin.ClientLogin, error) {
			in.Target = target
			return p.Signin.ClientLogin(c.Context(), in)
		}
		_, err := signed("desk")
		portaltest.WantField(t, err, "target", access.TargetUnknown)
		before := p.CountRows("attempts", "known_devices")
		_, err = signed(store.PCMgr) // a customer has no back office
		portaltest.Refused(t, err, access.WrongParameters)
		if p.CountRows("attempts", "known_devices") != before {
			t.Error("a sign-in that was refused made a session")
		}
		mixed, err := signed(store.PCShop)
		portaltest.NoError(t, err)
		redeemed, err := p.Landing.RedeemForClient(c.Context(), string(mixed.User.AuthCode), c.Kind, 0)
		if err != nil || redeemed.Login != "buyer1" || redeemed.AuthCode != "" {
			t.Errorf("%+v, %v", redeemed, err)
		}
		other := p.Program(signin.ClientApp)
		_, err = p.Landing.RedeemForClient(other.Context(), string(mixed.User.AuthCode), other.Kind, 0)
		portaltest.Refused(t, err, access.LoginRequired) // one use

		bound, err := p.Chatlogin.BindByTicket(c.Context(), signin.BindByTicketInput{
			Ticket: c.UnknownCallback(access.WeChat, chattest.Xiao).Ticket, Login: portaltest.BuyerPhone,
			Password: onboarding.DemoPassword, Client: c.Kind,
			Target: store.MobileShop,
		})
		if err != nil || bound.User.AuthCode == "" {
			t.Errorf("bound: %+v, %v", bound.User, err)
		}
		byTicket, err := p.Chatlogin.LoginByTicket(c.Context(), signin.TicketLoginInput{
			Ticket: c.UnknownCallback(access.WeChat, chattest.Xiao).Ticket, Client: c.Kind, Target: store.MobileShop,
		})
		if err != nil || byTicket.User.AuthCode == "" {
			t.Errorf("by ticket: %+v, %v", byTicket.User, err)
		}
		s, err := p.Landing.Token(t.Context(), signin.TokenInput{Token: byTicket.Ticket, Client: c.Kind, Ticket: true})
		portaltest.NoError(t, err)
		user, err := p.Chatlogin.LoginAs(c.Context(), s,
			signin.LoginAsInput{AccountID: p.Account("buyer1").ID, Client: c.Kind, Target: store.PCShop})
		if err != nil || user.AuthCode == "" {
			t.Errorf("chosen: %+v, %v", user, err)
		}
		_, err = p.Chatlogin.LoginAs(c.Context(), s,
			signin.LoginAsInput{AccountID: p.Account("buyer1").ID, Client: c.Kind, Target: store.PCMgr})
		portaltest.Refused(t, err, access.WrongParameters)
	})
}
