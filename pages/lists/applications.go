package lists

import (
	"net/http"

	"portico/components"
	"portico/locale"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/lists"
	"portico/store"
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

// applications is the list of the applications to the company.
func (l *Pages) applications() list[store.Application, store.Application] {
	return list[store.Application, store.Application]{
		of: l.portal.Lists.Applications, labels: applicationLabels, hasChoice: true, isPulled: true,
		id: func(a store.Application) int64 { return a.ID },
		columns: []columnOf[store.Application]{
			{label: "lists.applicant", kind: kindName, sort: "name", cell: textCell(func(a store.Application) string {
				return a.CompanyName
			})},
			{label: "customer.contact", kind: kindText, cell: textCell(func(a store.Application) string {
				return a.ContactName
			})},
			{label: "lists.phone", kind: kindMinor, cell: textCell(func(a store.Application) string {
				return components.GroupPhone(a.Phone)
			})},
			{
				label: "lists.applied", kind: kindTime, sort: "date",
				cell: func(_ *http.Request, a store.Application) cell { return moment(a.CreatedAt) },
			},
			{label: "lists.state", kind: kindState, cell: func(r *http.Request, a store.Application) cell {
				state := web.ApplicationChip(r, a.State)
				return cell{Chip: &state}
			}},
		},
		complete: func(r *http.Request, here access.Landing, _ lists.Page[store.Application], v *listView) error {
			ctx := r.Context()
			v.Empty = empty{Text: locale.T(ctx, "application.none"), Body: locale.T(ctx, "application.none_body")}
			if access.May(here.Member, access.RightSettings) {
				v.Empty.Action, v.Empty.Href = locale.T(ctx, "settings.registration"), l.registrationPath()
			}
			return nil
		},
		render: l.renderApplications,
		heads: []string{
			"lists.applicant", "customer.contact", "lists.phone", "lists.applied", "lists.state", "lists.reason",
		},
		records: func(r *http.Request, a store.Application) [][]any {
			state := web.ApplicationChip(r, a.State).Text
			return [][]any{{a.CompanyName, a.ContactName, a.Phone, stamp(a.CreatedAt), state, a.RejectReason}}
		},
	}
}

// registrationPath returns the path of the page of the application setting.
func (l *Pages) registrationPath() string { return l.path + "/settings/registration" }

// renderApplications writes the list with what stands beside it.
func (l *Pages) renderApplications(
	w http.ResponseWriter, r *http.Request, here access.Landing, v listView,
) (err error) {
	beside := applicationsView{Path: v.Path, Open: here.Member.Company.ApplicationsOpen}
	if access.May(here.Member, access.RightSettings) {
		beside.SetHref = l.registrationPath()
	}
	if access.May(here.Member, access.RightReview) {
		if beside.Notify, err = l.notifyView(r, here); err != nil {
			return err
		}
	}
	return l.web.Render(w, r, http.StatusOK, l.notifiedFrame(w, r, here, v.Path), applicationsPage(beside, v))
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

// submitApplications switches a reviewer's messages on or off.
func (l *Pages) submitApplications(w http.ResponseWriter, r *http.Request, here access.Landing) error {
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
