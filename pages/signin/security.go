package signin

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"portico/components"
	"portico/locale"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/signin"
)

// securityView is the page of what keeps a person's accounts safe.
type securityView struct {
	Who      string // the masked phone or the account name
	Token    string
	Links    []rowLink // to profile, password, phone and chat apps
	Unbind   []rowLink // to unbind the phone, one for each account
	ToUnbind bool      // the person came to choose one of Unbind
	Reminder *reminderView
	Devices  []web.DeviceLine
	Chats    []web.DeviceLine // chat apps that sign the person in
}

// rowLink is a row that leads to a setting. Value is what is set now, "" when that is not shown.
type rowLink struct{ Icon, Label, Value, Href string }

// showsWho reports whether a row shows who the person is.
func (v securityView) showsWho() bool {
	return slices.ContainsFunc(v.Links, func(l rowLink) bool { return l.Value == v.Who })
}

// reminderView is the switch for the reminder to bind a phone.
type reminderView struct {
	Account int64
	Login   string
	On      bool
}

// ShowSecurity shows how the person signs in, and where they are signed in.
func (p *Pages) ShowSecurity(w http.ResponseWriter, r *http.Request) error {
	s, err := p.web.SignedIn(r)
	if err != nil {
		return err
	}
	list, err := p.portal.Accounts.Accounts(r.Context(), s)
	if err != nil {
		return err
	}
	web.KeepEdition(r, s)
	view := securityView{Token: p.web.FormToken(r), Reminder: reminderOf(s, list)}
	if view.Who, err = p.portal.Accounts.PersonLabel(r.Context(), s); err != nil {
		return err
	}
	view.Links, view.Unbind = accountLinks(r, s, list, view.Who)
	view.ToUnbind = r.URL.Query().Has("unbind")
	view.Links = append(view.Links,
		rowLink{Icon: "user", Label: locale.T(r.Context(), "profile.heading"), Href: web.ProfilePath})
	if view.Devices, err = p.deviceLines(r, s); err != nil {
		return err
	}
	if view.Chats, err = p.chatlogin.ChatLines(r, s); err != nil {
		return err
	}
	if methods := p.chatlogin.Methods(r); len(view.Chats) == 0 && len(methods) > 0 {
		provider := methods[0].Provider()
		label := locale.T(r.Context(), "chat.link_heading", "app", web.AppName(r, provider))
		view.Links = append(view.Links, rowLink{Icon: MarkOf(provider), Label: label,
			Href: web.InEdition(r.Context(), BeginAt(provider))})
	}
	shell := p.web.Shell(r, "", true)
	p.web.FlowsStyle(r, &shell)
	shell.Wide = true
	shell.Offline = true
	shell.Account = web.AccountMenu(view.Token)
	shell.Account.Who = view.Who
	if key := accountsDone[r.URL.Query().Get("done")]; key != "" {
		shell.Toast = locale.T(r.Context(), key)
	}
	return p.web.Render(w, r, http.StatusOK, shell, securityPage(view))
}

// accountMenu returns the menu in the header, which says who is signed in.
func (p *Pages) accountMenu(r *http.Request, s access.Session, token string) (*components.AccountMenu, error) {
	menu := web.AccountMenu(token)
	var err error
	menu.Who, err = p.portal.Accounts.PersonLabel(r.Context(), s)
	return menu, err
}

