package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"portico/store/dberror"
	"portico/store/pool"
)

// Tx runs f in one transaction: committed when f returns nil, else rolled back. Called inside a transaction it joins
// that one.
//
// f may run several times: when another transaction collided with it, or the connection broke before the commit, the
// transaction is rolled back and f runs again in a new one. So f must have no effect except its statements. It must not
// append to outside variables or count in them, nor send or log anything (use AfterCommit). It must set all its results
// in every run, whatever an earlier run left in them. No network call belongs inside f.
func (db *DB) Tx(ctx context.Context, f func(tx *DB) error) error {
	if db.tx != nil {
		return f(db)
	}
	return db.bounded(ctx, func(ctx context.Context) error {
		giveUp := db.runTwice
		return db.observed.Run(ctx, pool.Transaction, func(ctx context.Context) error {
			err := db.retry(ctx, pool.Transaction, func() error {
				err := db.once(ctx, f, giveUp)
				giveUp = false
				return err
			})
			if dberror.IsLocked(err) {
				db.observed.Note(err)
			}
			return err
		})
	})
}

// once runs a transaction once. With giveUp it rolls the transaction back instead of committing it.
func (db *DB) once(ctx context.Context, f func(tx *DB) error, giveUp bool) error {
	conn, err := db.write.Connx(ctx)
	if err != nil {
		db.observed.Note(err)
		return fmt.Errorf("begin: %w", err)
	}
	defer func() { _ = conn.Close() }()
	tx, err := conn.BeginTxx(ctx, nil)
	if err != nil {
		if !dberror.IsLocked(err) { // Tx begins again
			db.observed.Note(err)
		}
		return fmt.Errorf("begin: %w", err)
	}
	defer func() { _ = tx.Rollback() }()
	inner := db.clone()
	inner.tx = tx
	inner.conn = conn
	inner.afterCommit = new([]func())
	inner.deadline, _ = ctx.Deadline()
	if err := f(inner); err != nil {
		return err
	}
	if giveUp {
		return errRunTwice
	}
	if err := tx.Commit(); err != nil {
		db.observed.Note(err)
		return &commitError{err}
	}
	for _, after := range *inner.afterCommit {
		after()
	}
	if db.postgres && ctx.Err() != nil {
		// The commit may have been cancelled while it waited for the standby. Then the standby may not have it.
		return &commitError{ctx.Err()}
	}
	return nil
}

// AfterCommit runs f once the transaction is committed, and never when it is rolled back. Without a transaction it runs
// f at once.
func (db *DB) AfterCommit(f func()) {
	if db.tx == nil {
		f()
		return
	}
	*db.afterCommit = append(*db.afterCommit, f)
}

// canceled adds the reason to an error that came because ctx had ended. A transaction that database/sql rolled back
// only says that it is done, and a statement that Postgres cancelled only says that it was cancelled (57014).
func canceled(ctx context.Context, err error) error {
	if ctx.Err() != nil && (errors.Is(err, sql.ErrTxDone) || dberror.SQLState(err) == "57014") {
		return fmt.Errorf("%w: %w", ctx.Err(), err)
	}
	return err
}
