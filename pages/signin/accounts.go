package signin

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"portico/components"
	"portico/locale"
	chatloginpages "portico/pages/chatlogin"
	entrypages "portico/pages/entry"
	"portico/pages/native"
	"portico/pages/request"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/accounts"
	"portico/portal/landing"
	"portico/portal/sessions"
)

// accountsView is the page of a person's accounts: those of the chosen company, or of all companies.
type accountsView struct {
	Groups    []accountGroup
	Token     string
	Others    bool           // there are other companies to choose from
	Elsewhere bool           // offers to sign in as another person
	Links     []web.PageLink // links to profile, password, phone and chat apps
	Reminder  *reminderView
	Devices   []web.DeviceLine
	Chats     []web.DeviceLine // chat apps that sign the person in
	Offers    entrypages.OffersView
}

// reminderView is the switch for the reminder to bind a phone.
type reminderView struct {
	Account int64
	Login   string
	On      bool
}

// accountGroup holds the accounts of one company.
type accountGroup struct {
	Name     string
	Accounts []accountCard
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

// ShowAccounts shows the person's accounts, devices and connected chat apps.
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
	view := accountsView{Token: p.web.FormToken(r), Others: len(list) > 1, Elsewhere: true}
	for _, c := range accounts.ChosenOnly(list, s, r.URL.Query().Has("all")) {
		group := accountGroup{Name: c.Company.Name}
		for _, a := range append(append([]accounts.AccountView{}, c.Mgr...), c.Shop...) {
			group.Accounts = append(group.Accounts, p.accountCard(r, a))
		}
		view.Groups = append(view.Groups, group)
	}
	if view.Offers, err = p.entry.OffersView(r, s); err != nil {
		return err
	}
	view.Offers.Alone = len(list) == 0
	view.Links = append([]web.PageLink{{Label: locale.T(r.Context(), "profile.heading"), Href: request.ProfilePath}},
		accountLinks(r, s, list)...)
	view.Reminder = reminderOf(s, list)
	if view.Devices, err = p.deviceLines(r, s); err != nil {
		return err
	}
	if view.Chats, err = p.chatlogin.ChatLines(r, s); err != nil {
		return err
	}
	if methods := p.chatlogin.Methods(r); len(view.Chats) == 0 && len(methods) > 0 {
		provider := methods[0].Provider()
		label := locale.T(r.Context(), "chat.link_heading", "app", web.AppName(r, provider))
		view.Links = append(view.Links, web.PageLink{Label: label,
			Href: request.InEdition(r.Context(), chatloginpages.BeginAt(provider))})
	}
	shell := p.web.Shell(r, "", true)
	shell.Wide, shell.Offline, shell.SignOut = true, true, &components.SignOut{Token: view.Token}
	shell.Mirror = native.MirrorAccounts(r, s, list)
	if key := accountsDone[r.URL.Query().Get("done")]; key != "" {
		shell.Toast = locale.T(r.Context(), key)
	}
	return p.web.Render(w, r, http.StatusOK, shell, accountsPage(view))
}

// accountsDone maps ?done= to the text about what the person has just done.
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

// accountLinks returns the links with which people change their password and phone. An account that was proven by its
// name alone may bind a phone; an account with a phone may unbind it.
func accountLinks(r *http.Request, s access.Session, list []accounts.CompanyAccounts) []web.PageLink {
	ctx := r.Context()
	links := []web.PageLink{{Label: locale.T(ctx, "password.heading"), Href: "/password"}}
	var bound []accounts.AccountView
	for _, c := range list {
		for _, a := range append(append([]accounts.AccountView{}, c.Mgr...), c.Shop...) {
			if a.PhoneID != 0 {
				bound = append(bound, a)
			} else if s.AccountID == a.ID {
				links = append(links, web.PageLink{Label: locale.T(ctx, "bind.link"), Href: "/bind"})
			}
		}
	}
	if s.PhoneID != 0 || len(bound) > 0 {
		links = append(links, web.PageLink{Label: locale.T(ctx, "phone.link"), Href: "/phone"})
	}
	if len(bound) == 1 {
		return append(links, web.PageLink{Label: locale.T(ctx, "unbind.link"), Href: "/unbind"})
	}
	for _, a := range bound {
		label := locale.T(ctx, "unbind.link_of", "login", a.Login)
		links = append(links, web.PageLink{Label: label, Href: "/unbind?account_id=" + strconv.FormatInt(a.ID, 10)})
	}
	return links
}

