package application

import (
	"context"
	"errors"
	"log/slog"

	"portico/portal/pictures"
	"portico/store"
)

// RemoveAbandoned removes the files that nothing has referred to for AbandonedAfter, the files of removed companies,
// and the originals that clients sent straight to the file store. A file that cannot be removed does not stop the work:
// the next run tries it again.
func (l *Licences) RemoveAbandoned(ctx context.Context) error {
	if l.pictures.Files == nil {
		return nil
	}
	removed, last := 0, store.Upload{CreatedAt: -1}
	for {
		ended, err := l.core.DB.Uploads.Ended(
			ctx, store.At(l.core.Now().Add(-pictures.AbandonedAfter)), last, pictures.AbandonedAtOnce,
		)
		if err != nil {
			return err
		}
		for _, u := range ended {
			last = u
			gone, err := l.logNotDeleted(ctx, u, l.removeUpload(ctx, u))
			if err != nil {
				return err
			}
			if gone {
				removed++
			}
		}
		if len(ended) < pictures.AbandonedAtOnce {
			break
		}
	}
	if removed > 0 {
		l.core.Log.LogAttrs(ctx, slog.LevelInfo, "files removed", slog.Int("number", removed))
	}
	return l.removeIncoming(ctx)
}

// notDeleted is the error of the file store when it does not delete a file.
type notDeleted struct{ error }

// Unwrap returns the error of the file store.
func (n notDeleted) Unwrap() error { return n.error }

// logNotDeleted logs a file that the store did not delete. It returns any other error.
func (l *Licences) logNotDeleted(ctx context.Context, u store.Upload, err error) (gone bool, _ error) {
	if stuck := (notDeleted{}); ctx.Err() == nil && errors.As(err, &stuck) {
		l.core.Log.LogAttrs(
			ctx, slog.LevelWarn, "file not removed", slog.String("upload", u.ID), slog.Any("error", err),
		)
		return false, nil
	}
	return err == nil, err
}

// removeUpload takes a file from its owner, removes it under every name that it may have, and then removes its row. It
// does nothing when something refers to the file by now.
func (l *Licences) removeUpload(ctx context.Context, u store.Upload) error {
	err := l.core.DB.Uploads.End(ctx, u)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	names := []string{pictures.IncomingName(u.ID), pictures.LicenceName(u.ID)}
	if u.Purpose == store.UploadLook {
		names = []string{pictures.IconName(u.ID), pictures.WelcomeName(u.ID), pictures.ProductName(u.ID)}
	}
	for _, name := range names {
		if err := l.pictures.Files.Delete(ctx, name); err != nil {
			return notDeleted{err}
		}
	}
	return l.core.DB.Uploads.Drop(ctx, u.ID)
}

// removeIncoming removes the files that clients sent straight to the file store, once the time to send them is over. An
// application has its own, cleaned copy.
func (l *Licences) removeIncoming(ctx context.Context) error {
	last := store.Upload{}
	for {
		sent, err := l.core.DB.Uploads.Sent(
			ctx, store.At(l.core.Now().Add(-pictures.AbandonedAfter)), last, pictures.AbandonedAtOnce,
		)
		if err != nil {
			return err
		}
		for _, u := range sent {
			last = u
			if _, err := l.logNotDeleted(ctx, u, l.closeIncoming(ctx, u)); err != nil {
				return err
			}
		}
		if len(sent) < pictures.AbandonedAtOnce {
			return nil
		}
	}
}

func (l *Licences) closeIncoming(ctx context.Context, u store.Upload) error {
	if err := l.pictures.Files.Delete(ctx, pictures.IncomingName(u.ID)); err != nil {
		return notDeleted{err}
	}
	return l.core.DB.Uploads.Close(ctx, u.ID)
}
