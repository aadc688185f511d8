package access

import (
	"context"
	"errors"
	"strings"
	"time"
)

// Counted are the functions that count for the operator's metrics. A nil function counts nothing.
type Counted struct {
	// SignIn counts an attempt to sign in. way is password, code, wechat or wecom. result is ok, the refusal, error, or
	// cancelled when the caller has disconnected.
	SignIn func(way, result string)
	// Limited counts a caller who was refused by a rate limit. limit is the name of the limit.
	Limited func(limit string)
	// Hashed counts a password that waited for a core and was hashed.
	Hashed func(wait time.Duration)
	// HashRefused counts a caller who could not wait for a core: full (no place was free), late (no core in time), or
	// asked (no place was free, and the caller was asked to work first).
	HashRefused func(reason string)
	// Upload counts a picture that was sent in. result is ok, the problem of the picture, busy, cancelled or error.
	Upload func(result string)
	// FilesFailed counts a request to the file store that failed.
	FilesFailed func()
	// DomainsChecked counts a check of the domains by this process that has ended. It is not called while another
	// process checks them.
	DomainsChecked func(err error)
	// Swept counts a sweep of this process that has ended. It is not called while another process sweeps.
	Swept func(err error)
}

// The values of way for CountSignIn without a chat app. A sign-in by a chat app has the provider's name.
const (
	ByPassword = "password"
	ByCode     = "code"
)

// CountSignIn counts an attempt to sign in, with the result that err means.
func (a *Access) CountSignIn(way string, err error) {
	if a.counted.SignIn != nil {
		a.counted.SignIn(way, resultOf(err))
	}
}

// CountLimited counts a caller who was refused by the limit with this key, whose first part names the limit. A
// transaction that runs again counts again.
func (a *Access) CountLimited(key string) {
	if a.counted.Limited != nil {
		a.counted.Limited(LimitName(key))
	}
}

// LimitName returns the label of a limit: the key of its counter up to the first colon. Keys of messages have two parts
// that say which limit it is.
func LimitName(key string) string {
	first, rest, _ := strings.Cut(key, ":")
	if first == "sms" {
		second, _, _ := strings.Cut(rest, ":")
		first += "_" + second
	}
	return strings.Map(func(c rune) rune {
		if c == ' ' || c == '-' {
			return '_'
		}
		return c
	}, first)
}

// resultOf returns the label for how an operation ended. There are few labels, because each is a series.
func resultOf(err error) string {
	var refusal Refusal
	switch {
	case err == nil:
		return "ok"
	case errors.As(err, &refusal):
		return string(refusal)
	case errors.Is(err, context.Canceled):
		return "cancelled"
	}
	return "error"
}
