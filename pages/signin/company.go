package signin

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"portico/components"
	"portico/locale"
	entrypages "portico/pages/entry"
	"portico/pages/native"
	"portico/pages/request"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/accounts"
)

// companyView is the page on which a person chooses a company. From searchFrom companies on it has a search field.
type companyView struct {
	Companies []companyCard
	Blocked   []companyCard
	Search    bool
	Words     string // what was searched for
	Count     int
	Token     string
	Default   bool   // offers the "make it my default" box
	Refresh   string // the address that the refresh button loads
	Mistakes  []components.Mistake
	Offers    entrypages.OffersView
}

// companyCard is one company in a list. ID is the id of an account in a list of accounts.
type companyCard struct {
	ID      int64
	Name    string
	Icon    string
	Lines   []string
	Chips   []web.Chip
	Reason  string              // why it cannot be entered, "" when it can
	People  []components.Person // who can help
	Default bool                // it is the person's default company
}

// searchFrom is the number of companies from which on the list can be searched.
const searchFrom = 8

// ShowCompany shows the list. A person with nothing to choose goes to the next step at once.
func (p *Pages) ShowCompany(w http.ResponseWriter, r *http.Request) error {
	s, err := p.web.SignedIn(r)
	if err != nil {
		return err
	}
	list, err := p.portal.Accounts.Accounts(r.Context(), s)
	if err != nil {
		return err
	}
	if step, only := accounts.OnlyStep(list); only && step.Kind != accounts.StepEnter && r.URL.RawQuery == "" {
		return p.entry.Next(w, r, s, step) // nothing to choose; a GET never enters an account
	}
	return p.renderCompany(w, r, s, list, nil)
}

// SubmitCompany continues with the chosen company.
func (p *Pages) SubmitCompany(w http.ResponseWriter, r *http.Request) error {
	s, err := p.web.SignedIn(r)
	if err != nil {
		return err
	}
	in := accounts.ChooseCompanyInput{Session: s}
	request.Decode(r, &in)
	var step accounts.Step
	if r.PostForm.Get("action") == "continue" {
		step, err = p.portal.Accounts.Continue(r.Context(), s)
	} else {
		step, err = p.portal.Accounts.ChooseCompany(r.Context(), in)
	}
	if refused, ok := errors.AsType[*access.Refused](err); ok && refused.Refusal == access.ValidationFailed {
		list, err := p.portal.Accounts.Accounts(r.Context(), s)
		if err != nil {
			return err
		}
		return p.renderCompany(w, r, s, list, refused)
	}
	if err != nil {
		return err
	}
	return p.entry.Next(w, r, s, step)
}

// renderCompany writes the list, searched by ?q=. refused is nil unless the choice was refused.
func (p *Pages) renderCompany(
	w http.ResponseWriter, r *http.Request, s access.Session, list []accounts.CompanyAccounts, refused *access.Refused,
) error {
	request.KeepEdition(r, s)
	ctx := r.Context()
	words := r.URL.Query().Get("q")
	view := companyView{
		Search:  len(list) >= searchFrom,
		Words:   words,
		Count:   len(list),
		Token:   p.web.FormToken(r),
		Default: s.PhoneID != 0,
	}
	var err error
	if view.Offers, err = p.entry.OffersView(r, s); err != nil {
		return err
	}
	view.Offers.Alone = len(list) == 0
	for _, c := range accounts.Search(list, words) {
		card := p.companyCard(r, c)
		if card.Reason != "" {
			view.Blocked = append(view.Blocked, card)
		} else {
			view.Companies = append(view.Companies, card)
		}
	}
	view.Refresh = "/company?all=1" // with a query ShowCompany does not skip the list
	if words != "" {
		view.Refresh = "/company?" + url.Values{"q": {words}}.Encode()
	}
	if refused != nil {
		view.Mistakes = []components.Mistake{{Message: locale.T(ctx, "problem."+string(refused.Fields["company_id"]))}}
	}
	shell := p.web.Shell(r, "", true)
	p.request.More(r, &shell)
	shell.Offline = true
	_, shell.Query, _ = strings.Cut(view.Refresh, "?")
	shell.Wide, shell.Account, shell.Mirror = true, web.AccountMenu(view.Token),
		native.MirrorAccounts(r, s, list)
	return p.web.Render(w, r, web.RefusedStatus(w, refused), shell, companyPage(view))
}

// companyCard returns the card of a company. The card of a blocked company says why, and who can help.
func (p *Pages) companyCard(r *http.Request, c accounts.CompanyAccounts) companyCard {
	ctx := r.Context()
	card := companyCard{ID: c.Company.ID, Name: c.Company.Name, Icon: web.OwnIcon(c.Company.IconURL),
		Default: c.Default}
	if n := len(c.Mgr); n > 0 {
		card.Lines = append(card.Lines, locale.T(ctx, "logins.mgr", "num", n))
	}
	if n := len(c.Shop); n > 0 {
		card.Lines = append(card.Lines, locale.T(ctx, "logins.shop", "num", n))
	}
	if c.Company.Sandbox {
		card.Chips = append(card.Chips, web.Chip{Kind: "", Text: locale.T(ctx, "chip.sandbox")})
	}
	if days := p.portal.Access.TrialDaysLeft(c.Company); days > 0 {
		card.Chips = append(card.Chips, web.Chip{Kind: "", Text: locale.T(ctx, "chip.trial", "num", days)})
	}
	if c.Default {
		card.Chips = append(card.Chips, web.Chip{Kind: "ok", Text: locale.T(ctx, "company.default")})
	}
	if blocked, contacts := c.Blocked(); blocked != "" {
		card.block(r, blocked, contacts)
	}
	return card
}

// block adds to the card why the company or account is blocked, and who can help.
func (c *companyCard) block(r *http.Request, reason access.Refusal, contacts []access.Contact) {
	kind := "bad"
	if reason == access.UnderReview || reason == access.MallNotOpen {
		kind = "warn"
	}
	c.Chips = append(c.Chips, web.Chip{Kind: kind, Text: locale.T(r.Context(), "chip."+string(reason))})
	c.Reason = web.RefusalText(r, &access.Refused{Refusal: reason})
	c.People = web.People(r, contacts)
}
