package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/KimMachineGun/automemlimit/memlimit"

	"portico/api"
	"portico/gateway"
	"portico/locale"
	"portico/pages"
	"portico/portal"
	"portico/standin"
	"portico/store"
)

// open opens a database that has been migrated, for the commands that must not change its schema.
func open(ctx context.Context, c config) (*store.DB, *portal.Portal, error) {
	db, err := store.OpenMigrated(ctx, c.database)
	if err != nil {
		return nil, nil, err
	}
	p, _, _, err := newPortal(&c, db, nil, nil)
	return db, p, err
}

// openMigrating creates the database if there is none and brings its schema to this program's version.
func openMigrating(ctx context.Context, c config) (*store.DB, error) {
	db, err := store.OpenPool(ctx, c.database, c.pool)
	if err != nil {
		return nil, err
	}
	if err := db.MigrateWithProgress(ctx, logMigration); err != nil {
		_ = db.Close()
		return nil, err
	}
	return db, nil
}

// newPortal makes the portal on a migrated database, which it closes when it fails. inbox is where dev keeps messages
// instead of sending them, nil elsewhere. files and m are nil for commands that need none.
func newPortal(
	c *config, db *store.DB, files portal.Files, m *metrics,
) (*portal.Portal, *slog.Logger, *gateway.Inbox, error) {
	log := slog.New(slog.NewJSONHandler(os.Stderr, nil))
	if err := c.devSecret(); err != nil {
		_ = db.Close()
		return nil, nil, nil, err
	}
	sender, inbox := c.sms.sender(log, m)
	providers := c.wechat.providers()
	var counted portal.Counted
	if m != nil {
		counted = m.counted()
		m.watchChatApps(providers)
	}
	p, err := portal.New(portal.Options{
		DB: db, Base: c.base, Secret: c.secrets[0], FormerSecrets: c.secrets[1:], Dev: !c.production, Strict: c.strict, NoLimit: c.noLimit, Support: c.support, Log: log,
		Environment: c.environment, FetchPicture: c.wechat.pictures(),
		SendSMS: sending(sender), Providers: providers, Resend: c.resend, AuditKept: c.auditKept,
		Password: c.password, Messages: c.sms.daily, MessagesCompany: c.sms.companyDaily, Files: files,
		Counters: c.counters, Counted: counted,
	})
	if err != nil {
		_ = db.Close()
		return nil, nil, nil, err
	}
	return p, log, inbox, nil
}

// The collector's settings, unless GOGC or GOMEMLIMIT say otherwise. A live heap of a few MiB would be collected many
// times a second at the default. Each password hash takes 19 MiB for a moment, and there is one for each core at once.
const (
	gcPercent     = 400
	memoryBase    = 64 << 20 // bytes
	memoryPerCore = 32 << 20 // bytes
)

func tuneCollector() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		container, err := memlimit.FromCgroup()
		if err != nil { // there is no container, or it has no limit
			container = 0
		}
		debug.SetMemoryLimit(memoryLimit(runtime.GOMAXPROCS(0), container))
	}
}

// memoryLimit is the soft limit of the collector, in bytes, for a number of cores. It leaves a tenth of the memory of a
// small container to what the collector does not count. container is the container's limit in bytes, 0 for none.
func memoryLimit(cores int, container uint64) int64 {
	limit := int64(memoryBase + cores*memoryPerCore)
	if container > 0 && container/10*9 < uint64(limit) {
		return int64(container / 10 * 9)
	}
	return limit
}

// doors are the two ways in: pages for people, the API for programs. The host decides. In dev the stand-in for WeChat is there
// on every host.
type doors struct {
	portal  *portal.Portal
	pages   *pages.Pages
	api     *api.API
	standin http.Handler // nil in production
}

func newDoors(c config, p *portal.Portal, log *slog.Logger, inbox *gateway.Inbox) (*doors, error) {
	d := &doors{portal: p, pages: pages.New(pages.Options{
		Portal: p, Base: c.base, Production: c.production, Log: log, Inbox: inboxMessages(inbox), Routed: noteRoute,
		AppVersions: c.appVersions,
	})}
	if c.wechat.standin {
		d.standin = standin.New(standin.Options{Log: log, Home: c.base.Scheme + "://account." + c.base.Host, Own: func(ctx context.Context, origin string) bool {
			own, err := p.OwnOrigin(ctx, origin)
			return own && err == nil
		}})
	}
	var err error
	d.api, err = api.New(api.Options{
		Portal: p, Base: c.base, Secrets: c.signSecrets, Origins: c.origins, Dev: !c.production, Log: log,
		Routed: noteRoute,
	})
	return d, err
}

// ServeHTTP goes by the Host header; an absolute request line may name another one and is no call.
func (d *doors) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if d.standin != nil && strings.HasPrefix(r.URL.Path, standin.Path) {
		noteDoor(r, "standin")
		d.standin.ServeHTTP(w, r)
		return
	}
	only, too := d.portal.ServesAPI(r.Host)
	if r.URL.Host == "" && (only || too && d.api.Serves(r.URL.Path)) {
		noteDoor(r, "api")
		d.api.ServeHTTP(w, r)
		return
	}
	d.pages.ServeHTTP(w, r)
}

