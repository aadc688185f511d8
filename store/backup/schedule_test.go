package backup_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/store/backup"
)

// names returns the names of a folder's files.
func names(t *testing.T, folder string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	must(t, err)
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

func TestScheduleMakesBackupsWhenDueAndKeepsTheNewest(t *testing.T) {
	from := at("sqlite:" + filepath.Join(t.TempDir(), "a.db"))
	db := open(t, from)
	folder := filepath.Join(t.TempDir(), "backups")
	to, err := backup.ParseCollection("dir:" + folder)
	must(t, err)
	now := time.Date(2026, 10, 1, 3, 30, 0, 0, time.UTC)
	from.Now = func() time.Time { return now }
	s := backup.Schedule{To: to, Every: 24 * time.Hour, Keep: 2}
	run := func(made bool) {
		t.Helper()
		done, err := s.Run(t.Context(), from, db)
		if err != nil || done.Made != made || done.Newest.IsZero() {
			t.Errorf("at %s: %+v, %v", now, done, err)
		}
	}
	run(true)
	now = now.Add(24*time.Hour - time.Second)
	run(false)
	now = now.Add(time.Second)
	run(true)
	must(t, os.WriteFile(filepath.Join(folder, "portico-notes.backup"), []byte("mine"), 0o600))
	now = now.Add(48 * time.Hour)
	run(true)
	want := []string{
		"portico-20261002T033000Z.backup", "portico-20261004T033000Z.backup", "portico-notes.backup",
	}
	if got := names(t, folder); !slices.Equal(got, want) {
		t.Errorf("there are %v, want %v", got, want)
	}
	if _, err := backup.Verify(t.Context(), to.At(now)); err != nil {
		t.Error(err)
	}
	if seen, err := s.Look(t.Context()); err != nil || !seen.Newest.Equal(now) || seen.Made {
		t.Errorf("%+v %v", seen, err)
	}
}

func TestScheduleThatFailsRemovesNothing(t *testing.T) {
	from := at("sqlite:" + filepath.Join(t.TempDir(), "a.db"))
	db := open(t, from)
	folder := t.TempDir()
	to, err := backup.ParseCollection("dir:" + folder)
	must(t, err)
	for _, old := range []string{"portico-20260101T000000Z.backup", "portico-20260102T000000Z.backup"} {
		must(t, os.WriteFile(filepath.Join(folder, old), []byte("old"), 0o600))
	}
	must(t, db.Close())
	s := backup.Schedule{To: to, Every: time.Hour, Keep: 1}
	if done, err := s.Run(t.Context(), from, db); err == nil || done.Made {
		t.Errorf("a backup of a closed database: %+v", done)
	}
	if got := names(t, folder); len(got) != 2 {
		t.Errorf("there are %v", got)
	}
}

func TestCollectionsAreReadWithoutShowingKeys(t *testing.T) {
	for text, good := range map[string]bool{
		"dir:/var/backups": true, "s3://K:canary@127.0.0.1:9/bucket": true,
		"s3://K:canary@127.0.0.1:9/bucket/a/b": true,
		"dir:":                                 false, "/var/backups": false,
		"": false, "s3://127.0.0.1/bucket": false, "s3://K:canary@": false,
	} {
		c, err := backup.ParseCollection(text)
		if (err == nil) != good {
			t.Errorf("%q: %v", text, err)
		}
		if !good {
			if strings.Contains(fmt.Sprint(err), "canary") {
				t.Errorf("the error of %q shows its key: %v", text, err)
			}
		} else if strings.Contains(c.String(), "canary") {
			t.Errorf("%q shows its key: %s", text, c)
		}
	}
	c, err := backup.ParseCollection("s3://K:S@127.0.0.1:9/bucket/a/")
	must(t, err)
	made := time.Date(2026, 10, 1, 3, 30, 0, 0, time.UTC)
	if got := c.At(made).String(); got != "s3://127.0.0.1:9/bucket/a/portico-20261001T033000Z.backup" {
		t.Error(got)
	}
}

func TestScheduleWorksOnS3Servers(t *testing.T) {
	eachS3(t, func(t *testing.T, address string) {
		from := at("sqlite:" + filepath.Join(t.TempDir(), "a.db"))
		db := open(t, from)
		to, err := backup.ParseCollection(address + "/daily")
		must(t, err)
		now := time.Date(2026, 10, 1, 3, 30, 0, 0, time.UTC)
		from.Now = func() time.Time { return now }
		s := backup.Schedule{To: to, Every: time.Hour, Keep: 1}
		for range 2 {
			now = now.Add(time.Hour)
			if done, err := s.Run(t.Context(), from, db); err != nil || !done.Made {
				t.Fatalf("%+v %v", done, err)
			}
		}
		times, err := to.Times(t.Context())
		if err != nil || len(times) != 1 || !times[0].Equal(now) {
			t.Errorf("%v %v", times, err)
		}
	})
}
