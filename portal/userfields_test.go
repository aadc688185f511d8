package portal_test

import (
	"bytes"
	"strings"
	"testing"

	"portico/portal"
	"portico/portal/picturetest"
	"portico/store"
)

// stayNull are the fields of the payload that are always null: the tickets stay on the server.
var stayNull = []string{"corp_jsapi_ticket_", "agent_jsapi_ticket_"}

func TestEveryFieldOfTheUserPayloadCanBeFilled(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		p.restart(func(o *portal.Options) { o.Environment = "staging" })
		p.linkedRow(xiao, buyerPhone)
		p.updateCompany(1001, func(c *store.Company) {
			c.Theme, c.Lighting, c.PCDomain = "d9480f", true, "http://store1001.portico.test"
		})
		buyer := p.account("buyer1")
		noError(t, p.EditPerson(t.Context(), p.boss(), buyer.ID, portal.PersonInput{
			Name: "王芳", Position: "采购经理", Department: "采购部", ClientID: buyer.ClientID,
		}))
		noError(t, p.SetCustomerType(t.Context(), p.boss(), buyer.ClientID, portal.CustomerTypeInput{TypeID: 3}))
		s := p.signIn(accountHost, buyerPhone).Session
		noError(t, p.SaveProfile(p.from(homeAddress), portal.ProfileInput{
			AccountID: buyer.ID, Name: "王芳芳", Position: "店长", Session: s, Body: bytes.NewReader(picturetest.JPEG(400, 300)),
		}))
		mixed, err := p.MixedLogin(p.from(homeAddress), portal.MixedLoginInput{
			Login: buyerPhone, Password: portal.DemoPassword, Client: portal.ClientApp, Target: store.PCShop,
		})
		noError(t, err)
		fields, _ := wireOf(t, *mixed.User)
		for _, name := range payload {
			isNull := fields[name] == nil
			if wantNull := name == stayNull[0] || name == stayNull[1]; isNull != wantNull {
				t.Errorf("%s is %v", name, fields[name])
			}
		}
		for name, want := range map[string]any{
			"env_": "staging", "name_": "王芳芳", "duty_name_": "店长", "dept_name_": "采购部", "client_type_id_": 3.0,
			"wechat_bind_": true, "isLighting": true, "company_theme_": "d9480f", "corp_id_": platformCorp,
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
	each(t, func(t *testing.T, p *platform) {
		for want, change := range map[string]func(*portal.Options){
			"dev": func(*portal.Options) {}, "production": func(o *portal.Options) { o.Dev = false },
			"eu-1": func(o *portal.Options) { o.Environment = "eu-1" },
		} {
			p.restart(func(o *portal.Options) { o.Dev, o.Environment = true, "" }, change)
			mixed, err := p.MixedLogin(p.from(homeAddress), portal.MixedLoginInput{
				Login: buyerPhone, Password: portal.DemoPassword, Client: portal.ClientApp,
			})
			if err != nil || string(mixed.User.Env) != want || mixed.User.AuthCode != "" {
				t.Errorf("%s: %+v, %v", want, mixed.User, err)
			}
		}
	})
}

func TestTheAnswerThatBindsWeChatSaysThatItIsBound(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		c := p.program(portal.ClientApp)
		before, err := p.MixedLogin(c.ctx(), portal.MixedLoginInput{Login: buyerPhone, Password: portal.DemoPassword, Client: c.kind})
		if err != nil || before.User.WechatBind {
			t.Fatalf("before: %+v, %v", before.User, err)
		}
		ticket := c.comesBack(portal.WeChat, xiao).Ticket
		bound, err := p.BindByTicket(c.ctx(), portal.BindByTicketInput{
			Ticket: ticket, Login: buyerPhone, Password: portal.DemoPassword, Client: c.kind,
		})
		if err != nil || bound.User == nil || !bound.User.WechatBind {
			t.Errorf("the one that binds: %+v, %v", bound.User, err)
		}
		back := c.comesBack(portal.WeChat, xiao)
		again, err := p.LoginByTicket(c.ctx(), portal.TicketLoginInput{Ticket: back.Ticket, Client: c.kind})
		if err != nil || again.User == nil || !again.User.WechatBind {
			t.Errorf("the one after it: %+v, %v", again.User, err)
		}
		s, err := p.Token(t.Context(), portal.TokenInput{Token: again.Ticket, Client: c.kind, Ticket: true})
		noError(t, err)
		user, err := p.LoginAs(c.ctx(), s, portal.LoginAsInput{AccountID: p.account("buyer1").ID, Client: c.kind})
		if err != nil || !user.WechatBind {
			t.Errorf("a chosen account: %+v, %v", user, err)
		}
		if here := p.landed("buyer1", phoneScreen); !here.User.WechatBind {
			t.Error("a landing does not know it")
		}
	})
}

