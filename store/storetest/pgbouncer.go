package storetest

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"portico/e2e/testscope"
	"portico/store"
)

// PgBouncer starts a PgBouncer in transaction mode in front of a database, with that many connections to the server. It
// returns the address of the database through PgBouncer. Tests that need it run in make test-all only.
func PgBouncer(t testing.TB, address string, connections int) string {
	t.Helper()
	testscope.OnlyInAll(t, "it needs PgBouncer")
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		if program, err = exec.LookPath("/usr/sbin/pgbouncer"); err != nil {
			missing(t, "PgBouncer", err)
		}
	}
	to, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "portico-pgbouncer-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	port := testscope.FreePort()
	settings := fmt.Sprintf(`[databases]
* = host=%s user=postgres pool_size=%d
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %d
unix_socket_dir =
auth_type = any
pool_mode = transaction
max_client_conn = 200
`, to.Query().Get("host"), connections, port)
	file := filepath.Join(dir, "pgbouncer.ini")
	if err := os.WriteFile(file, []byte(settings), 0o644); err != nil {
		t.Fatal(err)
	}
	pooler := exec.Command(program, "-q", file)
	pooler.Dir = "/"
	if pooler.SysProcAttr, err = asPostgres(dir); err != nil {
		t.Fatal(err)
	}
	if err := pooler.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = pooler.Process.Signal(syscall.SIGQUIT)
		_ = pooler.Wait()
	})
	through := fmt.Sprintf("postgres://postgres@127.0.0.1:%d%s?sslmode=disable", port, to.Path)
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		db, err := store.Open(context.Background(), through)
		if err == nil {
			_ = db.Close()
			return through
		}
		if time.Now().After(deadline) {
			t.Fatalf("PgBouncer did not answer: %v", err)
		}
	}
}
