package main

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"portico/gateway"
	"portico/portal"
	"portico/store"
)

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

// environmentRule matches the name of an environment.
var environmentRule = regexp.MustCompile(`^[A-Za-z0-9._-]{0,40}$`)

func readEnvName(c *config, value string) error {
	if !environmentRule.MatchString(value) {
		return errors.New("accepted are up to 40 letters, digits, dots, hyphens and underscores")
	}
	c.environment = value
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

func readMetrics(c *config, value string) error {
	c.metrics = value
	if i := strings.LastIndexByte(value, ':'); value != "" && (i < 0 || i == len(value)-1) {
		return errors.New("accepted is HOST:PORT, like 127.0.0.1:9090")
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

// readDatabasePool reads a list like max=16,idle=8,age=30m. What it leaves out keeps its default.
func readDatabasePool(c *config, value string) error {
	accepted := errors.New("accepted are max=1 to 1000, idle=1 to max and age=1m or longer, each at most once, " +
		"like max=16,idle=8,age=30m")
	c.pool = store.DefaultPool
	if value == "" {
		return nil
	}
	given := map[string]bool{}
	for part := range strings.SplitSeq(value, ",") {
		name, amount, _ := strings.Cut(part, "=")
		var err error
		switch name {
		case "max":
			c.pool.Max, err = strconv.Atoi(amount)
		case "idle":
			c.pool.Idle, err = strconv.Atoi(amount)
		case "age":
			c.pool.Age, err = time.ParseDuration(amount)
		default:
			return accepted
		}
		if err != nil || given[name] {
			return accepted
		}
		given[name] = true
	}
	if !given["idle"] {
		c.pool.Idle = min(c.pool.Idle, c.pool.Max)
	}
	if c.pool.Max < 1 || c.pool.Max > 1000 || c.pool.Idle < 1 || c.pool.Idle > c.pool.Max || c.pool.Age < time.Minute {
		return accepted
	}
	return nil
}

func readUploads(c *config, value string) (err error) {
	c.uploads = value
	if path, ok := strings.CutPrefix(value, "dir:"); ok && path != "" {
		return nil
	}
	_, err = gateway.NewS3(value)
	return err
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

func readResend(c *config, value string) error {
	d, err := time.ParseDuration(value)
	if err != nil || d < time.Second || d > time.Hour {
		return errors.New("accepted is a duration from 1s to 1h")
	}
	c.resend = d
	return nil
}

// mostDaysKept is the longest time that audit events may be kept, in days: some hundred years.
const mostDaysKept = 36_500

func readAuditKeep(c *config, value string) error {
	number, isDays := strings.CutSuffix(value, "d")
	days, err := strconv.Atoi(number)
	if err != nil || !isDays || days < 1 || days > mostDaysKept {
		return errors.New("accepted is a number of days from 1d to 36500d")
	}
	c.auditKept = time.Duration(days) * 24 * time.Hour
	return nil
}

func readPasswordMin(c *config, value string) error {
	n, err := strconv.Atoi(value)
	if err != nil || n < portal.MinPassword || n > portal.MaxPasswordTyped {
		return errors.New("accepted is a number from 6 to 20")
	}
	c.password.Min = n
	return nil
}

func readPasswordChars(c *config, value string) error {
	if value != "any" && value != "A-Za-z0-9@._" {
		return errors.New("accepted are A-Za-z0-9@._ and any")
	}
	c.password.Any = value == "any"
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

// appVersion is a variant of the native app with the oldest version that needs no update.
var appVersion = regexp.MustCompile(`^(ios|android)=(\d{1,5}(?:\.\d{1,5}){0,3})$`)

func readAppVersion(c *config, value string) error {
	c.appVersions = map[string]string{}
	for _, given := range strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' }) {
		parts := appVersion.FindStringSubmatch(given)
		if parts == nil {
			return errors.New("accepted are versions like ios=2.1,android=2.1")
		}
		c.appVersions[parts[1]] = parts[2]
	}
	return nil
}

func readCounters(c *config, value string) error {
	for _, given := range strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' }) {
		host, ok := portal.NormalHost(given)
		_, notAddress := netip.ParseAddr(host)
		if !ok || host != given || !strings.Contains(host, ".") || strings.Contains(host, "_") || notAddress == nil {
			return errors.New("accepted are lower-case hosts like stats.example.com, separated by commas, without https:// and port")
		}
		c.counters = append(c.counters, host)
	}
	return nil
}

// anOrigin matches an origin as browsers write it: lower case, without a path.
var anOrigin = regexp.MustCompile(`^[a-z][a-z0-9+.-]*://([a-z0-9-]+(\.[a-z0-9-]+)*|\[[0-9a-f:]+\])(:[1-9][0-9]{0,4})?$`)

func readOrigins(c *config, value string) error {
	for _, origin := range strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' }) {
		if origin != "null" && !anOrigin.MatchString(origin) {
			return errors.New("accepted are null and lower-case origins without a path, like capacitor://localhost, " +
				"separated by commas")
		}
		if c.production && strings.HasPrefix(origin, "http:") {
			return errors.New("production refuses http:, because anybody on the line could change the app's scripts")
		}
		if slices.Contains(c.origins, origin) {
			return fmt.Errorf("%s is there twice", origin)
		}
		c.origins = append(c.origins, origin)
	}
	return nil
}

// noProxies is the value of PORTICO_TRUSTED_PROXIES for a program that callers reach directly.
const noProxies = "none"

func readProxies(c *config, value string) error {
	if value == "" && c.production {
		return errors.New("production needs the CIDRs of its proxies, separated by commas, or none")
	}
	if value == noProxies {
		return nil
	}
	for _, cidr := range strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' }) {
		prefix, err := netip.ParsePrefix(cidr)
		if err != nil {
			return errors.New("accepted are CIDRs like 10.0.0.0/8, separated by commas, or none")
		}
		c.trustedProxies = append(c.trustedProxies, prefix)
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
