package config

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/netip"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"portico/gateway"
	"portico/portal/access"
	"portico/store/backup"
	"portico/store/pool"
)

// generalSettings are the variables of the program itself.
func generalSettings() []setting {
	return []setting{
		{
			name: "PORTICO_ENV", fallback: "dev", read: readEnv,
			meaning: "dev or production; production refuses the inbox SMS provider, the fake WeChat, missing " +
				"secrets and an http base",
		},
		{
			name: "PORTICO_ENV_NAME", shown: "dev or production, as PORTICO_ENV", read: readEnvName,
			meaning: "name of this environment in env_ of the user payload, like staging: letters, digits, " +
				"dots, hyphens and underscores, at most 40",
		},
		{
			name: "PORTICO_LOG", fallback: "info", read: readLog,
			meaning: "least level of the log's lines: debug, info, warn or error; requests are info",
		},
		{
			name: "PORTICO_ADDR", shown: "127.0.0.1:8080 in dev, :8080 in production", read: readAddr,
			meaning: "listen address",
		},
		{
			name: "PORTICO_BASE", fallback: "http://localhost:8080", read: readBase,
			meaning: "scheme and host of the platform; every site's address derives from it",
		},
		{
			name: "PORTICO_DATABASE", fallback: "sqlite:data/portico.db", secret: true, read: readDatabase,
			meaning: "sqlite:PATH or postgres://…",
		},
		{
			name: "PORTICO_DATABASE_POOL", shown: "max=16,idle=8,age=30m", read: readDatabasePool,
			meaning: "connections to Postgres: at most max, idle of them kept while nothing uses them, each " +
				"replaced after age; /readyz uses one more; any of the three may be left out; SQLite does " +
				"not use it",
		},
		{
			name: "PORTICO_DATABASE_REPLICA", shown: "empty: none", secret: true, read: readDatabaseReplica,
			meaning: "postgres://… of a standby of PORTICO_DATABASE, or of a load balancer for several; lists, logs, " +
				"statistics and exports are read from it and say as of when they are",
		},
		{
			name: "PORTICO_METRICS", shown: "empty: none", read: readMetrics,
			meaning: "address of a second listener that answers /metrics for Prometheus, and /tls/ask for a " +
				"proxy that gets certificates on demand; not to be reached from outside",
		},
		{
			name: "PORTICO_OTLP", shown: "empty: none", read: readOTLP,
			meaning: "address of a collector that gets traces by OTLP over HTTP, like http://127.0.0.1:4318",
		},
		{
			name: "PORTICO_OTLP_SAMPLE", fallback: "0.1", read: readOTLPSample,
			meaning: "share of the requests that are traced, 0 to 1; a trusted proxy's traceparent decides itself",
		},
		{
			name: "PORTICO_SECRET", shown: "made on first start in dev, kept beside the database", secret: true,
			read:    readSecret,
			meaning: "master keys of at least 32 random bytes, comma-separated; the first seals, all open",
		},
		{
			name: "PORTICO_SIGN_SECRET", shown: "portico-dev-sign-secret in dev", secret: true, read: readSignSecret,
			meaning: "secrets of the request signature, comma-separated; the first signs",
		},
		{
			name: "PORTICO_UPLOADS", fallback: "dir:data/uploads", secret: true, read: readUploads,
			meaning: "where pictures that people send in are kept: dir:PATH, or " +
				"s3://KEY:SECRET@endpoint/bucket of an S3-compatible store (?region=, ?style=, ?direct=: " +
				"see docs/operating.md)",
		},
		{
			name: "PORTICO_BACKUP", shown: "empty: none", secret: true, read: readBackup,
			meaning: "where scheduled backups go: dir:PATH, or s3://KEY:SECRET@endpoint/bucket/prefix of a private " +
				"bucket; portico backup without a name writes there too",
		},
		{
			name: "PORTICO_BACKUP_EVERY", fallback: "24h", read: readBackupEvery,
			meaning: "how old the newest backup gets before another is made: 1h to 720h",
		},
		{
			name: "PORTICO_BACKUP_KEEP", fallback: "14", read: readBackupKeep,
			meaning: "how many scheduled backups are kept: 1 to 1000",
		},
		{
			name: "PORTICO_BACKUP_AGE", shown: "empty: not encrypted", read: readBackupAge,
			meaning: "public keys of age (age1…), comma-separated, that all backups are encrypted for; the private " +
				"keys stay elsewhere",
		},
		{
			name: "PORTICO_SUPPORT", shown: "empty", read: readSupport,
			meaning: "name:phone of the provider's customer service",
		},
		{
			name: "PORTICO_REGISTER", fallback: "open", read: readRegister,
			meaning: "open or closed: closed refuses the registration of companies, which you then open with " +
				"portico company create",
		},
		{
			name: "PORTICO_COUNTERS", shown: "empty: none", read: readCounters,
			meaning: "comma-separated hosts that companies may have the views of their pages reported to, like " +
				"stats.example.com",
		},
		{
			name: "PORTICO_ORIGINS", shown: "empty: none", read: readOrigins,
			meaning: "comma-separated origins of apps whose scripts may call the API, like " +
				"capacitor://localhost; null stands for files, and only for calls with a token",
		},
		{
			name: "PORTICO_APP_VERSION", shown: "empty: any", read: readAppVersion,
			meaning: "the native app's oldest versions that need no update, like ios=2.1,android=2.1",
		},
		{
			name: "PORTICO_TRUSTED_PROXIES", shown: "empty; production needs a value", read: readProxies,
			meaning: "comma-separated CIDRs whose X-Forwarded-For is believed, or none",
		},
		{
			name: "PORTICO_CODE_RESEND", fallback: "60s", read: readResend,
			meaning: "how long before a verification code can be asked for again",
		},
		{
			name: "PORTICO_PRIVACY", fallback: "spec", read: readPrivacy,
			meaning: "spec or strict: strict answers unknown, wrong and locked alike",
		},
		{
			name: "PORTICO_PASSWORD_MIN", fallback: "6", read: readPasswordMin,
			meaning: "least length of new passwords, 6 to 20",
		},
		{
			name: "PORTICO_PASSWORD_CHARS", fallback: "A-Za-z0-9@._", read: readPasswordChars,
			meaning: "characters of new passwords: A-Za-z0-9@._ or any (then up to 64)",
		},
		{
			name: "PORTICO_AUDIT_KEEP", fallback: "400d", read: readAuditKeep,
			meaning: "how long events stay in the audit log, in days: 1d to 36500d",
		},
		{
			name: "PORTICO_LIMITS", fallback: "on", read: readLimits,
			meaning: "off in load tests only; production refuses off",
		},
	}
}

