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
	"regexp"
	"slices"
	"strconv"
	"strings"

	"portico/store"
	"portico/store/whole"
)

// ErrTool says that a program of Postgres is missing, too old, or failed.
var ErrTool = errors.New("backup")

// packagedTools is where Debian keeps the programs of each version of Postgres.
const packagedTools = "/usr/lib/postgresql/*/bin"

var toolVersion = regexp.MustCompile(`\(PostgreSQL\) (\d+)`)

// tools finds programs of Postgres in PATH and in the folders that a pattern matches.
type tools struct{ folders string }

// newest returns the path of the newest pg_dump or pg_restore, and its major version. ErrTool when there is none of at
// least a major version, 0 for any.
func (t tools) newest(ctx context.Context, name string, least int) (path string, major int, err error) {
	found, _ := filepath.Glob(filepath.Join(t.folders, name))
	if inPath, err := exec.LookPath(name); err == nil {
		found = append(found, inPath)
	}
	best, newest := "", 0
	for _, file := range found {
		out, err := exec.CommandContext(ctx, file, "--version").Output()
		match := toolVersion.FindSubmatch(out)
		if err != nil || match == nil {
			continue
		}
		if major, _ := strconv.Atoi(string(match[1])); major > newest {
			best, newest = file, major
		}
	}
	needed := "postgresql-client"
	if least > 0 {
		needed += "-" + strconv.Itoa(least)
	}
	switch {
	case best == "":
		return "", 0, fmt.Errorf("%w: %s is missing; install %s (the name in Debian and Ubuntu) or newer, or put its "+
			"folder into PATH", ErrTool, name, needed)
	case newest < least:
		return "", 0, fmt.Errorf("%w: %s has version %d, and version %d is needed; install %s (the name in Debian and "+
			"Ubuntu) or newer, or put its folder into PATH", ErrTool, name, newest, least, needed)
	}
	return best, newest, nil
}

// passedOn are the parameters of an address that the programs of Postgres know too.
var passedOn = []string{
	"host", "port", "user", "dbname", "sslmode", "sslrootcert", "sslcert", "sslkey", "connect_timeout",
	"target_session_attrs", "options",
}

// withoutPassword returns an address that may stand on a command line, and the password.
func withoutPassword(address string) (clean, password string, err error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", "", errors.New("backup: PORTICO_DATABASE is no address")
	}
	query := u.Query()
	password = query.Get("password")
	if u.User != nil {
		if given, ok := u.User.Password(); ok {
			password = given
		}
		u.User = url.User(u.User.Username())
	}
	for name := range query {
		if !slices.Contains(passedOn, name) {
			query.Del(name)
		}
	}
	u.RawQuery = strings.ReplaceAll(query.Encode(), "+", "%20")
	return u.String(), password, nil
}

// runTool runs a program of Postgres on the database and fails with ErrTool and its last words.
func runTool(ctx context.Context, database, file string, args ...string) error {
	environ := os.Environ()
	if database != "" {
		clean, password, err := withoutPassword(database)
		if err != nil {
			return err
		}
		args = append([]string{"--no-password", "--dbname=" + clean}, args...)
		if password != "" {
			environ = append(environ, "PGPASSWORD="+password)
		}
	}
	command := exec.CommandContext(ctx, file, args...)
	var words bytes.Buffer
	command.Stderr, command.Env = &words, environ
	if err := command.Run(); err != nil {
		return fmt.Errorf("%w: %s: %s (%w)", ErrTool, filepath.Base(file), firstLine(words.String()), err)
	}
	return nil
}

// dump writes a snapshot of a Postgres database into a file and returns the major version of pg_dump.
func dump(ctx context.Context, address string, db *store.DB, snapshot, path string) (version int, err error) {
	server, err := whole.PostgresVersion(ctx, db)
	if err != nil {
		return 0, err
	}
	file, version, err := tools{packagedTools}.newest(ctx, "pg_dump", server)
	if err != nil {
		return 0, err
	}
	// The archive compresses everything itself.
	err = runTool(ctx, address, file, "--format=custom", "--compress=0", "--no-owner", "--no-privileges",
		"--snapshot="+snapshot, "--file="+path)
	return version, err
}

// checkDump checks the table of contents of a dump. ErrDamaged, ErrTool.
func checkDump(ctx context.Context, m Manifest, path string) error {
	file, _, err := tools{packagedTools}.newest(ctx, "pg_restore", m.Dump)
	if err != nil {
		return err
	}
	err = runTool(ctx, "", file, "--list", path)
	switch {
	case err == nil:
		return nil
	case strings.Contains(err.Error(), "unsupported version"): // archives of earlier programs have no version
		return fmt.Errorf("%w; a newer pg_restore is needed: install the newest postgresql-client", err)
	}
	return fmt.Errorf("%w: %w", ErrDamaged, err)
}

// load restores a dump into an empty database and compares the result with the manifest, all in one transaction.
func load(ctx context.Context, db *store.DB, m Manifest, path string) error {
	file, _, err := tools{packagedTools}.newest(ctx, "pg_restore", m.Dump)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	command := exec.CommandContext(ctx, file, "--file=-", "--no-owner", "--no-privileges", path)
	var words bytes.Buffer
	command.Stderr = &words
	script, err := command.StdoutPipe()
	if err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	if err := command.Start(); err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	ended := false
	wait := func() error {
		ended = true
		if err := command.Wait(); err != nil {
			return fmt.Errorf("%w: pg_restore: %s (%w)", ErrTool, firstLine(words.String()), err)
		}
		return nil
	}
	err = whole.Load(ctx, db, script, func(c whole.Contents) error {
		if err := wait(); err != nil { // what it wrote is not the whole script
			return err
		}
		return compare(m, c)
	})
	if !ended {
		stop()
		_ = command.Wait()
	}
	if err != nil && !errors.Is(err, ErrTool) && !errors.Is(err, ErrDamaged) {
		err = fmt.Errorf("restore: %w", err)
	}
	return err
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
