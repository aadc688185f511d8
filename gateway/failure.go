package gateway

import (
	"fmt"
	"regexp"
)

// Kind says what can be done about a failure.
type Kind string

// The kinds of failures.
const (
	Temporary Kind = "temporary" // no answer in time, overload, throttling, a broken answer: try later
	Refused   Kind = "refused"   // credentials, balance, sign name, template: the operator must act
	BadPhone  Kind = "bad phone" // the provider cannot send to this phone
	Expired   Kind = "expired"   // the code of an authorisation is used, too old or wrong: the person authorises again
	Stale     Kind = "stale"     // the access token is not valid any more: fetch another one and try once more
	Busy      Kind = "busy"      // the provider works and has no capacity, or got too many requests: try later
)

// Failure is the error of a request to a provider. It never contains a phone, a text, a code, a secret, a token or a
// URL, so that it may be logged.
type Failure struct {
	Provider  string
	Code      string // the provider's own code, or one of the constants below
	Kind      Kind
	Throttled bool // the provider works and wants fewer messages
	Unsure    bool // the message may have been accepted, or the code used, nevertheless
	KnowsID   bool // the provider recognises a message that it gets twice

	// Message is the provider's own message, for the person who wanted to sign in: one line of at most 100 characters
	// that repeats nothing of what was sent. It is empty when the provider sent no message that can be shown.
	Message string
}

// Our own codes, for failures without a code of the provider.
const (
	codeTimeout     = "timeout"
	codeCancelled   = "cancelled"   // the caller's context ended
	codeUnreachable = "unreachable" // no connection, so nothing was sent
	codeLost        = "connection_lost"
	codeBroken      = "broken_answer"
	codeResting     = "resting" // the breaker is open: the provider failed too often
	codeBadPhone    = "bad_phone"
	codeNoTemplate  = "no_template"

	codeNoCredentials = "no_credentials" // no credentials are configured
	codeNoToken       = "no_token"
	codeBadCode       = "bad_code"  // the code in the callback cannot be one
	codeOtherApp      = "other_app" // the identity belongs to another application or company
	codeSnapshot      = "snapshot"  // WeChat made the identity up, because the person has not agreed to anything yet
)

func (f *Failure) Error() string {
	return fmt.Sprintf("%s: %s (%s)", f.Provider, f.Code, f.Kind)
}

// answered says whether the provider answered with a decision.
func (f *Failure) answered() bool { return f.Kind != Temporary || f.Throttled }

// A provider's code is a word with dots and dashes. Four digits in a row may be a phone or a verification code that the
// provider repeats.
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
