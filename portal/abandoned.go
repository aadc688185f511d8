package portal

import (
	"context"
	"errors"
	"log/slog"

	"portico/store"
)

// abandonedAtOnce is how many files are looked for at a time.
const abandonedAtOnce = 100

// removeAbandoned removes the files that nothing has referred to for AbandonedAfter, those of companies that are gone, and what
// was sent straight to the store and is no longer needed there. A file that cannot be removed holds no other up: it is tried
// again the next time.
func (p *Portal) removeAbandoned(ctx context.Context) error {
	if p.files == nil {
		return nil
	}
	removed, last := 0, store.Upload{CreatedAt: -1}
	for {
		ended, err := p.db.EndedUploads(ctx, store.At(p.now().Add(-AbandonedAfter)), last, abandonedAtOnce)
		if err != nil {
			return err
		}
		for _, u := range ended {
			last = u
			gone, err := p.goOn(ctx, u, p.removeUpload(ctx, u))
			if err != nil {
				return err
			}
			if gone {
				removed++
			}
		}
		if len(ended) < abandonedAtOnce {
			break
		}
	}
	if removed > 0 {
		p.log.LogAttrs(ctx, slog.LevelInfo, "files removed", slog.Int("number", removed))
	}
	if err := p.removeEndedPortraits(ctx); err != nil {
		return err
	}
	return p.removeIncoming(ctx)
}

// notDeleted says that the store for files would not delete one.
type notDeleted struct{ error }

func (n notDeleted) Unwrap() error { return n.error }

// goOn notes a file that the store would not delete; any other trouble ends the work.
func (p *Portal) goOn(ctx context.Context, u store.Upload, err error) (gone bool, _ error) {
	if stuck := (notDeleted{}); ctx.Err() == nil && errors.As(err, &stuck) {
		p.log.LogAttrs(ctx, slog.LevelWarn, "file not removed", slog.String("upload", u.ID), slog.Any("error", err))
		return false, nil
	}
	return err == nil, err
}

// removeUpload takes a file from its owner, removes it under every name it may have, then forgets it. One that something has
// begun to refer to meanwhile stays.
func (p *Portal) removeUpload(ctx context.Context, u store.Upload) error {
	err := p.db.EndUpload(ctx, u)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	names := []string{incomingName(u.ID), licenceName(u.ID)}
	if u.Purpose == store.UploadIcon {
		names = []string{iconName(u.ID)}
	}
	for _, name := range names {
		if err := p.files.Delete(ctx, name); err != nil {
			return notDeleted{err}
		}
	}
	return p.db.DropUpload(ctx, u.ID)
}

// removeIncoming removes what lies in the store as it was sent, once nobody can send it again: an application took what it
// needed of it, and sent again it is of no use.
func (p *Portal) removeIncoming(ctx context.Context) error {
	last := store.Upload{}
	for {
		sent, err := p.db.SentUploads(ctx, store.At(p.now().Add(-AbandonedAfter)), last, abandonedAtOnce)
		if err != nil {
			return err
		}
		for _, u := range sent {
			last = u
			if _, err := p.goOn(ctx, u, p.closeIncoming(ctx, u)); err != nil {
				return err
			}
		}
		if len(sent) < abandonedAtOnce {
			return nil
		}
	}
}

func (p *Portal) closeIncoming(ctx context.Context, u store.Upload) error {
	if err := p.files.Delete(ctx, incomingName(u.ID)); err != nil {
		return notDeleted{err}
	}
	return p.db.CloseUpload(ctx, u.ID)
}
