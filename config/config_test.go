package main

import (
	"bytes"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/crypto/argon2"

	"portico/portal"
	"portico/store"
)

// longSecret is random, because production refuses every secret that stands in the repository.
var longSecret = randomSecret()

func randomSecret() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

func production(more ...string) []string {
	return append([]string{"PORTICO_ENV=production", "PORTICO_BASE=https://portico.test", "PORTICO_SECRET=" + longSecret,
		"PORTICO_SIGN_SECRET=" + randomSecret(), "PORTICO_SMS=webhook", "PORTICO_TRUSTED_PROXIES=10.0.0.0/8",
		"PORTICO_SMS_WEBHOOK=https://sms.portico.test/", "PORTICO_SMS_WEBHOOK_SECRET=" + randomSecret()}, more...)
}

func TestAWrongSettingStopsTheStartWithOneLine(t *testing.T) {
	for name, environ := range map[string][]string{
		"PORTICO_ENV":             {"PORTICO_ENV=staging"},
		"PORTICO_ENV_NAME":        {"PORTICO_ENV_NAME=our staging"},
		"PORTICO_ADDR":            {"PORTICO_ADDR=here"},
		"PORTICO_BASE":            {"PORTICO_BASE=ftp://x"},
		"PORTICO_DATABASE":        {"PORTICO_DATABASE=mysql://x"},
		"PORTICO_METRICS":         {"PORTICO_METRICS=9090"},
		"PORTICO_AUDIT_KEEP":      {"PORTICO_AUDIT_KEEP=forever"},
		"PORTICO_DATABASE_POOL":   {"PORTICO_DATABASE_POOL=16"},
		"PORTICO_SMS":             {"PORTICO_SMS=pigeon"},
		"PORTICO_WECHAT_API":      {"PORTICO_WECHAT_API=x"},
		"PORTICO_SUPPORT":         {"PORTICO_SUPPORT=nobody"},
		"PORTICO_COUNTERS":        {"PORTICO_COUNTERS=https://stats.example.com"},
		"PORTICO_ORIGINS":         {"PORTICO_ORIGINS=capacitor://localhost/"},
		"PORTICO_APP_VERSION":     {"PORTICO_APP_VERSION=ios=two"},
		"PORTICO_TRUSTED_PROXIES": {"PORTICO_TRUSTED_PROXIES=10.0.0.1"},
		"PORTICO_PRIVACY":         {"PORTICO_PRIVACY=loose"},
		"PORTICO_LIMITS":          {"PORTICO_LIMITS=some"},
		"PORTICO_SECRET":          {"PORTICO_SECRET=short"},
		"PORTICO_SIGN_SECRET":     {"PORTICO_SIGN_SECRET=one,,two"},
		"PORTICO_UPLOADS":         {"PORTICO_UPLOADS=s3://K:S@endpoint"},
		"PORTICO_WECHAT_APP":      {"PORTICO_WECHAT_APP=onlyone"},
		"PORTICO_WECOM_CORP":      {"PORTICO_WECOM_CORP=a:b"},
		"PORTICO_CODE_RESEND":     {"PORTICO_CODE_RESEND=soon"},
		"PORTICO_PASSWORD_MIN":    {"PORTICO_PASSWORD_MIN=5"},
		"PORTICO_PASSWORD_CHARS":  {"PORTICO_PASSWORD_CHARS=emoji"},
	} {
		_, err := readConfig(environ)
		if err == nil || !strings.HasPrefix(err.Error(), name+"=") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestStatisticsHostsAreNamesWithoutSchemePortAndAddress(t *testing.T) {
	for _, hosts := range []string{
		"10.0.0.5", "192.168.1.5", "127.0.0.1", "::1", "[::1]", "localhost", "stats.example.com:8443",
		"x@stats.example.com", "*.example.com",
		"STATS.example.com", "stats.example.com/x", "stats.example.com,10.0.0.5",
	} {
		if _, err := readConfig([]string{"PORTICO_COUNTERS=" + hosts}); err == nil {
			t.Errorf("%s is accepted", hosts)
		}
	}
	c, err := readConfig([]string{"PORTICO_COUNTERS=hm.baidu.com, www.google-analytics.com"})
	if err != nil || len(c.counters) != 2 {
		t.Errorf("%v, %v", c.counters, err)
	}
}

func TestTheOldestVersionOfTheAppIsSetForEachVariant(t *testing.T) {
	c, err := readConfig([]string{"PORTICO_APP_VERSION=ios=2.1, android=2.0.10"})
	if err != nil || c.appVersions["ios"] != "2.1" || c.appVersions["android"] != "2.0.10" {
		t.Errorf("%v, %v", c.appVersions, err)
	}
	for _, wrong := range []string{"2.1", "ios=", "ios=2.1.0.0.0", "windows=1", "ios=2.1;android=2", "ios=-1"} {
		if _, err := readConfig([]string{"PORTICO_APP_VERSION=" + wrong}); err == nil {
			t.Errorf("%s is accepted", wrong)
		}
	}
}

func TestTheEnvironmentHasANameOfItsOwn(t *testing.T) {
	longest := strings.Repeat("a", 40)
	for value, accepted := range map[string]bool{"": true, "staging": true, "eu-1.test_2": true, longest: true, longest + "a": false, "a b": false} {
		c, err := readConfig([]string{"PORTICO_ENV_NAME=" + value})
		if (err == nil) != accepted || err == nil && c.environment != value {
			t.Errorf("%q: %q, %v", value, c.environment, err)
		}
	}
}

func TestAVariableThatIsNoSettingStopsTheStart(t *testing.T) {
	for _, name := range []string{"PORTICO_REDIS", "PORTICO_DATABSE", "PORTICO_PRIVACY_FILE"} {
		_, err := readConfig([]string{name + "=canary"})
		if err == nil || !strings.HasPrefix(err.Error(), name+"=") || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTheVariablesOfAKubernetesServiceAreNoSettings(t *testing.T) {
	for _, name := range []string{
		"PORTICO_SERVICE_HOST", "PORTICO_SERVICE_PORT", "PORTICO_SERVICE_PORT_HTTP", "PORTICO_PORT",
		"PORTICO_PORT_8080_TCP", "PORTICO_PORT_8080_TCP_ADDR", "PORTICO_DB_SERVICE_HOST",
	} {
		if _, err := readConfig([]string{name + "=tcp://10.0.0.1:8080"}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestEventsAreKeptForDays(t *testing.T) {
	for value, want := range map[string]time.Duration{
		"": 400 * 24 * time.Hour, "1d": 24 * time.Hour, "36500d": 36_500 * 24 * time.Hour,
		"0d": 0, "36501d": 0, "400": 0, "400h": 0, "-1d": 0, "1.5d": 0,
	} {
		c, err := readConfig([]string{"PORTICO_AUDIT_KEEP=" + value})
		if (err == nil) != (want > 0) || err == nil && c.auditKept != want {
			t.Errorf("%q: %v %v", value, c.auditKept, err)
		}
	}
}

func TestTheMemoryLimitGrowsWithTheCoresAndFitsTheContainer(t *testing.T) {
	for _, c := range []struct {
		cores     int
		container uint64
		want      int64
	}{
		{1, 0, 96 << 20}, {2, 0, 128 << 20}, {16, 0, 576 << 20}, {16, 1 << 40, 576 << 20},
		{2, 100 << 20, (100 << 20) / 10 * 9},
	} {
		if got := memoryLimit(c.cores, c.container); got != c.want {
			t.Errorf("%d cores in %d bytes: %d, not %d", c.cores, c.container, got, c.want)
		}
	}
}

// On a machine with 16 cores the collector runs at most once for every ten hashes.
func TestPasswordHashesOnManyCoresLeaveTheCollectorFewRuns(t *testing.T) {
	const cores, hashes = 16, 160
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
	defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(memoryLimit(cores, 0)))
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var all sync.WaitGroup
	for range cores {
		all.Go(func() {
			for range hashes / cores {
				argon2.IDKey([]byte("password"), []byte("saltsalt"), 1, portal.DefaultHashCost.Memory, 1, 32)
			}
		})
	}
	all.Wait()
	runtime.ReadMemStats(&after)
	if runs := after.NumGC - before.NumGC; runs > hashes/10 {
		t.Errorf("%d collections for %d hashes", runs, hashes)
	}
}

func TestProductionRefusesWhatIsForDevelopment(t *testing.T) {
	if _, err := readConfig(production()); err != nil {
		t.Fatalf("a sound production configuration: %v", err)
	}
	for _, more := range []string{
		"PORTICO_TRUSTED_PROXIES=", "PORTICO_SMS=inbox", "PORTICO_BASE=http://portico.test", "PORTICO_SECRET=", "PORTICO_SIGN_SECRET=", "PORTICO_SECRET=changeme",
		"PORTICO_SECRET=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "PORTICO_SIGN_SECRET=portico-dev-sign-secret", "PORTICO_LIMITS=off",
		"PORTICO_WECHAT_API=http://wechat.test", "PORTICO_WECHAT_API=https://portico.test/dev/wechat",
	} {
		if _, err := readConfig(production(more)); err == nil {
			t.Errorf("production accepted %s", more)
		}
	}
}

func TestThePoolOfTheDatabaseIsReadWholeOrInPart(t *testing.T) {
	for value, want := range map[string]store.Pool{
		"":                      {Max: 16, Idle: 8, Age: 30 * time.Minute},
		"max=16,idle=8,age=30m": {Max: 16, Idle: 8, Age: 30 * time.Minute},
		"max=1":                 {Max: 1, Idle: 1, Age: 30 * time.Minute},
		"max=1000":              {Max: 1000, Idle: 8, Age: 30 * time.Minute},
		"idle=16":               {Max: 16, Idle: 16, Age: 30 * time.Minute},
		"age=1m,max=4":          {Max: 4, Idle: 4, Age: time.Minute},
	} {
		if c, err := readConfig([]string{"PORTICO_DATABASE_POOL=" + value}); err != nil || c.pool != want {
			t.Errorf("%q: %+v %v", value, c.pool, err)
		}
	}
	for _, value := range []string{
		"max=0", "max=-1", "max=1001", "max=x", "max=", "max", "idle=0", "idle=17", "max=4,idle=5",
		"age=0s", "age=59s", "age=30", "max=4,max=5", "size=4", "max=4,", ",", "max=4 idle=2", "Max=4",
	} {
		if _, err := readConfig([]string{"PORTICO_DATABASE_POOL=" + value}); err == nil {
			t.Errorf("%q was accepted", value)
		}
	}
}

func TestARefusedSecretIsNotPrinted(t *testing.T) {
	_, err := readConfig([]string{"PORTICO_SECRET=canary"})
	if err == nil || strings.Contains(err.Error(), "canary") {
		t.Errorf("%v", err)
	}
	_, err = readConfig([]string{"PORTICO_UPLOADS=s3://KEY:canary/with+slash@endpoint/BUCKET"})
	if err == nil || strings.Contains(err.Error(), "canary") {
		t.Errorf("%v", err)
	}
	_, err = readConfig([]string{"PORTICO_BASE=https://user:canary@portico.test"})
	if err == nil || strings.Contains(err.Error(), "canary") {
		t.Errorf("%v", err)
	}
}

func TestDevListensOnThisMachineAndProductionEverywhere(t *testing.T) {
	dev, err := readConfig(nil)
	if err != nil || dev.addr != "127.0.0.1:8080" {
		t.Errorf("dev: %q %v", dev.addr, err)
	}
	live, err := readConfig(production())
	if err != nil || live.addr != ":8080" {
		t.Errorf("production: %q %v", live.addr, err)
	}
}

func TestTheDevSecretIsMadeOnceAndKeptPrivate(t *testing.T) {
	file := filepath.Join(t.TempDir(), "data", "secret")
	first, again := config{secretFile: file}, config{secretFile: file}
	if err := first.devSecret(); err != nil {
		t.Fatal(err)
	}
	if err := again.devSecret(); err != nil || !bytes.Equal(first.secrets[0], again.secrets[0]) {
		t.Errorf("the second start made another secret: %v", err)
	}
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v %v", info.Mode(), err)
	}
}

func TestEveryCommandExplainsItselfWithoutADatabase(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range commands() {
		var out bytes.Buffer
		if err := run(t.Context(), []string{c.name, "-h"}, nil, &out); err != nil || !strings.Contains(out.String(), "portico "+c.name) {
			t.Errorf("%s -h: %v\n%s", c.name, err, out.String())
		}
	}
	if entries, _ := os.ReadDir("."); len(entries) > 0 {
		t.Errorf("asking for help left %v behind", entries)
	}
}

func TestServeExplainsEverySetting(t *testing.T) {
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
	for _, s := range settings {
		if !strings.Contains(out.String(), s.name) {
			t.Errorf("%s is not explained", s.name)
		}
	}
}

func TestAnUnknownCommandIsRefused(t *testing.T) {
	var out bytes.Buffer
	if err := run(t.Context(), []string{"dance"}, nil, &out); err == nil || !strings.Contains(out.String(), "serve") {
		t.Errorf("%v: %s", err, out.String())
	}
}

func TestTheOperatorChangesACompany(t *testing.T) {
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
		{[]string{"renew", "1006", "2099-12-30"}, "2099-12-3"}, {[]string{"set", "1002", "theme", "ABCDEF"}, "abcdef"}, {[]string{"show", "1003"}, "Northwind"},
		{[]string{"show", "1003"}, "  confirmed  "}, {[]string{"show", "1008"}, "  not confirmed  "},
		{[]string{"set", "1008", "name", "confirmed"}, "试用中商贸"}, {[]string{"show", "1008"}, "  confirmed  "},
	} {
		if out, err := say(append([]string{"company"}, change.args...)...); err != nil || !strings.Contains(out, change.want) {
			t.Errorf("%v: %v\n%s", change.args, err, out)
		}
	}
	for _, wrong := range [][]string{{"show", "9"}, {"show", "x"}, {"renew", "1001", "soon"}, {"renew", "1001", "2001-01-01"}, {"set", "1001", "pc_domain", "https://evil.test"}, {"set", "1001", "shape", "round"}, {"extend-trial", "1001", "5"}, {"jump", "1001"}, {}} {
		if _, err := say(append([]string{"company"}, wrong...)...); err == nil {
			t.Errorf("accepted: company %v", wrong)
		}
	}
	if _, err := say("backup", "copy.db"); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat("copy.db"); err != nil || info.Size() == 0 {
		t.Errorf("backup: %v", err)
	}
}

func TestWherePicturesAreKeptIsTriedAtStart(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := readConfig(production("PORTICO_UPLOADS=dir:" + filepath.Join(file, "below")))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.files(); err == nil || !strings.HasPrefix(err.Error(), "PORTICO_UPLOADS=") || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v", err)
	}
	for _, good := range []string{"dir:" + filepath.Join(t.TempDir(), "a", "b"), "s3://KEY:SECRET@oss-cn-hangzhou.aliyuncs.com/pictures"} {
		c, err := readConfig(production("PORTICO_UPLOADS=" + good))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.files(); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
}

func TestOnlyServeAndMigrateMakeADatabase(t *testing.T) {
	for _, args := range [][]string{
		{"demo"}, {"reseal"}, {"backup", "copy.db"}, {"company", "list"}, {"company", "disable", "1001"},
	} {
		t.Chdir(t.TempDir())
		err := run(t.Context(), args, []string{"PORTICO_DATABASE=sqlite:data/none.db"}, io.Discard)
		if !errors.Is(err, store.ErrNoDatabase) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v: %v", args, err)
		}
		if entries, _ := os.ReadDir("."); len(entries) > 0 {
			t.Errorf("%v left %v behind", args, entries)
		}
	}
}

func TestCommandsRefuseAnOlderDatabaseAndLeaveItAsItIs(t *testing.T) {
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
	for _, args := range [][]string{{"demo"}, {"reseal"}, {"backup", "copy.db"}, {"company", "list"}} {
		err := run(t.Context(), args, environ, io.Discard)
		if !errors.Is(err, store.ErrOlderSchema) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v: %v", args, err)
		}
	}
	if _, err := os.Stat("copy.db"); err == nil {
		t.Error("a backup was written")
	}
}

func TestTheDatabaseAndItsBackupAreForTheirOwnerAlone(t *testing.T) {
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
		if err := db.AddAuditEvent(t.Context(), store.AuditEvent{At: 1, Kind: "test"}); err != nil {
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

func TestTheOriginsOfAppsAreExact(t *testing.T) {
	for value, want := range map[string]string{
		"": "", "null": "null", "capacitor://localhost,https://localhost": "capacitor://localhost https://localhost",
		"http://localhost:3000, null": "http://localhost:3000 null", "http://[::1]:3000": "http://[::1]:3000",
	} {
		c, err := readConfig([]string{"PORTICO_ORIGINS=" + value})
		if got := strings.Join(c.origins, " "); err != nil || got != want {
			t.Errorf("%q: %q %v", value, got, err)
		}
	}
	for _, value := range []string{
		"*", "https://*.example.com", "localhost", "https://", "https://Example.com", "https://example.com/", "file://",
		"https://a@example.com", "https://example.com:0", "https://example.com?x", "NULL",
		"capacitor:", "javascript:alert(1)",
		"null,null", "https://example.com\r\nX: y",
	} {
		_, err := readConfig([]string{"PORTICO_ORIGINS=" + value})
		if err == nil || strings.Contains(err.Error(), "\n") || !strings.HasPrefix(err.Error(), "PORTICO_ORIGINS=") {
			t.Errorf("%q: %v", value, err)
		}
	}
	if _, err := readConfig(production("PORTICO_ORIGINS=http://localhost:3000")); err == nil {
		t.Error("production accepts http")
	}
	if _, err := readConfig(production("PORTICO_ORIGINS=capacitor://localhost,null")); err != nil {
		t.Error(err)
	}
}
