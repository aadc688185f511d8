package main

import (
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"portico/gateway"
	"portico/portal"
)

// smsConfig is who sends messages, with what, and how many a day.
type smsConfig struct {
	providers           []string // the first, and the one that steps in for it
	sign                string
	aliyun, tencent     []string // credentials
	aliyunAPI           string
	tencentAPI          string
	templates           gateway.Templates // keys may begin with a provider's name: "tencent.code.zh"
	webhook             string
	webhookSecret       string
	daily, companyDaily int
}

var smsSettings = []setting{
	{"PORTICO_SMS", "inbox", "inbox", "who sends messages: inbox, aliyun, tencent or webhook; a second one after a comma steps in for the first", readSMSProviders},
	{"PORTICO_SMS_ALIYUN", "", "empty", "KEY:SECRET of an Alibaba Cloud access key", readSMSAliyun},
	{"PORTICO_SMS_TENCENT", "", "empty", "SECRETID:SECRETKEY:SDKAPPID of Tencent Cloud", readSMSTencent},
	{"PORTICO_SMS_SIGN", "", "empty", "sign name registered with aliyun or tencent, without 【】", readSMSSign},
	{"PORTICO_SMS_TEMPLATES", "", "empty", "templates registered with aliyun or tencent: code.zh=ID,notice.zh=ID,… (docs/sms.md)", readSMSTemplates},
	{"PORTICO_SMS_WEBHOOK", "", "empty", "address messages are posted to", readSMSWebhook},
	{"PORTICO_SMS_WEBHOOK_SECRET", "", "empty", "signs what is posted, at least 32 bytes", readSMSWebhookSecret},
	{"PORTICO_SMS_ALIYUN_API", "https://dysmsapi.aliyuncs.com", "https://dysmsapi.aliyuncs.com", "address of Alibaba Cloud's SMS API", readSMSAliyunAPI},
	{"PORTICO_SMS_TENCENT_API", "https://sms.tencentcloudapi.com", "https://sms.tencentcloudapi.com", "address of Tencent Cloud's SMS API", readSMSTencentAPI},
	{"PORTICO_SMS_DAILY", "5000", "5000", "most messages a day, of the whole platform", readSMSDaily},
	{"PORTICO_SMS_COMPANY_DAILY", "500", "500", "most messages a day, of one company", readSMSCompanyDaily},
}

var smsProviders = []string{"inbox", "aliyun", "tencent", "webhook"}

func readSMSProviders(c *config, value string) error {
	names := strings.Split(value, ",")
	for _, name := range names {
		if !slices.Contains(smsProviders, name) {
			return errors.New("accepted are inbox, aliyun, tencent and webhook, or two of them separated by a comma")
		}
		if name == "inbox" && c.production {
			return errors.New("production needs real providers: aliyun, tencent or webhook")
		}
	}
	if len(names) > 2 || len(names) == 2 && names[0] == names[1] {
		return errors.New("accepted are one provider, or two different ones separated by a comma")
	}
	c.sms.providers = names
	return nil
}

func readSMSAliyun(c *config, value string) error {
	c.sms.aliyun = strings.Split(value, ":")
	return readPair(2)(c, value)
}

func readSMSTencent(c *config, value string) error {
	c.sms.tencent = strings.Split(value, ":")
	if err := readPair(3)(c, value); err != nil || value == "" {
		return err
	}
	if !onlyDigits(c.sms.tencent[2]) {
		return errors.New("accepted is SECRETID:SECRETKEY:SDKAPPID, the last a number")
	}
	return nil
}

func readSMSSign(c *config, value string) error {
	if strings.ContainsAny(value, "【】[]\r\n") {
		return errors.New("accepted is the sign name without brackets")
	}
	c.sms.sign = value
	return nil
}

// aTemplate is [provider.]kind.language=ID, or =ID/N for a template that takes only the first N parameters.
var aTemplate = regexp.MustCompile(`^((?:(?:aliyun|tencent)\.)?(?:code|notice)\.(?:zh|es|en))=([A-Za-z0-9_]+)(?:/([1-9]))?$`)

func readSMSTemplates(c *config, value string) error {
	c.sms.templates = gateway.Templates{}
	for _, one := range strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' }) {
		parts := aTemplate.FindStringSubmatch(one)
		if parts == nil {
			return errors.New("accepted are code.zh=ID, code.es=…, code.en=…, notice.zh=… separated by commas; aliyun. or tencent. may precede, /N may follow")
		}
		if _, twice := c.sms.templates[parts[1]]; twice {
			return fmt.Errorf("%s is there twice", parts[1])
		}
		params, _ := strconv.Atoi(parts[3]) // empty or a digit
		c.sms.templates[parts[1]] = gateway.Template{ID: parts[2], Params: params}
	}
	return nil
}

// readSMSWebhook accepts http on this machine only, for a program beside this one.
func readSMSWebhook(c *config, value string) error {
	c.sms.webhook = value
	if value == "" {
		return nil
	}
	u, err := url.Parse(value)
	if err != nil || u.Host == "" || u.User != nil || u.Fragment != "" || u.Scheme != "https" && u.Scheme != "http" {
		return errors.New("accepted is an https address without a user or password")
	}
	if c.production && u.Scheme == "http" && !thisMachine(u.Hostname()) {
		return errors.New("production needs an https address, unless it is on this machine")
	}
	return nil
}

