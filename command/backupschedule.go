package command

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"portico/config"
	"portico/portal/access"
	"portico/store"
	"portico/store/backup"
)

const (
	// backupCheckEvery is how often an instance looks whether a backup is due.
	backupCheckEvery = 5 * time.Minute
	// backupLease is how long one instance has for a backup before another one may begin.
	backupLease = 6 * time.Hour
	backupName  = "backup"
)

// scheduleBackups makes the backups of PORTICO_BACKUP until the context ends, one instance at a time.
func scheduleBackups(ctx context.Context, c config.Config, db *store.DB, with dependencies) {
	i, err := installation(c)
	if err != nil { // newPortal has read the keys before
		with.log.LogAttrs(ctx, slog.LevelError, "backup failed", slog.Any("error", err))
		return
	}
	with.metrics.WatchBackups()
	process := access.RandomToken(9)
	ticker := time.NewTicker(backupCheckEvery)
	defer ticker.Stop()
	for {
		began := time.Now()
		done, err := backupIfDue(ctx, *c.Backup, i, db, process)
		if !errors.Is(err, context.Canceled) {
			with.metrics.CountBackup(done.Newest, err)
		}
		switch {
		case errors.Is(err, context.Canceled):
		case err != nil:
			with.log.LogAttrs(ctx, slog.LevelError, "backup failed", slog.Any("error", err))
		case done.Made:
			with.log.LogAttrs(ctx, slog.LevelInfo, "backup", slog.String("place", done.Place.String()),
				slog.Int64("ms", time.Since(began).Milliseconds()))
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// backupIfDue makes a backup if one is due and no other instance makes it.
func backupIfDue(
	ctx context.Context, s backup.Schedule, i backup.Installation, db *store.DB, process string,
) (backup.Outcome, error) {
	now := time.Now()
	leased, err := db.Leases.Take(ctx, backupName, process, store.At(now), store.At(now.Add(backupLease)))
	if err != nil {
		return backup.Outcome{}, err
	}
	if !leased {
		return s.Look(ctx)
	}
	defer func() { _ = db.Leases.End(context.WithoutCancel(ctx), backupName, process) }()
	return s.Run(ctx, i, db)
}
