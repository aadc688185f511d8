package gateway

import (
	"fmt"
	"regexp"
)

// Kind is the cause of a failure. It decides what can be done about it.
type Kind string

// The kinds of failures.
const (
	Temporary Kind = "temporary" // no answer in time, overload, throttling, a broken answer: try later
	Refused   Kind = "refused"   // credentials, balance, sign name, template: the operator must change something
	BadPhone  Kind = "bad phone" // the provider cannot send to this phone
	// the code of an authorisation was used before, is too old or wrong: the person must authorise again
	Expired Kind = "expired"
	Stale   Kind = "stale" // the access token is no longer valid: fetch a new one and try once more
	Busy    Kind = "busy"  // the provider works and has no capacity, or got too many requests: try later
)

// Failure is the error of a request to a provider. It never contains a phone, a text, a code, a secret, a token or a
// URL, so that it may be logged.
type Failure struct {
	Provider          string
	Code              string // the provider's own code, or one of the constants below
	Kind              Kind
	Throttled         bool // the provider works, but refuses because there are too many messages
	MayHaveSucceeded  bool // the provider may have accepted the message, or used the code, despite the failure
	DetectsDuplicates bool // the provider recognises a message that it gets again, so sending again is safe

	// Message is the provider's own message, for the person who wanted to sign in: one line of at most 100 characters
	// that repeats nothing of what was sent. It is empty when the provider sent no message that can be shown.
	Message string
}

// The codes of failures that have no code from the provider.
const (
	codeTimeout     = "timeout"
	codeCancelled   = "cancelled"   // the caller's context ended
	codeUnreachable = "unreachable" // no connection, so nothing was sent
	codeLost        = "connection_lost"
	codeBroken      = "broken_answer"
	codePaused      = "resting" // the breaker is open: the provider failed too often
	codeBadPhone    = "bad_phone"
	codeNoTemplate  = "no_template"

	codeNoCredentials = "no_credentials" // no credentials are configured
	codeNoToken       = "no_token"
	codeBadCode       = "bad_code"  // the code in the callback cannot be one
	codeOtherApp      = "other_app" // the identity belongs to another application or company
	codeSnapshot      = "snapshot"  // the identity is a placeholder of WeChat, because the person has not agreed yet
)

func (f *Failure) Error() string {
	return fmt.Sprintf("%s: %s (%s)", f.Provider, f.Code, f.Kind)
}

// hasDecision reports whether the provider answered with a decision, so that it works.
func (f *Failure) hasDecision() bool { return f.Kind != Temporary || f.Throttled }

// A provider's code that may be logged is a word with dots and dashes. It has no four digits in a row, which may be
// part of a phone or a verification code that the provider repeats.
var (
	codeWords  = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9._-]{0,79}$`)
	codeDigits = regexp.MustCompile(`[0-9]{4}`)
)

// safeCode returns a provider's code, or "unreadable_code" when it must not be logged.
func safeCode(code string) string {
	if !codeWords.MatchString(code) || codeDigits.MatchString(code) {
		return "unreadable_code"
	}
	return code
}
