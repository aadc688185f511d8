package command

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/config"
	"portico/e2e/testscope"
	"portico/portal/onboarding"
	"portico/store"
	"portico/store/storetest"
)

// refusalTime is how long a refusal may take: OperationTime, the wait for a core that hashes a password, and some time
// for a slow test machine. It is half as long as the statements that the tests make slow.
const refusalTime = store.OperationTime + 7*time.Second

// visitor is a browser that reaches every host at one server.
type visitor struct {
	t      *testing.T
	client *http.Client
}

// startKey is the context key of the time at which the last request of a chain of redirects started.
type startKey struct{}

func newVisitor(t *testing.T, server string) *visitor {
	t.Helper()
	to, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, to.Host)
	}}
	t.Cleanup(transport.CloseIdleConnections)
	restart := func(r *http.Request, _ []*http.Request) error {
		*r.Context().Value(startKey{}).(*time.Time) = time.Now()
		return nil
	}
	return &visitor{t, &http.Client{Timeout: responseTimeout, Jar: jar, Transport: transport, CheckRedirect: restart}}
}

// page is the response after all redirects, with its URL and the duration of the last request.
type page struct {
	status int
	url    *url.URL
	took   time.Duration
}

// do makes a request and follows the redirects.
func (v *visitor) do(method, address string, form url.Values) page {
	v.t.Helper()
	start := time.Now()
	ctx := context.WithValue(v.t.Context(), startKey{}, &start)
	r, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(form.Encode()))
	if err != nil {
		v.t.Fatal(err)
	}
	if method == "POST" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	answer, err := v.client.Do(r)
	if err != nil {
		v.t.Errorf("%s %s: %v", method, address, err)
		return page{}
	}
	defer func() { _ = answer.Body.Close() }()
	_, _ = io.Copy(io.Discard, answer.Body)
	if answer.StatusCode == http.StatusServiceUnavailable && answer.Header.Get("Retry-After") == "" {
		v.t.Errorf("%s %s: 503 without Retry-After", method, address)
	}
	return page{answer.StatusCode, answer.Request.URL, time.Since(start)}
}

func (v *visitor) get(address string) page { v.t.Helper(); return v.do("GET", address, nil) }

// signIn signs a demo phone in and follows the redirects. With a single account they lead to its landing page.
func (v *visitor) signIn(login string) page {
	v.t.Helper()
	return v.do("POST", "http://account.localhost:8080/login",
		url.Values{"phone": {login}, "password": {onboarding.DemoPassword}})
}

// signInToLanding signs a demo phone in and returns the URL of its landing page. It fails the test when another page is
// shown.
func (v *visitor) signInToLanding(login string) string {
	v.t.Helper()
	p := v.signIn(login)
	if p.status != http.StatusOK || path.Base(p.url.Path) != "home" {
		v.t.Fatalf("the sign-in of %s led to %d %s", login, p.status, p.url)
	}
	return p.url.String()
}

// wantBusy checks that the page was refused as busy within refusalTime.
func (p page) wantBusy(t *testing.T, what string) {
	t.Helper()
	if p.status != http.StatusServiceUnavailable || p.took > refusalTime {
		t.Errorf("%s: %d after %v, want 503 within %v", what, p.status, p.took, refusalTime)
	}
}

// wantOK checks that the page was shown within refusalTime.
func (p page) wantOK(t *testing.T, what string) {
	t.Helper()
	if p.status != http.StatusOK || p.took > refusalTime {
		t.Errorf("%s: %d after %v", what, p.status, p.took)
	}
}

// readyCacheTime is how long a test waits until /readyz checks the database again: twice as long as the server reuses
// the result of a check.
const readyCacheTime = 400 * time.Millisecond

// wantReady checks that /readyz answers 200 within five seconds. It tries again, because a single check can exceed its
// second on a busy machine.
func wantReady(t *testing.T, site, cause string) {
	t.Helper()
	deadline := time.Now().Add(5 * time.Second)
	status, took := probe(t, site, "/readyz")
	for status != http.StatusOK && time.Now().Before(deadline) {
		time.Sleep(readyCacheTime)
		status, took = probe(t, site, "/readyz")
	}
	if status != http.StatusOK {
		t.Errorf("/readyz in spite of %s: %d after %v", cause, status, took)
	}
}

// wantRecovery waits at most five seconds until the site is ready and shows a page again.
func (v *visitor) wantRecovery(site, address string) {
	v.t.Helper()
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		if ready, _ := probe(v.t, site, "/readyz"); ready == http.StatusOK && v.get(address).status == http.StatusOK {
			return
		}
		if time.Now().After(deadline) {
			v.t.Fatalf("%s is not back after 5 s", address)
		}
	}
}

// waitingStatements returns the number of the program's statements that run or wait on the database server.
func waitingStatements(t *testing.T, admin *sql.DB) int {
	t.Helper()
	var n int
	err := admin.QueryRowContext(t.Context(), `SELECT COUNT(*) FROM pg_stat_activity
		WHERE datname = current_database() AND pid <> pg_backend_pid()
			AND (state = 'active' OR state LIKE 'idle in transaction%') AND query NOT LIKE 'LOCK %'`).Scan(&n)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// wantNoWaitingStatement checks that within two seconds no statement of the program runs on the database server.
func wantNoWaitingStatement(t *testing.T, admin *sql.DB) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		n := waitingStatements(t, admin)
		if n == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Errorf("%d statements are left on the server", n)
			return
		}
	}
}

