package pages

import (
	"net/http"

	"portico/locale"
	"portico/portal/access"
	"portico/portal/accounts"
)

// resultView is the end of registering: a company that can be entered.
type resultView struct {
	Note      string
	Company   string
	CompanyID int64
	Facts     []fact
	Progress  []stage
	Token     string
}

// showResult is the company that was just registered, with the way in. What is still to be initialised comes first.
func (p *Pages) showResult(w http.ResponseWriter, r *http.Request) error {
	if r.URL.Query().Has("id") { // of an application to a company
		id, ok := access.DecimalID(r.URL.Query().Get("id"))
		if !ok {
			return access.NotFound
		}
		return p.showApplication(w, r, id)
	}
	s, err := p.signedIn(r)
	if err != nil {
		return err
	}
	if _, waits, err := p.portal.Onboarding.ToInitialise(r.Context(), s); err != nil || waits {
		if err == nil {
			err = seeOther(w, "/register/init")
		}
		return err
	}
	chosen, err := p.portal.Accounts.Chosen(r.Context(), s, 0)
	if isRefusal(err, access.NotFound) || err == nil && !chosen.Administered() {
		return seeOther(w, "/company") // nobody who registered a company
	}
	if err != nil {
		return err
	}
	return p.renderResult(w, r, chosen)
}

func (p *Pages) renderResult(w http.ResponseWriter, r *http.Request, chosen accounts.CompanyAccounts) error {
	ctx := r.Context()
	view := resultView{
		Company: chosen.Company.Name, CompanyID: chosen.Company.ID, Progress: registerStages(r, 2), Token: p.formToken(r),
		Facts: []fact{{locale.T(ctx, "land.company"), chosen.Company.Name}},
	}
	if industry := chosen.Company.IndustryID; industry != 0 {
		view.Facts = append(view.Facts, fact{locale.T(ctx, "init.industry"), locale.Of(ctx).Industry(industry)})
	}
	if days := p.portal.Accounts.TrialDaysLeft(chosen.Company); days > 0 {
		view.Facts = append(view.Facts, fact{locale.T(ctx, "result.trial"), locale.T(ctx, "chip.trial", "num", days)})
	}
	view.Facts = append(view.Facts, fact{locale.T(ctx, "result.login"), locale.T(ctx, "result.login_how")})
	switch r.URL.Query().Get("done") {
	case "created":
		view.Note = locale.T(ctx, "register.created_long", "company", chosen.Company.Name)
	case "initialised":
		view.Note = locale.T(ctx, "init.done")
	}
	shell := p.shell(r, "", true)
	shell.Panel, shell.Path = true, "/register/result"
	p.more(r, &shell)
	shell.Offline = true
	return p.render(w, r, http.StatusOK, shell, resultPage(view))
}
