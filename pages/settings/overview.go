package settings

import (
	"net/http"

	"portico/locale"
	"portico/pages/site"
	"portico/portal/access"
)

// settingsView is the list of links to the pages of the settings.
type settingsView struct{ Pages []settingsPage }

type settingsPage struct{ Label, Body, Href, Icon string }

// ShowSettings answers GET /settings: links to the settings that the account may see. It refuses with Forbidden where
// it may see none.
func (l *Pages) ShowSettings(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	ctx, view := r.Context(), settingsView{}
	for _, page := range site.SettingPages {
		if access.May(here.Member, page.Right) {
			view.Pages = append(view.Pages, settingsPage{locale.T(ctx, page.Label), locale.T(ctx, page.Body),
				l.path + page.Path, page.Icon})
		}
	}
	if len(view.Pages) == 0 {
		return access.Forbidden
	}
	if access.May(here.Member, access.RightManagePeople) {
		view.Pages = append(view.Pages, settingsPage{
			locale.T(ctx, "settings.hand_over"), locale.T(ctx, "settings.hand_over_body"),
			l.site.PersonPath(here.Member) + "/role", "switch",
		})
	}
	if err := l.describeBank(r, here, view.Pages); err != nil {
		return err
	}
	return l.web.Render(w, r, http.StatusOK, l.site.Frame(r, here, l.path+"/settings"), settingsPageList(view))
}
