package command

import (
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
	"strings"
	"time"

	"github.com/KimMachineGun/automemlimit/memlimit"

	"portico/api"
	"portico/config"
	"portico/gateway"
	"portico/pages"
	"portico/portal"
	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/pictures"
	"portico/server"
	"portico/server/tracing"
	"portico/standin"
	"portico/store"
	"portico/store/schema"
)

// openMigrated opens a database that has been migrated, for the commands that must not change its schema.
func openMigrated(ctx context.Context, c config.Config) (*store.DB, *portal.Portal, error) {
	db, err := store.OpenMigrated(ctx, c.Database.Address)
	if err != nil {
		return nil, nil, err
	}
	p, _, err := newPortal(c, db, dependencies{log: newLog(c, os.Stderr)})
	return db, p, err
}

// openMigrating creates the database if there is none and brings its schema to this program's version.
func openMigrating(ctx context.Context, c config.Config) (*store.DB, error) {
	db, err := store.OpenPool(ctx, c.Database.Address, c.Database.Pool)
	if err != nil {
		return nil, err
	}
	if err := db.MigrateWithProgress(ctx, logMigration); err != nil {
		_ = db.Close()
		return nil, err
	}
	return db, nil
}

// newLog returns a log with the level of PORTICO_LOG, whose lines name the request and trace that they belong to.
func newLog(c config.Config, out io.Writer) *slog.Logger {
	return slog.New(server.LogHandler(slog.NewJSONHandler(out, &slog.HandlerOptions{Level: c.Log})))
}

// dependencies are what newPortal passes to the portal. Commands that only change the database need the log alone.
type dependencies struct {
	log     *slog.Logger
	files   pictures.Files  // nil when the command keeps no files
	metrics *server.Metrics // nil when nothing is counted
	hash    core.HashCost   // of passwords; zero for the default
	tracer  *tracing.Tracer // nil when nothing is recorded
}

// newPortal makes the portal on a migrated database. It closes the database when it fails. The inbox keeps the messages
// that dev does not send; it is nil when PORTICO_SMS does not name it.
func newPortal(c config.Config, db *store.DB, with dependencies) (*portal.Portal, *gateway.Inbox, error) {
	secrets, err := c.Secrets.MasterKeys()
	if err != nil {
		_ = db.Close()
		return nil, nil, err
	}
	sender, inbox := newSender(c.SMS, with)
	providers := chatApps(c.ChatApps)
	var counted access.Counted
	if with.metrics != nil {
		counted = with.metrics.Counted()
		with.metrics.WatchDatabase(db, with.log)
		watchChatApps(with.metrics, &providers)
	}
	p, err := portal.New(portal.Options{
		DB: db, Base: c.Base, Secret: secrets[0], FormerSecrets: secrets[1:], Dev: !c.Production,
		Environment: c.Environment, Log: with.log, Files: with.files, Counted: counted,
		Strict: c.SignIn.Strict, NoLimit: c.SignIn.NoLimit, NoCompanies: c.CompaniesClosed,
		Resend: c.SignIn.CodeResend, Password: c.SignIn.Password,
		SendSMS: sendMessage(sender), Hash: with.hash,
		Messages: c.SMS.Daily, MessagesCompany: c.SMS.CompanyDaily,
		Providers: providers, FetchPicture: portraits(c.ChatApps),
		Support: c.Support, AuditKept: c.AuditKept, Counters: c.Counters,
	})
	if err != nil {
		_ = db.Close()
		return nil, nil, err
	}
	return p, inbox, nil
}

// The collector's settings, unless GOGC or GOMEMLIMIT say otherwise. A live heap of a few MiB would be collected many
// times a second at the default. Each password hash takes 19 MiB for a moment, and there is one for each core at once.
const (
	gcPercent     = 400
	memoryBase    = 44 << 20 // bytes
	memoryPerCore = 34 << 20 // bytes
)

