package settings

import (
	"cmp"
	"net/http"
	"slices"

	"portico/components"
	"portico/locale"
	"portico/pages/forms"
	"portico/pages/site"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/office"
)

// bankView is the form for the bank account that a company's customers pay to.
type bankView struct {
	forms.SettingForm
	Back, Seen         string
	Holder, Bank, Card components.Field
}

// BankForm is the page of the bank account that customers pay to.
func (l *Pages) BankForm() site.FormPage {
	return site.FormPage{Show: l.showBank, View: l.viewBank, Submit: l.submitBank}
}

// showBank shows the form with the stored account.
func (l *Pages) showBank(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	account, err := l.portal.Backoffice.BankAccountOf(r.Context(), here)
	if err != nil {
		return err
	}
	return l.renderBank(w, r, here, account, nil)
}

// viewBank shows the form with what was typed.
func (l *Pages) viewBank(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	var in office.BankAccountInput
	web.Decode(r, &in)
	return l.renderBank(w, r, here, in, nil)
}

// submitBank stores the account, or shows the form again with what was refused.
func (l *Pages) submitBank(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	var in office.BankAccountInput
	web.Decode(r, &in)
	refused, err := forms.RefusedOf(l.portal.Backoffice.SetBankAccount(r.Context(), here, in))
	if err != nil {
		return err
	}
	if refused != nil {
		return l.renderBank(w, r, here, in, refused)
	}
	return web.SeeOther(w, r.URL.Path+"?done=saved")
}

// renderBank writes the form with the values of in. refused is nil for a form that was not refused.
func (l *Pages) renderBank(
	w http.ResponseWriter, r *http.Request, here access.Landing,
	in office.BankAccountInput, refused *access.Refused,
) error {
	ctx := r.Context()
	present, err := l.portal.Backoffice.BankAccountOf(ctx, here)
	if err != nil {
		return err
	}
	field := func(id, value string, most int) components.Field {
		return components.Field{
			ID:       id,
			Label:    locale.T(ctx, "bank."+id),
			Value:    value,
			Complete: "off",
			Max:      most,
			Optional: true,
		}
	}
	v := bankView{
		SettingForm: l.site.SettingForm(r),
		Back:        l.path + "/settings",
		Seen:        cmp.Or(in.Seen, present.Seen),
		Holder:      field("bank_holder", in.Holder, office.MaxBankHolder),
		Bank:        field("bank_name", in.Bank, office.MaxBankName),
		Card:        field("bank_card", in.Card, office.MaxCardTyped),
	}
	v.Card.Kind, v.Card.Pattern = components.KindCard, office.CardPattern
	v.Card.Hint, v.Card.Last = locale.T(ctx, "bank.card_means"), true
	v.AddRefusal(l.forms, r, refused, &v.Holder, &v.Bank, &v.Card)
	if refused != nil && refused.Fields["seen"] != "" {
		v.Seen = present.Seen // the page shows the stored values now: saving again replaces them
		_ = in.Validate()     // normalises the values
		v.ChangedMeanwhile(l.forms, r, refused.Fields["seen"], []forms.Difference{
			{Name: v.Holder.Label, Typed: in.Holder, Stored: present.Holder},
			{Name: v.Bank.Label, Typed: in.Bank, Stored: present.Bank},
			{Name: v.Card.Label, Typed: components.GroupCard(in.Card), Stored: components.GroupCard(present.Card)},
		})
	}
	shell := l.site.Frame(r, here, l.path+"/settings")
	shell.Form = "bank"
	if r.URL.Query().Get("done") == "saved" && refused == nil {
		shell.Toast = locale.T(ctx, "settings.saved")
	}
	return l.web.Render(w, r, web.RefusedStatus(w, refused), shell, bankPage(v))
}

// describeBank adds the bank and the last digits of the stored account to the list of settings.
func (l *Pages) describeBank(r *http.Request, here access.Landing, list []settingsPage) error {
	i := slices.IndexFunc(list, func(page settingsPage) bool { return page.Href == l.path+"/settings/bank" })
	if i < 0 {
		return nil
	}
	account, err := l.portal.Backoffice.BankAccountOf(r.Context(), here)
	if err != nil {
		return err
	}
	if account.Card != "" {
		list[i].Body = account.Bank + " " + office.MaskCard(account.Card)
	}
	return nil
}
