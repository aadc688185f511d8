package site

import (
	"cmp"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"portico/assets"
	"portico/components"
	"portico/locale"
	"portico/pages/forms"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/core"
	"portico/store"
)

// menuItem is a link in the menu of a landing site.
type menuItem struct {
	Label, Href, Icon string
	Current           string // aria-current: "page", or "true" on a page below it
	Aside             bool   // a page below the settings on phones, not in their bar
	Short             string // the label on phones, "" for the same
	Holds             bool   // on phones, the page that is shown lies below this one
	Count, CountText  string // how many items wait there, as shown and as read aloud; "" for none
	CountID           string // the id of the element with Count, "" where nothing waits
}

// frameView is the menu and the bars around every page of a landing site.
type frameView struct {
	Menu   []menuItem
	Office bool // the menu is of a back office, whose script reports the views of menus
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

// HelloView is the greeting on a side's first page.
type HelloView struct {
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

// AccountView shows the account that the person has entered.
type AccountView struct {
	Heading    string
	Facts      []forms.Fact
	SwitchHref string
	Profile    string // the address of the person's profile
	Offers     string // says that offers wait for the person, "" when none do
	OffersHref string
}

// listQuery returns the parameters of a list that the language links keep, so that another language shows the same part
// of the list.
func listQuery(query url.Values) string {
	kept := url.Values{}
	for _, name := range []string{
		"of", "object", "person", "category", "side", "before", "after", "page", "q", "state", "from", "to", "sort",
		"limit", "cursor",
	} {
		if value := query.Get(name); value != "" {
			kept.Set(name, value)
		}
	}
	return kept.Encode()
}

// Frame returns the shell of a page of the side, with its menu; current is the address of the current menu item.
func (l *Site) Frame(r *http.Request, here access.Landing, current string) components.Shell {
	c, token := here.Member.Company, l.web.FormToken(r)
	s := l.web.Shell(r, c.Name, true)
	s.Company = c.Name
	s.Icon = web.OwnIcon(c.IconURL)
	s.Theme = c.Theme
	s.Platform = false
	if l.IsShop() {
		s.Theme = cmp.Or(c.ShopSkin, c.Theme)
	}
	first := current == l.path // a sign-in ends here: the first answer has the styles
	switch {
	case l.IsShop() && first:
		l.web.LandingStyle(r, &s)
		s.Style.Prefetch = append(s.Style.Prefetch, assets.RecordsURL)
	case l.IsShop():
		l.web.RecordsStyle(r, &s)
	case first:
		l.web.OverviewStyle(r, &s)
		s.Style.Prefetch = append(s.Style.Prefetch, assets.OfficeURL)
	default:
		l.web.OfficeStyle(r, &s)
	}
	s.Offline, s.Query = true, listQuery(r.URL.Query())
	s.Wide, s.Mirror = true, web.MirrorLanding(r, l.slot, here)
	s.Account = &components.AccountMenu{
		Who: cmp.Or(here.Member.Name, here.Member.Login), Token: token,
		Accounts: here.FromOrigin + "/accounts?all=1", Security: here.FromOrigin + web.SecurityPath,
		Profile: here.FromOrigin + web.ProfileAddress(here.Member.ID),
	}
	view := frameView{Menu: l.menu(r, here.Member), Office: !l.IsShop()}
	l.countWaiting(r, here, view.Menu)
	s.Native = l.wrapping(r, here, token)
	for i := range view.Menu {
		if item := &view.Menu[i]; item.Href == current {
			item.Current = "true"
			if current != l.path {
				s.Title = locale.T(r.Context(), "title.with", "what", item.Label, "company", c.Name)
			}
			if s.Native != nil && current != l.path {
				s.Native.Title = item.Label
			}
			if current == r.URL.Path {
				item.Current = "page"
			}
		}
	}
	view.markHolder(l.path + "/settings")
	if c.Sandbox {
		view.Try = &tryView{
			Side:     here.Member.Side,
			Until:    components.Day(locale.Of(r.Context()), c.EndsAt.Time()),
			Path:     l.path,
			Token:    token,
			MineHref: here.FromOrigin + "/register?sandbox=" + web.Decimal(c.ID),
		}
	}
	s.Menu, s.Renewed = landFrame(view), waitingCounts(view.Menu)
	s.Footnote = listsAsOf()
	return s
}

// markHolder marks the item of the settings on a page that phones show below them.
func (v *frameView) markHolder(settings string) {
	isBelow := slices.ContainsFunc(v.Menu, func(item menuItem) bool { return item.Aside && item.Current != "" })
	for i := range v.Menu {
		v.Menu[i].Holds = isBelow && v.Menu[i].Href == settings
	}
}

// menu returns the items of the shop's menu, or those of the back office that the account may see.
func (l *Site) menu(r *http.Request, m store.Member) []menuItem {
	ctx := r.Context()
	if l.IsShop() {
		return []menuItem{
			{Label: locale.T(ctx, "shop.catalogue"), Href: l.path, Icon: "shop"},
			{Label: locale.T(ctx, "cart.menu"), Href: l.path + "/cart", Icon: "cart"},
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
	if last := &items[len(items)-1]; last.Href == l.path+"/settings" {
		last.Short = locale.T(ctx, "office.more")
	}
	return items
}

// countWaiting adds to the menu how many orders and applications wait for the reader.
func (l *Site) countWaiting(r *http.Request, here access.Landing, menu []menuItem) {
	if l.IsShop() {
		l.countCart(r, here, menu)
		return
	}
	waiting, err := l.portal.Overview.Waiting(r.Context(), here)
	if err != nil { // the page is more important than the numbers
		l.log.LogAttrs(r.Context(), slog.LevelWarn, "waiting work not counted", slog.Any("error", err))
	}
	for i := range menu {
		switch menu[i].Href {
		case l.path + "/orders":
			menu[i].CountID = "waiting-orders"
			menu[i].countWaiting(r, "order.waiting", "order.waiting_more", waiting.Orders)
		case l.path + "/applications":
			menu[i].CountID = "waiting-applications"
			menu[i].countWaiting(r, "application.waiting", "application.waiting_more", waiting.Applications)
		}
	}
}

// countCart adds to the menu how many products are in the reader's cart.
func (l *Site) countCart(r *http.Request, here access.Landing, menu []menuItem) {
	n, err := l.portal.Shop.CountCart(r.Context(), here)
	if err != nil { // the page is more important than the number
		l.log.LogAttrs(r.Context(), slog.LevelWarn, "cart not counted", slog.Any("error", err))
	}
	for i := range menu {
		if menu[i].Href != l.path+"/cart" {
			continue
		}
		menu[i].CountID = "waiting-cart"
		if n > 0 {
			menu[i].Count = strconv.Itoa(n)
			menu[i].CountText = locale.T(r.Context(), "cart.count", "num", n)
		}
	}
}

// WaitingText returns a number of items that wait. Numbers above WaitingShown are shown as "99+".
func WaitingText(waiting int) string {
	if waiting > core.WaitingShown {
		return strconv.Itoa(core.WaitingShown) + "+"
	}
	return strconv.Itoa(waiting)
}

// countWaiting sets how many items wait on the page of a menu item, as shown and as read aloud by the text of a key, or
// by that of the key more if there are more than WaitingShown.
func (item *menuItem) countWaiting(r *http.Request, key, more string, waiting int) {
	if waiting == 0 {
		return
	}
	item.Count, item.CountText = WaitingText(waiting), locale.T(r.Context(), key, "num", waiting)
	if waiting > core.WaitingShown {
		item.CountText = locale.T(r.Context(), more, "num", core.WaitingShown)
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
	{access.RightProducts, "office.products", "/products", "shop", true},
	{access.RightPeople, "office.people", "/people", "people", true},
	{access.RightAudit, "settings.audit", "/audit", "clock", true},
	{access.RightSettings, "office.settings", "/settings", "settings", false},
}

// Hello returns the greeting. Staff of a company on trial also see how many days are left.
func (l *Site) Hello(r *http.Request, here access.Landing) HelloView {
	m := here.Member
	v := HelloView{Name: m.Name, Side: m.Side}
	if v.Name == "" {
		v.Name = m.Login
	}
	if here.DaysLeft > 0 && m.Side == store.Mgr && !m.Company.Sandbox { // customers cannot renew anything
		v.Trial = &trialView{Days: here.DaysLeft, Ending: here.DaysLeft <= access.TrialEnding}
		v.Trial.People = web.People(r, l.portal.Core.Access.Support(access.Place{Company: &m.Company}))
	}
	return v
}

// AccountWithOffers returns the block about the account, with a link to the offers that its person has.
func (l *Site) AccountWithOffers(r *http.Request, here access.Landing, heading string) (AccountView, error) {
	v := accountViewOf(r, here, heading)
	waiting, err := l.portal.Accounts.OffersWaiting(r.Context(), here)
	if waiting > 0 {
		v.Offers, v.OffersHref = locale.T(r.Context(), "offers.waiting", "num", waiting),
			here.FromOrigin+web.OffersPath
	}
	return v, err
}

// accountViewOf returns what a page shows of the account that the person has entered.
func accountViewOf(r *http.Request, here access.Landing, heading string) AccountView {
	ctx, m := r.Context(), here.Member
	phone := access.MaskPhone(m.Phone)
	if phone == "" {
		phone = locale.T(ctx, "land.no_phone")
	}
	v := AccountView{Heading: heading, SwitchHref: here.FromOrigin + "/accounts?all=1"}
	v.Profile = here.FromOrigin + web.ProfileAddress(m.ID)
	v.Facts = []forms.Fact{
		{Name: locale.T(ctx, "land.company"), Value: m.Company.Name},
		{Name: locale.T(ctx, "land.login"), Value: m.Login},
		{Name: locale.T(ctx, "land.role"), Value: locale.T(ctx, "type."+web.TypeName(m.Type))},
		{Name: locale.T(ctx, "land.phone"), Value: phone},
	}
	if m.ClientName != "" {
		v.Facts = append(v.Facts, forms.Fact{Name: locale.T(ctx, "land.client"), Value: m.ClientName})
	}
	return v
}

// CountText returns the text of a key for a count; beyond core.CountShown it is the text of the key more, and "" for
// 0.
func CountText(r *http.Request, n int, key, more string) string {
	lang := locale.Of(r.Context())
	switch {
	case n == 0:
		return ""
	case n > core.CountShown:
		return lang.T(more, "num", components.Count(core.CountShown))
	}
	return lang.T(key, "num", n)
}

// PersonPath returns the path of an account's page.
func (l *Site) PersonPath(m store.Member) string { return l.path + "/people/" + web.Decimal(m.ID) }

// SettingGroup is a part of the settings. Its heading is the locale key "settings.group_" + its value.
type SettingGroup string

// The groups, in the order in which they are shown.
const (
	ofShop   SettingGroup = "shop"
	ofPeople SettingGroup = "people"
	ofData   SettingGroup = "data"
)

// SettingGroups are all groups.
var SettingGroups = []SettingGroup{ofShop, ofPeople, ofData}

// HandOverGroup is the group in which an administrator finds the page that hands the role over.
const HandOverGroup = ofPeople

// SettingPages lists the pages of the settings, and the pages that phones show among them.
var SettingPages = []struct {
	Group                   SettingGroup
	Right                   access.Right
	Label, Body, Path, Icon string
}{
	{ofShop, access.RightSettings, "settings.registration", "settings.registration_body", "/settings/registration",
		"applications"},
	{ofShop, access.RightSettings, "settings.appearance", "settings.appearance_body", "/settings/appearance",
		"palette"},
	{ofShop, access.RightSettings, "settings.welcome", "settings.welcome_body", "/settings/welcome", "greeting"},
	{ofShop, access.RightSettings, "settings.bank", "settings.bank_body", "/settings/bank", "bank"},
	{ofShop, access.RightProducts, "office.products", "settings.products_body", "/products", "shop"},
	{ofPeople, access.RightPeople, "office.people", "settings.people_body", "/people", "people"},
	{ofPeople, access.RightSettings, "settings.employees", "settings.employees_body", "/settings/employees", "lock"},
	{ofPeople, access.RightManageCustomers, "settings.customer_types", "settings.customer_types_body",
		"/settings/customer-types", "tag"},
	{ofData, access.RightSettings, "office.clear_heading", "settings.initialisation_body", "/settings/initialisation",
		"refresh"},
	{ofData, access.RightAudit, "visits.heading", "visits.body", "/settings/visits", "chart"},
	{ofData, access.RightAudit, "settings.audit", "settings.audit_body", "/audit", "clock"},
}

// seesSettings reports whether an account may open any page of the settings.
func seesSettings(m store.Member) bool {
	for _, page := range SettingPages {
		if access.May(m, page.Right) {
			return true
		}
	}
	return false
}
