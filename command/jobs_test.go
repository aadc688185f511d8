package command

import (
	"context"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"portico/config"
	"portico/server"
	"portico/store"
	"portico/store/backup"
)

// The database is closed, so each run of a job fails at once and writes one line to the log.
func TestJobsRunAtTheirIntervals(t *testing.T) {
	c, err := config.Read([]string{
		"PORTICO_DATABASE=sqlite:" + filepath.Join(t.TempDir(), "p.db"), "PORTICO_BACKUP=dir:" + t.TempDir(),
	})
	if err != nil {
		t.Fatal(err)
	}
	db, err := openMigrating(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := newPortal(c, db, dependencies{log: newLog(c, io.Discard)})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	for _, job := range []struct {
		failure string
		every   time.Duration
		atStart int
		run     func(ctx context.Context, with dependencies)
	}{
		{"sweep failed", 5 * time.Minute, 0, func(ctx context.Context, with dependencies) { sweep(ctx, p, with) }},
		{"domain check failed", 10 * time.Minute, 1, func(ctx context.Context, with dependencies) {
			checkDomains(ctx, p, with)
		}},
		{"backup failed", 5 * time.Minute, 1, func(ctx context.Context, with dependencies) {
			scheduleBackups(ctx, c, db, with)
		}},
	} {
		synctest.Test(t, func(t *testing.T) {
			written := new(syncBuffer)
			with := dependencies{log: slog.New(slog.NewJSONHandler(written, nil)), metrics: server.NewMetrics()}
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			go job.run(ctx, with)
			wantRuns := func(want int) {
				t.Helper()
				synctest.Wait()
				if got := strings.Count(written.String(), job.failure); got != want {
					t.Errorf("%q %d times, want %d: %s", job.failure, got, want, written)
				}
			}
			wantRuns(job.atStart)
			for n := range 2 {
				time.Sleep(job.every - time.Millisecond)
				wantRuns(job.atStart + n)
				time.Sleep(time.Millisecond)
				wantRuns(job.atStart + n + 1)
			}
		})
	}
}

func TestOneInstanceHasSixHoursForABackup(t *testing.T) {
	db, err := store.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "p.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	to, err := backup.ParseCollection("dir:" + t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	began, tried := time.Now(), false
	take := func(after time.Duration) bool {
		now := began.Add(after)
		taken, err := db.Leases.Take(t.Context(), backupName, "another", store.At(now), store.At(now.Add(time.Hour)))
		if err != nil {
			t.Error(err)
		}
		return taken
	}
	i := backup.Installation{Now: func() time.Time { // while the backup is made
		if !tried {
			tried = true
			if take(6*time.Hour - time.Second) {
				t.Error("another instance may begin before six hours have passed")
			}
			if !take(6*time.Hour + 2*time.Minute) { // the lease begins a little after the test
				t.Error("no other instance may begin after six hours")
			}
		}
		return began
	}}
	_, err = backupIfDue(t.Context(), backup.Schedule{To: to, Every: time.Hour, Keep: 1}, i, db, "one")
	if err != nil || !tried {
		t.Errorf("tried %t, %v", tried, err)
	}
}

func TestLongestValueOfASettingIsReadFromTheInput(t *testing.T) {
	got, err := readSetting(strings.NewReader(strings.Repeat("a", 4096)), "wechat")
	if err != nil || len(got) != 4096 {
		t.Errorf("%d of 4096 bytes are read, %v", len(got), err)
	}
	if got, err := readSetting(strings.NewReader(strings.Repeat("a", 4097)), "wechat"); err == nil {
		t.Errorf("%d of 4097 bytes are read, and the last one is lost", len(got))
	}
}
