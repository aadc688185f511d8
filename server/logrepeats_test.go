package server

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// writtenLines returns the lines of a log without their times, and empties it.
func writtenLines(written *logBuffer) []string {
	written.mu.Lock()
	defer written.mu.Unlock()
	defer written.Reset()
	return strings.Split(strings.TrimSuffix(written.String(), "\n"), "\n")
}

// logBuffer is a log that several goroutines write.
type logBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

// Write adds a line.
func (b *logBuffer) Write(line []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(line)
}

func newTestLog() (*slog.Logger, *logBuffer) {
	written := new(logBuffer)
	withoutTime := func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}
	return slog.New(LogHandler(slog.NewTextHandler(written, &slog.HandlerOptions{ReplaceAttr: withoutTime}))), written
}

func wantLines(t *testing.T, written *logBuffer, want ...string) {
	t.Helper()
	if got := writtenLines(written); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("written:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

var errDiskFull = errors.New("disk full")

func TestOneCauseWritesOneErrorASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, written := newTestLog()
		for i := range 1000 {
			log.Error("request failed", slog.Int("number", i), slog.Any("error", errDiskFull))
		}
		wantLines(t, written, `level=ERROR msg="request failed" number=0 error="disk full"`)
		time.Sleep(time.Second + time.Millisecond)
		wantLines(t, written, `level=ERROR msg="request failed" number=999 error="disk full" repeated=999`)
		log.Error("request failed", slog.Any("error", errDiskFull))
		wantLines(t, written, "")
		time.Sleep(time.Second)
		wantLines(t, written, `level=ERROR msg="request failed" error="disk full" repeated=1`)
		time.Sleep(time.Second) // nothing came
		log.Error("request failed", slog.Any("error", errDiskFull))
		wantLines(t, written, `level=ERROR msg="request failed" error="disk full"`)
		time.Sleep(time.Minute)
		wantLines(t, written, "")
	})
}

func TestTheFirstLineOfAnotherCauseIsWrittenAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, written := newTestLog()
		for range 3 {
			log.Error("request failed", slog.Any("error", errDiskFull))
			log.Error("call failed", slog.Any("error", errDiskFull))
			log.Error("request failed", slog.Any("error", errors.New("no rows")))
			log.Warn("provider", slog.String("event", "exchange_failed"), slog.String("error", "timeout"))
			log.Warn("provider", slog.String("event", "portrait_not_fetched"), slog.String("error", "timeout"))
		}
		wantLines(t, written,
			`level=ERROR msg="request failed" error="disk full"`,
			`level=ERROR msg="call failed" error="disk full"`,
			`level=ERROR msg="request failed" error="no rows"`,
			`level=WARN msg=provider event=exchange_failed error=timeout`,
			`level=WARN msg=provider event=portrait_not_fetched error=timeout`,
		)
		time.Sleep(time.Second + time.Millisecond)
		if got := writtenLines(written); len(got) != 5 || strings.Count(strings.Join(got, " "), "repeated=2") != 5 {
			t.Errorf("after a second: %q", got)
		}
	})
}

func TestLinesWithoutAnErrorAreAllWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, written := newTestLog()
		for range 2 {
			log.Error("security", slog.String("event", "sms_budget"))
			log.Info("request", slog.String("error", "none"))
		}
		wantLines(t, written, `level=ERROR msg=security event=sms_budget`, `level=INFO msg=request error=none`,
			`level=ERROR msg=security event=sms_budget`, `level=INFO msg=request error=none`)
	})
}

func TestTheNameOfAFileIsNotPartOfACause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, written := newTestLog()
		write := func(name string, why error) {
			failed := fmt.Errorf("store: %w", &fs.PathError{Op: "open", Path: name, Err: why})
			log.Error("files away", slog.Any("error", failed))
		}
		write("/data/a", syscall.ENOSPC)
		write("/data/b", syscall.ENOSPC)
		write("/data/b", syscall.EACCES)
		wantLines(t, written, `level=ERROR msg="files away" error="store: open /data/a: no space left on device"`,
			`level=ERROR msg="files away" error="store: open /data/b: permission denied"`)
		time.Sleep(time.Second + time.Millisecond)
		wantLines(t, written,
			`level=ERROR msg="files away" error="store: open /data/b: no space left on device" repeated=1`)
	})
}

func TestManyCausesAreAllWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, written := newTestLog()
		for i := range 1000 {
			log.Warn("http server", slog.String("error", fmt.Sprint("port ", i)))
		}
		if got := writtenLines(written); len(got) != 1000 {
			t.Errorf("%d lines of 1,000 causes", len(got))
		}
		time.Sleep(2 * time.Second)
		wantLines(t, written, "")
		for range 2 { // the causes of a while ago take no place
			log.Warn("http server", slog.String("error", "port 1000"))
		}
		wantLines(t, written, `level=WARN msg="http server" error="port 1000"`)
		time.Sleep(2 * time.Second)
	})
}

// A logger with attributes of its own shares the causes, and writes what it kept with its attributes.
func TestALoggerWithAttributesSharesTheCauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, written := newTestLog()
		log.Error("request failed", slog.Any("error", errDiskFull))
		log.With(slog.String("host", "one")).Error("request failed", slog.Any("error", errDiskFull))
		wantLines(t, written, `level=ERROR msg="request failed" error="disk full"`)
		time.Sleep(time.Second + time.Millisecond)
		wantLines(t, written, `level=ERROR msg="request failed" host=one error="disk full" repeated=1`)
		time.Sleep(time.Second)
	})
}