// openAdmin opens a connection to Postgres beside those of the program.
func openAdmin(t *testing.T, address string) *sql.DB {
	t.Helper()
	admin, err := sql.Open("pgx", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = admin.Close() })
	return admin
}

func TestLockedTableIsRefusedInTimeWhileInstancesStayReady(t *testing.T) {
	testscope.OnlyInAll(t, "it waits until a database in trouble is given up")
	t.Parallel()
	for _, table := range []string{"sessions", "session_slots"} {
		t.Run(table, func(t *testing.T) {
			address := storetest.PostgresURL(t)
			site, other := demoSite(t, "PORTICO_DATABASE="+address), demoSite(t, "PORTICO_DATABASE="+address)
			signedIn := newVisitor(t, site)
			landing := signedIn.signInToLanding("13800000001")
			admin := openAdmin(t, address)
			lock, err := admin.BeginTx(t.Context(), nil)
			if err == nil {
				_, err = lock.ExecContext(t.Context(), "LOCK TABLE "+table)
			}
			if err != nil {
				t.Fatal(err)
			}
			var group sync.WaitGroup
			for range 40 { // more than the pool has connections
				group.Go(func() { signedIn.get(landing).wantBusy(t, "a landing page") })
			}
			group.Go(func() { newVisitor(t, site).signIn("13800000001").wantBusy(t, "a sign-in") })
			for range 8 {
				time.Sleep(300 * time.Millisecond)
				for _, s := range []string{site, other} {
					wantReady(t, s, "a locked table")
				}
			}
			group.Wait()
			wantNoWaitingStatement(t, admin)
			if err := lock.Rollback(); err != nil {
				t.Fatal(err)
			}
			signedIn.get(landing).wantOK(t, "the landing page after the lock")
			newVisitor(t, site).signInToLanding("13800000001")
		})
	}
}

func TestRequestWithManySlowStatementsEndsInTime(t *testing.T) {
	testscope.OnlyInAll(t, "it waits until a database in trouble is given up")
	t.Parallel()
	line, address := storetest.NewLine(t, storetest.PostgresURL(t))
	site := demoSite(t, "PORTICO_DATABASE="+address)
	visitor := newVisitor(t, site)
	landing := visitor.signInToLanding("13800000001")
	visitor.get("http://account.localhost:8080/login").wantOK(t, "a sign-in page")

	line.Delay(100 * time.Millisecond)
	visitor.get(landing).wantOK(t, "a landing page at 100 ms a statement")
	newVisitor(t, site).get("http://store1003.localhost:8080/login").wantOK(t, "a sign-in page at 100 ms a statement")
	if p := newVisitor(t, site).signIn("13800000001"); p.took > 2*refusalTime || p.status != 200 && p.status != 503 {
		t.Errorf("a sign-in at 100 ms a statement: %d after %v", p.status, p.took)
	}
	wantReady(t, site, "100 ms a statement")

	line.Delay(900 * time.Millisecond) // each operation is in time, and all of them are not
	newVisitor(t, site).signIn("13800000001").wantBusy(t, "a sign-in at 900 ms a statement")
	visitor.get(landing).wantBusy(t, "a landing page at 900 ms a statement")

	line.Delay(store.OperationTime)
	visitor.get(landing).wantBusy(t, "a landing page at 3 s a statement")
	newVisitor(t, site).get("http://account.localhost:8080/login").wantOK(t, "a kept sign-in page at 3 s a statement")

	line.Delay(0)
	visitor.wantRecovery(site, landing)
	newVisitor(t, site).signInToLanding("13800000001")
}

func TestLostDatabaseIsRefusedAtOnceAndReconnected(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "it waits until a database in trouble is given up")
	address := storetest.PostgresURL(t)
	line, over := storetest.NewLine(t, address)
	site := demoSite(t, "PORTICO_DATABASE="+over)
	visitor := newVisitor(t, site)
	landing := visitor.signInToLanding("13800000001")
	for fault, set := range map[string]func(on bool){"reset": line.Reset, "silent": line.Silence} {
		t.Run(fault, func(t *testing.T) {
			set(true)
			visitor.get(landing).wantBusy(t, "a landing page")
			newVisitor(t, site).signIn("13800000001").wantBusy(t, "a sign-in")
			newVisitor(t, site).get("http://account.localhost:8080/login").wantOK(t, "the kept sign-in page")
			time.Sleep(readyCacheTime) // probes share the result of a check
			status, took := probe(t, site, "/readyz")
			if status != http.StatusServiceUnavailable || took > 2*time.Second {
				t.Errorf("/readyz: %d after %v", status, took)
			}
			set(false)
			visitor.wantRecovery(site, landing)
			newVisitor(t, site).signInToLanding("13800000001")
		})
	}
	t.Run("cut in the middle of an answer", func(t *testing.T) {
		line.CutAnswer(0)
		visitor.get(landing).wantOK(t, "a landing page")
		line.CutAnswer(0)
		if p := newVisitor(t, site).signIn("13800000001"); p.status != 200 && p.status != 503 {
			t.Errorf("a sign-in: %d", p.status)
		}
		line.CutAnswer(-1)
		newVisitor(t, site).signInToLanding("13800000001")
	})
}

