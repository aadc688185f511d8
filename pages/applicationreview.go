package pages

import (
	"errors"
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"

	"portico/components"
	"portico/locale"
	"portico/portal/access"
	"portico/portal/application"
	"portico/store"
)

// applicationsView is a company's list of applications.
type applicationsView struct {
	Path    string
	Open    bool   // the company takes applications
	Pending string // how many wait for a decision, "" for none
	Lines   []applicationLine
	First   string // the address of the first page, "" on it
	Older   string
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

// applicationLine is one application in the list.
type applicationLine struct {
	Href, Company, Contact, Applied string
	State                           chip
}

// reviewView is the page on which staff decide an application.
type reviewView struct {
	List    string // the address of the list
	Path    string
	Company string
	State   chip
	Note    string // shown above the application, "" for none
	Facts   []applicationFact
	Picture string
	Earlier []earlierApplication
	Token   string // "" when the reader cannot decide
	Own     bool   // the reader sent the application and may not decide it
	Typed   string // the reason for a rejection, as typed
	Message string // what is wrong with the reason
	Heading string // of the error summary
	Result  string // who decided, when and why; "" before a decision
}

// showApplications shows one page of the list.
func (l landingPages) showApplications(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	from := applicationsFrom(r.URL.Query().Get("from"))
	list, err := l.portal.Application.CompanyApplications(r.Context(), here, from)
	if err != nil {
		return err
	}
	path := l.path + "/applications"
	view := applicationsView{
		Path: path, Open: here.Member.Company.ApplicationsOpen,
		Pending: countText(r, list.Pending, "application.pending_count", "application.pending_count_more"),
	}
	for _, a := range list.Applications {
		view.Lines = append(view.Lines, applicationLine{
			Href: path + "/" + decimal(a.ID), Company: a.CompanyName, Contact: a.ContactName,
			Applied: components.Day(locale.Of(r.Context()), a.CreatedAt.Time()),
			State:   applicationChip(r, a.State),
		})
	}
	if from.ID != 0 {
		view.First = path
	}
	if list.More.ID != 0 {
		view.Older = path + "?from=" + applicationsQuery(list.More)
	}
	if access.May(here.Member, access.RightSettings) {
		view.SetHref = l.path + "/settings/registration"
	}
	if access.May(here.Member, access.RightReview) {
		if view.Notify, err = l.notifyView(r, here); err != nil {
			return err
		}
	}
	shell := l.frame(r, here, path)
	if shell.Toast = l.flash(w, r, "notify_on", "application.told_on"); shell.Toast == "" {
		shell.Toast = l.flash(w, r, "notify_off", "application.told_off")
	}
	return l.render(w, r, http.StatusOK, shell, applicationsPage(view))
}

// notifyView returns the reviewer's switch, or a link to bind a phone when the account has none.
func (l landingPages) notifyView(r *http.Request, here access.Landing) (*notifyView, error) {
	ctx := r.Context()
	watching, err := l.portal.Application.WatchingApplications(ctx, here)
	if err != nil {
		return nil, err
	}
	v := &notifyView{Token: l.formToken(r)}
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
func (l landingPages) submitApplications(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	action := r.PostForm.Get("action")
	if action != "notify_on" && action != "notify_off" {
		return access.BadRequest
	}
	err := l.portal.Application.WatchApplications(
		r.Context(), here, action == "notify_on", string(locale.Of(r.Context())),
	)
	if err != nil && !isRefusal(err, access.WrongParameters) { // the page says that a phone is missing
		return err
	}
	if err == nil {
		l.setFlash(w, action, 0)
	}
	return seeOther(w, l.path+"/applications")
}

// applicationsQuery writes a position in the list of applications as a query parameter, like
// "pending-1763800000000-42".
func applicationsQuery(from application.ApplicationsFrom) string {
	part := "pending"
	if from.Decided {
		part = "decided"
	}
	return part + "-" + decimal(int64(from.At)) + "-" + decimal(from.ID)
}

// applicationsFrom reads what applicationsQuery wrote. Anything else means the beginning of the list.
func applicationsFrom(query string) application.ApplicationsFrom {
	parts := strings.Split(query, "-")
	if len(parts) != 3 || parts[0] != "pending" && parts[0] != "decided" {
		return application.ApplicationsFrom{}
	}
	at, isTime := access.DecimalID(parts[1])
	id, isID := access.DecimalID(parts[2])
	if !isTime || !isID {
		return application.ApplicationsFrom{}
	}
	return application.ApplicationsFrom{Decided: parts[0] == "decided", At: store.Instant(at), ID: id}
}

// showReview shows one application.
func (l landingPages) showReview(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	id, ok := access.DecimalID(chi.URLParam(r, "id"))
	if !ok {
		return access.NotFound
	}
	view, err := l.reviewView(r, here, id)
	if err != nil {
		return err
	}
	shell := l.frame(r, here, l.path+"/applications")
	shell.Toast = l.flash(w, r, "decided", "application.decided_toast")
	return l.render(w, r, http.StatusOK, shell, reviewPage(view))
}

// reviewView reads one application for the page. Only readers who may decide it get a form.
func (l landingPages) reviewView(r *http.Request, here access.Landing, id int64) (reviewView, error) {
	a, err := l.portal.Application.CompanyApplication(r.Context(), here, id)
	if err != nil {
		return reviewView{}, err
	}
	path := l.path + "/applications/" + decimal(id)
	v := reviewView{
		List: l.path + "/applications", Path: path, Company: a.CompanyName, State: applicationChip(r, a.State),
		Facts: applicationFacts(r, a.Application), Own: a.Own,
		Result: decisionText(r, a),
	}
	if a.LicenceKey != "" {
		v.Picture = path + "/licence"
	}
	for _, e := range a.Earlier {
		v.Earlier = append(v.Earlier, earlierApplicationOf(r, e, l.path+"/applications/"+decimal(e.ID)))
	}
	if a.State == store.ApplicationPending && !a.Own && access.May(here.Member, access.RightReview) {
		v.Token = l.formToken(r)
	}
	return v, nil
}

// decisionText says who decided, when and why; "" before a decision.
func decisionText(r *http.Request, a application.ApplicationDetail) string {
	ctx := r.Context()
	if a.State == store.ApplicationPending {
		return ""
	}
	day := components.Day(locale.Of(ctx), a.DecidedAt.Time())
	text := locale.T(ctx, "application.decided_by", "name", a.Decider, "date", day)
	if a.Decider == "" {
		text = locale.T(ctx, "application.decided_alone", "date", day)
	}
	if a.RejectReason != "" {
		text += "\n" + locale.T(ctx, "application.because", "reason", a.RejectReason)
	}
	return text
}

// submitReview approves or rejects an application.
func (l landingPages) submitReview(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	id, ok := access.DecimalID(chi.URLParam(r, "id"))
	if !ok {
		return access.NotFound
	}
	in := application.ReviewInput{ID: id, Reason: r.PostForm.Get("reason")}
	if again, restored := l.switchedLang(w, r); restored {
		return l.reviewTyped(w, again, here, in)
	}
	switch r.PostForm.Get("action") {
	case "approve":
		in.Approve = true
	case "reject":
	default:
		return access.BadRequest
	}
	_, decided, err := l.portal.Application.Review(r.Context(), here, in)
	if err == nil && decided {
		l.setFlash(w, "decided", 0)
		return seeOther(w, r.URL.Path)
	}
	return l.reviewAgain(w, r, here, in, err)
}

// reviewTyped shows an application with the reason of a kept form.
func (l landingPages) reviewTyped(
	w http.ResponseWriter, r *http.Request, here access.Landing, in application.ReviewInput,
) error {
	view, err := l.reviewView(r, here, in.ID)
	if err != nil {
		return err
	}
	view.Typed = in.Reason
	return l.render(w, r, http.StatusOK, l.frame(r, here, l.path+"/applications"), reviewPage(view))
}

// reviewAgain shows the application again and says why the decision was not stored: another person decided first, or
// the form was refused.
func (l landingPages) reviewAgain(
	w http.ResponseWriter, r *http.Request, here access.Landing, in application.ReviewInput, failed error,
) error {
	refused := new(access.Refused)
	if failed != nil && !errors.As(failed, &refused) {
		return failed
	}
	view, err := l.reviewView(r, here, in.ID)
	if err != nil {
		return err
	}
	status := http.StatusConflict
	view.Typed = in.Reason
	switch {
	case failed == nil:
		view.Note = locale.T(r.Context(), "application.decided_before")
	case refused.Refusal == access.ValidationFailed:
		status = http.StatusUnprocessableEntity
		view.Heading = locale.T(r.Context(), "summary.heading")
		view.Message = l.problemText(r, refused.Fields["reason"])
	default:
		status = refusedStatus(w, refused)
		view.Note = refusalText(r, refused)
	}
	return l.render(w, r, status, l.frame(r, here, l.path+"/applications"), reviewPage(view))
}
