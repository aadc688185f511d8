package portal_test

import (
	"strings"
	"testing"
	"time"

	"portico/portal"
)

func TestAnInvitationIsForOnePhoneAndCompanyAndAWeek(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		m := p.invites(1001, "invited", newPhone)
		p.invites(1002, "invited.too", newPhone)
		token, err := p.Invite(t.Context(), 1001, m.ID)
		noError(t, err)
		if in, ok, err := p.Invitation(t.Context(), token); err != nil || !ok || in.Phone != newPhone || in.CompanyID != 1001 || in.Company.ID != 1001 || in.Registered {
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
		p.clock.advance(portal.InvitationLife)
		if _, ok, err := p.Invitation(t.Context(), token); err != nil || !ok {
			t.Errorf("within the week: %v, %v", ok, err)
		}
		p.clock.advance(time.Second)
		if _, ok, err := p.Invitation(t.Context(), token); err != nil || ok {
			t.Errorf("after the week: %v, %v", ok, err)
		}
		in.Invite, err = p.Invite(t.Context(), 1001, m.ID)
		noError(t, err)
		in.Code = p.sent(p.askToComplete(1001, newPhone, in.Flow))
		result, err := p.complete(in)
		if err != nil || result.Member.ID != m.ID || !p.account("invited.too").Invited {
			t.Errorf("%+v, %v", result.Member.Account, err)
		}
		_, err = p.Invite(t.Context(), 1001, m.ID)
		refused(t, err, portal.NotFound)
		if read, ok, err := p.Invitation(t.Context(), in.Invite); err != nil || !ok || !read.Registered {
			t.Errorf("%+v, %v, %v", read, ok, err)
		}
	})
}
