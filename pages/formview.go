package pages

import (
	"cmp"
	"net/http"
	"slices"

	"portico/components"
	"portico/locale"
	"portico/portal"
)

// careView is a form that takes care of a phone or password: all its pages look alike.
type careView struct {
	Heading, Lead  string
	Step           string // "Step 2 of 2"
	Progress       []stage
	Public         publicPage
	Tabs           []tab
	Path           string
	Fields         []components.Field
	Sending        components.CodeSending
	Multipart      bool // a file may come along
	Draft          bool // what is typed is kept as it is typed
	Remember       bool // offer to stay signed in
	Remembered     bool
	Hidden         []hidden
	Token          string
	Submit, Busy   string
	Also           []alsoButton // other ways on, under the main button
	Main           alsoButton   // the name and value of the main button, "" for none
	Links          []pageLink
	Help           string // introduces HelpPeople, whom the person can call; "" for none
	HelpPeople     []components.Person
	SignOut        bool       // for those who do not want to go on
	Note           string     // what has just happened
	Ways           []pageLink // ways on from what was refused
	Instead        string     // is said instead of the refusal's own words, "" for those
	ListHeading    string
	List           []string
	Check          check // a question about the list, or by itself
	SummaryHeading string
	Mistakes       []components.Mistake
	People         []components.Person
}

type (
	tab        struct{ Label, Href string }
	hidden     struct{ Name, Value string }
	alsoButton struct{ Name, Value, Label string }
	pageLink   struct{ Label, Href string }
	check      struct { // a box to tick; no Name: there is none
		Name, Label string
		Checked     bool
	}
	stage struct{ State, Text string } // one of several steps: State is "done", "now" or ""
)

// field finds a field to change it.
func (v *careView) field(id string) *components.Field {
	i := slices.IndexFunc(v.Fields, func(f components.Field) bool { return f.ID == id })
	if i < 0 {
		return nil
	}
	return &v.Fields[i]
}

// renderCare writes the page: as it was asked for, or with what was refused.
func (p *Pages) renderCare(w http.ResponseWriter, r *http.Request, v careView, refused *portal.Refused) error {
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
	return p.render(w, r, refusedStatus(w, refused), shell, carePage(v))
}

// refuse puts a refusal beside its fields and into the summary.
func (v *careView) refuse(p *Pages, r *http.Request, refused *portal.Refused) {
	ctx := r.Context()
	v.SummaryHeading = locale.T(ctx, "summary.heading")
	if refused.Question != nil {
		v.Fields = append(v.Fields, components.Field{
			ID: "answer", Label: locale.T(ctx, "login.question", "a", refused.Question.A, "b", refused.Question.B),
			Hint: locale.T(ctx, "code.question_hint"), Complete: "off", Max: 4, Numeric: true,
		})
		v.Hidden = append(v.Hidden, hidden{"question", refused.Question.Token})
	}
	if refused.Refusal == portal.CodeAlreadySent {
		v.Sending.Seconds = refused.WaitSeconds()
	}
	if refused.Refusal != portal.ValidationFailed {
		if refused.Refusal == portal.CodeExpired && cookiesBlocked(r) { // a code is only valid with the browser's cookie
			v.Instead = locale.T(ctx, "cookies.body")
		}
		mistake := components.Mistake{
			Message: cmp.Or(v.Instead, refusalText(r, refused)),
			Field:   cmp.Or(refused.Field, refusedField[refused.Refusal]),
		}
		if f := v.field(mistake.Field); f != nil {
			f.Message = mistake.Message
		} else {
			mistake.Field = ""
		}
		v.Mistakes, v.People = append(v.Mistakes, mistake), people(r, refused.Contacts)
		return
	}
	for i := range v.Fields {
		f := &v.Fields[i]
		if problem := refused.Fields[f.ID]; problem != "" {
			f.Message = p.problemText(r, problem)
			v.Mistakes = append(v.Mistakes, components.Mistake{Field: f.ID, Message: f.Message})
		}
	}
}

// refusedField is the field that a refusal speaks of.
var refusedField = map[portal.Refusal]string{
	portal.CodeWrong: "code", portal.CodeExpired: "code", portal.CodeAlreadySent: "code", portal.WrongPassword: "password", portal.OldPasswordWrong: "old_password",
	portal.UploadRejected: "licence", portal.PasswordNotSet: "password", portal.NotInCompany: "phone", portal.PhoneNotBound: "phone", portal.PhoneRegistered: "phone", portal.PhoneBoundElsewhere: "phone", portal.AccountNotFound: "login",
}

// problemText is what is wrong with a field, in words.
func (p *Pages) problemText(r *http.Request, problem portal.Problem) string {
	key, args := p.portal.ProblemMessage(problem)
	return locale.T(r.Context(), key, args...)
}

// The fields these forms are made of.

func phoneField(r *http.Request, typed string) components.Field {
	return components.Field{
		Kind: components.KindPhone, ID: "phone", Label: locale.T(r.Context(), "login.phone"), Value: typed,
		Complete: "tel", Max: portal.MaxPhoneTyped, Pattern: portal.PhonePattern,
	}
}

func codeField(r *http.Request) components.Field {
	return components.Field{Kind: components.KindCode, ID: "code", Label: locale.T(r.Context(), "code.label"), Max: portal.CodeDigits}
}

func passwordField(r *http.Request, id, label, complete string) components.Field {
	return components.Field{Kind: components.KindPassword, ID: id, Label: locale.T(r.Context(), label), Complete: complete, Max: portal.MaxPasswordChars}
}

// newPasswordFields are a new password and its repetition, with the rule said before the mistake.
func (p *Pages) newPasswordFields(r *http.Request) []components.Field {
	password := passwordField(r, "password", "password.new", "new-password")
	key, args := p.portal.PasswordHint()
	password.Hint = locale.T(r.Context(), key, args...)
	return []components.Field{password, passwordField(r, "confirm_password", "password.confirm", "new-password")}
}

// sendingFor is the button beside a code field, with what the server knows of the countdown.
func sendingFor(purpose portal.Purpose, seconds int, send ...string) components.CodeSending {
	return components.CodeSending{URL: "/code", Purpose: string(purpose), Send: send, Seconds: seconds}
}
