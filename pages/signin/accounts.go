package signin

import (
	"cmp"
	"context"
	"net/http"

	"portico/locale"
	entrypages "portico/pages/entry"
	"portico/pages/native"
	"portico/pages/request"
	"portico/pages/web"
	"portico/portal/accounts"
	"portico/store"
)

// accountsView is the page of a person's accounts: those of the chosen company, or of all companies.
type accountsView struct {
	Accounts  []accountCard // those that can be entered; all of them while the list is managed
	Blocked   []companyCard
	Token     string
	Others    bool // there are companies that are not shown
	Elsewhere bool // offers to sign in as another person
	Manage    bool // shows how to remove accounts from the list, instead of how to enter them
	Offers    entrypages.OffersView
}

// ways are the links to other accounts. There are none while the list is managed.
func (v accountsView) ways(ctx context.Context) (links []rowLink) {
	if v.Others && !v.Manage {
		links = append(links, rowLink{Label: locale.T(ctx, "accounts.other_company"), Href: "/company?all=1",
			Icon: "building"})
	}
	if v.Elsewhere && !v.Manage {
		links = append(links, rowLink{Label: locale.T(ctx, "accounts.another"),
			Href: string(request.Link(ctx, "/login")), Icon: "plus"})
	}
	return links
}

// accountCard is one account in the list.
type accountCard struct {
	companyCard
	Forget string // the label of its remove button
}

// accountsInput is what the buttons of the page send. Without an action the account is entered.
type accountsInput struct {
	AccountID int64  `form:"account_id"`
	Action    string `form:"action"`
	Device    string `form:"device"`
	Chat      string `form:"chat"`
}

// ShowAccounts shows the person's accounts.
func (p *Pages) ShowAccounts(w http.ResponseWriter, r *http.Request) error {
	s, err := p.web.SignedIn(r)
	if err != nil {
		return err
	}
	list, err := p.portal.Accounts.Accounts(r.Context(), s)
	if err != nil {
		return err
	}
	request.KeepEdition(r, s)
	view := accountsView{Token: p.web.FormToken(r), Elsewhere: true,
		Manage: r.URL.Query().Has("manage")}
	var companies []companyShop
	for _, c := range accounts.ChosenOnly(list, s, r.URL.Query().Has("all")) {
		companies = append(companies, companyShop{c.Company, !view.add(p.accountCards(r, c))})
	}
	if !view.Manage {
		if err := p.markLastUsed(r, s, view.Accounts); err != nil {
			return err
		}
	}
	view.Others = len(companies) < len(list)
	if view.Offers, err = p.entry.OffersView(r, s); err != nil {
		return err
	}
	view.Offers.Alone = len(list) == 0
	shell := p.web.Shell(r, "", true)
	p.request.FlowsStyle(r, &shell)
	shell.Wide, shell.Offline = true, true
	if shell.Account, err = p.accountMenu(r, s, view.Token); err != nil {
		return err
	}
	shell.Mirror = native.MirrorAccounts(r, s, list)
	showCompanies(&shell, companies)
	if key := accountsDone[r.URL.Query().Get("done")]; key != "" {
		shell.Toast = locale.T(r.Context(), key)
	}
	return p.web.Render(w, r, http.StatusOK, shell, accountsPage(view))
}

// accountsDone maps ?done= of the pages of accounts and security to the text about what the person has just done.
var accountsDone = map[string]string{
	"forgotten":  "accounts.forgotten",
	"ended":      "devices.ended",
	"password":   "password.changed",
	"bound":      "bind.done",
	"unlinked":   "chat.unlinked",
	"remind_on":  "bind.reminder_on",
	"remind_off": "bind.reminder_off",
	"phone":      "phone.done",
	"unbound":    "unbind.done",
}

