package pages

import (
	"encoding/json"
	"errors"
	"net/http"

	"portico/components"
	"portico/locale"
	"portico/portal/access"
	"portico/portal/signin"
)

// loginView is what the login page shows, on either of its doors.
type loginView struct {
	ByName   bool
	Path     string
	Who      components.Field // phone or account name
	Password components.Field
	Question *components.Field // the extra proof, when one is asked for
	Proof    string            // its token
	Work     *access.Work      // to do by a script instead
	Remember bool
	Token    string // for browsers with a session, see Pages.guarded
	Edition  string
	Return   string // the path to open after signing in, "" for the first page
	SignedIn string // who is signed in here already, "" for nobody
	Heading  string // of the error summary
	Mistakes []components.Mistake
	People   []components.Person
	Support  []components.Person // whom to call about signing in
	Open     bool                // companies are made here
	Join     bool                // customers may ask this company to let them order
	Doors    []doorLink          // of chat apps, where they work
}

// InChat says that the page is shown inside a chat app, whose door is one tap.
func (v loginView) InChat() bool { return len(v.Doors) > 0 && v.Doors[0].Here }

func byName(path string) bool { return path == "/login/account" }

func (p *Pages) showLogin(w http.ResponseWriter, r *http.Request) error {
	p.shared(w, r)
	p.noteReturn(w, r)
	if silently, err := p.signInSilently(w, r); silently {
		return err
	}
	in := signin.LoginInput{ByName: byName(r.URL.Path), Browser: access.Browser{Lighting: asksLighting(r.Context())}}
	remembered := p.portal.Sealing.Remembered(p.cookie(r, loginCookie))
	if _, isPhone := access.NormalPhone(remembered); isPhone && !in.ByName {
		in.Phone, in.Remember = components.GroupPhone(remembered), true
	} else if !isPhone && in.ByName {
		in.Login, in.Remember = remembered, remembered != ""
	}
	view := p.loginView(r, in, nil)
	if err := p.noteSignedIn(r, &view); err != nil {
		return err
	}
	shell := p.loginShell(r, view)
	p.noteLoginDone(w, r, &shell)
	return p.render(w, r, http.StatusOK, shell, loginPage(view))
}

// noteLoginDone says on a sign-in page what has just happened, by the parameter "done".
func (p *Pages) noteLoginDone(w http.ResponseWriter, r *http.Request, shell *components.Shell) {
	done := r.URL.Query().Get("done")
	switch done {
	case "signed_out", "session_ended", "form_kept", "reset", "unbound":
		shell.Toast = locale.T(r.Context(), "login."+done)
		shell.ClearMirror = done == "signed_out" || done == "session_ended" || done == "form_kept"
	case "wecom":
		detail := p.flashDetail(w, r, "wecom")
		shell.Toast = refusalText(r, &access.Refused{Refusal: access.WeChatFailed, Detail: detail})
		shell.ToastLong = true
	default:
		return
	}
	if done == "signed_out" { // perhaps on another host
		p.forgetChat(w)
		p.dropCookie(w, flowCookie)
	}
	shell.Style = components.StyleFor(shell.Theme, p.sheets(r), components.PartInside)
}

// noteSignedIn makes the page offer to continue with the account that is signed in already.
func (p *Pages) noteSignedIn(r *http.Request, view *loginView) error {
	if p.sessionToken(r) == "" {
		return nil
	}
	view.Token = p.formToken(r)
	s, err := p.signedIn(r)
	if errors.Is(err, access.LoginRequired) {
		return nil
	}
	if err != nil {
		return err
	}
	view.SignedIn, err = p.portal.Accounts.PersonLabel(r.Context(), s)
	return err
}

func (p *Pages) submitLogin(w http.ResponseWriter, r *http.Request) error {
	in := signin.LoginInput{ByName: byName(r.URL.Path)}
	decode(r, &in)
	p.noteReturn(w, r)
	typed := in
	if again, switched := p.switchedLang(w, r); switched {
		return p.loginAgain(w, again, typed, nil)
	}
	in.Browser = p.browserOf(r, in.Remember)
	in.Enter, in.Agreement = p.directEntry(r), p.requiredAgreement()
	result, err := p.portal.Signin.Login(r.Context(), in)
	if refused, ok := errors.AsType[*access.Refused](err); ok && refused.Company == nil {
		return p.loginAgain(w, r, typed, refused)
	}
	if err != nil {
		return err
	}
	if err := p.setSignedIn(w, r, result); err != nil {
		return err
	}
	return p.redirectSignedIn(w, r, result)
}

