package command

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/crypto/argon2"

	"portico/config"
	"portico/config/configtest"
	"portico/e2e/testscope"
	"portico/portal/core"
	"portico/store"
	"portico/store/schema"
)

func TestMemoryLimitFitsCoresAndContainer(t *testing.T) {
	for _, c := range []struct {
		cores     int
		container uint64
		want      int64
	}{
		{1, 0, 78 << 20}, {2, 0, 112 << 20}, {16, 0, 588 << 20}, {16, 1 << 40, 588 << 20},
		{2, 100 << 20, (100 << 20) / 10 * 9},
	} {
		if got := memoryLimit(c.cores, c.container); got != c.want {
			t.Errorf("%d cores in %d bytes: %d, not %d", c.cores, c.container, got, c.want)
		}
	}
}

// On a machine with 16 cores the collector runs at most once for every ten hashes.
func TestGarbageCollectorRunsRarelyDuringPasswordHashes(t *testing.T) {
	testscope.OnlyInAll(t, "it measures for seconds")
	const cores, hashes = 16, 160
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
	defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(memoryLimit(cores, 0)))
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var group sync.WaitGroup
	for range cores {
		group.Go(func() {
			for range hashes / cores {
				argon2.IDKey([]byte("password"), []byte("saltsalt"), 1, core.DefaultHashCost.Memory, 1, 32)
			}
		})
	}
	group.Wait()
	runtime.ReadMemStats(&after)
	if runs := after.NumGC - before.NumGC; runs > hashes/10 {
		t.Errorf("%d collections for %d hashes", runs, hashes)
	}
}

func TestEveryCommandPrintsHelpWithoutDatabase(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range commands() {
		var out bytes.Buffer
		if err := run(t.Context(), []string{c.name, "-h"}, nil, &out); err != nil ||
			!strings.Contains(out.String(), "portico "+c.name) {
			t.Errorf("%s -h: %v\n%s", c.name, err, out.String())
		}
	}
	if entries, _ := os.ReadDir("."); len(entries) > 0 {
		t.Errorf("asking for help left %v behind", entries)
	}
}

func TestServeHelpNamesEverySetting(t *testing.T) {
	var out bytes.Buffer
	for _, action := range []string{"list", "show", "set"} {
		out.Reset()
		err := run(t.Context(), []string{"company", action, "-h"}, nil, &out)
		if err != nil || !strings.HasPrefix(out.String(), "usage: portico company") {
			t.Errorf("company %s -h: %v %s", action, err, &out)
		}
	}
	if err := run(t.Context(), []string{"serve", "-h"}, nil, &out); err != nil {
		t.Fatal(err)
	}
	for _, s := range config.Settings() {
		if !strings.Contains(out.String(), s.Name) {
			t.Errorf("%s is not explained", s.Name)
		}
	}
}

func TestUnknownCommandIsRefused(t *testing.T) {
	var out bytes.Buffer
	if err := run(t.Context(), []string{"dance"}, nil, &out); err == nil || !strings.Contains(out.String(), "serve") {
		t.Errorf("%v: %s", err, out.String())
	}
}

