package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"portico/gateway"
)

// SMSProvider is a provider that PORTICO_SMS names.
type SMSProvider struct {
	Name   string
	Sender gateway.Sender
}

// SMS sends a message with a code, by each provider on its own. It is the only check that costs something. compose
// makes the message as the product does, each time with another id: a receiver may ignore an id that it knows. Without
// compose, SMS asks those providers that can be asked whether the credentials are right, and says how to send one.
func SMS(providers []SMSProvider, compose func() gateway.SMS) Area {
	return Area{"sms", func(ctx context.Context) []Result {
		var l list
		for _, p := range providers {
			if p.Name == "inbox" {
				l.warn(p.Name, "messages are kept in the program and go nowhere", "name a provider in PORTICO_SMS")
				continue
			}
			if checker, can := p.Sender.(credentialChecker); can && compose == nil {
				l.credentials(p.Name, checker.Check(ctx))
				continue
			}
			if compose == nil {
				l.ok(p.Name, "set up; portico doctor sms PHONE sends a message by it")
				continue
			}
			l.message(ctx, p, compose())
		}
		return l
	}}
}

// credentialChecker is a sender that can ask its provider whether the credentials are right, without a message.
type credentialChecker interface {
	Check(ctx context.Context) error
}

func (l *list) credentials(name string, err error) {
	failure := new(gateway.Failure)
	switch {
	case err == nil:
		l.ok(name, "the credentials are right; portico doctor sms PHONE sends a message by it")
	case errors.Is(err, gateway.ErrMayNotAsk):
		l.ok(name, "the provider knows the key; portico doctor sms PHONE sends a message by it")
	case errors.As(err, &failure) && failure.Kind == gateway.Temporary:
		l.fail(name, fmt.Sprintf("it did not answer (%v)", err), "try again; see the provider's own status page")
	default:
		l.fail(name, fmt.Sprintf("it refused the credentials (%v)", err),
			"look the code up in docs/sms.md: the key, its secret and its IP white list are the usual reasons")
	}
}

func (l *list) message(ctx context.Context, p SMSProvider, message gateway.SMS) {
	err := p.Sender.Send(ctx, message)
	failure := new(gateway.Failure)
	switch {
	case err == nil:
		l.ok(p.Name, "it accepted a message with the code %s: look at the phone", message.Code)
	case errors.As(err, &failure) && failure.Kind == gateway.BadPhone:
		l.fail(p.Name, fmt.Sprintf("it does not accept the phone (%v)", err), "use another phone")
	case errors.As(err, &failure) && failure.Kind == gateway.Temporary:
		l.fail(p.Name, fmt.Sprintf("it did not answer (%v)", err), "try again; see the provider's own status page")
	default:
		l.fail(p.Name, fmt.Sprintf("it refused the message (%v)", err),
			"look the code up in docs/sms.md: keys, sign name, templates and IP white list are the usual reasons")
	}
}

// ChatApp is a set of credentials at WeChat or WeCom. Token asks the provider for a token with them.
type ChatApp struct {
	Name, Host string // Host is where people come back to: it has to be entered at the provider
	Token      func(ctx context.Context) error
}

// chatAdvice has what to do for the codes of WeChat and WeCom, by a part of the error's text.
var chatAdvice = []struct{ code, advice string }{
	{"40164", "enter the address that the message names in the IP white list of the application"},
	{"60020", "enter this machine's address under the application's trusted IPs"},
	{"40013", "the id of the application is wrong"},
	{"40001", "the secret is wrong or was replaced: set the new one"},
	{"40125", "the secret is wrong or was replaced: set the new one"},
	{"40091", "the secret is wrong or was replaced: set the new one"},
}

// Chat asks WeChat and WeCom for a token with each set of credentials.
func Chat(apps func(ctx context.Context) ([]ChatApp, error)) Area {
	return Area{"wechat", func(ctx context.Context) []Result {
		var l list
		all, err := apps(ctx)
		if err != nil {
			l.fail("credentials", err.Error(), "set them again: portico company set ID wechat -")
			return l
		}
		if len(all) == 0 {
			l.ok("credentials", "none are set up: nobody signs in by WeChat or WeCom")
		}
		for _, app := range all {
			err := app.Token(ctx)
			if err == nil {
				l.ok(app.Name, "the credentials work; the callback domain to enter there is %s", app.Host)
				continue
			}
			do := "look the code up in the provider's documentation"
			for _, known := range chatAdvice {
				if strings.Contains(err.Error(), known.code) {
					do = known.advice
					break
				}
			}
			l.fail(app.Name, fmt.Sprintf("the credentials do not work: %v", err), do)
		}
		return l
	}}
}
