package main

import (
	"errors"
	"io"
	"strings"
	"testing"

	"portico/backup"
)

func TestBackupCommandsRestoreCompaniesElsewhere(t *testing.T) {
	t.Chdir(t.TempDir())
	say := func(database string, args ...string) (string, error) {
		var out strings.Builder
		err := run(t.Context(), args, []string{"PORTICO_DATABASE=sqlite:" + database}, &out)
		return out.String(), err
	}
	must := func(out string, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	must(say("a/p.db", "migrate"))
	must(say("a/p.db", "demo"))
	must(say("a/p.db", "backup", "copy"))
	if out := must(say("a/p.db", "verify", "copy")); !strings.Contains(out, "is whole") ||
		strings.Contains(out, "warning") {
		t.Error(out)
	}
	// Another folder has another master key.
	if out := must(say("b/p.db", "restore", "copy")); !strings.Contains(out, "warning: PORTICO_SECRET") {
		t.Error(out)
	}
	before, after := must(say("a/p.db", "company", "list")), must(say("b/p.db", "company", "list"))
	if before != after || !strings.Contains(after, "1001") {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
	if _, err := say("b/p.db", "restore", "copy"); !errors.Is(err, backup.ErrNotEmpty) {
		t.Errorf("a second restore: %v", err)
	}
	if out := must(say("b/p.db", "restore", "-replace", "copy")); !strings.Contains(out, ".before-") {
		t.Error(out)
	}
	for _, wrong := range [][]string{{"backup"}, {"verify"}, {"restore"}, {"restore", "a", "b"}} {
		err := run(t.Context(), wrong, []string{"PORTICO_DATABASE=sqlite:a/p.db"}, io.Discard)
		if exitStatus(err) != 2 {
			t.Errorf("%v: exit status %d, %v", wrong, exitStatus(err), err)
		}
	}
}