// files opens where pictures are kept. A directory that cannot be written stops the start.
func (c config) files() (portal.Files, error) {
	path, ok := strings.CutPrefix(c.uploads, "dir:")
	if !ok {
		return gateway.NewS3(c.uploads)
	}
	dir, err := gateway.NewDir(path)
	if err != nil {
		return nil, fmt.Errorf("PORTICO_UPLOADS=%q: accepted is a directory this program may write: %w", c.uploads, err)
	}
	return dir, nil
}

// sweepEvery is how often ended sessions, codes and counters are removed.
const sweepEvery = 5 * time.Minute

func runServe(ctx context.Context, c config, out io.Writer, _ []string) error {
	tuneCollector()
	files, err := c.files()
	if err != nil {
		return err
	}
	db, err := openMigrating(ctx, c)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	m := newMetrics()
	p, log, inbox, err := newPortal(&c, db, files, m)
	if err != nil {
		return err
	}
	if err := p.Start(ctx); err != nil {
		return err
	}
	defer p.Stop(context.WithoutCancel(ctx))
	d, err := newDoors(c, p, log, inbox)
	if err != nil {
		return err
	}
	lines := newBatches(os.Stderr)
	defer func() { _ = lines.Close() }()
	s := newServer(c, p, d, log, slog.New(slog.NewJSONHandler(lines, nil)), m)
	listener, err := net.Listen("tcp", c.addr)
	if err != nil {
		return fmt.Errorf("PORTICO_ADDR=%q: %w", c.addr, err)
	}
	if c.production {
		logListening(log, listener.Addr())
	} else {
		printAddresses(ctx, out, c, p)
	}
	if err := m.watch(db, p); err != nil {
		return err
	}
	if err := serveMetrics(ctx, c.metrics, m, log); err != nil {
		return err
	}
	go sweep(ctx, p, log)
	go checkDomains(ctx, p, log)
	go d.pages.CompressSignInPages(ctx)
	return s.run(ctx, listener)
}

func sweep(ctx context.Context, p *portal.Portal, log *slog.Logger) {
	ticker := time.NewTicker(sweepEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if err := p.Sweep(ctx); err != nil && !errors.Is(err, context.Canceled) {
				log.LogAttrs(ctx, slog.LevelError, "sweep failed", slog.Any("error", err))
			}
		}
	}
}

// logListening says that the program has started and accepts connections.
func logListening(log *slog.Logger, at net.Addr) {
	b := readBuild()
	log.Info("listening", slog.String("address", at.String()), slog.String("version", b.version),
		slog.String("commit", b.commit))
}

// checkDomainsEvery is how often the program looks for domains whose proof is due.
const checkDomainsEvery = 10 * time.Minute

