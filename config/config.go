// Package config reads the settings of the program from the environment and checks them.
package config

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"portico/portal/access"
	"portico/portal/core"
	"portico/store/backup"
	"portico/store/pool"
)

// Config is the environment, read and checked.
type Config struct {
	Production  bool
	Environment string // the name that the user payload carries as env_; "" means dev or production
	Log         slog.Level
	Base        *url.URL // scheme and host of the platform, from which the address of every site derives
	Server      Server
	Database    Database
	Secrets     Secrets
	SignIn      SignIn
	SMS         SMS
	ChatApps    ChatApps
	Apps        Apps
	Uploads     string            // where files are kept: dir:PATH or s3://…
	AuditKept   time.Duration     // how long audit events are kept
	Backup      *backup.Schedule  // nil when the program makes no backups by itself
	BackupFor   backup.Recipients // who can read the backups; none when they are not encrypted
	Support     access.Contact    // the provider's customer service; empty when there is none
	Counters    []string          // hosts that companies may have their page views reported to
	Tracing     Tracing
	// CompaniesClosed says that people cannot register companies themselves.
	CompaniesClosed bool
	production      func() []error // reads the same environment for production
	InForce         []Value        // every setting as it was read, in the order of Settings
	Wrong           []error        // each line of Read's error; none for an environment that is right
}

// Tracing says where spans are sent.
type Tracing struct {
	Collector *url.URL // nil: nothing is recorded
	Ratio     float64  // of requests and jobs that are recorded, from 0 to 1
}

// Server has the settings of the HTTP server.
type Server struct {
	Address        string // HOST:PORT to listen on
	Metrics        string // HOST:PORT of the metrics; "" for none
	TrustedProxies []netip.Prefix
	Drain          time.Duration // how long /readyz says "not ready" before the server stops accepting connections
}

// Database has the address of the database and the limits of its connection pool.
type Database struct {
	Address string // sqlite:PATH or postgres://…
	Pool    pool.Limits
	Replica string // postgres://… of a replica for lists, "" for none
}

// SignIn has the rules of signing in.
type SignIn struct {
	CodeResend time.Duration // how long a person waits before asking for another verification code
	Password   core.PasswordRule
	Strict     bool // answer unknown, wrong and locked alike
	NoLimit    bool // no rate limits, for load tests; never in production
}

// Apps are the native apps that wrap the pages or call the API.
type Apps struct {
	Origins  []string          // origins whose scripts may call the API
	Versions map[string]string // oldest version that needs no update, by "ios" or "android"
}

// Setting describes one variable for people.
type Setting struct {
	Name, Default, Meaning string
}

// Settings describes every variable, in the order in which they are read.
func Settings() []Setting {
	var all []Setting
	for _, s := range settings() {
		all = append(all, Setting{s.name, cmp.Or(s.shown, s.fallback), s.meaning})
	}
	return all
}

// setting is one variable. read puts its value into the configuration, or returns an error that says which values are
// accepted.
type setting struct {
	name, fallback string
	shown          string // describes the default for people when it is not simply fallback
	meaning        string
	secret         bool // holds a secret or may hold one: it can be given as a file (NAME_FILE) and is not printed
	address        bool // the address of a provider, which is printed only when it looks like one
	read           func(c *Config, value string) error
}

// settings are all variables. Those that say what is refused in production come after PORTICO_ENV.
func settings() []setting {
	return slices.Concat(generalSettings(), chatAppSettings(), smsSettings())
}