func TestCompanyCommandChangesACompany(t *testing.T) {
	t.Chdir(t.TempDir())
	say := func(args ...string) (string, error) {
		var out bytes.Buffer
		err := run(t.Context(), args, []string{"PORTICO_DATABASE=sqlite:p.db"}, &out)
		return out.String(), err
	}
	if _, err := say("migrate"); err != nil {
		t.Fatal(err)
	}
	if _, err := say("demo"); err != nil {
		t.Fatal(err)
	}
	if out, err := say("demo"); err != nil {
		t.Fatalf("the demo a second time: %v %s", err, out)
	}
	if out, err := say("company", "list"); err != nil || strings.Count(out, "\n") != 9 {
		t.Errorf("list: %v\n%s", err, out)
	}
	for _, change := range []struct {
		args []string
		want string
	}{
		{[]string{"disable", "1001"}, "true"}, {[]string{"enable", "1001"}, "false"},
		{[]string{"renew", "1006", "2099-12-30"}, "2099-12-3"}, {[]string{"set", "1002", "theme", "ABCDEF"}, "abcdef"},
		{[]string{"show", "1003"}, "Northwind"},
		{[]string{"show", "1003"}, "  confirmed  "}, {[]string{"show", "1008"}, "  not confirmed  "},
		{[]string{"set", "1008", "name", "confirmed"}, "试用中商贸"}, {[]string{"show", "1008"}, "  confirmed  "},
	} {
		if out, err := say(
			append([]string{"company"}, change.args...)...); err != nil ||
			!strings.Contains(out, change.want) {
			t.Errorf("%v: %v\n%s", change.args, err, out)
		}
	}
	for _, wrong := range [][]string{
		{"show", "9"}, {"show", "x"}, {"renew", "1001", "soon"}, {"renew", "1001", "2001-01-01"},
		{"set", "1001", "pc_domain", "https://evil.test"}, {"set", "1001", "shape", "round"},
		{"extend-trial", "1001", "5"}, {"jump", "1001"}, {},
	} {
		if _, err := say(append([]string{"company"}, wrong...)...); err == nil {
			t.Errorf("accepted: company %v", wrong)
		}
	}
	for _, c := range []struct{ args, want string }{
		{"create --name Sur --language es", "signs in with the account and this password"},
		{"create --name Norte --language es --admin-phone 13911112222", "/register/complete?invite="},
		{"create --name Este --json", `"first_password":"`},
		{"list --query sur", "Sur"}, {"list --query nothing --json", "[]\n"},
		{"list --json --limit 1 --after 1002", `"id":1003`},
		{"show 1003 --json", `"name":"Northwind`},
	} {
		out, err := say(append([]string{"company"}, strings.Fields(c.args)...)...)
		if err != nil || !strings.Contains(out, c.want) {
			t.Errorf("company %s: %v\n%s", c.args, err, out)
		}
	}
	list, err := say("company", "list", "--json")
	var rows []struct{ ID int64 }
	if err != nil || json.Unmarshal([]byte(list), &rows) != nil || len(rows) != 11 {
		t.Errorf("list --json: %v, %d rows\n%s", err, len(rows), list)
	}
	for _, wrong := range []string{
		"create --language fr --name a", "list extra", "list --shape round", "show", "dance 1001",
	} {
		_, err := say(append([]string{"company"}, strings.Fields(wrong)...)...)
		if err == nil || exitStatus(err) != 2 {
			t.Errorf("company %s: exit status %d, %v", wrong, exitStatus(err), err)
		}
	}
	if _, err := say("company", "create", "--name", "", "--language", "es"); err == nil || exitStatus(err) != 1 ||
		!strings.Contains(err.Error(), "Enter") {
		t.Errorf("a company without a name: %v", err)
	}
	if _, err := say("backup", "copy.db"); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat("copy.db"); err != nil || info.Size() == 0 {
		t.Errorf("backup: %v", err)
	}
}

func TestPictureStoreIsCheckedAtStart(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := config.Read(configtest.Production("PORTICO_UPLOADS=dir:" + filepath.Join(file, "below")))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := openFiles(c.Uploads); err == nil || !strings.HasPrefix(err.Error(), "PORTICO_UPLOADS=") ||
		strings.Contains(err.Error(), "\n") {
		t.Errorf("%v", err)
	}
	for _, good := range []string{
		"dir:" + filepath.Join(t.TempDir(), "a", "b"), "s3://KEY:SECRET@oss-cn-hangzhou.aliyuncs.com/pictures",
	} {
		c, err := config.Read(configtest.Production("PORTICO_UPLOADS=" + good))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := openFiles(c.Uploads); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
}

func TestOnlyServeAndMigrateCreateADatabase(t *testing.T) {
	for _, args := range [][]string{
		{"demo"}, {"reseal"}, {"backup", "copy.db"}, {"company", "list"}, {"company", "disable", "1001"},
	} {
		t.Chdir(t.TempDir())
		err := run(t.Context(), args, []string{"PORTICO_DATABASE=sqlite:data/none.db"}, io.Discard)
		if !errors.Is(err, schema.ErrNoDatabase) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v: %v", args, err)
		}
		if entries, _ := os.ReadDir("."); len(entries) > 0 {
			t.Errorf("%v left %v behind", args, entries)
		}
	}
}