func checkDomains(ctx context.Context, p *portal.Portal, log *slog.Logger) {
	ticker := time.NewTicker(checkDomainsEvery)
	defer ticker.Stop()
	for {
		if err := p.CheckDomains(ctx); err != nil && !errors.Is(err, context.Canceled) {
			log.LogAttrs(ctx, slog.LevelError, "domain check failed", slog.Any("error", err))
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

func runDemo(ctx context.Context, c config, out io.Writer, _ []string) error {
	if c.production {
		return errors.New("demo: production has no demo accounts")
	}
	db, p, err := open(ctx, c)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	if err := p.LoadDemo(ctx); err != nil {
		return err
	}
	fmt.Fprintln(out, "the demo data is loaded")
	return nil
}

// printAddresses tells a developer where to go and with which demo accounts.
func printAddresses(ctx context.Context, out io.Writer, c config, p *portal.Portal) {
	site := func(label string) string { return c.base.Scheme + "://" + label + c.base.Host }
	fmt.Fprintf(out, "Portico is at %s\n  account site    %s/login\n", c.base, site("account."))
	loaded, err := p.DemoLoaded(ctx)
	if err != nil || !loaded {
		fmt.Fprintln(out, "no demo data; load it with: portico demo")
		return
	}
	first, err := p.Company(ctx, portal.DemoCompany)
	if err != nil {
		return
	}
	fmt.Fprintf(out, "  %s        %s/login\n  mobile shop     %s/shop   mobile back office  %s/home\n  API             %s/docs   messages sent  %s/dev/inbox\n  WeChat, WeCom   %s%s\n\n", first.Name, site(fmt.Sprintf("store%d.", first.ID)), site("m."), site("mgr."), site("api."), site("account."), c.base, standin.Path)
	table := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	fmt.Fprintf(table, "DEMO PHONE OR LOGIN\tSHOWS\t(password of all: %s)\n", portal.DemoPassword)
	for _, row := range portal.DemoTable {
		fmt.Fprintf(table, "%s\t%s\t%s\n", row.Login, locale.English.T("demo."+row.Shows), locale.Chinese.T("demo."+row.Shows))
	}
	_ = table.Flush()
}

func runReseal(ctx context.Context, c config, out io.Writer, _ []string) error {
	db, p, err := open(ctx, c)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	done, err := p.Reseal(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "sealed with the first master key: %d credentials of companies, %d phones of applicants\n",
		done.Credentials, done.Applicants)
	if done.Lost > 0 {
		return fmt.Errorf("reseal: %d values cannot be opened with any key of PORTICO_SECRET; they count as not set up", done.Lost)
	}
	return nil
}

func runBackup(ctx context.Context, c config, out io.Writer, args []string) error {
	if len(args) != 1 {
		return errors.New("backup: name the file to write")
	}
	db, p, err := open(ctx, c)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	if err := p.Backup(ctx, args[0]); err != nil {
		return err
	}
	fmt.Fprintln(out, "wrote", args[0])
	return nil
}

func runCompany(ctx context.Context, c config, out io.Writer, args []string) error {
	if len(args) == 0 {
		return errors.New("company: name an action: list, show, enable, disable, renew, extend-trial, set")
	}
	db, p, err := open(ctx, c)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	if args[0] == "list" {
		all, err := p.Companies(ctx)
		printCompanies(out, all)
		return err
	}
	if len(args) < 2 {
		return fmt.Errorf("company %s: name the company's id", args[0])
	}
	id, ok := portal.DecimalID(args[1])
	if !ok {
		return fmt.Errorf("company %s: %q is not an id", args[0], args[1])
	}
	if err := changeCompany(ctx, p, id, args[0], args[2:]); err != nil {
		return fmt.Errorf("company %s %d: %w", args[0], id, err)
	}
	company, err := p.Company(ctx, id)
	if err != nil {
		return fmt.Errorf("company %d: %w", id, err)
	}
	printCompanies(out, []store.Company{company})
	return nil
}

// maxSettingLine is the longest value read from the standard input, in bytes.
const maxSettingLine = 4096

// changeCompany changes one company; a value of "-" is read from the standard input, so that no secret stands in the list of processes.
func changeCompany(ctx context.Context, p *portal.Portal, id int64, action string, args []string) error {
	switch {
	case action == "show" && len(args) == 0:
		return nil
	case action == "enable" && len(args) == 0:
		return p.EnableCompany(ctx, id)
	case action == "disable" && len(args) == 0:
		return p.DisableCompany(ctx, id)
	case action == "renew" && len(args) == 1:
		day, err := time.ParseInLocation("2006-01-02", args[0], time.Local)
		if err != nil {
			return errors.New("name the last day as YYYY-MM-DD")
		}
		return p.RenewCompany(ctx, id, day.AddDate(0, 0, 1))
	case action == "extend-trial" && len(args) == 1:
		days, err := strconv.Atoi(args[0])
		if err != nil {
			return errors.New("name the number of days")
		}
		return p.ExtendTrial(ctx, id, days)
	case action == "set" && len(args) == 2 && args[1] == "-":
		value, err := readSetting(os.Stdin, args[0])
		if err != nil {
			return err
		}
		return p.SetCompany(ctx, id, args[0], value)
	case action == "set" && len(args) == 2:
		return p.SetCompany(ctx, id, args[0], args[1])
	}
	return errors.New("unknown action or wrong number of words; see portico company -h")
}

// readSetting reads the value of a setting: a line, or all there is of a style sheet.
func readSetting(from io.Reader, name string) (string, error) {
	if name == "style" {
		sheet, err := io.ReadAll(io.LimitReader(from, portal.MaxStyle+1))
		return string(sheet), err
	}
	line, err := bufio.NewReader(io.LimitReader(from, maxSettingLine)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	return strings.TrimSpace(line), nil
}

func printCompanies(out io.Writer, all []store.Company) {
	table := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	head := "ID\tNAME\tIN MESSAGES\tSTANDING\tENDS\tDISABLED\tMALL\tLANGUAGE\tTHEME\tDESKTOP DOMAIN\tCHAT APPS"
	fmt.Fprintln(table, head)
	for _, c := range all {
		ends := "never"
		if c.EndsAt != 0 {
			ends = c.EndsAt.Time().Format(time.DateOnly)
		}
		standing := string(c.Standing)
		if c.Sandbox {
			standing = "sandbox"
		}
		inMessages := "confirmed"
		if !portal.NameConfirmed(c) {
			inMessages = "not confirmed"
		}
		fmt.Fprintf(table, "%d\t%s\t%s\t%s\t%s\t%t\t%s\t%s\t%s\t%s\t%s\n", c.ID, c.Name, inMessages,
			standing, ends, c.Disabled, c.Mall, c.Language, c.Theme, c.PCDomain, cmp.Or(c.ChatDoors, "the platform's"))
	}
	_ = table.Flush()
}
