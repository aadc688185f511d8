package office

import (
	"errors"
	"net/http"
	"slices"

	"portico/components"
	"portico/locale"
	"portico/pages/forms"
	"portico/pages/site"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/office"
	"portico/portal/shop"
	"portico/store"
)

// openView is the form that opens an account on one side.
type openView struct {
	Back     string
	Path     string
	Token    string
	Form     string
	Side     store.Side
	Sides    []sideTab
	Types    []typeChoice
	TypeNote string // what is wrong with the choice, "" for nothing
	Name     components.Field
	Login    components.Field
	Phone    components.Field
	Client   clientField
	Heading  string
	Mistakes []components.Mistake
	Again    bool   // the page asks about an account that was opened just now; sending again confirms
	Earlier  string // the page of that account
}

type typeChoice struct {
	Value       string
	Label, Body string
	Chosen      bool
}

// clientField is the field for an existing customer or the name of a new one.
type clientField struct {
	Partners []store.Client
	Chosen   int64
	Message  string
	New      components.Field
}

// OpenAccountForm is the page that opens an account for a person.
func (l *Pages) OpenAccountForm() site.FormPage {
	return site.FormPage{Show: l.showOpenAccount, View: l.viewOpenAccount, Submit: l.submitOpenAccount}
}

// showOpenAccount answers GET /people/new: the form that opens an account for a person.
func (l *Pages) showOpenAccount(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	query := r.URL.Query()
	in := office.OpenAccountInput{Side: string(store.Mgr), Form: shop.NewForm(), Type: store.TypeEmployee}
	in.ClientID, _ = access.DecimalID(query.Get("client_id"))
	if query.Get("side") == string(store.Shop) {
		in.Side, in.Type = string(store.Shop), store.TypeShop
	}
	return l.renderOpen(w, r, here, in, office.OpenedAccount{}, nil)
}

// viewOpenAccount shows the form with what was typed.
func (l *Pages) viewOpenAccount(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	var in office.OpenAccountInput
	web.Decode(r, &in)
	return l.renderOpen(w, r, here, in, office.OpenedAccount{}, nil)
}

// submitOpenAccount answers POST /people/new. A refused form is shown again with what was typed.
func (l *Pages) submitOpenAccount(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	var in office.OpenAccountInput
	web.Decode(r, &in)
	opened, err := l.portal.Backoffice.OpenAccount(r.Context(), here, in)
	refused, ok := errors.AsType[*access.Refused](err)
	switch {
	case ok && refused.Company == nil:
		return l.renderOpen(w, r, here, in, opened, refused)
	case err != nil:
		return err
	case opened.Before:
		return web.SeeOther(w, l.site.PersonPath(opened.Member)+"?done=opened_before")
	case opened.First.Password != "":
		return l.renderGiven(w, r, here, opened.First, locale.T(r.Context(), "person.opened"))
	}
	return web.SeeOther(w, l.site.PersonPath(opened.Member)+"?done=opened")
}

// renderOpen writes the form. For a refused form, opened is the operation's result.
func (l *Pages) renderOpen(
	w http.ResponseWriter, r *http.Request, here access.Landing,
	in office.OpenAccountInput, opened office.OpenedAccount, refused *access.Refused,
) error {
	partners, err := l.portal.Backoffice.Partners(r.Context(), here)
	if err != nil {
		return err
	}
	v := l.openView(r, in, partners)
	if refused != nil {
		if v.Again = refused.Fields["name"] == access.OpenedJustNow; v.Again {
			v.Earlier = l.site.PersonPath(opened.Earlier) + "?done=opened_before"
		}
		v.refuse(l, r, refused, opened.Earlier)
	}
	shell := l.site.Frame(r, here, l.path+"/people")
	shell.Form = "open"
	return l.web.Render(w, r, web.RefusedStatus(w, refused), shell, openPage(v))
}

func (l *Pages) openView(r *http.Request, in office.OpenAccountInput, partners []store.Client) openView {
	ctx, path := r.Context(), l.path+"/people/new"
	v := openView{
		Back: l.path + "/people", Path: path, Token: l.web.FormToken(r), Form: in.Form, Side: store.Mgr,
		Name: components.Field{ID: "name", Label: locale.T(ctx, "open.name"), Value: in.Name, Complete: "off",
			Max: access.MaxName},
		Login: components.Field{ID: "login", Label: locale.T(ctx, "open.login"), Hint: locale.T(ctx, "open.login_hint"),
			Value: in.Login, Complete: "off", Max: access.MaxLogin, Optional: true},
		Phone: forms.PhoneField(r, in.Phone),
		Client: clientField{Partners: partners, Chosen: in.ClientID, New: components.Field{
			ID: "client_name", Label: locale.T(ctx, "open.client_name"), Hint: locale.T(ctx, "open.client_name_hint"),
			Value: in.ClientName, Complete: "off", Max: access.MaxCompanyName, Optional: true,
		}},
	}
	v.Phone.Label = locale.T(ctx, "open.phone")
	v.Phone.Hint = locale.T(ctx, "open.phone_hint")
	v.Phone.Complete = "off"
	v.Phone.Optional = true
	if in.Side == string(store.Shop) {
		v.Side = store.Shop
	}
	v.Sides = []sideTab{
		{Label: locale.T(ctx, "people.side_mgr"), Href: path, Current: v.Side == store.Mgr},
		{Label: locale.T(ctx, "people.side_shop"), Href: path + "?side=shop", Current: v.Side == store.Shop},
	}
	v.Types = []typeChoice{
		{web.TypeName(store.TypeEmployee), locale.T(ctx, "type.2"), locale.T(ctx, "open.type_2"),
			in.Type == store.TypeEmployee},
		{web.TypeName(store.TypeAdministrator), locale.T(ctx, "type.1"), locale.T(ctx, "open.type_1"),
			in.Type == store.TypeAdministrator},
	}
	if !slices.ContainsFunc(partners, func(c store.Client) bool { return c.ID == in.ClientID }) {
		v.Client.Chosen = 0
	}
	v.Phone.Last = true
	return v
}

// refuse shows a refusal beside its field and in the summary.
func (v *openView) refuse(p *Pages, r *http.Request, refused *access.Refused, earlier store.Member) {
	ctx := r.Context()
	v.Heading = locale.T(ctx, "summary.heading")
	messages := map[string]string{}
	for name, problem := range refused.Fields {
		messages[name] = p.forms.ProblemText(r, problem)
	}
	if refused.Refusal != access.ValidationFailed {
		messages[forms.RefusedField[refused.Refusal]] = web.RefusalText(r, refused)
	}
	if refused.Fields["name"] == access.NameRequired {
		messages["name"] = locale.T(ctx, "open.name_required")
	}
	if v.Again {
		at := components.Clock(earlier.CreatedAt.Time())
		messages["name"] = locale.T(ctx, "problem.opened_just_now", "name", earlier.Name, "time", at)
	}
	if refused.Refusal == access.PhoneRegistered {
		messages["phone"] = locale.T(ctx, "open.phone_has_account")
	}
	v.TypeNote, v.Client.Message = messages["type"], messages["client_id"]
	v.Name.Message = messages["name"]
	v.Login.Message = messages["login"]
	v.Phone.Message = messages["phone"]
	v.Client.New.Message = messages["client_name"]
	for _, name := range []string{"", "side", "type", "client_id", "client_name", "name", "login", "phone"} {
		if messages[name] != "" {
			field := name
			if name == "side" {
				field = ""
			}
			v.Mistakes = append(v.Mistakes, components.Mistake{Field: field, Message: messages[name]})
		}
	}
}
