package steps

import (
	"portico/e2e/browser"
	"portico/e2e/program"
)

// OfficePage opens a page of a company's back office.
func OfficePage(b *browser.Tab, h program.Company, path string) {
	b.T.Helper()
	host, root := SideOf(b, "mgr", h.ID)
	b.Visit(host, root+path)
}
