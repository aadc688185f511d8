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
	"portico/pages/native"
	"portico/pages/request"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/accounts"
	"portico/store"
)

// companyView is the page on which a person chooses a company. From searchFrom companies on it has a search field.
type companyView struct {
	Companies []companyCard
	Blocked   []companyCard
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
	return slices.ContainsFunc(v.Companies, func(c companyCard) bool { return c.Default })
}

// companyCard is one company in a list, or one of its sides. ID is the id of an account in a list of accounts.
type companyCard struct {
	ID      int64
	Side    string // "shop", "mgr", "" for all of the company
	Name    string
	Lang    string // language of the name, "" when it is that of the page or not known
	Mark    string // class of the mark, "" for the colour of the page
	Icon    string
	Part    string // icon of the company's part that it leads to, before the lines; "" for none
	Lines   []string
	Chips   []web.Chip
	Reason  string              // why it cannot be entered, "" when it can
	People  []components.Person // who can help
	Default bool                // the person's next sign-in opens it
	Joined  bool                // the card before it is of the same company
	Leads   bool                // the card after it is of the same company
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
	if r.PostForm.Get("action") == "star" {
		if err := p.portal.Accounts.SetDefaultCompany(r.Context(), s, in.CompanyID, in.Side); err != nil {
			return err
		}
		return request.SeeOther(w, "/company?all=1")
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
	w http.ResponseWriter, r *http.Request, s access.Session, list []accounts.CompanyAccounts, refused *access.Refused,
) error {
	request.KeepEdition(r, s)
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
	destinations, err := p.portal.Accounts.Destinations(ctx, s, accounts.Search(list, words))
	if err != nil {
		return err
	}
	for _, d := range destinations {
		card := p.destinationCard(r, d)
		if card.Reason != "" {
			view.Blocked = append(view.Blocked, card)
		} else {
			view.Companies = append(view.Companies, card)
		}
	}
	if !view.Search {
		joinCards(view.Companies)
	}
	view.Default = s.PhoneID != 0 && (len(list) > 1 || len(destinations) > 1)
	view.Refresh = "/company?all=1" // with a query ShowCompany does not skip the list
	if words != "" {
		view.Refresh = "/company?" + url.Values{"q": {words}}.Encode()
	}
	if refused != nil {
		view.Mistakes = []components.Mistake{{Message: locale.T(ctx, "problem."+string(refused.Fields["company_id"]))}}
	}
	shell := p.web.Shell(r, "", true)
	p.request.FlowsStyle(r, &shell)
	showCompanies(&shell, shopsOf(destinations))
	shell.Offline = true
	_, shell.Query, _ = strings.Cut(view.Refresh, "?")
	shell.Wide, shell.Mirror = true, native.MirrorAccounts(r, s, list)
	if shell.Account, err = p.accountMenu(r, s, view.Token); err != nil {
		return err
	}
	return p.web.Render(w, r, web.RefusedStatus(w, refused), shell, companyPage(view))
}

// joinCards marks the cards of one company that follow each other, which are shown as one.
func joinCards(cards []companyCard) {
	for i := 1; i < len(cards); i++ {
		if cards[i].ID == cards[i-1].ID {
			cards[i].Joined, cards[i-1].Leads = true, true
		}
	}
}

// destinationCard returns the card of a destination: the company, in which part the person arrives and as whom, and
// what waits there. The card of a blocked one says why, and who can help.
func (p *Pages) destinationCard(r *http.Request, d accounts.Destination) companyCard {
	ctx := r.Context()
	card := companyCard{ID: d.Company.ID, Side: string(d.Side), Name: d.Company.Name,
		Icon: web.OwnIcon(d.Company.IconURL), Mark: markClass(d.Company), Default: d.Default,
		Part: sideIcons[d.Side], Lang: langOfName(ctx, d.Company),
		Lines: []string{locale.T(ctx, "side."+string(d.Side)), asWhom(ctx, d)}}
	if d.Last && d.Blocked == "" {
		card.addChip("", locale.T(ctx, "company.last"))
	}
	if waiting := waitingText(ctx, d); waiting != "" {
		card.addChip("warn", waiting)
	}
	if d.Company.Sandbox {
		card.addChip("", locale.T(ctx, "chip.sandbox"))
	}
	if days := p.portal.Access.TrialDaysLeft(d.Company); days > 0 {
		card.addChip("", locale.T(ctx, "chip.trial", "num", days))
	}
	if d.Blocked != "" {
		card.block(r, d.Blocked, d.Contacts)
	}
	return card
}

// waitingText says how many orders wait at a destination, "" for none.
func waitingText(ctx context.Context, d accounts.Destination) string {
	switch {
	case d.Waiting >= accounts.MostWaiting:
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

// companyShop is a company in a street. Shut is true when the person cannot enter any side of it.
type companyShop struct {
	store.Company
	Shut bool
}

// shopsOf returns the companies of destinations, in their order.
func shopsOf(destinations []accounts.Destination) (shops []companyShop) {
	at := map[int64]int{}
	for _, d := range destinations {
		i, known := at[d.Company.ID]
		if !known {
			i = len(shops)
			at[d.Company.ID], shops = i, append(shops, companyShop{d.Company, true})
		}
		shops[i].Shut = shops[i].Shut && d.Blocked != ""
	}
	return shops
}

// mostShops is how many companies' shops have room beside each other.
const mostShops = 3

// showCompanies gives the page the colours of companies' marks, and wide windows a street with the first ones' shops.
func showCompanies(shell *components.Shell, companies []companyShop) {
	shell.Panel = len(companies) > 0
	for i, c := range companies {
		class := markClass(c.Company)
		shell.Marks += components.MarkStyle(class, c.Theme)
		if i < mostShops {
			shell.AddShop(class, c.Name, web.OwnIcon(c.IconURL), c.Shut)
		}
	}
}

// markClass is the class of a company's mark, see components.MarkStyle.
func markClass(c store.Company) string { return "mark-" + strconv.FormatInt(c.ID, 10) }

// asWhom says as whom the person arrives at a destination: the customer or the role, or how many accounts there are.
func asWhom(ctx context.Context, d accounts.Destination) string {
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
func (c *companyCard) addChip(kind, text string) {
	c.Chips = append(c.Chips, web.Chip{Kind: kind, Text: text})
}

// block adds to the card why the company or account is blocked, and who can help.
func (c *companyCard) block(r *http.Request, reason access.Refusal, contacts []access.Contact) {
	kind := "bad"
	if reason == access.UnderReview || reason == access.MallNotOpen {
		kind = "warn"
	}
	c.addChip(kind, locale.T(r.Context(), "chip."+string(reason)))
	c.Reason = web.RefusalText(r, &access.Refused{Refusal: reason})
	c.People = web.People(r, contacts)
}
