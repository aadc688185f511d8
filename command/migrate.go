package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"portico/config"
	"portico/store"
	"portico/store/schema"
)

func runMigrate(ctx context.Context, c config.Config, out io.Writer, args []string) error {
	switch {
	case len(args) == 0:
		return migrate(ctx, c, out)
	case slices.Equal(args, []string{dryRun}):
		return printPlan(ctx, c, out)
	case slices.Equal(args, []string{"status"}):
		return printStatus(ctx, c, out)
	}
	return fmt.Errorf("migrate: unknown arguments %q; see portico migrate -h", strings.Join(args, " "))
}

const nothingToDo = "there is nothing to do"

func migrate(ctx context.Context, c config.Config, out io.Writer) error {
	db, err := store.Open(ctx, c.Database.Address)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	ran := false
	if err := db.MigrateWithProgress(ctx, func(line string) { ran = true; fmt.Fprintln(out, line) }); err != nil {
		return err
	}
	version, known, err := db.SchemaVersion(ctx)
	switch {
	case err != nil:
		return err
	case version > known:
		fmt.Fprintf(out, "the database is at version %d, and this program, which knows version %d, can use it; %s\n",
			version, known, nothingToDo)
	case !ran:
		fmt.Fprintf(out, "the database is at version %d; %s\n", version, nothingToDo)
	default:
		fmt.Fprintln(out, "the database is at version", version)
	}
	return nil
}

// logMigration logs what the migration at the start of serve has done or is waiting for.
func logMigration(line string) {
	slog.New(slog.NewJSONHandler(os.Stderr, nil)).Info("migration", slog.String("step", line))
}

// printPlan prints the statements that migrate would run, as SQL with a comment above each.
func printPlan(ctx context.Context, c config.Config, out io.Writer) error {
	versions, err := store.SchemaVersions(ctx, c.Database.Address)
	if err != nil {
		return err
	}
	pending, err := pendingVersions(versions)
	if err != nil {
		return err
	}
	for _, v := range pending {
		fmt.Fprintf(out, "-- version %d, %s: %s\n", v.Version, v.Name, compatiblePrograms(v))
		for i, step := range v.Steps {
			if !step.Done {
				fmt.Fprintf(out, "-- %d.%d %s\n%s;\n", v.Version, i+1, step.Effect, step.SQL)
			}
		}
		fmt.Fprintln(out)
	}
	if len(pending) == 0 {
		fmt.Fprintln(out, "--", nothingToDo)
	}
	return nil
}

// pendingVersions returns the versions that migrate would apply. It returns schema.ErrNewer when migrate would
// refuse.
func pendingVersions(versions []schema.VersionState) (pending []schema.VersionState, err error) {
	for _, v := range versions {
		if !v.Usable() {
			return nil, fmt.Errorf("%w: it is at version %d, this program knows %d",
				schema.ErrNewer, v.Version, v.Known)
		}
		if v.AppliedAt == 0 && v.Version <= v.Known {
			pending = append(pending, v)
		}
	}
	return pending, nil
}

func compatiblePrograms(v schema.VersionState) string {
	if v.CompatibleFrom == v.Version {
		return "programs that do not know it are not ready from its first statement on"
	}
	return fmt.Sprintf("programs that know version %d stay ready", v.CompatibleFrom)
}

// errPending means that not all migrations of this program are applied.
var errPending = errors.New("migrate status: migrations are pending; run portico migrate")

// printStatus prints the versions in a table. The error says that something is pending, or that the schema is too new.
func printStatus(ctx context.Context, c config.Config, out io.Writer) error {
	versions, err := store.SchemaVersions(ctx, c.Database.Address)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(table, "VERSION\tNAME\tAPPLIED\tCOMPATIBLE FROM")
	for _, v := range versions {
		name, from := v.Name, fmt.Sprint(v.CompatibleFrom)
		if name == "" {
			name = "(of a newer program)"
		}
		if v.CompatibleFrom == 0 {
			from = "unknown"
		}
		fmt.Fprintf(table, "%d\t%s\t%s\t%s\n", v.Version, name, appliedWhen(v), from)
	}
	_ = table.Flush()
	pending, err := pendingVersions(versions)
	if err == nil && len(pending) > 0 {
		return errPending
	}
	return err
}

func appliedWhen(v schema.VersionState) string {
	if v.AppliedAt > 0 {
		return time.UnixMilli(v.AppliedAt).UTC().Format(time.DateTime) + " UTC"
	}
	if !v.Begun {
		return "pending"
	}
	done := 0
	for _, step := range v.Steps {
		if step.Done {
			done++
		}
	}
	if v.Version > v.Known {
		return "begun"
	}
	return fmt.Sprintf("begun, %d of %d statements", done, len(v.Steps))
}
