package credentials

import (
	"errors"
	"net/http"
	"slices"

	"github.com/go-chi/chi/v5"

	"portico/components"
	"portico/locale"
	"portico/pages/forms"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/credentials"
	"portico/store"
)

// bindPage is the page that binds a phone: /bind, which may be skipped, or /bind/1, which may not.
type bindPage struct {
	P    *Pages
	Must bool
}

// requiredBindValues are the values of the parameter of /bind/{isBind} that make binding required. With any other value
// the person may skip it.
var requiredBindValues = []string{"1", "true"}

// BindForm is the page /bind.
func (p *Pages) BindForm() web.FormPage {
	b := bindPage{P: p}
	return web.FormPage{Show: b.Show, View: b.View, Submit: b.Submit}
}

// BindFormByPath is the page that the parameter of the path /bind/{isBind} selects.
func (p *Pages) BindFormByPath() web.FormPage {
	selected := func(h func(bindPage, http.ResponseWriter, *http.Request) error) web.Handler {
		return func(w http.ResponseWriter, r *http.Request) error {
			must := slices.Contains(requiredBindValues, chi.URLParam(r, "isBind"))
			return h(bindPage{p, must}, w, r)
		}
	}
	return web.FormPage{
		Show: selected(bindPage.Show), View: selected(bindPage.View), Submit: selected(bindPage.Submit),
	}
}

// path returns the address of the page.
func (b bindPage) path() string {
	if b.Must {
		return "/bind/1"
	}
	return "/bind"
}

// bindStages returns the steps of binding a phone; at is the index of the current one.
func bindStages(r *http.Request, at int) []forms.Stage {
	return forms.StagesNamed(r, at, "login.phone", "login.password")
}

// view returns the first step: the phone and its code.
func (b bindPage) view(r *http.Request, m store.Member, in credentials.BindInput) forms.FormView {
	ctx := r.Context()
	code := forms.CodeField(r)
	code.Value = in.Code
	v := forms.FormView{
		Heading:  locale.T(ctx, "bind.heading"),
		Lead:     locale.T(ctx, "bind.lead", "login", m.Login),
		Progress: bindStages(r, 0),
		Path:     b.path(),
		Fields:   []components.Field{forms.PhoneField(r, in.Phone), code},
		Sending:  forms.SendingFor(core.ForBind, 0, "phone"),
		Submit:   locale.T(ctx, "bind.next"),
		Busy:     locale.T(ctx, "care.busy"),
	}
	if !b.Must {
		v.Extra = []forms.FormButton{
			{Name: "action", Value: "skip", Label: locale.T(ctx, "bind.skip")},
			{Name: "remind", Value: "0", Label: locale.T(ctx, "bind.never")},
		}
	}
	return v
}

// passwordView returns the second step: the password of the phone's owner, or a new password when the phone has none or
// fresh is true.
func (b bindPage) passwordView(r *http.Request, bound credentials.Bound, fresh bool) forms.FormView {
	ctx := r.Context()
	phone := components.GroupPhone(bound.Phone)
	v := forms.FormView{
		Heading:  locale.T(ctx, "bind.heading"),
		Progress: bindStages(r, 1),
		Path:     b.path(),
		Username: bound.Phone,
		Submit:   locale.T(ctx, "bind.submit"),
		Busy:     locale.T(ctx, "care.busy"),
		Links:    []web.PageLink{{Label: locale.T(ctx, "bind.other_phone"), Href: b.path()}},
	}
	if bound.OwnPassword {
		v.Check = keepBox(r, "bind.keep", "bind.keep_hint")
	}
	switch {
	case bound.Need == credentials.NeedPassword && !fresh:
		v.Lead = locale.T(ctx, "bind.confirm_lead", "phone", phone)
		v.Fields = []components.Field{forms.PasswordField(r, "password", "bind.password", "current-password")}
		v.Extra = []forms.FormButton{{Name: "action", Value: "new_password", Label: locale.T(ctx, "bind.no_password")}}
	default:
		v.Lead = locale.T(ctx, "bind.new_lead", "phone", phone)
		v.Fields = b.P.forms.NewPasswordFields(r)
		v.Hidden = []forms.Hidden{{Name: "new", Value: "1"}}
		if len(bound.Others) > 0 {
			v.List.Heading = locale.T(ctx, "bind.others")
			for _, m := range bound.Others {
				v.List.Items = append(v.List.Items, m.Company.Name+" · "+m.Login)
			}
		}
	}
	return v
}

