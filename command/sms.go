package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"portico/config"
	"portico/gateway"
	"portico/locale"
	"portico/pages/development"
	"portico/portal/access"
	"portico/portal/core"
	"portico/server"
)

// newSender makes the providers that PORTICO_SMS names. The inbox is nil when it is not among them.
func newSender(sms config.SMS, with dependencies) (gateway.Sender, *gateway.Inbox) {
	var inbox *gateway.Inbox
	var senders [2]gateway.Sender
	for i, provider := range sms.Providers {
		if provider == "inbox" {
			inbox = gateway.NewInbox()
			senders[i] = inbox
		} else {
			senders[i] = newProvider(sms, provider)
		}
		if with.metrics != nil {
			senders[i] = countingSender{senders[i], provider, with.metrics, with.log}
		}
	}
	reliable := gateway.NewReliable(senders[0], senders[1], with.log)
	if with.metrics != nil {
		with.metrics.WatchProvider(sms.Providers[0], reliable.PrimaryUp)
		if len(sms.Providers) > 1 {
			with.metrics.WatchProvider(sms.Providers[1], reliable.FallbackUp)
		}
	}
	return reliable, inbox
}

// newProvider makes a provider that sends over the network: "aliyun", "tencent" or "webhook".
func newProvider(sms config.SMS, name string) gateway.Sender {
	switch name {
	case "aliyun":
		return gateway.NewAliyun(gateway.AliyunOptions{
			Key: sms.Aliyun[0], Secret: sms.Aliyun[1],
			Sign: sms.Sign, Templates: sms.TemplatesFor(name), API: sms.AliyunAPI,
		})
	case "tencent":
		return gateway.NewTencent(gateway.TencentOptions{
			ID: sms.Tencent[0], Key: sms.Tencent[1], App: sms.Tencent[2],
			Sign: sms.Sign, Templates: sms.TemplatesFor(name), API: sms.TencentAPI,
		})
	}
	return gateway.NewWebhook(gateway.WebhookOptions{URL: sms.Webhook, Secret: sms.WebhookSecret})
}

// countingSender counts the verification codes that a provider was given, and logs each message at the level debug.
type countingSender struct {
	gateway.Sender
	provider string
	metrics  *server.Metrics
	log      *slog.Logger
}

func (s countingSender) Send(ctx context.Context, m gateway.SMS) error {
	began := time.Now()
	err := s.Sender.Send(ctx, m)
	s.metrics.CountCall(s.provider, "send", began, err)
	s.log.LogAttrs(ctx, slog.LevelDebug, "message handed over", slog.String("provider", s.provider),
		slog.String("kind", m.Kind), slog.String("purpose", m.Purpose), slog.String("result", codeResult(err)),
		slog.Int64("ms", time.Since(began).Milliseconds()))
	if m.Kind == gateway.Code {
		s.metrics.CountCode(s.provider, codeResult(err))
	}
	return err
}

// codeResult returns the label of portico_codes_total for a provider's result.
func codeResult(err error) string {
	failure := new(gateway.Failure)
	switch {
	case err == nil:
		return "accepted"
	case !errors.As(err, &failure) || failure.MayHaveSucceeded:
		return "unsure"
	case failure.Kind == gateway.BadPhone:
		return "bad_phone"
	}
	return string(failure.Kind)
}

// sendMessage returns a function that writes the text of a message and passes it to a provider.
func sendMessage(sender gateway.Sender) func(context.Context, core.Message) error {
	return func(ctx context.Context, m core.Message) error {
		err := sender.Send(ctx, toSMS(m))
		if failure := new(gateway.Failure); errors.As(err, &failure) && failure.MayHaveSucceeded {
			return fmt.Errorf("%w: %w", core.ErrMaybeSent, err)
		}
		return err
	}
}

