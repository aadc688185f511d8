package forms

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"portico/components"
	"portico/locale"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/core"
)

// FormView is a page with one form. The pages on which people register, apply, sign in by code and change a phone or
// password have this layout.
type FormView struct {
	Heading, Lead string
	ForCompany    string // the company that the form is for, above the heading; "" for none
	Progress      []Stage
	Tabs          []Tab
	Note          string // says what has just happened, "" for nothing
	Identity      *ChatIdentity
	Public        web.PublicPage
	Refusal       formRefusal

	Path         string // the address that the form is sent to
	Multipart    bool   // the form may have a file
	Draft        bool   // a script keeps what is typed
	Columns      bool   // wide screens show the fields in two columns
	Fields       []components.Field
	Sending      components.CodeSending
	List         PointList
	Check        CheckBox
	Hidden       []Hidden
	Username     string // whose password the form is about, for password managers; "" when a field says so or for none
	Token        string
	Submit, Busy string       // labels of the main button; Busy while the form is sent
	Danger       bool         // the main button takes something away
	Colour       string       // class of the main button in the colour of a chat app, "" for none
	Main         FormButton   // name and value of the main button, zero for none
	Extra        []FormButton // under the main button

	SignOut   bool // offers to sign out instead
	Help      FormHelp
	Links     []web.PageLink
	Below     templ.Component // below everything else, nil for nothing
	DemoLinks bool            // see components.Shell.DemoLinks
}

// formRefusal is the summary above a form that was refused; the zero value for a form that was not.
type formRefusal struct {
	Heading  string
	Text     string // replaces the text of the refusal, "" for none
	Mistakes []components.Mistake
	People   []components.Person // who can help
	Links    []web.PageLink      // where the person can continue instead
}

type (
	// Tab is a link to another way to fill in the form.
	Tab struct{ Label, Href string }
	// Hidden is a hidden field.
	Hidden struct{ Name, Value string }
	// FormButton is a button that sends the form with a field of its own.
	FormButton struct{ Name, Value, Label string }
	// ChatIdentity is who a person is in a chat app, above the form; nil for none. Mark is the app's mark, see
	// components.AppMark, and Account the account that the identity signs in, "" when it is not known.
	ChatIdentity struct{ Mark, App, Name, Account string }
	// CheckBox is a check box in a form; the zero value for none.
	CheckBox struct {
		Name, Label string
		Hint        string // below it, "" for none
		Checked     bool
	}
	// PointList is a list of texts in a form.
	PointList struct {
		Heading string
		Items   []string
	}
	// FormHelp lists people that the reader can call. Text is "" for none.
	FormHelp struct {
		Text   string
		People []components.Person
	}
	// Stage is one of several steps. State is "done", "now" or "".
	Stage struct{ State, Text string }
)

// path returns the tab's address without its query.
func (t Tab) path() string {
	path, _, _ := strings.Cut(t.Href, "?")
	return path
}

// Field returns the field with an id, to be changed in place; nil for none.
func (v *FormView) Field(id string) *components.Field {
	i := slices.IndexFunc(v.Fields, func(f components.Field) bool { return f.ID == id })
	if i < 0 {
		return nil
	}
	return &v.Fields[i]
}

// RenderForm writes the page, with the refusal of the form that was sent; nil for none.
func (p *Pages) RenderForm(w http.ResponseWriter, r *http.Request, v FormView, refused *access.Refused) error {
	if refused != nil {
		v.refuse(p, r, refused)
	}
	p.keepNewPassword(w, r, &v)
	if v.Field("code") != nil {
		p.FlowID(w, r) // set its cookie now: the response to the request for a code may be lost
	}
	v.Token = p.web.FormToken(r)
	if len(v.Fields) > 0 {
		v.Fields[len(v.Fields)-1].Last = true
	}
	shell := p.web.Shell(r, "", true)
	shell.Panel, shell.Wide = !v.Columns, v.Columns
	web.NamePage(r, &shell, v.Heading)
	shell.Form = "care"
	shell.Offline = true
	shell.DemoLinks = v.DemoLinks && shell.Platform
	if v.Multipart || v.Field("company_name") != nil || v.Field("industry") != nil {
		p.web.FlowsStyle(r, &shell)
	}
	if v.Public.Path != "" {
		p.web.AllowIndexing(r, &shell, v.Public, v.Heading)
	}
	return p.web.Render(w, r, web.RefusedStatus(w, refused), shell, formPage(v))
}

