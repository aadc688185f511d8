package portal

import (
	"context"

	"portico/store"
)

// Caller is who asks, as the doors see it: for limits, the audit log and the security log.
type Caller struct {
	RequestID string
	Address   string // the right-most untrusted hop
	Agent     string // User-Agent, shortened
	Unlimited bool   // the program runs without limits
}

type callerKey struct{}

// WithCaller notes who asks. The caller waits, so the database has little time for each of its operations.
func WithCaller(ctx context.Context, c Caller) context.Context {
	var from store.Networks
	if !c.Unlimited {
		from = networks(c.Address)
	}
	return context.WithValue(store.InRequest(ctx, from), callerKey{}, c)
}

func callerOf(ctx context.Context) Caller {
	c, _ := ctx.Value(callerKey{}).(Caller)
	return c
}