// keepBox returns the check box that keeps the passwords of account names. Without a tick they expire. label and hint
// are locale keys.
func keepBox(r *http.Request, label, hint string) forms.CheckBox {
	return forms.CheckBox{
		Name: "keep_passwords", Label: locale.T(r.Context(), label), Hint: locale.T(r.Context(), hint),
		Checked: r.PostForm.Get("keep_passwords") == "1",
	}
}

// account returns the session and the account that a phone is to be bound to. ok is false when the account has a phone
// already.
func (b bindPage) account(r *http.Request) (s access.Session, m store.Member, ok bool, err error) {
	if s, err = b.P.web.SignedIn(r); err != nil {
		return s, m, false, err
	}
	m, ok, err = b.P.portal.Binding.Bindable(r.Context(), s)
	return s, m, ok, err
}

// Show shows the step that the person has reached.
func (b bindPage) Show(w http.ResponseWriter, r *http.Request) error {
	s, m, ok, err := b.account(r)
	if err != nil {
		return err
	}
	if !ok {
		return web.SeeOther(w, "/company")
	}
	if fresh := r.URL.Query().Has("new"); fresh || r.URL.Query().Has("step") {
		bound, err := b.P.portal.Binding.ResumeBind(r.Context(), s, forms.SessionFlow(s))
		if err == nil {
			return b.P.forms.RenderForm(w, r, b.passwordView(r, bound, fresh), nil)
		}
		if _, refused := errors.AsType[*access.Refused](err); !refused {
			return err
		}
		return web.SeeOther(w, b.path()) // the proof has expired: begin again
	}
	view := b.view(r, m, credentials.BindInput{})
	if _, err := b.P.forms.Resume(r, &view, forms.SessionFlow(s), core.ForBind); err != nil {
		return err
	}
	return b.P.forms.RenderForm(w, r, view, nil)
}

// View shows the form of either step with what was typed.
func (b bindPage) View(w http.ResponseWriter, r *http.Request) error {
	s, m, ok, err := b.account(r)
	if err != nil {
		return err
	}
	in := b.input(r, s)
	switch {
	case !ok:
		return web.SeeOther(w, b.path())
	case r.PostForm.Has("code"):
		return b.P.forms.RenderForm(w, r, b.view(r, m, in), nil)
	}
	pending, err := b.P.portal.Binding.ResumeBind(r.Context(), s, in.Flow)
	if _, ok := errors.AsType[*access.Refused](err); ok {
		return web.SeeOther(w, b.path()) // the proof has expired: begin again
	}
	if err != nil {
		return err
	}
	return b.P.forms.RenderForm(w, r, b.passwordView(r, pending, in.New), nil)
}

// Submit handles the form of either step, or skips binding.
func (b bindPage) Submit(w http.ResponseWriter, r *http.Request) error {
	s, m, ok, err := b.account(r)
	if err != nil {
		return err
	}
	action := r.PostForm.Get("action")
	skip := action == "skip" || r.PostForm.Get("remind") == "0"
	switch {
	case !ok && !skip && r.PostForm.Has("password"):
		return b.repeat(w, r, s, m)
	case !ok || skip && !b.Must:
		return b.proceed(w, r, s, m, ok)
	case action == "new_password":
		return web.SeeOther(w, b.path()+"?new=1")
	}
	in := b.input(r, s)
	if r.PostForm.Has("code") {
		return b.submitCode(w, r, m, in)
	}
	return b.submitPassword(w, r, in)
}