func setMemoryLimit() {
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

// memoryLimit returns the soft memory limit of the garbage collector, in bytes, for a number of cores. In a small
// container it leaves a tenth of the memory for what the collector does not count. container is the container's limit
// in bytes, 0 for none.
func memoryLimit(cores int, container uint64) int64 {
	limit := int64(memoryBase + cores*memoryPerCore)
	if container > 0 && container/10*9 < uint64(limit) {
		return int64(container / 10 * 9)
	}
	return limit
}

// sites answers every request: the pages for people, the API for programs, and in dev the stand-in for WeChat and
// WeCom.
type sites struct {
	portal  *portal.Portal
	pages   *pages.Pages
	api     *api.API
	standin http.Handler // nil in production
}

func newSites(c config.Config, p *portal.Portal, log *slog.Logger, inbox *gateway.Inbox) (*sites, error) {
	s := &sites{portal: p, pages: pages.New(pages.Options{
		Portal: p, Base: c.Base, Production: c.Production, Log: log, Inbox: inboxMessages(inbox),
		Routed: server.SetRoute, AppVersions: c.Apps.Versions,
	})}
	if c.ChatApps.StandIn {
		s.standin = standin.New(standin.Options{
			Log: log, Home: c.Base.Scheme + "://account." + c.Base.Host,
			IsOwnOrigin: func(ctx context.Context, origin string) bool {
				own, err := p.Access.OwnOrigin(ctx, origin)
				return own && err == nil
			},
		})
	}
	var err error
	s.api, err = api.New(api.Options{
		Portal: p, Base: c.Base, Secrets: c.Secrets.Sign, Origins: c.Apps.Origins, Dev: !c.Production, Log: log,
		Routed: server.SetRoute,
	})
	return s, err
}

// ServeHTTP goes by the Host header, except for the stand-in, which is on every host. A request whose request line
// names a host too is never a call of the API, because that host may be another one.
func (s *sites) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.standin != nil && strings.HasPrefix(r.URL.Path, standin.Path) {
		server.SetPart(r, "standin")
		s.standin.ServeHTTP(w, r)
		return
	}
	only, too := s.portal.Access.ServesAPI(r.Host)
	if r.URL.Host == "" && (only || too && s.api.Serves(r.URL.Path)) {
		server.SetPart(r, "api")
		s.api.ServeHTTP(w, r)
		return
	}
	s.pages.ServeHTTP(w, r)
}

// newServer returns the HTTP server for a handler. requests gets one line per request.
func newServer(
	c config.Config, p *portal.Portal, sites http.Handler, log, requests *slog.Logger, m *server.Metrics,
) *server.Server {
	return server.New(server.Options{
		Portal: p, Handler: sites, Log: log, RequestLog: requests, Metrics: m, TrustedProxies: c.Server.TrustedProxies,
		Production: c.Production, NoLimit: c.SignIn.NoLimit, DrainTime: c.Server.Drain,
	})
}

// openFiles opens the file store for pictures. It fails when a directory cannot be written.
func openFiles(uploads string) (pictures.Files, error) {
	path, ok := strings.CutPrefix(uploads, "dir:")
	if !ok {
		return gateway.NewS3(uploads)
	}
	dir, err := gateway.NewDir(path)
	if err != nil {
		return nil, fmt.Errorf("PORTICO_UPLOADS=%q: accepted is a directory this program may write: %w", uploads, err)
	}
	return dir, nil
}

// sweepEvery is how often ended sessions, codes and counters are removed.
const sweepEvery = 5 * time.Minute

func runServe(ctx context.Context, c config.Config, out io.Writer, _ []string) error {
	return serveWithHashes(ctx, c, out, core.HashCost{})
}

