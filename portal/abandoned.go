package portal

import (
	"context"
	"errors"
	"log/slog"

	"portico/store"
)

// abandonedAtOnce is how many files one statement reads.
const abandonedAtOnce = 100

// removeAbandoned removes the files that nothing has referred to for AbandonedAfter, the files of companies that were
// removed, and what was sent straight to the store of files and is no longer needed there. A file that cannot be
// removed does not stop the work: the next run tries it again.
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
			gone, err := p.logNotDeleted(ctx, u, p.removeUpload(ctx, u))
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

// notDeleted is the error of the store of files when it does not delete a file.
type notDeleted struct{ error }

func (n notDeleted) Unwrap() error { return n.error }

// logNotDeleted logs a file that the store did not delete. It returns any other error.
func (p *Portal) logNotDeleted(ctx context.Context, u store.Upload, err error) (gone bool, _ error) {
	if stuck := (notDeleted{}); ctx.Err() == nil && errors.As(err, &stuck) {
		p.log.LogAttrs(ctx, slog.LevelWarn, "file not removed", slog.String("upload", u.ID), slog.Any("error", err))
		return false, nil
	}
	return err == nil, err
}

// removeUpload takes a file from its owner, removes it under every name that it may have, and then removes its row. A
// file that something refers to by now stays.
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

// removeIncoming removes the files that were sent straight to the store, once the time to send them is over. An
// application has its own copy.
func (p *Portal) removeIncoming(ctx context.Context) error {
	last := store.Upload{}
	for {
		sent, err := p.db.SentUploads(ctx, store.At(p.now().Add(-AbandonedAfter)), last, abandonedAtOnce)
		if err != nil {
			return err
		}
		for _, u := range sent {
			last = u
			if _, err := p.logNotDeleted(ctx, u, p.closeIncoming(ctx, u)); err != nil {
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
