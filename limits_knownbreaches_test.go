package main

// knownBreaches are the limits that are not kept yet. Delete lines; never add one.
var knownBreaches = []string{
	"pages/pagestest.Browser: exported methods",
	"pages/pagestest.Site: exported methods",
	"portal/accounts.Accounts: exported methods",
	"portal/portaltest.Carer: exported methods",
	"portal/portaltest.Carer: methods",
	"portal/portaltest.Platform: exported methods",
	"portal/portaltest.Platform: methods",
	"portal/portaltest: lines",
	"store.DB: exported methods",
	"store.DB: methods",
	"store: lines",
}
