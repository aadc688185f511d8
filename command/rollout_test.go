package command

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"portico/config"
	"portico/e2e/testscope"
	"portico/portal/onboarding"
	"portico/server"
	"portico/store"
	"portico/store/schema"
	"portico/store/storetest"
)

// instance is one running program.
type instance struct {
	address string
	stop    func()       // stops it as SIGTERM does, and returns when it has ended
	served  atomic.Int64 // requests
}

// rollout is the database and the key file that all instances share.
type rollout struct {
	database, secretFile string
}

// start migrates the database as serve does, and serves. next is a migration that only newer programs know, "" for
// none.
func (r *rollout) start(t *testing.T, next string) (*instance, error) {
	t.Helper()
	c, err := config.Read([]string{"PORTICO_DATABASE=" + r.database, "PORTICO_LIMITS=off"})
	if err != nil {
		t.Fatal(err)
	}
	c.Secrets.KeyFile, c.Server.Drain = r.secretFile, time.Second
	db, err := store.Open(t.Context(), c.Database.Address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if db, err = db.WithMigrations(migrationsWith(t, next)); err != nil {
		t.Fatal(err)
	}
	if err := db.Migrate(t.Context()); err != nil {
		return nil, err
	}
	p, inbox, err := newPortal(c, db, dependencies{log: newLog(c, io.Discard)})
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	d, err := newSites(c, p, log, inbox)
	if err != nil {
		t.Fatal(err)
	}
	if loaded, err := p.Onboarding.DemoLoaded(t.Context()); err != nil || !loaded {
		if err := p.Onboarding.LoadDemo(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- newServer(c, p, d, log, log, server.NewMetrics()).Run(ctx, listener) }()
	i := &instance{address: "http://" + listener.Addr().String()}
	i.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("stop: %v", err)
		}
	})
	t.Cleanup(i.stop)
	return i, nil
}

// migrationsWith returns this program's migrations and, unless it is "", the migration next. {own} in next is replaced
// by this program's version and {next} by the following one.
func migrationsWith(t *testing.T, next string) fs.FS {
	t.Helper()
	files := fstest.MapFS{}
	names := migrationFiles(t)
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(name)] = &fstest.MapFile{Data: text}
	}
	if next != "" {
		versions := strings.NewReplacer("{own}", strconv.Itoa(len(names)), "{next}", strconv.Itoa(len(names)+1))
		files[fmt.Sprintf("%04d_next.sql", len(names)+1)] = &fstest.MapFile{Data: []byte(versions.Replace(next))}
	}
	return files
}

// ready reports whether /readyz answers 200.
func (i *instance) ready() bool {
	answer, err := http.Get(i.address + "/readyz")
	if err != nil {
		return false
	}
	_ = answer.Body.Close()
	return answer.StatusCode == http.StatusOK
}

// balancer sends requests in turn to the instances that were ready at its last check.
type balancer struct {
	mu        sync.Mutex
	instances []*instance
	ready     []*instance
	turn      int
	url       string
}

// checkEvery is how often the balancer requests /readyz. It is shorter than the drain time of an instance.
const checkEvery = 100 * time.Millisecond

// newBalancer starts a balancer without instances.
func newBalancer(t *testing.T) *balancer {
	b := &balancer{}
	served := httptest.NewServer(b)
	t.Cleanup(served.Close)
	b.url = served.URL
	ended := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		for {
			select {
			case <-ended:
				return
			case <-time.After(checkEvery):
				b.checkInstances()
			}
		}
	})
	t.Cleanup(func() { close(ended); group.Wait() })
	return b
}

func (b *balancer) add(all ...*instance) {
	b.mu.Lock()
	b.instances = append(b.instances, all...)
	b.mu.Unlock()
	b.checkInstances()
}

// checkInstances finds out which instances are ready.
func (b *balancer) checkInstances() {
	b.mu.Lock()
	instances := b.instances
	b.mu.Unlock()
	var ready []*instance
	for _, i := range instances {
		if i.ready() {
			ready = append(ready, i)
		}
	}
	b.mu.Lock()
	b.ready = ready
	b.mu.Unlock()
}

