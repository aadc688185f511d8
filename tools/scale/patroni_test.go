package scale

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"portico/deploy/deploytest"
	"portico/e2e/testscope"
)

// clusterPassword is the password of every role of the test's cluster.
const clusterPassword = "kanarienvogel"

// node is one database server with its Patroni.
type node struct {
	patroni        *deploytest.Process
	data           string
	port, restPort int
}

// cluster is two database servers with Patroni, etcd and HAProxy, from the samples of deploy/patroni.
type cluster struct {
	nodes       [2]*node
	primaryPort int
}

// postgresFolder returns a folder that belongs to the user postgres, and the attributes of programs that run as that
// user, because Postgres refuses to run as root.
func postgresFolder(t *testing.T) (string, *syscall.SysProcAttr) {
	t.Helper()
	dir, err := os.MkdirTemp("", "portico-cluster-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	attributes := &syscall.SysProcAttr{}
	if os.Geteuid() == 0 {
		owner, err := user.Lookup("postgres")
		if err != nil {
			t.Fatal(err)
		}
		uid, _ := strconv.Atoi(owner.Uid)
		gid, _ := strconv.Atoi(owner.Gid)
		attributes.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		if err := os.Chown(dir, uid, gid); err != nil {
			t.Fatal(err)
		}
	}
	return dir, attributes
}

func startCluster(t *testing.T) *cluster {
	t.Helper()
	etcd, patroni := deploytest.Tool(t, "etcd"), deploytest.Tool(t, "patroni")
	haproxy := deploytest.Tool(t, "haproxy")
	dir, attributes := postgresFolder(t)
	client, peer := testscope.FreePort(), testscope.FreePort()
	local := func(port int) string { return fmt.Sprintf("http://127.0.0.1:%d", port) }
	store := exec.Command(etcd, "--name", "one", "--data-dir", filepath.Join(dir, "etcd"),
		"--listen-client-urls", local(client), "--advertise-client-urls", local(client),
		"--listen-peer-urls", local(peer), "--initial-advertise-peer-urls", local(peer),
		"--initial-cluster", "one="+local(peer))
	deploytest.Start(t, store).Listens(t, client)

	c := &cluster{primaryPort: testscope.FreePort()}
	replicas := []string{
		"log /dev/log local0", "log stderr format raw local0",
		"127.0.0.1:5000", fmt.Sprintf("127.0.0.1:%d", c.primaryPort),
		"127.0.0.1:5001", fmt.Sprintf("127.0.0.1:%d", testscope.FreePort()),
	}
	bins, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	if len(bins) == 0 {
		t.Fatal("Postgres is not installed")
	}
	for i, name := range []string{"one", "two"} {
		n := &node{data: filepath.Join(dir, name), port: testscope.FreePort(), restPort: testscope.FreePort()}
		c.nodes[i] = n
		address := fmt.Sprintf("10.0.0.%d:5432 check port 8008", 11+i)
		replicas = append(replicas, address, fmt.Sprintf("127.0.0.1:%d check port %d", n.port, n.restPort))
		file := deploytest.WriteFile(t, dir, name+".yml", deploytest.Sample(t, "deploy/patroni/patroni.yml",
			"name: one", "name: "+name,
			"10.0.0.11:8008", fmt.Sprintf("127.0.0.1:%d", n.restPort),
			"hosts: 10.0.0.11:2379,10.0.0.12:2379,10.0.0.13:2379", fmt.Sprintf("hosts: 127.0.0.1:%d", client),
			"10.0.0.11:5432", fmt.Sprintf("127.0.0.1:%d", n.port),
			"10.0.0.10/24", "127.0.0.1/32",
			"/var/lib/postgresql/15/portico", n.data, "/usr/lib/postgresql/15/bin", bins[len(bins)-1],
			"SUPERUSER-PASSWORD", clusterPassword, "REPLICATION-PASSWORD", clusterPassword,
			"REWIND-PASSWORD", clusterPassword, "REST-PASSWORD", clusterPassword,
			"password_encryption: scram-sha-256", "password_encryption: scram-sha-256\n"+
				"    unix_socket_directories: "+dir))
		command := exec.Command(patroni, file)
		command.SysProcAttr, command.Dir = &syscall.SysProcAttr{Credential: attributes.Credential}, dir
		command.Env = append(os.Environ(), "HOME="+dir)
		n.patroni = deploytest.Start(t, command)
		t.Cleanup(n.kill)
		if i == 0 {
			deploytest.WaitFor(t, "the first leader", n.patroni, func() error { return n.is("/primary") })
		}
	}
	deploytest.WaitFor(t, "a synchronous standby", c.nodes[1].patroni, func() error { return c.nodes[1].is("/sync") })
	file := deploytest.WriteFile(t, dir, "haproxy.cfg", deploytest.Sample(t, "deploy/patroni/haproxy.cfg", replicas...))
	deploytest.Start(t, exec.Command(haproxy, "-f", file)).Listens(t, c.primaryPort)
	return c
}

// is returns nil when Patroni says that its server has a role: "/primary" or "/sync".
func (n *node) is(role string) error {
	answer, err := http.Get(fmt.Sprintf("http://127.0.0.1:%d%s", n.restPort, role))
	if err != nil {
		return err
	}
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %d", role, answer.StatusCode)
	}
	return nil
}

