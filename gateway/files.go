package gateway

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"regexp"
	"time"
)

// fileName is the form of our file names. Nothing in such a name has a meaning to a file system or a server.
var fileName = regexp.MustCompile(`^[a-z]{1,20}/[A-Za-z0-9_-]{1,80}(\.[a-z]{1,4})?$`)

var errFileName = errors.New("files: not a name of a file")

// errTooLong says that a file is larger than its reader allows.
var errTooLong = errors.New("files: larger than expected")

// Dir stores files in a directory of this machine. For a missing file its methods return fs.ErrNotExist.
type Dir struct{ root *os.Root }

const (
	unfinishedFolder = "half"         // files that are being written
	unfinishedKept   = 24 * time.Hour // after this time, the write of such a file has been interrupted
)

// NewDir opens a directory and checks that it can write there. It creates a missing directory, which only this user can
// read. It removes files that an earlier run did not finish writing.
func NewDir(at string) (*Dir, error) {
	if err := os.MkdirAll(at, 0o700); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(at)
	if err != nil {
		return nil, err
	}
	d := &Dir{root}
	if err := d.folder(unfinishedFolder); err != nil {
		return nil, err
	}
	name, err := d.write([]byte("ok"))
	if err != nil {
		return nil, err
	}
	if err := root.Remove(name); err != nil {
		return nil, err
	}
	return d, d.removeUnfinished()
}

func (d *Dir) folder(name string) error {
	if err := d.root.Mkdir(name, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

func (d *Dir) removeUnfinished() error {
	left, err := fs.ReadDir(d.root.FS(), unfinishedFolder)
	for _, file := range left {
		if about, err := file.Info(); err == nil && time.Since(about.ModTime()) > unfinishedKept {
			_ = d.root.Remove(path.Join(unfinishedFolder, file.Name()))
		}
	}
	return err
}

// write writes data to the disk, under a new name in unfinishedFolder.
func (d *Dir) write(data []byte) (name string, err error) {
	b := make([]byte, 16)
	_, _ = rand.Read(b) // never fails
	name = path.Join(unfinishedFolder, hex.EncodeToString(b))
	f, err := d.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		_ = d.root.Remove(name)
	}
	return name, err
}

// Put stores data under a name. After an interruption, the file is there as a whole or not at all.
func (d *Dir) Put(_ context.Context, name, _ string, data []byte) error {
	if !fileName.MatchString(name) {
		return errFileName
	}
	if err := d.folder(path.Dir(name)); err != nil {
		return err
	}
	half, err := d.write(data)
	if err != nil {
		return err
	}
	if err := d.root.Rename(half, name); err != nil {
		_ = d.root.Remove(half)
		return err
	}
	return d.syncFolder(path.Dir(name))
}

// syncFolder writes a folder to the disk, so that a rename in it survives a crash.
func (d *Dir) syncFolder(name string) error {
	f, err := d.root.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	return f.Sync()
}

// Get reads a file of at most limit bytes.
func (d *Dir) Get(_ context.Context, name string, limit int64) ([]byte, error) {
	if !fileName.MatchString(name) {
		return nil, errFileName
	}
	f, err := d.root.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return readUpTo(f, limit)
}

func readUpTo(r io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("%w: over %d bytes", errTooLong, limit)
	}
	if err != nil {
		return nil, err
	}
	return data, nil
}

// Delete removes a file, if there is one.
func (d *Dir) Delete(_ context.Context, name string) error {
	if !fileName.MatchString(name) {
		return errFileName
	}
	if err := d.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Post returns ok false: browsers cannot send files directly to a directory.
func (d *Dir) Post(string, string, int64, time.Time) (string, map[string]string, bool) {
	return "", nil, false
}