func readEnv(c *Config, value string) error {
	if value != "dev" && value != "production" {
		return errors.New("accepted are dev and production")
	}
	c.Production = value == "production"
	if c.Production {
		c.Server.Drain = 5 * time.Second
	}
	return nil
}

// environmentRule matches the name of an environment.
var environmentRule = regexp.MustCompile(`^[A-Za-z0-9._-]{0,40}$`)

func readEnvName(c *Config, value string) error {
	if !environmentRule.MatchString(value) {
		return errors.New("accepted are up to 40 letters, digits, dots, hyphens and underscores")
	}
	c.Environment = value
	return nil
}

// logLevels are the values of PORTICO_LOG.
var logLevels = map[string]slog.Level{
	"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError,
}

func readLog(c *Config, value string) error {
	level, ok := logLevels[value]
	if !ok {
		return errors.New("accepted are debug, info, warn and error")
	}
	c.Log = level
	return nil
}

func readRegister(c *Config, value string) error {
	if value != "open" && value != "closed" {
		return errors.New("accepted are open and closed")
	}
	c.CompaniesClosed = value == "closed"
	return nil
}

func readAddr(c *Config, value string) error {
	c.Server.Address = value
	if value == "" {
		c.Server.Address = "127.0.0.1:8080"
		if c.Production {
			c.Server.Address = ":8080"
		}
	}
	if i := strings.LastIndexByte(c.Server.Address, ':'); i < 0 || i == len(c.Server.Address)-1 {
		return errors.New("accepted is HOST:PORT or :PORT")
	}
	return nil
}

func readMetrics(c *Config, value string) error {
	c.Server.Metrics = value
	if i := strings.LastIndexByte(value, ':'); value != "" && (i < 0 || i == len(value)-1) {
		return errors.New("accepted is HOST:PORT, like 127.0.0.1:9090")
	}
	return nil
}

func readBase(c *Config, value string) error {
	u, err := url.Parse(value)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil ||
		strings.Trim(u.Path, "/") != "" || u.RawQuery != "" {
		return errors.New("accepted is a scheme and a host, like https://example.com")
	}
	if host, ok := access.NormalHost(u.Host); !ok || host != u.Hostname() {
		return errors.New("accepted is a lower-case host name, like https://example.com")
	}
	if c.Production && u.Scheme != "https" {
		return errors.New("production needs an https base")
	}
	u.Path = ""
	c.Base = u
	return nil
}

func readDatabase(c *Config, value string) error {
	c.Database.Address = value
	if path, ok := strings.CutPrefix(value, "sqlite:"); ok && path != "" {
		c.Secrets.KeyFile = filepath.Join(filepath.Dir(path), "secret")
		return nil
	}
	c.Secrets.KeyFile = "data/secret"
	if !isPostgres(value) {
		return errors.New("accepted are sqlite:PATH and postgres://…")
	}
	return checkPostgres(value)
}