func TestSlowStatementDelaysOnlyRequestsThatNeedIt(t *testing.T) {
	testscope.OnlyInAll(t, "it waits until a database in trouble is given up")
	t.Parallel()
	address := storetest.PostgresURL(t)
	site := demoSite(t, "PORTICO_DATABASE="+address)
	visitor := newVisitor(t, site)
	landing := visitor.signInToLanding("13800000001")
	storetest.Execute(t, address, `CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS
		$$ BEGIN PERFORM pg_sleep(20); RETURN NEW; END $$`)
	storetest.Execute(t, address, "CREATE TRIGGER slow BEFORE INSERT ON sessions FOR EACH ROW EXECUTE FUNCTION slow()")
	var group sync.WaitGroup
	for range 12 {
		group.Go(func() { newVisitor(t, site).signIn("13800000001").wantBusy(t, "a sign-in") })
	}
	time.Sleep(time.Second)
	visitor.get(landing).wantOK(t, "a landing page beside them")
	wantReady(t, site, "slow sign-ins")
	group.Wait()
	wantNoWaitingStatement(t, openAdmin(t, address))
	storetest.Execute(t, address, "DROP TRIGGER slow ON sessions")
	newVisitor(t, site).signInToLanding("13800000001")
}

func TestReadOnlyDatabaseIsNotReady(t *testing.T) {
	testscope.OnlyInAll(t, "it waits until a database in trouble is given up")
	t.Parallel()
	address := storetest.Server(t)
	site := demoSite(t, "PORTICO_DATABASE="+address)
	visitor := newVisitor(t, site)
	landing := visitor.signInToLanding("13800000001")
	storetest.Execute(t, address, "ALTER SYSTEM SET default_transaction_read_only = on")
	storetest.Execute(t, address, "SELECT pg_reload_conf()")
	for deadline := time.Now().Add(2 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if status, _ := probe(t, site, "/readyz"); status == http.StatusServiceUnavailable {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("ready for 2 s")
		}
	}
	for range 3 {
		newVisitor(t, site).signIn("13800000001").wantBusy(t, "a sign-in")
	}
	storetest.Execute(t, address, "ALTER SYSTEM RESET default_transaction_read_only")
	storetest.Execute(t, address, "SELECT pg_reload_conf()")
	visitor.wantRecovery(site, landing)
	newVisitor(t, site).signInToLanding("13800000001")
}

func TestSignInsWorkThroughPgBouncer(t *testing.T) {
	t.Parallel()
	address := storetest.PgBouncer(t, storetest.PostgresURL(t), 4)
	site, written := demoSiteWithLog(t, "PORTICO_DATABASE="+address) // migrates and loads the demo data through it
	phones := []string{"13800000001", "13800000002", "13800000003", "13800000012"}
	var group sync.WaitGroup
	var mu sync.Mutex
	statuses := map[int]int{}
	for i := range 24 {
		group.Go(func() {
			v := newVisitor(t, site)
			pages := []page{v.signIn(phones[i%len(phones)])}
			for try := 0; try < 10 && pages[0].status == http.StatusServiceUnavailable; try++ {
				time.Sleep(time.Second) // too many hashed a password on this machine
				pages[0] = v.signIn(phones[i%len(phones)])
			}
			for range 2 {
				pages = append(pages, v.get(pages[0].url.Scheme+"://"+pages[0].url.Host+pages[0].url.Path),
					v.get(fmt.Sprintf("http://store%d.localhost:8080/login", 1001+i%3)))
			}
			mu.Lock()
			defer mu.Unlock()
			for _, p := range pages {
				statuses[p.status]++
			}
		})
	}
	group.Wait()
	if statuses[http.StatusOK] != 120 {
		t.Errorf("120 pages: %v", statuses)
	}
	for line := range strings.Lines(written.String()) { // whatever the database has to do with
		if strings.Contains(line, `"level":"ERROR"`) || strings.Contains(line, `"status":500`) {
			t.Errorf("the log has: %s", line)
		}
	}
	wantReady(t, site, "the faults before")
	db, err := store.OpenMigrated(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	base := &url.URL{Scheme: "http", Host: "localhost:8080"}
	c := config.Config{
		Base: base, Secrets: config.Secrets{KeyFile: filepath.Join(t.TempDir(), "secret")},
		SMS: config.SMS{Providers: []string{"inbox"}},
	}
	p, _, err := newPortal(c, db, dependencies{log: newLog(c, io.Discard)})
	if err == nil {
		err = errors.Join(p.Sweep(t.Context()), db.Close())
	}
	if err != nil {
		t.Errorf("a sweep: %v", err)
	}
}
