package server

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"portico/store"
	"portico/store/dberror"
	"portico/store/pool"
)

// databaseBuckets end at three seconds, the time that the operations of one request have.
var databaseBuckets = []float64{0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 3}

// databaseMetrics are the counters of operations of the database.
type databaseMetrics struct {
	seconds                   *prometheus.HistogramVec
	failed, repeated, refused *prometheus.CounterVec
	replica                   *prometheus.CounterVec // nil without WatchReplica
}

func (m *Metrics) makeDatabaseMetrics() databaseMetrics {
	d := databaseMetrics{
		seconds: m.histograms("portico_database_seconds", "How long operations of the database took, with waits for a "+
			"connection and repetitions, by kind: read, write, batch or transaction.", databaseBuckets, "kind"),
		failed: m.counters("portico_database_errors_total", "Operations of the database that failed in the end, by "+
			"class: timeout, cancelled, conflict, constraint, read_only, locked, full, connection or other.", "class"),
		repeated: m.counters("portico_database_repeated_total",
			"Repetitions after a conflict or a broken connection, by kind.", "kind"),
		refused: m.counters("portico_database_refused_total", "Operations that were refused without running: too_many "+
			"(at once) or no_time (the request had used up its time).", "reason"),
	}
	for _, kind := range pool.Kinds {
		d.seconds.WithLabelValues(string(kind))
		d.repeated.WithLabelValues(string(kind))
	}
	for _, class := range dberror.Classes {
		d.failed.WithLabelValues(class)
	}
	for _, reason := range pool.Refusals {
		d.refused.WithLabelValues(string(reason))
	}
	return d
}

// WatchDatabase counts the operations of a database, and logs slow statements. It must be called before the database is
// used by several goroutines.
func (m *Metrics) WatchDatabase(db *store.DB, log *slog.Logger) {
	kinds := map[pool.Kind]prometheus.Observer{}
	for _, kind := range pool.Kinds {
		kinds[kind] = m.database.seconds.WithLabelValues(string(kind))
	}
	db.Observe(pool.Observer{
		Done:     func(kind pool.Kind, took time.Duration) { kinds[kind].Observe(took.Seconds()) },
		Failed:   func(class string) { m.database.failed.WithLabelValues(class).Inc() },
		Repeated: func(kind pool.Kind) { m.database.repeated.WithLabelValues(string(kind)).Inc() },
		Refused:  func(reason pool.Refusal) { m.database.refused.WithLabelValues(string(reason)).Inc() },
		Replica: func(outcome pool.Outcome) {
			if m.database.replica != nil {
				m.database.replica.WithLabelValues(string(outcome)).Inc()
			}
		},
		Slow: func(ctx context.Context, name string, took time.Duration) {
			log.LogAttrs(ctx, slog.LevelWarn, "slow statement", slog.String("statement", name), milliseconds(took))
		},
	})
	m.read("portico_database_operations", "Statements and transactions of requests that run or wait now.",
		func() float64 { return float64(db.OperationsNow()) })
	m.gauge("portico_database_operations_limit", "How many of them may run or wait; further ones are refused.", nil,
		pool.AtOnce)
}

// WatchReplica adds the values of a replica. Without one they are missing. It must be called before the database is
// used by several goroutines.
func (m *Metrics) WatchReplica(r *pool.Replica) {
	m.database.replica = m.counters("portico_replica_reads_total", "Tries to read a list from the replica: used, or "+
		"the main database was read because the replica was behind, away or failed.", "outcome")
	for _, outcome := range pool.Outcomes {
		m.database.replica.WithLabelValues(string(outcome))
	}
	m.read("portico_replica_age_seconds", "How far the replica was behind the main database when this process last "+
		"looked, and the time since then.", func() float64 { return r.Age().Seconds() })
}

// milliseconds returns the attribute of the log for how long something took.
func milliseconds(took time.Duration) slog.Attr {
	return slog.Float64("ms", float64(took.Microseconds())/1000)
}
