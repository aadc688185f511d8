package signin

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"portico/components"
	"portico/locale"
	"portico/pages/forms"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/signin"
)

// LoginView is the sign-in page, with the form by phone or by account name.
type LoginView struct {
	ByName      bool
	Path        string
	Who         components.Field // phone or account name
	Password    components.Field
	Question    *components.Field // the extra proof, when one is asked for
	Proof       string            // the token of the question
	Work        *access.Work      // the proof of work that a script does instead
	Remember    bool
	Token       string // for browsers with a session, see web.RequireToken
	Edition     string
	Return      string // the path to open after signing in, "" for the first page
	SignedIn    string // who is signed in here already, "" for nobody
	Heading     string // of the error summary
	Mistakes    []components.Mistake
	People      []components.Person
	Tabs        []forms.Tab
	ChatMethods []MethodLink // of the chat apps that work for this request
	Others      WaysView
	Greeting    string // the company's own greeting, which wide screens show beside the form; "" for none
}

// WaysView are the ways in below a form that signs in.
type WaysView struct {
	Apps    []MethodLink        // chat apps other than the one that shows the page
	Support []components.Person // whom to call about signing in
	Open    bool                // companies can be registered here
	Join    bool                // customers may ask this company to let them order
}

// waysOf returns the ways in below the form of a request. methods are those of the chat apps.
func (p *Pages) waysOf(r *http.Request, methods []MethodLink) WaysView {
	place := web.PlaceOf(r.Context())
	v := WaysView{Support: web.People(r, p.portal.Core.Access.Support(place))}
	v.Open = place.Company == nil && p.portal.Core.Access.CompaniesOpen
	v.Join = place.Company != nil && place.Company.ApplicationsOpen
	if len(methods) > 0 && !methods[0].Here {
		v.Apps = methods
	}
	return v
}

// signInTabs returns the tabs of the ways to sign in. The first is the one that /login opens: the password, or the code
// for somebody who signed in by code the last time.
func signInTabs(ctx context.Context, lastByCode bool) []forms.Tab {
	code := forms.Tab{Label: locale.T(ctx, "login.by_code"), Href: "/login/code"}
	password := forms.Tab{Label: locale.T(ctx, "login.by_phone"), Href: "/login"}
	name := forms.Tab{Label: locale.T(ctx, "login.by_name"), Href: "/login/account"}
	if lastByCode {
		password.Href = "/login?by=password"
		return []forms.Tab{code, password, name}
	}
	return []forms.Tab{password, code, name}
}

// InChat reports whether the page is shown inside a chat app, where one tap signs in.
func (v LoginView) InChat() bool { return len(v.ChatMethods) > 0 && v.ChatMethods[0].Here }

// LoginForm is the page that signs in with a password.
func (p *Pages) LoginForm() web.FormPage {
	return web.FormPage{Show: p.showLogin, View: p.viewLogin, Submit: p.submitLogin}
}

// showLogin answers GET / and /login (by phone) and /login/account (by account name). In a chat app it may sign in
// without a form.
func (p *Pages) showLogin(w http.ResponseWriter, r *http.Request) error {
	p.web.KeepSharer(w, r)
	p.web.NoteReturn(w, r)
	if silently, err := p.chatlogin.SignInSilently(w, r); silently {
		return err
	}
	if p.signedInByCode(r) && !web.IsAccountNamePath(r.URL.Path) && !r.URL.Query().Has("by") {
		return p.showLoginCode(w, r)
	}
	in := signin.LoginInput{ByName: web.IsAccountNamePath(r.URL.Path),
		Browser: access.Browser{Lighting: web.AsksLighting(r.Context())}}
	remembered := p.portal.Core.Sealing.Remembered(p.web.Cookie(r, web.LoginCookie))
	if _, isPhone := access.NormalPhone(remembered); isPhone && !in.ByName {
		in.Phone, in.Remember = components.GroupPhone(remembered), true
	} else if !isPhone && in.ByName {
		in.Login, in.Remember = remembered, remembered != ""
	}
	if r.URL.Query().Get("done") == "reset" { // whoever has chosen a new password signs in with it now
		if who := p.forms.TakeCarried(w, r, in.ByName); in.ByName && who != "" {
			in.Login = who
		} else if who != "" {
			in.Phone = who
		}
	}
	view := p.LoginView(r, in, nil)
	if err := p.noteSignedIn(r, &view); err != nil {
		return err
	}
	shell := p.LoginShell(r, view)
	p.NoteLoginDone(w, r, &shell)
	return p.web.Render(w, r, http.StatusOK, shell, LoginPage(view))
}

