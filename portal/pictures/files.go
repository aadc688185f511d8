package pictures

import (
	"context"
	"io/fs"
	"time"
)

// Files keeps what people send in, under names that we make ("licence/…"): a directory, or an S3-compatible store.
type Files interface {
	// Put stores data of a media type under a name; what was there before is replaced.
	Put(ctx context.Context, name, kind string, data []byte) error
	// Get reads a file; ErrNoFile where there is none, an error where it has more than limit bytes.
	Get(ctx context.Context, name string, limit int64) ([]byte, error)
	// Delete removes a file; one that is not there is no error.
	Delete(ctx context.Context, name string) error
	// Post signs a form by which somebody sends a file of a media type and at most size bytes straight to the store
	// until an instant: its address and fields. ok is false where the store takes none, and files come through this
	// program.
	Post(name, kind string, size int64, until time.Time) (address string, fields map[string]string, ok bool)
}

// ErrNoFile says that no file has that name, as file systems say it.
var ErrNoFile = fs.ErrNotExist