// toSMS writes a message in its language. The platform is the sender, and the company is named inside the sentence. The
// last line of a code (@host #code) lets phones fill the code in on the page of that host.
func toSMS(m core.Message) gateway.SMS {
	lang, _ := locale.Match(m.Lang)
	platform := lang.T("platform")
	company, at := cmp.Or(m.Company, platform), ""
	if m.Company != "" {
		at = "_at"
	}
	sms := gateway.SMS{
		ID: m.ID, Phone: m.Phone, Kind: gateway.Code, Purpose: string(m.Purpose), Lang: string(lang), Code: m.Code,
	}
	if m.Notice != "" {
		what := noticeText(lang, m)
		sms.Kind = gateway.Notice
		sms.Purpose = string(m.Notice)
		sms.Params = []string{company, what}
		if m.Login != "" { // the account names its company
			at = ""
		}
		sms.Text = lang.T("sms.notice"+at, "platform", platform, "company", company, "what", what)
		return sms
	}
	minutes := strconv.Itoa(int(core.CodeLife.Minutes()))
	sms.Params = []string{m.Code, minutes, company}
	what := codeFor(lang, m)
	sms.Text = lang.T("sms.code"+at,
		"platform", platform, "company", company, "code", m.Code, "minutes", minutes, "what", what)
	if m.Host != "" {
		sms.Text += "\n\n@" + m.Host + " #" + m.Code
	}
	return sms
}

// codeFor returns the purpose of a code and, if it has one, the account. The rest of the message names the company.
func codeFor(lang locale.Lang, m core.Message) string {
	key := "sms.for." + string(m.Purpose)
	if m.Login == "" {
		return lang.T(key)
	}
	return lang.T(key+"_account", "account", lang.T("sms.account", "login", m.Login))
}

// accountText names the account of a message, with its company if messages may carry the company's name.
func accountText(lang locale.Lang, m core.Message) string {
	if m.Company == "" {
		return lang.T("sms.account", "login", m.Login)
	}
	return lang.T("sms.account_at", "login", m.Login, "company", m.Company)
}

// noticeZone is the time zone of the times in notices.
var noticeZone = time.FixedZone("UTC+8", 8*60*60)

// noticeText says what happened to which phone or account, where and when, and what to do if another person did it.
func noticeText(lang locale.Lang, m core.Message) string {
	if m.Notice == core.NoticeApplications {
		num := strconv.Itoa(m.Waiting)
		if m.Waiting > core.WaitingShown {
			num = strconv.Itoa(core.WaitingShown) + "+"
		}
		return lang.T("sms.notice."+string(m.Notice), "num", num, "way", m.Way)
	}
	if m.Way != "" { // the decision on an application
		return lang.T("sms.notice."+string(m.Notice), "way", m.Way)
	}
	phone := access.MaskPhone(m.Phone)
	whose, advice := phone, "phone"
	if m.Login != "" {
		whose, advice = accountText(lang, m), "account"
	}
	switch m.Notice {
	case core.NoticeBound:
		advice = "phone"
	case core.NoticeUnbound,
		core.NoticeFirst,
		core.NoticePhoneChanged,
		core.NoticeAdministrator,
		core.NoticeEmployee:
		advice = "company"
	case core.NoticeRoles:
		advice = "administrators"
	}
	key := "sms.notice." + string(m.Notice)
	if m.Notice == core.NoticePhoneChanged && m.Login == "" { // not one account, but all of the number
		key += "_all"
	}
	when := m.At.In(noticeZone).Format("15:04")
	if m.Device != "" {
		when = lang.T("sms.when", "device", m.Device, "time", when)
	}
	text := lang.T(key, "phone", phone, "whose", whose, "when", when, "identity", identityText(lang, m))
	if m.Ended {
		text += lang.T("sms.ended")
	}
	return text + lang.T("sms.advice."+advice)
}

// identityText names the identity of a chat app, with its nickname if it has one.
func identityText(lang locale.Lang, m core.Message) string {
	app := lang.T("devices.wechat")
	if m.App == access.WeCom {
		app = lang.T("devices.work_chat")
	}
	if m.Nick == "" {
		return app
	}
	return lang.T("sms.identity", "app", app, "nick", m.Nick)
}

// inboxMessages lets the pages read the inbox. It returns nil when there is no inbox.
func inboxMessages(inbox *gateway.Inbox) development.Inbox {
	if inbox == nil {
		return nil
	}
	return func(phone string) []development.InboxMessage {
		kept := inbox.Messages(phone)
		list := make([]development.InboxMessage, len(kept))
		for i, m := range kept {
			list[i] = development.InboxMessage(m)
		}
		return list
	}
}
