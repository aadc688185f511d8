package pages

import (
	"errors"
	"net/http"
	"slices"

	"github.com/go-chi/chi/v5"

	"portico/components"
	"portico/locale"
	"portico/portal/access"
	"portico/portal/binding"
	"portico/portal/verification"
	"portico/store"
)

// bindPage is the page that binds a phone: /bind, which may be skipped, or /bind/1, which may not.
type bindPage struct {
	p    *Pages
	must bool
}

// requiredBindValues are the values of the parameter of /bind/{isBind} that make binding required. With any other value
// the person may skip it.
var requiredBindValues = []string{"1", "true"}

// bindHandler calls a handler with the page that the parameter of the path selects.
func (p *Pages) bindHandler(h func(bindPage, http.ResponseWriter, *http.Request) error) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		must := slices.Contains(requiredBindValues, chi.URLParam(r, "isBind"))
		return h(bindPage{p, must}, w, r)
	}
}

// path returns the address of the page.
func (b bindPage) path() string {
	if b.must {
		return "/bind/1"
	}
	return "/bind"
}

// view returns the first step: the phone and its code.
func (b bindPage) view(r *http.Request, m store.Member, in binding.BindInput) formView {
	ctx := r.Context()
	code := codeField(r)
	code.Value = in.Code
	v := formView{
		Heading: locale.T(ctx, "bind.heading"),
		Lead:    locale.T(ctx, "bind.lead", "login", m.Login),
		Step:    locale.T(ctx, "care.step", "num", 1, "of", 2),
		Path:    b.path(),
		Fields:  []components.Field{phoneField(r, in.Phone), code},
		Sending: sendingFor(verification.ForBind, 0, "phone"),
		Submit:  locale.T(ctx, "bind.next"),
		Busy:    locale.T(ctx, "care.busy"),
	}
	if !b.must {
		v.Extra = []formButton{
			{"action", "skip", locale.T(ctx, "bind.skip")},
			{"remind", "0", locale.T(ctx, "bind.never")},
		}
	}
	return v
}

// passwordView returns the second step: the password of the phone's owner, or a new password when the phone has none or
// fresh is true.
func (b bindPage) passwordView(r *http.Request, bound binding.Bound, fresh bool) formView {
	ctx := r.Context()
	phone := components.GroupPhone(bound.Phone)
	v := formView{
		Heading: locale.T(ctx, "bind.heading"),
		Step:    locale.T(ctx, "care.step", "num", 2, "of", 2),
		Path:    b.path(),
		Submit:  locale.T(ctx, "bind.submit"),
		Busy:    locale.T(ctx, "care.busy"),
		Links:   []pageLink{{locale.T(ctx, "bind.other_phone"), b.path()}},
	}
	if bound.OwnPassword {
		v.Check = keepBox(r, "bind.keep")
	}
	switch {
	case bound.Need == binding.NeedPassword && !fresh:
		v.Lead = locale.T(ctx, "bind.confirm_lead", "phone", phone)
		v.Fields = []components.Field{passwordField(r, "password", "bind.password", "current-password")}
		v.Extra = []formButton{{"action", "new_password", locale.T(ctx, "bind.no_password")}}
	default:
		v.Lead = locale.T(ctx, "bind.new_lead", "phone", phone)
		v.Fields = b.p.newPasswordFields(r)
		v.Hidden = []hidden{{"new", "1"}}
		if len(bound.Others) > 0 {
			v.List.Heading = locale.T(ctx, "bind.others")
			for _, m := range bound.Others {
				v.List.Items = append(v.List.Items, m.Company.Name+" · "+m.Login)
			}
		}
	}
	return v
}

// keepBox returns the box that keeps the passwords of account names, which end otherwise.
func keepBox(r *http.Request, label string) checkBox {
	return checkBox{
		Name: "keep_passwords", Label: locale.T(r.Context(), label), Checked: r.PostForm.Get("keep_passwords") == "1",
	}
}

// account returns the session and the account that a phone is to be bound to. ok is false when the account has a phone
// already.
func (b bindPage) account(r *http.Request) (s access.Session, m store.Member, ok bool, err error) {
	if s, err = b.p.signedIn(r); err != nil {
		return s, m, false, err
	}
	m, ok, err = b.p.portal.Binding.Bindable(r.Context(), s)
	return s, m, ok, err
}

// show shows the step that the person has reached.
func (b bindPage) show(w http.ResponseWriter, r *http.Request) error {
	s, m, ok, err := b.account(r)
	if err != nil {
		return err
	}
	if !ok {
		return seeOther(w, "/company")
	}
	if fresh := r.URL.Query().Has("new"); fresh || r.URL.Query().Has("step") {
		bound, err := b.p.portal.Binding.ResumeBind(r.Context(), s, sessionFlow(s))
		if err == nil {
			return b.p.renderForm(w, r, b.passwordView(r, bound, fresh), nil)
		}
		if _, refused := errors.AsType[*access.Refused](err); !refused {
			return err
		}
		return seeOther(w, b.path()) // the proof has expired: begin again
	}
	view := b.view(r, m, binding.BindInput{})
	if _, err := b.p.resume(r, &view, sessionFlow(s), verification.ForBind); err != nil {
		return err
	}
	return b.p.renderForm(w, r, view, nil)
}

