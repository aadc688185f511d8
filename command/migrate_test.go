package command

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"portico/e2e/testscope"
	"portico/store/schema"
	"portico/store/storetest"
)

// runCommand runs a command of the program and returns its output.
func runCommand(t *testing.T, database string, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := run(t.Context(), args, []string{"PORTICO_DATABASE=" + database}, &out)
	return out.String(), err
}

// execStatement runs a statement on the database, as an operator does with the tools of the database.
func execStatement(t *testing.T, address, statement string) {
	t.Helper()
	db, err := sql.Open("pgx", address)
	if err == nil {
		_, err = db.ExecContext(context.WithoutCancel(t.Context()), statement)
		err = errors.Join(err, db.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// tablesOf returns the number of tables of a database.
func tablesOf(t *testing.T, address string) (n int) {
	t.Helper()
	db, err := sql.Open("pgx", address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	query := "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = 'public'"
	if err := db.QueryRowContext(t.Context(), query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestMigrateDryRunPrintsPlanAndChangesNothing(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, args := range [][]string{{"migrate", "-n"}, {"migrate", "status"}} {
		out, err := runCommand(t, "sqlite:data/none.db", args...)
		if !strings.Contains(out, "foundation") || (err != nil) != (args[1] == "status") {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
		if entries, _ := os.ReadDir("."); len(entries) > 0 {
			t.Errorf("%v left %v behind", args, entries)
		}
	}
	if err := os.WriteFile("empty.db", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := runCommand(t, "sqlite:empty.db", "migrate", "-n")
	if err != nil || !strings.Contains(out, "\nCREATE TABLE companies (") {
		t.Errorf("an empty file: %v\n%s", err, out)
	}
	if info, err := os.Stat("empty.db"); err != nil || info.Size() != 0 {
		t.Errorf("the empty file: %v %v", info, err)
	}

	address := storetest.PostgresURL(t)
	plan, err := runCommand(t, address, "migrate", "-n")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{
		"-- 1.1 does not block\nCREATE TABLE companies (\n  id BIGINT GENERATED",
		"-- 2.1 locks the table for a moment\nALTER TABLE sessions ADD COLUMN client",
		"-- 12.17 locks the rows that it changes\nUPDATE companies SET confirmed_name",
		"-- version 13, flat_work: programs that know version 12 stay ready\n-- 13.1 ",
		" does not block\nCREATE INDEX CONCURRENTLY sessions_by_idle ON sessions (idle_until);\n",
		" does not block\nDROP INDEX CONCURRENTLY IF EXISTS audit_events_by_company;\n",
	} {
		if !strings.Contains(plan, part) {
			t.Errorf("the plan has no %q", part)
		}
	}
	if n := tablesOf(t, address); n != 0 {
		t.Errorf("%d tables were made", n)
	}
	// The plan is SQL that does what it says.
	for statement := range strings.SplitSeq(regexp.MustCompile(`(?m)^--.*$`).ReplaceAllString(plan, ""), ";\n") {
		execStatement(t, address, statement)
	}
	made := tablesOf(t, address)
	other := storetest.PostgresURL(t)
	if _, err := runCommand(t, other, "migrate"); err != nil {
		t.Fatal(err)
	}
	if n := tablesOf(t, other); made != n-3 { // migrate also makes three tables for itself
		t.Errorf("the plan makes %d tables, migrate %d", made, n)
	}
	if out, err := runCommand(t, other, "migrate", "-n"); err != nil || out != "-- there is nothing to do\n" {
		t.Errorf("afterwards: %v\n%s", err, out)
	}
}

func TestMigrateStatusListsPendingVersions(t *testing.T) {
	address := storetest.PostgresURL(t)
	status := func(wants error, parts ...string) {
		t.Helper()
		out, err := runCommand(t, address, "migrate", "status")
		if !errors.Is(err, wants) || err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want %v", err, wants)
		}
		for _, part := range parts {
			if !regexp.MustCompile(`(?m)^` + part + `$`).MatchString(out) {
				t.Errorf("no line %q in\n%s", part, out)
			}
		}
	}
	status(errPending, `VERSION +NAME +APPLIED +COMPATIBLE FROM`,
		`1 +foundation +pending +1`, `13 +flat_work +pending +12`)
	out, err := runCommand(t, address, "migrate")
	if err != nil || !regexp.MustCompile(`(?m)^13\.1  \S.*  [0-9.µm]+s$`).MatchString(out) ||
		!regexp.MustCompile(`(?m)^the database is at version \d+$`).MatchString(out) {
		t.Errorf("%v\n%s", err, out)
	}
	last := fmt.Sprint(len(migrationFiles(t)))
	done := strings.Count(out, "\n"+last+".") - 1 // of the statements of the newest version
	if out, err := runCommand(t, address, "migrate"); err != nil ||
		!strings.HasSuffix(out, "; there is nothing to do\n") {
		t.Errorf("again: %v\n%s", err, out)
	}
	const when = `20\d\d-\d\d-\d\d \d\d:\d\d:\d\d UTC`
	status(nil, `1 +foundation +`+when+` +1`, `13 +flat_work +`+when+` +12`)

	execStatement(t, address, "UPDATE schema_versions SET applied_at = 0 WHERE version = "+last)
	execStatement(t, address, fmt.Sprintf("DELETE FROM schema_steps WHERE step > %d AND version = %s", done, last))
	status(errPending, fmt.Sprintf(`%s +\w+ +begun, %d of %d statements +\d+`, last, done, done+1))
	plan, err := runCommand(t, address, "migrate", "-n")
	if err != nil || strings.Contains(plan, fmt.Sprintf("-- %s.%d ", last, done)) ||
		!strings.Contains(plan, fmt.Sprintf("-- %s.%d ", last, done+1)) {
		t.Errorf("%v\n%s", err, plan)
	}
	execStatement(t, address, "UPDATE schema_versions SET applied_at = 1, compatible_from = 0 WHERE version = "+last)
	status(nil, last+` +\w+ +1970-01-01 00:00:00 UTC +unknown`)

	newer := fmt.Sprint(len(migrationFiles(t)) + 1)
	execStatement(t, address, fmt.Sprintf(`INSERT INTO schema_versions (version, applied_at, compatible_from)
		VALUES (%s, 1, %s)`, newer, last))
	status(nil, newer+` +\(of a newer program\) +1970-01-01 00:00:00 UTC +`+last)
	out, err = runCommand(t, address, "migrate")
	want := "the database is at version " + newer + ", and this program, which knows version " + last + ", " +
		"can use it; there is nothing to do\n"
	if err != nil || out != want {
		t.Errorf("%v\n%s", err, out)
	}
	execStatement(t, address, fmt.Sprintf("UPDATE schema_versions SET compatible_from = %s WHERE version = %s", newer,
		newer))
	status(schema.ErrNewer)
	for _, args := range [][]string{{"migrate"}, {"migrate", "-n"}} {
		if out, err := runCommand(t, address, args...); !errors.Is(err, schema.ErrNewer) || out != "" {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
	}
}

func migrationFiles(t *testing.T) []string {
	t.Helper()
	names, err := filepath.Glob(testscope.File("store/schema/*.sql"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestMigrateRefusesUnknownArguments(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, args := range [][]string{
		{"migrate", "now"}, {"migrate", "status", "-n"}, {"migrate", "-n", "status"}, {"migrate", "status", "13"},
		{"migrate", "-x"}, {"backup", "-n", "copy.db"},
	} {
		if _, err := runCommand(t, "sqlite:p.db", args...); err == nil {
			t.Errorf("%v was accepted", args)
		}
		if entries, _ := os.ReadDir("."); len(entries) > 0 {
			t.Errorf("%v left %v behind", args, entries)
		}
	}
}
