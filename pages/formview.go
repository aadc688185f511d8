package pages

import (
	"cmp"
	"net/http"
	"slices"

	"portico/components"
	"portico/locale"
	"portico/portal/access"
	"portico/portal/verification"
)

// formView is a page with one form. The pages on which people register, apply, sign in by code and change a phone or
// password have this layout.
type formView struct {
	Heading, Lead string
	Step          string // like "Step 2 of 2", "" for none
	Progress      []stage
	Tabs          []tab
	Note          string // says what has just happened, "" for nothing
	Public        publicPage
	Refusal       formRefusal

	Path         string // the address that the form is sent to
	Multipart    bool   // the form may have a file
	Draft        bool   // a script keeps what is typed
	Fields       []components.Field
	Sending      components.CodeSending
	List         pointList
	Check        checkBox
	Hidden       []hidden
	Token        string
	Submit, Busy string       // labels of the main button; Busy while the form is sent
	Main         formButton   // name and value of the main button, zero for none
	Extra        []formButton // under the main button

	SignOut bool // offers to sign out instead
	Help    formHelp
	Links   []pageLink
}

// formRefusal says above a form why it was refused; zero when it was not.
type formRefusal struct {
	Heading  string
	Text     string // replaces the text of the refusal, "" for none
	Mistakes []components.Mistake
	People   []components.Person // who can help
	Links    []pageLink          // where the person can continue instead
}

// The parts of a formView.
type (
	// tab is a link to another way to fill in the form.
	tab struct{ Label, Href string }
	// hidden is a hidden field.
	hidden struct{ Name, Value string }
	// formButton is a button that sends the form with a field of its own.
	formButton struct{ Name, Value, Label string }
	// pageLink is a link under a form or on a page.
	pageLink struct{ Label, Href string }
	// checkBox is a check box in a form; the zero value for none.
	checkBox struct {
		Name, Label string
		Checked     bool
	}
	// pointList is a list of texts in a form.
	pointList struct {
		Heading string
		Items   []string
	}
	// formHelp names people whom the reader can call. Text is "" for none.
	formHelp struct {
		Text   string
		People []components.Person
	}
	// stage is one of several steps. State is "done", "now" or "".
	stage struct{ State, Text string }
)

// field returns the field with an id, to be changed in place; nil for none.
func (v *formView) field(id string) *components.Field {
	i := slices.IndexFunc(v.Fields, func(f components.Field) bool { return f.ID == id })
	if i < 0 {
		return nil
	}
	return &v.Fields[i]
}

// renderForm writes the page, with the refusal of the form that was sent; nil for none.
func (p *Pages) renderForm(w http.ResponseWriter, r *http.Request, v formView, refused *access.Refused) error {
	if refused != nil {
		v.refuse(p, r, refused)
	}
	if v.field("code") != nil {
		p.flowID(w, r) // set its cookie now: the response to the request for a code may be lost
	}
	v.Token = p.formToken(r)
	if len(v.Fields) > 0 {
		v.Fields[len(v.Fields)-1].Last = true
	}
	shell := p.shell(r, "", true)
	shell.Panel, shell.Form, shell.Offline = true, "care", true
	if len(v.Progress) > 0 || v.Multipart || v.field("industry") != nil {
		p.more(r, &shell)
	}
	if v.Public.path != "" {
		p.findable(r, &shell, v.Public, v.Heading)
	}
	return p.render(w, r, refusedStatus(w, refused), shell, formPage(v))
}

// refuse shows a refusal beside its fields and in the summary.
func (v *formView) refuse(p *Pages, r *http.Request, refused *access.Refused) {
	ctx := r.Context()
	v.Refusal.Heading = locale.T(ctx, "summary.heading")
	if refused.Question != nil {
		v.Fields = append(v.Fields, components.Field{
			ID: "answer", Label: locale.T(ctx, "login.question", "a", refused.Question.A, "b", refused.Question.B),
			Hint: locale.T(ctx, "code.question_hint"), Complete: "off", Max: 4, Numeric: true,
		})
		v.Hidden = append(v.Hidden, hidden{"question", refused.Question.Token})
	}
	if refused.Refusal == access.CodeAlreadySent {
		v.Sending.Seconds = refused.WaitSeconds()
	}
	if refused.Refusal != access.ValidationFailed {
		// A code is only valid with the browser's cookie.
		if refused.Refusal == access.CodeExpired && cookiesBlocked(r) {
			v.Refusal.Text = locale.T(ctx, "cookies.body")
		}
		mistake := components.Mistake{
			Message: cmp.Or(v.Refusal.Text, refusalText(r, refused)),
			Field:   cmp.Or(refused.Field, refusedField[refused.Refusal]),
		}
		if f := v.field(mistake.Field); f != nil {
			f.Message = mistake.Message
		} else {
			mistake.Field = ""
		}
		v.Refusal.Mistakes = append(v.Refusal.Mistakes, mistake)
		v.Refusal.People = people(r, refused.Contacts)
		return
	}
	for i := range v.Fields {
		f := &v.Fields[i]
		if problem := refused.Fields[f.ID]; problem != "" {
			f.Message = p.problemText(r, problem)
			v.Refusal.Mistakes = append(v.Refusal.Mistakes, components.Mistake{Field: f.ID, Message: f.Message})
		}
	}
}

// refusedField is the id of the field at which a refusal is shown.
var refusedField = map[access.Refusal]string{
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

// problemText says what is wrong with a field.
func (p *Pages) problemText(r *http.Request, problem access.Problem) string {
	key, args := p.portal.Passwords.ProblemMessage(problem)
	return locale.T(r.Context(), key, args...)
}

// phoneField is the field of a phone number, with what was typed.
func phoneField(r *http.Request, typed string) components.Field {
	return components.Field{
		Kind: components.KindPhone, ID: "phone", Label: locale.T(r.Context(), "login.phone"), Value: typed,
		Complete: "tel", Max: access.MaxPhoneTyped, Pattern: access.PhonePattern,
	}
}

// codeField is the field of a verification code.
func codeField(r *http.Request) components.Field {
	return components.Field{
		Kind: components.KindCode, ID: "code", Label: locale.T(r.Context(), "code.label"), Max: verification.CodeDigits,
	}
}

// passwordField is the field of a password. label is a locale key, complete the value of autocomplete.
func passwordField(r *http.Request, id, label, complete string) components.Field {
	return components.Field{
		Kind: components.KindPassword, ID: id, Label: locale.T(r.Context(), label), Complete: complete,
		Max: access.MaxPasswordChars,
	}
}

// newPasswordFields are the fields of a new password and its repetition. The hint states the rule for passwords.
func (p *Pages) newPasswordFields(r *http.Request) []components.Field {
	password := passwordField(r, "password", "password.new", "new-password")
	key, args := p.portal.Passwords.PasswordHint()
	password.Hint = locale.T(r.Context(), key, args...)
	return []components.Field{password, passwordField(r, "confirm_password", "password.confirm", "new-password")}
}

// sendingFor is the button beside a code field. seconds is how long the person has to wait for another code; send names
// the fields that are sent with the request.
func sendingFor(purpose access.Purpose, seconds int, send ...string) components.CodeSending {
	return components.CodeSending{URL: "/code", Purpose: string(purpose), Send: send, Seconds: seconds}
}
