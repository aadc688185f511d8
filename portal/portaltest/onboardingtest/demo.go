package onboardingtest

import (
	"portico/portal/access"
	"portico/portal/signin"
)

// DemoCase is a demo phone or account name, and the result of signing in with it.
type DemoCase struct {
	Who      string
	Company  int64 // of the first step, or of the refusal
	Kind     signin.StepKind
	Account  string
	Refusal  access.Refusal
	Contacts []string // phone numbers, best first
}

// DemoCases are the demo phones, and then the demo account names.
var DemoCases = []DemoCase{
	{Who: "13800000001", Kind: signin.StepEnter, Company: 1001, Account: "buyer1"},
	{Who: "13800000002", Kind: signin.StepEnter, Company: 1001, Account: "jinsui"},
	{Who: "13800000003", Kind: signin.StepCompany},
	{Who: "13800000004", Refusal: access.UnderReview, Company: 1001, Contacts: []string{
		"13700000001", "13700000099", "13700000500",
	}},
	{Who: "13800000005", Refusal: access.AccountDisabled, Company: 1001, Contacts: []string{
		"13700000001", "13700000099", "13700000500",
	}},
	{Who: "13800000006", Refusal: access.PartnerEnded, Company: 1001, Contacts: []string{
		"13700000001", "13700000099", "13700000500",
	}},
	{Who: "13800000007", Refusal: access.CompanyDisabled, Company: 1004, Contacts: []string{
		"13700000099", "13700000500", "13700000001",
	}},
	{Who: "13800000008", Refusal: access.TrialEnded, Company: 1005, Contacts: []string{
		"13700000099", "13700000500", "13700000001",
	}},
	{Who: "13800000009", Refusal: access.CompanyExpired, Company: 1006, Contacts: []string{
		"13700000099", "13700000500", "13700000001",
	}},
	{Who: "13800000010", Refusal: access.MallNotOpen, Company: 1007, Contacts: []string{
		"13700000001", "13700000099", "13700000500",
	}},
	{Who: "13800000011", Refusal: access.PhoneNotBound, Contacts: []string{"13700000500"}},
	{Who: "13800000012", Kind: signin.StepCompany},
	{Who: "nophone", Kind: signin.StepBind, Company: 1001, Account: "nophone"},
	{Who: "northwind", Kind: signin.StepBind, Company: 1003, Account: "northwind"},
	{Who: "buyer1", Kind: signin.StepEnter, Company: 1001, Account: "buyer1"},
	{Who: "jinsui", Kind: signin.StepEnter, Company: 1001, Account: "jinsui"},
	{Who: "li.manager", Kind: signin.StepEnter, Company: 1001, Account: "li.manager"},
	{Who: "sur", Kind: signin.StepEnter, Company: 1002, Account: "sur"},
	{Who: "li.shop", Kind: signin.StepEnter, Company: 1001, Account: "li.shop"},
	{Who: "li.lights", Kind: signin.StepEnter, Company: 1003, Account: "li.lights"},
	{Who: "trial", Kind: signin.StepEnter, Company: 1008, Account: "trial"},
}
