package backup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// driverParameters are the parameters of an address that only this program's driver knows.
var driverParameters = []string{"default_query_exec_mode", "statement_cache_capacity", "description_cache_capacity"}

// dumpPostgres lets pg_dump write a consistent copy of a running database to a file.
func dumpPostgres(ctx context.Context, address, file string) error {
	command, err := postgresCommand(ctx, address, "pg_dump", "--format=custom", "--no-owner", "--no-privileges",
		"--file="+file)
	if err != nil {
		return err
	}
	return run(command)
}

// verifyPostgres lets pg_restore read a whole dump, without a database.
func verifyPostgres(ctx context.Context, file string) error {
	path, err := postgresProgram("pg_restore")
	if err != nil {
		return err
	}
	if err := run(exec.CommandContext(ctx, path, "--file=/dev/null", file)); err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return nil
}

// restorePostgres restores a dump in one transaction. With replace, it first removes the tables that are there.
func restorePostgres(ctx context.Context, file, address string, replace bool) error {
	if err := verifyPostgres(ctx, file); err != nil {
		return err
	}
	tables, err := countTables(ctx, address)
	if err != nil {
		return err
	}
	if tables > 0 && !replace {
		return fmt.Errorf("%w: it has %d tables", ErrNotEmpty, tables)
	}
	args := []string{"--single-transaction", "--exit-on-error", "--no-owner", "--no-privileges"}
	if replace {
		args = append(args, "--clean", "--if-exists")
	}
	command, err := postgresCommand(ctx, address, "pg_restore", append(args, file)...)
	if err != nil {
		return err
	}
	return run(command)
}

// countTables returns how many tables the schema has that the address uses.
func countTables(ctx context.Context, address string) (n int, err error) {
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return 0, fmt.Errorf("open postgres: %w", err)
	}
	defer func() { _ = conn.Close(ctx) }()
	err = conn.QueryRow(ctx, "SELECT COUNT(*) FROM pg_tables WHERE schemaname = current_schema()").Scan(&n)
	return n, err
}

// postgresCommand returns a command of Postgres for the database of an address. The password is in its environment,
// where other users do not see it.
func postgresCommand(ctx context.Context, address, program string, args ...string) (*exec.Cmd, error) {
	path, err := postgresProgram(program)
	if err != nil {
		return nil, err
	}
	u, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("the address of the database cannot be read")
	}
	command := exec.CommandContext(ctx, path)
	command.Env = os.Environ()
	if password, ok := u.User.Password(); ok {
		command.Env = append(command.Env, "PGPASSWORD="+password)
		u.User = url.User(u.User.Username())
	}
	query := u.Query()
	for name := range query {
		if slices.Contains(driverParameters, name) || strings.HasPrefix(name, "pool_") {
			query.Del(name)
		}
	}
	u.RawQuery = query.Encode()
	command.Args = append([]string{path, "--dbname=" + u.String()}, args...)
	return command, nil
}

// postgresProgram returns the path of a program of Postgres: on the PATH, else the newest one where Debian installs
// them.
func postgresProgram(name string) (string, error) {
	if found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + name); len(found) > 0 {
		slices.Sort(found)
		return found[len(found)-1], nil
	}
	if path, err := exec.LookPath(name); err == nil {
		return path, nil
	}
	return "", fmt.Errorf(
		"%w: install %s (Debian: postgresql-client), of the server's version or newer",
		ErrNoProgram,
		name,
	)
}

// maxComplaint is how much of a program's complaint an error contains, in bytes.
const maxComplaint = 500

func run(command *exec.Cmd) error {
	var complaint bytes.Buffer
	command.Stderr = &complaint
	if err := command.Run(); err != nil {
		text := bytes.TrimSpace(complaint.Bytes())
		return fmt.Errorf("%s: %w: %s", filepath.Base(command.Path), err, text[:min(len(text), maxComplaint)])
	}
	return nil
}