// input reads the form of either step.
func (b bindPage) input(r *http.Request, s access.Session) credentials.BindInput {
	var in credentials.BindInput
	web.Decode(r, &in)
	in.Session = s
	in.Flow = forms.SessionFlow(s)
	in.Lang = string(locale.Of(r.Context()))
	in.Device, in.New = b.P.portal.Core.Sessions.DeviceID(b.P.web.Cookie(r, web.DeviceCookie)),
		r.PostForm.Get("new") == "1"
	return in
}

// repeat answers a form for an account that has a phone already. The same form again gets the same answer; any other
// form leaves the page.
func (b bindPage) repeat(w http.ResponseWriter, r *http.Request, s access.Session, m store.Member) error {
	bound, err := b.P.portal.Binding.Bind(r.Context(), b.input(r, s))
	if _, ok := errors.AsType[*access.Refused](err); ok {
		return b.proceed(w, r, s, m, false)
	}
	if err != nil {
		return err
	}
	return b.bound(w, r, s, bound)
}

// bound redirects to the list of accounts after the phone is bound.
func (b bindPage) bound(w http.ResponseWriter, r *http.Request, s access.Session, bound credentials.Bound) error {
	b.P.renewSession(w, r, s, bound.Token)
	return web.SeeOther(w, "/accounts?done=bound")
}

// proceed leaves the page and continues as after a sign-in. With remind=0 the person is not asked to bind a phone
// again.
func (b bindPage) proceed(
	w http.ResponseWriter, r *http.Request, s access.Session, m store.Member, bindable bool,
) error {
	if bindable && r.PostForm.Get("remind") == "0" {
		if err := b.P.portal.Binding.StopBindReminder(r.Context(), s, m.ID, 0); err != nil {
			return err
		}
	}
	step, err := b.P.portal.Accounts.Continue(r.Context(), s)
	if err != nil {
		return err
	}
	return b.P.entry.Next(w, r, s, step)
}

// submitCode handles the first step: it sends a code, or proves the phone with one.
func (b bindPage) submitCode(w http.ResponseWriter, r *http.Request, m store.Member, in credentials.BindInput) error {
	view := b.view(r, m, in)
	if forms.AsksForCode(r) {
		return b.P.forms.SendCode(w, r, core.ForBind, b.P.portal.Binding.AskBindCode, view)
	}
	if number, ok := access.NormalPhone(in.Phone); ok && in.Password == "" { // the phone may be proven already
		bound, err := b.P.portal.Binding.ResumeBind(r.Context(), in.Session, in.Flow)
		if err == nil && bound.Phone == number {
			return web.SeeOther(w, b.path()+"?step=2")
		}
	}
	_, err := b.P.portal.Binding.ProveBind(r.Context(), in)
	if refused, ok := errors.AsType[*access.Refused](err); ok {
		if _, err := b.P.forms.Resume(r, &view, in.Flow, core.ForBind); err != nil {
			return err
		}
		return b.P.forms.RenderForm(w, r, view, refused)
	}
	if err != nil {
		return err
	}
	if in.Password == "" {
		return web.SeeOther(w, b.path()+"?step=2")
	}
	return b.submitPassword(w, r, in) // a program may send both steps in one form
}

// submitPassword handles the second step and binds the phone.
func (b bindPage) submitPassword(w http.ResponseWriter, r *http.Request, in credentials.BindInput) error {
	pending, err := b.P.portal.Binding.ResumeBind(r.Context(), in.Session, in.Flow)
	if _, ok := errors.AsType[*access.Refused](err); ok {
		return web.SeeOther(w, b.path()) // the proof has expired: begin again
	}
	if err != nil {
		return err
	}
	bound, err := b.P.portal.Binding.Bind(r.Context(), in)
	if refused, ok := errors.AsType[*access.Refused](err); ok {
		return b.P.forms.RenderForm(w, r, b.passwordView(r, pending, in.New), refused)
	}
	if err != nil {
		return err
	}
	return b.bound(w, r, in.Session, bound)
}
