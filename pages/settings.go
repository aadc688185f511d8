package pages

import (
	"net/http"

	"portico/locale"
	"portico/portal"
)

// settingsView leads to all there is to set.
type settingsView struct{ Pages []settingsPage }

type settingsPage struct{ Label, Body, Href, Icon string }

func (l landing) showSettings(w http.ResponseWriter, r *http.Request, here portal.Landing) error {
	if !portal.May(here.Member, portal.RightSettings) {
		return portal.Forbidden
	}
	ctx := r.Context()
	view := settingsView{Pages: []settingsPage{
		{locale.T(ctx, "settings.registration"), locale.T(ctx, "settings.registration_body"), l.path + "/settings/registration", "applications"},
		{locale.T(ctx, "settings.appearance"), locale.T(ctx, "settings.appearance_body"), l.path + "/settings/appearance", "picture"},
		{locale.T(ctx, "office.people"), locale.T(ctx, "settings.people_body"), l.path + "/people", "people"},
		{locale.T(ctx, "settings.employees"), locale.T(ctx, "settings.employees_body"), l.path + "/settings/employees", "lock"},
		{locale.T(ctx, "office.clear_heading"), locale.T(ctx, "settings.initialisation_body"), l.path + "/settings/initialisation", "refresh"},
		{locale.T(ctx, "settings.audit"), locale.T(ctx, "settings.audit_body"), l.path + "/audit", "clock"},
	}}
	return l.render(w, r, http.StatusOK, l.frame(r, here, l.path+"/settings"), settingsPageList(view))
}
