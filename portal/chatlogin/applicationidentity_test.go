package chatlogin_test

import (
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/application"
	"portico/portal/chatlogin"
	"portico/portal/landing"
	"portico/portal/portaltest"
	"portico/portal/signin"
	"portico/portal/verification"
)

func TestAnApplicantSeesTheirApplicationAgainByTheirIdentity(t *testing.T) {
	portaltest.EachChat(t, func(t *testing.T, p *portaltest.Chatter) {
		b := p.Browser(portaltest.Host1001, portaltest.InWeChat)
		ticket := b.Unknown(access.WeChat, portaltest.Xiao)
		a := p.AppliesBy(b, ticket, 1001, portaltest.NewPhone)
		stands := func(want int64) {
			t.Helper()
			back, err := b.Authorises(access.WeChat, portaltest.Xiao)
			portaltest.NoError(t, err)
			if back.Application != want || (back.Ticket == "") != (want != 0) || back.Login != nil ||
				back.ConfirmToken != "" {
				t.Errorf("%+v, want %d", back, want)
			}
		}
		stands(a.ID)
		w := b.Goes(access.WeChat)
		_, err := b.Without().
			Returns(w, p.Wechat.Grants(w.App, portaltest.Xiao))
			// without the cookie the answer does not say whose application it is
		portaltest.Refused(t, err, access.WeChatExpired)
		for name, other := range map[string]*portaltest.Browser{"another company": p.Browser(portaltest.Host1002,
			portaltest.InWeChat), "the account site": p.Browser(portaltest.AccountHost, portaltest.InWeChat),
			"another application": p.Browser(portaltest.Host1001, portaltest.OnADesktop)} {
			if got := other.Becomes(access.WeChat, portaltest.Xiao); got != "unknown" {
				t.Errorf("%s: %s", name, got)
			}
		}
		if got := b.Becomes(access.WeChat, portaltest.Someone(2)); got != "unknown" {
			t.Errorf("another person: %s", got)
		}
		c := p.Program(landing.ClientApp)
		if back := c.ComesBack(access.WeChat, portaltest.Xiao); !back.Applied || back.Linked {
			t.Errorf("%+v", back)
		}
		if back := c.ComesBack(access.WeChat, portaltest.Someone(2)); back.Applied {
			t.Errorf("%+v", back)
		}

		office := p.Landed("jinsui", portaltest.PhoneScreen)
		_, _, err = p.Application.Review(t.Context(), office, application.ReviewInput{ID: a.ID, Reason: "材料不全"})
		portaltest.NoError(t, err)
		stands(a.ID) // rejected: it says why
		p.Clock.Advance(verification.DefaultResend)
		again, err := p.Apply(p.Applies(1001, portaltest.NewPhone))
		portaltest.NoError(t, err)
		stands(again.ID)
		_, _, err = p.Application.Review(t.Context(), office, application.ReviewInput{ID: again.ID, Approve: true})
		portaltest.NoError(t, err)
		stands(0) // there is an account to set up and to link
	})
}

func TestAnInvalidTicketLinksNoIdentityToAnApplication(t *testing.T) {
	portaltest.OnceChat(t, func(t *testing.T, p *portaltest.Chatter) {
		b := p.Browser(portaltest.Host1001, portaltest.InWeChat)
		other := p.Browser(portaltest.Host1001, portaltest.InWeChat)
		ticket := b.Unknown(access.WeChat, portaltest.Xiao)
		elsewhere := p.Browser(portaltest.Host1002, portaltest.InWeChat)
		foreign := elsewhere.Unknown(access.WeChat, portaltest.Xiao)
		before := p.Rows()
		for name, c := range map[string]struct {
			ticket, flow string
			company      int64
		}{
			"another browser": {ticket, other.Flow, 1001}, "no browser": {ticket, "", 1001},
			"another company":          {ticket, b.Flow, 1002},
			"another company's ticket": {foreign, elsewhere.Flow, 1001}, "no company": {ticket, b.Flow, 0},
			"no ticket": {"", b.Flow, 1001}, "an openId": {portaltest.Xiao.Subject, b.Flow, 1001},
		} {
			if err := p.Chatlogin.NoteApplicant(b.Ctx(), c.ticket, c.flow, c.company, portaltest.NewPhone); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		p.Clock.Advance(signin.IdentityTicketLife + time.Millisecond)
		portaltest.NoError(t, p.Chatlogin.NoteApplicant(b.Ctx(), ticket, b.Flow, 1001, portaltest.NewPhone)) // too late
		if p.Rows() != before {
			t.Error("something was noted")
		}
	})
}

func TestTheLatestPhoneOfAnIdentityReplacesTheEarlierOne(t *testing.T) {
	portaltest.OnceChat(t, func(t *testing.T, p *portaltest.Chatter) {
		b := p.Browser(portaltest.Host1001, portaltest.InWeChat)
		ticket := b.Unknown(access.WeChat, portaltest.Xiao)
		p.AppliesBy(b, ticket, 1001, portaltest.NewPhone)
		second := p.AppliesBy(b, ticket, 1001, "13900000555")
		back, err := b.Authorises(access.WeChat, portaltest.Xiao)
		if err != nil || back.Application != second.ID {
			t.Errorf("%+v %v", back, err)
		}
		b.Links(access.WeChat, portaltest.Someone(2), portaltest.BuyerPhone)
		p.AppliesBy(
			p.Browser(portaltest.Host1001, portaltest.InWeChat), "", 1001, "13900000556",
		) // without WeChat nothing is noted
	})
}

func TestALinkedIdentitySignsInDespiteAnApplication(t *testing.T) {
	portaltest.OnceChat(t, func(t *testing.T, p *portaltest.Chatter) {
		b := p.Browser(portaltest.Host1001, portaltest.InWeChat)
		ticket := b.Unknown(access.WeChat, portaltest.Xiao)
		p.AppliesBy(b, ticket, 1001, portaltest.NewPhone)
		l, err := b.Proves(b.Linking(ticket, portaltest.BuyerPhone))
		portaltest.NoError(t, err)
		_, err = b.Confirms(l)
		portaltest.NoError(t, err)
		if got := b.Becomes(access.WeChat, portaltest.Xiao); got != "signed in" {
			t.Errorf("%s", got)
		}
	})
}

func TestTheSweepDeletesExpiredApplicantIdentities(t *testing.T) {
	portaltest.EachChat(t, func(t *testing.T, p *portaltest.Chatter) {
		b := p.Browser(portaltest.Host1001, portaltest.InWeChat)
		a := p.AppliesBy(b, b.Unknown(access.WeChat, portaltest.Xiao), 1001, portaltest.NewPhone)
		p.Clock.Advance(chatlogin.ApplicantKept - time.Millisecond)
		portaltest.NoError(t, p.Sweep(t.Context()))
		back, err := b.Authorises(access.WeChat, portaltest.Xiao)
		if err != nil || back.Application != a.ID {
			t.Errorf("%+v %v", back, err)
		}
		p.Clock.Advance(time.Second)
		portaltest.NoError(t, p.Sweep(t.Context()))
		if got := b.Becomes(access.WeChat, portaltest.Xiao); got != "unknown" {
			t.Errorf("%s", got)
		}
	})
}
