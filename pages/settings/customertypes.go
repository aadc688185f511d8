package settings

import (
	"cmp"
	"net/http"
	"strings"

	"portico/components"
	"portico/locale"
	"portico/pages/forms"
	"portico/pages/site"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/office"
	"portico/store"
)

// customerTypesView is the form in which a company names the types of its customers.
type customerTypesView struct {
	forms.SettingForm
	Back, Seen string
	Types      []components.Field
	New        components.Field
}

// CustomerTypesForm is the page on which the types of customers are named.
func (l *Pages) CustomerTypesForm() site.FormPage {
	return site.FormPage{Show: l.showCustomerTypes, View: l.viewCustomerTypes, Submit: l.submitCustomerTypes}
}

// showCustomerTypes shows the stored types.
func (l *Pages) showCustomerTypes(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	if !access.May(here.Member, access.RightManageCustomers) {
		return access.Forbidden
	}
	stored, err := l.portal.Backoffice.CustomerTypes(r.Context(), here)
	if err != nil {
		return err
	}
	return l.renderCustomerTypes(w, r, here, stored, nil)
}

// customerTypesInput reads the form.
func (l *Pages) customerTypesInput(r *http.Request, here access.Landing) (in office.CustomerTypesInput, err error) {
	if !access.May(here.Member, access.RightManageCustomers) {
		return in, access.Forbidden
	}
	stored, err := l.portal.Backoffice.CustomerTypes(r.Context(), here)
	if err != nil {
		return in, err
	}
	web.Decode(r, &in)
	in.Types = typedTypes(r, stored.Types)
	return in, nil
}

// viewCustomerTypes shows the form with what was typed.
func (l *Pages) viewCustomerTypes(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	in, err := l.customerTypesInput(r, here)
	if err != nil {
		return err
	}
	return l.renderCustomerTypes(w, r, here, in, nil)
}

// submitCustomerTypes stores the names, or shows the form again with what was refused.
func (l *Pages) submitCustomerTypes(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	in, err := l.customerTypesInput(r, here)
	if err != nil {
		return err
	}
	refused, err := forms.RefusedOf(l.portal.Backoffice.SetCustomerTypes(r.Context(), here, in))
	if err != nil {
		return err
	}
	if refused != nil {
		return l.renderCustomerTypes(w, r, here, in, refused)
	}
	return web.SeeOther(w, r.URL.Path+"?done=saved")
}

// typedTypes returns the stored types that the form contained, with the typed names.
func typedTypes(r *http.Request, stored []store.CustomerType) []store.CustomerType {
	var typed []store.CustomerType
	for _, t := range stored {
		if field := office.CustomerTypeField(t.ID); r.PostForm.Has(field) {
			t.Name = strings.TrimSpace(r.PostForm.Get(field))
			typed = append(typed, t)
		}
	}
	return typed
}

// renderCustomerTypes writes the form with the names of in. refused is nil for a form that was not refused.
func (l *Pages) renderCustomerTypes(
	w http.ResponseWriter, r *http.Request, here access.Landing,
	in office.CustomerTypesInput, refused *access.Refused,
) error {
	ctx := r.Context()
	present, err := l.portal.Backoffice.CustomerTypes(ctx, here)
	if err != nil {
		return err
	}
	field := func(id, label, value string) components.Field {
		return components.Field{
			ID: id, Label: label, Value: value, Complete: "off", Max: office.MaxCustomerType, Optional: true,
		}
	}
	v := customerTypesView{
		SettingForm: l.site.SettingForm(r), Back: l.path + "/settings", Seen: cmp.Or(in.Seen, present.Seen),
		New: field("new", locale.T(ctx, "customer_types.new"), in.New),
	}
	names := map[int64]string{}
	for _, t := range in.Types {
		names[t.ID] = t.Name
	}
	var differences []forms.Difference
	for _, t := range present.Types {
		name, typed := names[t.ID]
		if !typed {
			name = t.Name
		}
		label := locale.T(ctx, "customer_types.name", "num", t.ID)
		v.Types = append(v.Types, field(office.CustomerTypeField(t.ID), label, name))
		differences = append(differences, forms.Difference{Name: label, Typed: name, Stored: t.Name})
	}
	v.New.Last = true
	fields := []*components.Field{&v.New}
	for i := range v.Types {
		fields = append(fields, &v.Types[i])
	}
	v.AddRefusal(l.forms, r, refused, fields...)
	if refused != nil && refused.Fields["seen"] != "" {
		v.Seen = present.Seen // the page shows the stored values now: saving again replaces them
		v.ChangedMeanwhile(l.forms, r, refused.Fields["seen"], differences)
	}
	shell := l.site.Frame(r, here, l.path+"/settings")
	shell.Form = "types"
	if r.URL.Query().Get("done") == "saved" && refused == nil {
		shell.Toast = locale.T(ctx, "settings.saved")
	}
	return l.web.Render(w, r, web.RefusedStatus(w, refused), shell, customerTypesPage(v))
}
