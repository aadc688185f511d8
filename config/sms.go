package config

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"portico/gateway"
	"portico/portal/core"
)

// SMS has the providers that send messages, their credentials, and how many messages may be sent a day.
type SMS struct {
	Providers           []string // the first sends; a second one sends when the first fails
	Sign                string   // the registered sign name
	Aliyun              []string // KEY, SECRET
	Tencent             []string // SECRETID, SECRETKEY, SDKAPPID
	AliyunAPI           string
	TencentAPI          string
	Webhook             string
	WebhookSecret       string
	Daily, CompanyDaily int // messages of the platform and of one company

	templates gateway.Templates // keys may begin with a provider's name: "tencent.code.zh"
}

// smsSettings are the variables of the SMS providers.
func smsSettings() []setting {
	return []setting{
		{
			name: "PORTICO_SMS", fallback: "inbox", read: readSMSProviders,
			meaning: "who sends messages: inbox, aliyun, tencent or webhook; a second one after a comma steps " +
				"in for the first",
		},
		{
			name: "PORTICO_SMS_ALIYUN", shown: "empty", secret: true, read: readSMSAliyun,
			meaning: "KEY:SECRET of an Alibaba Cloud access key",
		},
		{
			name: "PORTICO_SMS_TENCENT", shown: "empty", secret: true, read: readSMSTencent,
			meaning: "SECRETID:SECRETKEY:SDKAPPID of Tencent Cloud",
		},
		{
			name: "PORTICO_SMS_SIGN", shown: "empty", read: readSMSSign,
			meaning: "sign name registered with aliyun or tencent, without 【】",
		},
		{
			name: "PORTICO_SMS_TEMPLATES", shown: "empty", read: readSMSTemplates,
			meaning: "templates registered with aliyun or tencent: code.zh=ID,notice.zh=ID,… (docs/sms.md)",
		},
		{
			name: "PORTICO_SMS_WEBHOOK", shown: "empty", secret: true, read: readSMSWebhook,
			meaning: "address messages are posted to",
		},
		{
			name: "PORTICO_SMS_WEBHOOK_SECRET", shown: "empty", secret: true, read: readSMSWebhookSecret,
			meaning: "signs what is posted, at least 32 bytes",
		},
		{
			name: "PORTICO_SMS_ALIYUN_API", fallback: "https://dysmsapi.aliyuncs.com", read: readSMSAliyunAPI,
			meaning: "address of Alibaba Cloud's SMS API",
		},
		{
			name: "PORTICO_SMS_TENCENT_API", fallback: "https://sms.tencentcloudapi.com", read: readSMSTencentAPI,
			meaning: "address of Tencent Cloud's SMS API",
		},
		{
			name: "PORTICO_SMS_DAILY", fallback: "5000", read: readSMSDaily,
			meaning: "most messages a day, of the whole platform",
		},
		{
			name: "PORTICO_SMS_COMPANY_DAILY", fallback: "500", read: readSMSCompanyDaily,
			meaning: "most messages a day, of one company",
		},
	}
}

// smsProviders are the names that PORTICO_SMS accepts.
var smsProviders = []string{"inbox", "aliyun", "tencent", "webhook"}

func readSMSProviders(c *Config, value string) error {
	names := strings.Split(value, ",")
	for _, name := range names {
		if !slices.Contains(smsProviders, name) {
			return errors.New("accepted are inbox, aliyun, tencent and webhook, or two of them separated by a comma")
		}
		if name == "inbox" && c.Production {
			return errors.New("production needs real providers: aliyun, tencent or webhook")
		}
	}
	if len(names) > 2 || len(names) == 2 && names[0] == names[1] {
		return errors.New("accepted are one provider, or two different ones separated by a comma")
	}
	c.SMS.Providers = names
	return nil
}

func readSMSAliyun(c *Config, value string) error {
	c.SMS.Aliyun = strings.Split(value, ":")
	return checkParts(2)(c, value)
}

func readSMSTencent(c *Config, value string) error {
	c.SMS.Tencent = strings.Split(value, ":")
	if err := checkParts(3)(c, value); err != nil || value == "" {
		return err
	}
	if !onlyDigits(c.SMS.Tencent[2]) {
		return errors.New("accepted is SECRETID:SECRETKEY:SDKAPPID, the last a number")
	}
	return nil
}

func readSMSSign(c *Config, value string) error {
	if strings.ContainsAny(value, "【】[]\r\n") {
		return errors.New("accepted is the sign name without brackets")
	}
	c.SMS.Sign = value
	return nil
}

// aTemplate is [provider.]kind.language=ID, or =ID/N for a template that takes only the first N parameters.
var aTemplate = regexp.MustCompile(
	`^((?:(?:aliyun|tencent)\.)?(?:code|notice)\.(?:zh|es|en))=([A-Za-z0-9_]+)(?:/([1-9]))?$`,
)

