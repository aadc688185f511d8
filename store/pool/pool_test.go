package pool

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

func TestConnectionWhoseServerDoesNotCancelIsGivenUpAfterHalfASecond(t *testing.T) {
	settings, err := Parse("postgres://portico@127.0.0.1:1/portico")
	if err != nil {
		t.Fatal(err)
	}
	handler := settings.config.BuildContextWatcherHandler(nil).(*pgconn.CancelRequestContextWatcherHandler)
	if handler.CancelRequestDelay != 0 || handler.DeadlineDelay != 500*time.Millisecond {
		t.Errorf("%+v", handler)
	}
}

func TestDefaultPoolHasAtMost16Connections(t *testing.T) {
	settings, err := Parse("postgres://portico@127.0.0.1:1/portico")
	if err != nil {
		t.Fatal(err)
	}
	opened := Open(settings, Default, new(Renewal))
	defer func() { _ = opened.Close() }()
	if most := opened.Stats().MaxOpenConnections; most != 16 {
		t.Errorf("%d connections", most)
	}
}
