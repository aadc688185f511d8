package portaltest

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"portico/portal/core"
)

// ErrProvider is the error of a provider that does not answer.
var ErrProvider = errors.New("the provider does not answer")

// SMSProvider is an SMS provider for tests: it keeps the messages that it gets, and fails on demand.
type SMSProvider struct {
	Mu      sync.Mutex
	Got     []core.Message // those that were, or may have been, sent
	Fail    error
	Refused int
	Arrived chan struct{}
}

// newSMSProvider returns a provider that accepts every message.
func newSMSProvider() *SMSProvider { return &SMSProvider{Arrived: make(chan struct{}, 10_000)} }

// Send keeps a message. It returns the error that FailWith set; then it keeps the message only if the error is
// ErrMaybeSent.
func (s *SMSProvider) Send(_ context.Context, m core.Message) error {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	s.Arrived <- struct{}{}
	if s.Fail != nil && !errors.Is(s.Fail, core.ErrMaybeSent) {
		s.Refused++
		return s.Fail
	}
	s.Got = append(s.Got, m)
	return s.Fail
}

// FailWith makes every later Send return an error, nil for none.
func (s *SMSProvider) FailWith(err error) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	s.Fail = err
}

// Messages returns the messages that were sent, or may have been sent, oldest first.
func (s *SMSProvider) Messages() []core.Message {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	return slices.Clone(s.Got)
}

// Codes returns the messages that contain a verification code.
func (s *SMSProvider) Codes() []core.Message {
	return slices.DeleteFunc(s.Messages(), func(m core.Message) bool { return m.Notice != "" })
}

// Notices returns the notices that were sent, each as "phone kind".
func (s *SMSProvider) Notices() (all []string) {
	for _, m := range s.Messages() {
		if m.Notice != "" {
			all = append(all, m.Phone+" "+string(m.Notice))
		}
	}
	return all
}

// Forget drops the messages that were sent so far.
func (s *SMSProvider) Forget() {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	s.Got = nil
}

// LogBuffer keeps a log in memory. It may be written to and read in parallel.
type LogBuffer struct {
	Mu   sync.Mutex
	Text strings.Builder
}

// NewLogger returns a logger that writes JSON lines to a buffer.
func NewLogger(j *LogBuffer) *slog.Logger { return slog.New(slog.NewJSONHandler(j, nil)) }

// Write appends to the log. It never fails.
func (j *LogBuffer) Write(b []byte) (int, error) {
	j.Mu.Lock()
	defer j.Mu.Unlock()
	return j.Text.Write(b)
}

// String returns the whole log.
func (j *LogBuffer) String() string {
	j.Mu.Lock()
	defer j.Mu.Unlock()
	return j.Text.String()
}

// Count returns the number of lines that contain all the words.
func (j *LogBuffer) Count(words ...string) (n int) {
	for line := range strings.Lines(j.String()) {
		if !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(line, word) }) {
			n++
		}
	}
	return n
}
