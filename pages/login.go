package pages

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"portico/components"
	"portico/locale"
	"portico/portal"
	"portico/store"
)

// loginView is what the login page shows, on either of its doors.
type loginView struct {
	ByName   bool
	Path     string
	Who      components.Field // phone or account name
	Password components.Field
	Question *components.Field // the extra proof, when one is asked for
	Proof    string            // its token
	Work     *portal.Work      // to do by a script instead
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
	in := portal.LoginInput{ByName: byName(r.URL.Path), Browser: portal.Browser{Lighting: asksLighting(r.Context())}}
	remembered := p.portal.Remembered(p.cookie(r, loginCookie))
	if _, isPhone := portal.NormalPhone(remembered); isPhone && !in.ByName {
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
		detail := p.detailTold(w, r, "wecom")
		shell.Toast = refusalText(r, &portal.Refused{Refusal: portal.WeChatFailed, Detail: detail})
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
	if errors.Is(err, portal.LoginRequired) {
		return nil
	}
	if err != nil {
		return err
	}
	view.SignedIn, err = p.portal.Who(r.Context(), s)
	return err
}

func (p *Pages) submitLogin(w http.ResponseWriter, r *http.Request) error {
	in := portal.LoginInput{ByName: byName(r.URL.Path)}
	decode(r, &in)
	p.noteReturn(w, r)
	typed := in
	if again, switched := p.switchedLang(w, r); switched {
		return p.loginAgain(w, again, typed, nil)
	}
	in.Browser = p.browserOf(r, in.Remember)
	in.Enter, in.Agreement = p.directEntry(r), p.demandedAgreement()
	result, err := p.portal.Login(r.Context(), in)
	refused := new(portal.Refused)
	if errors.As(err, &refused) && refused.Company == nil {
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

// directEntry returns how the sign-in may enter an account by itself; nil when the person first returns to a kept form.
func (p *Pages) directEntry(r *http.Request) *portal.EnterInput {
	if _, ok := p.wantedForm(r); ok {
		return nil
	}
	in := p.entryFrom(r, widthOf(r))
	return &in
}

// redirectSignedIn redirects a person who has just signed in: to the account that the sign-in entered, else as next
// does.
func (p *Pages) redirectSignedIn(w http.ResponseWriter, r *http.Request, result portal.LoginResult) error {
	if result.Entered == nil {
		return p.next(w, r, result.Session, result.Step)
	}
	return p.arrive(w, r, *result.Entered)
}

// setSignedIn hands the browser its new session, and the login to fill in next time.
func (p *Pages) setSignedIn(w http.ResponseWriter, r *http.Request, result portal.LoginResult) error {
	if result.Session.Remember {
		sealed, err := p.portal.Remember(result.Identifier)
		if err != nil {
			return err
		}
		p.setCookie(w, loginCookie, sealed, yearSeconds)
	} else {
		p.dropCookie(w, loginCookie)
	}
	p.setSession(w, r, result)
	return nil
}

// setSession hands the browser a new session.
func (p *Pages) setSession(w http.ResponseWriter, r *http.Request, result portal.LoginResult) {
	p.writeSession(w, r, result.Token, result.Session.EndsAt, result.Session.Remember)
	p.setCookie(w, deviceCookie, p.portal.DeviceCookie(result.Device), yearSeconds)
	p.dropCookie(w, shareCookie)
	p.forgetChat(w)
}

// loginAgain shows the form as it was sent, without the password, and what to mend.
func (p *Pages) loginAgain(w http.ResponseWriter, r *http.Request, typed portal.LoginInput, refused *portal.Refused) error {
	view := p.loginView(r, typed, refused)
	if p.sessionToken(r) != "" {
		view.Token = p.formToken(r)
	}
	return p.render(w, r, refusedStatus(w, refused), p.loginShell(r, view), loginPage(view))
}

// refusedStatus is the status of a form that comes back: 422, or 429 and 503 with Retry-After; 200 when
// nothing was refused.
func refusedStatus(w http.ResponseWriter, refused *portal.Refused) int {
	if refused == nil {
		return http.StatusOK
	}
	if wait := refused.WaitSeconds(); wait > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(wait))
	}
	switch refused.Refusal {
	case portal.TooManyAttempts:
		return http.StatusTooManyRequests
	case portal.NotAvailable:
		return http.StatusServiceUnavailable
	case portal.UploadRejected:
		if refused.Reason == portal.UploadTooLarge { // requirement 98
			return http.StatusRequestEntityTooLarge
		}
	}
	return http.StatusUnprocessableEntity
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

func (p *Pages) loginView(r *http.Request, in portal.LoginInput, refused *portal.Refused) loginView {
	ctx := r.Context()
	v := loginView{ByName: in.ByName, Path: "/login", Remember: in.Remember}
	v.Support, v.Open = people(r, p.portal.Support(placeOf(ctx))), placeOf(ctx).Company == nil
	v.Join = !v.Open && placeOf(ctx).Company.RegistrationOpen
	v.Doors = p.doorLinks(r)
	v.Who = components.Field{
		ID: "phone", Label: locale.T(ctx, "login.phone"), Value: in.Phone,
		Complete: "tel", Max: portal.MaxPhoneTyped, Pattern: portal.PhonePattern,
	}
	if in.ByName {
		v.Path = "/login/account"
		v.Who = components.Field{ID: "login", Label: locale.T(ctx, "login.name"), Hint: locale.T(ctx, "login.name_hint"), Value: in.Login, Complete: "username", Max: portal.MaxLogin}
	}
	if asksLighting(ctx) {
		v.Edition = lightingEdition
	}
	v.Return = askedReturn(r)
	v.Password = components.Field{ID: "password", Label: locale.T(ctx, "login.password"), Complete: "current-password", Max: portal.MaxPasswordChars, Last: true}
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
func (v *loginView) refuse(p *Pages, r *http.Request, refused *portal.Refused) {
	ctx := r.Context()
	v.Heading = locale.T(ctx, "summary.refused")
	if refused.Question != nil {
		v.Proof = refused.Question.Token
		v.Question = &components.Field{
			ID: "answer", Label: locale.T(ctx, "login.question", "a", refused.Question.A, "b", refused.Question.B),
			Hint: locale.T(ctx, "login.question_hint"), Complete: "off", Max: 4, Numeric: true,
		}
	}
	if refused.Work != nil && refused.Fields["answer"] == portal.AnswerRequired { // too many people sign in at once
		v.Work, v.Question.Hint = refused.Work, ""
		v.Mistakes = append(v.Mistakes, components.Mistake{Message: locale.T(ctx, "login.crowded")})
		return
	}
	if refused.Refusal != portal.ValidationFailed {
		mistake := components.Mistake{Message: refusalText(r, refused)}
		if refused.Refusal == portal.WrongPassword {
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

// next redirects a person who is signed in: to an account, to the next choice, or back to a kept form.
func (p *Pages) next(w http.ResponseWriter, r *http.Request, s portal.Session, step portal.Step) error {
	if form, ok := p.wantedForm(r); ok {
		if gone, err := p.backToForm(w, r, s, step, form); gone {
			return err
		}
	}
	if step.Kind == portal.StepEnter {
		return p.enter(w, r, s, step.AccountID)
	}
	if asks, err := p.asksAgreement(r, s, step.Kind); err != nil {
		return err
	} else if asks {
		p.keepNotice(w, r)
		return seeOther(w, acceptPath)
	}
	p.keepNotice(w, r)
	return seeOther(w, choicePath(step.Kind))
}

// choicePath is the page of every step but StepEnter.
func choicePath(kind portal.StepKind) string {
	switch kind {
	case portal.StepAccounts:
		return "/accounts"
	case portal.StepSide:
		return "/enter"
	case portal.StepBind:
		return "/bind"
	case portal.StepPassword:
		return "/password"
	}
	return "/company"
}

// enter sends the browser to the landing site of an account, once the agreement is accepted where that is due: every way there
// leads through here.
func (p *Pages) enter(w http.ResponseWriter, r *http.Request, s portal.Session, accountID int64) error {
	if asks, err := p.asksAgreement(r, s, portal.StepEnter); err != nil {
		return err
	} else if asks {
		p.keepNotice(w, r)
		return seeOther(w, acceptPath)
	}
	destination, err := p.destination(r, s, accountID)
	if err != nil {
		return err
	}
	return p.arrive(w, r, destination)
}

// arrive sends the browser to a landing site, which knows the path that the person wanted.
func (p *Pages) arrive(w http.ResponseWriter, r *http.Request, to portal.Destination) error {
	if p.cookie(r, returnCookie) != "" {
		p.dropCookie(w, returnCookie)
	}
	if p.keptNotice(r) != "" {
		p.dropCookie(w, doneCookie)
	}
	return p.leaveFor(w, r, to)
}

// destination is the landing site of an account for the screen that asks, with a fresh code.
func (p *Pages) destination(r *http.Request, s portal.Session, accountID int64) (portal.Destination, error) {
	width := widthOf(r)
	if width == 0 {
		width = s.Width
	}
	in := p.entryFrom(r, width)
	in.Session, in.AccountID, in.Place = s, accountID, placeOf(r.Context())
	in.Notice = cmp.Or(visitOf(r.Context()).notice, p.keptNotice(r))
	in.Arrive = func(slot store.Slot) string {
		form, ok := p.wantedForm(r)
		return p.arriveAt(slot, p.wanted(r), !ok || form.Owner.AccountID == accountID)
	}
	return p.portal.Enter(r.Context(), in)
}

// entryFrom returns what the browser's request says about how to enter any account: its device, the language that the
// person chose, and the path that the person wanted to open.
func (p *Pages) entryFrom(r *http.Request, width int) portal.EnterInput {
	return portal.EnterInput{
		Device: deviceOf(r, width), Lang: p.cookie(r, langCookie),
		Arrive: func(slot store.Slot) string { return p.arriveAt(slot, p.wanted(r), true) },
	}
}

// backToForm redirects a person who has signed in again to the form that they sent after their session had ended: into
// the form's account, or to its page of the account site. false when the form belongs to another person, or when the
// person must do something else first.
func (p *Pages) backToForm(
	w http.ResponseWriter, r *http.Request, s portal.Session, step portal.Step, form portal.KeptForm,
) (bool, error) {
	if step.Kind == portal.StepPassword || step.Kind == portal.StepBind {
		return false, nil
	}
	if form.Owner.CompanyID == 0 {
		if form.Owner != portal.PersonOwner(s) {
			return false, nil
		}
		p.dropCookie(w, returnCookie)
		p.keepNotice(w, r)
		return true, seeOther(w, p.wanted(r))
	}
	err := p.enter(w, r, s, form.Owner.AccountID)
	refused := new(portal.Refused)
	if isRefusal(err, portal.NotFound) || errors.As(err, &refused) { // another person's, or blocked since
		return false, nil
	}
	return true, err
}
