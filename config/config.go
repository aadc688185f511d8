package main

import (
	"cmp"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"portico/portal"
	"portico/store"
)

// config is the environment, read and checked.
type config struct {
	production     bool
	environment    string // env_ of the user payload; "": dev or production
	addr           string
	base           *url.URL
	database       string
	pool           store.Pool
	secrets        [][]byte // master keys: the first seals, all open
	secretFile     string   // dev: where the secret is made and kept
	signSecrets    []string
	sms            smsConfig
	wechat         wechatConfig
	uploads        string // where files are kept: dir:PATH or s3://…
	metrics        string
	resend         time.Duration
	auditKept      time.Duration
	password       portal.PasswordRule
	support        portal.Contact
	counters       []string
	origins        []string // of wrappers
	appVersions    map[string]string
	trustedProxies []netip.Prefix
	strict         bool
	noLimit        bool
	drain          time.Duration
}

// setting is one variable: read puts its value into the configuration or says what is accepted.
type setting struct {
	name, fallback, shown, meaning string
	read                           func(c *config, value string) error
}

var settings = append([]setting{
	{"PORTICO_ENV", "dev", "dev", "dev or production; production refuses the inbox SMS provider, the fake WeChat, missing secrets and an http base", readEnv},
	{"PORTICO_ENV_NAME", "", "dev or production, as PORTICO_ENV", "name of this environment in env_ of the user payload, " +
		"like staging: letters, digits, dots, hyphens and underscores, at most 40", readEnvName},
	{"PORTICO_ADDR", "", "127.0.0.1:8080 in dev, :8080 in production", "listen address", readAddr},
	{"PORTICO_BASE", "http://localhost:8080", "http://localhost:8080", "scheme and host of the platform; every site's address derives from it", readBase},
	{"PORTICO_DATABASE", "sqlite:data/portico.db", "sqlite:data/portico.db", "sqlite:PATH or postgres://…", readDatabase},
	{"PORTICO_DATABASE_POOL", "", "max=16,idle=8,age=30m", "connections to Postgres: at most max, idle of them kept " +
		"while nothing uses them, each replaced after age; /readyz uses one more; any of the three may be left out; " +
		"SQLite does not use it", readDatabasePool},
	{"PORTICO_METRICS", "", "empty: none", "address of a second listener that answers /metrics for Prometheus; not to be reached from outside", readMetrics},
	{"PORTICO_SECRET", "", "made on first start in dev, kept beside the database", "master keys of at least 32 random bytes, comma-separated; the first seals, all open", readSecret},
	{"PORTICO_SIGN_SECRET", "", "portico-dev-sign-secret in dev", "secrets of the request signature, comma-separated; the first signs", readSignSecret},
	{"PORTICO_UPLOADS", "dir:data/uploads", "dir:data/uploads", "where pictures that people send in are kept: dir:PATH, or s3://KEY:SECRET@endpoint/bucket of an S3-compatible store (?region=, ?style=, ?direct=: see docs/operating.md)", readUploads},
	{"PORTICO_SUPPORT", "", "empty", "name:phone of the provider's customer service", readSupport},
	{"PORTICO_COUNTERS", "", "empty: none", "comma-separated hosts that companies may have the views of their pages reported to, like stats.example.com", readCounters},
	{"PORTICO_ORIGINS", "", "empty: none", "comma-separated origins of apps whose scripts may call the API, like " +
		"capacitor://localhost; null stands for files, and only for calls with a token", readOrigins},
	{"PORTICO_APP_VERSION", "", "empty: any", "the native app's oldest versions that need no update, like ios=2.1,android=2.1", readAppVersion},
	{"PORTICO_TRUSTED_PROXIES", "", "empty; production needs a value", "comma-separated CIDRs whose X-Forwarded-For is believed, or none", readProxies},
	{"PORTICO_CODE_RESEND", "60s", "60s", "how long before a verification code can be asked for again", readResend},
	{"PORTICO_PRIVACY", "spec", "spec", "spec or strict: strict answers unknown, wrong and locked alike", readPrivacy},
	{"PORTICO_PASSWORD_MIN", "6", "6", "least length of new passwords, 6 to 20", readPasswordMin},
	{"PORTICO_PASSWORD_CHARS", "A-Za-z0-9@._", "A-Za-z0-9@._", "characters of new passwords: A-Za-z0-9@._ or any (then up to 64)", readPasswordChars},
	{"PORTICO_AUDIT_KEEP", "400d", "400d", "how long events stay in the audit log, in days: 1d to 36500d",
		readAuditKeep},
	{"PORTICO_LIMITS", "on", "on", "off in load tests only; production refuses off", readLimits},
}, slices.Concat(wechatSettings, smsSettings)...)