// reminderOf returns the reminder switch of the account that the person signed in to by its name; nil when that account
// has a phone.
func reminderOf(s access.Session, list []accounts.CompanyAccounts) *reminderView {
	for _, c := range list {
		for _, a := range append(append([]accounts.AccountView{}, c.Mgr...), c.Shop...) {
			if a.ID == s.AccountID && a.PhoneID == 0 {
				return &reminderView{a.ID, a.Login, a.BindReminder}
			}
		}
	}
	return nil
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
		return request.SeeOther(w, "/accounts?done=remind_on")
	case "remind_off":
		if err := p.portal.Binding.StopBindReminder(r.Context(), s, in.AccountID, 0); err != nil {
			return err
		}
		return request.SeeOther(w, "/accounts?done=remind_off")
	case "end_device":
		if err := p.portal.Sessions.EndDevice(r.Context(), s, in.Device); err != nil {
			return err
		}
		return request.SeeOther(w, "/accounts?done=ended")
	case "unlink":
		if err := p.portal.Chatlogin.Unlink(r.Context(), s, in.Chat, string(locale.Of(r.Context()))); err != nil {
			return err
		}
		return request.SeeOther(w, "/accounts?done=unlinked")
	case "end_others":
		if err := p.portal.Sessions.EndOtherDevices(r.Context(), s); err != nil {
			return err
		}
		return request.SeeOther(w, "/accounts?done=ended")
	}
	return p.entry.Enter(w, r, s, in.AccountID)
}

// deviceLines lists the browsers and programs in which the person is signed in.
func (p *Pages) deviceLines(r *http.Request, s access.Session) ([]web.DeviceLine, error) {
	ctx := r.Context()
	devices, err := p.portal.Sessions.Devices(ctx, s)
	if err != nil {
		return nil, err
	}
	var lines []web.DeviceLine
	for _, d := range devices {
		line := web.DeviceLine{
			What:   locale.T(ctx, "devices."+deviceKind(d)),
			Detail: ago(r, d.Seen) + " · " + d.Address,
			Ref:    d.Ref,
		}
		if d.Current {
			line.Detail, line.Ref = locale.T(ctx, "devices.this")+" · "+d.Address, ""
		}
		lines = append(lines, line)
	}
	return lines, nil
}

// deviceKind returns the kind of a browser or program, the last part of its locale key: "app", "program", "phone".
func deviceKind(d sessions.DeviceView) string {
	agent := d.Agent
	switch {
	case d.Client == landing.ClientApp:
		return "app"
	case d.Client != "":
		return "program"
	case strings.Contains(agent, "wxwork/"):
		return "work_chat"
	case strings.Contains(agent, "MicroMessenger/"):
		return "wechat"
	case request.MobileAgent(agent):
		return "phone"
	}
	return "desktop"
}

// ago says how long ago something was, in minutes, hours or days.
func ago(r *http.Request, d time.Duration) string {
	ctx := r.Context()
	switch {
	case d < 2*time.Minute:
		return locale.T(ctx, "devices.now")
	case d < time.Hour:
		return locale.T(ctx, "devices.minutes", "num", int(d.Minutes()))
	case d < 48*time.Hour:
		return locale.T(ctx, "devices.hours", "num", int(d.Hours()))
	}
	return locale.T(ctx, "devices.days", "num", int(d.Hours()/24))
}

// accountCard returns the card of an account. The card of a blocked account says why, and who can help.
func (p *Pages) accountCard(r *http.Request, a accounts.AccountView) accountCard {
	ctx := r.Context()
	name := a.Name
	if name == "" {
		name = a.Login
	}
	card := accountCard{companyCard: companyCard{ID: a.ID, Name: name}}
	card.Lines = []string{locale.T(ctx, "side."+string(a.Side)), locale.T(ctx, "type."+web.TypeName(a.Type)), a.Login}
	if a.ClientName != "" {
		card.Lines = append(card.Lines, a.ClientName)
	}
	if a.Blocked != "" {
		card.block(r, a.Blocked, a.Contacts)
	}
	card.Forget = locale.T(ctx, "accounts.forget", "who", a.Login)
	return card
}
