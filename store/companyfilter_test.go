package store

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// acrossCompanies are the functions that read or change rows of companies without naming one, and why they may.
// Every other statement on such a table names its company.
var acrossCompanies = map[string]string{
	"AcceptanceTable.OfPerson":       "of one person, by whichever account",
	"AccountTable.Add":               "names are unique on their side of the platform",
	"AccountTable.ByPerson":          "one phone, every company: the platform's purpose",
	"AccountTable.CompaniesOfPhone":  "where a failed sign-in counts",
	"AccountTable.ByLogin":           "names are unique on their side of the platform",
	"OfferTable.ToPerson":            "one phone's offers, of every company",
	"OfferTable.CountToPerson":       "the same",
	"OfferTable.ByID":                "an offer to the person of a session",
	"OfferTable.move":                "the number moves to another person, with the accounts offered to it",
	"PersonTable.GiveUpNumber":       "the same",
	"PersonTable.MoveOffers":         "the same",
	"AccountTable.OfAnyCompany":      "a session was proven for this account",
	"AuthCodeTable.WithMember":       "the code names its account and company",
	"AccountTable.EntryState":        "a token names the account, or a caller learns nothing from it",
	"PersonTable.Free":               "the number moves to another person, whatever it was bound to",
	"RegistrationTable.EndOfPerson":  "of one person, in every company",
	"CredentialTable.CompaniesOfApp": "tells whose an application is",
	"CredentialTable.After":          "the operator reseals every company's",
	"IdentityTable.Applicants":       "the same",
	"HostTable.Company":              "finds the company of a host",
	"HostTable.Owner":                "tells whose a host is, before it is given to another",
	"HostTable.ByName":               "the same",
	"HostTable.ToCheck":              "the proofs of all companies' domains are looked up",
	"ApplicationTable.ToAnyCompany":  "of one phone, which its holder has proven",
	"ApplicationTable.ByID":          "ids are random; what is shown depends on a ticket of its company",
	"SandboxTable.OfPerson":          "of one person, who may try several trades",
	"SandboxTable.Adopt":             "names the company by its own id",
	"SandboxTable.Ended":             "the janitor removes what has ended",
	"IdentityTable.ForgetApplicants": "the janitor forgets by age",
	"DraftTable.Forget":              "the janitor forgets by age",
	"ViewTable.Forget":               "the same",
	"UploadTable.ByID":               "ids are random; a token or a ticket names the company",
	"UploadTable.Finish":             "ids are random; the token that allowed it named the company",
	"UploadTable.Ended":              "the janitor removes what nothing refers to",
	"UploadTable.End":                "the same",
	"UploadTable.Drop":               "the same",
	"UploadTable.Sent":               "the same",
	"PortraitTable.ByID":             "ids are random; everybody who has the URL may see the portrait",
	"PortraitTable.Ended":            "the janitor removes what nothing refers to",
	"UploadTable.Close":              "the same",
	"LookTable.StyleByName":          "a published style sheet is public; its name is the hash of its content",
	"WatcherTable.Due":               "the messages of all companies that are due are sent",
	"LookTable.ForgetDrafts":         "the janitor forgets by age",
	"CartTable.Forget":               "the same",
}

// ofCompanies finds the tables whose rows belong to a company.
var ofCompanies = regexp.MustCompile(`\b(?:FROM|UPDATE|JOIN)\s+(` +
	`clients|accounts|categories|products|orders|applications|application_drafts|uploads|portraits|` +
	`customer_types|domain_claims|company_hosts|sandboxes|company_credentials|company_bank_accounts|` +
	`identity_applicants|page_views|company_styles|company_looks|look_drafts|account_acceptances|` +
	`application_watchers|carts|cart_lines|saved_filters` + `)\b`)

func TestEveryStatementOnRowsOfCompaniesNamesItsCompany(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, file := range append(files, "lists/saved.go") {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
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
				name := methodName(function)
				if acrossCompanies[name] == "" {
					t.Errorf("%s in %s names no company: %s", name, file, sql)
				}
				used[name] = true
			}
		}
	}
	for name := range maps.Keys(acrossCompanies) {
		if !used[name] {
			t.Errorf("%s needs no reason any more", name)
		}
	}
}

// methodName returns Type.Method of a method, and the name of a function.
func methodName(function *ast.FuncDecl) string {
	if function.Recv != nil {
		if receiver, ok := function.Recv.List[0].Type.(*ast.Ident); ok {
			return receiver.Name + "." + function.Name.Name
		}
	}
	return function.Name.Name
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