// keepNewPassword keeps an acceptable new password of a form that is shown again, so that nobody has to invent one
// twice because another field was wrong. A hidden field holds it sealed; the password's own fields are empty and need
// not be filled in. A current password is never kept.
func (p *Pages) keepNewPassword(w http.ResponseWriter, r *http.Request, v *FormView) {
	field, typed := v.Field("password"), r.PostForm.Get("password")
	if r.Method != http.MethodPost || field == nil || field.Complete != newPassword || field.Message != "" {
		return
	}
	rule, about := p.core.Passwords.Password, access.PasswordContext{
		Phone: r.PostForm.Get("phone"), Login: r.PostForm.Get("login"), Name: r.PostForm.Get("name"),
		Company: r.PostForm.Get("company_name"),
	}
	if rule.Check(rule.Meant(typed), about) != "" {
		return
	}
	path, _, _ := strings.Cut(v.Path, "?")
	sealed, err := p.core.Limits.KeepPassword(p.FlowID(w, r), path, typed)
	if err != nil {
		return
	}
	v.Hidden = append(v.Hidden, Hidden{web.PasswordField, sealed})
	field.Kept, field.Hint = true, locale.T(r.Context(), "password.kept")
	confirm := v.Field("confirm_password")
	if confirm != nil && confirm.Message == "" && r.PostForm.Get("confirm_password") == typed {
		confirm.Kept = true
	}
}

// newPassword is the autocomplete value of a field for a new password.
const newPassword = "new-password"

// refuse shows a refusal beside its fields and in the summary.
func (v *FormView) refuse(p *Pages, r *http.Request, refused *access.Refused) {
	ctx := r.Context()
	v.Refusal.Heading = locale.T(ctx, "summary.heading")
	if refused.Question != nil {
		v.insertAboveCode(r.PostForm.Get("action"), components.Field{
			ID: "answer", Label: locale.T(ctx, "login.question", "a", refused.Question.A, "b", refused.Question.B),
			Hint: locale.T(ctx, "code.question_hint"), Complete: "off", Max: 4, Numeric: true,
		})
		v.Hidden = append(v.Hidden, Hidden{"question", refused.Question.Token})
	}
	if refused.Refusal == access.CodeAlreadySent {
		v.Sending.Seconds = refused.WaitSeconds()
	}
	if refused.Refusal != access.ValidationFailed {
		// A code is only valid with the browser's cookie.
		if refused.Refusal == access.CodeExpired && web.CookiesBlocked(r) {
			v.Refusal.Text = locale.T(ctx, "cookies.body")
		}
		mistake := components.Mistake{
			Message: cmp.Or(v.Refusal.Text, web.RefusalText(r, refused)),
			Field:   cmp.Or(refused.Field, RefusedField[refused.Refusal]),
		}
		if f := v.Field(mistake.Field); f != nil {
			f.Message = mistake.Message
		} else {
			mistake.Field = ""
		}
		v.Refusal.Mistakes = append(v.Refusal.Mistakes, mistake)
		v.Refusal.People = web.People(r, refused.Contacts)
		return
	}
	for i := range v.Fields {
		f := &v.Fields[i]
		if problem := refused.Fields[f.ID]; problem != "" {
			f.Message = p.ProblemText(r, problem)
			v.Refusal.Mistakes = append(v.Refusal.Mistakes, components.Mistake{Field: f.ID, Message: f.Message})
		}
	}
}

// RefusedField holds the id of the field beside which each refusal is shown.
var RefusedField = map[access.Refusal]string{
	access.CodeWrong:           "code",
	access.CodeExpired:         "code",
	access.CodeAlreadySent:     "code",
	access.WrongPassword:       "password",
	access.PasswordNotSet:      "password",
	access.OldPasswordWrong:    "old_password",
	access.UploadRejected:      "licence",
	access.NotInCompany:        "phone",
	access.PhoneNotBound:       "phone",
	access.PhoneRegistered:     "phone",
	access.PhoneBoundElsewhere: "phone",
	access.AccountNotFound:     "login",
}

