package storetest

import (
	"net/url"
	"testing"
	"time"

	"portico/store/pool"
)

// Standby starts a server that follows the server of an address (of Server) by streaming replication, and returns the
// address of its copy of the database.
func Standby(t testing.TB, address string) (standby string) {
	t.Helper()
	of, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	standby, stop, err := startOn(func(s newServer) error {
		return s.run("pg_basebackup", "-h", of.Query().Get("host"), "-U", "postgres", "-D", s.data, "-N", "-R",
			"-c", "fast")
	})
	if err != nil {
		missing(t, "standby", err)
	}
	t.Cleanup(stop)
	return standby
}

// PauseReplay makes a standby keep changes without applying them, as a slow one would, until ResumeReplay.
func PauseReplay(t testing.TB, standby string) {
	t.Helper()
	Execute(t, standby, "SELECT pg_wal_replay_pause()")
}

// ResumeReplay makes a standby apply changes again.
func ResumeReplay(t testing.TB, standby string) {
	t.Helper()
	Execute(t, standby, "SELECT pg_wal_replay_resume()")
}

// AwaitReplica waits until a replica has everything that was committed before the call.
func AwaitReplica(t testing.TB, r *pool.Replica) {
	t.Helper()
	until := r.Now()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		err := r.Look(t.Context())
		if err == nil && r.Now()-r.Age().Milliseconds() > until {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the replica is %s behind: %v", r.Age(), err)
		}
	}
}