func thisMachine(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

func readSMSWebhookSecret(c *config, value string) error {
	c.sms.webhookSecret = value
	if value != "" && c.production && len(value) < portal.MinSecret {
		return errors.New("production needs at least 32 random bytes")
	}
	if value == "" {
		return nil
	}
	return c.checkSecret(value)
}

func readSMSAliyunAPI(c *config, value string) (err error) {
	c.sms.aliyunAPI, err = endpoint(c, value)
	return err
}

func readSMSTencentAPI(c *config, value string) (err error) {
	c.sms.tencentAPI, err = endpoint(c, value)
	return err
}

// endpoint is a scheme and a host: what is asked of a provider is signed for the path "/".
func endpoint(c *config, value string) (string, error) {
	u, err := url.Parse(value)
	if err != nil || u.Host == "" || u.Scheme != "https" && (c.production || u.Scheme != "http") || u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		return "", errors.New("accepted is https and a host, like https://sms.example.com")
	}
	return u.Scheme + "://" + u.Host, nil
}

func readSMSDaily(c *config, value string) (err error) {
	c.sms.daily, err = messagesADay(value)
	return err
}

func readSMSCompanyDaily(c *config, value string) (err error) {
	c.sms.companyDaily, err = messagesADay(value)
	return err
}

const maxMessagesADay = 10_000_000

func messagesADay(value string) (int, error) {
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 || n > maxMessagesADay {
		return 0, errors.New("accepted is a number from 1 to 10000000")
	}
	return n, nil
}

// checkSMS says what a named provider lacks, once everything has been read.
func (c *config) checkSMS() error {
	for _, provider := range c.sms.providers {
		if lacking := c.sms.lacks(provider); lacking != "" {
			return fmt.Errorf("PORTICO_SMS=%q: %s needs %s", strings.Join(c.sms.providers, ","), provider, lacking)
		}
	}
	return nil
}

// lacks returns the first variable that is missing for a provider and what belongs there.
func (s smsConfig) lacks(provider string) string {
	switch {
	case provider == "aliyun" && len(s.aliyun) != 2:
		return "PORTICO_SMS_ALIYUN=KEY:SECRET"
	case provider == "tencent" && len(s.tencent) != 3:
		return "PORTICO_SMS_TENCENT=SECRETID:SECRETKEY:SDKAPPID"
	case provider == "webhook" && s.webhook == "":
		return "PORTICO_SMS_WEBHOOK, the address to post to"
	case provider == "webhook" && s.webhookSecret == "":
		return "PORTICO_SMS_WEBHOOK_SECRET, at least 32 random bytes"
	case provider == "inbox" || provider == "webhook":
		return ""
	case s.sign == "":
		return "PORTICO_SMS_SIGN, the registered sign name"
	}
	return s.lacksTemplate(provider)
}

// lacksTemplate also tells one provider's ids from the other's.
func (s smsConfig) lacksTemplate(provider string) string {
	templates := s.templatesOf(provider)
	for _, key := range []string{gateway.Code + ".zh", gateway.Notice + ".zh"} {
		if templates[key].ID == "" {
			return "PORTICO_SMS_TEMPLATES with " + key + "=ID"
		}
	}
	for key, t := range templates {
		if provider == "aliyun" && !strings.HasPrefix(t.ID, "SMS_") {
			return "PORTICO_SMS_TEMPLATES with ids like SMS_123456789; for aliyun alone write aliyun." + key + "=ID"
		}
		if provider == "tencent" && !onlyDigits(t.ID) {
			return "PORTICO_SMS_TEMPLATES with ids of digits; for tencent alone write tencent." + key + "=ID"
		}
	}
	return ""
}

// templatesOf are a provider's: those that bear its name, and those that bear none.
func (s smsConfig) templatesOf(provider string) gateway.Templates {
	own := gateway.Templates{}
	for key, t := range s.templates {
		if strings.Count(key, ".") == 1 {
			if _, better := s.templates[provider+"."+key]; !better {
				own[key] = t
			}
		} else if rest, ok := strings.CutPrefix(key, provider+"."); ok {
			own[rest] = t
		}
	}
	return own
}

func onlyDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// sender wires what PORTICO_SMS names. The inbox is nil when it is not among them. m is nil where nothing is counted.
func (s smsConfig) sender(log *slog.Logger, m *metrics) (gateway.Sender, *gateway.Inbox) {
	var inbox *gateway.Inbox
	var senders [2]gateway.Sender
	for i, provider := range s.providers {
		switch provider {
		case "inbox":
			inbox = gateway.NewInbox()
			senders[i] = inbox
		case "aliyun":
			senders[i] = gateway.NewAliyun(gateway.AliyunOptions{
				Key: s.aliyun[0], Secret: s.aliyun[1], Sign: s.sign, Templates: s.templatesOf(provider), API: s.aliyunAPI,
			})
		case "tencent":
			senders[i] = gateway.NewTencent(gateway.TencentOptions{
				ID: s.tencent[0], Key: s.tencent[1], App: s.tencent[2], Sign: s.sign, Templates: s.templatesOf(provider), API: s.tencentAPI,
			})
		case "webhook":
			senders[i] = gateway.NewWebhook(gateway.WebhookOptions{URL: s.webhook, Secret: s.webhookSecret})
		}
	}
	if m == nil {
		return gateway.NewReliable(senders[0], senders[1], log), inbox
	}
	for i, provider := range s.providers {
		senders[i] = countingSender{senders[i], provider, m.codes}
	}
	reliable := gateway.NewReliable(senders[0], senders[1], log)
	m.watchProvider(s.providers[0], reliable.PrimaryUp)
	if len(s.providers) > 1 {
		m.watchProvider(s.providers[1], reliable.FallbackUp)
	}
	return reliable, inbox
}
