package backup

import (
	"context"
	"io"
	"os"
	"testing"
)

// Put is put, for tests that let the writing of an archive fail.
func (p Place) Put(ctx context.Context, write func(out io.Writer) error) error {
	return p.put(ctx, write)
}

// WriteChanged writes an archive again, into another file, with another manifest.
func WriteChanged(t *testing.T, from, to string, change func(m *Manifest)) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	path := to + ".database"
	m, err := readArchive(in, path)
	if err != nil {
		t.Fatal(err)
	}
	database, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = database.Close() }()
	change(&m)
	err = Place{file: to}.put(t.Context(), func(out io.Writer) error { return writeArchive(out, m, database) })
	if err != nil {
		t.Fatal(err)
	}
}

// Extract writes the database of an archive into a new file, as a restore does before it checks the database.
func Extract(t *testing.T, from, path string) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	if _, err := readArchive(in, path); err != nil {
		t.Fatal(err)
	}
}
