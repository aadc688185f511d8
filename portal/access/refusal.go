package access

import (
	"errors"
	"time"

	"portico/portal/stylesheet"
	"portico/store"
)

// Refusal is a reason for refusing an operation that a person may see: a row of the error catalogue. Its text is the
// locale key "error." + its value. Codes and statuses are part of the API and never change.
type Refusal string

// The error catalogue.
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
	ApplicationsClosed  Refusal = "registration_closed"
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
	Offered             Refusal = "offered"
	ChatClosed          Refusal = "chat_closed"
	CompaniesClosed     Refusal = "company_registration_closed"
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

// CatalogueRow is one row of the error catalogue. Status is the number in the API's envelope, HTTP the HTTP status of
// the API's answer.
type CatalogueRow struct {
	Refusal Refusal
	Status  int
	HTTP    int
}

// Catalogue is the error catalogue in the order of its status numbers.
var Catalogue = []CatalogueRow{
	{AccountNotFound, 1001, 200},
	{WrongPassword, 1002, 200},
	{CompanyDisabled, 1003, 200},
	{TrialEnded, 1004, 200},
	{CompanyExpired, 1005, 200},
	{ShopDisabled, 1006, 200},
	{LightingNotEnabled, 1007, 200},
	{DataAbnormal, 1008, 200},
	{WrongParameters, 1009, 200},
	{PhoneNotBound, 1010, 200},
	{NotInCompany, 1011, 200},
	{PhoneBoundElsewhere, 1012, 200},
	{UnderReview, 1013, 200},
	{ApplicationsClosed, 1014, 200},
	{MallNotOpen, 1015, 200},
	{WeChatExpired, 1016, 200},
	{WeChatFailed, 1017, 200},
	{WeChatManagerClosed, 1018, 200},
	{RedirectFailed, 1019, 200},
	{PhoneRegistered, 1020, 200},
	{AccountDisabled, 1021, 200},
	{PartnerEnded, 1022, 200},
	{CodeAlreadySent, 1023, 200},
	{CodeWrong, 1024, 200},
	{CodeExpired, 1025, 200},
	{TooManyAttempts, 1026, 429},
	{SMSUnavailable, 1027, 200},
	{PasswordNotSet, 1028, 200},
	{OldPasswordWrong, 1029, 200},
	{ApplicationExists, 1030, 200},
	{UploadRejected, 1031, 200},
	{NotAvailable, 1032, 503},
	{Offered, 1034, 200},
	{ChatClosed, 1035, 200},
	{CompaniesClosed, 1036, 200},
	{ValidationFailed, 1100, 200},
	{LoginRequired, 1401, 401},
	{SignInvalid, 1402, 401},
	{SignExpired, 1403, 401},
	{SignReplayed, 1404, 401},
	{Forbidden, 1405, 403},
	{NotFound, 1406, 404},
	{MethodNotAllowed, 1407, 405},
	{TooLarge, 1413, 413},
	{WrongType, 1415, 415},
	{BadRequest, 1499, 400},
	{Internal, 1500, 500},
}

// Error returns the refusal's code for logs and tests. Pages show the text of Refused.Message instead.
func (r Refusal) Error() string { return string(r) }

// Problem is what is wrong with one field of a form. Its text is the locale key "problem." + its value.
type Problem string

