package lists

import (
	"net/http"

	"portico/components"
	"portico/locale"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/lists"
)

// applicationLabels are the keys of the texts of the states by which applications are filtered.
var applicationLabels = map[string]string{
	"": "application.all", "pending": "application.pending", "approved": "application.approved",
	"rejected": "application.rejected",
}

// applicationsView is what the page of applications shows beside the list.
type applicationsView struct {
	Path    string
	Open    bool        // the company takes applications
	SetHref string      // the page of the application setting, "" for readers who may not change it
	Notify  *notifyView // nil for readers who do not review
}

// notifyView is the switch for messages to a reviewer about new applications.
type notifyView struct {
	Text     string
	Action   string // of the button, "" for an account without a phone
	Label    string
	BindHref string
	Token    string
}

// ShowApplications answers GET /applications: the applications to the company.
func (l *Pages) ShowApplications(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	ctx, path := r.Context(), l.path+"/applications"
	page, err := l.portal.Lists.Applications(ctx, here, inputOf(r.URL.Query()), string(locale.Of(ctx)))
	if err != nil {
		return err
	}
	v := newView(r, path, "applications", "name", page, applicationLabels)
	v.sorted(locale.T(ctx, "lists.applicant"), kindName, "name")
	v.column(locale.T(ctx, "customer.contact"), kindText)
	v.column(locale.T(ctx, "lists.phone"), kindMinor)
	v.sorted(locale.T(ctx, "lists.applied"), kindTime, "date")
	v.column(locale.T(ctx, "lists.state"), kindState)
	for _, a := range page.Rows {
		state := web.ApplicationChip(r, a.State)
		v.Rows = append(v.Rows, newRow(path, a.ID,
			text(a.CompanyName), text(a.ContactName), text(components.GroupPhone(a.Phone)), moment(a.CreatedAt),
			cell{Chip: &state},
		))
	}
	v.choose(r, here, lists.ApplicationList)
	if err := l.savedFilters(r, here, lists.ApplicationList, &v); err != nil {
		return err
	}
	v.Pulled = true
	v.Empty = empty{Text: locale.T(ctx, "application.none"), Body: locale.T(ctx, "application.none_body")}
	beside := applicationsView{Path: path, Open: here.Member.Company.ApplicationsOpen}
	if access.May(here.Member, access.RightSettings) {
		beside.SetHref = l.path + "/settings/registration"
		v.Empty.Action, v.Empty.Href = locale.T(ctx, "settings.registration"), beside.SetHref
	}
	if access.May(here.Member, access.RightReview) {
		if beside.Notify, err = l.notifyView(r, here); err != nil {
			return err
		}
	}
	return l.web.Render(w, r, http.StatusOK, l.notifiedFrame(w, r, here, path), applicationsPage(beside, v))
}

// notifiedFrame is the frame of the page, which says what the switch for messages did.
func (l *Pages) notifiedFrame(
	w http.ResponseWriter, r *http.Request, here access.Landing, path string,
) components.Shell {
	shell := l.site.Frame(r, here, path)
	if shell.Toast = l.web.Flash(w, r, "notify_on", "application.told_on"); shell.Toast == "" {
		shell.Toast = l.web.Flash(w, r, "notify_off", "application.told_off")
	}
	return shell
}

// notifyView returns the reviewer's switch, or a link to bind a phone when the account has none.
func (l *Pages) notifyView(r *http.Request, here access.Landing) (*notifyView, error) {
	ctx := r.Context()
	watching, err := l.portal.Application.WatchingApplications(ctx, here)
	if err != nil {
		return nil, err
	}
	v := &notifyView{Token: l.web.FormToken(r)}
	switch {
	case watching.On && watching.Phone != "":
		v.Text = locale.T(ctx, "application.tell_on", "phone", access.MaskPhone(watching.Phone))
		v.Action, v.Label = "notify_off", locale.T(ctx, "application.tell_switch_off")
	case watching.Phone != "":
		v.Text = locale.T(ctx, "application.tell_off")
		v.Action, v.Label = "notify_on", locale.T(ctx, "application.tell_switch_on")
	default:
		v.Text, v.Label = locale.T(ctx, "application.tell_no_phone"), locale.T(ctx, "bind.link")
		v.BindHref = here.FromOrigin + "/bind"
	}
	return v, nil
}

// SubmitApplications switches a reviewer's messages on or off.
func (l *Pages) SubmitApplications(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	action := r.PostForm.Get("action")
	if action != "notify_on" && action != "notify_off" {
		return access.BadRequest
	}
	err := l.portal.Application.WatchApplications(
		r.Context(), here, action == "notify_on", string(locale.Of(r.Context())),
	)
	if err != nil && !web.IsRefusal(err, access.WrongParameters) { // the page says that a phone is missing
		return err
	}
	if err == nil {
		l.web.SetFlash(w, action, 0)
	}
	return web.SeeOther(w, l.path+"/applications")
}
