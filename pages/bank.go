package pages

import (
	"cmp"
	"net/http"
	"slices"

	"portico/components"
	"portico/locale"
	"portico/portal/access"
	"portico/portal/backoffice"
)

// bankView is the form for the bank account that a company's customers pay to.
type bankView struct {
	settingForm
	Back, Seen         string
	Holder, Bank, Card components.Field
}

// payView is the bank account that a customer pays to.
type payView struct {
	Holder, Bank, Card string // Card in groups of four digits
}

// showBank shows the form with the stored account.
func (l landingPages) showBank(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	account, err := l.portal.Backoffice.BankAccountOf(r.Context(), here)
	if err != nil {
		return err
	}
	return l.renderBank(w, r, here, account, nil)
}

// submitBank stores the account, or shows the form again with what was refused.
func (l landingPages) submitBank(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	var in backoffice.BankAccountInput
	decode(r, &in)
	if again, switched := l.switchedLang(w, r); switched {
		return l.renderBank(w, again, here, in, nil)
	}
	refused, err := refusedOf(l.portal.Backoffice.SetBankAccount(r.Context(), here, in))
	if err != nil {
		return err
	}
	if refused != nil {
		return l.renderBank(w, r, here, in, refused)
	}
	return seeOther(w, r.URL.Path+"?done=saved")
}

// renderBank writes the form with the values of in. refused is nil for a form that was not refused.
func (l landingPages) renderBank(
	w http.ResponseWriter, r *http.Request, here access.Landing,
	in backoffice.BankAccountInput, refused *access.Refused,
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
		settingForm: l.settingForm(r),
		Back:        l.path + "/settings",
		Seen:        cmp.Or(in.Seen, present.Seen),
		Holder:      field("bank_holder", in.Holder, backoffice.MaxBankHolder),
		Bank:        field("bank_name", in.Bank, backoffice.MaxBankName),
		Card:        field("bank_card", in.Card, backoffice.MaxCardTyped),
	}
	v.Card.Kind, v.Card.Pattern = components.KindCard, backoffice.CardPattern
	v.Card.Hint, v.Card.Last = locale.T(ctx, "bank.card_means"), true
	v.refuse(l.Pages, r, refused, &v.Holder, &v.Bank, &v.Card)
	if refused != nil && refused.Fields["seen"] != "" {
		v.Seen = present.Seen // the page shows the stored values now: saving again replaces them
		_ = in.Validate()     // normalises the values
		v.changedMeanwhile(l.Pages, r, refused.Fields["seen"], []difference{
			{v.Holder.Label, in.Holder, present.Holder}, {v.Bank.Label, in.Bank, present.Bank},
			{v.Card.Label, components.GroupCard(in.Card), components.GroupCard(present.Card)},
		})
	}
	shell := l.frame(r, here, l.path+"/settings")
	shell.Form = "bank"
	if r.URL.Query().Get("done") == "saved" && refused == nil {
		shell.Toast = locale.T(ctx, "settings.saved")
	}
	return l.render(w, r, refusedStatus(w, refused), shell, bankPage(v))
}

// payTo returns the bank account that a customer of the shop pays to; nil in the back office or when the company has
// set none.
func (l landingPages) payTo(r *http.Request, here access.Landing) (*payView, error) {
	if !l.isShop() {
		return nil, nil
	}
	account, err := l.portal.Backoffice.PayTo(r.Context(), here)
	if err != nil || account.Card == "" {
		return nil, err
	}
	return &payView{account.Holder, account.Bank, components.GroupCard(account.Card)}, nil
}

// describeBank adds the bank and the last digits of the stored account to the list of settings.
func (l landingPages) describeBank(r *http.Request, here access.Landing, list []settingsPage) error {
	i := slices.IndexFunc(list, func(page settingsPage) bool { return page.Href == l.path+"/settings/bank" })
	if i < 0 {
		return nil
	}
	account, err := l.portal.Backoffice.BankAccountOf(r.Context(), here)
	if err != nil {
		return err
	}
	if account.Card != "" {
		list[i].Body = account.Bank + " " + backoffice.MaskCard(account.Card)
	}
	return nil
}
