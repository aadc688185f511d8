package main

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"portico/portal"
)

// config is the environment, read and checked (contract section 1).
type config struct {
	production     bool
	addr           string
	base           *url.URL
	database       string
	secret         []byte
	secretFile     string // dev: where the secret is made and kept
	support        portal.Contact
	trustedProxies []string
	strict         bool
	noLimit        bool
	drain          time.Duration
}

// setting is one variable: read puts its value into the configuration or says what is accepted.
type setting struct {
	name, fallback, shown, meaning string
	read                           func(c *config, value string) error
}

// The placeholders nobody may run production with (requirement 117).
var placeholders = []string{"changeme", "secret", "portico-dev-sign-secret", "password"}

var settings = []setting{
	{"PORTICO_ENV", "dev", "dev", "dev or production; production refuses the inbox SMS provider, the fake WeChat, missing secrets and an http base", readEnv},
	{"PORTICO_ADDR", "", "127.0.0.1:8080 in dev, :8080 in production", "listen address", readAddr},
	{"PORTICO_BASE", "http://localhost:8080", "http://localhost:8080", "scheme and host of the platform; every site's address derives from it", readBase},
	{"PORTICO_DATABASE", "sqlite:data/portico.db", "sqlite:data/portico.db", "sqlite:PATH or postgres://…", readDatabase},
	{"PORTICO_REDIS", "", "empty", "not used by this version: sessions and limits are kept in the database; must be empty", readEmpty},
	{"PORTICO_SECRET", "", "made on first start in dev, kept beside the database", "master key, at least 32 bytes", readSecret},
	{"PORTICO_SIGN_SECRET", "", "portico-dev-sign-secret in dev", "secrets of the request signature, comma-separated; the first signs", readSignSecret},
	{"PORTICO_SMS", "inbox", "inbox", "inbox, aliyun, tencent or webhook", readSMS},
	{"PORTICO_UPLOADS", "dir:data/uploads", "dir:data/uploads", "dir:PATH or s3://KEY:SECRET@endpoint/bucket", readUploads},
	{"PORTICO_WECHAT_API", "", "WeChat's own", "base address of the WeChat API", readProvider},
	{"PORTICO_WECHAT_OPEN", "", "WeChat's own", "base address of WeChat's authorisation pages", readProvider},
	{"PORTICO_WECOM_API", "", "WeCom's own", "base address of the WeCom API", readProvider},
	{"PORTICO_WECOM_OPEN", "", "WeCom's own", "base address of WeCom's authorisation pages", readProvider},
	{"PORTICO_WECHAT_APP", "", "empty", "appid:secret of the platform's official account", readPair(2)},
	{"PORTICO_WECHAT_OPEN_APP", "", "empty", "appid:secret of the platform's open-platform website application", readPair(2)},
	{"PORTICO_WECOM_CORP", "", "empty", "corpid:agentid:secret of the platform's WeCom application", readPair(3)},
	{"PORTICO_SUPPORT", "", "empty", "name:phone of the provider's customer service", readSupport},
	{"PORTICO_TRUSTED_PROXIES", "", "empty", "comma-separated CIDRs whose X-Forwarded-For is believed", readProxies},
	{"PORTICO_CODE_RESEND", "60s", "60s", "how long before a verification code can be asked for again", readResend},
	{"PORTICO_PRIVACY", "spec", "spec", "spec or strict: strict answers unknown, wrong and locked alike", readPrivacy},
	{"PORTICO_PASSWORD_MIN", "6", "6", "least length of new passwords, 6 to 20", readPasswordMin},
	{"PORTICO_PASSWORD_CHARS", "A-Za-z0-9@._", "A-Za-z0-9@._", "characters of new passwords: A-Za-z0-9@._ or any (then up to 64)", readPasswordChars},
	{"PORTICO_LIMITS", "on", "on", "off in load tests only; production refuses off", readLimits},
}

