package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"portico/backup"
	"portico/config"
	"portico/store"
)

// replaceOld is the flag of restore that allows it to replace a SQLite file.
const replaceOld = "-replace"

// installation returns what backups need to know of this program.
func installation(c config.Config) (backup.Installation, error) {
	secrets, err := c.Secrets.MasterKeys()
	return backup.Installation{
		Database: c.Database.Address, Secrets: secrets, Program: readBuild().version, Now: time.Now,
	}, err
}

// placeOf returns the place that the only argument of a command names.
func placeOf(name string, args []string) (backup.Place, error) {
	if len(args) != 1 {
		return backup.Place{}, usage("%s: name one file, or an object as s3://KEY:SECRET@endpoint/bucket/name", name)
	}
	return backup.ParsePlace(args[0])
}

func runBackup(ctx context.Context, c config.Config, out io.Writer, args []string) error {
	to, err := placeOf("backup", args)
	if err != nil {
		return err
	}
	db, err := store.OpenMigrated(ctx, c.Database.Address)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	i, err := installation(c)
	if err != nil {
		return err
	}
	m, err := backup.Write(ctx, i, db, to)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "wrote %s: %s\n", to, describe(m))
	fmt.Fprintln(out, "it has neither PORTICO_SECRET nor the files of PORTICO_UPLOADS; back them up too, elsewhere")
	return nil
}

// describe says in a few words what a backup has.
func describe(m backup.Manifest) string {
	rows := 0
	for _, n := range m.Rows {
		rows += n
	}
	return fmt.Sprintf("%s of %s, schema %d, %d rows, %d bytes before compression", m.Engine,
		m.MadeAt.Format(time.RFC3339), m.Schema, rows, m.Size)
}

func runVerify(ctx context.Context, c config.Config, out io.Writer, args []string) error {
	from, err := placeOf("verify", args)
	if err != nil {
		return err
	}
	i, err := installation(c)
	if err != nil {
		return err
	}
	m, err := backup.Verify(ctx, from)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s is whole: %s\n", from, describe(m))
	printKeyWarning(out, i, m)
	return nil
}

func printKeyWarning(out io.Writer, i backup.Installation, m backup.Manifest) {
	if warning := i.KeyWarning(m); warning != "" {
		fmt.Fprintln(out, "warning:", warning)
	}
}

func runRestore(ctx context.Context, c config.Config, out io.Writer, args []string) error {
	replace := slices.Contains(args, replaceOld)
	from, err := placeOf("restore", slices.DeleteFunc(args, func(a string) bool { return a == replaceOld }))
	if err != nil {
		return err
	}
	i, err := installation(c)
	if err != nil {
		return err
	}
	done, err := backup.Restore(ctx, i, from, replace)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "restored and checked: %s\n", describe(done.Manifest))
	if done.Kept != "" {
		fmt.Fprintln(out, "the former database is", done.Kept)
	}
	fmt.Fprintln(out, "if portico migrate status says that a version is pending, run portico migrate")
	printKeyWarning(out, i, done.Manifest)
	return nil
}
