package config

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"portico/config/configtest"
	"portico/store/pool"
)

func TestWrongSettingIsRefusedWithOneLine(t *testing.T) {
	for name, environ := range map[string][]string{
		"PORTICO_ENV":           {"PORTICO_ENV=staging"},
		"PORTICO_ENV_NAME":      {"PORTICO_ENV_NAME=our staging"},
		"PORTICO_BACKUP":        {"PORTICO_BACKUP=/var/backups"},
		"PORTICO_BACKUP_EVERY":  {"PORTICO_BACKUP_EVERY=1d"},
		"PORTICO_BACKUP_KEEP":   {"PORTICO_BACKUP_KEEP=0"},
		"PORTICO_BACKUP_AGE":    {"PORTICO_BACKUP_AGE=age1short"},
		"PORTICO_LOG":           {"PORTICO_LOG=loud"},
		"PORTICO_REGISTER":      {"PORTICO_REGISTER=shut"},
		"PORTICO_ADDR":          {"PORTICO_ADDR=here"},
		"PORTICO_BASE":          {"PORTICO_BASE=ftp://x"},
		"PORTICO_DATABASE":      {"PORTICO_DATABASE=mysql://x"},
		"PORTICO_METRICS":       {"PORTICO_METRICS=9090"},
		"PORTICO_OTLP":          {"PORTICO_OTLP=127.0.0.1:4318"},
		"PORTICO_OTLP_SAMPLE":   {"PORTICO_OTLP_SAMPLE=10%"},
		"PORTICO_AUDIT_KEEP":    {"PORTICO_AUDIT_KEEP=forever"},
		"PORTICO_DATABASE_POOL": {"PORTICO_DATABASE_POOL=16"},
		"PORTICO_DATABASE_REPLICA": {
			"PORTICO_DATABASE=postgres://db/portico", "PORTICO_DATABASE_REPLICA=mysql://x",
		},
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
		_, err := Read(environ)
		if err == nil || !strings.HasPrefix(err.Error(), name+"=") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestEveryWrongSettingIsNamedAtOnce(t *testing.T) {
	c, err := Read([]string{
		"PORTICO_LOG=loud", "PORTICO_REDIS=x", "PORTICO_BASE=ftp://x", "PORTICO_SECRET=canary", "PORTICO_ADDR=:1",
	})
	var names []string
	for line := range strings.Lines(err.Error()) {
		name, _, _ := strings.Cut(line, "=")
		names = append(names, name)
	}
	if got, want := strings.Join(names, " "), "PORTICO_REDIS PORTICO_LOG PORTICO_BASE PORTICO_SECRET"; got != want ||
		len(c.Wrong) != len(names) {
		t.Errorf("%q, want %q", got, want)
	}
	if len(c.InForce) != len(Settings()) {
		t.Errorf("%d of %d settings are known", len(c.InForce), len(Settings()))
	}
}

func TestARefusedDefaultIsNotShownAsGiven(t *testing.T) {
	for _, more := range []string{"PORTICO_BASE=", "PORTICO_SMS="} {
		name, _, _ := strings.Cut(more, "=")
		_, err := Read(configtest.Production(more))
		if err == nil || !strings.HasPrefix(err.Error(), name+`="": `) ||
			!strings.Contains(err.Error(), "when it is empty, it is ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// No part of a password may be in an error or in what portico config prints, wherever the address is cut.
func TestNoPartOfAPasswordInAnAddressIsShown(t *testing.T) {
	const escapes = "write # as %23"
	for address, says := range map[string]string{
		"postgres://postgres:p#canary/x@db/portico":                   escapes,
		"postgres://postgres:12#canary@db/portico":                    escapes,
		"postgres://postgres:12#canary":                               escapes,
		"postgres://postgres:12/canary@db/portico":                    escapes,
		"postgres://postgres:12?canary@db/portico":                    escapes,
		"postgres://postgres:canary/canary@db/portico":                escapes,
		"postgres://postgres:c@n/canary@db/portico":                   escapes,
		"postgres://postgres:canary%zz@db/portico":                    escapes,
		"postgres://postgres:canary@db:port/portico":                  escapes,
		"postgres://postgres:canary@db/portico?sslmode=some":          "sslmode",
		"postgres://postgres:canary:canary@canary@db/portico?sslmode": "",
		"postgres://db/portico?user=x&password=canary":                "",
		"mysql://root:canary@db/portico":                              "accepted",
		"mysql://root:12#canary@db/portico":                           "accepted",
	} {
		for _, name := range []string{"PORTICO_DATABASE", "PORTICO_DATABASE_REPLICA"} {
			c, err := Read([]string{"PORTICO_DATABASE=postgres://db/portico", name + "=" + address})
			if said := errorText(err); strings.Contains(said, "canary") || says != "" &&
				(!strings.HasPrefix(said, name+"=") || !strings.Contains(said, says) || strings.Contains(said, "\n")) {
				t.Errorf("%s=%s: %v", name, address, err)
			}
			checkNotInForce(t, c, "canary")
		}
	}
	for _, setting := range []string{
		"PORTICO_UPLOADS=s3://KEY:canary@store.example/", "PORTICO_UPLOADS=s3://KEY:12#canary@store.example",
		"PORTICO_UPLOADS=s3:canary", "PORTICO_BACKUP=s3://KEY:canary/canary@store.example",
		"PORTICO_OTLP=http://user:canary@collector:4318", "PORTICO_OTLP=http://user:12#canary@collector:4318",
		"PORTICO_OTLP=http://user:12/canary@collector:4318", "PORTICO_BASE=https://user:12?canary@portico.test",
		"PORTICO_SMS_WEBHOOK=https://user:12?canary@messages.test", "PORTICO_WECHAT_API=https://u:1#canary@x.test",
	} {
		c, err := Read([]string{setting})
		if strings.Contains(errorText(err), "canary") {
			t.Errorf("%s: %v", setting, err)
		}
		checkNotInForce(t, c, "canary")
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// checkNotInForce fails when portico config would print a text.
func checkNotInForce(t *testing.T, c Config, text string) {
	t.Helper()
	var out strings.Builder
	if err := PrintInForce(&out, c.InForce); err != nil || strings.Contains(out.String(), text) {
		t.Errorf("printed, %v:\n%s", err, out.String())
	}
}

func TestStatisticsHostsMustBePlainHostNames(t *testing.T) {
	for _, hosts := range []string{
		"10.0.0.5", "192.168.1.5", "127.0.0.1", "::1", "[::1]", "localhost", "stats.example.com:8443",
		"x@stats.example.com", "*.example.com",
		"STATS.example.com", "stats.example.com/x", "stats.example.com,10.0.0.5",
	} {
		if _, err := Read([]string{"PORTICO_COUNTERS=" + hosts}); err == nil {
			t.Errorf("%s is accepted", hosts)
		}
	}
	c, err := Read([]string{"PORTICO_COUNTERS=hm.baidu.com, www.google-analytics.com"})
	if err != nil || len(c.Counters) != 2 {
		t.Errorf("%v, %v", c.Counters, err)
	}
}

func TestMinimumAppVersionIsReadPerVariant(t *testing.T) {
	c, err := Read([]string{"PORTICO_APP_VERSION=ios=2.1, android=2.0.10"})
	if err != nil || c.Apps.Versions["ios"] != "2.1" || c.Apps.Versions["android"] != "2.0.10" {
		t.Errorf("%v, %v", c.Apps.Versions, err)
	}
	for _, wrong := range []string{"2.1", "ios=", "ios=2.1.0.0.0", "windows=1", "ios=2.1;android=2", "ios=-1"} {
		if _, err := Read([]string{"PORTICO_APP_VERSION=" + wrong}); err == nil {
			t.Errorf("%s is accepted", wrong)
		}
	}
}

func TestEnvironmentNameIsRead(t *testing.T) {
	longest := strings.Repeat("a", 40)
	for value, accepted := range map[string]bool{
		"": true, "staging": true, "eu-1.test_2": true, longest: true, longest + "a": false, "a b": false,
	} {
		c, err := Read([]string{"PORTICO_ENV_NAME=" + value})
		if (err == nil) != accepted || err == nil && c.Environment != value {
			t.Errorf("%q: %q, %v", value, c.Environment, err)
		}
	}
}

func TestUnknownVariableIsRefused(t *testing.T) {
	for _, name := range []string{"PORTICO_REDIS", "PORTICO_DATABSE", "PORTICO_PRIVACY_FILE"} {
		_, err := Read([]string{name + "=canary"})
		if err == nil || !strings.HasPrefix(err.Error(), name+"=") || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestKubernetesServiceVariablesAreIgnored(t *testing.T) {
	for _, name := range []string{
		"PORTICO_SERVICE_HOST", "PORTICO_SERVICE_PORT", "PORTICO_SERVICE_PORT_HTTP", "PORTICO_PORT",
		"PORTICO_PORT_8080_TCP", "PORTICO_PORT_8080_TCP_ADDR", "PORTICO_DB_SERVICE_HOST",
	} {
		if _, err := Read([]string{name + "=tcp://10.0.0.1:8080"}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAuditRetentionIsReadInDays(t *testing.T) {
	for value, want := range map[string]time.Duration{
		"": 400 * 24 * time.Hour, "1d": 24 * time.Hour, "36500d": 36_500 * 24 * time.Hour,
		"0d": 0, "36501d": 0, "400": 0, "400h": 0, "-1d": 0, "1.5d": 0,
	} {
		c, err := Read([]string{"PORTICO_AUDIT_KEEP=" + value})
		if (err == nil) != (want > 0) || err == nil && c.AuditKept != want {
			t.Errorf("%q: %v %v", value, c.AuditKept, err)
		}
	}
}

func TestBackupScheduleHasLimits(t *testing.T) {
	for setting, accepted := range map[string]bool{
		"EVERY=1h": true, "EVERY=59m59s": false, "EVERY=720h": true, "EVERY=720h0m1s": false,
		"KEEP=1": true, "KEEP=0": false, "KEEP=1000": true, "KEEP=1001": false,
	} {
		_, err := Read([]string{"PORTICO_BACKUP=dir:/var/backups", "PORTICO_BACKUP_" + setting})
		if (err == nil) != accepted {
			t.Errorf("%s: %v", setting, err)
		}
	}
}

func TestProductionRefusesDevelopmentSettings(t *testing.T) {
	if _, err := Read(configtest.Production()); err != nil {
		t.Fatalf("a sound production configuration: %v", err)
	}
	for _, more := range []string{
		"PORTICO_TRUSTED_PROXIES=", "PORTICO_SMS=inbox", "PORTICO_BASE=http://portico.test", "PORTICO_SECRET=",
		"PORTICO_SIGN_SECRET=", "PORTICO_SECRET=changeme",
		"PORTICO_SECRET=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "PORTICO_SIGN_SECRET=portico-dev-sign-secret",
		"PORTICO_LIMITS=off",
		"PORTICO_WECHAT_API=http://wechat.test", "PORTICO_WECHAT_API=https://portico.test/dev/wechat",
	} {
		if _, err := Read(configtest.Production(more)); err == nil {
			t.Errorf("production accepted %s", more)
		}
	}
}

func TestReplicaNeedsPostgres(t *testing.T) {
	const replica = "postgres://portico@standby/portico"
	_, err := Read([]string{"PORTICO_DATABASE=sqlite:portico.db", "PORTICO_DATABASE_REPLICA=" + replica})
	if err == nil || !strings.Contains(err.Error(), "SQLite has no replicas") {
		t.Errorf("a replica of SQLite: %v", err)
	}
	c, err := Read([]string{"PORTICO_DATABASE=postgres://portico@db/portico", "PORTICO_DATABASE_REPLICA=" + replica})
	if err != nil || c.Database.Replica != replica {
		t.Errorf("a replica of Postgres: %q, %v", c.Database.Replica, err)
	}
}

func TestDatabasePoolSettingMayBePartial(t *testing.T) {
	for value, want := range map[string]pool.Limits{
		"":                      {Max: 16, Idle: 8, Age: 30 * time.Minute},
		"max=16,idle=8,age=30m": {Max: 16, Idle: 8, Age: 30 * time.Minute},
		"max=1":                 {Max: 1, Idle: 1, Age: 30 * time.Minute},
		"max=1000":              {Max: 1000, Idle: 8, Age: 30 * time.Minute},
		"idle=16":               {Max: 16, Idle: 16, Age: 30 * time.Minute},
		"age=1m,max=4":          {Max: 4, Idle: 4, Age: time.Minute},
	} {
		if c, err := Read([]string{"PORTICO_DATABASE_POOL=" + value}); err != nil || c.Database.Pool != want {
			t.Errorf("%q: %+v %v", value, c.Database.Pool, err)
		}
	}
	for _, value := range []string{
		"max=0", "max=-1", "max=1001", "max=x", "max=", "max", "idle=0", "idle=17", "max=4,idle=5",
		"age=0s", "age=59s", "age=30", "max=4,max=5", "size=4", "max=4,", ",", "max=4 idle=2", "Max=4",
	} {
		if _, err := Read([]string{"PORTICO_DATABASE_POOL=" + value}); err == nil {
			t.Errorf("%q was accepted", value)
		}
	}
}

func TestRefusedSecretIsNotPrinted(t *testing.T) {
	_, err := Read([]string{"PORTICO_SECRET=canary"})
	if strings.Contains(errorText(err), "canary") {
		t.Errorf("%v", err)
	}
	_, err = Read([]string{"PORTICO_UPLOADS=s3://KEY:canary/with+slash@endpoint/BUCKET"})
	if strings.Contains(errorText(err), "canary") {
		t.Errorf("%v", err)
	}
	_, err = Read([]string{"PORTICO_BASE=https://user:canary@portico.test"})
	if strings.Contains(errorText(err), "canary") {
		t.Errorf("%v", err)
	}
}

func TestDefaultListenAddressDependsOnEnvironment(t *testing.T) {
	dev, err := Read(nil)
	if err != nil || dev.Server.Address != "127.0.0.1:8080" {
		t.Errorf("dev: %q %v", dev.Server.Address, err)
	}
	live, err := Read(configtest.Production())
	if err != nil || live.Server.Address != ":8080" {
		t.Errorf("production: %q %v", live.Server.Address, err)
	}
}

func TestDevSecretIsCreatedOnceAndPrivate(t *testing.T) {
	file := filepath.Join(t.TempDir(), "data", "secret")
	first, err := Secrets{KeyFile: file}.MasterKeys()
	if err != nil {
		t.Fatal(err)
	}
	again, err := Secrets{KeyFile: file}.MasterKeys()
	if err != nil || !bytes.Equal(first[0], again[0]) {
		t.Errorf("the second start made another secret: %v", err)
	}
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v %v", info.Mode(), err)
	}
}

func TestAppOriginsMustBeExact(t *testing.T) {
	for value, want := range map[string]string{
		"": "", "null": "null", "capacitor://localhost,https://localhost": "capacitor://localhost https://localhost",
		"http://localhost:3000, null": "http://localhost:3000 null", "http://[::1]:3000": "http://[::1]:3000",
	} {
		c, err := Read([]string{"PORTICO_ORIGINS=" + value})
		if got := strings.Join(c.Apps.Origins, " "); err != nil || got != want {
			t.Errorf("%q: %q %v", value, got, err)
		}
	}
	for _, value := range []string{
		"*", "https://*.example.com", "localhost", "https://", "https://Example.com", "https://example.com/", "file://",
		"https://a@example.com", "https://example.com:0", "https://example.com?x", "NULL",
		"capacitor:", "javascript:alert(1)",
		"null,null", "https://example.com\r\nX: y",
	} {
		_, err := Read([]string{"PORTICO_ORIGINS=" + value})
		if err == nil || strings.Contains(err.Error(), "\n") || !strings.HasPrefix(err.Error(), "PORTICO_ORIGINS=") {
			t.Errorf("%q: %v", value, err)
		}
	}
	if _, err := Read(configtest.Production("PORTICO_ORIGINS=http://localhost:3000")); err == nil {
		t.Error("production accepts http")
	}
	if _, err := Read(configtest.Production("PORTICO_ORIGINS=capacitor://localhost,null")); err != nil {
		t.Error(err)
	}
}
