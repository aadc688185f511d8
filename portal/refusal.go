package portal

import (
	"net/http"
	"time"

	"portico/store"
)

// Refusal is what a person may be told when the platform says no: one constant a row of the error
// catalogue. Its text is the locale key "error." + the constant, in every language; codes and statuses are
// public and never change.
type Refusal string

// The error catalogue (specification section 8, numbered by the contract).
const (
	AccountNotFound     Refusal = "account_not_found"
	WrongPassword       Refusal = "wrong_password"
	CompanyDisabled     Refusal = "company_disabled"
	TrialEnded          Refusal = "trial_ended"
	CompanyExpired      Refusal = "company_expired"
	ShopDisabled        Refusal = "shop_disabled"
	LightingNotEnabled  Refusal = "lighting_not_enabled"
	DataAbnormal        Refusal = "data_abnormal"
	WrongParameters     Refusal = "wrong_parameters"
	PhoneNotBound       Refusal = "phone_not_bound"
	NotInCompany        Refusal = "not_in_company"
	PhoneBoundElsewhere Refusal = "phone_bound_elsewhere"
	UnderReview         Refusal = "under_review"
	RegistrationClosed  Refusal = "registration_closed"
	MallNotOpen         Refusal = "mall_not_open"
	WeChatExpired       Refusal = "wechat_expired"
	WeChatFailed        Refusal = "wechat_failed"
	WeChatManagerClosed Refusal = "wechat_manager_closed"
	RedirectFailed      Refusal = "redirect_failed"
	PhoneRegistered     Refusal = "phone_registered"
	AccountDisabled     Refusal = "account_disabled"
	PartnerEnded        Refusal = "partner_ended"
	CodeAlreadySent     Refusal = "code_already_sent"
	CodeWrong           Refusal = "code_wrong"
	CodeExpired         Refusal = "code_expired"
	TooManyAttempts     Refusal = "too_many_attempts"
	SMSUnavailable      Refusal = "sms_unavailable"
	PasswordNotSet      Refusal = "password_not_set"
	OldPasswordWrong    Refusal = "old_password_wrong"
	ApplicationExists   Refusal = "application_exists"
	UploadRejected      Refusal = "upload_rejected"
	NotAvailable        Refusal = "not_available_offline"
	ValidationFailed    Refusal = "validation_failed"
	LoginRequired       Refusal = "login_required"
	SignInvalid         Refusal = "sign_invalid"
	SignExpired         Refusal = "sign_expired"
	SignReplayed        Refusal = "sign_replayed"
	Forbidden           Refusal = "forbidden"
	NotFound            Refusal = "not_found"
	MethodNotAllowed    Refusal = "method_not_allowed"
	TooLarge            Refusal = "too_large"
	WrongType           Refusal = "wrong_type"
	BadRequest          Refusal = "bad_request"
	Internal            Refusal = "internal"
)

// CatalogueRow is one row of the error catalogue: Status is the number in the API's envelope, HTTP the
// status an API answer carries.
type CatalogueRow struct {
	Refusal Refusal
	Status  int
	HTTP    int
}