// NoteLoginDone says on a sign-in page what has just happened, by the parameter "done".
func (p *Pages) NoteLoginDone(w http.ResponseWriter, r *http.Request, shell *components.Shell) {
	done := r.URL.Query().Get("done")
	switch done {
	case "signed_out", "session_ended", "form_kept", "reset", "unbound":
		shell.Toast = locale.T(r.Context(), "login."+done)
		shell.ClearMirror = done == "signed_out" || done == "session_ended" || done == "form_kept"
	case "wecom":
		detail := p.chatlogin.FlashDetail(w, r, "wecom")
		shell.Toast = web.RefusalText(r, &access.Refused{Refusal: access.WeChatFailed, Detail: detail})
		shell.ToastLong = true
	default:
		return
	}
	if done == "signed_out" { // perhaps on another host
		p.web.ForgetChat(w)
		p.web.DropCookie(w, web.FlowCookie)
	}
	shell.Style = components.StyleFor(shell.Theme, p.web.Sheets(r), components.PartAccount)
}

// noteSignedIn makes the page offer to continue with the account that is signed in already.
func (p *Pages) noteSignedIn(r *http.Request, view *LoginView) error {
	if p.web.SessionToken(r) == "" {
		return nil
	}
	view.Token = p.web.FormToken(r)
	s, err := p.web.SignedIn(r)
	if errors.Is(err, access.LoginRequired) {
		return nil
	}
	if err != nil {
		return err
	}
	view.SignedIn, err = p.portal.Accounts.PersonLabel(r.Context(), s)
	return err
}

// loginInput reads the sign-in form.
func loginInput(r *http.Request) signin.LoginInput {
	in := signin.LoginInput{ByName: web.IsAccountNamePath(r.URL.Path)}
	web.Decode(r, &in)
	return in
}

// viewLogin shows the form with what was typed.
func (p *Pages) viewLogin(w http.ResponseWriter, r *http.Request) error {
	p.web.NoteReturn(w, r)
	return p.loginAgain(w, r, loginInput(r), nil)
}

// submitLogin answers POST of the sign-in form. A refused form is shown again with what was typed, never the password.
func (p *Pages) submitLogin(w http.ResponseWriter, r *http.Request) error {
	in := loginInput(r)
	p.web.NoteReturn(w, r)
	typed := in
	in.Browser = p.web.BrowserOf(r, in.Remember)
	in.Enter, in.Agreement = p.entry.DirectEntry(r), p.entry.RequiredAgreement()
	result, err := p.portal.Signin.Login(r.Context(), in)
	if refused, ok := errors.AsType[*access.Refused](err); ok && refused.Company == nil {
		return p.loginAgain(w, r, typed, refused)
	}
	if err != nil {
		return err
	}
	if err := p.entry.SetSessionCookies(w, r, result); err != nil {
		return err
	}
	if p.signedInByCode(r) {
		p.web.DropCookie(w, web.WayCookie)
	}
	return p.entry.RedirectSignedIn(w, r, result)
}

// loginAgain shows the form as it was sent, without the password, and says what to correct.
func (p *Pages) loginAgain(
	w http.ResponseWriter, r *http.Request, typed signin.LoginInput, refused *access.Refused,
) error {
	view := p.LoginView(r, typed, refused)
	if p.web.SessionToken(r) != "" {
		view.Token = p.web.FormToken(r)
	}
	if !typed.ByName && refused != nil { // for "forgot password"
		if err := p.forms.Carry(w, typed.Phone); err != nil {
			return err
		}
	}
	return p.web.Render(w, r, web.RefusedStatus(w, refused), p.LoginShell(r, view), LoginPage(view))
}

