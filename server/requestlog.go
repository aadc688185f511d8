package main

import (
	"io"
	"sync"
	"time"
)

// batches gathers whole log lines and writes them together, at the latest after batchDelay: under load a
// write for each request costs more than the request. What a crash can lose is that delay of request lines;
// errors and security events do not go this way.
type batches struct {
	mu     sync.Mutex
	out    io.Writer
	lines  []byte
	timer  *time.Timer
	closed bool
}

const (
	batchDelay = 200 * time.Millisecond
	batchBytes = 32 << 10
)

func newBatches(out io.Writer) *batches {
	return &batches{out: out, lines: make([]byte, 0, batchBytes)}
}

// Write takes one whole line.
func (b *batches) Write(line []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.lines)+len(line) > batchBytes || b.closed {
		b.flush()
	}
	b.lines = append(b.lines, line...)
	switch {
	case b.closed:
		b.flush()
	case b.timer == nil:
		b.timer = time.AfterFunc(batchDelay, b.tick)
	}
	return len(line), nil
}

func (b *batches) tick() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.timer = nil
	b.flush()
}

func (b *batches) flush() {
	if len(b.lines) > 0 {
		_, _ = b.out.Write(b.lines) // a log that cannot be written must not stop the service
		b.lines = b.lines[:0]
	}
}

// Close writes what is left; later lines are written at once.
func (b *batches) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	b.flush()
	return nil
}
