package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"

	"portico/gateway"
	"portico/locale"
	"portico/pages"
	"portico/portal"
)

// sending makes the words of a message and hands it to a provider.
func sending(sender gateway.Sender) func(context.Context, portal.Message) error {
	return func(ctx context.Context, m portal.Message) error {
		err := sender.Send(ctx, worded(m))
		if failure := new(gateway.Failure); errors.As(err, &failure) && failure.Unsure {
			return fmt.Errorf("%w: %w", portal.ErrMaybeSent, err)
		}
		return err
	}
}

// worded returns a message in its language. The platform is the sender. The company stands inside the sentence. The
// last line of a code is the one by which phones offer the code to the page of that host.
func worded(m portal.Message) gateway.SMS {
	lang, _ := locale.Match(m.Lang)
	platform := lang.T("platform")
	company, at := cmp.Or(m.Company, platform), ""
	if m.Company != "" {
		at = "_at"
	}
	sms := gateway.SMS{ID: m.ID, Phone: m.Phone, Kind: gateway.Code, Purpose: string(m.Purpose), Lang: string(lang), Code: m.Code}
	if m.Notice != "" {
		what := lang.T("sms.notice."+string(m.Notice), "way", m.Way)
		sms.Kind, sms.Purpose, sms.Params = gateway.Notice, string(m.Notice), []string{company, what}
		frame := "sms.notice"
		if m.Way != "" { // what the reader asked for
			frame = "sms.news"
		}
		sms.Text = lang.T(frame+at, "platform", platform, "company", company, "what", what)
		return sms
	}
	minutes := strconv.Itoa(int(portal.CodeLife.Minutes()))
	sms.Params = []string{m.Code, minutes, company}
	what := lang.T("sms.for." + string(m.Purpose))
	sms.Text = lang.T("sms.code"+at,
		"platform", platform, "company", company, "code", m.Code, "minutes", minutes, "what", what)
	if m.Host != "" {
		sms.Text += "\n\n@" + m.Host + " #" + m.Code
	}
	return sms
}

// inboxMessages is what the pages show of the inbox; nil where there is none.
func inboxMessages(inbox *gateway.Inbox) pages.Inbox {
	if inbox == nil {
		return nil
	}
	return func(phone string) []pages.InboxMessage {
		kept := inbox.Messages(phone)
		list := make([]pages.InboxMessage, len(kept))
		for i, m := range kept {
			list[i] = pages.InboxMessage(m)
		}
		return list
	}
}
