package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"portico/config"
)

func runBackup(ctx context.Context, c config.Config, out io.Writer, args []string) error {
	if len(args) != 1 {
		return errors.New("backup: name the file to write")
	}
	db, p, err := openMigrated(ctx, c)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	if err := p.Operator.Backup(ctx, args[0]); err != nil {
		return err
	}
	fmt.Fprintln(out, "wrote", args[0])
	return nil
}
