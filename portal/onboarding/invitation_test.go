package onboarding_test

import (
	"strings"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/credentials"
	"portico/portal/office"
	"portico/portal/portaltest"
	"portico/portal/portaltest/companytest"
	"portico/portal/portaltest/onboardingtest"
	"portico/portal/signin"
	"portico/store"
)

func TestAnInvitationWorksForOnePhoneAndCompanyForAWeek(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		m := companytest.AddOffer(p.Platform, 1001, "invited", portaltest.NewPhone)
		companytest.AddOffer(p.Platform, 1002, "invited.too", portaltest.NewPhone)
		token, err := p.Credentials.Invite(t.Context(), 1001, m.ID)
		portaltest.NoError(t, err)
		if in, ok, err := p.Credentials.Invitation(t.Context(), token); err != nil || !ok ||
			in.Phone != portaltest.NewPhone || in.CompanyID != 1001 || in.Company.ID != 1001 || in.AccountID != m.ID ||
			in.SetUp || in.HasPassword {
			t.Errorf("%+v, %v, %v", in, ok, err)
		}
		for _, c := range []struct{ company, account int64 }{
			{1001, p.Account("buyer1").ID}, {1002, m.ID}, {1001, 1 << 40},
		} {
			_, err := p.Credentials.Invite(t.Context(), c.company, c.account)
			portaltest.Refused(t, err, access.NotFound)
		}

		// the link's company counts
		in := onboardingtest.CompleteInput(p, 1002, portaltest.NewPhone, "", core.NewFlow())
		in.Invite = token
		in.Code = p.ReceiveCode(onboardingtest.CompleteCodeRequest(p, 1001, portaltest.NewPhone, in.Flow))
		other := in
		other.Phone = portaltest.BuyerPhone
		_, err = onboardingtest.Complete(p, other)
		portaltest.WantField(t, err, "phone", access.PhoneNotInvited)
		for _, bad := range []string{"x", token + "x", token[:len(token)-1], strings.ToUpper(token)} {
			if _, ok, err := p.Credentials.Invitation(t.Context(), bad); err != nil || ok {
				t.Errorf("a changed link is read: %v", err)
			}
			changed := in
			changed.Invite = bad
			_, err = onboardingtest.Complete(p, changed)
			portaltest.Refused(t, err, access.NotFound)
		}
		p.Clock.Advance(signin.InvitationLife - time.Millisecond)
		if _, ok, err := p.Credentials.Invitation(t.Context(), token); err != nil || !ok {
			t.Errorf("within the week: %v, %v", ok, err)
		}
		p.Clock.Advance(time.Second)
		if _, ok, err := p.Credentials.Invitation(t.Context(), token); err != nil || ok {
			t.Errorf("after the week: %v, %v", ok, err)
		}
		portaltest.NoError(t, p.Backoffice.InviteAgain(t.Context(), p.Administrator(), m.ID))
		in.Invite, err = p.Credentials.Invite(t.Context(), 1001, m.ID)
		portaltest.NoError(t, err)
		in.Code = p.ReceiveCode(onboardingtest.CompleteCodeRequest(p, 1001, portaltest.NewPhone, in.Flow))
		result, err := onboardingtest.Complete(p, in)
		if err != nil || result.Member.ID != m.ID || !p.Account("invited.too").Invited {
			t.Errorf("%+v, %v", result.Member.Account, err)
		}
		_, err = p.Credentials.Invite(t.Context(), 1001, m.ID)
		portaltest.Refused(t, err, access.NotFound)
		if read, ok, err := p.Credentials.Invitation(t.Context(), in.Invite); err != nil || !ok || !read.SetUp ||
			read.HasPassword {
			t.Errorf("%+v, %v, %v", read, ok, err)
		}
		again, err := onboardingtest.Complete(p, in) // sent twice
		if err != nil || again.Member.ID != m.ID {
			t.Errorf("%+v, %v", again.Member.Account, err)
		}
	})
}

func TestRenewingAnInvitationLinkEndsTheFormerOnes(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		opened, err := companytest.OpenAccount(p.Platform, office.OpenAccountInput{
			Side: "mgr", Type: 2, Name: "谁", Phone: portaltest.NewPhone,
		})
		portaltest.NoError(t, err)
		id := opened.Member.ID
		read := func() (credentials.Invitation, string, store.Instant) {
			link, until, err := p.Backoffice.InvitingLink(t.Context(), p.Administrator(), id)
			portaltest.NoError(t, err)
			_, token, _ := strings.Cut(link, "?invite=")
			in, _, err := p.Credentials.Invitation(t.Context(), token)
			portaltest.NoError(t, err)
			return in, token, until
		}
		valid := func(token string) bool {
			_, ok, err := p.Credentials.Invitation(t.Context(), token)
			portaltest.NoError(t, err)
			return ok
		}
		first, old, until := read()
		if want := store.At(p.Clock.In(signin.InvitationLife)); until != want ||
			first.InvitedAt != store.At(p.Clock.Now()) {
			t.Errorf("%+v until %d, want %d", first, until, want)
		}
		p.Clock.Advance(24 * time.Hour)
		if same, token, still := read(); still != until || same.InvitedAt != first.InvitedAt || !valid(token) ||
			!valid(old) {
			t.Error("looking at the link makes it another one")
		}
		portaltest.NoError(t, p.Backoffice.InviteAgain(t.Context(), p.Administrator(), id))
		_, token, later := read()
		if later != store.At(p.Clock.In(signin.InvitationLife)) || !valid(token) || valid(old) {
			t.Errorf("until %d; the new link works: %v, the old one: %v", later, valid(token), valid(old))
		}
		in := onboardingtest.CompleteInput(p, 0, portaltest.NewPhone, "", core.NewFlow())
		in.Code, in.Invite = p.ReceiveCode(
			onboardingtest.CompleteCodeRequest(p, 1001, portaltest.NewPhone, in.Flow),
		), old
		_, err = onboardingtest.Complete(p, in)
		portaltest.Refused(t, err, access.NotFound)
		portaltest.NoError(t, p.Backoffice.InviteAgain(t.Context(), p.Administrator(), id)) // in the same moment
		if valid(token) {
			t.Error("renewed within a millisecond the link before works on")
		}
		p.Clock.Advance(signin.InvitationLife + time.Second)
		if link, _, err := p.Backoffice.InvitingLink(t.Context(), p.Administrator(), id); err != nil || link != "" {
			t.Errorf("past its end the link is %q, %v", link, err)
		}
	})
}

// Only a person who has proven a number may learn whether it has a password.
func TestAnInvitationLinkDoesNotRevealWhetherItsPhoneHasAPassword(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		for _, phone := range []string{portaltest.NewPhone, portaltest.BothPhone} {
			m := companytest.AddOffer(p, 1002, "invited."+phone, phone)
			token, err := p.Credentials.Invite(t.Context(), 1002, m.ID)
			portaltest.NoError(t, err)
			if in, ok, err := p.Credentials.Invitation(t.Context(), token); err != nil || !ok || in.HasPassword ||
				in.Name != "" {
				t.Errorf("%+v, %v", in, err)
			}
		}
	})
}
