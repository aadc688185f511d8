package pages

import (
	"encoding/json"
	"errors"
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
	Tabs           []tab
	Path           string
	Fields         []components.Field
	Sending        components.CodeSending
	Remember       bool // offer to stay signed in
	Remembered     bool
	Hidden         []hidden
	Token          string
	Submit, Busy   string
	Also           []alsoButton // other ways on, under the main button
	Links          []pageLink
	Note           string // what has just happened
	ListHeading    string
	List           []string
	SummaryHeading string
	Mistakes       []components.Mistake
	People         []components.Person
}

type (
	tab        struct{ Label, Href string }
	hidden     struct{ Name, Value string }
	alsoButton struct{ Name, Value, Label string }
	pageLink   struct{ Label, Href string }
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
	if token := p.sessionToken(r); token != "" {
		v.Token = p.portal.FormToken(token)
	}
	if len(v.Fields) > 0 {
		v.Fields[len(v.Fields)-1].Last = true
	}
	shell := p.shell(r, "", true)
	shell.Panel, shell.Form = true, "care"
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
		mistake := components.Mistake{Message: refusalText(r, refused), Field: refusedField[refused.Refusal]}
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
	portal.PasswordNotSet: "password", portal.PhoneNotBound: "phone", portal.PhoneRegistered: "phone", portal.PhoneBoundElsewhere: "phone", portal.AccountNotFound: "login",
}

// problemText is what is wrong with a field, in words.
func (p *Pages) problemText(r *http.Request, problem portal.Problem) string {
	key, args := p.portal.ProblemMessage(problem)
	return locale.T(r.Context(), key, args...)
}

// flowID is this browser's own id for the codes it asks for: made when there is none yet.
func (p *Pages) flowID(w http.ResponseWriter, r *http.Request) string {
	if id := p.cookie(r, flowCookie); portal.IsFlow(id) {
		return id
	}
	id := portal.NewFlow()
	p.setCookie(w, flowCookie, id, daySeconds)
	return id
}

// asking is a code to be sent, as the form and the browser have it.
func (p *Pages) asking(w http.ResponseWriter, r *http.Request, purpose portal.Purpose) (portal.AskCodeInput, error) {
	var in portal.AskCodeInput
	decode(r, &in)
	in.Purpose, in.Browser, in.Place, in.Lang = purpose, true, placeOf(r.Context()), string(locale.Of(r.Context()))
	switch purpose {
	case portal.ForBind, portal.ForUnbind:
		s, err := p.signedIn(r)
		in.Session, in.Flow, in.Login = s, sessionFlow(s), ""
		return in, err
	case portal.ForLogin, portal.ForReset:
		in.Flow, in.CompanyID = p.flowID(w, r), in.Place.CompanyID()
		if purpose == portal.ForLogin {
			in.Login = ""
		}
		return in, nil
	}
	return in, portal.WrongParameters
}

// sessionFlow is the flow of codes that only one session may use.
func sessionFlow(s portal.Session) string { return "session:" + s.ID }

// sendCode sends the code a form asked for by its second button, and shows the form again.
func (p *Pages) sendCode(w http.ResponseWriter, r *http.Request, purpose portal.Purpose, view careView) error {
	in, err := p.asking(w, r, purpose)
	if err != nil {
		return err
	}
	sent, err := p.portal.AskCode(r.Context(), in)
	refused := new(portal.Refused)
	if errors.As(err, &refused) {
		if refused.Company != nil {
			return err
		}
		return p.renderCare(w, r, view, refused)
	}
	if err != nil {
		return err
	}
	view.Sending.Seconds = int(sent.ResendAfter.Seconds())
	view.Sending.Message = p.sentText(r, in, sent)
	return p.renderCare(w, r, view, nil)
}

// sentText says to which phone a code went, as far as the reader may know.
func (p *Pages) sentText(r *http.Request, in portal.AskCodeInput, sent portal.CodeSent) string {
	phone := sent.Phone
	if number, ok := portal.NormalPhone(in.Phone); ok && phone == "" && in.Login == "" {
		phone = components.GroupPhone(number)
	}
	if phone == "" {
		return locale.T(r.Context(), "code.maybe_sent")
	}
	return locale.T(r.Context(), "code.sent", "phone", phone)
}

// codeAnswer is what the code island reads.
type codeAnswer struct {
	ResendAfter int               `json:"resend_after,omitempty"`
	Message     string            `json:"message"`
	Fields      map[string]string `json:"fields,omitempty"`
	Proof       *codeProof        `json:"proof,omitempty"`
}

type codeProof struct {
	Token string `json:"token"`
	Bits  int    `json:"bits"`
}

// submitCode is the same for scripts: POST /code.
func (p *Pages) submitCode(w http.ResponseWriter, r *http.Request) error {
	in, err := p.asking(w, r, portal.Purpose(r.PostForm.Get("purpose")))
	if err != nil {
		return p.answerCode(w, r, err)
	}
	sent, err := p.portal.AskCode(r.Context(), in)
	if err != nil {
		return p.answerCode(w, r, err)
	}
	return writeJSON(w, http.StatusOK, codeAnswer{ResendAfter: int(sent.ResendAfter.Seconds()), Message: p.sentText(r, in, sent)})
}

// answerCode tells a script what was refused; anything unforeseen goes the way of all pages.
func (p *Pages) answerCode(w http.ResponseWriter, r *http.Request, err error) error {
	refused := new(portal.Refused)
	if errors.Is(err, portal.LoginRequired) || errors.Is(err, portal.WrongParameters) {
		plain := portal.Refusal("")
		_ = errors.As(err, &plain)
		refused.Refusal = plain
	} else if !errors.As(err, &refused) {
		return err
	}
	answer := codeAnswer{Message: refusalText(r, refused)}
	if refused.Refusal == portal.CodeAlreadySent {
		answer.ResendAfter = refused.WaitSeconds()
	}
	for name, problem := range refused.Fields {
		if refused.Work != nil && name == "answer" {
			answer.Proof = &codeProof{refused.Work.Token, refused.Work.Bits}
			continue
		}
		if answer.Fields == nil {
			answer.Fields = map[string]string{}
		}
		answer.Fields[name] = p.problemText(r, problem)
	}
	return writeJSON(w, refusedStatus(w, refused), answer)
}

func writeJSON(w http.ResponseWriter, status int, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(body)
	return nil
}

// The fields these forms are made of.

func phoneField(r *http.Request, typed string) components.Field {
	return components.Field{
		Kind: components.KindPhone, ID: "phone", Label: locale.T(r.Context(), "login.phone"), Value: typed, Complete: "tel", Max: portal.PhoneDigits + 2, Pattern: portal.PhonePattern,
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

// resume fills a form in with the code this browser asked for before: its phone and the seconds left.
func (p *Pages) resume(r *http.Request, v *careView, flow string, purpose portal.Purpose) (portal.PendingCode, error) {
	pending, ok, err := p.portal.PendingCode(r.Context(), flow, purpose)
	if err != nil || !ok {
		return pending, err
	}
	v.Sending.Seconds = int((pending.ResendAfter + 999_999_999) / 1_000_000_000)
	if f := v.field("phone"); f != nil && f.Value == "" && !pending.Hidden {
		f.Value = components.GroupPhone(pending.Phone)
	}
	return pending, nil
}

// asked says whether a form was sent by its second button, for a code.
func asked(r *http.Request) bool { return r.PostForm.Get("action") == "send_code" }
