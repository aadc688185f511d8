package whole

import (
	"bufio"
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/jmoiron/sqlx"

	"portico/store"
)

// Load runs a script of pg_restore in an empty Postgres database, in one transaction, and calls check with what the
// database then contains. It commits only when the script and check have succeeded.
func Load(ctx context.Context, db *store.DB, script io.Reader, check func(Contents) error) error {
	conn, err := reader(db).Connx(ctx)
	if err != nil {
		return err
	}
	// The script changes settings of the connection, which must not be used again.
	defer func() { _ = conn.Raw(func(any) error { return driver.ErrBadConn }) }()
	if _, err := conn.ExecContext(ctx, "BEGIN"); err != nil {
		return err
	}
	err = conn.Raw(func(c any) error {
		return runScript(ctx, c.(*stdlib.Conn).Conn().PgConn(), script)
	})
	if err == nil {
		_, err = conn.ExecContext(ctx, "RESET ALL")
	}
	var c Contents
	if err == nil {
		c, err = loaded(ctx, conn)
	}
	if err == nil {
		err = check(c)
	}
	if err != nil {
		_, undo := conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
		return errors.Join(err, undo)
	}
	_, err = conn.ExecContext(ctx, "COMMIT")
	return err
}

// loaded returns the contents that the transaction of a connection sees.
func loaded(ctx context.Context, conn *sqlx.Conn) (c Contents, err error) {
	if c.Rows, err = rowsOf(ctx, conn, true); err != nil {
		return c, err
	}
	err = conn.GetContext(ctx, &c.Schema, "SELECT COALESCE(MAX(version), 0) FROM schema_versions WHERE applied_at > 0")
	return c, err
}

// Lines of a script that are not sent to the server. A setting of Postgres 17, which older servers refuse, is left out.
// Commands of psql, which begin with a backslash, only say that psql shall refuse other such commands.
const (
	newSetting = "SET transaction_timeout = 0;"
	copyBegins = "COPY "
	copyFrom   = " FROM stdin;"
	copyEnds   = `\.`
	psqlBegins = `\`
)

// runScript sends the statements of a script, and the rows after each COPY.
func runScript(ctx context.Context, conn *pgconn.PgConn, script io.Reader) error {
	lines := bufio.NewReaderSize(script, 1<<16)
	var statements strings.Builder
	send := func() error {
		text := statements.String()
		statements.Reset()
		if strings.TrimSpace(text) == "" {
			return nil
		}
		_, err := conn.Exec(ctx, text).ReadAll()
		return err
	}
	for {
		line, err := lines.ReadString('\n')
		text := strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(text, copyBegins) && strings.HasSuffix(text, copyFrom):
			if err := send(); err != nil {
				return err
			}
			rows := &copyRows{lines: lines}
			if _, err := conn.CopyFrom(ctx, rows, text); err != nil {
				return errors.Join(fmt.Errorf("%s: %w", text, err), rows.err)
			}
		case text == newSetting || strings.HasPrefix(text, psqlBegins):
		default:
			statements.WriteString(line)
		}
		switch {
		case errors.Is(err, io.EOF):
			return send()
		case err != nil:
			return err
		}
	}
}

// copyRows reads the rows of a COPY, up to the line that ends them.
type copyRows struct {
	lines *bufio.Reader
	rest  []byte // of the present line
	begun bool   // rest does not begin a line
	err   error
}

// Read returns io.EOF after the last row, and io.ErrUnexpectedEOF when the script ends before.
func (c *copyRows) Read(p []byte) (int, error) {
	for len(c.rest) == 0 {
		if c.err != nil {
			return 0, c.err
		}
		line, err := c.lines.ReadSlice('\n')
		whole := !errors.Is(err, bufio.ErrBufferFull)
		switch {
		case !c.begun && string(line) == copyEnds+"\n":
			c.err = io.EOF
			return 0, io.EOF
		case errors.Is(err, io.EOF):
			c.err = io.ErrUnexpectedEOF
		case err != nil && whole:
			c.err = err
		}
		c.begun = !whole
		c.rest = append(c.rest[:0:0], line...)
	}
	n := copy(p, c.rest)
	c.rest = c.rest[n:]
	return n, nil
}
