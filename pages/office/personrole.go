package office

import (
	"cmp"
	"errors"
	"net/http"

	"github.com/go-chi/chi/v5"

	"portico/components"
	"portico/locale"
	"portico/pages/forms"
	"portico/pages/site"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/office"
	"portico/portal/signin"
	"portico/store"
)

// personRoleView is the page that changes the role of an account. An administrator's own page links to the pages of
// possible successors.
type personRoleView struct {
	forms.SettingForm
	Back, BackLabel string
	Heading, Lead   string
	HandOver        string // the text about handing over the role, "" when that is impossible
	Buttons         []forms.FormButton
	Proof           components.Field
	Sending         components.CodeSending
	Successors      []forms.PersonLine
	Nobody          string // the text for when there is no possible successor
	More            web.PageLink
}

// roleLink returns the link from the page of an account to the page that changes its role.
func (l *Pages) roleLink(r *http.Request, here access.Landing, m store.Member) *personRole {
	ctx := r.Context()
	link := &personRole{Href: l.site.PersonPath(m) + "/role", Label: locale.T(ctx, "person.role_change")}
	switch {
	case m.ID == here.Member.ID:
		link.Body, link.Label = locale.T(ctx, "person.role_own"), locale.T(ctx, "person.role_hand_over")
	case m.Type == store.TypeAdministrator:
		link.Body = locale.T(ctx, "person.role_is_1")
	default:
		link.Body = locale.T(ctx, "person.role_is_2")
	}
	return link
}

// PersonRoleForm is the page that changes the role of an account. Only proofs are typed there, which are not shown
// again.
func (l *Pages) PersonRoleForm() site.FormPage {
	return site.FormPage{Show: l.showPersonRole, View: l.showPersonRole, Submit: l.submitPersonRole}
}

// showPersonRole answers GET /people/{id}/role: the form that changes the role of an account.
func (l *Pages) showPersonRole(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	return l.renderPersonRole(w, r, here, components.CodeSending{}, nil)
}

// submitPersonRole answers POST /people/{id}/role. The administrator proves the change by password or code.
func (l *Pages) submitPersonRole(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	id, ok := access.DecimalID(chi.URLParam(r, "id"))
	if !ok {
		return access.NotFound
	}
	if forms.AsksForCode(r) {
		return l.sendRoleCode(w, r, here)
	}
	ctx, change := r.Context(), office.RoleChange(r.PostForm.Get("action"))
	in := office.ChangeRoleInput{AccountID: id, Change: change, OwnDomain: web.PlaceOf(ctx).OwnDomain}
	web.Decode(r, &in)
	in.Device = l.portal.Core.Sessions.DeviceID(l.web.Cookie(r, web.DeviceCookie))
	refused, err := forms.RefusedOf(l.portal.Backoffice.ChangeRole(ctx, here, in))
	switch {
	case errors.Is(err, access.LoginRequired): // the person signs in again, and comes back to this page
		return web.SeeOther(w, web.WithReturn(l.web.OtherSignIn(r)+"?done=session_ended", web.DeepLink(r)))
	case err != nil:
		return err
	case refused != nil && refused.Company != nil:
		return refused
	case refused != nil:
		return l.renderPersonRole(w, r, here, components.CodeSending{}, refused)
	case change == office.HandOver: // the people's page may be closed to an employee
		return web.SeeOther(w, l.path+"?done="+string(change))
	}
	return web.SeeOther(w, l.path+"/people/"+web.Decimal(id)+"?done="+string(change))
}

// sendRoleCode sends the code that proves a change of roles, and shows the form again.
func (l *Pages) sendRoleCode(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	ctx := r.Context()
	in := core.AskCodeInput{Browser: true, Place: web.PlaceOf(ctx), Lang: string(locale.Of(ctx))}
	in.Question, in.Answer = r.PostForm.Get("question"), r.PostForm.Get("answer")
	in.Device = l.portal.Core.Sessions.DeviceID(l.web.Cookie(r, web.DeviceCookie))
	sent, err := l.portal.Backoffice.AskRoleCode(ctx, here, in)
	if refused, ok := errors.AsType[*access.Refused](err); ok && refused.Company == nil {
		return l.renderPersonRole(w, r, here, components.CodeSending{Seconds: refused.WaitSeconds()}, refused)
	}
	if err != nil {
		return err
	}
	sending := components.CodeSending{Seconds: int(sent.ResendAfter.Seconds()), Message: l.forms.SentText(r, in, sent)}
	return l.renderPersonRole(w, r, here, sending, nil)
}

