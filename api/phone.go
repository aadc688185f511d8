package api

import (
	"portico/portal/access"
	"portico/portal/binding"
	"portico/portal/credentials"
	"portico/portal/verification"
)

// asking fills in who requests a code: the token of a signed-in program, or else the kind of program.
func (who *caller) asking(in verification.AskCodeInput) verification.AskCodeInput {
	in.Session, in.Flow, in.Lang = who.session, who.flow(), who.lang()
	return in
}

func (who *caller) flow() string {
	if who.session.ID != "" {
		return "session:" + who.session.ID
	}
	return "api:" + string(who.kind)
}

type codeSent struct {
	ResendAfter int `json:"resend_after_"` // seconds
}

func seconds(sent verification.CodeSent) codeSent { return codeSent{int(sent.ResendAfter.Seconds())} }

// proofOfWork is the client's answer to data.proof_ of an earlier refusal.
type proofOfWork struct{ token, work string }

// send requests a verification code.
func (who *caller) send(a *API, in verification.AskCodeInput, by proofOfWork) (verification.CodeSent, error) {
	in.Proof, in.Work = by.token, by.work
	return a.portal.Verification.AskCode(who.ctx, who.asking(in))
}

type codeInput struct {
	Phone string `json:"phone_"`
	Proof string `json:"proof_"`
	Work  string `json:"work_"`
}

// askCode returns the operation that sends a verification code for a purpose to a phone.
func askCode(purpose access.Purpose) func(a *API, who *caller, in codeInput) (codeSent, error) {
	return func(a *API, who *caller, in codeInput) (codeSent, error) {
		ask := verification.AskCodeInput{Purpose: purpose, Phone: in.Phone}
		sent, err := who.send(a, ask, proofOfWork{in.Proof, in.Work})
		return seconds(sent), err
	}
}

type companyCodeInput struct {
	Phone     string `json:"phone_"`
	CompanyID int64  `json:"company_id_"`
	Proof     string `json:"proof_"`
	Work      string `json:"work_"`
}

// askCompanyCode is askCode for purposes that concern one company.
func askCompanyCode(purpose access.Purpose) func(a *API, who *caller, in companyCodeInput) (codeSent, error) {
	return func(a *API, who *caller, in companyCodeInput) (codeSent, error) {
		ask := verification.AskCodeInput{Purpose: purpose, Phone: in.Phone, CompanyID: in.CompanyID}
		sent, err := who.send(a, ask, proofOfWork{in.Proof, in.Work})
		return seconds(sent), err
	}
}

type unbindCodeInput struct {
	Proof string `json:"proof_"`
	Work  string `json:"work_"`
}

func unbindCode(a *API, who *caller, in unbindCodeInput) (codeSent, error) {
	sent, err := who.send(a, verification.AskCodeInput{Purpose: verification.ForUnbind}, proofOfWork{in.Proof, in.Work})
	return seconds(sent), err
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

func resetCode(a *API, who *caller, in resetCodeInput) (resetCodeSent, error) {
	ask := verification.AskCodeInput{Purpose: verification.ForReset, Phone: in.Phone, Login: in.Login}
	sent, err := who.send(a, ask, proofOfWork{in.Proof, in.Work})
	phone := sent.Phone
	if number, ok := access.NormalPhone(in.Phone); ok {
		phone = access.MaskPhone(number)
	}
	return resetCodeSent{seconds(sent).ResendAfter, access.Text(phone)}, err
}

func resetPhonePassword(a *API, who *caller, in credentials.ResetInput) (done, error) {
	in.Flow, in.Lang = who.flow(), who.lang()
	return done{}, a.portal.Credentials.ResetPassword(who.ctx, in)
}

func modifyPwd(a *API, who *caller, in credentials.ChangePasswordInput) (done, error) {
	in.Session, in.Lang = who.session, who.lang()
	_, err := a.portal.Credentials.ChangePassword(who.ctx, in)
	return done{}, err
}

type bindInput struct {
	Phone    string `json:"phone_"`
	Code     string `json:"code_"`
	Password string `json:"password_"`
	Keep     bool   `json:"keep_passwords_"`
}

type bound struct {
	Phone         access.Text `json:"bind_phone_"`
	NeedsPassword bool        `json:"needs_password_"`
}

func bindPhone(a *API, who *caller, in bindInput) (bound, error) {
	try := binding.BindInput{
		Phone: in.Phone, Code: in.Code, Password: in.Password, Confirm: in.Password, Keep: in.Keep,
		Session: who.session, Flow: who.flow(), Lang: who.lang(),
	}
	proven, err := a.portal.Binding.ProveBind(who.ctx, try)
	if err != nil {
		return bound{}, err
	}
	if in.Password == "" {
		return bound{Phone: boundAlready(proven), NeedsPassword: proven.Need != binding.NeedNothing}, nil
	}
	result, err := a.portal.Binding.Bind(who.ctx, try)
	return bound{Phone: access.Text(result.Phone)}, err
}

// boundAlready returns the phone of a binding that is complete, "" for any other.
func boundAlready(b binding.Bound) access.Text {
	if b.Need != binding.NeedNothing {
		return ""
	}
	return access.Text(b.Phone)
}

type newPassword struct {
	Password string `json:"password_"`
	Confirm  string `json:"confirm_password_"`
	Keep     bool   `json:"keep_passwords_"`
}

type boundPhone struct {
	Phone access.Text `json:"bind_phone_"`
}

func setBindPhonePassword(a *API, who *caller, in newPassword) (boundPhone, error) {
	result, err := a.portal.Binding.Bind(who.ctx, binding.BindInput{
		Password: in.Password, Confirm: in.Confirm, Keep: in.Keep, New: true,
		Session: who.session, Flow: who.flow(), Lang: who.lang(),
	})
	return boundPhone{access.Text(result.Phone)}, err
}

type codeAndPassword struct {
	Code     string `json:"code_"`
	Password string `json:"password_"`
}

func unbindPhone(a *API, who *caller, in codeAndPassword) (done, error) {
	return done{}, a.portal.Binding.Unbind(who.ctx, binding.UnbindInput{
		Code: in.Code, Password: in.Password, Confirm: in.Password,
		Session: who.session, Token: who.token, Flow: who.flow(), Lang: who.lang(),
	})
}

type userID struct {
	UserID int64 `json:"user_id_"`
}

func markDoNotRemindBindPhone(a *API, who *caller, in userID) (done, error) {
	if who.token == "" {
		return done{}, a.portal.Binding.StopBindReminderOf(who.ctx, who.id, in.UserID)
	}
	return done{}, a.portal.Binding.StopBindReminder(who.ctx, who.session, who.id, in.UserID)
}
