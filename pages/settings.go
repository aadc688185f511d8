package pages

import (
	"net/http"

	"portico/locale"
	"portico/portal/access"
	"portico/store"
)

// settingsView leads to all there is to set.
type settingsView struct{ Pages []settingsPage }

type settingsPage struct{ Label, Body, Href, Icon string }

// settingPages are the pages of the settings and those that stand among them on phones.
var settingPages = []struct {
	right                   access.Right
	label, body, path, icon string
}{
	{access.RightSettings, "settings.registration", "settings.registration_body", "/settings/registration", "applications"},
	{access.RightSettings, "settings.appearance", "settings.appearance_body", "/settings/appearance", "picture"},
	{access.RightSettings, "settings.bank", "settings.bank_body", "/settings/bank", "orders"},
	{access.RightPeople, "office.people", "settings.people_body", "/people", "people"},
	{access.RightSettings, "settings.employees", "settings.employees_body", "/settings/employees", "lock"},
	{access.RightManageCustomers, "settings.customer_types", "settings.customer_types_body", "/settings/customer-types", "shop"},
	{access.RightSettings, "office.clear_heading", "settings.initialisation_body", "/settings/initialisation", "refresh"},
	{access.RightAudit, "visits.heading", "visits.body", "/settings/visits", "chart"},
	{access.RightAudit, "settings.audit", "settings.audit_body", "/audit", "clock"},
}

func (l landingPages) showSettings(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	ctx, view := r.Context(), settingsView{}
	for _, page := range settingPages {
		if access.May(here.Member, page.right) {
			view.Pages = append(view.Pages, settingsPage{locale.T(ctx, page.label), locale.T(ctx, page.body), l.path + page.path, page.icon})
		}
	}
	if len(view.Pages) == 0 {
		return access.Forbidden
	}
	if access.May(here.Member, access.RightManagePeople) {
		view.Pages = append(view.Pages, settingsPage{
			locale.T(ctx, "settings.hand_over"), locale.T(ctx, "settings.hand_over_body"), l.personPath(here.Member) + "/role", "switch",
		})
	}
	if err := l.describeBank(r, here, view.Pages); err != nil {
		return err
	}
	return l.render(w, r, http.StatusOK, l.frame(r, here, l.path+"/settings"), settingsPageList(view))
}

// seesSettings says whether the settings have a page for somebody.
func seesSettings(m store.Member) bool {
	for _, page := range settingPages {
		if access.May(m, page.right) {
			return true
		}
	}
	return false
}
