package server

import (
	"io"
	"sync"
	"time"
)

// Batches gathers whole log lines and writes them together, at the latest after batchDelay: under load, writing a line
// costs more than answering its request. A crash loses the request lines of that delay. Errors and security events do
// not go through Batches.
type Batches struct {
	mu     sync.Mutex
	out    io.Writer
	lines  []byte
	timer  *time.Timer
	closed bool
}

// How long lines wait at most, and how many bytes are gathered at most.
const (
	batchDelay = 200 * time.Millisecond
	batchBytes = 32 << 10
)

// NewBatches returns batches that are written to out.
func NewBatches(out io.Writer) *Batches {
	return &Batches{out: out, lines: make([]byte, 0, batchBytes)}
}

// Write takes one whole line.
func (b *Batches) Write(line []byte) (int, error) {
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

func (b *Batches) tick() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.timer = nil
	b.flush()
}

func (b *Batches) flush() {
	if len(b.lines) > 0 {
		_, _ = b.out.Write(b.lines) // a log that cannot be written must not stop the service
		b.lines = b.lines[:0]
	}
}

// Close writes what is left; later lines are written at once.
func (b *Batches) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	b.flush()
	return nil
}