func readSMSTemplates(c *Config, value string) error {
	c.SMS.templates = gateway.Templates{}
	for _, one := range strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' }) {
		parts := aTemplate.FindStringSubmatch(one)
		if parts == nil {
			return errors.New("accepted are code.zh=ID, code.es=…, code.en=…, notice.zh=… separated by commas; " +
				"aliyun. or tencent. may precede, /N may follow")
		}
		if _, repeated := c.SMS.templates[parts[1]]; repeated {
			return fmt.Errorf("%s is there twice", parts[1])
		}
		params, _ := strconv.Atoi(parts[3]) // empty or a digit
		c.SMS.templates[parts[1]] = gateway.Template{ID: parts[2], Params: params}
	}
	return nil
}

// readSMSWebhook accepts http on this machine only, for a program beside this one.
func readSMSWebhook(c *Config, value string) error {
	c.SMS.Webhook = value
	if value == "" {
		return nil
	}
	u, err := url.Parse(value)
	if err != nil || u.Host == "" || u.User != nil || u.Fragment != "" || u.Scheme != "https" && u.Scheme != "http" {
		return errors.New("accepted is an https address without a user or password")
	}
	if c.Production && u.Scheme == "http" && !thisMachine(u.Hostname()) {
		return errors.New("production needs an https address, unless it is on this machine")
	}
	return nil
}

func thisMachine(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

func readSMSWebhookSecret(c *Config, value string) error {
	c.SMS.WebhookSecret = value
	if value != "" && c.Production && len(value) < core.MinSecret {
		return errors.New("production needs at least 32 random bytes")
	}
	if value == "" {
		return nil
	}
	return c.checkSecret(value)
}

func readSMSAliyunAPI(c *Config, value string) (err error) {
	c.SMS.AliyunAPI, err = endpoint(c, value)
	return err
}

func readSMSTencentAPI(c *Config, value string) (err error) {
	c.SMS.TencentAPI, err = endpoint(c, value)
	return err
}

// endpoint reads a scheme and a host without a path, because requests to the provider are signed for the path "/".
func endpoint(c *Config, value string) (string, error) {
	u, err := url.Parse(value)
	if err != nil || u.Host == "" || u.Scheme != "https" && (c.Production || u.Scheme != "http") || u.User != nil ||
		strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		return "", errors.New("accepted is https and a host, like https://sms.example.com")
	}
	return u.Scheme + "://" + u.Host, nil
}

func readSMSDaily(c *Config, value string) (err error) {
	c.SMS.Daily, err = messagesADay(value)
	return err
}

func readSMSCompanyDaily(c *Config, value string) (err error) {
	c.SMS.CompanyDaily, err = messagesADay(value)
	return err
}

// maxMessagesADay is the largest limit of messages a day that can be set.
const maxMessagesADay = 10_000_000

func messagesADay(value string) (int, error) {
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 || n > maxMessagesADay {
		return 0, errors.New("accepted is a number from 1 to 10000000")
	}
	return n, nil
}

// check returns an error when a chosen provider lacks a setting. It is called after all settings have been read.
func (s SMS) check() error {
	for _, provider := range s.Providers {
		if missing := s.missing(provider); missing != "" {
			return fmt.Errorf("PORTICO_SMS=%q: %s needs %s", strings.Join(s.Providers, ","), provider, missing)
		}
	}
	return nil
}

// missing returns the first variable that a provider lacks and the value that it needs. It is "" when nothing is
// missing.
func (s SMS) missing(provider string) string {
	switch {
	case provider == "aliyun" && len(s.Aliyun) != 2:
		return "PORTICO_SMS_ALIYUN=KEY:SECRET"
	case provider == "tencent" && len(s.Tencent) != 3:
		return "PORTICO_SMS_TENCENT=SECRETID:SECRETKEY:SDKAPPID"
	case provider == "webhook" && s.Webhook == "":
		return "PORTICO_SMS_WEBHOOK, the address to post to"
	case provider == "webhook" && s.WebhookSecret == "":
		return "PORTICO_SMS_WEBHOOK_SECRET, at least 32 random bytes"
	case provider == "inbox" || provider == "webhook":
		return ""
	case s.Sign == "":
		return "PORTICO_SMS_SIGN, the registered sign name"
	}
	return s.missingTemplate(provider)
}

// missingTemplate returns what PORTICO_SMS_TEMPLATES lacks for a provider. A template id of the other provider does not
// count: ids of aliyun begin with SMS_, ids of tencent are numbers.
func (s SMS) missingTemplate(provider string) string {
	templates := s.TemplatesFor(provider)
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

// TemplatesFor returns a provider's templates: those with its name in front, and those without any provider's name.
func (s SMS) TemplatesFor(provider string) gateway.Templates {
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
