package backup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fakeTool makes a folder with a program of Postgres that only tells its version.
func fakeTool(t *testing.T, name string, version int) (folder string) {
	t.Helper()
	folder = t.TempDir()
	script := fmt.Sprintf("#!/bin/sh\necho '%s (PostgreSQL) %d.4'\n", name, version)
	if err := os.WriteFile(filepath.Join(folder, name), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return folder
}

func TestMissingAndOldProgramsOfPostgresAreRefusedWithWhatToInstall(t *testing.T) {
	nowhere := t.TempDir()
	for _, name := range []string{"pg_dump", "pg_restore"} {
		for _, c := range []struct {
			path, folders string
			least         int
			want          string // "" for a program that is good
		}{
			{nowhere, nowhere, 16, name + " is missing; install postgresql-client-16 "},
			{nowhere, nowhere, 0, name + " is missing; install postgresql-client "},
			{fakeTool(t, name, 13), nowhere, 16,
				name + " has version 13, and version 16 is needed; install postgresql-client-16 "},
			{nowhere, fakeTool(t, name, 15), 16, name + " has version 15, and version 16 is needed"},
			{fakeTool(t, name, 13), fakeTool(t, name, 17), 16, ""},
			{fakeTool(t, name, 16), fakeTool(t, name, 15), 16, ""},
		} {
			t.Setenv("PATH", c.path)
			file, major, err := tools{c.folders}.newest(t.Context(), name, c.least)
			switch {
			case c.want == "" && (err != nil || major < c.least || filepath.Base(file) != name):
				t.Errorf("%s of version %d: %v", file, major, err)
			case c.want != "" && (!errors.Is(err, ErrTool) || !strings.Contains(err.Error(), c.want)):
				t.Errorf("%v, want %q", err, c.want)
			}
		}
	}
}