// Catalogue is the error catalogue in its own order.
var Catalogue = []CatalogueRow{
	{AccountNotFound, 1001, http.StatusOK},
	{WrongPassword, 1002, http.StatusOK},
	{CompanyDisabled, 1003, http.StatusOK},
	{TrialEnded, 1004, http.StatusOK},
	{CompanyExpired, 1005, http.StatusOK},
	{ShopDisabled, 1006, http.StatusOK},
	{LightingNotEnabled, 1007, http.StatusOK},
	{DataAbnormal, 1008, http.StatusOK},
	{WrongParameters, 1009, http.StatusOK},
	{PhoneNotBound, 1010, http.StatusOK},
	{NotInCompany, 1011, http.StatusOK},
	{PhoneBoundElsewhere, 1012, http.StatusOK},
	{UnderReview, 1013, http.StatusOK},
	{RegistrationClosed, 1014, http.StatusOK},
	{MallNotOpen, 1015, http.StatusOK},
	{WeChatExpired, 1016, http.StatusOK},
	{WeChatFailed, 1017, http.StatusOK},
	{WeChatManagerClosed, 1018, http.StatusOK},
	{RedirectFailed, 1019, http.StatusOK},
	{PhoneRegistered, 1020, http.StatusOK},
	{AccountDisabled, 1021, http.StatusOK},
	{PartnerEnded, 1022, http.StatusOK},
	{CodeAlreadySent, 1023, http.StatusOK},
	{CodeWrong, 1024, http.StatusOK},
	{CodeExpired, 1025, http.StatusOK},
	{TooManyAttempts, 1026, http.StatusTooManyRequests},
	{SMSUnavailable, 1027, http.StatusOK},
	{PasswordNotSet, 1028, http.StatusOK},
	{OldPasswordWrong, 1029, http.StatusOK},
	{ApplicationExists, 1030, http.StatusOK},
	{UploadRejected, 1031, http.StatusOK},
	{NotAvailable, 1032, http.StatusServiceUnavailable},
	{ValidationFailed, 1100, http.StatusOK},
	{LoginRequired, 1401, http.StatusUnauthorized},
	{SignInvalid, 1402, http.StatusUnauthorized},
	{SignExpired, 1403, http.StatusUnauthorized},
	{SignReplayed, 1404, http.StatusUnauthorized},
	{Forbidden, 1405, http.StatusForbidden},
	{NotFound, 1406, http.StatusNotFound},
	{MethodNotAllowed, 1407, http.StatusMethodNotAllowed},
	{TooLarge, 1413, http.StatusRequestEntityTooLarge},
	{WrongType, 1415, http.StatusUnsupportedMediaType},
	{BadRequest, 1499, http.StatusBadRequest},
	{Internal, 1500, http.StatusInternalServerError},
}

// Error gives the refusal's code; it is for logs and tests, never for a person.
func (r Refusal) Error() string { return string(r) }

// Problem says what is wrong with one field; its text is the locale key "problem." + the constant.
type Problem string

// The problems a field can have.
const (
	PhoneRequired    Problem = "phone_required"
	PhoneMalformed   Problem = "phone_malformed"
	LoginMissing     Problem = "login_missing"
	LoginMalformed   Problem = "login_malformed"
	PasswordRequired Problem = "password_required"
	PasswordTooLong  Problem = "password_too_long"
	AnswerRequired   Problem = "answer_required"
	AnswerWrong      Problem = "answer_wrong"
	ChoiceRequired   Problem = "choice_required"
)

// LeftUntold stands in Refused.Left where the number of tries left would tell that the account exists.
const LeftUntold = -1

// Fields tells the problem of each field by the field's form name.
type Fields map[string]Problem

// Refused is a Refusal with what the message needs. errors.Is(err, SomeRefusal) sees through it.
type Refused struct {
	Refusal  Refusal
	Fields   Fields         // with ValidationFailed
	Left     int            // {left}: tries left, LeftUntold in the neutral answer
	Wait     time.Duration  // {num}: how long to wait; Retry-After
	Company  *store.Company // the company that blocks, once the password has been proven
	Contacts []Contact      // who can help, best first
	Question *Question      // to be answered with the next try
}

// Error gives the refusal's code.
func (e *Refused) Error() string { return string(e.Refusal) }

// Unwrap gives the plain refusal.
func (e *Refused) Unwrap() error { return e.Refusal }

// WaitSeconds is the wait in whole seconds, at least 1 when there is one.
func (e *Refused) WaitSeconds() int {
	if e.Wait <= 0 {
		return 0
	}
	return int((e.Wait + time.Second - 1) / time.Second)
}

func invalid(fields Fields) error {
	if len(fields) == 0 {
		return nil
	}
	return &Refused{Refusal: ValidationFailed, Fields: fields}
}
