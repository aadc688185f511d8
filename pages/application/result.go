package application

import (
	"net/http"

	"portico/locale"
	"portico/pages/forms"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/signin"
)

// resultView is the page after a registration, with a button that enters the company.
type resultView struct {
	Note      string
	Company   string
	CompanyID int64
	Facts     []forms.Fact
	Progress  []forms.Stage
	Token     string
}

// ResultForm is the page after a registration. Its form proves the phone of an applicant.
func (p *Pages) ResultForm() web.FormPage {
	return web.FormPage{Show: p.showResult, View: p.viewApplicationProof, Submit: p.submitApplicationProof}
}

// showResult answers GET /register/result: the company that was just registered, with a button that enters it. The
// address names the company; otherwise it is the person's default company. For a company that is not initialised yet,
// showResult redirects to the choice of an industry.
func (p *Pages) showResult(w http.ResponseWriter, r *http.Request) error {
	if r.URL.Query().Has("id") { // of an application to a company
		id, ok := access.DecimalID(r.URL.Query().Get("id"))
		if !ok {
			return access.NotFound
		}
		return p.showApplication(w, r, id)
	}
	s, err := p.web.SignedIn(r)
	if err != nil {
		return err
	}
	named, _ := access.DecimalID(r.URL.Query().Get("company"))
	chosen, err := p.portal.Accounts.Chosen(r.Context(), s, named)
	missing := web.IsRefusal(err, access.NotFound)
	if err != nil && !missing {
		return err
	}
	if missing || named == 0 || chosen.Company.InitialisedAt == 0 {
		_, waits, err := p.portal.Onboarding.ToInitialise(r.Context(), s)
		if err != nil {
			return err
		}
		if waits {
			return web.SeeOther(w, "/register/init")
		}
	}
	if missing || !chosen.Administered() {
		return web.SeeOther(w, "/company") // the person has registered no company
	}
	return p.renderResult(w, r, chosen)
}

// renderResult writes the page after a company has been registered.
func (p *Pages) renderResult(w http.ResponseWriter, r *http.Request, chosen signin.CompanyAccounts) error {
	ctx := r.Context()
	view := resultView{
		Company: chosen.Company.Name, CompanyID: chosen.Company.ID, Progress: forms.RegisterStages(r, 2),
		Token: p.web.FormToken(r),
		Facts: []forms.Fact{{Name: locale.T(ctx, "land.company"), Value: chosen.Company.Name}},
	}
	if industry := chosen.Company.IndustryID; industry != 0 {
		view.Facts = append(view.Facts, forms.Fact{Name: locale.T(ctx, "init.industry"),
			Value: locale.Of(ctx).Industry(industry)})
	}
	if days := p.portal.Core.Access.TrialDaysLeft(chosen.Company); days > 0 {
		view.Facts = append(view.Facts, forms.Fact{Name: locale.T(ctx, "result.trial"),
			Value: locale.T(ctx, "chip.trial", "num", days)})
	}
	view.Facts = append(view.Facts, forms.Fact{Name: locale.T(ctx, "result.login"),
		Value: locale.T(ctx, "result.login_how")})
	switch r.URL.Query().Get("done") {
	case "created":
		view.Note = locale.T(ctx, "register.created_long", "company", chosen.Company.Name)
	case "initialised":
		view.Note = locale.T(ctx, "register.initialised_long", "company", chosen.Company.Name)
	}
	shell := p.web.Shell(r, "", true)
	shell.Panel = true
	shell.Path = "/register/result"
	shell.Query = "company=" + web.Decimal(chosen.Company.ID)
	p.web.FlowsStyle(r, &shell)
	shell.Offline = true
	return p.web.Render(w, r, http.StatusOK, shell, resultPage(view))
}
