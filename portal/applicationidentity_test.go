package portal_test

import (
	"testing"
	"time"

	"portico/portal"
	"portico/store"
)

// appliesBy is an application of somebody who came by WeChat.
func (p *chatter) appliesBy(b *browser, ticket string, company int64, phone string) store.Application {
	p.t.Helper()
	in := p.applies(company, phone)
	noError(p.t, p.NoteApplicant(b.ctx(), ticket, b.flow, company, phone))
	a, err := p.apply(in)
	noError(p.t, err)
	return a
}

func TestWhoAppliedComesBackToTheApplication(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		b := p.browser(host1001, inWeChat)
		ticket := b.unknown(portal.WeChat, xiao)
		a := p.appliesBy(b, ticket, 1001, newPhone)
		stands := func(want int64) {
			t.Helper()
			back, err := b.authorises(portal.WeChat, xiao)
			noError(t, err)
			if back.Application != want || (back.Ticket == "") != (want != 0) || back.Login != nil || back.Ask != "" {
				t.Errorf("%+v, want %d", back, want)
			}
		}
		stands(a.ID)
		w := b.goes(portal.WeChat)
		_, err := b.without().returns(w, p.wechat.grants(w.app, xiao)) // whose it is, is not told without the cookie
		refused(t, err, portal.WeChatExpired)
		for name, other := range map[string]*browser{"another company": p.browser(host1002, inWeChat), "the account site": p.browser(accountHost, inWeChat), "another application": p.browser(host1001, onADesktop)} {
			if got := other.becomes(portal.WeChat, xiao); got != "unknown" {
				t.Errorf("%s: %s", name, got)
			}
		}
		if got := b.becomes(portal.WeChat, someone(2)); got != "unknown" {
			t.Errorf("somebody else: %s", got)
		}
		c := p.program(portal.ClientApp)
		if back := c.comesBack(portal.WeChat, xiao); !back.Applied || back.Linked {
			t.Errorf("%+v", back)
		}
		if back := c.comesBack(portal.WeChat, someone(2)); back.Applied {
			t.Errorf("%+v", back)
		}

		office := p.landed("jinsui", phoneScreen)
		_, _, err = p.Review(t.Context(), office, portal.ReviewInput{ID: a.ID, Reason: "材料不全"})
		noError(t, err)
		stands(a.ID) // rejected: it says why
		p.clock.advance(portal.DefaultResend)
		again, err := p.apply(p.applies(1001, newPhone))
		noError(t, err)
		stands(again.ID)
		_, _, err = p.Review(t.Context(), office, portal.ReviewInput{ID: again.ID, Approve: true})
		noError(t, err)
		stands(0) // there is an account to set up and to link
	})
}

func TestATicketThatIsNoneNotesNoApplicant(t *testing.T) {
	onceChat(t, func(t *testing.T, p *chatter) {
		b, other := p.browser(host1001, inWeChat), p.browser(host1001, inWeChat)
		ticket := b.unknown(portal.WeChat, xiao)
		elsewhere := p.browser(host1002, inWeChat)
		foreign := elsewhere.unknown(portal.WeChat, xiao)
		before := p.rows()
		for name, c := range map[string]struct {
			ticket, flow string
			company      int64
		}{
			"another browser": {ticket, other.flow, 1001}, "no browser": {ticket, "", 1001}, "another company": {ticket, b.flow, 1002},
			"another company's ticket": {foreign, elsewhere.flow, 1001}, "no company": {ticket, b.flow, 0}, "no ticket": {"", b.flow, 1001}, "an openId": {xiao.Subject, b.flow, 1001},
		} {
			if err := p.NoteApplicant(b.ctx(), c.ticket, c.flow, c.company, newPhone); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		p.clock.advance(portal.IdentityTicketLife + time.Millisecond)
		noError(t, p.NoteApplicant(b.ctx(), ticket, b.flow, 1001, newPhone)) // too late
		if p.rows() != before {
			t.Error("something was noted")
		}
	})
}

func TestAnotherPhoneTakesThePlaceOfTheOneBefore(t *testing.T) {
	onceChat(t, func(t *testing.T, p *chatter) {
		b := p.browser(host1001, inWeChat)
		ticket := b.unknown(portal.WeChat, xiao)
		p.appliesBy(b, ticket, 1001, newPhone)
		second := p.appliesBy(b, ticket, 1001, "13900000555")
		back, err := b.authorises(portal.WeChat, xiao)
		if err != nil || back.Application != second.ID {
			t.Errorf("%+v %v", back, err)
		}
		b.links(portal.WeChat, someone(2), buyerPhone)
		p.appliesBy(p.browser(host1001, inWeChat), "", 1001, "13900000556") // without WeChat nothing is noted
	})
}

func TestWhoIsLinkedIsSignedInWhateverTheyApplied(t *testing.T) {
	onceChat(t, func(t *testing.T, p *chatter) {
		b := p.browser(host1001, inWeChat)
		ticket := b.unknown(portal.WeChat, xiao)
		p.appliesBy(b, ticket, 1001, newPhone)
		l, err := b.proves(b.linking(ticket, buyerPhone))
		noError(t, err)
		_, err = b.confirms(l)
		noError(t, err)
		if got := b.becomes(portal.WeChat, xiao); got != "signed in" {
			t.Errorf("%s", got)
		}
	})
}

func TestTheSweepForgetsApplicantsInTime(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		b := p.browser(host1001, inWeChat)
		a := p.appliesBy(b, b.unknown(portal.WeChat, xiao), 1001, newPhone)
		p.clock.advance(portal.ApplicantKept - time.Millisecond)
		noError(t, p.Sweep(t.Context()))
		back, err := b.authorises(portal.WeChat, xiao)
		if err != nil || back.Application != a.ID {
			t.Errorf("%+v %v", back, err)
		}
		p.clock.advance(time.Second)
		noError(t, p.Sweep(t.Context()))
		if got := b.becomes(portal.WeChat, xiao); got != "unknown" {
			t.Errorf("%s", got)
		}
	})
}
