package scale

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"regexp"
	"strconv"
	"sync"
	"testing"

	"portico/deploy/deploytest"
	"portico/e2e/testscope"
	"portico/store/storetest"
)

// startPgBouncer starts PgBouncer with the sample of deploy/pgbouncer in front of a database, with that many
// connections to the server, and returns the address of the database through it.
func startPgBouncer(t *testing.T, address string, connections int) string {
	t.Helper()
	program := deploytest.Tool(t, "pgbouncer", "/usr/sbin/pgbouncer")
	dir, attributes := postgresFolder(t)
	port := testscope.FreePort()
	users := deploytest.WriteFile(t, dir, "userlist.txt", `"portico" "`+clusterPassword+`"`+"\n")
	file := deploytest.WriteFile(t, dir, "pgbouncer.ini", deploytest.Sample(t, "deploy/pgbouncer/pgbouncer.ini",
		"host=127.0.0.1 port=5000 dbname=portico pool_size=40",
		fmt.Sprintf("host=%s dbname=postgres pool_size=%d", folderOf(t, address), connections),
		"listen_addr = 10.0.0.20", "listen_addr = 127.0.0.1\nunix_socket_dir =",
		"listen_port = 6432", fmt.Sprint("listen_port = ", port),
		"/etc/pgbouncer/userlist.txt", users))
	command := exec.Command(program, file)
	command.SysProcAttr, command.Dir = attributes, "/"
	deploytest.Start(t, command).Listens(t, port)
	return fmt.Sprintf("postgres://portico:%s@127.0.0.1:%d/portico", clusterPassword, port)
}

// databaseTrouble are the counters of what the database refused or what had to be repeated.
var databaseTrouble = regexp.MustCompile(`(?m)^portico_database_(?:errors|repeated|refused)_total\{[^}]*\} (\S+)$`)

// TestSignInsThroughTheSampleOfPgBouncer lets three instances share four connections to Postgres. Password hashes cost
// nothing here, so nobody has to wait for a core and the connections are what is short.
func TestSignInsThroughTheSampleOfPgBouncer(t *testing.T) {
	const people, each, instances = 24, 5, 3
	address := storetest.Server(t)
	storetest.Execute(t, address, "CREATE ROLE portico LOGIN")
	storetest.Execute(t, address, "ALTER DATABASE postgres OWNER TO portico")
	storetest.Execute(t, address, "ALTER SCHEMA public OWNER TO portico")
	p := deploytest.NewPlatform(t, startPgBouncer(t, address, 4), "PORTICO_TRUSTED_PROXIES=127.0.0.1/32",
		"PORTICO_SMS_DAILY=100000")
	program := cheapHashProgram(t)
	var running []*deploytest.Instance
	for range instances {
		running = append(running, p.StartInstance(t, program))
	}
	var group sync.WaitGroup
	failures := make(chan error, people*each)
	for n := range people {
		front := deploytest.Front{Address: deploytest.At(running[n%instances].Port).Address, Apart: true}
		group.Go(func() {
			person := front.NewPerson()
			err := person.Register(t.Context(), p.Messages)
			for range each {
				if err == nil {
					person.Forget()
					_, err = person.SignIn(t.Context())
				}
				failures <- err
			}
		})
	}
	group.Wait()
	close(failures)
	answers := 0
	for err := range failures {
		if answers++; err != nil {
			t.Error(err)
		}
	}
	trouble, counters := 0.0, 0
	for _, i := range running {
		for _, m := range databaseTrouble.FindAllStringSubmatch(readMetrics(t, i), -1) {
			value, err := strconv.ParseFloat(m[1], 64)
			if err != nil {
				t.Fatal(err)
			}
			trouble, counters = trouble+value, counters+1
		}
	}
	if trouble != 0 || counters < 10*instances {
		t.Errorf("%v operations failed, were refused or repeated, by %d counters", trouble, counters)
	}
	var most int
	if err := connect(t, address).QueryRow(t.Context(), `SELECT COUNT(*) FROM pg_stat_activity
		WHERE usename = 'portico'`).Scan(&most); err != nil || most > 4 {
		t.Errorf("%d connections to the server: %v", most, err)
	}
	t.Logf("%d sign-ins by %d instances over %d connections to the server", answers, instances, most)
}

func readMetrics(t *testing.T, i *deploytest.Instance) string {
	t.Helper()
	r, err := http.NewRequestWithContext(context.Background(), http.MethodGet,
		fmt.Sprintf("http://127.0.0.1:%d/metrics", i.MetricsPort), nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