func TestAnIdentityOfWorkChatBindsNoWeChat(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		c := p.program(portal.ClientApp)
		bound, err := p.BindByTicket(c.ctx(), portal.BindByTicketInput{
			Ticket: c.comesBack(portal.WeCom, lan).Ticket, Login: buyerPhone, Password: portal.DemoPassword, Client: c.kind,
		})
		if err != nil || bound.User == nil || bound.User.WechatBind {
			t.Errorf("%+v, %v", bound.User, err)
		}
	})
}

func TestASignInGivesACodeForTheSiteItNames(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		c := p.program(portal.ClientPC)
		in := portal.MixedLoginInput{Login: buyerPhone, Password: portal.DemoPassword, Client: c.kind}
		signed := func(target store.Slot) (portal.MixedLogin, error) {
			in.Target = target
			return p.MixedLogin(c.ctx(), in)
		}
		_, err := signed("desk")
		field(t, err, "target", portal.TargetUnknown)
		before := p.counted("attempts", "known_devices")
		_, err = signed(store.PCMgr) // a customer has no back office
		refused(t, err, portal.WrongParameters)
		if p.counted("attempts", "known_devices") != before {
			t.Error("a sign-in that was refused made a session")
		}
		mixed, err := signed(store.PCShop)
		noError(t, err)
		redeemed, err := p.RedeemForClient(c.ctx(), string(mixed.User.AuthCode), c.kind, 0)
		if err != nil || redeemed.Login != "buyer1" || redeemed.AuthCode != "" {
			t.Errorf("%+v, %v", redeemed, err)
		}
		other := p.program(portal.ClientApp)
		_, err = p.RedeemForClient(other.ctx(), string(mixed.User.AuthCode), other.kind, 0)
		refused(t, err, portal.LoginRequired) // one use

		bound, err := p.BindByTicket(c.ctx(), portal.BindByTicketInput{
			Ticket: c.comesBack(portal.WeChat, xiao).Ticket, Login: buyerPhone, Password: portal.DemoPassword, Client: c.kind,
			Target: store.MobileShop,
		})
		if err != nil || bound.User.AuthCode == "" {
			t.Errorf("bound: %+v, %v", bound.User, err)
		}
		byTicket, err := p.LoginByTicket(c.ctx(), portal.TicketLoginInput{
			Ticket: c.comesBack(portal.WeChat, xiao).Ticket, Client: c.kind, Target: store.MobileShop,
		})
		if err != nil || byTicket.User.AuthCode == "" {
			t.Errorf("by ticket: %+v, %v", byTicket.User, err)
		}
		s, err := p.Token(t.Context(), portal.TokenInput{Token: byTicket.Ticket, Client: c.kind, Ticket: true})
		noError(t, err)
		user, err := p.LoginAs(c.ctx(), s, portal.LoginAsInput{AccountID: p.account("buyer1").ID, Client: c.kind, Target: store.PCShop})
		if err != nil || user.AuthCode == "" {
			t.Errorf("chosen: %+v, %v", user, err)
		}
		_, err = p.LoginAs(c.ctx(), s, portal.LoginAsInput{AccountID: p.account("buyer1").ID, Client: c.kind, Target: store.PCMgr})
		refused(t, err, portal.WrongParameters)
	})
}