// The problems a field can have.
const (
	PhoneRequired    Problem = "phone_required"
	PhoneMalformed   Problem = "phone_malformed"
	PhoneSame        Problem = "phone_same"
	LoginMissing     Problem = "login_missing"
	LoginMalformed   Problem = "login_malformed"
	PasswordRequired Problem = "password_required"
	PasswordTooLong  Problem = "password_too_long"
	AnswerRequired   Problem = "answer_required"
	AnswerWrong      Problem = "answer_wrong"
	WorkRequired     Problem = "work_required"
	ChoiceRequired   Problem = "choice_required"
	TargetUnknown    Problem = "target_unknown"
	PushIDMalformed  Problem = "push_id_malformed"
	HostMalformed    Problem = "host_malformed"
	PageForeign      Problem = "page_foreign"
	CodeRequired     Problem = "code_required"
	CodeMalformed    Problem = "code_malformed"
	OldCodeRequired  Problem = "old_code_required"
	PasswordsDiffer  Problem = "passwords_differ"
	NameRequired     Problem = "name_required"
	NameMalformed    Problem = "name_malformed"
	CompanyRequired  Problem = "company_required"
	CompanyMalformed Problem = "company_malformed"
	AgreeRequired    Problem = "agree_required"
	SiteRequired     Problem = "site_required"
	SiteUnknown      Problem = "site_unknown"
	IndustryRequired Problem = "industry_required"
	RoleRequired     Problem = "role_required"
	PhoneNotInvited  Problem = "phone_not_invited"

	PhoneNotApplicant Problem = "phone_not_applicant"
	FieldRequired     Problem = "field_required"
	TextMalformed     Problem = "text_malformed"
	RegionRequired    Problem = "region_required"
	PasswordKept      Problem = "password_kept"
	QuantityRequired  Problem = "quantity_required"
	StockShort        Problem = "stock_short"
	OrderedJustNow    Problem = "ordered_just_now"
	PriceChanged      Problem = "price_changed" // {was}, {now}
	ProductChanged    Problem = "product_changed"
	ProductGone       Problem = "product_gone"
	LicenceUnknown    Problem = "licence_unknown"

	LoginTaken        Problem = "login_taken"
	OpenedJustNow     Problem = "opened_just_now" // {name}, {time}
	OfferDeclined     Problem = "offer_declined"
	ClientRequired    Problem = "client_required"
	OwnAccount        Problem = "own_account"
	LastAdministrator Problem = "last_administrator"
	ThemeMalformed    Problem = "theme_malformed"
	NotWhileTrying    Problem = "not_while_trying"
	DomainRequired    Problem = "domain_required"
	DomainMalformed   Problem = "domain_malformed"
	DomainOfPlatform  Problem = "domain_ours"
	DomainReserved    Problem = "domain_reserved"
	DomainTaken       Problem = "domain_taken"
	DomainsFull       Problem = "domains_full"
	DomainUnproven    Problem = "domain_unproven"
	DomainUnanswered  Problem = "domain_unanswered"

	StyleRefused     Problem = "style_refused"
	CounterMalformed Problem = "counter_malformed"
	CounterUnlisted  Problem = "counter_unlisted"
	CounterUnseen    Problem = "counter_unseen"
	LookChanged      Problem = "look_changed"
	LookUndone       Problem = "look_undone"

	ApplicationSettingChanged Problem = "registration_changed"
	RightsChanged             Problem = "rights_changed"
)

// LeftHidden is the value of Refused.Left when the number of tries left would reveal that the account exists.
const LeftHidden = -1

// Fields maps the form name of each wrong field to its problem.
type Fields map[string]Problem

// Refused is a Refusal with the values for its message. errors.Is(err, SomeRefusal) matches it.
type Refused struct {
	Refusal   Refusal
	Fields    Fields        // with ValidationFailed
	Field     string        // the form field that the refusal is about; "": the refusal's usual one
	Reason    UploadProblem // {reason}, with UploadRejected
	Detail    string        // {detail}, with WeChatFailed: the provider's own words
	Strange   bool          // with WeChatFailed: the callback belongs to no authorisation of this platform
	Left      int           // {left}: tries left, LeftHidden in the neutral answer
	Wait      time.Duration // {num}: how long to wait; Retry-After
	OfAddress bool          // with TooManyAttempts: the caller's address has to wait, for every account
	// with TooManyAttempts: a password was compared first, so the answer took as long as WrongPassword
	Compared bool
	Company  *store.Company // the company that blocks, once the password was right
	Contacts []Contact      // who can help, best first
	Question *Question      // the next attempt must answer it
	Work     *Work          // or solve this, if the client can compute

	MessagesSpent bool // with TooManyAttempts: others used up the messages that may be sent now

	Styles []stylesheet.StyleProblem // with StyleRefused: the parts of the style sheet that are not accepted

	Applied *Applied // with UnderReview, for a person without an account: the application to the company

	// FirstPassword says, with PasswordNotSet, that the person must replace an administrator's first password. It has
	// expired if Company is set.
	FirstPassword bool
}

