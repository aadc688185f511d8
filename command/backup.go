package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"portico/config"
	"portico/store"
	"portico/store/backup"
	"portico/store/schema"
)

// replaceOld is the flag of restore that allows it to replace a SQLite file.
const replaceOld = "-replace"

// installation returns what backups need to know of this program.
func installation(c config.Config) (backup.Installation, error) {
	secrets, err := c.Secrets.MasterKeys()
	return backup.Installation{
		Database: c.Database.Address, Secrets: secrets, Program: readBuild().version, Now: time.Now,
		Recipients: c.BackupFor,
	}, err
}

// placeOf returns the place that the only argument of a command names.
func placeOf(name string, args []string) (backup.Place, error) {
	if len(args) != 1 {
		return backup.Place{}, usage("%s: name one file, or an object as s3://KEY:SECRET@endpoint/bucket/name", name)
	}
	return backup.ParsePlace(args[0])
}

// backupPlace returns where a backup goes: to the place that was named, else to that of PORTICO_BACKUP.
func backupPlace(c config.Config, args []string) (backup.Place, error) {
	if len(args) == 0 && c.Backup != nil {
		return c.Backup.To.At(time.Now()), nil
	}
	return placeOf("backup", args)
}

// takeValue removes a flag and its value from the begin of the arguments. It returns the last value, "" for none.
func takeValue(args []string, name string) (value string, rest []string) {
	for len(args) > 1 && args[0] == name {
		value, args = args[1], args[2:]
	}
	return value, args
}

// withKeys reads the private keys of a backup.
func withKeys(i backup.Installation, file string) (backup.Installation, error) {
	if file == "" {
		return i, nil
	}
	var err error
	i.Identities, err = backup.ReadIdentities(file)
	return i, err
}

func runBackup(ctx context.Context, c config.Config, out io.Writer, args []string) error {
	keys, args := takeValue(args, forRecipients)
	if keys != "" {
		all, err := backup.ParseRecipients(keys)
		if err != nil {
			return usage("backup: %s: %w", forRecipients, err)
		}
		c.BackupFor = all
	}
	to, err := backupPlace(c, args)
	if err != nil {
		return err
	}
	db, older, err := openToCopy(ctx, c.Database.Address)
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
	if older {
		fmt.Fprintln(out, "the database is older than this program and was copied as it is; portico migrate brings "+
			"it, or what is restored from this backup, to this program's version")
	}
	fmt.Fprintln(out, "it has neither PORTICO_SECRET nor the files of PORTICO_UPLOADS; back them up too, elsewhere")
	return nil
}

// openToCopy opens an existing database to back it up. It accepts an older schema and says so with older, because a
// database is backed up before a new program migrates it. It fails with schema.ErrNoDatabase or schema.ErrNewer.
func openToCopy(ctx context.Context, address string) (db *store.DB, older bool, err error) {
	db, err = store.OpenMigrated(ctx, address)
	if !errors.Is(err, schema.ErrOlder) {
		return db, false, err
	}
	db, err = store.Open(ctx, address)
	return db, true, err
}

// describe says in a few words what a backup has.
func describe(m backup.Manifest) string {
	rows := 0
	for _, n := range m.Rows {
		rows += n
	}
	sealed := ", not encrypted"
	if m.Encrypted {
		sealed = ", encrypted"
	}
	return fmt.Sprintf("%s of %s, schema %d, %d rows, %d bytes before compression%s", m.Engine,
		m.MadeAt.Format(time.RFC3339), m.Schema, rows, m.Size, sealed)
}

func runVerify(ctx context.Context, c config.Config, out io.Writer, args []string) error {
	file, args := takeValue(args, withIdentity)
	from, err := placeOf("verify", args)
	if err != nil {
		return err
	}
	i, err := installation(c)
	if err != nil {
		return err
	}
	if i, err = withKeys(i, file); err != nil {
		return err
	}
	m, err := backup.Verify(ctx, from, i.Identities...)
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
	args = slices.DeleteFunc(args, func(a string) bool { return a == replaceOld })
	file, args := takeValue(args, withIdentity)
	from, err := placeOf("restore", args)
	if err != nil {
		return err
	}
	i, err := installation(c)
	if err != nil {
		return err
	}
	if i, err = withKeys(i, file); err != nil {
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
