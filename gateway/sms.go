// Package gateway calls other systems over the network: SMS providers, WeChat, WeCom and file stores. It knows neither
// the rules nor the pages. A call that fails returns a *Failure, which says what can be done about it and may be
// logged.
package gateway

import (
	"context"
	"log/slog"
)

// The kinds of messages. Providers that need templates have one for each kind and language.
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
	Text    string   `json:"text"` // the whole message, for providers that send texts without a template
	Code    string   `json:"code,omitempty"`
	Params  []string `json:"params"` // values for the template, in the order of paramNames
}

// paramNames are the names of the template parameters of each kind, for providers whose placeholders have names.
var paramNames = map[string][]string{
	Code:   {"code", "minutes", "company"},
	Notice: {"company", "what"},
}

// String returns the id alone. A message that is logged by accident then shows neither its phone nor its text.
func (m SMS) String() string { return "sms " + m.ID }

// LogValue returns what String returns, for slog.
func (m SMS) LogValue() slog.Value { return slog.StringValue(m.String()) }

// phoneDigits is the length of a Chinese mobile number. Providers accept lists of phones, so a phone must be this many
// digits and nothing else.
const phoneDigits = 11

// isPhone reports whether a phone consists of phoneDigits digits.
func isPhone(phone string) bool {
	for _, r := range phone {
		if r < '0' || r > '9' {
			return false
		}
	}
	return len(phone) == phoneDigits
}

// Sender sends a message, or fails with a *Failure. A nil error means that the provider has accepted the message, not
// that it has arrived.
type Sender interface {
	Send(ctx context.Context, m SMS) error
}

// Template is a message text that is registered with a provider.
type Template struct {
	ID     string
	Params int // how many parameters it has: the first ones of the message's; 0: all
}

// Templates are a provider's templates by kind and language, like "code.zh". A language without a template uses zh.
type Templates map[string]Template

// forMessage returns the id of the template for a message and the values of its parameters. ok is false when there is
// none.
func (t Templates) forMessage(m SMS) (id string, params []string, ok bool) {
	template, ok := t[m.Kind+"."+m.Lang]
	if !ok {
		template, ok = t[m.Kind+".zh"]
	}
	params = m.Params
	if template.Params > 0 && template.Params < len(params) {
		params = params[:template.Params]
	}
	return template.ID, params, ok
}