// next returns the instance for the next request, or nil when none is ready.
func (b *balancer) next() *instance {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.ready) == 0 {
		return nil
	}
	b.turn++
	return b.ready[b.turn%len(b.ready)]
}

func (b *balancer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	i := b.next()
	if i == nil {
		http.Error(w, "no instance is ready", http.StatusServiceUnavailable)
		return
	}
	i.served.Add(1)
	to, err := url.Parse(i.address)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	proxy := httputil.ReverseProxy{Rewrite: func(p *httputil.ProxyRequest) {
		p.SetURL(to)
		p.Out.Host = p.In.Host
	}}
	proxy.ServeHTTP(w, r)
}

// signInTraffic signs people in and shows their companies until the test ends.
type signInTraffic struct {
	done   atomic.Int64
	mu     sync.Mutex
	failed []string
	end    func()
}

func newTraffic(t *testing.T, address string) *signInTraffic {
	t.Helper()
	traffic := &signInTraffic{}
	ctx, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	for range 3 {
		group.Go(func() {
			for ctx.Err() == nil {
				if err := signInAndChoose(address); err != nil {
					traffic.mu.Lock()
					traffic.failed = append(traffic.failed, err.Error())
					traffic.mu.Unlock()
				}
				traffic.done.Add(1)
			}
		})
	}
	traffic.end = sync.OnceFunc(func() { cancel(); group.Wait() })
	t.Cleanup(traffic.end)
	return traffic
}

func signInAndChoose(address string) error {
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	client := &http.Client{Timeout: responseTimeout, CheckRedirect: stay}
	ask := func(method, path string, body io.Reader, cookies []*http.Cookie, want int) (*http.Response, error) {
		r, err := http.NewRequest(method, address+path, body)
		if err != nil {
			return nil, err
		}
		r.Host = "account.localhost:8080"
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		for _, cookie := range cookies {
			r.AddCookie(cookie)
		}
		answer, err := client.Do(r)
		if err != nil {
			return nil, err
		}
		defer func() { _ = answer.Body.Close() }()
		if _, err := io.Copy(io.Discard, answer.Body); err != nil {
			return nil, err
		}
		if answer.StatusCode != want {
			return nil, fmt.Errorf("%s %s: %d", method, path, answer.StatusCode)
		}
		return answer, nil
	}
	form := url.Values{"phone": {"13800000003"}, "password": {onboarding.DemoPassword}}
	signedIn, err := ask("POST", "/login", strings.NewReader(form.Encode()), nil, http.StatusSeeOther)
	if err != nil {
		return err
	}
	for range 3 {
		if _, err := ask("GET", "/company", nil, signedIn.Cookies(), http.StatusOK); err != nil {
			return err
		}
	}
	return nil
}

// waitForMore waits until the given number of further sign-ins have succeeded.
func (f *signInTraffic) waitForMore(t *testing.T, many int64) {
	t.Helper()
	from := f.done.Load()
	for deadline := time.Now().Add(time.Minute); f.done.Load() < from+many; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the sign-ins stand still")
		}
	}
}

