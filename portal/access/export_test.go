package access

import (
	"context"

	"portico/store"
)

// NoteEvent writes an event of an account as any rule does.
func (a *Access) NoteEvent(ctx context.Context, kind string, m store.Member, detail string) error {
	return a.Event(ctx, a.db, kind, m, detail)
}
