// Package gateway is everything we call over the network. It knows neither rules nor pages: it carries what
// it is given and says how that ended.
package gateway

import (
	"context"
	"log/slog"
)

// The kinds of messages. Each has its own templates at the providers that want templates.
const (
	Code   = "code"
	Notice = "notice"
)

// SMS is one message. Its JSON is what the webhook receives.
type SMS struct {
	ID      string   `json:"id"`
	Phone   string   `json:"phone"` // 11 digits
	Kind    string   `json:"kind"`  // Code or Notice
	Purpose string   `json:"purpose"`
	Lang    string   `json:"lang"` // zh, es or en
	Text    string   `json:"text"` // whole, for providers that take a text
	Code    string   `json:"code,omitempty"`
	Params  []string `json:"params"` // of the template, in the order of paramNames
}

// paramNames are what providers with named placeholders call the parameters of each kind.
var paramNames = map[string][]string{
	Code:   {"code", "minutes", "company"},
	Notice: {"company", "what"},
}

// String and LogValue leave out who is written to and what: messages reach logs by accident.
func (m SMS) String() string { return "sms " + m.ID }

// LogValue is the message as a log may show it.
func (m SMS) LogValue() slog.Value { return slog.StringValue(m.String()) }

// phoneDigits is the length of every phone here. Providers take lists of phones: nothing but digits passes.
const phoneDigits = 11

// goodPhone says whether a provider may be asked to write to phone.
func goodPhone(phone string) bool {
	for _, r := range phone {
		if r < '0' || r > '9' {
			return false
		}
	}
	return len(phone) == phoneDigits
}

// Sender sends a message, or fails with a *Failure. Nil means that the provider has accepted it, not that it
// has arrived.
type Sender interface {
	Send(ctx context.Context, m SMS) error
}

// Template is a text registered with a provider.
type Template struct {
	ID     string
	Params int // how many of the parameters, from the first, it takes; 0: all
}

// Templates are a provider's, by kind and language, like "code.zh". A missing language is written to in zh.
type Templates map[string]Template

// pick returns the template of a message and what to fill it with.
func (t Templates) pick(m SMS) (id string, params []string, ok bool) {
	one, ok := t[m.Kind+"."+m.Lang]
	if !ok {
		one, ok = t[m.Kind+".zh"]
	}
	params = m.Params
	if one.Params > 0 && one.Params < len(params) {
		params = params[:one.Params]
	}
	return one.ID, params, ok
}
