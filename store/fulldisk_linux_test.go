package store_test

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"portico/store"
)

func TestAFullDiskIsNotWritable(t *testing.T) {
	folder := t.TempDir()
	if err := syscall.Mount("tmpfs", folder, "tmpfs", 0, "size=4m"); err != nil {
		t.Skipf("no small disk can be mounted: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(folder, syscall.MNT_DETACH) })
	db, err := store.Open(t.Context(), "sqlite:"+filepath.Join(folder, "portico.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := db.Writable(t.Context()); err != nil {
		t.Fatal(err)
	}
	filler := filepath.Join(folder, "filler")
	if err := os.WriteFile(filler, make([]byte, 4<<20), 0o600); err == nil {
		t.Fatal("the disk is not full")
	}
	refused := error(nil)
	for i := 0; i < 10_000 && refused == nil; i++ { // what the database had for itself is used up first
		_, refused = db.Attempts.Raise(t.Context(), fmt.Sprint("key ", i), 1, 0)
	}
	if refused == nil {
		t.Fatal("every write succeeded")
	}
	if err := db.Writable(t.Context()); err == nil {
		t.Errorf("writable, and a write was refused: %v", refused)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	if err := db.Writable(t.Context()); err != nil {
		t.Errorf("not writable although the disk has room again: %v", err)
	}
}