// signedInByCode says whether the last sign-in of this browser was by a code.
func (p *Pages) signedInByCode(r *http.Request) bool {
	return p.web.Cookie(r, web.WayCookie) == "code"
}

// LoginShell returns the frame of the sign-in page. Only a page without mistakes is offered to search engines.
func (p *Pages) LoginShell(r *http.Request, view LoginView) components.Shell {
	again := len(view.Mistakes) > 0 || len(view.People) > 0
	s := p.web.Shell(r, "", again)
	s.Panel = true
	s.Form = "sign-in"
	s.Mirror = web.MirrorPlace(r)
	s.DemoLinks = s.Platform
	s.Offline = again // the first page is as light as it can be
	if !view.ByName {
		p.web.AllowIndexing(r, &s, web.PublicLogin, "")
	}
	if web.FromBrowser(r) {
		s.Metadata = nil
	}
	return s
}

// LoginView returns the sign-in form for what was typed. refused is why it was refused, nil for a first page.
func (p *Pages) LoginView(r *http.Request, in signin.LoginInput, refused *access.Refused) LoginView {
	ctx := r.Context()
	v := LoginView{ByName: in.ByName, Path: "/login", Remember: in.Remember}
	v.ChatMethods = p.chatlogin.MethodLinks(r)
	v.Others = p.waysOf(r, v.ChatMethods)
	v.Tabs = signInTabs(ctx, p.signedInByCode(r))
	v.Who = components.Field{
		ID: "phone", Label: locale.T(ctx, "login.phone"), Value: in.Phone,
		Complete: "tel", Max: access.MaxPhoneTyped, Pattern: access.PhonePattern,
	}
	if in.ByName {
		v.Path = "/login/account"
		v.Who = components.Field{ID: "login", Label: locale.T(ctx, "login.name"),
			Hint: locale.T(ctx, "login.name_hint"), Value: in.Login, Complete: "username", Max: access.MaxLogin}
	}
	if web.AsksLighting(ctx) {
		v.Edition = web.LightingEdition
	}
	v.Return = web.AskedReturn(r)
	if c := web.PlaceOf(ctx).Company; c != nil {
		v.Greeting = c.Greeting
	}
	v.Password = components.Field{ID: "password", Label: locale.T(ctx, "login.password"), Complete: "current-password",
		Max: access.MaxPasswordChars, Last: true,
		Aside: components.Link{Label: locale.T(ctx, "login.forgot"), Href: string(web.Link(ctx, "/forget/phone"))}}
	if in.ByName {
		v.Password.Aside.Href = string(web.Link(ctx, "/forget/account"))
	}
	if refused != nil {
		v.refuse(p, r, refused)
	}
	return v
}

// workProps returns the JSON that the script of the proof of work reads.
func (v LoginView) workProps() string {
	props, _ := json.Marshal(forms.CodeProof{Token: v.Work.Token, Bits: v.Work.Bits})
	return string(props)
}

// refuse shows a refusal beside its field and in the summary.
func (v *LoginView) refuse(p *Pages, r *http.Request, refused *access.Refused) {
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
		mistake := components.Mistake{Message: web.RefusalText(r, refused)}
		if refused.Refusal == access.WrongPassword {
			v.Password.Message, mistake.Field = mistake.Message, "password"
			if v.ByName { // binding a phone may have ended the password of the name
				v.Who.Hint = locale.T(ctx, "login.name_or_phone")
			}
		}
		v.Mistakes = append(v.Mistakes, mistake)
		v.People = web.People(r, refused.Contacts)
		return
	}
	v.Heading = locale.T(ctx, "summary.heading")
	for _, f := range []*components.Field{&v.Who, &v.Password, v.Question} {
		if f == nil || refused.Fields[f.ID] == "" {
			continue
		}
		f.Message = p.forms.ProblemText(r, refused.Fields[f.ID])
		v.Mistakes = append(v.Mistakes, components.Mistake{Field: f.ID, Message: f.Message})
	}
}
