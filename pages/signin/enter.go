package signin

import (
	"cmp"
	"errors"
	"net/http"
	"strconv"

	"portico/components"
	"portico/locale"
	"portico/pages/request"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/accounts"
	"portico/store"
)

// enterView is the choice between a company's shop and its back office.
type enterView struct {
	Company   string // "" on the company's own host, where the header names it
	Mark      string // class of the company's mark
	Icon      string // the company's own icon, "" for its initial
	CompanyID int64
	Token     string
	Sides     []sideView
}

// sideView is one side. Reason says why it cannot be entered, "" when it can. People lists who can help.
// Waiting says what waits there, "" for nothing.
type sideView struct {
	Side    string
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
	if request.IsRefusal(err, access.NotFound) {
		return request.SeeOther(w, "/company")
	}
	if err != nil {
		return err
	}
	view := enterView{
		Company:   web.OtherCompany(r, chosen.Company),
		CompanyID: chosen.Company.ID,
		Token:     p.web.FormToken(r),
		Mark:      markClass(chosen.Company),
		Icon:      web.OwnIcon(chosen.Company.IconURL),
	}
	destinations, err := p.portal.Accounts.Destinations(r.Context(), s, []accounts.CompanyAccounts{chosen})
	if err != nil {
		return err
	}
	shop := sideOf(r, chosen, destinations, store.Shop)
	office := sideOf(r, chosen, destinations, store.Mgr)
	view.Sides = []sideView{shop, office}
	shell := p.web.Shell(r, "", true)
	p.request.FlowsStyle(r, &shell)
	shell.Panel, shell.Marks = true, components.MarkStyle(view.Mark, chosen.Company.Theme)
	shell.AddShop(view.Mark, chosen.Company.Name, view.Icon, shop.Reason != "")
	shell.AddOffice(view.Mark, chosen.Company.Name, view.Icon, office.Reason != "")
	shell.Wide, shell.Offline = true, true
	if shell.Account, err = p.accountMenu(r, s, view.Token); err != nil {
		return err
	}
	return p.web.Render(w, r, http.StatusOK, shell, enterPage(view))
}

// sideOf returns a side of a company: why it cannot be entered, or what waits there.
func sideOf(
	r *http.Request, c accounts.CompanyAccounts, destinations []accounts.Destination, of store.Side,
) sideView {
	side := sideView{Side: string(of)}
	reason, contacts := c.SideBlocked(of)
	switch {
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
	request.Decode(r, &in)
	step, err := p.portal.Accounts.ChooseCompany(r.Context(), accounts.ChooseCompanyInput{
		Session: s, CompanyID: in.CompanyID, Side: store.Side(cmp.Or(in.Side, "none")),
	})
	if request.IsRefusal(err, access.NotFound) {
		return request.SeeOther(w, "/company")
	}
	// The page says why the side cannot be entered.
	if refused, ok := errors.AsType[*access.Refused](err); ok && refused.Company != nil {
		return request.SeeOther(w, "/enter?company="+strconv.FormatInt(refused.Company.ID, 10))
	}
	if err != nil {
		return err
	}
	return p.entry.Next(w, r, s, step)
}
