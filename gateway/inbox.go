package gateway

import (
	"context"
	"sync"
	"time"
)

const maxInbox = 500 // messages kept

// Inbox is a Sender for development. It keeps messages in memory instead of sending them.
type Inbox struct {
	mu       sync.Mutex
	messages []InboxMessage // oldest first
	now      func() time.Time
}

// InboxMessage is a message as /dev/inbox.json shows it.
type InboxMessage struct {
	Phone   string    `json:"phone"`
	Purpose string    `json:"purpose"`
	Code    string    `json:"code"`
	Text    string    `json:"text"`
	SentAt  time.Time `json:"sent_at"`
}

// NewInbox returns an empty inbox.
func NewInbox() *Inbox { return &Inbox{now: time.Now} }

// Send stores a message. When the inbox is full, it removes the oldest message.
func (b *Inbox) Send(_ context.Context, m SMS) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.messages) == maxInbox {
		b.messages = append(b.messages[:0], b.messages[1:]...)
	}
	b.messages = append(b.messages, InboxMessage{Phone: m.Phone, Purpose: m.Purpose, Code: m.Code, Text: m.Text,
		SentAt: b.now().UTC()})
	return nil
}

// Messages returns the messages to phone, or all when phone is empty, the newest first. It never returns nil, so that
// the JSON is a list.
func (b *Inbox) Messages(phone string) []InboxMessage {
	b.mu.Lock()
	defer b.mu.Unlock()
	found := []InboxMessage{}
	for i := len(b.messages) - 1; i >= 0; i-- {
		if phone == "" || b.messages[i].Phone == phone {
			found = append(found, b.messages[i])
		}
	}
	return found
}
