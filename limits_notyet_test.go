package main

// notYet are the known breaches of the limits. Lines are deleted, never added.
var notYet = []string{
	"islands/application/upload.test.tsx: columns",
	"pages/pagestest.Browser: exported methods",
	"pages/pagestest.Site: exported methods",
	"pages/routes_test.go: absent documents",
	"pages/web.Web: exported methods",
	"portal/access/state_test.go: absent documents",
	"portal/accounts.Accounts: exported methods",
	"portal/backoffice/foreign_test.go: absent documents",
	"portal/portaltest.Carer: exported methods",
	"portal/portaltest.Carer: methods",
	"portal/portaltest.Platform: exported methods",
	"portal/portaltest.Platform: methods",
	"portal/portaltest: lines",
	"store.DB: exported methods",
	"store.DB: methods",
	"store: lines",
}