// readConfig reads the environment. A wrong value gives one line: the variable, the value, what is accepted.
func readConfig(environ []string) (config, error) {
	given := map[string]string{}
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		given[name] = value
	}
	var c config
	for _, s := range settings {
		value, ok := given[s.name]
		if !ok || value == "" {
			value = s.fallback
		}
		if err := s.read(&c, value); err != nil {
			return c, fmt.Errorf("%s=%q: %w", s.name, shownValue(s.name, value), err)
		}
	}
	return c, nil
}

// shownValue hides what must not be printed.
func shownValue(name, value string) string {
	if value != "" && (strings.Contains(name, "SECRET") || strings.HasSuffix(name, "_APP") || strings.HasSuffix(name, "_CORP")) {
		return "…"
	}
	if u, err := url.Parse(value); err == nil && u.User != nil {
		return u.Redacted()
	}
	return value
}

func readEnv(c *config, value string) error {
	if value != "dev" && value != "production" {
		return errors.New("accepted are dev and production")
	}
	c.production = value == "production"
	if c.production {
		c.drain = 5 * time.Second
	}
	return nil
}

func readAddr(c *config, value string) error {
	c.addr = value
	if value == "" {
		c.addr = "127.0.0.1:8080"
		if c.production {
			c.addr = ":8080"
		}
	}
	if i := strings.LastIndexByte(c.addr, ':'); i < 0 || i == len(c.addr)-1 {
		return errors.New("accepted is HOST:PORT or :PORT")
	}
	return nil
}

func readBase(c *config, value string) error {
	u, err := url.Parse(value)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" {
		return errors.New("accepted is a scheme and a host, like https://example.com")
	}
	if host, ok := portal.NormalHost(u.Host); !ok || host != u.Hostname() {
		return errors.New("accepted is a lower-case host name, like https://example.com")
	}
	if c.production && u.Scheme != "https" {
		return errors.New("production needs an https base")
	}
	u.Path = ""
	c.base = u
	return nil
}

func readDatabase(c *config, value string) error {
	c.database = value
	if path, ok := strings.CutPrefix(value, "sqlite:"); ok && path != "" {
		c.secretFile = filepath.Join(filepath.Dir(path), "secret")
		return nil
	}
	c.secretFile = "data/secret"
	if !strings.HasPrefix(value, "postgres://") && !strings.HasPrefix(value, "postgresql://") {
		return errors.New("accepted are sqlite:PATH and postgres://…")
	}
	return nil
}

func readEmpty(_ *config, value string) error {
	if value != "" {
		return errors.New("this version keeps sessions and limits in the database; leave it empty")
	}
	return nil
}

func readSecret(c *config, value string) error {
	if value == "" {
		if c.production {
			return errors.New("production needs a master key of at least 32 random bytes")
		}
		return nil // made by devSecret
	}
	if len(value) < portal.MinSecret || isPlaceholder(value) {
		return errors.New("accepted are at least 32 random bytes")
	}
	c.secret = []byte(value)
	return nil
}

func readSignSecret(c *config, value string) error {
	if !c.production {
		return nil
	}
	for _, one := range strings.Split(value, ",") {
		if len(one) < portal.MinSecret || isPlaceholder(one) {
			return errors.New("production needs secrets of at least 32 random bytes")
		}
	}
	return nil
}

func isPlaceholder(value string) bool {
	same := strings.Count(value, value[:1]) == len(value)
	for _, p := range placeholders {
		if strings.EqualFold(value, p) {
			return true
		}
	}
	return same
}

func readSMS(c *config, value string) error {
	switch value {
	case "inbox":
		if c.production {
			return errors.New("production needs a real provider: aliyun, tencent or webhook")
		}
		return nil
	case "aliyun", "tencent", "webhook":
		return nil
	}
	return errors.New("accepted are inbox, aliyun, tencent and webhook")
}

