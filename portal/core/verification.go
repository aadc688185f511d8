package core

import (
	"context"
	"time"
)

// Verification sends and checks codes. It is safe for concurrent use.
type Verification struct {
	core *Core

	sending         sending
	resend          time.Duration
	SendSMS         func(context.Context, Message) error
	Messages        int
	MessagesCompany int
}