// Error returns the refusal's code.
func (e *Refused) Error() string { return string(e.Refusal) }

// Unwrap returns the plain refusal.
func (e *Refused) Unwrap() error { return e.Refusal }

// WaitSeconds returns the wait in whole seconds, rounded up; 0 without a wait.
func (e *Refused) WaitSeconds() int {
	if e.Wait <= 0 {
		return 0
	}
	return int((e.Wait + time.Second - 1) / time.Second)
}

// Waits longer than these, in seconds, are shown in minutes and in hours.
const (
	longWait   = 120
	longerWait = 2 * 3600
)

// Message returns the locale key of the refusal's text and its arguments, as names and values in turn. An argument with
// a method TextKey is translated first.
func (e *Refused) Message() (key string, args []any) {
	switch {
	case e.Applied != nil:
		return "standing." + string(e.Applied.State), nil
	case e.FirstPassword && e.Company != nil:
		return "first_password.ended", nil
	case e.FirstPassword:
		return "first_password.change", nil
	case e.Refusal == WrongPassword && e.Left == LeftHidden:
		return "wrong.neutral", nil
	case e.MessagesSpent && e.WaitSeconds() > longerWait:
		return "wait.messages_hours", []any{"num", (e.WaitSeconds() + 3599) / 3600}
	case e.MessagesSpent:
		return "wait.messages", []any{"num", (e.WaitSeconds() + 59) / 60}
	case e.Refusal == TooManyAttempts && e.WaitSeconds() > longerWait:
		return "wait.hours", []any{"num", (e.WaitSeconds() + 3599) / 3600}
	case e.Refusal == TooManyAttempts && e.WaitSeconds() > longWait:
		return "wait.minutes", []any{"num", (e.WaitSeconds() + 59) / 60}
	}
	return "error." + string(e.Refusal),
		[]any{"left", e.Left, "num", e.WaitSeconds(), "detail", e.Detail, "reason", e.Reason}
}

// AboutField returns a copy of a Refused with its Field set. It returns other errors unchanged.
func AboutField(err error, field string) error {
	refused, ok := errors.AsType[*Refused](err)
	if !ok {
		return err
	}
	about := *refused
	about.Field = field
	return &about
}

// Invalid returns ValidationFailed with the problems of fields, or nil when there are none.
func Invalid(fields Fields) error {
	if len(fields) == 0 {
		return nil
	}
	return &Refused{Refusal: ValidationFailed, Fields: fields}
}

// IsRefused says whether an error is a refusal, and not a failure of the program or the database.
func IsRefused(err error) bool {
	plain := Refusal("")
	return errors.As(err, &plain)
}

// Applied is the application of a person who signs in with a proven phone and has no account yet. Closed says that the
// company takes no applications now. Ticket proves the phone to the company for signin.ApplicantLife; it is "" unless a
// code proved the phone at the company's own host.
type Applied struct {
	ID           int64
	State        store.ApplicationState
	RejectReason string
	Company      store.Company
	Closed       bool
	Ticket       string
}

// UploadProblem is why a picture was not accepted. Its text is the locale key "upload." + its value.
type UploadProblem string

// TextKey returns the locale key of the problem's text.
func (u UploadProblem) TextKey() string { return "upload." + string(u) }

// Work is a proof of work to solve: find a number n for which SHA-256(Token + ":" + n) begins with Bits zero bits.
type Work struct {
	Token string
	Bits  int
}

// Question is a small sum, A + B, for browsers without scripts. Token is the sealed question, so that the server stores
// nothing. It works for one subject and one try, because it contains the number of failures, and for core.QuestionLife.
type Question struct {
	Token string
	A, B  int
}
