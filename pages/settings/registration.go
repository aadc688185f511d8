package settings

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"portico/components"
	"portico/locale"
	"portico/pages/forms"
	"portico/pages/site"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/application"
)

// applicationSettingView is the form in which a company sets how it accepts new customers.
type applicationSettingView struct {
	forms.SettingForm
	Back                    string
	Open, Review, Exclusive components.Field
	Required                components.Field
	Choices                 []web.Choice
	Name, Phone             components.Field
	Address                 string // the page on which customers apply
	Share                   site.Share
	IsOpen                  bool // customers can apply now
	Contacts                []components.Person
	Seen                    string // tag of the setting that was shown
}

// ApplicationSettingForm is the page that opens or closes applications of customers.
func (l *Pages) ApplicationSettingForm() site.FormPage {
	return site.FormPage{
		Show: l.showApplicationSetting, View: l.viewApplicationSetting, Submit: l.submitApplicationSetting,
	}
}

// showApplicationSetting shows the stored setting.
func (l *Pages) showApplicationSetting(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	setting, err := l.portal.Application.ApplicationSettingOf(r.Context(), here)
	if err != nil {
		return err
	}
	return l.renderApplicationSetting(w, r, here, setting, nil)
}

// applicationSettingInput reads the form.
func applicationSettingInput(r *http.Request) application.ApplicationSettingInput {
	var in application.ApplicationSettingInput
	web.Decode(r, &in)
	in.Required = r.PostForm["required"]
	return in
}

// viewApplicationSetting shows the form with what was typed.
func (l *Pages) viewApplicationSetting(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	return l.renderApplicationSetting(w, r, here, applicationSettingInput(r), nil)
}

// submitApplicationSetting stores the setting, or shows the form again with what was refused.
func (l *Pages) submitApplicationSetting(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	in := applicationSettingInput(r)
	refused, err := forms.RefusedOf(l.portal.Application.SetApplicationSetting(r.Context(), here, in))
	if err != nil {
		return err
	}
	if refused != nil {
		return l.renderApplicationSetting(w, r, here, in, refused)
	}
	return web.SeeOther(w, r.URL.Path+"?done=saved")
}

// renderApplicationSetting writes the form with the values of in. refused is nil for a form that was not refused.
func (l *Pages) renderApplicationSetting(
	w http.ResponseWriter, r *http.Request, here access.Landing, in application.ApplicationSettingInput,
	refused *access.Refused,
) error {
	stored, err := l.portal.Application.ApplicationSettingOf(r.Context(), here)
	if err != nil {
		return err
	}
	setting, err := l.portal.Application.ApplicationSetting(r.Context(), here.Member.CompanyID)
	if err != nil {
		return err
	}
	v := l.applicationSettingView(r, in)
	v.Address, v.IsOpen = l.portal.Application.ApplicationAddress(setting.Company), setting.Open
	ctx := r.Context()
	v.Share = site.Share{
		CopyLabel: locale.T(ctx, "registration.copy"), Copied: locale.T(ctx, "registration.copied"),
		ShareLabel: locale.T(ctx, "person.link_share"), Link: v.Address,
		Title: locale.T(ctx, "registration.share_title", "company", setting.Company.Name),
		Card: site.Card{
			About: locale.T(ctx, "apply.lead"), Picture: web.SharePath(&setting.Company, locale.Of(ctx)),
			Signature: l.path + "/wechat.json",
		},
	}
	v.Contacts, v.Seen = web.People(r, setting.Contacts), cmp.Or(in.Seen, stored.Seen)
	v.AddRefusal(l.forms, r, refused, &v.Open, &v.Required, &v.Name, &v.Phone)
	if refused != nil && refused.Fields["seen"] != "" {
		v.Seen = stored.Seen // the page lists the stored values now, so that saving again may replace them
		v.ChangedMeanwhile(l.forms, r, refused.Fields["seen"], v.differences(r, in, stored))
	}
	shell := l.site.Frame(r, here, l.path+"/settings")
	shell.Form = "setting"
	if r.URL.Query().Get("done") == "saved" && refused == nil {
		shell.Toast = locale.T(r.Context(), "settings.saved")
	}
	return l.web.Render(w, r, web.RefusedStatus(w, refused), shell, applicationSettingPage(v))
}

// differences lists the values of the setting, as typed and as stored.
func (v applicationSettingView) differences(
	r *http.Request, typed, stored application.ApplicationSettingInput,
) []forms.Difference {
	required := func(in application.ApplicationSettingInput) string {
		var labels []string
		for _, c := range v.Choices {
			if slices.Contains(in.Required, c.Value) {
				labels = append(labels, c.Label)
			}
		}
		return strings.Join(labels, locale.T(r.Context(), "settings.comma"))
	}
	_ = typed.Validate() // normalises the values
	return []forms.Difference{
		{Name: v.Open.Label, Typed: forms.OnOffText(r, typed.Open), Stored: forms.OnOffText(r, stored.Open)},
		{Name: v.Review.Label, Typed: forms.OnOffText(r, typed.Review), Stored: forms.OnOffText(r, stored.Review)},
		{Name: v.Exclusive.Label, Typed: forms.OnOffText(r, typed.ExclusivePhones),
			Stored: forms.OnOffText(r, stored.ExclusivePhones)},
		{Name: v.Required.Label, Typed: required(typed), Stored: required(stored)},
		{Name: v.Name.Label, Typed: typed.ContactName, Stored: stored.ContactName},
		{Name: v.Phone.Label, Typed: components.GroupPhone(typed.ContactPhone),
			Stored: components.GroupPhone(stored.ContactPhone)},
	}
}

// applicationSettingView returns the form with the values of in.
func (l *Pages) applicationSettingView(
	r *http.Request, in application.ApplicationSettingInput,
) applicationSettingView {
	ctx := r.Context()
	toggle := func(id, label string, on bool) components.Field {
		return components.Field{
			ID: id, Label: locale.T(ctx, label), Hint: locale.T(ctx, label+"_means"), Value: forms.OnOff(on),
		}
	}
	v := applicationSettingView{
		SettingForm: l.site.SettingForm(r),
		Back:        l.path + "/settings",
		Open:        toggle("open", "registration.open", in.Open),
		Review:      toggle("review", "registration.review", in.Review),
		Exclusive:   toggle("exclusive_phones", "registration.exclusive", in.ExclusivePhones),
		Required: components.Field{
			ID: "required", Label: locale.T(ctx, "registration.required"),
			Hint: locale.T(ctx, "registration.required_means"),
		},
		Name: components.Field{
			ID: "contact_name", Label: locale.T(ctx, "registration.contact_name"), Value: in.ContactName,
			Complete: "off", Max: access.MaxName, Optional: true,
		},
		Phone: components.Field{
			Kind: components.KindPhone, ID: "contact_phone", Label: locale.T(ctx, "registration.contact_phone"),
			Value:    components.GroupPhone(in.ContactPhone),
			Complete: "off", Max: access.MaxPhoneTyped, Pattern: access.PhonePattern, Optional: true, Last: true,
		},
	}
	for _, name := range application.ApplicationFields {
		label := locale.T(ctx, "registration.field_"+name)
		v.Choices = append(v.Choices, web.Choice{Value: name, Label: label, Chosen: slices.Contains(in.Required, name)})
	}
	return v
}