// SubmitAccounts does what a button of the page says, or enters the chosen account.
func (p *Pages) SubmitAccounts(w http.ResponseWriter, r *http.Request) error {
	s, err := p.web.SignedIn(r)
	if err != nil {
		return err
	}
	var in accountsInput
	request.Decode(r, &in)
	switch in.Action {
	case "remove":
		if err := p.portal.Accounts.HideAccount(r.Context(), s, in.AccountID); err != nil {
			return err
		}
		return request.SeeOther(w, "/accounts?done=forgotten")
	case "remind_on":
		if err := p.portal.Binding.ResumeBindReminder(r.Context(), s, in.AccountID); err != nil {
			return err
		}
		return request.SeeOther(w, request.SecurityPath+"?done=remind_on")
	case "remind_off":
		if err := p.portal.Binding.StopBindReminder(r.Context(), s, in.AccountID, 0); err != nil {
			return err
		}
		return request.SeeOther(w, request.SecurityPath+"?done=remind_off")
	case "end_device":
		if err := p.portal.Sessions.EndDevice(r.Context(), s, in.Device); err != nil {
			return err
		}
		return request.SeeOther(w, request.SecurityPath+"?done=ended")
	case "unlink":
		if err := p.portal.Chatlogin.Unlink(r.Context(), s, in.Chat, string(locale.Of(r.Context()))); err != nil {
			return err
		}
		return request.SeeOther(w, request.SecurityPath+"?done=unlinked")
	case "end_others":
		if err := p.portal.Sessions.EndOtherDevices(r.Context(), s); err != nil {
			return err
		}
		return request.SeeOther(w, request.SecurityPath+"?done=ended")
	}
	return p.entry.Enter(w, r, s, in.AccountID)
}

// sideIcons are the icons of the sides of a company.
var sideIcons = map[store.Side]string{store.Shop: "shop", store.Mgr: "office"}

// accountCards returns the cards of a person's accounts at a company.
func (p *Pages) accountCards(r *http.Request, c accounts.CompanyAccounts) []accountCard {
	var cards []accountCard
	for _, a := range append(append([]accounts.AccountView{}, c.Mgr...), c.Shop...) {
		cards = append(cards, p.accountCard(r, c.Company, a))
	}
	return cards
}

// markLastUsed marks the account that the person entered last on this device.
func (p *Pages) markLastUsed(r *http.Request, s store.Session, cards []accountCard) error {
	used, err := p.portal.Accounts.LastUsed(r.Context(), s.Device, s.PhoneID)
	if err != nil {
		return err
	}
	for i := range cards {
		if c := &cards[i]; c.ID == used && c.Reason == "" {
			c.addChip("", locale.T(r.Context(), "company.last"))
		}
	}
	return nil
}

// add adds the cards of one company, which are shown as one. It reports whether one of its accounts can be entered.
func (v *accountsView) add(cards []accountCard) (open bool) {
	first := len(v.Accounts)
	for _, card := range cards {
		open = open || card.Reason == ""
		if card.Reason != "" && !v.Manage {
			v.Blocked = append(v.Blocked, card.companyCard)
			continue
		}
		if n := len(v.Accounts); n > first {
			card.Joined, v.Accounts[n-1].Leads = true, true
		}
		v.Accounts = append(v.Accounts, card)
	}
	return open
}

// accountCard returns the card of an account of company c. The card of a blocked account says why, and who can help.
func (p *Pages) accountCard(r *http.Request, c store.Company, a accounts.AccountView) accountCard {
	ctx := r.Context()
	card := accountCard{companyCard: companyCard{
		ID: a.ID, Name: c.Name, Lang: langOfName(ctx, c), Mark: markClass(c), Icon: web.OwnIcon(c.IconURL),
		Part: sideIcons[a.Side],
	}}
	who := locale.T(ctx, "type."+web.TypeName(a.Type))
	if a.Side == store.Shop {
		who = cmp.Or(a.ClientName, a.Name, who)
	}
	card.Lines = []string{locale.T(ctx, "side."+string(a.Side)), who, a.Login}
	if a.Blocked != "" {
		card.block(r, a.Blocked, a.Contacts)
	}
	card.Forget = locale.T(ctx, "accounts.forget", "who", a.Login)
	return card
}
