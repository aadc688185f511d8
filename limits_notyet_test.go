package main

// notYet are the known breaches of the limits. Lines are deleted, never added.
var notYet = []string{
	"pages/pagestest.Browser: exported methods",
	"pages/pagestest.Site: exported methods",
	"store: lines",
}