// Read reads the environment, whose entries look like NAME=VALUE. Each wrong value adds a line to the error: the
// variable, the value unless it is secret, and what is accepted. After an error, only InForce and Wrong can be used.
func Read(environ []string) (Config, error) {
	given := map[string]string{}
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		given[name] = value
	}
	var c Config
	all := settings()
	c.Wrong = checkNames(all, given)
	for _, s := range all {
		value := cmp.Or(given[s.name], s.fallback)
		fromFile, ok, err := s.fromFile(given)
		if ok {
			value = fromFile
		}
		if err == nil {
			if err = s.read(&c, value); err != nil {
				err = s.wrong(given, value, err)
			}
		}
		if err != nil {
			c.Wrong = append(c.Wrong, err)
		}
		c.InForce = append(c.InForce, s.inForce(given, value))
	}
	c.production = func() []error {
		live, _ := Read(append(slices.Clone(environ), "PORTICO_ENV=production"))
		return live.Wrong
	}
	if len(c.Wrong) > 0 { // what follows compares settings that are right
		return c, errors.Join(c.Wrong...)
	}
	c.useStandIn()
	for _, err := range []error{c.SMS.check(), c.checkSecretsDiffer()} {
		if err != nil {
			c.Wrong = append(c.Wrong, err)
		}
	}
	return c, errors.Join(c.Wrong...)
}

// wrong returns the error for a value that read has refused. When nothing was given and the default is refused, the
// error does not show the default as if somebody had set it.
func (s setting) wrong(given map[string]string, value string, err error) error {
	if given[s.name] == "" && given[s.name+fileSuffix] == "" {
		if s.fallback != "" {
			return fmt.Errorf(`%s="": %w; when it is empty, it is %s`, s.name, err, s.fallback)
		}
		value = ""
	}
	return fmt.Errorf("%s=%q: %w", s.name, s.printable(value), err)
}

// CheckProduction returns the errors with which production would refuse the environment that the configuration was read
// from, none if it would start.
func (c Config) CheckProduction() []error { return c.production() }

// kubernetesVariable matches the variables that Kubernetes sets in every container for a service whose name begins with
// "portico".
var kubernetesVariable = regexp.MustCompile(`_(SERVICE_HOST|SERVICE_PORT\w*|PORT|PORT_\d+_(TCP|UDP)\w*)$`)

// checkNames refuses a variable that looks like a setting but is not one: it is probably misspelt, or no longer exists.
func checkNames(all []setting, given map[string]string) (wrong []error) {
	known := map[string]bool{}
	for _, s := range all {
		known[s.name] = true
		if s.secret {
			known[s.name+fileSuffix] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if strings.HasPrefix(name, "PORTICO_") && !known[name] && !kubernetesVariable.MatchString(name) {
			wrong = append(wrong, fmt.Errorf("%s=…: there is no such setting; portico serve -h lists them all", name))
		}
	}
	return wrong
}

// printable returns a value without its secret parts, so that it can be printed.
func (s setting) printable(value string) string {
	if value == "" {
		return ""
	}
	address, err := url.Parse(value)
	isDatabase := s.name == "PORTICO_DATABASE" || s.name == "PORTICO_DATABASE_REPLICA"
	isHTTP := strings.HasPrefix(value, "http://") || strings.HasPrefix(value, "https://")
	switch {
	case (s.name == "PORTICO_UPLOADS" || s.name == "PORTICO_BACKUP") && strings.HasPrefix(value, "dir:"):
		return value
	case strings.HasPrefix(value, "s3:"):
		return "…"
	case s.address && (strings.ContainsAny(value, "@?#") || !isHTTP):
		return "…"
	case err != nil && strings.Contains(value, "@") || hasUnescapedSign(value):
		return "…"
	case isDatabase && (err != nil || strings.Contains(address.RawQuery, "password")):
		return "…"
	case err == nil && address.User != nil:
		return address.Redacted()
	case s.secret && s.name != "PORTICO_DATABASE":
		return "…"
	}
	return value
}

// hasUnescapedSign reports whether an address has a # or, after its host, an @. Such a sign may come from a password
// that contains /, ? or # without escaping. The host then ends too early, and the rest of the password stands in the
// path, the query or the fragment.
func hasUnescapedSign(address string) bool {
	_, rest, ok := strings.Cut(address, "://")
	if !ok {
		return false
	}
	end := strings.IndexAny(rest, "/?#")
	return strings.Contains(rest, "#") || end >= 0 && strings.Contains(rest[end:], "@")
}
