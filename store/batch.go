package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"portico/store/dberror"
	"portico/store/pool"
)

// Batch collects statements that a transaction runs one after the other. They return no rows: Run only checks how many
// rows each one changed. On Postgres, all of them take one round trip.
type Batch struct {
	statements []batched
}

type batched struct {
	query string
	args  []any

	ifNone error // Run returns it when the statement changed no row; nil: it may change none
	ifSome error // Run returns it when the statement changed a row; nil: it may change some
}

// add appends a statement that may change any number of rows.
func (b *Batch) add(query string, args ...any) {
	b.statements = append(b.statements, batched{query: query, args: args})
}

// mustChange appends a statement that has to change a row. When it changes none, Run returns ifNone.
func (b *Batch) mustChange(ifNone error, query string, args ...any) {
	b.statements = append(b.statements, batched{query: query, args: args, ifNone: ifNone})
}

// mustNotChange appends a statement that must not change a row. When it changes one, Run returns ifSome.
func (b *Batch) mustNotChange(ifSome error, query string, args ...any) {
	b.statements = append(b.statements, batched{query: query, args: args, ifSome: ifSome})
}

// verdict returns the error for a statement that changed that number of rows, nil when the number is allowed.
func (s batched) verdict(changed int64) error {
	if changed == 0 {
		return s.ifNone
	}
	return s.ifSome
}

// ErrGone says that a row which a new row refers to was removed meanwhile.
var ErrGone = errors.New("store: what the new row refers to is gone")

// Run runs the statements of a batch in their order, all or none. It returns the error of the first statement that
// fails or changes the wrong number of rows; ErrGone when a statement refers to a row that was removed. Inside a
// transaction, the caller must then return the error, so that the transaction is rolled back.
func (db *DB) Run(ctx context.Context, b *Batch) error {
	err := db.run(ctx, b)
	if dberror.IsMissingReference(err) {
		return fmt.Errorf("%w: %w", ErrGone, err)
	}
	return err
}

func (db *DB) run(ctx context.Context, b *Batch) error {
	isAlone := len(b.statements) == 1 && b.statements[0].ifSome == nil
	if db.tx == nil && !isAlone {
		return db.Tx(ctx, func(tx *DB) error { return tx.Run(ctx, b) })
	}
	if db.postgres && len(b.statements) > 1 && !b.hasInvalidText() {
		return db.bounded(ctx, func(ctx context.Context) error {
			return db.observed.Run(ctx, pool.Batch, func(ctx context.Context) error {
				return db.pipeline(ctx, b)
			})
		})
	}
	for _, s := range b.statements {
		changed, err := db.exec(ctx, s.query, s.args...)
		if err == nil {
			err = s.verdict(changed)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// hasInvalidText says whether a statement has text that checkText refuses. exec then checks them one by one.
func (b *Batch) hasInvalidText() bool {
	return slices.ContainsFunc(b.statements, func(s batched) bool { return checkText(s.query, s.args) != nil })
}

// pipeline sends all statements to Postgres at once, on the connection of the transaction.
func (db *DB) pipeline(ctx context.Context, b *Batch) error {
	queue := new(pgx.Batch)
	for _, s := range b.statements {
		args, err := plainArgs(s.args)
		if err != nil {
			return err
		}
		queue.Queue(db.bound(s.query), args...)
	}
	return db.conn.Raw(func(conn any) error {
		results := conn.(*stdlib.Conn).Conn().SendBatch(ctx, queue)
		for _, s := range b.statements {
			tag, err := results.Exec()
			if err == nil {
				err = s.verdict(tag.RowsAffected())
			}
			if err != nil {
				_ = results.Close()
				return err
			}
		}
		return results.Close()
	})
}

// plainArgs turns arguments of named types, like Instant, into the basic types of database/sql, as it does itself for a
// single statement.
func plainArgs(args []any) ([]any, error) {
	plain := make([]any, len(args))
	for i, arg := range args {
		value, err := driver.DefaultParameterConverter.ConvertValue(arg)
		if err != nil {
			return nil, fmt.Errorf("argument %d: %w", i+1, err)
		}
		plain[i] = value
	}
	return plain, nil
}
