package review

import (
	"errors"
	"net/http"

	"github.com/go-chi/chi/v5"

	"portico/components"
	"portico/locale"
	applicationpages "portico/pages/application"
	"portico/pages/site"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/application"
	"portico/store"
)

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
	History      site.HistoryView
}

// showReview shows one application.
func (l *Pages) showReview(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	id, ok := access.DecimalID(chi.URLParam(r, "id"))
	if !ok {
		return access.NotFound
	}
	view, err := l.reviewView(r, here, id)
	if err != nil {
		return err
	}
	view.Decided = l.web.Flash(w, r, "decided", "application.decided_toast")
	return l.web.Render(w, r, http.StatusOK, l.site.Frame(r, here, l.path+"/applications"), reviewPage(view))
}

// reviewView reads one application for the page. Only readers who may decide it get a form.
func (l *Pages) reviewView(r *http.Request, here access.Landing, id int64) (reviewView, error) {
	a, err := l.portal.Application.CompanyApplication(r.Context(), here, id)
	if err != nil {
		return reviewView{}, err
	}
	path := l.path + "/applications/" + web.Decimal(id)
	v := reviewView{
		List: l.path + "/applications", Path: path, Company: a.CompanyName,
		State: web.ApplicationChip(r, a.State),
		Facts: applicationpages.ApplicationFacts(r, a.Application), Own: a.Own,
		Result: decisionText(r, a),
	}
	v.Facts = append(v.Facts, applicationpages.ApplicationFact{Name: locale.T(r.Context(), "application.sent_at"),
		Value: components.Day(locale.Of(r.Context()), a.CreatedAt.Time())})
	if a.LicenceKey != "" {
		v.Picture = path + "/licence"
	}
	for _, e := range a.Earlier {
		v.Earlier = append(v.Earlier, applicationpages.EarlierApplicationOf(r, e,
			l.path+"/applications/"+web.Decimal(e.ID)))
	}
	if a.State == store.ApplicationPending && !a.Own && access.May(here.Member, access.RightReview) {
		v.Token = l.web.FormToken(r)
	}
	events, err := l.portal.Core.Access.HistoryOfApplication(r.Context(), here, a.Application.ID)
	v.History = l.site.HistoryOf(r, here, "applications", a.Application.ID, events)
	if err != nil || a.State == store.ApplicationPending {
		return v, err
	}
	if a.ClientID != 0 {
		v.CustomerHref = l.path + "/customers/" + web.Decimal(a.ClientID)
	}
	v.Next, err = l.nextApplication(r, here)
	return v, err
}

// nextApplication returns the way to the application that has waited longest.
func (l *Pages) nextApplication(r *http.Request, here access.Landing) (v site.NextView, err error) {
	next, err := l.portal.Application.NextApplication(r.Context(), here)
	if err == nil && next.ID != 0 {
		v.Href = l.path + "/applications/" + web.Decimal(next.ID)
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

// ReviewForm is the page on which an application is approved or rejected.
func (l *Pages) ReviewForm() site.FormPage {
	return site.FormPage{Show: l.showReview, View: l.viewReview, Submit: l.submitReview}
}

// submitReview approves or rejects an application.
func (l *Pages) submitReview(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	id, ok := access.DecimalID(chi.URLParam(r, "id"))
	if !ok {
		return access.NotFound
	}
	in := application.ReviewInput{ID: id, Reason: r.PostForm.Get("reason")}
	switch r.PostForm.Get("action") {
	case "approve":
		in.Approve = true
	case "reject":
	default:
		return access.BadRequest
	}
	_, decided, err := l.portal.Application.Review(r.Context(), here, in)
	if err == nil && decided {
		l.web.SetFlash(w, "decided", 0)
		return web.SeeOther(w, r.URL.Path)
	}
	return l.reviewAgain(w, r, here, in, err)
}

// viewReview shows an application with the reason that was typed.
func (l *Pages) viewReview(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	id, ok := access.DecimalID(chi.URLParam(r, "id"))
	if !ok {
		return access.NotFound
	}
	view, err := l.reviewView(r, here, id)
	if err != nil {
		return err
	}
	view.Typed = r.PostForm.Get("reason")
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
