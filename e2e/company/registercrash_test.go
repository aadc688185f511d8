package company

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"

	"portico/e2e/browser"
	"portico/e2e/program"
)

const (
	crashClients   = 8
	crashRounds    = 4 // PORTICO_CRASHES sets another number
	crashLongest   = 1500 * time.Millisecond
	restartLongest = 10 * time.Second
	crashPatience  = 30 * time.Second
)

// acknowledged is a registration that the server answered with success.
type acknowledged struct{ phone, company string }

// Eight clients register in a loop while the server is killed at random moments. Every company whose registration was
// answered is complete, no company is without its administrator, and the database is sound. The run is short here;
// PORTICO_CRASHES=200 makes it long.
func TestAnsweredRegistrationSurvivesKill9(t *testing.T) {
	if browser.Unavailable != "" {
		t.Skip(browser.Unavailable)
	}
	t.Parallel()
	rounds := crashRounds
	if n, err := strconv.Atoi(os.Getenv("PORTICO_CRASHES")); err == nil && n > 0 {
		rounds = n
	}
	s, err := program.Start(browser.Normal.Command.Path, filepath.Join(t.TempDir(), "crash"), "off")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Kill()
	c := &crasher{Server: s}
	c.next.Store(rand.Int64N(1000) * 10_000)
	for range rounds {
		c.round(t)
	}
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
	c.check(t)
	t.Logf("%d companies were acknowledged, %d requests died with the server", len(c.acked), c.died.Load())
	if len(c.acked) == 0 || c.died.Load() == 0 {
		t.Error("no registration was answered, or the server was not killed during one")
	}
}

// crasher is a server that is killed again and again.
type crasher struct {
	*program.Server
	next  atomic.Int64
	died  atomic.Int64
	mu    sync.Mutex
	acked []acknowledged
}

// round lets the clients register until it kills the server, and starts the server again.
func (c *crasher) round(t *testing.T) {
	t.Helper()
	over := make(chan struct{})
	var all sync.WaitGroup
	for range crashClients {
		all.Go(func() {
			for {
				select {
				case <-over:
					return
				default:
					c.registerOne(t)
				}
			}
		})
	}
	time.Sleep(100*time.Millisecond + rand.N(crashLongest))
	// On a busy machine the first registration may take long.
	for end := time.Now().Add(crashPatience); c.noneAnswered() && time.Now().Before(end); {
		time.Sleep(20 * time.Millisecond)
	}
	if err := c.Command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	close(over)
	<-c.Exited
	all.Wait()
	since := time.Now()
	if err := c.restart(); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(since); took > restartLongest {
		t.Errorf("the server took %s to come back", took)
	}
}

// noneAnswered reports whether no registration has been answered yet.
func (c *crasher) noneAnswered() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.acked) == 0
}

