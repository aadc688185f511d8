package server

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"strings"
	"sync"
	"time"
)

const (
	// repeatTime is how long the lines of one cause are collected after one was written.
	repeatTime = time.Second
	// maxCauses bounds the causes that are remembered at the same time. Lines of further causes are all written.
	maxCauses = 256
)

// repeatedLines writes warnings and errors of one cause once in repeatTime, because a full disk or a lost database
// makes every request fail with the same line. It writes the first line of a cause at once. Of those that follow within
// repeatTime it writes the last when that time is over, with their number. Lines without an error, such as those of the
// security log, are all written. A program that ends loses the number of its last second.
type repeatedLines struct {
	slog.Handler

	causes *causes
}

// Handle writes one line, or keeps it until its time comes.
func (h repeatedLines) Handle(ctx context.Context, line slog.Record) error {
	if line.Level >= slog.LevelWarn {
		if of, ok := causeOf(line); ok && h.causes.keep(of, keptLine{line.Clone(), h.Handler, 1}) {
			return nil
		}
	}
	return h.Handler.Handle(ctx, line)
}

// WithAttrs returns a handler whose lines have these attributes too.
func (h repeatedLines) WithAttrs(more []slog.Attr) slog.Handler {
	return repeatedLines{h.Handler.WithAttrs(more), h.causes}
}

// WithGroup returns a handler whose later attributes are in a group.
func (h repeatedLines) WithGroup(name string) slog.Handler {
	return repeatedLines{h.Handler.WithGroup(name), h.causes}
}

// cause is what lines have in common when one of them tells as much as all.
type cause struct{ message, event, failure string }

// causeOf returns the cause of a line, and false for a line without an error. The name of a file, which may be random,
// is not part of its cause.
func causeOf(line slog.Record) (of cause, ok bool) {
	of.message = line.Message
	line.Attrs(func(a slog.Attr) bool {
		switch a.Key {
		case "event":
			of.event = a.Value.String()
		case "error":
			of.failure, ok = a.Value.String(), true
			failed, _ := a.Value.Any().(error)
			if file := new(fs.PathError); errors.As(failed, &file) && file.Path != "" {
				of.failure = strings.ReplaceAll(of.failure, file.Path, "")
			}
		}
		return true
	})
	return of, ok
}

// keptLine is the last line of a cause that was not written, and how many there were.
type keptLine struct {
	line   slog.Record
	next   slog.Handler
	number int
}

// causes has the causes of which a line was written less than repeatTime ago.
type causes struct {
	mu     sync.Mutex
	recent map[cause]keptLine
}

// keep keeps a line of a recent cause. It returns false for a line that must be written now.
func (c *causes) keep(of cause, last keptLine) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if before, recent := c.recent[of]; recent {
		last.number += before.number
		c.recent[of] = last
		return true
	}
	if len(c.recent) < maxCauses {
		c.recent[of] = keptLine{}
		time.AfterFunc(repeatTime, func() { c.writeKept(of) })
	}
	return false
}

// writeKept writes the line that was kept of a cause, and forgets a cause without one.
func (c *causes) writeKept(of cause) {
	kept := c.take(of)
	if kept.number == 0 {
		return
	}
	kept.line.AddAttrs(slog.Int("repeated", kept.number))
	_ = kept.next.Handle(context.Background(), kept.line) // a log that cannot be written must not stop the service
	time.AfterFunc(repeatTime, func() { c.writeKept(of) })
}

func (c *causes) take(of cause) keptLine {
	c.mu.Lock()
	defer c.mu.Unlock()
	kept := c.recent[of]
	if kept.number == 0 {
		delete(c.recent, of)
	} else {
		c.recent[of] = keptLine{}
	}
	return kept
}
