package pictures

import (
	"context"
	"io/fs"
	"time"
)

// Files stores the files that people send, under names such as "licence/…": a directory, or an S3-compatible store.
type Files interface {
	// Put stores data of a media type under a name, and replaces an existing file.
	Put(ctx context.Context, name, kind string, data []byte) error
	// Get reads a file. It returns ErrNoFile when there is none, and an error when it has more than limit bytes.
	Get(ctx context.Context, name string, limit int64) ([]byte, error)
	// Delete removes a file. It returns no error when there is none.
	Delete(ctx context.Context, name string) error
	// Post signs a form that sends a file of a media type and at most size bytes straight to the store until an
	// instant. It returns the URL and fields of the form. ok is false when the store accepts no forms; then files are
	// sent to this program.
	Post(name, kind string, size int64, until time.Time) (address string, fields map[string]string, ok bool)
}

// ErrNoFile is the error of Get for a name without a file.
var ErrNoFile = fs.ErrNotExist