// restart starts the server on the database that the killed one has left.
func (c *crasher) restart() error {
	log, err := os.OpenFile(c.LogFile, os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	c.Command = exec.Command(c.Command.Path, "serve")
	c.Command.Env, c.Command.Stdout, c.Command.Stderr = c.Environ, io.Discard, log
	if err := c.Command.Start(); err != nil {
		return err
	}
	exited := make(chan error, 1)
	c.Exited = exited
	cmd := c.Command
	go func() { exited <- cmd.Wait() }()
	return c.AwaitReady()
}

// registerOne registers one company. A request that the kill interrupts is no failure, because its client received no
// answer.
func (c *crasher) registerOne(t *testing.T) {
	n := c.next.Add(1)
	phone, company := fmt.Sprintf("139%08d", n), fmt.Sprintf("海岸商行 %d", n)
	client := c.Client()
	defer client.CloseIdleConnections()
	code, err := c.codeFor(client, phone)
	if err != nil {
		c.died.Add(1)
		return
	}
	answer, err := client.PostForm(c.URL("account", "/register"), url.Values{
		"phone": {
			phone,
		},
		"code":         {code},
		"password":     {program.NewPassword},
		"name":         {"王小雨"},
		"company_name": {company},
		"agree":        {"1"},
	})
	if err != nil {
		c.died.Add(1)
		return
	}
	_ = answer.Body.Close()
	switch answer.StatusCode {
	case http.StatusSeeOther:
		c.mu.Lock()
		c.acked = append(c.acked, acknowledged{phone, company})
		c.mu.Unlock()
	case http.StatusServiceUnavailable: // more password hashes at once than the machine has cores
	default:
		t.Errorf("registering answers %d", answer.StatusCode)
	}
}

// codeFor requests a code and reads it from the inbox of dev mode.
func (c *crasher) codeFor(client *http.Client, phone string) (string, error) {
	answer, err := client.PostForm(c.URL("account", "/register"), url.Values{"phone": {phone}, "action": {"send_code"}})
	if err != nil {
		return "", err
	}
	_ = answer.Body.Close()
	answer, err = client.Get(c.URL("", "/dev/inbox.json?phone="+phone))
	if err != nil {
		return "", err
	}
	defer func() { _ = answer.Body.Close() }()
	var messages []struct{ Code string }
	if err := json.NewDecoder(answer.Body).Decode(&messages); err != nil {
		return "", err
	}
	if len(messages) == 0 {
		return "", errors.New("no message")
	}
	return messages[0].Code, nil
}

// check checks the database that the last server has left.
func (c *crasher) check(t *testing.T) {
	t.Helper()
	db, err := sqlx.Open("sqlite3", "file:"+c.DatabaseFile+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	ctx := context.Background()
	for _, pragma := range []string{"PRAGMA integrity_check", "PRAGMA foreign_key_check"} {
		var found []string
		rows, err := db.QueryxContext(ctx, pragma)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			values, err := rows.SliceScan()
			if err != nil {
				t.Fatal(err)
			}
			found = append(found, fmt.Sprint(values...))
		}
		if err := rows.Close(); err != nil {
			t.Fatal(err)
		}
		if text := strings.Join(found, " "); text != "" && text != "ok" {
			t.Errorf("%s: %s", pragma, text)
		}
	}
	count := func(query string, args ...any) (n int) {
		if err := db.GetContext(ctx, &n, query, args...); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		return n
	}
	for what, query := range map[string]string{
		"companies without an administrator": `SELECT COUNT(*) FROM companies c WHERE id > 1008 AND NOT EXISTS
			(SELECT 1 FROM accounts a WHERE a.company_id = c.id AND a.type = 1 AND a.phone_id IS NOT NULL)`,
		"companies without an accepted agreement": `SELECT COUNT(*) FROM companies c WHERE id > 1008 AND NOT EXISTS
			(SELECT 1 FROM acceptances a WHERE a.company_id = c.id)`,
		"people without a password": `SELECT COUNT(*) FROM phones
			WHERE phone LIKE '139%' AND password_hash = ''`,
		"people without a company": `SELECT COUNT(*) FROM phones p WHERE phone LIKE '139%' AND NOT EXISTS
			(SELECT 1 FROM accounts a WHERE a.phone_id = p.id)`,
		"proofs spent without a company": `SELECT COUNT(*) FROM registrations r WHERE NOT EXISTS
			(SELECT 1 FROM companies c WHERE c.id = r.company_id)`,
	} {
		if n := count(query); n != 0 {
			t.Errorf("%d %s", n, what)
		}
	}
	for _, a := range c.acked {
		if n := count(
			`SELECT COUNT(*) FROM companies c JOIN accounts a ON a.company_id = c.id JOIN phones p ON p.id = a.phone_id
				JOIN sessions s ON s.phone_id = p.id
			WHERE c.name = ? AND p.phone = ? AND a.type = 1 AND a.side = 'mgr' AND p.password_hash <> ''`,
			a.company,
			a.phone,
		); n != 1 {
			t.Errorf("the company of %s, which was acknowledged, is there %d times", a.company, n)
		}
	}
}