// renderPersonRole writes the page.
func (l *Pages) renderPersonRole(
	w http.ResponseWriter, r *http.Request, here access.Landing,
	sending components.CodeSending, refused *access.Refused,
) error {
	id, ok := access.DecimalID(chi.URLParam(r, "id"))
	if !ok {
		return access.NotFound
	}
	ctx := r.Context()
	if !access.May(here.Member, access.RightManagePeople) {
		return access.Forbidden
	}
	m, err := l.portal.Backoffice.PersonHere(ctx, here, id)
	if err == nil && m.Side != store.Mgr {
		err = access.NotFound
	}
	if err != nil {
		return err
	}
	v := personRoleView{
		SettingForm: l.site.SettingForm(r), Back: l.site.PersonPath(m), BackLabel: cmp.Or(m.Name, m.Login),
		Sending: sending,
		Heading: locale.T(ctx, "role_change.heading", "name", cmp.Or(m.Name, m.Login)),
	}
	v.Path = l.site.PersonPath(m) + "/role"
	switch {
	case m.ID == here.Member.ID:
		err = l.addSuccessors(r, here, &v)
	case office.PersonStateOf(m) != office.PersonActive:
		v.Lead = locale.T(ctx, "role_change.not_active")
	default:
		err = l.addRoleForm(r, here, m, &v)
	}
	if err != nil {
		return err
	}
	l.refuseRole(r, &v, refused)
	shell := l.site.Frame(r, here, l.path+"/people")
	shell.Form = "role"
	return l.web.Render(w, r, web.RefusedStatus(w, refused), shell, personRolePage(v))
}

// refuseRole shows a refusal beside its field and in the summary.
func (l *Pages) refuseRole(r *http.Request, v *personRoleView, refused *access.Refused) {
	if refused == nil {
		return
	}
	if v.AddRefusal(l.forms, r, refused, &v.Proof); refused.Fields["action"] != "" {
		v.Mistakes = append(v.Mistakes, components.Mistake{Message: l.forms.ProblemText(r, refused.Fields["action"])})
	}
	if v.Proof.ID != "" && forms.RefusedField[refused.Refusal] == v.Proof.ID && len(v.Mistakes) > 0 {
		v.Proof.Message, v.Mistakes[0].Field = v.Mistakes[0].Message, v.Proof.ID
	}
}

// addSuccessors adds the people to whom the administrator can hand over the role.
func (l *Pages) addSuccessors(r *http.Request, here access.Landing, v *personRoleView) error {
	ctx := r.Context()
	v.Heading, v.Lead = locale.T(ctx, "role_change.hand_over_heading"), locale.T(ctx, "role_change.hand_over_lead")
	list, err := l.portal.Backoffice.People(ctx, here, store.Mgr, 0)
	if err != nil {
		return err
	}
	var able []store.Member
	for _, m := range list.People {
		if m.ID != here.Member.ID && office.PersonStateOf(m) == office.PersonActive {
			able = append(able, m)
		}
	}
	v.Successors = l.personLines(r, able)
	for i := range v.Successors {
		v.Successors[i].Href += "/role"
	}
	switch {
	case list.More != 0:
		v.More = web.PageLink{Label: locale.T(ctx, "role_change.all_people"), Href: l.path + "/people?side=mgr"}
	case len(able) == 0:
		v.Nobody = locale.T(ctx, "role_change.nobody")
		v.More = web.PageLink{Label: locale.T(ctx, "people.open"), Href: l.path + "/people/new"}
	}
	return nil
}

// addRoleForm adds the possible changes of the role, with the fields that prove who makes them.
func (l *Pages) addRoleForm(r *http.Request, here access.Landing, m store.Member, v *personRoleView) error {
	ctx, name := r.Context(), cmp.Or(m.Name, m.Login)
	proof, err := l.portal.Backoffice.RoleProofOf(ctx, here, web.PlaceOf(ctx).OwnDomain)
	if err != nil {
		return err
	}
	v.Lead = locale.T(ctx, "role_change.proof")
	v.HandOver = locale.T(ctx, "role_change.hand_over_means", "name", name)
	if office.ContactFollows(here.Member, m) {
		v.HandOver += locale.T(ctx, "role_change.contact_follows", "name", name)
	}
	change := office.MakeAdministrator
	if m.Type == store.TypeAdministrator {
		change = office.MakeEmployee
	}
	labels := map[office.RoleChange]string{
		office.MakeAdministrator: locale.T(ctx, "role_change.make_administrator"),
		office.MakeEmployee:      locale.T(ctx, "role_change.make_employee"),
		office.HandOver:          locale.T(ctx, "role_change.hand_over"),
	}
	for _, c := range []office.RoleChange{change, office.HandOver} {
		v.Buttons = append(v.Buttons, forms.FormButton{Name: "action", Value: string(c), Label: labels[c]})
	}
	if proof.BySignIn {
		v.Lead = locale.T(ctx, "role_change.by_sign_in", "num", int(signin.FreshSession.Minutes()))
		return nil
	}
	v.Proof = forms.PasswordField(r, "password", "role_change.password", "current-password")
	if proof.ByCode {
		v.Proof = forms.CodeField(r)
		v.Proof.Value = r.PostForm.Get("code")
		v.Proof.Hint = locale.T(ctx, "role_change.code_hint", "phone", proof.Phone)
	}
	v.Proof.Last = true
	return nil
}
