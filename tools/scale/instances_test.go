package scale

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"portico/deploy/deploytest"
	"portico/e2e/testscope"
	"portico/store/storetest"
)

const (
	instancePeople  = 30
	instanceWorkers = 8 // of each instance
	instanceRounds  = 5
	instanceLeg     = 8 * time.Second
)

// TestEachInstanceAddsItsShareOfSignIns holds instances to a quarter of a core each, with Postgres beside them.
// Password hashes cost nothing here, so the sign-ins measure everything else. One, two and three instances are measured
// in turn, several times: what else the machine does meets them alike, and the medians are compared.
func TestEachInstanceAddsItsShareOfSignIns(t *testing.T) {
	address := storetest.PostgresURL(t)
	p := deploytest.NewPlatform(t, address, "PORTICO_SMS_DAILY=100000", "PORTICO_TRUSTED_PROXIES=127.0.0.1/32")
	program := cheapHashProgram(t)
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	phones := registerPeople(t, p, program)
	if _, err := conn.Exec(t.Context(), "CREATE EXTENSION IF NOT EXISTS pg_stat_statements"); err != nil {
		t.Fatal(err)
	}
	var fronts []deploytest.Front
	for n := 1; n <= 3; n++ {
		i := p.StartInstance(t, program, quarterCore(t, n)...)
		fronts = append(fronts, deploytest.Front{Address: deploytest.At(i.Port).Address, Apart: true})
	}
	signInFor(t, fronts, phones, instanceLeg) // warms the caches and connections up
	var rates, statements [4][]float64        // by the number of instances
	for range instanceRounds {
		for n := 1; n <= 3; n++ {
			rate, calls := measureSignIns(t, conn, fronts[:n], phones)
			rates[n], statements[n] = append(rates[n], rate), append(statements[n], calls)
			t.Logf("%d instances: %.1f sign-ins a second; %.1f statements a sign-in", n, rate, calls)
		}
	}
	one := median(rates[1])
	two, three := median(rates[2])/one, median(rates[3])/one
	t.Logf("two carry %.2f times, three %.2f times what one carries", two, three)
	if two < 1.8 || three < 2.6 {
		t.Errorf("two carry %.2f times, three %.2f times what one carries", two, three)
	}
	if with, alone := median(statements[3]), median(statements[1]); with > 1.05*alone {
		t.Errorf("a sign-in takes %.1f statements with three instances, %.1f with one", with, alone)
	}
}

// measureSignIns returns how many sign-ins a second instances carry, and how many statements each takes.
func measureSignIns(t *testing.T, conn *pgx.Conn, fronts []deploytest.Front, phones []string) (rate, calls float64) {
	t.Helper()
	if _, err := conn.Exec(t.Context(), "SELECT pg_stat_statements_reset()"); err != nil {
		t.Fatal(err)
	}
	count := float64(signInFor(t, fronts, phones, instanceLeg))
	if err := conn.QueryRow(t.Context(), `SELECT SUM(calls)::float8 FROM pg_stat_statements
		WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())`).Scan(&calls); err != nil {
		t.Fatal(err)
	}
	return count / instanceLeg.Seconds(), calls / count
}

// median returns the middle one of an odd number of values.
func median(values []float64) float64 {
	values = slices.Sorted(slices.Values(values))
	return values[len(values)/2]
}

// registerPeople registers people at an instance that is not held back, and returns their phones.
func registerPeople(t *testing.T, p *deploytest.Platform, program string) (phones []string) {
	t.Helper()
	i := p.StartInstance(t, program)
	front := deploytest.Front{Address: deploytest.At(i.Port).Address, Apart: true}
	for range instancePeople {
		person := front.NewPerson()
		if err := person.Register(t.Context(), p.Messages); err != nil {
			t.Fatal(err)
		}
		person.Client.CloseIdleConnections()
		phones = append(phones, person.Phone)
	}
	if err := i.Stop(); err != nil {
		t.Fatal(err)
	}
	return phones
}

// cheapHashProgram builds a program that serves as Portico does, with password hashes that cost nothing. It returns the
// command that runs it in place of "portico".
func cheapHashProgram(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	deploytest.Run(t, testscope.Go(testscope.Root(), "test", "-c", "-o", filepath.Join(dir, "program"), "./command"))
	script := "#!/bin/sh\nSERVE_WITH_CHEAP_HASHES=1 exec " + filepath.Join(dir, "program") + "\n"
	path := filepath.Join(dir, "portico")
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// signInFor lets workers sign people in for a while, each at the next instance, and returns how many succeeded.
func signInFor(t *testing.T, fronts []deploytest.Front, phones []string, duration time.Duration) int64 {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), duration)
	defer cancel()
	var next, done atomic.Int64
	var failed sync.Map
	var group sync.WaitGroup
	for worker := range instanceWorkers * len(fronts) {
		group.Go(func() {
			person := fronts[worker%len(fronts)].NewPerson()
			defer person.Client.CloseIdleConnections()
			for ctx.Err() == nil {
				person.Phone = phones[int(next.Add(1))%len(phones)]
				person.Forget()
				switch _, err := person.SignIn(ctx); {
				case err == nil:
					done.Add(1)
				case !errors.Is(err, context.DeadlineExceeded):
					failed.Store(err.Error(), true)
				}
			}
		})
	}
	group.Wait()
	failed.Range(func(text, _ any) bool { t.Error(text); return false })
	return done.Load()
}

// quarterCore returns a command that holds the command behind it to a quarter of a core: by a cgroup where this process
// may make one, else by cpulimit.
func quarterCore(t *testing.T, number int) []string {
	t.Helper()
	const period, quota = "100000", "25000" // microseconds
	name := fmt.Sprintf("portico-test-%d-%d", os.Getpid(), number)
	for _, kind := range []struct {
		folder, sign string // sign is a file that tells the kind of cgroup
		files        map[string]string
	}{
		{"/sys/fs/cgroup", "cgroup.controllers", map[string]string{"cpu.max": quota + " " + period}},
		{
			"/sys/fs/cgroup/cpu", "cgroup.procs",
			map[string]string{"cpu.cfs_period_us": period, "cpu.cfs_quota_us": quota},
		},
	} {
		dir := filepath.Join(kind.folder, name)
		if _, err := os.Stat(filepath.Join(kind.folder, kind.sign)); err != nil || os.Mkdir(dir, 0o755) != nil {
			continue
		}
		t.Cleanup(func() { _ = os.Remove(dir) })
		good := true
		for file, value := range kind.files {
			good = good && os.WriteFile(filepath.Join(dir, file), []byte(value), 0o644) == nil
		}
		if good {
			return []string{"sh", "-c", "echo $$ > " + dir + "/cgroup.procs && exec \"$@\"", "sh"}
		}
	}
	return []string{deploytest.Tool(t, "cpulimit"), "-f", "-l", "25", "--"}
}
