package signin_test

import (
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/application"
	"portico/portal/core"
	"portico/portal/portaltest"
	"portico/portal/portaltest/applicationtest"
	"portico/portal/portaltest/chattest"
	"portico/portal/signin"
)

func TestAnApplicantSeesTheirApplicationAgainByTheirIdentity(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		b := p.Browser(chattest.Host1001, chattest.InWeChat)
		ticket := b.UnknownTicket(access.WeChat, chattest.Xiao)
		a := p.SendApplication(b, ticket, 1001, portaltest.NewPhone)
		stands := func(want int64) {
			t.Helper()
			back, err := b.Authorise(access.WeChat, chattest.Xiao)
			portaltest.NoError(t, err)
			if back.Application != want || (back.Ticket == "") != (want != 0) || back.Login != nil ||
				back.ConfirmToken != "" {
				t.Errorf("%+v, want %d", back, want)
			}
		}
		stands(a.ID)
		w := b.Begin(access.WeChat)
		_, err := b.WithoutCookie().
			Finish(w, p.Wechat.Grant(w.App, chattest.Xiao))
			// without the cookie the answer does not say whose application it is
		portaltest.Refused(t, err, access.WeChatExpired)
		for name, other := range map[string]*chattest.Browser{"another company": p.Browser(chattest.Host1002,
			chattest.InWeChat), "the account site": p.Browser(portaltest.AccountHost, chattest.InWeChat),
			"another application": p.Browser(chattest.Host1001, chattest.OnDesktop)} {
			if got := other.Outcome(access.WeChat, chattest.Xiao); got != "unknown" {
				t.Errorf("%s: %s", name, got)
			}
		}
		if got := b.Outcome(access.WeChat, chattest.Identity(2)); got != "unknown" {
			t.Errorf("another person: %s", got)
		}
		c := p.Program(signin.ClientApp)
		if back := c.UnknownCallback(access.WeChat, chattest.Xiao); !back.Applied || back.Linked {
			t.Errorf("%+v", back)
		}
		if back := c.UnknownCallback(access.WeChat, chattest.Identity(2)); back.Applied {
			t.Errorf("%+v", back)
		}

		office := p.Land("jinsui", portaltest.PhoneScreen)
		_, _, err = p.Application.Review(t.Context(), office, application.ReviewInput{ID: a.ID, Reason: "材料不全"})
		portaltest.NoError(t, err)
		stands(a.ID) // rejected: it says why
		p.Clock.Advance(core.DefaultResend)
		again, err := applicationtest.Send(p.SMSPlatform, applicationtest.New(p.SMSPlatform, 1001, portaltest.NewPhone))
		portaltest.NoError(t, err)
		stands(again.ID)
		_, _, err = p.Application.Review(t.Context(), office, application.ReviewInput{ID: again.ID, Approve: true})
		portaltest.NoError(t, err)
		stands(0) // there is an account to set up and to link
	})
}

func TestAnInvalidTicketLinksNoIdentityToAnApplication(t *testing.T) {
	chattest.OnSQLiteWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		b := p.Browser(chattest.Host1001, chattest.InWeChat)
		other := p.Browser(chattest.Host1001, chattest.InWeChat)
		ticket := b.UnknownTicket(access.WeChat, chattest.Xiao)
		elsewhere := p.Browser(chattest.Host1002, chattest.InWeChat)
		foreign := elsewhere.UnknownTicket(access.WeChat, chattest.Xiao)
		before := p.DumpRows()
		for name, c := range map[string]struct {
			ticket, flow string
			company      int64
		}{
			"another browser": {ticket, other.Flow, 1001}, "no browser": {ticket, "", 1001},
			"another company":          {ticket, b.Flow, 1002},
			"another company's ticket": {foreign, elsewhere.Flow, 1001}, "no company": {ticket, b.Flow, 0},
			"no ticket": {"", b.Flow, 1001}, "an openId": {chattest.Xiao.Subject, b.Flow, 1001},
		} {
			if err := p.Chatlogin.NoteApplicant(
				b.Context(), c.ticket, c.flow, c.company, portaltest.NewPhone,
			); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		p.Clock.Advance(signin.IdentityTicketLife + time.Millisecond)
		// too late
		portaltest.NoError(t, p.Chatlogin.NoteApplicant(b.Context(), ticket, b.Flow, 1001, portaltest.NewPhone))
		if p.DumpRows() != before {
			t.Error("something was noted")
		}
	})
}

func TestTheLatestPhoneOfAnIdentityReplacesTheEarlierOne(t *testing.T) {
	chattest.OnSQLiteWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		b := p.Browser(chattest.Host1001, chattest.InWeChat)
		ticket := b.UnknownTicket(access.WeChat, chattest.Xiao)
		p.SendApplication(b, ticket, 1001, portaltest.NewPhone)
		second := p.SendApplication(b, ticket, 1001, "13900000555")
		back, err := b.Authorise(access.WeChat, chattest.Xiao)
		if err != nil || back.Application != second.ID {
			t.Errorf("%+v %v", back, err)
		}
		b.Link(access.WeChat, chattest.Identity(2), portaltest.BuyerPhone)
		p.SendApplication(
			p.Browser(chattest.Host1001, chattest.InWeChat), "", 1001, "13900000556",
		) // without WeChat nothing is noted
	})
}

func TestALinkedIdentitySignsInDespiteAnApplication(t *testing.T) {
	chattest.OnSQLiteWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		b := p.Browser(chattest.Host1001, chattest.InWeChat)
		ticket := b.UnknownTicket(access.WeChat, chattest.Xiao)
		p.SendApplication(b, ticket, 1001, portaltest.NewPhone)
		l, err := b.ProveLink(b.LinkInput(ticket, portaltest.BuyerPhone))
		portaltest.NoError(t, err)
		_, err = b.ConfirmLink(l)
		portaltest.NoError(t, err)
		if got := b.Outcome(access.WeChat, chattest.Xiao); got != "signed in" {
			t.Errorf("%s", got)
		}
	})
}

func TestTheSweepDeletesExpiredApplicantIdentities(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		b := p.Browser(chattest.Host1001, chattest.InWeChat)
		a := p.SendApplication(b, b.UnknownTicket(access.WeChat, chattest.Xiao), 1001, portaltest.NewPhone)
		p.Clock.Advance(180*24*time.Hour - time.Millisecond)
		portaltest.NoError(t, p.Sweep(t.Context()))
		back, err := b.Authorise(access.WeChat, chattest.Xiao)
		if err != nil || back.Application != a.ID {
			t.Errorf("%+v %v", back, err)
		}
		p.Clock.Advance(time.Second)
		portaltest.NoError(t, p.Sweep(t.Context()))
		if got := b.Outcome(access.WeChat, chattest.Xiao); got != "unknown" {
			t.Errorf("%s", got)
		}
	})
}
