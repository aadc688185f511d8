package page

import (
	"fmt"
	"strings"
	"testing"

	"portico/e2e/browser"
	"portico/e2e/program"
	"portico/e2e/steps"
	"portico/e2e/testscope"
)

// widths are the widths of phones, tablets and windows at which nothing may be covered or cut. Make test has the three
// at which most has gone wrong.
var widths = []int{320, 1024, 1280, 360, 768, 1366, 1920}

// crowdedPage is a page of a crowded company. do is what a person does there before it is measured, nil for nothing.
type crowdedPage struct {
	path string
	do   func(b *browser.Tab)
}

// press returns a step that presses something that leads to no other page.
func press(selector string) func(b *browser.Tab) {
	return func(b *browser.Tab) { b.T.Helper(); b.Press(selector) }
}

// shopPages are the pages of the customer's side, below /home. They have the order's id for %d.
var shopPages = []crowdedPage{
	{"", nil}, {"/cart", nil}, {"/orders", nil}, {"/orders/%d", nil},
}

// officePages are the pages of the back office, below /mgr.
func officePages(c program.Crowded) []crowdedPage {
	return []crowdedPage{
		{"", nil},
		{"/orders", press(`tbody .pick input`)},
		{"/orders?state=new", nil},
		{fmt.Sprint("/orders/", c.OrderID), nil},
		{"/customers", nil},
		{fmt.Sprint("/customers/", c.ClientID), nil},
		{"/applications?state=pending", nil},
		{fmt.Sprint("/applications/", c.ApplicationID), steps.OpenRejection},
		{fmt.Sprint("/applications/", c.ApplicationID), func(b *browser.Tab) { b.Follow(steps.ApproveButton) }},
		{"/products", nil},
		{fmt.Sprint("/products/", c.ProductID), nil},
		{"/products/import", nil},
		{"/people", nil},
		{fmt.Sprint("/people/", c.PersonID), nil},
		{fmt.Sprint("/people/", c.PersonID, "/role"), nil},
		{"/people/new?side=shop", nil},
		{"/settings", nil},
		{"/settings/registration", nil},
		{"/settings/employees", nil},
		{"/settings/bank", nil},
		{"/settings/customer-types", nil},
		{"/settings/appearance", nil},
		{"/settings/visits", nil},
		{"/audit", nil},
	}
}

// accountPages are the pages of the account site for a signed-in person, and the forms for everybody.
var accountPages = []crowdedPage{
	{"/login", nil}, {"/login/code", nil}, {"/login/account", nil}, {"/register", nil}, {"/experience", nil},
	{"/company?all=1", nil}, {"/accounts?all=1", nil}, {"/accounts?all=1&manage=1", nil}, {"/security", nil},
	{"/profile", nil}, {"/password", nil}, {"/phone", nil}, {"/forget/phone", nil},
}

// On pages with long names and large amounts, at each width and in each language: no text lies under a control or
// under other text, none is cut off without an ellipsis of its own, no number has an ellipsis, no button is broken over
// lines, and nothing that has the focus lies under a bar. Each page is loaded once for each language.
func TestNoNumberIsCoveredOrCut(t *testing.T) {
	t.Parallel()
	browser.NeedBrowser(t)
	languages, widths := program.Languages, widths
	if !testscope.All() {
		languages, widths = []string{"es"}, widths[:3]
	}
	for _, lang := range languages {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			b := browser.NewTab(t, browser.Normal, browser.Desktop)
			b.Lang, b.Company = lang, program.Company{}
			c := b.Server.AddCrowdedCompany(t, lang)
			b.ClearCookies()
			b.SetLanguage(c.Host())
			steps.SignIn(b, c.Company.Phone)
			walkCrowded(b, widths, c.Host(), "/mgr", officePages(c))
			walkCrowded(b, widths, "account", "", accountPages)
			b.ClearCookies()
			b.SetLanguage(c.Host())
			steps.SignIn(b, c.Buyer)
			for i := range shopPages {
				page := shopPages[i]
				page.path = strings.Replace(page.path, "%d", fmt.Sprint(c.OrderID), 1)
				walkCrowded(b, widths, c.Host(), "/home", []crowdedPage{page})
			}
		})
	}
}

// walkCrowded opens pages below a path of a host and measures each at some widths.
func walkCrowded(b *browser.Tab, widths []int, host, root string, pages []crowdedPage) {
	b.T.Helper()
	for _, page := range pages {
		b.SetScreen(browser.Desktop)
		b.Visit(host, root+page.path)
		b.WantStatus(200)
		if page.do != nil {
			page.do(b)
		}
		for _, width := range widths {
			b.SetScreen(browser.Wide(width))
			for _, fault := range browser.Eval[[]string](b, coveredOrCut) {
				b.T.Errorf("%s%s at %d px: %s", root, page.path, width, fault)
			}
		}
	}
}