// readConfig reads the environment. A wrong value gives one line: the variable, the value, what is accepted.
func readConfig(environ []string) (config, error) {
	given := map[string]string{}
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		given[name] = value
	}
	var c config
	if err := checkNames(given); err != nil {
		return c, err
	}
	for _, s := range settings {
		value := cmp.Or(given[s.name], s.fallback)
		if kept, ok, err := secretFromFile(given, s.name); err != nil {
			return c, err
		} else if ok {
			value = kept
		}
		if err := s.read(&c, value); err != nil {
			return c, fmt.Errorf("%s=%q: %w", s.name, shownValue(s.name, value), err)
		}
	}
	c.fillWeChat()
	if err := c.checkSMS(); err != nil {
		return c, err
	}
	return c, c.checkSecretsDiffer()
}

// kubernetesVariable matches the variables that Kubernetes sets in every container for a service whose name begins with
// "portico".
var kubernetesVariable = regexp.MustCompile(`_(SERVICE_HOST|SERVICE_PORT\w*|PORT|PORT_\d+_(TCP|UDP)\w*)$`)

// checkNames refuses a variable that looks like a setting and is none: it is probably misspelt, or no longer exists.
func checkNames(given map[string]string) error {
	known := map[string]bool{}
	for _, s := range settings {
		known[s.name] = true
		known[s.name+fileSuffix] = secretSettings[s.name]
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if strings.HasPrefix(name, "PORTICO_") && !known[name] && !kubernetesVariable.MatchString(name) {
			return fmt.Errorf("%s=…: there is no such setting; portico serve -h lists them all", name)
		}
	}
	return nil
}

// shownValue hides what must not be printed: secrets, and passwords in addresses.
func shownValue(name, value string) string {
	if value == "" {
		return ""
	}
	address, err := url.Parse(value)
	switch {
	case name == "PORTICO_UPLOADS" && strings.HasPrefix(value, "dir:"):
		return value
	case strings.HasPrefix(value, "s3:") || hidesWeChat(name, value):
		return "…"
	case err != nil && strings.Contains(value, "@"):
		return "…"
	case err == nil && address.User != nil:
		return address.Redacted()
	case secretSettings[name] && name != "PORTICO_DATABASE":
		return "…"
	}
	return value
}

// devSecret reads the master key kept beside the database, and makes it on the first start.
func (c *config) devSecret() error {
	if len(c.secrets) > 0 {
		return nil
	}
	kept, err := os.ReadFile(c.secretFile)
	if err == nil && len(kept) >= portal.MinSecret {
		c.secrets = [][]byte{kept}
		return nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read the secret: %w", err)
	}
	raw := make([]byte, portal.MinSecret)
	_, _ = rand.Read(raw) // never fails
	secret := []byte(base64.RawURLEncoding.EncodeToString(raw))
	c.secrets = [][]byte{secret}
	if err := os.MkdirAll(filepath.Dir(c.secretFile), 0o700); err != nil {
		return fmt.Errorf("keep the secret: %w", err)
	}
	return os.WriteFile(c.secretFile, secret, 0o600)
}