// submit handles the form of either step, or skips binding.
func (b bindPage) submit(w http.ResponseWriter, r *http.Request) error {
	s, m, ok, err := b.account(r)
	if err != nil {
		return err
	}
	if visitOf(r.Context()).restored != nil { // a kept form is only shown, whatever button was pressed
		if !ok || !r.PostForm.Has("code") {
			return seeOther(w, b.path())
		}
		return b.p.renderForm(w, r, b.view(r, m, b.input(r, s)), nil)
	}
	action := r.PostForm.Get("action")
	skip := action == "skip" || r.PostForm.Get("remind") == "0"
	switch {
	case !ok && !skip && r.PostForm.Has("password"):
		return b.repeat(w, r, s, m)
	case !ok || skip && !b.must:
		return b.proceed(w, r, s, m, ok)
	case action == "new_password":
		return seeOther(w, b.path()+"?new=1")
	}
	in := b.input(r, s)
	if r.PostForm.Has("code") {
		return b.submitCode(w, r, m, in)
	}
	return b.submitPassword(w, r, in)
}

// input reads the form of either step.
func (b bindPage) input(r *http.Request, s access.Session) binding.BindInput {
	var in binding.BindInput
	decode(r, &in)
	in.Session, in.Flow, in.Lang = s, sessionFlow(s), string(locale.Of(r.Context()))
	in.Device, in.New = b.p.portal.Sessions.DeviceID(b.p.cookie(r, deviceCookie)), r.PostForm.Get("new") == "1"
	return in
}

// repeat answers a form for an account that has a phone already. The same form again gets the same answer; any other
// form leaves the page.
func (b bindPage) repeat(w http.ResponseWriter, r *http.Request, s access.Session, m store.Member) error {
	bound, err := b.p.portal.Binding.Bind(r.Context(), b.input(r, s))
	if _, ok := errors.AsType[*access.Refused](err); ok {
		return b.proceed(w, r, s, m, false)
	}
	if err != nil {
		return err
	}
	return b.bound(w, r, s, bound)
}

// bound redirects to the list of accounts after the phone is bound.
func (b bindPage) bound(w http.ResponseWriter, r *http.Request, s access.Session, bound binding.Bound) error {
	b.p.renewSession(w, r, s, bound.Token)
	return seeOther(w, "/accounts?done=bound")
}

// proceed leaves the page and continues as after a sign-in. With remind=0 the person is not asked to bind a phone
// again.
func (b bindPage) proceed(
	w http.ResponseWriter, r *http.Request, s access.Session, m store.Member, bindable bool,
) error {
	if bindable && r.PostForm.Get("remind") == "0" {
		if err := b.p.portal.Binding.StopBindReminder(r.Context(), s, m.ID, 0); err != nil {
			return err
		}
	}
	step, err := b.p.portal.Accounts.Continue(r.Context(), s)
	if err != nil {
		return err
	}
	return b.p.next(w, r, s, step)
}

// submitCode handles the first step: it sends a code, or proves the phone with one.
func (b bindPage) submitCode(w http.ResponseWriter, r *http.Request, m store.Member, in binding.BindInput) error {
	view := b.view(r, m, in)
	if again, switched := b.p.switchedLang(w, r); switched {
		return b.p.renderForm(w, again, b.view(again, m, in), nil)
	}
	if asksForCode(r) {
		return b.p.sendCode(w, r, verification.ForBind, view)
	}
	if number, ok := access.NormalPhone(in.Phone); ok && in.Password == "" { // the phone may be proven already
		bound, err := b.p.portal.Binding.ResumeBind(r.Context(), in.Session, in.Flow)
		if err == nil && bound.Phone == number {
			return seeOther(w, b.path()+"?step=2")
		}
	}
	_, err := b.p.portal.Binding.ProveBind(r.Context(), in)
	if refused, ok := errors.AsType[*access.Refused](err); ok {
		if _, err := b.p.resume(r, &view, in.Flow, verification.ForBind); err != nil {
			return err
		}
		return b.p.renderForm(w, r, view, refused)
	}
	if err != nil {
		return err
	}
	if in.Password == "" {
		return seeOther(w, b.path()+"?step=2")
	}
	return b.submitPassword(w, r, in) // a program may send both steps in one form
}

// submitPassword handles the second step and binds the phone.
func (b bindPage) submitPassword(w http.ResponseWriter, r *http.Request, in binding.BindInput) error {
	pending, err := b.p.portal.Binding.ResumeBind(r.Context(), in.Session, in.Flow)
	if _, ok := errors.AsType[*access.Refused](err); ok {
		return seeOther(w, b.path()) // the proof has expired: begin again
	}
	if err != nil {
		return err
	}
	if again, switched := b.p.switchedLang(w, r); switched {
		return b.p.renderForm(w, again, b.passwordView(again, pending, in.New), nil)
	}
	bound, err := b.p.portal.Binding.Bind(r.Context(), in)
	if refused, ok := errors.AsType[*access.Refused](err); ok {
		return b.p.renderForm(w, r, b.passwordView(r, pending, in.New), refused)
	}
	if err != nil {
		return err
	}
	return b.bound(w, r, in.Session, bound)
}