// insertAboveCode inserts a field above the code field whose button has this action, so that the person comes to the
// field before the button. A form without such a code field gets it at its end.
func (v *FormView) insertAboveCode(action string, field components.Field) {
	at := slices.IndexFunc(v.Fields, func(f components.Field) bool {
		sending := v.Sending
		if f.Sending != nil {
			sending = *f.Sending
		}
		return f.Kind == components.KindCode && cmp.Or(sending.Action, "send_code") == action
	})
	if at < 0 {
		at = len(v.Fields)
	}
	v.Fields = slices.Insert(v.Fields, at, field)
}

// ProblemText returns the message about what is wrong with a field.
func (p *Pages) ProblemText(r *http.Request, problem access.Problem) string {
	key, args := p.core.Passwords.ProblemMessage(problem)
	return locale.T(r.Context(), key, args...)
}

// PhoneField returns the field of a phone number, with what was typed.
func PhoneField(r *http.Request, typed string) components.Field {
	return components.Field{
		Kind: components.KindPhone, ID: "phone", Label: locale.T(r.Context(), "login.phone"), Value: typed,
		Complete: "tel", Max: access.MaxPhoneTyped, Pattern: access.PhonePattern,
	}
}

// CodeField returns the field of a verification code.
func CodeField(r *http.Request) components.Field {
	return components.Field{
		Kind: components.KindCode, ID: "code", Label: locale.T(r.Context(), "code.label"),
		Max: core.MaxCodeTyped, Digits: core.CodeDigits,
	}
}

// PasswordField returns the field of a password. label is a locale key, complete the value of autocomplete.
func PasswordField(r *http.Request, id, label, complete string) components.Field {
	return components.Field{
		Kind: components.KindPassword, ID: id, Label: locale.T(r.Context(), label), Complete: complete,
		Max: access.MaxPasswordChars,
	}
}

// NewPasswordFields returns the fields of a new password and its repetition. The hint states the rule for passwords.
func (p *Pages) NewPasswordFields(r *http.Request) []components.Field {
	password := PasswordField(r, "password", "password.new", newPassword)
	key, args := p.core.Passwords.PasswordHint()
	password.Hint, password.Rules = locale.T(r.Context(), key, args...), p.core.Passwords.Password.Attribute()
	confirm := PasswordField(r, "confirm_password", "password.confirm", newPassword)
	confirm.Rules = password.Rules
	return []components.Field{password, confirm}
}

// SendingFor returns the button beside a code field. seconds is how long the person has to wait for another code; send
// names the fields that are sent with the request.
func SendingFor(purpose access.Purpose, seconds int, send ...string) components.CodeSending {
	return components.CodeSending{URL: "/code", Purpose: string(purpose), Send: send, Seconds: seconds}
}

// Fact is a value with its label.
type Fact struct{ Name, Value string }

// PersonLine is an account in a list.
type PersonLine struct {
	Href, Name, Role string
	Details          []string
	State            web.Chip
}

// StagesNamed returns the steps of a form that has several pages, by the keys of their names; at is the index of the
// current one.
func StagesNamed(r *http.Request, at int, names ...string) []Stage {
	stages := make([]Stage, len(names))
	for i, key := range names {
		stages[i].Text = locale.T(r.Context(), key)
		switch {
		case i < at:
			stages[i].State = "done"
		case i == at:
			stages[i].State = "now"
		}
	}
	return stages
}

// RegisterStages returns the steps of registering a company; at is the index of the current step.
func RegisterStages(r *http.Request, at int) []Stage {
	stages := StagesNamed(r, at, "register.stage_create", "register.stage_initialise", "register.stage_enter")
	for i, key := range []string{"register.created", "register.initialised"}[:min(at, 2)] {
		stages[i] = Stage{"done", locale.T(r.Context(), key)}
	}
	return stages
}