func TestCommandsRefuseAnOlderSchemaAndChangeNothing(t *testing.T) {
	t.Chdir(t.TempDir())
	environ := []string{"PORTICO_DATABASE=sqlite:p.db"}
	if err := run(t.Context(), []string{"migrate"}, environ, io.Discard); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite3", "p.db")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), "DELETE FROM schema_versions WHERE version > 3"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"demo"}, {"reseal"}, {"company", "list"}} {
		err := run(t.Context(), args, environ, io.Discard)
		if !errors.Is(err, schema.ErrOlder) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v: %v", args, err)
		}
	}
}

func TestWrongSettingsAreAllNamedAndKeepNobodyFromTheVersion(t *testing.T) {
	t.Chdir(t.TempDir())
	wrong := []string{"PORTICO_LOG=loud", "PORTICO_ADDR=here", "PORTICO_DATABASE=postgres://u:p#canary@db/x"}
	var out strings.Builder
	err := run(t.Context(), []string{"version"}, wrong, &out)
	if err != nil || !strings.HasPrefix(out.String(), "portico ") {
		t.Errorf("%q, %v", out.String(), err)
	}
	for _, name := range []string{"config", "doctor"} {
		out.Reset()
		err := run(t.Context(), []string{name}, wrong, &out)
		if exitStatus(err) != 1 {
			t.Errorf("%s: %v", name, err)
		}
		said := out.String() + err.Error()
		for _, setting := range []string{"PORTICO_LOG=", "PORTICO_ADDR=", "PORTICO_DATABASE="} {
			if !strings.Contains(said, setting) {
				t.Errorf("%s does not name %s:\n%s", name, setting, said)
			}
		}
		if strings.Contains(said, "canary") {
			t.Errorf("%s shows a part of the password:\n%s", name, said)
		}
	}
	if err := run(t.Context(), []string{"migrate"}, wrong, io.Discard); err == nil {
		t.Error("the database is migrated with wrong settings")
	}
}

// A program that cannot serve must not have migrated the database: the one that it replaces may need it as it was.
func TestServeLooksAtItsAddressesBeforeItMigrates(t *testing.T) {
	t.Chdir(t.TempDir())
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	for name, settings := range map[string][]string{
		"PORTICO_METRICS": {"PORTICO_ADDR=127.0.0.1:0", "PORTICO_METRICS=" + taken.Addr().String()},
		"PORTICO_ADDR":    {"PORTICO_ADDR=" + taken.Addr().String()},
	} {
		var out strings.Builder
		err := run(t.Context(), nil, append(settings, "PORTICO_DATABASE=sqlite:p.db"), &out)
		if err == nil || !strings.HasPrefix(err.Error(), name+"=") || out.String() != "" {
			t.Errorf("%s: %v, %q", name, err, out.String())
		}
		if _, err := os.Stat("p.db"); err == nil {
			t.Errorf("%s: there is a database", name)
		}
	}
	both := config.Server{Address: taken.Addr().String(), Metrics: taken.Addr().String()}
	for range 20 { // always the same one of two
		if err := checkAddresses(both); err == nil || !strings.HasPrefix(err.Error(), "PORTICO_ADDR=") {
			t.Fatal(err)
		}
	}
}

func TestDatabaseAndBackupAreReadableOnlyByTheirOwner(t *testing.T) {
	t.Chdir(t.TempDir())
	mask := syscall.Umask(0o022)
	defer syscall.Umask(mask)
	if err := os.WriteFile("old.db", nil, 0o644); err != nil { // made by an earlier version
		t.Fatal(err)
	}
	for _, name := range []string{"old.db", "fresh/p.db"} {
		environ := []string{"PORTICO_DATABASE=sqlite:" + name}
		if err := run(t.Context(), []string{"migrate"}, environ, io.Discard); err != nil {
			t.Fatal(err)
		}
		db, err := store.OpenMigrated(t.Context(), "sqlite:"+name)
		if err != nil {
			t.Fatal(err)
		}
		if err := db.Audit.Add(t.Context(), store.AuditEvent{At: 1, Kind: "test"}); err != nil {
			t.Fatal(err)
		}
		if err := run(t.Context(), []string{"backup", name + ".copy"}, environ, io.Discard); err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{name, name + "-wal", name + "-shm", name + ".copy"} {
			info, err := os.Stat(file)
			if err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%s: %v %v", file, info, err)
			}
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat("fresh")
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder: %v %v", info.Mode(), err)
	}
}
