package backup

import (
	"context"
	"io"
)

// Put is put, for tests that let the writing of an archive fail.
func (p Place) Put(ctx context.Context, write func(out io.Writer) error) error {
	return p.put(ctx, write)
}
