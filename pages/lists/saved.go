package lists

import (
	"net/http"
	"net/url"

	"portico/components"
	"portico/locale"
	"portico/pages/forms"
	"portico/pages/site"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/lists"
)

// savedLink leads to the list with a saved filter.
type savedLink struct {
	Name, Href string
	Current    bool // the list is shown with it
}

// savedView is the page on which an account saves a filter of a list and removes those that it has saved.
type savedView struct {
	forms.SettingForm
	List, Back string
	BackQuery  string
	Name       *components.Field // nil without a filter to save
	Saved      []savedLink
}

// savedFilters adds to a list the filters that the reader has saved, and the way to save the one that is shown.
func (l *Pages) savedFilters(r *http.Request, here access.Landing, list lists.Name, v *listView) error {
	saved, err := l.portal.Lists.SavedFilters(r.Context(), here, list)
	if err != nil {
		return err
	}
	shown := addressOf(v.Path, v.Filter, "")
	v.SaveHref = v.Path + "/filters"
	for _, f := range saved {
		href := addressOf(v.Path, f.Filter, "")
		v.Saved = append(v.Saved, savedLink{f.Name, href, href == shown})
		if href == shown {
			shown = v.Path
		}
	}
	if back := backOf(r.URL.Query()); shown != v.Path && back != "" {
		v.SaveHref += "?" + url.Values{"back": {back}}.Encode()
		v.SaveLabel = locale.T(r.Context(), "filters.save_this")
	} else if len(saved) > 0 {
		v.SaveLabel = locale.T(r.Context(), "filters.edit")
	}
	return nil
}

// filterForm is the page /{list}/filters. GET shows the saved filters, and with the parameter "back" the form that
// saves the filter of that list. POST saves or removes one.
func (l *Pages) filterForm(list lists.Name) site.FormPage {
	show := func(w http.ResponseWriter, r *http.Request, here access.Landing) error {
		return l.renderFilters(w, r, here, list, filterTyped{back: r.URL.Query().Get("back")}, nil)
	}
	view := func(w http.ResponseWriter, r *http.Request, here access.Landing) error {
		return l.renderFilters(w, r, here, list, typedFilter(r), nil)
	}
	submit := func(w http.ResponseWriter, r *http.Request, here access.Landing) error {
		ctx, typed := r.Context(), typedFilter(r)
		name, back := typed.name, typed.back
		to, err := l.listAddress(list, back), error(access.BadRequest)
		switch r.PostForm.Get("action") {
		case "save":
			query, _ := url.ParseQuery(back) // backQuery wrote it
			err = l.portal.Lists.SaveFilter(ctx, here, list, name, inputOf(query))
		case "remove":
			to = l.path + "/" + string(list) + "/filters"
			err = l.portal.Lists.RemoveFilter(ctx, here, list, name)
		}
		refused, err := forms.RefusedOf(err)
		if err != nil {
			return err
		}
		if refused != nil {
			return l.renderFilters(w, r, here, list, typed, refused)
		}
		return web.SeeOther(w, to)
	}
	return site.FormPage{Show: show, View: view, Submit: submit}
}

// filterTyped is the name that was typed for a filter, and the query of the list that it filters.
type filterTyped struct{ name, back string }

// typedFilter reads the form.
func typedFilter(r *http.Request) filterTyped {
	return filterTyped{name: r.PostForm.Get("name"), back: backQuery(r.PostForm.Get("back"))}
}

// renderFilters writes the page.
func (l *Pages) renderFilters(
	w http.ResponseWriter, r *http.Request, here access.Landing, list lists.Name, typed filterTyped,
	refused *access.Refused,
) error {
	ctx, back := r.Context(), typed.back
	path := l.path + "/" + string(list)
	saved, err := l.portal.Lists.SavedFilters(ctx, here, list)
	if err != nil {
		return err
	}
	v := savedView{
		SettingForm: l.site.SettingForm(r), List: locale.T(ctx, "office."+string(list)),
		Back: l.listAddress(list, back), BackQuery: backQuery(back),
	}
	for _, f := range saved {
		v.Saved = append(v.Saved, savedLink{Name: f.Name, Href: addressOf(path, f.Filter, "")})
	}
	if v.BackQuery != "" {
		v.Name = &components.Field{
			ID: "name", Label: locale.T(ctx, "filters.name"), Value: typed.name, Complete: "off",
			Max: lists.MaxFilterName,
		}
		if refused != nil {
			v.AddRefusal(l.forms, r, refused, v.Name)
		}
	}
	shell := l.site.Frame(r, here, path)
	shell.Query = url.Values{"back": {v.BackQuery}}.Encode()
	if v.Name != nil {
		shell.Form = "filter"
	}
	return l.web.Render(w, r, web.RefusedStatus(w, refused), shell, savedPage(v))
}
