package gateway

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestDirStoresPrivateFiles(t *testing.T) {
	at := filepath.Join(t.TempDir(), "data", "uploads")
	d, err := NewDir(at)
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	for _, data := range [][]byte{[]byte("one"), []byte("another"), nil} {
		if err := d.Put(ctx, "licence/abc", "image/jpeg", data); err != nil {
			t.Fatal(err)
		}
		if got, err := d.Get(ctx, "licence/abc", 7); err != nil || !bytes.Equal(got, data) {
			t.Errorf("%q %v", got, err)
		}
	}
	if err := d.Put(ctx, "icon/x.png", "image/png", []byte("12345")); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Get(ctx, "icon/x.png", 4); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	for path, want := range map[string]fs.FileMode{"": 0o700, "licence": 0o700, "half": 0o700, "licence/abc": 0o600} {
		if info, err := os.Stat(filepath.Join(at, path)); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v %v", path, info.Mode(), err)
		}
	}
	if unfinished, err := os.ReadDir(filepath.Join(at, "half")); err != nil || len(unfinished) > 0 {
		t.Errorf("%v %v", unfinished, err)
	}
	for range 2 {
		if err := d.Delete(ctx, "licence/abc"); err != nil {
			t.Error(err)
		}
	}
	if _, err := d.Get(ctx, "licence/abc", 7); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	if _, _, ok := d.Post("incoming/abc", "image/png", 5, time.Now()); ok {
		t.Error("a directory accepts direct uploads")
	}
}

func TestDirRefusesNamesOutsideItsDirectory(t *testing.T) {
	at := t.TempDir()
	d, err := NewDir(filepath.Join(at, "uploads"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(at, "secret"), []byte("canary"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(at, "uploads", "licence"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../../secret", filepath.Join(at, "uploads", "licence", "link")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"", "x", "../secret", "licence/../../secret", "licence/..", "/etc/passwd", "licence//x", "licence/a/b",
		"licence/a\x00", "Licence/a", "licence/" + strings.Repeat("a", 81), "licence/.a", "licence/link",
	} {
		if data, err := d.Get(t.Context(), name, 100); err == nil {
			t.Errorf("%q was read: %s", name, data)
		}
		if name == "licence/link" {
			continue // Put and Delete are about the link itself
		}
		if d.Put(t.Context(), name, "", []byte("x")) == nil || d.Delete(t.Context(), name) == nil {
			t.Errorf("%q was written", name)
		}
	}
	if data, err := os.ReadFile(filepath.Join(at, "secret")); err != nil || string(data) != "canary" {
		t.Errorf("%s %v", data, err)
	}
}

func TestNewDirRefusesUnwritableDirectory(t *testing.T) {
	at := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(at, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{at, filepath.Join(at, "below"), "/proc/portico"} {
		if _, err := NewDir(path); err == nil {
			t.Error(path)
		}
	}
}

func TestNewDirRemovesUnfinishedFiles(t *testing.T) {
	at := t.TempDir()
	if _, err := NewDir(at); err != nil {
		t.Fatal(err)
	}
	old, recent := filepath.Join(at, "half", "old"), filepath.Join(at, "half", "fresh")
	for path, age := range map[string]time.Duration{
		old: 24*time.Hour + time.Millisecond, recent: 24*time.Hour - 2*time.Minute,
	} {
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, time.Time{}, time.Now().Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := NewDir(at); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(old); !errors.Is(err, fs.ErrNotExist) {
		t.Error("unfinished files of an earlier run were not removed")
	}
	if _, err := os.Stat(recent); err != nil {
		t.Error("what another program is writing was removed")
	}
}