// serveWithHashes serves until the context ends. Passwords are hashed at a cost, zero for the default: measurements of
// everything else set a low one.
func serveWithHashes(ctx context.Context, c config.Config, out io.Writer, hash core.HashCost) error {
	setMemoryLimit()
	if err := checkAddresses(c.Server); err != nil {
		return err
	}
	files, err := openFiles(c.Uploads)
	if err != nil {
		return err
	}
	db, err := openMigrating(ctx, c)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	log, m := newLog(c, os.Stderr), server.NewMetrics()
	if err := watchReplica(ctx, c, db, m, log); err != nil {
		return err
	}
	tracer, stopTracing := startTracing(ctx, c, log, m)
	defer stopTracing()
	with := dependencies{log, files, m, hash, tracer}
	p, inbox, err := newPortal(c, db, with)
	if err != nil {
		return err
	}
	if err := p.Start(ctx); err != nil {
		return err
	}
	defer p.Stop(context.WithoutCancel(ctx))
	handler, err := newSites(c, p, log, inbox)
	if err != nil {
		return err
	}
	lines := server.NewBatches(os.Stderr)
	defer func() { _ = lines.Close() }()
	s := newServer(c, p, handler, log, newLog(c, lines), m)
	s.Tracer = tracer
	if err := serveMetrics(ctx, c, m, db, p, log); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", c.Server.Address)
	if err != nil {
		return fmt.Errorf("PORTICO_ADDR=%q: %w", c.Server.Address, err)
	}
	if c.Production {
		logListening(log, listener.Addr())
	} else {
		printAddresses(ctx, out, c, p)
	}
	go sweep(ctx, p, with)
	go checkDomains(ctx, p, with)
	if c.Backup != nil {
		go scheduleBackups(ctx, c, db, with)
	}
	go handler.pages.CompressSignInPages(ctx)
	return s.Run(ctx, listener)
}

// checkAddresses fails when the program cannot listen at its addresses. It runs before the migration, because a program
// that cannot serve should not migrate the database.
func checkAddresses(c config.Server) error {
	for _, setting := range []struct{ name, address string }{
		{"PORTICO_ADDR", c.Address}, {"PORTICO_METRICS", c.Metrics},
	} {
		if setting.address == "" {
			continue
		}
		listener, err := net.Listen("tcp", setting.address)
		if err != nil {
			return fmt.Errorf("%s=%q: %w", setting.name, setting.address, err)
		}
		defer func() { _ = listener.Close() }() // at the return: with both open, equal addresses fail
	}
	return nil
}

// serveMetrics serves the metrics at the address of PORTICO_METRICS, if it is set.
func serveMetrics(
	ctx context.Context, c config.Config, m *server.Metrics, db *store.DB, p *portal.Portal, log *slog.Logger,
) error {
	if err := watch(m, db, p); err != nil {
		return err
	}
	if c.Server.Metrics == "" {
		return nil
	}
	return m.Serve(ctx, c.Server.Metrics, log)
}

// watch registers the values that the metrics read at each scrape.
func watch(m *server.Metrics, db *store.DB, p *portal.Portal) error {
	known, err := schema.Own()
	if err != nil {
		return err
	}
	b := readBuild()
	m.Watch(server.Program{Version: b.version, Commit: b.commit, Schema: len(known)}, db.Pools(), p)
	return nil
}

func sweep(ctx context.Context, p *portal.Portal, with dependencies) {
	ticker := time.NewTicker(sweepEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			began := time.Now()
			err := traceJob(ctx, with.tracer, "sweep", p.Sweep)
			if err != nil && !errors.Is(err, context.Canceled) {
				with.log.LogAttrs(ctx, slog.LevelError, "sweep failed", slog.Any("error", err))
			}
			with.log.LogAttrs(ctx, slog.LevelDebug, "sweep", slog.Int64("ms", time.Since(began).Milliseconds()))
		}
	}
}

// logListening logs that the program has started and accepts connections.
func logListening(log *slog.Logger, at net.Addr) {
	b := readBuild()
	log.Info("listening", slog.String("address", at.String()), slog.String("version", b.version),
		slog.String("commit", b.commit))
}

// checkDomainsEvery is how often the program looks for domains whose proof is due.
const checkDomainsEvery = 10 * time.Minute

func checkDomains(ctx context.Context, p *portal.Portal, with dependencies) {
	ticker := time.NewTicker(checkDomainsEvery)
	defer ticker.Stop()
	for {
		err := traceJob(ctx, with.tracer, "check domains", p.Branding.CheckDomains)
		if err != nil && !errors.Is(err, context.Canceled) {
			with.log.LogAttrs(ctx, slog.LevelError, "domain check failed", slog.Any("error", err))
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}
