package scale

import (
	"context"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"portico/deploy/deploytest"
	"portico/store/storetest"
)

// folderOf returns the folder with a server's files and socket.
func folderOf(t *testing.T, address string) string {
	t.Helper()
	at, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return at.Query().Get("host")
}

// killServer ends a database server at once, with kill -9.
func killServer(t *testing.T, address string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folderOf(t, address), "data", "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(first)
	if err != nil || pid < 2 {
		t.Fatal(first, err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}

// TestStandbyThatIsPromotedByHandTakesOver names two servers in the address, kills the first and promotes the second,
// which had to have each change before it was acknowledged.
func TestStandbyThatIsPromotedByHandTakesOver(t *testing.T) {
	one := storetest.Server(t)
	two := storetest.Standby(t, one)
	storetest.Execute(t, one, "ALTER SYSTEM SET synchronous_standby_names = '*'")
	storetest.Execute(t, one, "SELECT pg_reload_conf()")
	conn := connect(t, one)
	deploytest.WaitFor(t, "the synchronous standby", nil, func() error {
		var state string
		return conn.QueryRow(t.Context(), "SELECT sync_state FROM pg_stat_replication WHERE sync_state = 'sync'").
			Scan(&state)
	})
	both := "postgres://postgres@/postgres?target_session_attrs=read-write&host=" +
		url.QueryEscape(folderOf(t, one)+","+folderOf(t, two))
	p := deploytest.NewPlatform(t, both, "PORTICO_TRUSTED_PROXIES=127.0.0.1/32", "PORTICO_SMS_DAILY=100000")
	i := p.StartInstance(t, deploytest.Program(t))
	load := startFailoverLoad(t, p, deploytest.Front{Address: deploytest.At(i.Port).Address, Apart: true})
	killServer(t, one)
	storetest.Execute(t, two, "SELECT pg_promote()")
	if first := load.stop(t, time.Now()); first == 0 || first > 2*time.Second {
		t.Errorf("the first sign-in succeeded %s after the promotion", first)
	}
	load.check(t, two)
}

// TestServerThatIsKilledAndStartedAgainLosesNothing kills the only database server and starts it again.
func TestServerThatIsKilledAndStartedAgainLosesNothing(t *testing.T) {
	address := storetest.Server(t)
	folder := folderOf(t, address)
	_, attributes := postgresFolder(t)
	p := deploytest.NewPlatform(t, address, "PORTICO_TRUSTED_PROXIES=127.0.0.1/32", "PORTICO_SMS_DAILY=100000")
	i := p.StartInstance(t, deploytest.Program(t))
	load := startFailoverLoad(t, p, deploytest.Front{Address: deploytest.At(i.Port).Address, Apart: true})
	killServer(t, address)
	bins, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	start := func() *deploytest.Process {
		command := exec.Command(filepath.Join(bins[len(bins)-1], "postgres"), "-D", filepath.Join(folder, "data"),
			"-k", folder, "-c", "listen_addresses=", "-c", "max_connections=200")
		command.SysProcAttr, command.Dir = attributes, "/"
		return deploytest.Start(t, command)
	}
	// The processes of the killed server end by themselves; until then a new one does not start.
	server := start()
	deploytest.WaitFor(t, "the server", nil, func() error {
		if server.Ended() {
			server = start()
		}
		conn, err := pgx.Connect(t.Context(), address)
		if err == nil {
			err = conn.Close(context.WithoutCancel(t.Context()))
		}
		return err
	})
	if first := load.stop(t, time.Now()); first == 0 || first > 2*time.Second {
		t.Errorf("the first sign-in succeeded %s after the server was back", first)
	}
	load.check(t, address)
}
