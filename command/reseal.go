package command

import (
	"context"
	"fmt"
	"io"

	"portico/config"
)

func runReseal(ctx context.Context, c config.Config, out io.Writer, _ []string) error {
	db, p, err := openMigrated(ctx, c)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	done, err := p.Sealing.Reseal(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "sealed with the first master key: %d credentials of companies, %d phones of applicants\n",
		done.Credentials, done.Applicants)
	if done.Lost > 0 {
		return fmt.Errorf(
			"reseal: %d values cannot be opened with any key of PORTICO_SECRET; they count as not set up", done.Lost)
	}
	return nil
}
