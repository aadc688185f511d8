package entry

import (
	"cmp"
	"errors"
	"net/http"

	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/signin"
)

// Next redirects a person who is signed in: to an account, to the next choice, or back to a kept form.
func (p *Pages) Next(w http.ResponseWriter, r *http.Request, s access.Session, step signin.Step) error {
	if form, ok := p.web.WantedForm(r); ok {
		if gone, err := p.backToForm(w, r, s, step, form); gone {
			return err
		}
	}
	if step.Kind == signin.StepEnter {
		return p.Enter(w, r, s, step.AccountID)
	}
	asks, err := p.asksAgreement(r, s, step.Kind)
	if err != nil {
		return err
	}
	p.web.KeepNotice(w, r)
	if asks {
		return web.SeeOther(w, web.AcceptPath)
	}
	return web.SeeOther(w, choicePath(step.Kind))
}

// choicePath returns the page of a step; StepEnter has none.
func choicePath(kind signin.StepKind) string {
	switch kind {
	case signin.StepAccounts:
		return "/accounts"
	case signin.StepSide:
		return "/enter"
	case signin.StepBind:
		return "/bind"
	case signin.StepPassword:
		return "/password"
	}
	return "/company"
}

// Enter sends the browser to the landing site of an account. A person who still has to accept the agreement goes to
// that page first. Every page that enters an account calls Enter, unless the sign-in has entered it (DirectEntry).
func (p *Pages) Enter(w http.ResponseWriter, r *http.Request, s access.Session, accountID int64) error {
	asks, err := p.asksAgreement(r, s, signin.StepEnter)
	if err != nil {
		return err
	}
	if asks {
		p.web.KeepNotice(w, r)
		return web.SeeOther(w, web.AcceptPath)
	}
	destination, err := p.destination(r, s, accountID)
	if err != nil {
		return err
	}
	return p.arrive(w, r, destination)
}

// arrive sends the browser to a landing site and drops the cookies for the path that the person wanted and for the
// notice: the landing site gets both with the code.
func (p *Pages) arrive(w http.ResponseWriter, r *http.Request, to signin.Redirect) error {
	if p.web.Cookie(r, web.ReturnCookie) != "" {
		p.web.DropCookie(w, web.ReturnCookie)
	}
	if p.web.KeptNotice(r) != "" {
		p.web.DropCookie(w, web.DoneCookie)
	}
	return p.web.LeaveFor(w, r, to)
}

// destination returns the address of an account's landing site, with a new auth code. The width of the window picks the
// desktop or mobile site.
func (p *Pages) destination(r *http.Request, s access.Session, accountID int64) (signin.Redirect, error) {
	width := web.WidthOf(r)
	if width == 0 {
		width = s.Width
	}
	in := p.entryFrom(r, width)
	in.Session = s
	in.AccountID = accountID
	in.Place = web.PlaceOf(r.Context())
	in.Notice = cmp.Or(web.VisitOf(r.Context()).Notice, p.web.KeptNotice(r))
	form, ok := p.web.WantedForm(r)
	in.Arrive = p.web.Arrivals(p.web.WantedPath(r), !ok || form.Owner.AccountID == accountID)
	return p.entry.Enter(r.Context(), in)
}

// entryFrom returns what the browser's request says about how to enter any account: its device, the language that the
// person chose, and the path that the person wanted to open.
func (p *Pages) entryFrom(r *http.Request, width int) access.EnterInput {
	return access.EnterInput{
		Device: web.DeviceOf(r, width), Lang: p.web.Cookie(r, web.LangCookie),
		Arrive: p.web.Arrivals(p.web.WantedPath(r), true),
	}
}

// backToForm redirects a person who has signed in again to the form that they sent after their session had ended: to
// the landing site of the form's account, or to the form's page on the account site. It returns false when the form
// belongs to another person, when its account cannot be entered now, or when the person has to take another step first.
func (p *Pages) backToForm(
	w http.ResponseWriter, r *http.Request, s access.Session, step signin.Step, form core.KeptForm,
) (bool, error) {
	if step.Kind == signin.StepPassword || step.Kind == signin.StepBind {
		return false, nil
	}
	if form.Owner.CompanyID == 0 {
		if form.Owner != core.PersonOwner(s) {
			return false, nil
		}
		p.web.DropCookie(w, web.ReturnCookie)
		p.web.KeepNotice(w, r)
		return true, web.SeeOther(w, p.web.WantedPath(r))
	}
	err := p.Enter(w, r, s, form.Owner.AccountID)
	_, refused := errors.AsType[*access.Refused](err)
	if refused || web.IsRefusal(err, access.NotFound) { // another person's account, or one that is blocked now
		return false, nil
	}
	return true, err
}

// DirectEntry returns the input with which the sign-in itself may enter an account. It returns nil when the person has
// to return to a kept form first.
func (p *Pages) DirectEntry(r *http.Request) *access.EnterInput {
	if _, ok := p.web.WantedForm(r); ok {
		return nil
	}
	in := p.entryFrom(r, web.WidthOf(r))
	in.Notice = web.NoticeSignedIn
	return &in
}

// RedirectSignedIn redirects a person who has just signed in by password or code: to the account that the sign-in
// entered, otherwise to the next step. The page there says that the person is signed in.
func (p *Pages) RedirectSignedIn(w http.ResponseWriter, r *http.Request, result signin.LoginResult) error {
	if result.Entered == nil {
		web.VisitOf(r.Context()).Notice = web.NoticeSignedIn
		return p.Next(w, r, result.Session, result.Step)
	}
	return p.arrive(w, r, *result.Entered)
}

// SetSessionCookies sets the cookies of a new session. With "stay signed in" it also keeps the phone or account name
// for the next sign-in form.
func (p *Pages) SetSessionCookies(w http.ResponseWriter, r *http.Request, result signin.LoginResult) error {
	if result.Session.Remember {
		sealed, err := p.core.Sealing.Remember(result.Identifier)
		if err != nil {
			return err
		}
		p.web.SetCookie(w, web.LoginCookie, sealed, web.YearSeconds)
	} else {
		p.web.DropCookie(w, web.LoginCookie)
	}
	p.SetSession(w, r, result)
	return nil
}

// SetSession sets the cookies of a new session and of the device, and drops those of the sign-in.
func (p *Pages) SetSession(w http.ResponseWriter, r *http.Request, result signin.LoginResult) {
	p.web.WriteSession(w, r, result.Token, result.Session.EndsAt, result.Session.Remember)
	p.web.SetCookie(
		w, web.DeviceCookie, p.core.Sessions.DeviceCookie(result.Device), web.YearSeconds,
	)
	p.web.DropCookie(w, web.ShareCookie)
	if p.web.Cookie(r, web.TypedCookie) != "" {
		p.web.DropCookie(w, web.TypedCookie)
	}
	p.web.ForgetChat(w)
}
