package core

import (
	"time"

	"github.com/alexedwards/scs/v2"
)

// Sessions manages the sessions of browsers and native apps. It is safe for concurrent use.
type Sessions struct {
	core *Core

	sessions  *scs.SessionManager // carries the browser's session in the context of a request
	AuditKept time.Duration       // how long events stay in the audit log
}
