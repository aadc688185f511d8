package main

import (
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

// worded is a message in its language: the company, what the code is for, and last the line by which phones offer
// the code to the page of that host (requirement 40).
func worded(m portal.Message) gateway.SMS {
	lang, _ := locale.Match(m.Lang)
	company := m.Company
	if company == "" {
		company = lang.T("platform")
	}
	sms := gateway.SMS{ID: m.ID, Phone: m.Phone, Kind: gateway.Code, Purpose: string(m.Purpose), Lang: string(lang), Code: m.Code}
	if m.Notice != "" {
		what := lang.T("sms.notice."+string(m.Notice), "way", m.Way)
		sms.Kind, sms.Purpose, sms.Params = gateway.Notice, string(m.Notice), []string{company, what}
		frame := "sms.notice"
		if m.Way != "" { // what the reader asked for
			frame = "sms.news"
		}
		sms.Text = lang.T(frame, "company", company, "what", what)
		return sms
	}
	minutes := strconv.Itoa(int(portal.CodeLife.Minutes()))
	sms.Params = []string{m.Code, minutes, company}
	sms.Text = lang.T("sms.code", "company", company, "code", m.Code, "minutes", minutes, "what", lang.T("sms.for."+string(m.Purpose)))
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
