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

// tool returns the path of the newest pg_dump or pg_restore. ErrTool when there is none of at least a major version.
func tool(ctx context.Context, name string, least int) (string, error) {
	found, _ := filepath.Glob(filepath.Join(packagedTools, name))
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
	switch {
	case best == "":
		return "", fmt.Errorf("%w: there is no %s here; install postgresql-client-%d or newer", ErrTool, name, least)
	case newest < least:
		return "", fmt.Errorf("%w: %s is of version %d and the server of version %d; install postgresql-client-%d",
			ErrTool, name, newest, least, least)
	}
	return best, nil
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

// runTool runs a program of Postgres on the database and returns what it printed. ErrTool with its last words.
func runTool(ctx context.Context, database, file string, args ...string) ([]byte, error) {
	environ := os.Environ()
	if database != "" {
		clean, password, err := withoutPassword(database)
		if err != nil {
			return nil, err
		}
		args = append([]string{"--no-password", "--dbname=" + clean}, args...)
		if password != "" {
			environ = append(environ, "PGPASSWORD="+password)
		}
	}
	command := exec.CommandContext(ctx, file, args...)
	var out, words bytes.Buffer
	command.Stdout, command.Stderr, command.Env = &out, &words, environ
	if err := command.Run(); err != nil {
		lines := strings.Split(strings.TrimSpace(words.String()), "\n")
		return nil, fmt.Errorf("%w: %s: %s (%w)", ErrTool, filepath.Base(file), lines[0], err)
	}
	return out.Bytes(), nil
}

// dump writes a snapshot of a Postgres database into a file.
func dump(ctx context.Context, address string, db *store.DB, snapshot, path string) error {
	major, err := whole.PostgresVersion(ctx, db)
	if err != nil {
		return err
	}
	file, err := tool(ctx, "pg_dump", major)
	if err != nil {
		return err
	}
	// The archive compresses everything itself.
	_, err = runTool(ctx, address, file, "--format=custom", "--compress=0", "--no-owner", "--no-privileges",
		"--snapshot="+snapshot, "--file="+path)
	return err
}