// checkPostgres refuses an address of Postgres that cannot be read. Its password may stand anywhere in such an address,
// so the error repeats no part of it except the names of missing files.
func checkPostgres(address string) error {
	_, err := pool.Parse(address)
	if _, malformed := url.Parse(address); err != nil && malformed != nil || hasUnescapedSign(address) {
		return errors.New("accepted is postgres://NAME:PASSWORD@HOST:PORT/DATABASE; in the name and the password " +
			"write # as %23, / as %2F, ? as %3F, @ as %40, : as %3A and % as %25")
	}
	if err == nil || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) { // opening it says which file
		return nil
	}
	if reason := errors.Unwrap(err); reason != nil {
		return fmt.Errorf("accepted is an address that Postgres understands: %w", reason)
	}
	return errors.New("accepted is an address that Postgres understands, like postgres://NAME:PASSWORD@HOST/DATABASE")
}

func isPostgres(address string) bool {
	return strings.HasPrefix(address, "postgres://") || strings.HasPrefix(address, "postgresql://")
}

// readDatabasePool reads a list like max=16,idle=8,age=30m. What it leaves out keeps its default.
func readDatabasePool(c *Config, value string) error {
	accepted := errors.New("accepted are max=1 to 1000, idle=1 to max and age=1m or longer, each at most once, " +
		"like max=16,idle=8,age=30m")
	c.Database.Pool = pool.Default
	if value == "" {
		return nil
	}
	given := map[string]bool{}
	for part := range strings.SplitSeq(value, ",") {
		name, amount, _ := strings.Cut(part, "=")
		var err error
		switch name {
		case "max":
			c.Database.Pool.Max, err = strconv.Atoi(amount)
		case "idle":
			c.Database.Pool.Idle, err = strconv.Atoi(amount)
		case "age":
			c.Database.Pool.Age, err = time.ParseDuration(amount)
		default:
			return accepted
		}
		if err != nil || given[name] {
			return accepted
		}
		given[name] = true
	}
	if !given["idle"] {
		c.Database.Pool.Idle = min(c.Database.Pool.Idle, c.Database.Pool.Max)
	}
	pool := c.Database.Pool
	if pool.Max < 1 || pool.Max > 1000 || pool.Idle < 1 || pool.Idle > pool.Max || pool.Age < time.Minute {
		return accepted
	}
	return nil
}

func readDatabaseReplica(c *Config, value string) error {
	c.Database.Replica = value
	if value == "" {
		return nil
	}
	if strings.HasPrefix(c.Database.Address, "sqlite:") {
		return errors.New("SQLite has no replicas: leave it empty")
	}
	if !isPostgres(value) {
		return errors.New("accepted is postgres://…")
	}
	return checkPostgres(value)
}

// readUploads opens an object store only to find mistakes in its address; main opens it again to use it.
func readUploads(c *Config, value string) (err error) {
	c.Uploads = value
	if path, ok := strings.CutPrefix(value, "dir:"); ok && path != "" {
		return nil
	}
	_, err = gateway.NewS3(value)
	return err
}

// checkParts returns a function that checks credentials of a number of parts, separated by colons.
func checkParts(parts int) func(*Config, string) error {
	return func(_ *Config, value string) error {
		given := strings.Split(value, ":")
		if value != "" && (len(given) != parts || slices.Contains(given, "")) {
			return fmt.Errorf("accepted are %d parts separated by colons", parts)
		}
		return nil
	}
}

func readResend(c *Config, value string) error {
	d, err := time.ParseDuration(value)
	if err != nil || d < time.Second || d > time.Hour {
		return errors.New("accepted is a duration from 1s to 1h")
	}
	c.SignIn.CodeResend = d
	return nil
}

// mostDaysKept is the longest time that audit events may be kept, in days: some hundred years.
const mostDaysKept = 36_500

func readAuditKeep(c *Config, value string) error {
	number, isDays := strings.CutSuffix(value, "d")
	days, err := strconv.Atoi(number)
	if err != nil || !isDays || days < 1 || days > mostDaysKept {
		return errors.New("accepted is a number of days from 1d to 36500d")
	}
	c.AuditKept = time.Duration(days) * 24 * time.Hour
	return nil
}

func readBackup(c *Config, value string) error {
	if value == "" {
		return nil
	}
	to, err := backup.ParseCollection(value)
	if err != nil {
		return errors.New("accepted are dir:PATH and s3://KEY:SECRET@endpoint/bucket/prefix")
	}
	c.Backup = &backup.Schedule{To: to}
	return nil
}

