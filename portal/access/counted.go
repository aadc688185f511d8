package access

import (
	"context"
	"errors"
)

// Counted are the functions that count for the operator's metrics. A nil function counts nothing.
type Counted struct {
	// SignIn counts an attempt to sign in. way is password, code, wechat or wecom. result is ok, the refusal, error, or
	// cancelled when the caller has disconnected.
	SignIn func(way, result string)
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
