package portal_test

import (
	"strings"
	"testing"
	"time"

	"portico/portal"
	"portico/store"
)

func TestAnInvitationIsForOnePhoneAndCompanyAndAWeek(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		m := p.invites(1001, "invited", newPhone)
		p.invites(1002, "invited.too", newPhone)
		token, err := p.Invite(t.Context(), 1001, m.ID)
		noError(t, err)
		if in, ok, err := p.Invitation(t.Context(), token); err != nil || !ok || in.Phone != newPhone || in.CompanyID != 1001 || in.Company.ID != 1001 || in.AccountID != m.ID || in.SetUp || in.Registered {
			t.Errorf("%+v, %v, %v", in, ok, err)
		}
		for _, c := range []struct{ company, account int64 }{{1001, p.account("buyer1").ID}, {1002, m.ID}, {1001, 1 << 40}} {
			_, err := p.Invite(t.Context(), c.company, c.account)
			refused(t, err, portal.NotFound)
		}

		in := p.completing(1002, newPhone, "", portal.NewFlow()) // the link's company counts
		in.Invite = token
		in.Code = p.sent(p.askToComplete(1001, newPhone, in.Flow))
		other := in
		other.Phone = buyerPhone
		_, err = p.complete(other)
		field(t, err, "phone", portal.PhoneNotInvited)
		for _, bad := range []string{"x", token + "x", token[:len(token)-1], strings.ToUpper(token)} {
			if _, ok, err := p.Invitation(t.Context(), bad); err != nil || ok {
				t.Errorf("a changed link is read: %v", err)
			}
			changed := in
			changed.Invite = bad
			_, err = p.complete(changed)
			refused(t, err, portal.NotFound)
		}
		p.clock.advance(portal.InvitationLife - time.Millisecond)
		if _, ok, err := p.Invitation(t.Context(), token); err != nil || !ok {
			t.Errorf("within the week: %v, %v", ok, err)
		}
		p.clock.advance(time.Second)
		if _, ok, err := p.Invitation(t.Context(), token); err != nil || ok {
			t.Errorf("after the week: %v, %v", ok, err)
		}
		noError(t, p.InviteAgain(t.Context(), p.boss(), m.ID))
		in.Invite, err = p.Invite(t.Context(), 1001, m.ID)
		noError(t, err)
		in.Code = p.sent(p.askToComplete(1001, newPhone, in.Flow))
		result, err := p.complete(in)
		if err != nil || result.Member.ID != m.ID || !p.account("invited.too").Invited {
			t.Errorf("%+v, %v", result.Member.Account, err)
		}
		_, err = p.Invite(t.Context(), 1001, m.ID)
		refused(t, err, portal.NotFound)
		if read, ok, err := p.Invitation(t.Context(), in.Invite); err != nil || !ok || !read.SetUp || read.Registered {
			t.Errorf("%+v, %v, %v", read, ok, err)
		}
		again, err := p.complete(in) // sent twice
		if err != nil || again.Member.ID != m.ID {
			t.Errorf("%+v, %v", again.Member.Account, err)
		}
	})
}

func TestRenewingAnInvitingLinkEndsTheOnesBefore(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		opened, err := p.opens1001(portal.OpenAccountInput{Side: "mgr", Type: 2, Name: "谁", Phone: newPhone})
		noError(t, err)
		id := opened.Member.ID
		read := func() (portal.Invitation, string, store.Instant) {
			link, until, err := p.InvitingLink(t.Context(), p.boss(), id)
			noError(t, err)
			_, token, _ := strings.Cut(link, "?invite=")
			in, _, err := p.Invitation(t.Context(), token)
			noError(t, err)
			return in, token, until
		}
		valid := func(token string) bool {
			_, ok, err := p.Invitation(t.Context(), token)
			noError(t, err)
			return ok
		}
		first, old, until := read()
		if want := store.At(p.clock.in(portal.InvitationLife)); until != want || first.InvitedAt != store.At(p.clock.now()) {
			t.Errorf("%+v until %d, want %d", first, until, want)
		}
		p.clock.advance(24 * time.Hour)
		if same, token, still := read(); still != until || same.InvitedAt != first.InvitedAt || !valid(token) || !valid(old) {
			t.Error("looking at the link makes it another one")
		}
		noError(t, p.InviteAgain(t.Context(), p.boss(), id))
		_, token, later := read()
		if later != store.At(p.clock.in(portal.InvitationLife)) || !valid(token) || valid(old) {
			t.Errorf("until %d; the new link works: %v, the old one: %v", later, valid(token), valid(old))
		}
		in := p.completing(0, newPhone, "", portal.NewFlow())
		in.Code, in.Invite = p.sent(p.askToComplete(1001, newPhone, in.Flow)), old
		_, err = p.complete(in)
		refused(t, err, portal.NotFound)
		noError(t, p.InviteAgain(t.Context(), p.boss(), id)) // in the same moment
		if valid(token) {
			t.Error("renewed within a millisecond the link before works on")
		}
		p.clock.advance(portal.InvitationLife + time.Second)
		if link, _, err := p.InvitingLink(t.Context(), p.boss(), id); err != nil || link != "" {
			t.Errorf("past its end the link is %q, %v", link, err)
		}
	})
}

// Whether a number has a password is told to nobody who has not proven it.
func TestALinkDoesNotTellWhetherItsPhoneHasAPassword(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		for _, phone := range []string{newPhone, bothPhone} {
			m := p.invites(1002, "invited."+phone, phone)
			token, err := p.Invite(t.Context(), 1002, m.ID)
			noError(t, err)
			if in, ok, err := p.Invitation(t.Context(), token); err != nil || !ok || in.Registered || in.Name != "" {
				t.Errorf("%+v, %v", in, err)
			}
		}
	})
}
