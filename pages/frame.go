package pages

import (
	"cmp"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"portico/components"
	"portico/locale"
	"portico/portal/access"
	"portico/portal/application"
	"portico/store"
)

// menuItem is a link in the menu of a landing site.
type menuItem struct {
	Label, Href, Icon string
	Current           string // aria-current: "page", or "true" on a page below it
	Aside             bool   // a page below the settings on phones, not in their bar
	Count, CountText  string // how much waits there, as shown and as read out; "" for nothing
}

// frameView is the menu and the bars around every page of a landing site.
type frameView struct {
	Menu   []menuItem
	Office bool // of a back office, where choices are reported
	Try    *tryView
}

// tryView is the bar above the pages of a sandbox.
type tryView struct {
	Side     store.Side
	Until    string
	Path     string // the side's first page, whose form switches to the other side
	Token    string
	MineHref string
}

// helloView is the greeting on a side's first page.
type helloView struct {
	Name  string
	Side  store.Side
	Trial *trialView
}

// trialView says how many days of a company's trial are left, and near its end who can extend it.
type trialView struct {
	Days   int
	Ending bool
	People []components.Person
}

// accountView shows the account that the person has entered.
type accountView struct {
	Heading    string
	Facts      []fact
	SwitchHref string
	Profile    string // the address of the person's profile
	Offers     string // says that offers wait for the person, "" when none do
	OffersHref string
}

// fact is a value with its label.
type fact struct{ Name, Value string }

// listQuery returns the parameters of a list that the language links keep, so that another language shows the same part
// of the list.
func listQuery(query url.Values) string {
	kept := url.Values{}
	for _, name := range []string{"of", "side", "before", "after", "page"} {
		if value := query.Get(name); value != "" {
			kept.Set(name, value)
		}
	}
	return kept.Encode()
}

// frame returns the shell of a page of the side, with its menu; current is the address of the current menu item.
func (l landingPages) frame(r *http.Request, here access.Landing, current string) components.Shell {
	c, token := here.Member.Company, l.formToken(r)
	s := l.shell(r, c.Name, true)
	s.Company, s.Icon, s.Theme = c.Name, ownIcon(c.IconURL), c.Theme
	if l.isShop() {
		s.Theme = cmp.Or(c.ShopSkin, c.Theme)
	}
	l.more(r, &s)
	s.Offline, s.Query = true, listQuery(r.URL.Query())
	s.Wide, s.SignOut, s.Mirror = true, &components.SignOut{Token: token}, mirrorLanding(r, l.slot, here)
	view := frameView{Menu: l.menu(r, here.Member), Office: !l.isShop()}
	l.countWaiting(r, here, view.Menu)
	s.Native = l.wrapping(r, here, token)
	for i := range view.Menu {
		if item := &view.Menu[i]; item.Href == current {
			item.Current = "true"
			if s.Native != nil && current != l.path {
				s.Native.Title = item.Label
			}
			if current == r.URL.Path {
				item.Current = "page"
			}
		}
	}
	if c.Sandbox {
		view.Try = &tryView{
			Side:     here.Member.Side,
			Until:    components.Day(locale.Of(r.Context()), c.EndsAt.Time()),
			Path:     l.path,
			Token:    token,
			MineHref: here.FromOrigin + "/register?sandbox=" + decimal(c.ID),
		}
	}
	s.Menu = landFrame(view)
	return s
}

// menu returns the items of the shop's menu, or those of the back office that the account may see.
func (l landingPages) menu(r *http.Request, m store.Member) []menuItem {
	ctx := r.Context()
	if l.isShop() {
		return []menuItem{
			{Label: locale.T(ctx, "shop.catalogue"), Href: l.path, Icon: "shop"},
			{Label: locale.T(ctx, "shop.orders"), Href: l.path + "/orders", Icon: "orders"},
			{Label: locale.T(ctx, "land.account"), Href: l.path + "#account", Icon: "user"},
		}
	}
	items := []menuItem{{Label: locale.T(ctx, "office.overview"), Href: l.path, Icon: "office"}}
	for _, item := range officeMenu {
		if access.May(m, item.right) || item.path == "/settings" && seesSettings(m) {
			items = append(items, menuItem{
				Label: locale.T(ctx, item.label),
				Href:  l.path + item.path,
				Icon:  item.icon,
				Aside: item.aside && seesSettings(m),
			})
		}
	}
	return items
}

