package server

import (
	"io"
	"sync"
	"time"
)

// Batches collects log lines and writes them together, at the latest after batchDelay. Under load, writing each line
// separately costs more than answering its request. A crash loses the lines of that delay, so errors and security
// events do not use Batches.
type Batches struct {
	mu     sync.Mutex
	out    io.Writer
	lines  []byte
	timer  *time.Timer
	closed bool
}

// The longest time that a line waits, and the number of bytes that are collected at most.
const (
	batchDelay = 200 * time.Millisecond
	batchBytes = 32 << 10
)

// NewBatches returns batches that are written to out.
func NewBatches(out io.Writer) *Batches {
	return &Batches{out: out, lines: make([]byte, 0, batchBytes)}
}

// Write adds one complete line.
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

// Close writes the remaining lines. Lines that come later are written at once.
func (b *Batches) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	b.flush()
	return nil
}
