package store

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// acrossCompanies are the functions that read or change rows of companies without naming one, and why they may.
// Every other statement on such a table names its company.
var acrossCompanies = map[string]string{
	"Acceptances":              "of one person, by whichever account",
	"MembersByPhone":           "one phone, every company: the platform's purpose",
	"MembersByLogin":           "names are unique on their side of the platform",
	"OffersTo":                 "one phone's offers, of every company",
	"CountOffersTo":            "the same",
	"OfferByID":                "an offer to the person of a session",
	"moveOffers":               "the number goes to somebody else, with what is offered to it",
	"GiveUpNumber":             "the same",
	"MoveOffers":               "the same",
	"MemberOfAccount":          "a session was proven for this account",
	"AuthCodeWithMember":       "the code names its account and company",
	"StandingOfAccount":        "a token was given for this account, or a caller names it without learning anything",
	"FreePhone":                "the number goes to somebody else, whatever it was bound to",
	"EndRegistrations":         "of one person, in every company",
	"CompaniesOfApp":           "tells whose an application is",
	"AllCredentials":           "the operator reseals every company's",
	"AllIdentityApplicants":    "the same",
	"CompanyByHost":            "finds the company of a host",
	"HostOwner":                "tells whose a host is, before it is given to another",
	"HostByName":               "the same",
	"HostsToCheck":             "the proofs of all companies' domains are looked up",
	"ApplicationsAnywhere":     "of one phone, which its holder has proven",
	"ApplicationByID":          "ids are random; what is shown depends on a ticket of its company",
	"Sandboxes":                "of one person, who may try several trades",
	"AdoptSandbox":             "names the company by its own id",
	"EndedSandboxes":           "the janitor removes what has ended",
	"ForgetIdentityApplicants": "the janitor forgets by age",
	"ForgetDrafts":             "the janitor forgets by age",
	"ForgetViews":              "the same",
	"UploadByID":               "ids are random; a token or a ticket names the company",
	"FinishUpload":             "ids are random; the token that allowed it named the company",
	"EndedUploads":             "the janitor removes what nothing refers to",
	"EndUpload":                "the same",
	"DropUpload":               "the same",
	"SentUploads":              "the same",
	"PortraitByID":             "ids are random; everybody who has the URL may see the portrait",
	"EndedPortraits":           "the janitor removes what nothing refers to",
	"CloseUpload":              "the same",
	"StyleByName":              "a published style sheet is public; its name is the hash of its content",
	"DueApplicationWatchers":   "the messages of all companies that are due are sent",
	"ForgetLookDrafts":         "the janitor forgets by age",
}

// ofCompanies finds the tables whose rows belong to a company.
var ofCompanies = regexp.MustCompile(`\b(?:FROM|UPDATE|JOIN)\s+(` +
	`clients|accounts|categories|products|orders|applications|application_drafts|uploads|portraits|` +
	`customer_types|domain_claims|company_hosts|sandboxes|company_credentials|company_bank_accounts|` +
	`identity_applicants|page_views|company_styles|company_looks|look_drafts|account_acceptances|` +
	`application_watchers` + `)\b`)

func TestEveryStatementOnRowsOfCompaniesNamesItsCompany(t *testing.T) {
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, file := range files {
		if !strings.HasSuffix(file.Name(), ".go") || strings.HasSuffix(file.Name(), "_test.go") {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), file.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, declared := range tree.Decls {
			function, ok := declared.(*ast.FuncDecl)
			if !ok {
				continue
			}
			for _, sql := range statements(function) {
				m := ofCompanies.FindStringSubmatch(sql)
				if m == nil || strings.Contains(sql, "company_id = ?") || m[1] == "sandboxes" &&
					strings.Contains(sql, "company_id IN") {
					continue
				}
				if acrossCompanies[function.Name.Name] == "" {
					t.Errorf("%s in %s names no company: %s", function.Name.Name, file.Name(), sql)
				}
				used[function.Name.Name] = true
			}
		}
	}
	for name := range maps.Keys(acrossCompanies) {
		if !used[name] {
			t.Errorf("%s needs no reason any more", name)
		}
	}
}

// statements returns the SQL texts that a function runs, each with its parts joined.
func statements(function *ast.FuncDecl) (all []string) {
	ast.Inspect(function, func(n ast.Node) bool {
		e, ok := n.(ast.Expr)
		if !ok {
			return true
		}
		text := joined(e)
		if words := strings.Fields(text); len(words) > 1 && slices.Contains([]string{"SELECT", "UPDATE", "DELETE",
			"WITH"}, words[0]) {
			all = append(all, text)
			return false
		}
		return true
	})
	return all
}

// joined returns a string expression with its literals joined. It leaves out the parts that are names.
func joined(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, _ := strconv.Unquote(e.Value)
		return text
	case *ast.BinaryExpr:
		return joined(e.X) + " " + joined(e.Y)
	case *ast.Ident:
		if e.Name == "memberTables" {
			return "FROM accounts a"
		}
	}
	return ""
}
