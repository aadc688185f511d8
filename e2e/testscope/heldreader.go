package testscope

import (
	"io"
	"strings"
	"sync"
)

// HeldReader is a file that gives nothing until it is released, as one that arrives slowly.
type HeldReader struct {
	io.ReadSeeker
	begun, released chan struct{}
	begin           sync.Once
}

// NewHeldReader returns a HeldReader with a content.
func NewHeldReader(content string) *HeldReader {
	return &HeldReader{
		ReadSeeker: strings.NewReader(content), begun: make(chan struct{}), released: make(chan struct{}),
	}
}

// Read waits until the reader is released, and reads.
func (h *HeldReader) Read(to []byte) (int, error) {
	h.begin.Do(func() { close(h.begun) })
	<-h.released
	return h.ReadSeeker.Read(to)
}

// AwaitReading waits until something reads.
func (h *HeldReader) AwaitReading() { <-h.begun }

// Release lets everything read.
func (h *HeldReader) Release() { close(h.released) }