func readProvider(c *config, value string) error {
	if value == "" {
		return nil
	}
	u, err := url.Parse(value)
	if err != nil || u.Host == "" || u.Scheme != "https" && (c.production || u.Scheme != "http") {
		return errors.New("accepted is an https address")
	}
	if c.production && strings.Contains(u.Path, "/dev/wechat") {
		return errors.New("production refuses the built-in stand-in")
	}
	return nil
}

func readUploads(_ *config, value string) error {
	if path, ok := strings.CutPrefix(value, "dir:"); ok && path != "" {
		return nil
	}
	u, err := url.Parse(value)
	if err != nil || u.Scheme != "s3" || u.Host == "" || u.User == nil || strings.Trim(u.Path, "/") == "" {
		return errors.New("accepted are dir:PATH and s3://KEY:SECRET@endpoint/bucket")
	}
	return nil
}

// readPair checks credentials of so many parts, separated by colons.
func readPair(parts int) func(*config, string) error {
	return func(_ *config, value string) error {
		given := strings.Split(value, ":")
		if value != "" && (len(given) != parts || slices.Contains(given, "")) {
			return fmt.Errorf("accepted are %d parts separated by colons", parts)
		}
		return nil
	}
}

func readResend(_ *config, value string) error {
	if d, err := time.ParseDuration(value); err != nil || d < time.Second || d > time.Hour {
		return errors.New("accepted is a duration from 1s to 1h")
	}
	return nil
}

func readPasswordMin(_ *config, value string) error {
	if n, err := strconv.Atoi(value); err != nil || n < 6 || n > portal.MaxPasswordTyped {
		return errors.New("accepted is a number from 6 to 20")
	}
	return nil
}

func readPasswordChars(_ *config, value string) error {
	if value != "any" && value != "A-Za-z0-9@._" {
		return errors.New("accepted are A-Za-z0-9@._ and any")
	}
	return nil
}

func readSupport(c *config, value string) error {
	if value == "" {
		return nil
	}
	name, phone, _ := strings.Cut(value, ":")
	digits := strings.Trim(phone, "0123456789+- ")
	if name == "" || phone == "" || digits != "" {
		return errors.New("accepted is NAME:PHONE")
	}
	c.support = portal.Contact{Role: portal.RoleSupport, Name: name, Phone: strings.TrimSpace(phone)}
	return nil
}

func readProxies(c *config, value string) error {
	for _, cidr := range strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' }) {
		if _, err := netip.ParsePrefix(cidr); err != nil {
			return errors.New("accepted are CIDRs like 10.0.0.0/8, separated by commas")
		}
		c.trustedProxies = append(c.trustedProxies, cidr)
	}
	return nil
}

func readPrivacy(c *config, value string) error {
	if value != "spec" && value != "strict" {
		return errors.New("accepted are spec and strict")
	}
	c.strict = value == "strict"
	return nil
}

func readLimits(c *config, value string) error {
	if value != "on" && value != "off" {
		return errors.New("accepted are on and off")
	}
	c.noLimit = value == "off"
	if c.noLimit && c.production {
		return errors.New("production refuses off")
	}
	return nil
}

// devSecret reads the master key kept beside the database, and makes it on the first start.
func (c *config) devSecret() error {
	if len(c.secret) > 0 {
		return nil
	}
	kept, err := os.ReadFile(c.secretFile)
	if err == nil && len(kept) >= portal.MinSecret {
		c.secret = kept
		return nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read the secret: %w", err)
	}
	raw := make([]byte, portal.MinSecret)
	_, _ = rand.Read(raw) // never fails
	c.secret = []byte(base64.RawURLEncoding.EncodeToString(raw))
	if err := os.MkdirAll(filepath.Dir(c.secretFile), 0o700); err != nil {
		return fmt.Errorf("keep the secret: %w", err)
	}
	return os.WriteFile(c.secretFile, c.secret, 0o600)
}
