package signin

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"portico/components"
	"portico/locale"
	entrypages "portico/pages/entry"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/signin"
	"portico/store"
)

// companyView is the page on which a person chooses a company. From searchFrom companies on it has a search field.
type companyView struct {
	Companies []companyCard
	Search    bool
	Words     string // what was searched for
	Count     int
	Token     string
	Default   bool   // offers to choose what the next sign-in opens
	Refresh   string // the address that the refresh button loads
	Mistakes  []components.Mistake
	Offers    entrypages.OffersView
}

// starred reports whether one of the companies is the one that the next sign-in opens. Then nobody needs to be told
// how.
func (v companyView) starred() bool {
	return slices.ContainsFunc(v.Companies, func(c companyCard) bool {
		return slices.ContainsFunc(c.Places, func(p placeRow) bool { return p.Default })
	})
}

// companyCard is a company in a list, with the places that a person has there.
type companyCard struct {
	ID     int64
	Name   string
	Lang   string // language of the name, "" when it is that of the page or not known
	Mark   string // class of the company's colours
	Icon   string // path of its own icon, "" for its initial
	Chips  []web.Chip
	Places []placeRow
}

// open reports whether one of the company's places can be entered.
func (c companyCard) open() bool {
	return slices.ContainsFunc(c.Places, func(p placeRow) bool { return p.Reason == "" })
}

// onlyOffices reports whether all of the company's places are in its back office.
func (c companyCard) onlyOffices() bool {
	return !slices.ContainsFunc(c.Places, func(p placeRow) bool { return p.Side != store.Mgr })
}

// blockedLast moves what cannot be entered behind what can, the companies and their places.
func blockedLast(list []companyCard) {
	rank := func(open bool) int {
		if open {
			return 0
		}
		return 1
	}
	for _, c := range list {
		slices.SortStableFunc(c.Places, func(a, b placeRow) int { return rank(a.Reason == "") - rank(b.Reason == "") })
	}
	slices.SortStableFunc(list, func(a, b companyCard) int { return rank(a.open()) - rank(b.open()) })
}

// anyOpen reports whether a place of one of the companies can be entered.
func anyOpen(list []companyCard) bool { return slices.ContainsFunc(list, companyCard.open) }

