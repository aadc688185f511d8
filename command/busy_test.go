package command

import (
	"context"
	"database/sql"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/config"
	"portico/e2e/testscope"
	"portico/portal/onboarding"
	"portico/server"
	"portico/store/storetest"
)

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		Main()
		return
	}
	if os.Getenv(serveCheaply) != "" {
		os.Exit(serveWithCheapHashes())
	}
	storetest.Main(m)
}

// asProgram is an environment variable. With it the test binary runs as the program, so that tests can start processes.
const asProgram = "TEST_AS_PROGRAM"

// responseTimeout is the longest time that a person waits for a response.
const responseTimeout = 20 * time.Second

// sendSignIns sends a number of sign-ins at once and returns how many got each status. Status 0 means no response
// within responseTimeout.
func sendSignIns(t *testing.T, address string, many int) map[int]int {
	t.Helper()
	var mu sync.Mutex
	var group sync.WaitGroup
	statuses := map[int]int{}
	for range many {
		group.Go(func() {
			form := url.Values{"phone": {"13800000001"}, "password": {onboarding.DemoPassword}}
			r, _ := http.NewRequestWithContext(t.Context(), "POST", address+"/login", strings.NewReader(form.Encode()))
			r.Host = "account.localhost:8080"
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
			client := &http.Client{Timeout: responseTimeout, CheckRedirect: stay}
			answer, err := client.Do(r)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				statuses[0]++
				return
			}
			statuses[answer.StatusCode]++
			if answer.StatusCode == http.StatusServiceUnavailable && answer.Header.Get("Retry-After") == "" {
				t.Error("503 without Retry-After")
			}
			_, _ = io.Copy(io.Discard, answer.Body)
			_ = answer.Body.Close()
		})
	}
	group.Wait()
	return statuses
}

// probe requests a path and returns the status and the duration.
func probe(t *testing.T, address, path string) (status int, took time.Duration) {
	t.Helper()
	start := time.Now()
	answer, err := http.Get(address + path)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	return answer.StatusCode, time.Since(start)
}

// wantBusyAnswers checks that sign-ins are refused as busy, that /readyz answers 503 and /livez 200.
func wantBusyAnswers(t *testing.T, address string) {
	t.Helper()
	if statuses := sendSignIns(t, address, 60); statuses[http.StatusServiceUnavailable] != 60 {
		t.Errorf("60 sign-ins: %v", statuses)
	}
	if status, took := probe(t, address, "/readyz"); status != http.StatusServiceUnavailable || took > responseTimeout {
		t.Errorf("/readyz: %d after %v", status, took)
	}
	if status, took := probe(t, address, "/livez"); status != http.StatusOK || took > responseTimeout {
		t.Errorf("/livez: %d after %v", status, took)
	}
}

// wantRecovered waits until the program is ready and accepts sign-ins again.
func wantRecovered(t *testing.T, address string) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		if status, _ := probe(t, address, "/readyz"); status == http.StatusOK {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("not ready again")
		}
	}
	if statuses := sendSignIns(t, address, 1); statuses[http.StatusSeeOther] != 1 {
		t.Errorf("a sign-in afterwards: %v", statuses)
	}
}

func TestSignInsAreRefusedInTimeWhileSQLiteIsLocked(t *testing.T) {
	testscope.OnlyInAll(t, "it waits until a database in trouble is given up")
	path := filepath.Join(t.TempDir(), "p.db")
	site := demoSite(t, "PORTICO_DATABASE=sqlite:"+path)
	other, err := sql.Open("sqlite3", path+"?_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close() }()
	lock, err := other.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	wantBusyAnswers(t, site)
	if err := lock.Rollback(); err != nil {
		t.Fatal(err)
	}
	wantRecovered(t, site)
}

func TestSignInsAreRefusedInTimeWhilePostgresDoesNotAnswer(t *testing.T) {
	testscope.OnlyInAll(t, "it waits until a database in trouble is given up")
	line, address := storetest.NewLine(t, storetest.PostgresURL(t))
	site := demoSite(t, "PORTICO_DATABASE="+address)
	line.Silence(true)
	wantBusyAnswers(t, site)
	line.Silence(false)
	wantRecovered(t, site)
}

// demoSite serves the demo data without rate limits and returns the server's address.
func demoSite(t *testing.T, database string) string {
	t.Helper()
	address, _ := demoSiteWithLog(t, database)
	return address
}

// demoSiteWithLog also returns the log of the server, the pages and the API.
func demoSiteWithLog(t *testing.T, database string) (address string, written *syncBuffer) {
	t.Helper()
	c, err := config.Read([]string{database, "PORTICO_LIMITS=off"})
	if err != nil {
		t.Fatal(err)
	}
	c.Secrets.KeyFile = filepath.Join(t.TempDir(), "secret")
	db, err := openMigrating(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	p, inbox, err := newPortal(c, db, dependencies{log: newLog(c, io.Discard)})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Onboarding.LoadDemo(t.Context()); err != nil {
		t.Fatal(err)
	}
	written = new(syncBuffer)
	log := slog.New(slog.NewJSONHandler(written, nil))
	d, err := newSites(c, p, log, inbox)
	if err != nil {
		t.Fatal(err)
	}
	served := httptest.NewServer(newServer(c, p, d, log, log, server.NewMetrics()))
	t.Cleanup(served.Close)
	return served.URL, written
}

func TestDisconnectedClientIsNotLoggedAsError(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) { testHangUp(t, "sqlite:"+filepath.Join(t.TempDir(), "p.db")) })
	t.Run("postgres", func(t *testing.T) { testHangUp(t, storetest.PostgresURL(t)) })
}

func testHangUp(t *testing.T, database string) {
	t.Helper()
	address, written := demoSiteWithLog(t, "PORTICO_DATABASE="+database)
	form := url.Values{"phone": {"13800000001"}, "password": {onboarding.DemoPassword}}.Encode()
	var group sync.WaitGroup
	for i := range 300 {
		group.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i%60)*time.Millisecond/2)
			defer cancel()
			target := []struct{ method, host, path string }{
				{"POST", "account.localhost:8080", "/login"}, {"GET", "store1001.localhost:8080", "/login"},
				{"GET", "account.localhost:8080", "/nothing"},
				{"GET", "api.localhost:8080", "/v1/account/getAccountList"},
				{"POST", "account.localhost:8080", "/code"},
			}[i%5]
			r, _ := http.NewRequestWithContext(ctx, target.method, address+target.path, strings.NewReader(form))
			r.Host = target.host
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			if answer, err := http.DefaultClient.Do(r); err == nil {
				_ = answer.Body.Close()
			}
		})
	}
	group.Wait()
	time.Sleep(200 * time.Millisecond) // wait until the abandoned requests have ended
	if log := written.String(); strings.Contains(log, `"level":"ERROR"`) {
		t.Errorf("the log has errors:\n%s", log[strings.Index(log, `"level":"ERROR"`)-60:][:400])
	}
}
