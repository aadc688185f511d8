package store

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"portico/store/schema"
)

// forgetStatements are the statements of the functions whose name begins with Forget, by function.
func forgetStatements(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	statements := map[string]string{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		tree, err := parser.ParseFile(token.NewFileSet(), name, text, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, declared := range tree.Decls {
			f, ok := declared.(*ast.FuncDecl)
			if !ok || !strings.HasPrefix(f.Name.Name, "Forget") {
				continue
			}
			statements[methodName(f)] = ""
			ast.Inspect(f.Body, func(n ast.Node) bool {
				if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
					text, _ := strconv.Unquote(literal.Value)
					statements[methodName(f)] += text
				}
				return true
			})
		}
	}
	return statements
}

// oldestFirst are the sweeps that read the first SweepStep rows of a table in the order of its ids, and no others.
var oldestFirst = map[string]bool{"AuditTable.Forget": true}

// Each sweep is one statement with a limit that finds its rows by an index: no plan reads a whole table.
func TestEverySweepFindsItsRowsByAnIndex(t *testing.T) {
	db, err := Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "portico.db"))
	if err == nil {
		err = db.Migrate(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	statements := forgetStatements(t)
	if len(statements) < 20 {
		t.Errorf("only %d sweeps", len(statements))
	}
	for name, statement := range statements {
		if strings.Count(statement, "DELETE") != 1 || !strings.Contains(statement, "LIMIT ?") {
			t.Errorf("%s is not one statement with a limit: %s", name, statement)
			continue
		}
		args := make([]any, strings.Count(statement, "?"))
		for i := range args {
			args[i] = 1
		}
		rows, err := db.read.QueryxContext(t.Context(), "EXPLAIN QUERY PLAN "+statement, args...)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for rows.Next() {
			step := map[string]any{}
			if err := rows.MapScan(step); err != nil {
				t.Fatal(err)
			}
			if plan, _ := step["detail"].(string); strings.HasPrefix(plan, "SCAN") && !oldestFirst[name] {
				t.Errorf("%s: %s", name, plan)
			}
		}
		_ = rows.Close()
	}
}

// unswept are the tables without a sweep, with what removes their rows or why they stay.
var unswept = map[string]string{
	"companies":     "a company stays until the operator or the sweep of sandboxes removes it",
	"last_ids":      "one row for each kind",
	"company_hosts": "of a company", "clients": "of a company", "accounts": "of a company",
	"categories": "of a company", "products": "of a company", "orders": "of a company",
	"order_lines": "of an order", "applications": "of a company",
	"company_credentials": "of a company", "company_bank_accounts": "of a company", "company_styles": "of a company",
	"company_looks": "of a company", "domain_claims": "of a company, a few each", "sandboxes": "of a company",
	"phones": "a person", "identities": "of a person or an account", "acceptances": "what a person agreed to is kept",
	"account_acceptances": "what a person agreed to is kept", "session_hidden": "of a session",
	"push_ids": "of a session",
	"uploads":  "removed with the file, see UploadTable.Ended", "leases": "one row for each name",
	"heartbeats":           "one row",
	"hash_keys":            "one row for each master key",
	"application_watchers": "of an account", "saved_filters": "of an account",
	"portraits":      "removed with the file, see PortraitTable.Ended",
	"customer_types": "of a company, a few each",
	"cart_lines":     "of a cart",
}

func TestEveryTableHasASweepOrAReasonForNone(t *testing.T) {
	swept := ""
	for _, statement := range forgetStatements(t) {
		swept += statement + " \n"
	}
	for _, table := range schema.Tables {
		ends := strings.Contains(swept, "DELETE FROM "+table+" ") || strings.Contains(swept, "DELETE FROM "+table+"\n")
		if ends == (unswept[table] != "") {
			t.Errorf("%s: swept %v, otherwise %q", table, ends, unswept[table])
		}
	}
}