// placeRow is a side of a company, or one account there.
type placeRow struct {
	ID      int64 // of the company, or of the account in a list of accounts
	Side    store.Side
	Name    string // of the side
	Facts   []string
	Chips   []web.Chip
	Reason  string              // why it cannot be entered, "" when it can
	People  []components.Person // who can help
	Default bool                // the person's next sign-in opens it
	Forget  string              // in a list of accounts, the label of its remove button
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
	if step, only := signin.OnlyStep(list); only && step.Kind != signin.StepEnter && r.URL.RawQuery == "" {
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
	in := signin.ChooseCompanyInput{Session: s}
	web.Decode(r, &in)
	var step signin.Step
	if r.PostForm.Get("action") == "star" {
		if err := p.portal.Accounts.SetDefaultCompany(r.Context(), s, in.CompanyID, in.Side); err != nil {
			return err
		}
		return web.SeeOther(w, "/company?all=1")
	}
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
	w http.ResponseWriter, r *http.Request, s access.Session, list []signin.CompanyAccounts, refused *access.Refused,
) error {
	web.KeepEdition(r, s)
	ctx := r.Context()
	words := r.URL.Query().Get("q")
	view := companyView{
		Search: len(list) >= searchFrom,
		Words:  words,
		Count:  len(list),
		Token:  p.web.FormToken(r),
	}
	var err error
	if view.Offers, err = p.entry.OffersView(r, s); err != nil {
		return err
	}
	view.Offers.Alone = len(list) == 0
	found := signin.Search(list, words)
	destinations, err := p.portal.Accounts.Destinations(ctx, s, found)
	if err != nil {
		return err
	}
	for _, d := range destinations {
		view.Companies = p.addPlace(ctx, view.Companies, d.Company, placeOf(r, d))
	}
	view.Default = s.PersonID != 0 && (len(list) > 1 || len(destinations) > 1)
	view.Refresh = "/company?all=1" // with a query ShowCompany does not skip the list
	if words != "" {
		view.Refresh = "/company?" + url.Values{"q": {words}}.Encode()
	}
	if refused != nil {
		view.Mistakes = []components.Mistake{{Message: locale.T(ctx, "problem."+string(refused.Fields["company_id"]))}}
	}
	shell := p.web.Shell(r, "", true)
	p.web.FlowsStyle(r, &shell)
	addMarks(&shell, found)
	shell.Chooser, shell.Offline = true, true
	_, shell.Query, _ = strings.Cut(view.Refresh, "?")
	shell.Wide, shell.Mirror = true, web.MirrorAccounts(r, s, list)
	if shell.Account, err = p.accountMenu(r, s, view.Token); err != nil {
		return err
	}
	return p.web.Render(w, r, web.RefusedStatus(w, refused), shell, companyPage(view))
}

// addPlace adds a place to the card of its company, which is added to the list if it is not there.
func (p *Pages) addPlace(ctx context.Context, list []companyCard, c store.Company, row placeRow) []companyCard {
	at := slices.IndexFunc(list, func(card companyCard) bool { return card.ID == c.ID })
	if at < 0 {
		at = len(list)
		list = append(list, p.companyCard(ctx, c))
	}
	list[at].Places = append(list[at].Places, row)
	return list
}

// companyCard returns the card of a company, without places.
func (p *Pages) companyCard(ctx context.Context, c store.Company) companyCard {
	card := companyCard{ID: c.ID, Name: c.Name, Lang: langOfName(ctx, c), Mark: markClass(c),
		Icon: web.OwnIcon(c.IconURL)}
	if c.Sandbox {
		card.Chips = append(card.Chips, web.Chip{Text: locale.T(ctx, "chip.sandbox")})
	}
	if days := p.portal.Core.Access.TrialDaysLeft(c); days > 0 {
		card.Chips = append(card.Chips, web.Chip{Text: locale.T(ctx, "chip.trial", "num", days)})
	}
	return card
}

// placeOf returns the row of a destination: on which side and as whom the person arrives, and what waits there. That of
// a blocked one says why, and who can help.
func placeOf(r *http.Request, d signin.Destination) placeRow {
	ctx := r.Context()
	row := placeRow{ID: d.Company.ID, Side: d.Side, Name: locale.T(ctx, "side."+string(d.Side)),
		Facts: []string{asWhom(ctx, d)}, Default: d.Default}
	if d.Blocked != "" {
		row.block(r, d.Blocked, d.Contacts)
		return row
	}
	if d.Last {
		row.Facts = append(row.Facts, locale.T(ctx, "company.last"))
	}
	if waiting := waitingText(ctx, d); waiting != "" {
		row.addChip("warn", waiting)
	}
	return row
}

// waitingText says how many orders wait at a destination, "" for none.
func waitingText(ctx context.Context, d signin.Destination) string {
	switch {
	case d.Waiting >= signin.MostWaiting:
		return locale.T(ctx, "company.orders_more", "num", d.Waiting)
	case d.Waiting > 0:
		return locale.T(ctx, "company.orders", "num", d.Waiting)
	}
	return ""
}

// langOfName returns the language of a company's name, "" when it is that of the page or not known.
func langOfName(ctx context.Context, c store.Company) string {
	if lang, ok := locale.Match(c.Language); ok && lang != locale.Of(ctx) {
		return lang.Tag()
	}
	return ""
}

// addMarks gives the page the colours of companies.
func addMarks(shell *components.Shell, list []signin.CompanyAccounts) {
	for _, c := range list {
		shell.Marks += components.MarkStyle(markClass(c.Company), c.Company.Theme)
	}
}

// markClass is the class of a company's mark, see components.MarkStyle.
func markClass(c store.Company) string { return "mark-" + strconv.FormatInt(c.ID, 10) }

// asWhom says as whom the person arrives at a destination: the customer or the role, or how many accounts there are.
func asWhom(ctx context.Context, d signin.Destination) string {
	if n := len(d.Accounts); n > 1 {
		return locale.T(ctx, "logins."+string(d.Side), "num", n)
	}
	one := d.Accounts[0]
	if d.Side == store.Shop {
		return cmp.Or(one.ClientName, one.Name, one.Login)
	}
	return locale.T(ctx, "type."+web.TypeName(one.Type))
}

// addChip adds a short text in the colours of a chip's kind.
func (p *placeRow) addChip(kind, text string) {
	p.Chips = append(p.Chips, web.Chip{Kind: kind, Text: text})
}

// block adds to the row why the place cannot be entered, and who can help.
func (p *placeRow) block(r *http.Request, reason access.Refusal, contacts []access.Contact) {
	kind := "bad"
	if reason == access.UnderReview || reason == access.MallNotOpen {
		kind = "warn"
	}
	p.addChip(kind, locale.T(r.Context(), "chip."+string(reason)))
	p.Reason = web.RefusalText(r, &access.Refused{Refusal: reason})
	p.People = web.People(r, contacts)
}
