package signin

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"strconv"

	"portico/components"
	"portico/locale"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/signin"
	"portico/store"
)

// enterView is the choice between a company's shop and its back office.
type enterView struct {
	Company companyCard
	Named   bool // the page says whose sides they are; on the company's own host the header does
	Token   string
	Sides   []sideView
}

// sideView is one side. Reason says why it cannot be entered, "" when it can. People lists who can help.
// Waiting says what waits there, "" for nothing.
type sideView struct {
	Side    store.Side
	Reason  string
	People  []components.Person
	Waiting string
}

// enterInput is the chosen side.
type enterInput struct {
	Side      string `form:"side"`
	CompanyID int64  `form:"company_id"` // the company that the page showed, 0 for the one that was chosen last
}

// ShowEnter shows the sides of the company of ?company=, or of the company that was chosen last.
func (p *Pages) ShowEnter(w http.ResponseWriter, r *http.Request) error {
	s, err := p.web.SignedIn(r)
	if err != nil {
		return err
	}
	named, _ := access.DecimalID(r.URL.Query().Get("company"))
	chosen, err := p.portal.Accounts.Chosen(r.Context(), s, named)
	if web.IsRefusal(err, access.NotFound) {
		return web.SeeOther(w, "/company")
	}
	if err != nil {
		return err
	}
	view := enterView{
		Company: p.companyCard(r.Context(), chosen.Company),
		Named:   web.OtherCompany(r, chosen.Company) != "",
		Token:   p.web.FormToken(r),
	}
	destinations, err := p.portal.Accounts.Destinations(r.Context(), s, []signin.CompanyAccounts{chosen})
	if err != nil {
		return err
	}
	for _, of := range []store.Side{store.Shop, store.Mgr} {
		view.Sides = append(view.Sides, sideOf(r, chosen, destinations, of))
	}
	shell := p.web.Shell(r, "", true)
	p.web.FlowsStyle(r, &shell)
	addMarks(&shell, []signin.CompanyAccounts{chosen})
	shell.Wide = true
	shell.Chooser = true
	shell.Offline = true
	if shell.Account, err = p.accountMenu(r, s, view.Token); err != nil {
		return err
	}
	return p.web.Render(w, r, http.StatusOK, shell, enterPage(view))
}

// sideOf returns a side of a company: why it cannot be entered, or what waits there.
func sideOf(
	r *http.Request, c signin.CompanyAccounts, destinations []signin.Destination, of store.Side,
) sideView {
	side := sideView{Side: of}
	reason, contacts := c.SideBlocked(of)
	switch {
	case reason == access.NotInCompany && slices.Contains(c.Removed, of):
		side.Reason = locale.T(r.Context(), "enter.removed")
	case reason == access.NotInCompany && of == store.Shop:
		side.Reason = locale.T(r.Context(), "enter.none_shop")
	case reason == access.NotInCompany:
		side.Reason = locale.T(r.Context(), "enter.none_mgr")
	case reason != "":
		side.Reason, side.People = web.RefusalText(r, &access.Refused{Refusal: reason}), web.People(r, contacts)
	}
	for _, d := range destinations {
		if d.Side == of {
			side.Waiting = waitingText(r.Context(), d)
		}
	}
	return side
}

// SubmitEnter continues with the chosen side.
func (p *Pages) SubmitEnter(w http.ResponseWriter, r *http.Request) error {
	s, err := p.web.SignedIn(r)
	if err != nil {
		return err
	}
	var in enterInput
	web.Decode(r, &in)
	step, err := p.portal.Accounts.ChooseCompany(r.Context(), signin.ChooseCompanyInput{
		Session: s, CompanyID: in.CompanyID, Side: store.Side(cmp.Or(in.Side, "none")),
	})
	if web.IsRefusal(err, access.NotFound) {
		return web.SeeOther(w, "/company")
	}
	// The page says why the side cannot be entered.
	if refused, ok := errors.AsType[*access.Refused](err); ok && refused.Company != nil {
		return web.SeeOther(w, "/enter?company="+strconv.FormatInt(refused.Company.ID, 10))
	}
	if err != nil {
		return err
	}
	return p.entry.Next(w, r, s, step)
}