// accountLinks returns the links with which people change their password and phone. An account that was proven by its
// name alone may bind a phone; an account with a phone may unbind it. who is the masked phone of a person who signed in
// by phone.
func accountLinks(
	r *http.Request, s access.Session, list []signin.CompanyAccounts, who string,
) (links, unbind []rowLink) {
	ctx := r.Context()
	links = []rowLink{{Icon: "lock", Label: locale.T(ctx, "password.heading"), Href: "/password"}}
	var bound []signin.AccountView
	for _, c := range list {
		for _, a := range append(append([]signin.AccountView{}, c.Mgr...), c.Shop...) {
			if a.PersonID != 0 {
				bound = append(bound, a)
			} else if s.AccountID == a.ID {
				links = append(links, rowLink{Icon: "mobile", Label: locale.T(ctx, "bind.link"), Href: "/bind"})
			}
		}
	}
	if s.PersonID != 0 || len(bound) > 0 {
		change := rowLink{Icon: "mobile", Label: locale.T(ctx, "phone.link"), Href: "/phone"}
		if s.PersonID != 0 {
			change.Value = who
		}
		links = append(links, change)
	}
	if len(bound) == 1 {
		return links, []rowLink{{Icon: "close", Label: locale.T(ctx, "unbind.link"), Href: "/unbind"}}
	}
	for _, a := range bound {
		label := locale.T(ctx, "unbind.link_of", "login", a.Login)
		unbind = append(unbind, rowLink{Label: label, Href: "/unbind?account_id=" + strconv.FormatInt(a.ID, 10)})
	}
	return links, unbind
}

// reminderOf returns the reminder switch of the account that the person signed in to by its name; nil when that account
// has a phone.
func reminderOf(s access.Session, list []signin.CompanyAccounts) *reminderView {
	for _, c := range list {
		for _, a := range append(append([]signin.AccountView{}, c.Mgr...), c.Shop...) {
			if a.ID == s.AccountID && a.PersonID == 0 {
				return &reminderView{a.ID, a.Login, a.BindReminder}
			}
		}
	}
	return nil
}

// deviceLines lists the browsers and programs in which the person is signed in.
func (p *Pages) deviceLines(r *http.Request, s access.Session) ([]web.DeviceLine, error) {
	ctx := r.Context()
	devices, err := p.portal.Core.Sessions.Devices(ctx, s)
	if err != nil {
		return nil, err
	}
	var lines []web.DeviceLine
	for _, d := range devices {
		line := web.DeviceLine{
			What:   deviceName(ctx, d),
			Icon:   deviceIcon(d),
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
func deviceKind(d core.DeviceView) string {
	agent := d.Agent
	switch {
	case d.Client == signin.ClientApp:
		return "app"
	case d.Client != "":
		return "program"
	case strings.Contains(agent, "wxwork/"):
		return "work_chat"
	case strings.Contains(agent, "MicroMessenger/"):
		return "wechat"
	case web.MobileAgent(agent):
		return "phone"
	}
	return "desktop"
}

// deviceIcon is the icon of a browser or program.
func deviceIcon(d core.DeviceView) string {
	switch deviceKind(d) {
	case "wechat":
		return "wechat"
	case "work_chat":
		return "work-chat"
	case "phone", "app":
		return "mobile"
	}
	return "desktop"
}

// agentBrowsers and agentSystems are words of a browser's own description with the names that people know, those that
// others repeat last.
var (
	agentBrowsers = [][2]string{
		{"Edg", "Edge"}, {"OPR/", "Opera"}, {"SamsungBrowser/", "Samsung Internet"}, {"UCBrowser/", "UC"},
		{"Firefox/", "Firefox"}, {"FxiOS/", "Firefox"}, {"CriOS/", "Chrome"}, {"Chrome/", "Chrome"},
		{"Safari/", "Safari"},
	}
	agentSystems = [][2]string{
		{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"HarmonyOS", "HarmonyOS"}, {"Android", "Android"},
		{"Windows", "Windows"}, {"Mac OS X", "Mac"}, {"CrOS", "ChromeOS"}, {"Linux", "Linux"},
	}
)

// deviceName names a browser with its system, like "Chrome on Windows". Programs, chat apps and browsers that do not
// say what they are get the name of their kind.
func deviceName(ctx context.Context, d core.DeviceView) string {
	kind := deviceKind(d)
	browser, system := nameIn(d.Agent, agentBrowsers), nameIn(d.Agent, agentSystems)
	if kind != "phone" && kind != "desktop" || browser == "" || system == "" {
		return locale.T(ctx, "devices."+kind)
	}
	return locale.T(ctx, "devices.named", "browser", browser, "system", system)
}

// nameIn returns the first name whose word is in a browser's description, "" for none.
func nameIn(agent string, names [][2]string) string {
	for _, n := range names {
		if strings.Contains(agent, n[0]) {
			return n[1]
		}
	}
	return ""
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
