package pages

import (
	"net/http"

	"portico/locale"
	"portico/portal"
	"portico/store"
)

// settingsView leads to all there is to set.
type settingsView struct{ Pages []settingsPage }

type settingsPage struct{ Label, Body, Href, Icon string }

// settingPages are the pages of the settings and those that stand among them on phones.
var settingPages = []struct {
	right                   portal.Right
	label, body, path, icon string
}{
	{portal.RightSettings, "settings.registration", "settings.registration_body", "/settings/registration", "applications"},
	{portal.RightSettings, "settings.appearance", "settings.appearance_body", "/settings/appearance", "picture"},
	{portal.RightSettings, "settings.bank", "settings.bank_body", "/settings/bank", "orders"},
	{portal.RightPeople, "office.people", "settings.people_body", "/people", "people"},
	{portal.RightSettings, "settings.employees", "settings.employees_body", "/settings/employees", "lock"},
	{portal.RightManageCustomers, "settings.customer_types", "settings.customer_types_body", "/settings/customer-types", "shop"},
	{portal.RightSettings, "office.clear_heading", "settings.initialisation_body", "/settings/initialisation", "refresh"},
	{portal.RightAudit, "visits.heading", "visits.body", "/settings/visits", "chart"},
	{portal.RightAudit, "settings.audit", "settings.audit_body", "/audit", "clock"},
}

func (l landing) showSettings(w http.ResponseWriter, r *http.Request, here portal.Landing) error {
	ctx, view := r.Context(), settingsView{}
	for _, page := range settingPages {
		if portal.May(here.Member, page.right) {
			view.Pages = append(view.Pages, settingsPage{locale.T(ctx, page.label), locale.T(ctx, page.body), l.path + page.path, page.icon})
		}
	}
	if len(view.Pages) == 0 {
		return portal.Forbidden
	}
	if portal.May(here.Member, portal.RightManagePeople) {
		view.Pages = append(view.Pages, settingsPage{
			locale.T(ctx, "settings.hand_over"), locale.T(ctx, "settings.hand_over_body"), l.personPath(here.Member) + "/role", "switch",
		})
	}
	if err := l.nameBank(r, here, view.Pages); err != nil {
		return err
	}
	return l.render(w, r, http.StatusOK, l.frame(r, here, l.path+"/settings"), settingsPageList(view))
}

// seesSettings says whether the settings have a page for somebody.
func seesSettings(m store.Member) bool {
	for _, page := range settingPages {
		if portal.May(m, page.right) {
			return true
		}
	}
	return false
}
