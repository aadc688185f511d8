package signin_test

import (
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/portaltest"
	"portico/portal/portaltest/credentialtest"
	"portico/store"
)

func TestARolledBackSignInKeepsTheBrowsersFormerSession(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		old := p.ConfirmSession(p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone))
		other := p.ConfirmSession(p.SignIn(portaltest.AccountHost, portaltest.ManagerPhone))
		p.Clock.Advance(2 * time.Minute) // the use of the old session has to be stored
		request := p.Sessions.LoadSession(p.From(portaltest.HomeAddress), old.Token)
		_, err := p.Signin.LoginWithHook(request, p.LoginInput(portaltest.ManagerPhone), func() {
			// the password was right, and is replaced before the sign-in commits
			_, err := credentialtest.ChangePasswordWithCookie(p, other)
			portaltest.NoError(t, err)
		})
		portaltest.Refused(t, err, access.WrongPassword)
		s, err := p.Portal.Sessions.SignedIn(request, p.Place(portaltest.AccountHost))
		portaltest.NoError(t, err)
		if s.ID != old.Session.ID {
			t.Errorf("the request has the session %+v", s)
		}
		p.Clock.Advance(time.Hour)
		portaltest.NoError(t, p.RequestSignedIn(old.Token, portaltest.AccountHost))
		sessions, err := p.DB.Sessions.OfHolder(t.Context(), other.Session.PersonID, 0, store.At(p.Clock.Now()))
		portaltest.NoError(t, err)
		if len(sessions) != 1 || sessions[0].Family != other.Session.Family {
			t.Errorf("%d sessions: %+v", len(sessions), sessions)
		}
	})
}