// kill ends the server and its Patroni at once, as a power cut does.
func (n *node) kill() {
	n.patroni.Kill()
	text, err := os.ReadFile(filepath.Join(n.data, "postmaster.pid"))
	if err != nil {
		return
	}
	first, _, _ := strings.Cut(string(text), "\n")
	if pid, err := strconv.Atoi(first); err == nil && pid > 1 {
		_ = syscall.Kill(pid, syscall.SIGKILL)
		_ = syscall.Kill(-pid, syscall.SIGKILL)
	}
}

// address returns the address of a database on the leader, through HAProxy.
func (c *cluster) address(role, database string) string {
	return fmt.Sprintf("postgres://%s:%s@127.0.0.1:%d/%s", role, clusterPassword, c.primaryPort, database)
}

// createDatabase adds the role portico with a database.
func (c *cluster) createDatabase(t *testing.T) {
	t.Helper()
	var conn *pgx.Conn
	deploytest.WaitFor(t, "the leader behind HAProxy", nil, func() (err error) {
		conn, err = pgx.Connect(t.Context(), c.address("postgres", "postgres"))
		return err
	})
	defer func() { _ = conn.Close(t.Context()) }()
	for _, statement := range []string{
		"CREATE ROLE portico LOGIN PASSWORD '" + clusterPassword + "'", "CREATE DATABASE portico OWNER portico",
	} {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPatroniFailoverLosesNothingThatWasAcknowledged kills the leading database server and its Patroni while people
// register and sign in.
func TestPatroniFailoverLosesNothingThatWasAcknowledged(t *testing.T) {
	c := startCluster(t)
	c.createDatabase(t)
	p := deploytest.NewPlatform(t, c.address("portico", "portico"), "PORTICO_TRUSTED_PROXIES=127.0.0.1/32",
		"PORTICO_SMS_DAILY=100000")
	program := deploytest.Program(t)
	i := p.StartInstance(t, program)
	front := deploytest.Front{Address: fmt.Sprintf("127.0.0.1:%d", i.Port), Apart: true}
	load := startFailoverLoad(t, p, front)

	killed := time.Now()
	c.nodes[0].kill()
	var leader time.Time
	for deadline := killed.Add(2 * deploytest.Patience); leader.IsZero() && time.Now().Before(deadline); {
		if c.nodes[1].is("/primary") == nil {
			leader = time.Now()
		}
		time.Sleep(10 * time.Millisecond)
	}
	if leader.IsZero() {
		t.Fatal("the standby did not become the leader")
	}
	time.Sleep(5 * time.Second) // of load on the new leader
	first := load.stop(t, leader)
	t.Logf("a new leader %.1f s after the leader was killed", leader.Sub(killed).Seconds())
	if first == 0 || first > time.Second {
		t.Errorf("the first sign-in succeeded %s after the new leader", first)
	}
	load.check(t, c.address("portico", "portico"))
}
