package api

import (
	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/credentials"
)

// fillIn adds the caller to a request for a code: the session of the token, or else the kind of program.
func (caller *caller) fillIn(in core.AskCodeInput) core.AskCodeInput {
	in.Session = caller.session
	in.Flow = caller.flow()
	in.Lang = caller.lang()
	return in
}

// flow returns the id of the flow that a code is bound to: the session of the token, or else the kind of program.
func (caller *caller) flow() string {
	if caller.session.ID != "" {
		return "session:" + caller.session.ID
	}
	return "api:" + string(caller.kind)
}

type codeSent struct {
	ResendAfter int `json:"resend_after_"` // seconds
}

// codeSentOf returns the data of the answer to a request for a code.
func codeSentOf(sent core.CodeSent) codeSent {
	return codeSent{int(sent.ResendAfter.Seconds())}
}

// proofOfWork is the result of the work that data.proof_ of an earlier refusal required.
type proofOfWork struct{ token, work string }

// requestCode requests a verification code.
func (caller *caller) requestCode(a *API, in core.AskCodeInput, by proofOfWork) (core.CodeSent, error) {
	in.Proof, in.Work = by.token, by.work
	return a.portal.AskCode(caller.ctx, caller.fillIn(in))
}

type codeInput struct {
	Phone string `json:"phone_"`
	Proof string `json:"proof_"`
	Work  string `json:"work_"`
}

// sendCode returns the operation that sends a verification code for a purpose.
func sendCode(purpose access.Purpose) func(a *API, caller *caller, in codeInput) (codeSent, error) {
	return func(a *API, caller *caller, in codeInput) (codeSent, error) {
		input := core.AskCodeInput{Purpose: purpose, Phone: in.Phone}
		sent, err := caller.requestCode(a, input, proofOfWork{in.Proof, in.Work})
		return codeSentOf(sent), err
	}
}

type companyCodeInput struct {
	Phone     string `json:"phone_"`
	CompanyID int64  `json:"company_id_"`
	Proof     string `json:"proof_"`
	Work      string `json:"work_"`
}

// sendCompanyCode returns the operation that sends a verification code of one company.
func sendCompanyCode(purpose access.Purpose) func(a *API, caller *caller, in companyCodeInput) (codeSent, error) {
	return func(a *API, caller *caller, in companyCodeInput) (codeSent, error) {
		input := core.AskCodeInput{Purpose: purpose, Phone: in.Phone, CompanyID: in.CompanyID}
		sent, err := caller.requestCode(a, input, proofOfWork{in.Proof, in.Work})
		return codeSentOf(sent), err
	}
}

type proofInput struct {
	Proof string `json:"proof_"`
	Work  string `json:"work_"`
}

func sendUnbindCode(a *API, caller *caller, in proofInput) (codeSent, error) {
	sent, err := caller.requestCode(a, core.AskCodeInput{Purpose: core.ForUnbind},
		proofOfWork{in.Proof, in.Work})
	return codeSentOf(sent), err
}

type resetCodeInput struct {
	Phone string `json:"phone_"`
	Login string `json:"login_"`
	Proof string `json:"proof_"`
	Work  string `json:"work_"`
}

type resetCodeSent struct {
	ResendAfter int         `json:"resend_after_"`
	Phone       access.Text `json:"phone_"` // masked
}

func sendResetCode(a *API, caller *caller, in resetCodeInput) (resetCodeSent, error) {
	input := core.AskCodeInput{Purpose: core.ForReset, Phone: in.Phone, Login: in.Login}
	sent, err := caller.requestCode(a, input, proofOfWork{in.Proof, in.Work})
	phone := sent.Phone
	if number, ok := access.NormalPhone(in.Phone); ok {
		phone = access.MaskPhone(number)
	}
	return resetCodeSent{codeSentOf(sent).ResendAfter, access.Text(phone)}, err
}

func resetPhonePassword(a *API, caller *caller, in credentials.ResetInput) (noData, error) {
	in.Flow, in.Lang = caller.flow(), caller.lang()
	return noData{}, a.portal.Credentials.ResetPassword(caller.ctx, in)
}

func modifyPwd(a *API, caller *caller, in credentials.ChangePasswordInput) (noData, error) {
	in.Session, in.Lang = caller.session, caller.lang()
	_, err := a.portal.Credentials.ChangePassword(caller.ctx, in)
	return noData{}, err
}

type bindInput struct {
	Phone    string `json:"phone_"`
	Code     string `json:"code_"`
	Password string `json:"password_"`
	Keep     bool   `json:"keep_passwords_"`
}

type bindResult struct {
	Phone         access.Text `json:"bind_phone_"`
	NeedsPassword bool        `json:"needs_password_"`
}

func bindPhone(a *API, caller *caller, in bindInput) (bindResult, error) {
	input := credentials.BindInput{
		Phone: in.Phone, Code: in.Code, Password: in.Password, Confirm: in.Password, Keep: in.Keep,
		Session: caller.session, Flow: caller.flow(), Lang: caller.lang(),
	}
	proven, err := a.portal.Binding.ProveBind(caller.ctx, input)
	if err != nil {
		return bindResult{}, err
	}
	if in.Password == "" {
		return bindResult{Phone: completedPhone(proven), NeedsPassword: proven.Need != credentials.NeedNothing}, nil
	}
	result, err := a.portal.Binding.Bind(caller.ctx, input)
	return bindResult{Phone: access.Text(result.Phone)}, err
}

// completedPhone returns the phone of a complete binding, and "" when the binding still needs a password.
func completedPhone(b credentials.Bound) access.Text {
	if b.Need != credentials.NeedNothing {
		return ""
	}
	return access.Text(b.Phone)
}

type setPasswordInput struct {
	Password string `json:"password_"`
	Confirm  string `json:"confirm_password_"`
	Keep     bool   `json:"keep_passwords_"`
}

type boundPhone struct {
	Phone access.Text `json:"bind_phone_"`
}

func setBindPhonePassword(a *API, caller *caller, in setPasswordInput) (boundPhone, error) {
	result, err := a.portal.Binding.Bind(caller.ctx, credentials.BindInput{
		Password: in.Password, Confirm: in.Confirm, Keep: in.Keep, New: true,
		Session: caller.session, Flow: caller.flow(), Lang: caller.lang(),
	})
	return boundPhone{access.Text(result.Phone)}, err
}

type unbindInput struct {
	Code     string `json:"code_"`
	Password string `json:"password_"`
}

func unbindPhone(a *API, caller *caller, in unbindInput) (noData, error) {
	return noData{}, a.portal.Binding.Unbind(caller.ctx, credentials.UnbindInput{
		Code: in.Code, Password: in.Password, Confirm: in.Password,
		Session: caller.session, Token: caller.token, Flow: caller.flow(), Lang: caller.lang(),
	})
}

type reminderInput struct {
	UserID int64 `json:"user_id_"`
}

func markDoNotRemindBindPhone(a *API, caller *caller, in reminderInput) (noData, error) {
	if caller.token == "" {
		return noData{}, a.portal.Binding.StopBindReminderOf(caller.ctx, caller.id, in.UserID)
	}
	return noData{}, a.portal.Binding.StopBindReminder(caller.ctx, caller.session, caller.id, in.UserID)
}