// The limits of the schedule of backups.
const (
	leastBackupEvery = time.Hour
	mostBackupEvery  = 30 * 24 * time.Hour
	mostBackups      = 1000
)

func readBackupEvery(c *Config, value string) error {
	every, err := time.ParseDuration(value)
	if err != nil || every < leastBackupEvery || every > mostBackupEvery {
		return errors.New("accepted is a time from 1h to 720h")
	}
	if c.Backup != nil {
		c.Backup.Every = every
	}
	return nil
}

func readBackupKeep(c *Config, value string) error {
	keep, err := strconv.Atoi(value)
	if err != nil || keep < 1 || keep > mostBackups {
		return errors.New("accepted is a number from 1 to 1000")
	}
	if c.Backup != nil {
		c.Backup.Keep = keep
	}
	return nil
}

func readBackupAge(c *Config, value string) (err error) {
	if value != "" {
		c.BackupFor, err = backup.ParseRecipients(value)
	}
	return err
}

func readPasswordMin(c *Config, value string) error {
	n, err := strconv.Atoi(value)
	if err != nil || n < access.MinPassword || n > access.MaxPasswordTyped {
		return errors.New("accepted is a number from 6 to 20")
	}
	c.SignIn.Password.Min = n
	return nil
}

func readPasswordChars(c *Config, value string) error {
	if value != "any" && value != "A-Za-z0-9@._" {
		return errors.New("accepted are A-Za-z0-9@._ and any")
	}
	c.SignIn.Password.Any = value == "any"
	return nil
}

func readSupport(c *Config, value string) error {
	if value == "" {
		return nil
	}
	name, phone, _ := strings.Cut(value, ":")
	digits := strings.Trim(phone, "0123456789+- ")
	if name == "" || phone == "" || digits != "" {
		return errors.New("accepted is NAME:PHONE")
	}
	c.Support = access.Contact{Role: access.RoleSupport, Name: name, Phone: strings.TrimSpace(phone)}
	return nil
}

// appVersion is a variant of the native app with the oldest version that needs no update.
var appVersion = regexp.MustCompile(`^(ios|android)=(\d{1,5}(?:\.\d{1,5}){0,3})$`)

func readAppVersion(c *Config, value string) error {
	c.Apps.Versions = map[string]string{}
	for _, given := range strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' }) {
		parts := appVersion.FindStringSubmatch(given)
		if parts == nil {
			return errors.New("accepted are versions like ios=2.1,android=2.1")
		}
		c.Apps.Versions[parts[1]] = parts[2]
	}
	return nil
}

func readCounters(c *Config, value string) error {
	for _, given := range strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' }) {
		host, ok := access.NormalHost(given)
		_, notAddress := netip.ParseAddr(host)
		if !ok || host != given || !strings.Contains(host, ".") || strings.Contains(host, "_") || notAddress == nil {
			return errors.New("accepted are lower-case hosts like stats.example.com, separated by commas, " +
				"without https:// and port")
		}
		c.Counters = append(c.Counters, host)
	}
	return nil
}

// anOrigin matches an origin as browsers write it: lower case, without a path.
var anOrigin = regexp.MustCompile(`^[a-z][a-z0-9+.-]*://([a-z0-9-]+(\.[a-z0-9-]+)*|\[[0-9a-f:]+\])(:[1-9][0-9]{0,4})?$`)

func readOrigins(c *Config, value string) error {
	for _, origin := range strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' }) {
		if origin != "null" && !anOrigin.MatchString(origin) {
			return errors.New("accepted are null and lower-case origins without a path, like capacitor://localhost, " +
				"separated by commas")
		}
		if c.Production && strings.HasPrefix(origin, "http:") {
			return errors.New("production refuses http:, because anybody on the network could change the app's scripts")
		}
		if slices.Contains(c.Apps.Origins, origin) {
			return fmt.Errorf("%s is there twice", origin)
		}
		c.Apps.Origins = append(c.Apps.Origins, origin)
	}
	return nil
}

// noProxies is the value of PORTICO_TRUSTED_PROXIES for a program that callers reach directly.
const noProxies = "none"

func readProxies(c *Config, value string) error {
	if value == "" && c.Production {
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
		c.Server.TrustedProxies = append(c.Server.TrustedProxies, prefix)
	}
	return nil
}

func readPrivacy(c *Config, value string) error {
	if value != "spec" && value != "strict" {
		return errors.New("accepted are spec and strict")
	}
	c.SignIn.Strict = value == "strict"
	return nil
}

func readLimits(c *Config, value string) error {
	if value != "on" && value != "off" {
		return errors.New("accepted are on and off")
	}
	c.SignIn.NoLimit = value == "off"
	if c.SignIn.NoLimit && c.Production {
		return errors.New("production refuses off")
	}
	return nil
}