// countWaiting adds to the menu how many applications wait for a reader who may review them.
func (l landingPages) countWaiting(r *http.Request, here access.Landing, menu []menuItem) {
	waiting, err := l.portal.Application.WaitingApplications(r.Context(), here)
	if err != nil { // the page is more important than the number
		l.log.LogAttrs(r.Context(), slog.LevelWarn, "applications not counted", slog.Any("error", err))
	}
	if waiting == 0 {
		return
	}
	i := slices.IndexFunc(menu, func(item menuItem) bool { return item.Href == l.path+"/applications" })
	if i < 0 {
		return
	}
	item := &menu[i]
	item.Count = strconv.Itoa(waiting)
	item.CountText = locale.T(r.Context(), "application.waiting", "num", waiting)
	if waiting > application.WaitingShown {
		item.Count = strconv.Itoa(application.WaitingShown) + "+"
		item.CountText = locale.T(r.Context(), "application.waiting_more", "num", application.WaitingShown)
	}
}

// officeMenu lists the pages of the back office with the right that each needs. The bar of phones has five places: for
// readers who may see the settings, items that are aside are shown there instead.
var officeMenu = []struct {
	right             access.Right
	label, path, icon string
	aside             bool
}{
	{access.RightOrders, "office.orders", "/orders", "orders", false},
	{access.RightApplications, "office.applications", "/applications", "applications", false},
	{access.RightCustomers, "office.customers", "/customers", "customers", false},
	{access.RightPeople, "office.people", "/people", "people", true},
	{access.RightAudit, "settings.audit", "/audit", "clock", true},
	{access.RightSettings, "office.settings", "/settings", "settings", false},
}

// hello returns the greeting. Staff of a company on trial also see how many days are left.
func (l landingPages) hello(r *http.Request, here access.Landing) helloView {
	m := here.Member
	v := helloView{Name: m.Name, Side: m.Side}
	if v.Name == "" {
		v.Name = m.Login
	}
	if here.DaysLeft > 0 && m.Side == store.Mgr && !m.Company.Sandbox { // customers cannot renew anything
		v.Trial = &trialView{Days: here.DaysLeft, Ending: here.DaysLeft <= access.TrialEnding}
		v.Trial.People = people(r, l.portal.Access.Support(access.Place{Company: &m.Company}))
	}
	return v
}

// accountViewOf returns what a page shows of the account that the person has entered.
func accountViewOf(r *http.Request, here access.Landing, heading string) accountView {
	ctx, m := r.Context(), here.Member
	phone := access.MaskPhone(m.Phone)
	if phone == "" {
		phone = locale.T(ctx, "land.no_phone")
	}
	v := accountView{Heading: heading, SwitchHref: here.FromOrigin + "/accounts?all=1"}
	v.Profile = here.FromOrigin + profileOf(m.ID)
	v.Facts = []fact{
		{locale.T(ctx, "land.company"), m.Company.Name}, {locale.T(ctx, "land.login"), m.Login},
		{locale.T(ctx, "land.role"), locale.T(ctx, "type."+typeName(m.Type))}, {locale.T(ctx, "land.phone"), phone},
	}
	if m.ClientName != "" {
		v.Facts = append(v.Facts, fact{locale.T(ctx, "land.client"), m.ClientName})
	}
	return v
}

// decimal writes a number in decimal digits.
func decimal(n int64) string { return strconv.FormatInt(n, 10) }
