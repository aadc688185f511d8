package review

import (
	"errors"
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"

	"portico/components"
	"portico/locale"
	applicationpages "portico/pages/application"
	"portico/pages/request"
	"portico/pages/site"
	"portico/pages/web"
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
	State                           web.Chip
}

// reviewView is the page on which staff decide an application.
type reviewView struct {
	List    string // the address of the list
	Path    string
	Company string
	State   web.Chip
	Note    string // shown above the application, "" for none
	Facts   []applicationpages.ApplicationFact
	Picture string
	Earlier []applicationpages.EarlierApplication
	Token   string // "" when the reader cannot decide
	Own     bool   // the reader sent the application and may not decide it
	Typed   string // the reason for a rejection, as typed
	Message string // what is wrong with the reason
	Heading string // of the error summary
	Result  string // who decided, when and why; "" before a decision
	Decided string // what happens now that the reader has decided, "" at any other time

	CustomerHref string // the page of the customer that the applicant became, "" for none
	Next         site.NextView
	History      []site.HistoryLine
}

// ShowApplications shows one page of the list.
func (l *Pages) ShowApplications(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	from := applicationsFrom(r.URL.Query().Get("from"))
	list, err := l.portal.Application.CompanyApplications(r.Context(), here, from)
	if err != nil {
		return err
	}
	path := l.path + "/applications"
	view := applicationsView{
		Path: path, Open: here.Member.Company.ApplicationsOpen,
		Pending: site.CountText(r, list.Pending, "application.pending_count", "application.pending_count_more"),
	}
	for _, a := range list.Applications {
		view.Lines = append(view.Lines, applicationLine{
			Href: path + "/" + request.Decimal(a.ID), Company: a.CompanyName, Contact: a.ContactName,
			Applied: components.Day(locale.Of(r.Context()), a.CreatedAt.Time()),
			State:   applicationpages.ApplicationChip(r, a.State),
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
	shell := l.site.Frame(r, here, path)
	if shell.Toast = l.request.Flash(w, r, "notify_on", "application.told_on"); shell.Toast == "" {
		shell.Toast = l.request.Flash(w, r, "notify_off", "application.told_off")
	}
	return l.web.Render(w, r, http.StatusOK, shell, applicationsPage(view))
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
	if err != nil && !request.IsRefusal(err, access.WrongParameters) { // the page says that a phone is missing
		return err
	}
	if err == nil {
		l.request.SetFlash(w, action, 0)
	}
	return request.SeeOther(w, l.path+"/applications")
}

// applicationsQuery writes a position in the list of applications as a query parameter, like
// "pending-1763800000000-42".
func applicationsQuery(from application.ApplicationsFrom) string {
	part := "pending"
	if from.Decided {
		part = "decided"
	}
	return part + "-" + request.Decimal(int64(from.At)) + "-" + request.Decimal(from.ID)
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

// ShowReview shows one application.
func (l *Pages) ShowReview(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	id, ok := access.DecimalID(chi.URLParam(r, "id"))
	if !ok {
		return access.NotFound
	}
	view, err := l.reviewView(r, here, id)
	if err != nil {
		return err
	}
	view.Decided = l.request.Flash(w, r, "decided", "application.decided_toast")
	return l.web.Render(w, r, http.StatusOK, l.site.Frame(r, here, l.path+"/applications"), reviewPage(view))
}

// reviewView reads one application for the page. Only readers who may decide it get a form.
func (l *Pages) reviewView(r *http.Request, here access.Landing, id int64) (reviewView, error) {
	a, err := l.portal.Application.CompanyApplication(r.Context(), here, id)
	if err != nil {
		return reviewView{}, err
	}
	path := l.path + "/applications/" + request.Decimal(id)
	v := reviewView{
		List: l.path + "/applications", Path: path, Company: a.CompanyName,
		State: applicationpages.ApplicationChip(r, a.State),
		Facts: applicationpages.ApplicationFacts(r, a.Application), Own: a.Own,
		Result: decisionText(r, a),
	}
	if a.LicenceKey != "" {
		v.Picture = path + "/licence"
	}
	for _, e := range a.Earlier {
		v.Earlier = append(v.Earlier, applicationpages.EarlierApplicationOf(r, e,
			l.path+"/applications/"+request.Decimal(e.ID)))
	}
	if a.State == store.ApplicationPending && !a.Own && access.May(here.Member, access.RightReview) {
		v.Token = l.web.FormToken(r)
	}
	events, err := l.portal.Access.Histories.OfApplication(r.Context(), here, a.Application.ID)
	v.History = site.History(r, events)
	if err != nil || a.State == store.ApplicationPending {
		return v, err
	}
	if a.ClientID != 0 {
		v.CustomerHref = l.path + "/customers/" + request.Decimal(a.ClientID)
	}
	v.Next, err = l.nextApplication(r, here)
	return v, err
}

// nextApplication returns the way to the application that has waited longest.
func (l *Pages) nextApplication(r *http.Request, here access.Landing) (v site.NextView, err error) {
	next, err := l.portal.Application.NextApplication(r.Context(), here)
	if err == nil && next.ID != 0 {
		v.Href = l.path + "/applications/" + request.Decimal(next.ID)
		v.Label = locale.T(r.Context(), "application.next", "num", site.WaitingText(next.Waiting))
	}
	return v, err
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

// SubmitReview approves or rejects an application.
func (l *Pages) SubmitReview(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	id, ok := access.DecimalID(chi.URLParam(r, "id"))
	if !ok {
		return access.NotFound
	}
	in := application.ReviewInput{ID: id, Reason: r.PostForm.Get("reason")}
	if again, restored := l.request.SwitchedLang(w, r); restored {
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
		l.request.SetFlash(w, "decided", 0)
		return request.SeeOther(w, r.URL.Path)
	}
	return l.reviewAgain(w, r, here, in, err)
}

// reviewTyped shows an application with the reason of a kept form.
func (l *Pages) reviewTyped(
	w http.ResponseWriter, r *http.Request, here access.Landing, in application.ReviewInput,
) error {
	view, err := l.reviewView(r, here, in.ID)
	if err != nil {
		return err
	}
	view.Typed = in.Reason
	return l.web.Render(w, r, http.StatusOK, l.site.Frame(r, here, l.path+"/applications"), reviewPage(view))
}

// reviewAgain shows the application again and says why the decision was not stored: another person decided first, or
// the form was refused.
func (l *Pages) reviewAgain(
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
		view.Message = l.forms.ProblemText(r, refused.Fields["reason"])
	default:
		status = web.RefusedStatus(w, refused)
		view.Note = web.RefusalText(r, refused)
	}
	return l.web.Render(w, r, status, l.site.Frame(r, here, l.path+"/applications"), reviewPage(view))
}
