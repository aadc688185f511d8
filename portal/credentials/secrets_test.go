package credentials_test

import (
	"context"
	"strings"
	"testing"

	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/onboarding"
	"portico/portal/portaltest"
	"portico/portal/portaltest/credentialtest"
	"portico/store"
	"portico/store/storetest"
)

// Signing in by a code.

func TestNoCodeOrPasswordIsStoredOrLogged(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		t.Parallel()
		p := portaltest.NewSMSPlatform(t, db)
		flow := core.NewFlow()
		code := p.ReceiveCode(p.CodeRequest(core.ForLogin, portaltest.BuyerPhone, flow))
		_, err := p.CodeLogin(p.CodeLoginInput(portaltest.BuyerPhone, portaltest.WrongCode(code), flow))
		portaltest.Refused(t, err, access.CodeWrong)
		signed, err := p.CodeLogin(p.CodeLoginInput(portaltest.BuyerPhone, code, flow))
		portaltest.NoError(t, err)
		reset := p.ResetInput(
			portaltest.ManagerPhone,
			p.ReceiveCode(p.CodeRequest(core.ForReset, portaltest.ManagerPhone, flow)),
			flow,
		)
		portaltest.NoError(t, p.ResetPassword(reset))
		_, err = credentialtest.ChangePassword(p, credentialtest.ChangePasswordInput(p, signed.Session, "Wrong2026"))
		portaltest.Refused(t, err, access.OldPasswordWrong)
		in := credentialtest.ChangePasswordInput(p, signed.Session, onboarding.DemoPassword)
		in.Password, in.Confirm = credentialtest.OtherPassword, credentialtest.OtherPassword
		fresh, err := credentialtest.ChangePassword(p, in)
		portaltest.NoError(t, err)
		_, bind, _ := credentialtest.ProveBind(p, "nophone", portaltest.NewPhone)
		bind.Password, bind.Confirm = "Kabeljau9", "Kabeljau9"
		bound, err := credentialtest.Bind(p, bind)
		portaltest.NoError(t, err)
		s, err := p.SignedIn(t.Context(), bound.Token, p.Place(portaltest.AccountHost))
		portaltest.NoError(t, err)
		unbind := credentialtest.UnbindInput(p, s, "nophone")
		unbind.Code = p.ReceiveCode(credentialtest.UnbindCodeRequest(p, unbind))
		unbind.Password, unbind.Confirm = "Kabeljau9", "Kabeljau9"
		portaltest.NoError(t, credentialtest.Unbind(p, unbind))
		p.ReceiveCode(p.CodeRequest(core.ForExperience, "13900000077", flow))
		p.Sms.FailWith(portaltest.ErrProvider)
		_, err = p.AskCode(p.CodeRequest(core.ForExperience, "13900000078", flow))
		portaltest.Refused(t, err, access.SMSUnavailable)
		p.Sms.FailWith(nil)

		p.WantNoSecrets()
		log := p.Log.String()
		dump, err := storetest.Dump(context.WithoutCancel(t.Context()), p.DB)
		portaltest.NoError(t, err)
		for what, secret := range map[string]string{"flow": flow, "token": signed.Token, "token after": fresh,
			"token of the binding": bound.Token} {
			if strings.Contains(log, secret) || strings.Contains(dump, secret) {
				t.Errorf("the %s is written down", what)
			}
		}
		if strings.Contains(log, "13900000077") || strings.Contains(log, "13900000078") {
			t.Error("the phone of a code is written down")
		}
		for kind, want := range map[string]int{"code_sent": 6, "sign_in": 2, "password_reset": 2, "password_changed": 1,
			"phone_bound": 1, "phone_unbound": 1, "code_failed": 1} {
			if n := p.Log.Count(`"event":"` + kind + `"`); n != want {
				t.Errorf("the log has %s %d times, want %d", kind, n, want)
			}
		}
		for _, m := range p.Sms.Messages() {
			if m.ID == "" || (m.Code == "") == (m.Notice == "") || m.Notice != "" && (m.Purpose != "" || m.Host != "") {
				t.Errorf("a message that is neither or both: %+v", m)
			}
		}
	})
}