// loginAgain shows the form as it was sent, without the password, and what to mend.
func (p *Pages) loginAgain(
	w http.ResponseWriter, r *http.Request, typed signin.LoginInput, refused *access.Refused,
) error {
	view := p.loginView(r, typed, refused)
	if p.sessionToken(r) != "" {
		view.Token = p.formToken(r)
	}
	return p.render(w, r, refusedStatus(w, refused), p.loginShell(r, view), loginPage(view))
}

func (p *Pages) loginShell(r *http.Request, view loginView) components.Shell {
	again := len(view.Mistakes) > 0 || len(view.People) > 0
	s := p.shell(r, "", again)
	s.Panel, s.Form, s.Mirror = true, "sign-in", mirrorPlace(r)
	s.Offline = again // the first page is as light as it can be
	if !view.ByName {
		p.findable(r, &s, publicLogin, "")
	}
	if browsing(r) {
		s.Metadata = nil
	}
	return s
}

func (p *Pages) loginView(r *http.Request, in signin.LoginInput, refused *access.Refused) loginView {
	ctx := r.Context()
	v := loginView{ByName: in.ByName, Path: "/login", Remember: in.Remember}
	v.Support, v.Open = people(r, p.portal.Access.Support(placeOf(ctx))), placeOf(ctx).Company == nil
	v.Join = !v.Open && placeOf(ctx).Company.ApplicationsOpen
	v.Doors = p.doorLinks(r)
	v.Who = components.Field{
		ID: "phone", Label: locale.T(ctx, "login.phone"), Value: in.Phone,
		Complete: "tel", Max: access.MaxPhoneTyped, Pattern: access.PhonePattern,
	}
	if in.ByName {
		v.Path = "/login/account"
		v.Who = components.Field{ID: "login", Label: locale.T(ctx, "login.name"), Hint: locale.T(ctx, "login.name_hint"), Value: in.Login, Complete: "username", Max: access.MaxLogin}
	}
	if asksLighting(ctx) {
		v.Edition = lightingEdition
	}
	v.Return = askedReturn(r)
	v.Password = components.Field{ID: "password", Label: locale.T(ctx, "login.password"), Complete: "current-password", Max: access.MaxPasswordChars, Last: true}
	if refused != nil {
		v.refuse(p, r, refused)
	}
	return v
}

// workProps are what the island reads.
func (v loginView) workProps() string {
	props, _ := json.Marshal(codeProof{v.Work.Token, v.Work.Bits})
	return string(props)
}

// refuse puts a refusal where it belongs: beside its field, and in the summary.
func (v *loginView) refuse(p *Pages, r *http.Request, refused *access.Refused) {
	ctx := r.Context()
	v.Heading = locale.T(ctx, "summary.refused")
	if refused.Question != nil {
		v.Proof = refused.Question.Token
		v.Question = &components.Field{
			ID: "answer", Label: locale.T(ctx, "login.question", "a", refused.Question.A, "b", refused.Question.B),
			Hint: locale.T(ctx, "login.question_hint"), Complete: "off", Max: 4, Numeric: true,
		}
	}
	if refused.Work != nil && refused.Fields["answer"] == access.AnswerRequired { // too many people sign in at once
		v.Work, v.Question.Hint = refused.Work, ""
		v.Mistakes = append(v.Mistakes, components.Mistake{Message: locale.T(ctx, "login.crowded")})
		return
	}
	if refused.Refusal != access.ValidationFailed {
		mistake := components.Mistake{Message: refusalText(r, refused)}
		if refused.Refusal == access.WrongPassword {
			v.Password.Message, mistake.Field = mistake.Message, "password"
		}
		v.Mistakes = append(v.Mistakes, mistake)
		v.People = people(r, refused.Contacts)
		return
	}
	v.Heading = locale.T(ctx, "summary.heading")
	for _, f := range []*components.Field{&v.Who, &v.Password, v.Question} {
		if f == nil || refused.Fields[f.ID] == "" {
			continue
		}
		f.Message = p.problemText(r, refused.Fields[f.ID])
		v.Mistakes = append(v.Mistakes, components.Mistake{Field: f.ID, Message: f.Message})
	}
}
