package deploy

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"filippo.io/age"

	"portico/deploy/deploytest"
	"portico/e2e/testscope"
	"portico/store/storetest"
)

// documented finds the indented lines of docs/backup.md that are commands or settings.
var documented = regexp.MustCompile(`(?m)^ {4,}(portico .+|PORTICO_[A-Z_]+=.+)$`)

// TestCommandsOfTheBackupDocumentWork runs every command of docs/backup.md in its order, and sets every setting where
// the document sets it. Folders, keys and databases are those of the test.
func TestCommandsOfTheBackupDocumentWork(t *testing.T) {
	text, err := os.ReadFile(testscope.File("docs/backup.md"))
	if err != nil {
		t.Fatal(err)
	}
	lines := documented.FindAllSubmatch(text, -1)
	if len(lines) < 12 {
		t.Fatalf("only %d commands and settings were found", len(lines))
	}
	for name, empty := range map[string]func(t *testing.T) string{
		"sqlite":   func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "portico.db") },
		"postgres": func(t *testing.T) string { return storetest.PostgresURL(t) },
	} {
		t.Run(name, func(t *testing.T) {
			program := deploytest.Program(t)
			p := deploytest.NewPlatform(t, empty(t))
			deploytest.Run(t, p.Command(program, "migrate"))
			deploytest.Run(t, p.Command(program, "company", "create", "--name", "Sur", "--language", "es"))
			folder := filepath.Join(p.Folder, "backups")
			private, err := age.GenerateX25519Identity()
			if err == nil {
				err = os.Mkdir(folder, 0o700)
			}
			if err != nil {
				t.Fatal(err)
			}
			key := deploytest.WriteFile(t, p.Folder, "backup-key.txt", private.String()+"\n")
			commands := 0
			for _, match := range lines {
				line := strings.NewReplacer(
					"/var/backups/portico", folder, "backup-key.txt", key,
					"age1PUBLICKEY", private.Recipient().String(),
				).Replace(string(match[1]))
				if strings.HasPrefix(line, "PORTICO_") {
					setting, _, _ := strings.Cut(line, "#")
					p.Set(strings.TrimSpace(setting))
					continue
				}
				switch {
				case strings.Contains(line, "-replace") && name == "postgres":
					continue // the document says that Postgres is never replaced
				case strings.Contains(line, "-replace"):
				case strings.HasPrefix(line, "portico restore "):
					p.Set("PORTICO_DATABASE=" + empty(t)) // step 2 of the document
				}
				shell := p.Command("sh", "-euc", line)
				shell.Env = append(shell.Env, "PATH="+filepath.Dir(program)+":"+os.Getenv("PATH"))
				out := deploytest.Run(t, shell)
				t.Logf("%s\n%s", line, out)
				if strings.Contains(out, "warning") {
					t.Errorf("%s warns:\n%s", line, out)
				}
				commands++
			}
			if commands < 8 {
				t.Errorf("only %d commands were run", commands)
			}
			if list := deploytest.Run(t, p.Command(program, "company", "list")); !strings.Contains(list, "Sur") {
				t.Errorf("after the last command there is no company:\n%s", list)
			}
			scheduled, _ := filepath.Glob(filepath.Join(folder, "portico-*.backup"))
			if len(scheduled) != 1 {
				t.Fatalf("portico backup without a name has written %v", scheduled)
			}
			// PORTICO_BACKUP_AGE was set before that.
			data, err := os.ReadFile(scheduled[0])
			if err != nil || !strings.HasPrefix(string(data), "age-encryption.org/") {
				t.Errorf("the scheduled backup is not encrypted: %v", err)
			}
		})
	}
}
