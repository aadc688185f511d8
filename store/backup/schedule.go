package backup

import (
	"context"
	"fmt"
	"time"

	"portico/store"
)

// Schedule says where backups are kept, how often one is made, and how many are kept.
type Schedule struct {
	To    Collection
	Every time.Duration
	Keep  int
}

// Outcome is what Run has done. Newest is when the newest archive was made, the zero time when there is none.
type Outcome struct {
	Made   bool
	Place  Place // of the archive that was made
	Newest time.Time
}

// Look returns when the newest archive was made, and makes none.
func (s Schedule) Look(ctx context.Context) (Outcome, error) {
	times, err := s.To.Times(ctx)
	if err != nil || len(times) == 0 {
		return Outcome{}, err
	}
	return Outcome{Newest: times[len(times)-1]}, nil
}

// Run makes a backup when the newest one is older than Every, and then removes the oldest ones beyond Keep. It removes
// nothing when the backup fails, and never the newest archive.
func (s Schedule) Run(ctx context.Context, i Installation, db *store.DB) (Outcome, error) {
	var done Outcome
	times, err := s.To.Times(ctx)
	if err != nil {
		return done, err
	}
	now := i.Now().UTC().Truncate(time.Second)
	if len(times) > 0 {
		done.Newest = times[len(times)-1]
		if now.Before(done.Newest.Add(s.Every)) {
			return done, nil
		}
	}
	done.Place = s.To.At(now)
	if _, err := Write(ctx, i, db, done.Place); err != nil {
		return done, err
	}
	done.Made, done.Newest = true, now
	for ; len(times)+1 > max(s.Keep, 1); times = times[1:] {
		old := s.To.At(times[0])
		if err := old.remove(ctx); err != nil {
			return done, fmt.Errorf("backup: remove %s: %w", old, err)
		}
	}
	return done, nil
}
