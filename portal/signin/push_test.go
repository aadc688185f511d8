package signin_test

import (
	"strings"
	"testing"

	"portico/portal/access"
	"portico/portal/portaltest"
	"portico/portal/signin"
)

func TestAPushIDHasAtMost64Bytes(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		s, account := p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone).Session, p.Account("buyer1").ID
		bind := func(id string) error {
			return p.Chatlogin.BindPush(t.Context(), s, signin.PushInput{UserID: account, PushID: id})
		}
		portaltest.NoError(t, bind(strings.Repeat("a", 64)))
		portaltest.WantField(t, bind(strings.Repeat("a", 65)), "jpush_id", access.PushIDMalformed)
	})
}
