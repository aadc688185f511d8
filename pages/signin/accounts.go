package signin

import (
	"cmp"
	"context"
	"net/http"
	"slices"

	"portico/locale"
	entrypages "portico/pages/entry"
	"portico/pages/web"
	"portico/portal/signin"
	"portico/store"
)

// accountsView is the page of a person's accounts: those of the chosen company, or of all companies.
type accountsView struct {
	Companies []companyCard // with their accounts
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
			Href: string(web.Link(ctx, "/login")), Icon: "plus"})
	}
	return links
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
	web.KeepEdition(r, s)
	view := accountsView{Token: p.web.FormToken(r), Elsewhere: true,
		Manage: r.URL.Query().Has("manage")}
	used, err := p.portal.Accounts.LastUsed(r.Context(), s.Device, s.PersonID)
	if err != nil {
		return err
	}
	shown := signin.ChosenOnly(list, s, r.URL.Query().Has("all"))
	for _, c := range shown {
		p.addAccounts(r, &view, c, used)
	}
	view.Manage = view.Manage && len(view.Companies) > 0
	if !view.Manage {
		blockedLast(view.Companies)
	}
	view.Others = len(shown) < len(list)
	if view.Offers, err = p.entry.OffersView(r, s); err != nil {
		return err
	}
	view.Offers.Alone = len(list) == 0
	shell := p.web.Shell(r, "", true)
	p.web.FlowsStyle(r, &shell)
	shell.Wide = true
	shell.Chooser = true
	shell.Offline = true
	if shell.Account, err = p.accountMenu(r, s, view.Token); err != nil {
		return err
	}
	shell.Mirror = web.MirrorAccounts(r, s, list)
	addMarks(&shell, shown)
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
	web.Decode(r, &in)
	switch in.Action {
	case "remove":
		if err := p.portal.Accounts.HideAccount(r.Context(), s, in.AccountID); err != nil {
			return err
		}
		return web.SeeOther(w, "/accounts?all=1&manage=1&done=forgotten")
	case "remind_on":
		if err := p.portal.Binding.ResumeBindReminder(r.Context(), s, in.AccountID); err != nil {
			return err
		}
		return web.SeeOther(w, web.SecurityPath+"?done=remind_on")
	case "remind_off":
		if err := p.portal.Binding.StopBindReminder(r.Context(), s, in.AccountID, 0); err != nil {
			return err
		}
		return web.SeeOther(w, web.SecurityPath+"?done=remind_off")
	case "end_device":
		if err := p.portal.Core.Sessions.EndDevice(r.Context(), s, in.Device); err != nil {
			return err
		}
		return web.SeeOther(w, web.SecurityPath+"?done=ended")
	case "unlink":
		if err := p.portal.Chatlogin.Unlink(r.Context(), s, in.Chat, string(locale.Of(r.Context()))); err != nil {
			return err
		}
		return web.SeeOther(w, web.SecurityPath+"?done=unlinked")
	case "end_others":
		if err := p.portal.Core.Sessions.EndOtherDevices(r.Context(), s); err != nil {
			return err
		}
		return web.SeeOther(w, web.SecurityPath+"?done=ended")
	}
	return p.entry.Enter(w, r, s, in.AccountID)
}

// sideIcons are the icons of the sides of a company.
var sideIcons = map[store.Side]string{store.Shop: "shop", store.Mgr: "office"}

// addAccounts adds a person's accounts at a company. used is the account that was entered last on this device.
func (p *Pages) addAccounts(r *http.Request, v *accountsView, c signin.CompanyAccounts, used int64) {
	ctx := r.Context()
	for _, a := range slices.Concat(c.Mgr, c.Shop) {
		row := accountRow(r, a)
		if a.ID == used && row.Reason == "" && !v.Manage {
			row.Facts = append(row.Facts, locale.T(ctx, "company.last"))
		}
		v.Companies = p.addPlace(ctx, v.Companies, c.Company, row)
	}
}

// accountRow returns the row of an account. That of a blocked one says why, and who can help.
func accountRow(r *http.Request, a signin.AccountView) placeRow {
	ctx := r.Context()
	who := locale.T(ctx, "type."+web.TypeName(a.Type))
	if a.Side == store.Shop {
		who = cmp.Or(a.ClientName, a.Name, who)
	}
	row := placeRow{ID: a.ID, Side: a.Side, Name: locale.T(ctx, "side."+string(a.Side)), Facts: []string{who, a.Login},
		Forget: locale.T(ctx, "accounts.forget", "who", a.Login)}
	if a.Blocked != "" {
		row.block(r, a.Blocked, a.Contacts)
	}
	return row
}
