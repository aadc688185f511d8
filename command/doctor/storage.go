package doctor

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"

	"portico/gateway"
)

// FileStore is where pictures are kept.
type FileStore interface {
	Put(ctx context.Context, name, kind string, data []byte) error
	Get(ctx context.Context, name string, limit int64) ([]byte, error)
	Delete(ctx context.Context, name string) error
}

// Storage checks that the store of uploads keeps a file, returns it and removes it. open fails when the store cannot
// be used at all.
func Storage(open func() (FileStore, error)) Area {
	return Area{"storage", func(ctx context.Context) []Result {
		var l list
		files, err := open()
		if err != nil {
			l.fail("open", err.Error(), "look at PORTICO_UPLOADS")
			return l
		}
		random := make([]byte, 16)
		_, _ = rand.Read(random) // never fails
		name, data := "doctor/"+hex.EncodeToString(random), []byte("written by portico doctor\n")
		if err := files.Put(ctx, name, "text/plain", data); err != nil {
			l.fail("write", fmt.Sprintf("a file cannot be written: %v", err), whatToDoFor(err))
			return l
		}
		l.ok("write", "a file was written")
		if got, err := files.Get(ctx, name, int64(len(data))); err != nil || !bytes.Equal(got, data) {
			l.fail("read", fmt.Sprintf("the file cannot be read again: %v", err), whatToDoFor(err))
		} else {
			l.ok("read", "and read again")
		}
		err = files.Delete(ctx, name)
		if err == nil {
			if _, err = files.Get(ctx, name, int64(len(data))); errors.Is(err, fs.ErrNotExist) {
				l.ok("delete", "and removed")
				return l
			}
		}
		l.fail("delete", fmt.Sprintf("the file cannot be removed: %v", err), whatToDoFor(err))
		return l
	}}
}

// whatToDoFor returns what to do about an error of a store.
func whatToDoFor(err error) string {
	if errors.Is(err, gateway.ErrBusy) {
		return "try again in a minute; if it stays so, ask who runs the store, and how many requests it allows"
	}
	return "give this program's key or user the right to write, read and delete there (PORTICO_UPLOADS)"
}
