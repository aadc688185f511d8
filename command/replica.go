package command

import (
	"context"
	"fmt"
	"log/slog"

	"portico/config"
	"portico/server"
	"portico/store"
)

// watchReplica makes lists be read from the replica of PORTICO_DATABASE_REPLICA, if there is one, and watches it until
// the context ends. The program also starts, and works, while the replica is away.
func watchReplica(ctx context.Context, c config.Config, db *store.DB, m *server.Metrics, log *slog.Logger) error {
	if c.Database.Replica == "" {
		return nil
	}
	r, err := db.UseReplica(c.Database.Replica, c.Database.Pool)
	if err != nil {
		return fmt.Errorf("PORTICO_DATABASE_REPLICA: %w", err)
	}
	m.WatchReplica(r)
	go r.Watch(ctx, func(err error) {
		if err != nil {
			log.LogAttrs(ctx, slog.LevelWarn, "replica away", slog.Any("error", err))
			return
		}
		log.LogAttrs(ctx, slog.LevelInfo, "replica back")
	})
	return nil
}
