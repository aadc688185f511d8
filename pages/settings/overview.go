package settings

import (
	"net/http"

	"portico/locale"
	"portico/pages/site"
	"portico/portal/access"
)

// settingsGroup is a part of the list of links to the pages of the settings.
type settingsGroup struct {
	Name, Heading string
	Pages         []settingsPage
}

type settingsPage struct{ Label, Body, Href, Icon string }

// ShowSettings answers GET /settings: links to the settings that the account may see. It refuses with Forbidden where
// it may see none.
func (l *Pages) ShowSettings(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	ctx := r.Context()
	var groups []settingsGroup
	for _, name := range site.SettingGroups {
		group := settingsGroup{Name: string(name), Heading: locale.T(ctx, "settings.group_"+string(name))}
		for _, page := range site.SettingPages {
			if page.Group == name && access.May(here.Member, page.Right) {
				group.Pages = append(group.Pages, settingsPage{locale.T(ctx, page.Label), locale.T(ctx, page.Body),
					l.path + page.Path, page.Icon})
			}
		}
		if name == site.HandOverGroup && access.May(here.Member, access.RightManagePeople) {
			group.Pages = append(group.Pages, settingsPage{
				locale.T(ctx, "settings.hand_over"), locale.T(ctx, "settings.hand_over_body"),
				l.site.PersonPath(here.Member) + "/role", "switch",
			})
		}
		if err := l.describeBank(r, here, group.Pages); err != nil {
			return err
		}
		if len(group.Pages) > 0 {
			groups = append(groups, group)
		}
	}
	if len(groups) == 0 {
		return access.Forbidden
	}
	return l.web.Render(w, r, http.StatusOK, l.site.Frame(r, here, l.path+"/settings"), settingsPageList(groups))
}
