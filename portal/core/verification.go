// Package verification sends one-time codes and notices by SMS, limits how many are sent, and checks the codes.
package core

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"portico/portal/access"
	"portico/store"
)

// Verification sends and checks codes. It is safe for concurrent use.
type Verification struct {
	db      *store.DB
	now     func() time.Time
	log     *slog.Logger
	strict  bool
	noLimit bool
	running *sync.WaitGroup

	sending         sending
	resend          time.Duration
	SendSMS         func(context.Context, Message) error
	Messages        int
	MessagesCompany int
	FindRecipient   func(context.Context, *AskCodeInput) (Recipient, error)

	access  *access.Access
	sealing *Sealing
	limits  *Limits
}

// NewVerification makes a Verification from the settings of the installation and the districts below.
func NewVerification(
	o access.Platform,
	resend time.Duration,
	sendSMS func(context.Context, Message) error,
	messages int,
	messagesCompany int,
	access *access.Access,
	sealing *Sealing,
	limits *Limits,
) *Verification {
	return &Verification{
		db:              o.DB,
		now:             o.Now,
		log:             o.Log,
		strict:          o.Strict,
		noLimit:         o.NoLimit,
		running:         o.Running,
		resend:          resend,
		SendSMS:         sendSMS,
		Messages:        messages,
		MessagesCompany: messagesCompany,
		access:          access,
		sealing:         sealing,
		limits:          limits,
	}
}
