package dberror

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/mattn/go-sqlite3"
)

func TestErrorsOfDatabasesHaveAClass(t *testing.T) {
	postgres := func(code string) error { return fmt.Errorf("send: %w", &pgconn.PgError{Code: code}) }
	for _, c := range []struct {
		err  error
		want string
	}{
		{nil, ""}, {errors.New("store: not found"), ""}, {context.Canceled, "cancelled"},
		{context.DeadlineExceeded, "timeout"}, {postgres("57014"), "timeout"},
		{postgres("40001"), "conflict"}, {postgres("40P01"), "conflict"},
		{postgres("23505"), "constraint"}, {sqlite3.Error{Code: sqlite3.ErrConstraint}, "constraint"},
		{postgres("25006"), "read_only"}, {sqlite3.Error{Code: sqlite3.ErrReadonly}, "read_only"},
		{postgres("55P03"), "locked"}, {sqlite3.Error{Code: sqlite3.ErrBusy}, "locked"},
		{postgres("53300"), "full"}, {postgres("53100"), "full"}, {sqlite3.Error{Code: sqlite3.ErrFull}, "full"},
		{io.ErrUnexpectedEOF, "connection"}, {postgres("57P01"), "connection"}, {&pgconn.ConnectError{}, "connection"},
		{postgres("42601"), "other"}, {sqlite3.Error{Code: sqlite3.ErrCorrupt}, "other"},
	} {
		got := Class(c.err)
		if got != c.want || got != "" && !slices.Contains(Classes, got) {
			t.Errorf("%#v is %q, want %q", c.err, got, c.want)
		}
	}
}
