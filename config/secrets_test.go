package config

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"portico/config/configtest"
)

var (
	// keyLike is a word that could be a key: at least 32 letters, digits and the signs of base64.
	keyLike = regexp.MustCompile(`(?:^|[^A-Za-z0-9+/=_.:%-])([A-Za-z0-9+/=_-]{32,})`)
	// quoted is a text in quotation marks that is long enough for a secret.
	quoted = regexp.MustCompile(`"([^"\\\n]{32,})"`)
	// besideSecret marks the lines whose quoted texts count.
	besideSecret = regexp.MustCompile(`(?i)secret|master key`)
)

// valuesInTheRepository are the literals that could be taken for a secret, in the files of the repository. The lists of
// checksums of dependencies are left out.
func valuesInTheRepository(t *testing.T) []string {
	t.Helper()
	found := map[string]bool{}
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() {
			if slices.Contains([]string{".git", "node_modules", "dist", "bin", "data"}, name) {
				return fs.SkipDir
			}
			return nil
		}
		if name == "go.sum" || name == "package-lock.json" || name == "knownsecrets.txt" {
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil || !utf8.Valid(content) {
			return err
		}
		for line := range strings.SplitSeq(string(content), "\n") {
			for _, match := range keyLike.FindAllStringSubmatch(line, -1) {
				found[match[1]] = true
			}
			if besideSecret.MatchString(line) {
				for _, match := range quoted.FindAllStringSubmatch(line, -1) {
					found[match[1]] = true
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var values []string
	for value := range found {
		values = append(values, value)
	}
	slices.Sort(values)
	return values
}

func TestProductionRefusesSecretsThatAreInTheRepository(t *testing.T) {
	values := valuesInTheRepository(t)
	if len(values) < 100 {
		t.Fatalf("found %d values only", len(values))
	}
	if os.Getenv("PORTICO_WRITE_DOCS") != "" {
		knownSecrets = "" // the list is written anew
	}
	live := Config{Production: true}
	var missing []string
	for _, value := range values {
		if live.checkSecret(value) == nil {
			sum := sha256.Sum256([]byte(value))
			missing = append(missing, hex.EncodeToString(sum[:]))
			if os.Getenv("PORTICO_WRITE_DOCS") == "" {
				t.Errorf(
					"production accepts %q; run PORTICO_WRITE_DOCS=1 go test ./config -run "+
						"SecretsThatAreInTheRepository",
					value,
				)
			}
		}
	}
	if os.Getenv("PORTICO_WRITE_DOCS") != "" {
		slices.Sort(missing)
		if err := os.WriteFile("knownsecrets.txt", []byte(strings.Join(missing, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestProductionRefusesGuessableSecrets(t *testing.T) {
	for _, value := range []string{
		"changemechangemechangemechangeme", "CHANGE_ME_to_32_random_bytes_please_1",
		"your-secret-here-at-least-32-bytes-long",
		"0123456789abcdef0123456789abcdef", "a1b2c3d4e5f6g7h8a1b2c3d4e5f6g7h8", "11111111111111112222222222222222",
		"correcthorsebatterystaplecorrecthorse", "portico-dev-sign-secretportico-dev-sign-secret",
		"9f9f9f8e8e8e7d7d7d6c6c6c5b5b5b4a",
	} {
		for _, name := range []string{"PORTICO_SECRET", "PORTICO_SIGN_SECRET", "PORTICO_SMS_WEBHOOK_SECRET"} {
			_, err := Read(configtest.Production(name + "=" + value))
			if err == nil || !strings.HasPrefix(err.Error(), name+"=") || strings.Contains(err.Error(), value) {
				t.Errorf("%s=%s: %v", name, value, err)
			}
		}
	}
	// The values are written in parts, because production refuses every whole one that is in the repository.
	for value, accepted := range map[string]bool{
		"9f8e7d6c5b4a" + "a4b5c6d7e8f9" + "99ff88ee": true, // twelve different characters
		"9f8e7d6c5b44" + "44b5c6d7e8f9" + "99ff88ee": false,
	} {
		if _, err := Read(configtest.Production("PORTICO_SECRET=" + value)); (err == nil) != accepted {
			t.Errorf("%s: %v", value, err)
		}
	}
	path := filepath.Join(t.TempDir(), "a-file-with-a-long-name-7f3k9")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(configtest.Production("PORTICO_SECRET=" + path)); err == nil {
		t.Error("the path of a file is accepted as the master key")
	}
}

func TestProductionAcceptsSecretsMadeAsItsMessageSays(t *testing.T) {
	for range 200 { // openssl rand -base64 32, or -hex 32
		if _, err := Read(configtest.Production("PORTICO_SECRET=" + configtest.RandomSecret())); err != nil {
			t.Fatal(err)
		}
	}
}

func TestProductionRefusesOneValueForTwoSecrets(t *testing.T) {
	first, second := configtest.RandomSecret(), configtest.RandomSecret()
	for name, environ := range map[string][]string{
		"both": {"PORTICO_SECRET=" + first, "PORTICO_SIGN_SECRET=" + first},
		"in second place": {
			"PORTICO_SECRET=" + second + "," + first, "PORTICO_SIGN_SECRET=" + configtest.RandomSecret() + "," + first,
		},
		"one contains the other":  {"PORTICO_SECRET=" + first, "PORTICO_SIGN_SECRET=" + first + second},
		"the webhook's":           {"PORTICO_SIGN_SECRET=" + first, "PORTICO_SMS_WEBHOOK_SECRET=" + first},
		"twice in the same list":  {"PORTICO_SECRET=" + first + "," + first},
		"contained the other way": {"PORTICO_SECRET=" + first + second, "PORTICO_SIGN_SECRET=" + second},
	} {
		_, err := Read(configtest.Production(environ...))
		if err == nil || strings.Contains(err.Error(), first) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestFirstMasterKeySealsAndAllOpen(t *testing.T) {
	first, second := configtest.RandomSecret(), configtest.RandomSecret()
	c, err := Read(configtest.Production("PORTICO_SECRET=" + first + "," + second))
	if err != nil || len(c.Secrets.keys) != 2 || string(c.Secrets.keys[0]) != first ||
		string(c.Secrets.keys[1]) != second {
		t.Errorf("%q %v", c.Secrets.keys, err)
	}
	if _, err := Read(configtest.Production("PORTICO_SECRET=" + first + ",short")); err == nil {
		t.Error("a short second key is accepted")
	}
}

func TestSecretSettingCanBeReadFromAFile(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	first := configtest.RandomSecret()
	for _, content := range []string{first, first + "\n", first + "\r\n"} {
		c, err := Read(configtest.Production("PORTICO_SECRET=", "PORTICO_SECRET_FILE="+write("key", content)))
		if err != nil || len(c.Secrets.keys) != 1 || string(c.Secrets.keys[0]) != first {
			t.Errorf("%q: %q %v", content, c.Secrets.keys, err)
		}
	}
	for name, environ := range map[string][]string{
		"both":      {"PORTICO_SECRET_FILE=" + write("key", first)},
		"missing":   {"PORTICO_SECRET=", "PORTICO_SECRET_FILE=" + filepath.Join(dir, "none")},
		"empty":     {"PORTICO_SECRET=", "PORTICO_SECRET_FILE=" + write("empty", "")},
		"directory": {"PORTICO_SECRET=", "PORTICO_SECRET_FILE=" + dir},
	} {
		_, err := Read(configtest.Production(environ...))
		if err == nil || !strings.HasPrefix(err.Error(), "PORTICO_SECRET_FILE=") ||
			strings.Contains(err.Error(), first) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for length, accepted := range map[int]bool{64 << 10: true, 64<<10 + 1: false} {
		c, err := Read([]string{"PORTICO_SIGN_SECRET_FILE=" + write("long", strings.Repeat("x", length))})
		if (err == nil) != accepted || err == nil && len(c.Secrets.Sign[0]) != length {
			t.Errorf("a file of %d bytes: %v", length, err)
		}
	}
	c, err := Read([]string{"PORTICO_DATABASE_FILE=" + write("dsn", "postgres://u:p@db/portico")})
	if err != nil || c.Database.Address != "postgres://u:p@db/portico" {
		t.Errorf("the database: %q %v", c.Database.Address, err)
	}
	if _, err := Read([]string{"PORTICO_PRIVACY_FILE=" + write("privacy", "strict")}); err == nil {
		t.Error("a setting that is no secret was read from a file")
	}
}
