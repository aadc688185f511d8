package credentialtest

import (
	"errors"

	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/credentials"
	"portico/portal/office"
	"portico/portal/onboarding"
	"portico/portal/portaltest"
	"portico/portal/portaltest/companytest"
	"portico/portal/signin"
)

// ChangePasswordInput returns the input that changes the password of a session's person to NewPassword.
func ChangePasswordInput(p *portaltest.SMSPlatform, s access.Session, old string) credentials.ChangePasswordInput {
	return credentials.ChangePasswordInput{
		Old: old, Password: portaltest.NewPassword, Confirm: portaltest.NewPassword, Session: s, Lang: "zh",
	}
}

// ChangePassword changes a password and returns the new cookie.
func ChangePassword(p *portaltest.SMSPlatform, in credentials.ChangePasswordInput) (string, error) {
	return p.Credentials.ChangePassword(p.From(portaltest.HomeAddress), in)
}

// ChangePasswordWithCookie changes the demo password to NewPassword in the browser of a sign-in and returns the new
// cookie.
func ChangePasswordWithCookie(p *portaltest.SMSPlatform, signed signin.LoginResult) (string, error) {
	ctx := p.Sessions.LoadSession(p.From(portaltest.HomeAddress), signed.Token)
	return p.Credentials.ChangePassword(ctx, ChangePasswordInput(p, signed.Session, onboarding.DemoPassword))
}

// ChosenPassword is a password that the owner of an account chooses.
const ChosenPassword = "Zeegras55"

// OpenAccountWithFirstPassword opens an account of company 1001 without a phone and returns it with its first password.
// It fails the test if that is refused.
func OpenAccountWithFirstPassword(p *portaltest.Platform, login string) office.OpenedAccount {
	p.T.Helper()
	opened, err := companytest.OpenAccount(p, office.OpenAccountInput{Side: "mgr", Type: 2, Login: login, Name: "新同事"})
	portaltest.NoError(p.T, err)
	return opened
}

// NamedLoginInput returns the input of a sign-in by account name at the account site.
func NamedLoginInput(p *portaltest.Platform, login, password string) signin.LoginInput {
	p.T.Helper()
	return signin.LoginInput{
		ByName: true, Login: login, Password: password, Browser: access.Browser{Place: p.Place(portaltest.AccountHost)},
	}
}

// ReplacePassword changes a password to any other one and returns the new cookie.
func ReplacePassword(p *portaltest.Platform, s access.Session, old, password string) (string, error) {
	return p.Credentials.ChangePassword(
		p.From(portaltest.HomeAddress),
		credentials.ChangePasswordInput{Old: old, Password: password, Confirm: password, Session: s},
	)
}

// OtherPassword is a password other than the demo password and NewPassword.
const OtherPassword = "Zeegras55"

// AcceptsPassword says whether a phone number or account name can sign in with a password. It fails the test for any
// error but a wrong or missing password.
func AcceptsPassword(p *portaltest.SMSPlatform, who, password string) bool {
	p.T.Helper()
	in := p.LoginInput(who)
	in.Password = password
	_, err := p.Signin.Login(p.From("192.0.2.77"), in)
	if err != nil && !errors.Is(err, access.WrongPassword) && !errors.Is(err, access.PasswordNotSet) {
		p.T.Fatalf("%s: %v", who, err)
	}
	return err == nil
}

// RecoverPassword resets the password of a phone to NewPassword, by a code sent to it. It fails the test if that is
// refused.
func RecoverPassword(p *portaltest.SMSPlatform, phone string) {
	p.T.Helper()
	in := p.ResetInput(phone, "", core.NewFlow())
	in.Code = p.ReceiveCode(p.CodeRequest(core.ForReset, phone, in.Flow))
	portaltest.NoError(p.T, p.ResetPassword(in))
}
