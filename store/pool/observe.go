package pool

import (
	"context"
	"runtime"
	"strings"
	"sync"
	"time"

	"portico/server/tracing"
	"portico/store/dberror"
)

// SlowStatement is how long a statement takes at least until Observer.Slow is called.
const SlowStatement = time.Second

// slowRest is the shortest time between two calls of Observer.Slow, so that a slow database does not fill the log.
const slowRest = time.Second

// Kind is a kind of operation, for metrics and traces.
type Kind string

// The kinds of operations. The statements of a transaction are observed for themselves too.
const (
	Read        Kind = "read"
	Write       Kind = "write"
	Batch       Kind = "batch" // several statements in one round trip
	Transaction Kind = "transaction"
)

// Kinds are all kinds of operations.
var Kinds = []Kind{Read, Write, Batch, Transaction}

// Refusal says why an operation of a request was refused without running.
type Refusal string

// The reasons for which operations are refused.
const (
	TooManyAtOnce Refusal = "too_many" // AtOnce, or the share of a network
	OutOfTime     Refusal = "no_time"  // the request had used up its time
)

// Refusals are all reasons.
var Refusals = []Refusal{TooManyAtOnce, OutOfTime}

// Observer are functions that learn how operations of the database end, for metrics and the log. They must be quick. A
// nil function is not called.
type Observer struct {
	Done     func(kind Kind, took time.Duration)
	Failed   func(class string) // see dberror.Class
	Repeated func(kind Kind)    // after an error, see DB.Tx
	Refused  func(reason Refusal)
	// Slow gets the name of a function of package store that ran a statement for SlowStatement or longer, like
	// Account.ByID. It is called once a second at most.
	Slow func(ctx context.Context, name string, took time.Duration)
	// Replica gets how an attempt to read from the replica ended.
	Replica func(Outcome)
}

// Observed is an Observer with what a database remembers for it.
type Observed struct {
	Observer

	Engine string // in traces, like postgresql

	mu   sync.Mutex
	slow time.Time // the last call of Slow
}

// Run runs an operation, and reports it to the observer and the trace.
func (o *Observed) Run(ctx context.Context, kind Kind, run func(ctx context.Context) error) error {
	began := time.Now()
	var span tracing.Span
	if tracing.IsRecorded(ctx) {
		ctx, span = tracing.StartCall(ctx, callerName())
		span.SetString("db.system.name", o.Engine)
		span.SetString("db.operation.name", string(kind))
	}
	err := run(ctx)
	took := time.Since(began)
	span.End(dberror.Class(err))
	if o.Done != nil {
		o.Done(kind, took)
	}
	if kind != Transaction { // the parts of a transaction report its errors
		o.Note(err)
	}
	if took >= SlowStatement && kind != Transaction && o.Slow != nil && o.maySaySlow() {
		o.Slow(ctx, callerName(), took)
	}
	return err
}

// Note reports an error, if it is one of the database.
func (o *Observed) Note(err error) {
	if class := dberror.Class(err); class != "" && o.Failed != nil {
		o.Failed(class)
	}
}

// Repeat reports that an operation runs again.
func (o *Observed) Repeat(kind Kind) {
	if o.Repeated != nil {
		o.Repeated(kind)
	}
}

// Refuse reports that an operation was refused, and returns the error of the refusal.
func (o *Observed) Refuse(reason Refusal, err error) error {
	if o.Refused != nil {
		o.Refused(reason)
	}
	return err
}

func (o *Observed) maySaySlow() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if time.Since(o.slow) < slowRest {
		return false
	}
	o.slow = time.Now()
	return true
}

// callerName returns the name of the function that asked for an operation: of the table (Account.ByID), or for a
// transaction of the function that began it (signin.(*Signin).enter). It contains nothing but names of the source.
func callerName() string {
	var callers [16]uintptr
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers[:])])
	for {
		frame, more := frames.Next()
		name := strings.TrimPrefix(frame.Function, "portico/")
		if i := strings.Index(name, ".func"); i > 0 { // a function literal
			name = name[:i]
		}
		name = name[strings.LastIndexByte(name, '/')+1:]
		switch table, isStore := strings.CutPrefix(name, "store."); {
		case isStore && strings.Contains(table, "Table"):
			return strings.Replace(table, "Table", "", 1)
		case !isStore && !strings.HasPrefix(name, "pool."):
			return name
		}
		if !more {
			return "store"
		}
	}
}