func (r *rollout) mustStart(t *testing.T, next string) *instance {
	t.Helper()
	i, err := r.start(t, next)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func newRollout(t *testing.T) *rollout {
	return &rollout{database: storetest.PostgresURL(t), secretFile: filepath.Join(t.TempDir(), "secret")}
}

func TestRollOutOfCompatibleSchemaFailsNoRequest(t *testing.T) {
	testscope.OnlyInAll(t, "it starts several instances")
	r, b := newRollout(t), newBalancer(t)
	old := []*instance{r.mustStart(t, ""), r.mustStart(t, "")}
	b.add(old...)
	requests := newTraffic(t, b.url)
	requests.waitForMore(t, 10)

	const next = `-- compatible-from: {own}
		CREATE TABLE made_up (id INTEGER PRIMARY KEY, account_id INTEGER NOT NULL REFERENCES accounts (id)) STRICT;
		ALTER TABLE accounts ADD COLUMN made_up TEXT NOT NULL DEFAULT '';
		ALTER TABLE sessions ADD COLUMN made_up INTEGER;
		CREATE INDEX accounts_by_made_up ON accounts (made_up);
		-- whole table: the demo has few rows.
		UPDATE accounts SET made_up = name;
		DROP INDEX companies_sandboxes;`
	fresh := []*instance{r.mustStart(t, next)}
	time.Sleep(readyCacheTime)
	servedBefore := old[0].served.Load() + old[1].served.Load()
	if !old[0].ready() || !old[1].ready() {
		t.Fatal("the old instances are not ready")
	}
	requests.waitForMore(t, 10)
	if old[0].served.Load()+old[1].served.Load() == servedBefore {
		t.Error("the old instances served nothing beside the newer schema")
	}
	restarted := r.mustStart(t, "") // an old program may also start now
	fresh = append(fresh, r.mustStart(t, next))
	b.add(append(fresh, restarted)...)
	requests.waitForMore(t, 10)
	for _, i := range append(old, restarted) {
		i.stop()
	}
	requests.waitForMore(t, 10)
	requests.end()
	if len(requests.failed) > 0 {
		t.Errorf("%d of %d failed, first: %s", len(requests.failed), requests.done.Load(), requests.failed[0])
	}
	for _, i := range append(fresh, restarted) {
		if i.served.Load() == 0 {
			t.Error("an instance served nothing")
		}
	}
}

func TestInstanceIsNotReadyWithIncompatibleSchema(t *testing.T) {
	testscope.OnlyInAll(t, "it starts several instances")
	r := newRollout(t)
	old := r.mustStart(t, "")
	if !old.ready() {
		t.Fatal("not ready")
	}
	const next = "-- compatible-from: {next}\nALTER TABLE accounts ADD COLUMN made_up TEXT NOT NULL DEFAULT '';"
	fresh := r.mustStart(t, next)
	time.Sleep(readyCacheTime)
	if old.ready() {
		t.Error("the old instance is ready")
	}
	if !fresh.ready() {
		t.Error("the new instance is not ready")
	}
	if _, err := r.start(t, ""); !errors.Is(err, schema.ErrNewer) {
		t.Errorf("an old instance started: %v", err)
	}
}

func TestFiveInstancesStartOnAnEmptyDatabase(t *testing.T) {
	testscope.OnlyInAll(t, "it starts several instances")
	for name, database := range map[string]string{
		"sqlite":   "sqlite:" + filepath.Join(t.TempDir(), "p.db"),
		"postgres": storetest.PostgresURL(t),
	} {
		t.Run(name, func(t *testing.T) {
			secret := make([]byte, 32)
			_, _ = rand.Read(secret) // never fails
			environ := append(os.Environ(), asProgram+"=1", "PORTICO_DATABASE="+database,
				"PORTICO_SECRET="+base64.StdEncoding.EncodeToString(secret), "PORTICO_UPLOADS=dir:"+t.TempDir())
			var group sync.WaitGroup
			for range 5 {
				address := fmt.Sprintf("127.0.0.1:%d", testscope.FreePort())
				process := exec.CommandContext(t.Context(), os.Args[0], "serve")
				process.Env = append(environ, "PORTICO_ADDR="+address)
				log := new(strings.Builder)
				process.Stdout, process.Stderr = io.Discard, log
				if err := process.Start(); err != nil {
					t.Fatal(err)
				}
				group.Go(func() {
					i := &instance{address: "http://" + address}
					for deadline := time.Now().Add(time.Minute); !i.ready() && time.Now().Before(deadline); {
						time.Sleep(50 * time.Millisecond)
					}
					ready := i.ready()
					_ = process.Process.Signal(syscall.SIGTERM)
					if err := process.Wait(); err != nil || !ready {
						t.Errorf("ready %v, ended with %v:\n%s", ready, err, log)
					}
				})
			}
			group.Wait()
		})
	}
}
