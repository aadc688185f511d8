package config

import (
	"os"
	"strings"
	"testing"

	"portico/config/configtest"
	"portico/gateway"
)

const (
	smsAliyun    = "PORTICO_SMS_ALIYUN=LTAIexample:canary"
	smsTencent   = "PORTICO_SMS_TENCENT=AKIDexample:canary:1400006666"
	smsSign      = "PORTICO_SMS_SIGN=Portico"
	smsTemplates = "PORTICO_SMS_TEMPLATES=aliyun.code.zh=SMS_1,aliyun.notice.zh=SMS_2," +
		"tencent.code.zh=1110/2,tencent.notice.zh=1111"
)

func TestWrongSMSSettingIsRefusedWithOneLine(t *testing.T) {
	for _, wrong := range []string{
		"PORTICO_SMS=pigeon", "PORTICO_SMS=inbox,inbox", "PORTICO_SMS=inbox,aliyun,tencent", "PORTICO_SMS=aliyun,",
		"PORTICO_SMS=Aliyun",
		"PORTICO_SMS_ALIYUN=canary", "PORTICO_SMS_ALIYUN=key:", "PORTICO_SMS_ALIYUN=a:b:c",
		"PORTICO_SMS_TENCENT=a:canary", "PORTICO_SMS_TENCENT=a:canary:app",
		"PORTICO_SMS_SIGN=【Portico】", "PORTICO_SMS_SIGN=a\nb",
		"PORTICO_SMS_TEMPLATES=SMS_1", "PORTICO_SMS_TEMPLATES=code.fr=SMS_1", "PORTICO_SMS_TEMPLATES=advert.zh=SMS_1",
		"PORTICO_SMS_TEMPLATES=webhook.code.zh=1",
		"PORTICO_SMS_TEMPLATES=code.zh=SMS_1/0", "PORTICO_SMS_TEMPLATES=code.zh=",
		"PORTICO_SMS_TEMPLATES=code.zh=SMS_1,code.zh=SMS_2",
		"PORTICO_SMS_WEBHOOK=sms.test", "PORTICO_SMS_WEBHOOK=ftp://sms.test",
		"PORTICO_SMS_WEBHOOK=https://user:canary@sms.test", "PORTICO_SMS_WEBHOOK=https:///x?token=canary",
		"PORTICO_SMS_ALIYUN_API=dysmsapi.aliyuncs.com", "PORTICO_SMS_ALIYUN_API=https://sms.test/path",
		"PORTICO_SMS_TENCENT_API=https://sms.test/?a=b", "PORTICO_SMS_TENCENT_API=https://u@sms.test",
		"PORTICO_SMS_DAILY=0", "PORTICO_SMS_DAILY=many", "PORTICO_SMS_COMPANY_DAILY=-1",
		"PORTICO_SMS_COMPANY_DAILY=10000001", "PORTICO_SMS_DAILY=10000001",
	} {
		name, _, _ := strings.Cut(wrong, "=")
		_, err := Read([]string{wrong})
		if err == nil || !strings.HasPrefix(err.Error(), name+"=") || strings.ContainsAny(err.Error(), "\n") ||
			strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v", wrong, err)
		}
	}
}

func TestChosenSMSProviderNeedsItsSettings(t *testing.T) {
	webhook := "PORTICO_SMS_WEBHOOK=https://sms.test/"
	for _, c := range []struct {
		environ []string
		missing string
	}{
		{[]string{"PORTICO_SMS=aliyun", smsSign, smsTemplates}, "PORTICO_SMS_ALIYUN"},
		{[]string{"PORTICO_SMS=aliyun", smsAliyun, smsTemplates}, "PORTICO_SMS_SIGN"},
		{[]string{"PORTICO_SMS=aliyun", smsAliyun, smsSign}, "PORTICO_SMS_TEMPLATES"},
		{
			[]string{"PORTICO_SMS=aliyun", smsAliyun, smsSign, "PORTICO_SMS_TEMPLATES=code.zh=SMS_1,notice.en=SMS_2"},
			"PORTICO_SMS_TEMPLATES with notice.zh",
		},
		{
			[]string{"PORTICO_SMS=aliyun", smsAliyun, smsSign, "PORTICO_SMS_TEMPLATES=code.zh=1110,notice.zh=SMS_2"},
			"aliyun.code.zh",
		},
		{[]string{"PORTICO_SMS=tencent", smsSign, smsTemplates}, "PORTICO_SMS_TENCENT"},
		{
			[]string{
				"PORTICO_SMS=aliyun,tencent", smsAliyun, smsTencent, smsSign,
				"PORTICO_SMS_TEMPLATES=code.zh=SMS_1,notice.zh=SMS_2",
			},
			"tencent.",
		},
		{[]string{"PORTICO_SMS=webhook", smsSecret}, "PORTICO_SMS_WEBHOOK,"},
		{[]string{"PORTICO_SMS=inbox,webhook", webhook}, "PORTICO_SMS_WEBHOOK_SECRET"},
	} {
		_, err := Read(c.environ)
		if err == nil || !strings.HasPrefix(err.Error(), "PORTICO_SMS=") || !strings.Contains(err.Error(), c.missing) ||
			strings.Contains(err.Error(), "canary") ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%v: %v", c.environ, err)
		}
	}
	for _, environ := range [][]string{
		{},
		{"PORTICO_SMS=aliyun", smsAliyun, smsSign, smsTemplates},
		{"PORTICO_SMS=aliyun,tencent", smsAliyun, smsTencent, smsSign, smsTemplates},
		{"PORTICO_SMS=tencent,inbox", smsTencent, smsSign, "PORTICO_SMS_TEMPLATES=code.zh=1, notice.zh=2, code.es=3/1"},
		{"PORTICO_SMS=webhook", webhook, "PORTICO_SMS_WEBHOOK_SECRET=short"},
		{"PORTICO_SMS_DAILY=10000000", "PORTICO_SMS_COMPANY_DAILY=10000000"},
	} {
		if _, err := Read(environ); err != nil {
			t.Errorf("%v: %v", environ, err)
		}
	}
}

func TestProductionNeedsARealSMSProviderOverHTTPS(t *testing.T) {
	for _, setting := range []string{
		"PORTICO_SMS=inbox", "PORTICO_SMS=webhook,inbox", "PORTICO_SMS=inbox,webhook",
		"PORTICO_SMS_WEBHOOK=http://sms.test/", "PORTICO_SMS_WEBHOOK_SECRET=short",
		"PORTICO_SMS_WEBHOOK_SECRET=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
		"PORTICO_SMS_ALIYUN_API=http://127.0.0.1:1", "PORTICO_SMS_TENCENT_API=http://sms.test",
	} {
		values := configtest.Production("PORTICO_SMS_WEBHOOK=https://sms.test/", smsSecret, setting)
		if _, err := Read(values); err == nil {
			t.Errorf("production accepted %s", setting)
		}
	}
	for _, local := range []string{"http://127.0.0.1:9000/sms", "http://localhost/", "http://[::1]:9000/"} {
		if _, err := Read(configtest.Production(smsSecret, "PORTICO_SMS_WEBHOOK="+local)); err != nil {
			t.Errorf("%s: %v", local, err)
		}
	}
}

func TestTemplatesAreSelectedPerProvider(t *testing.T) {
	c, err := Read([]string{"PORTICO_SMS_TEMPLATES=code.zh=1,code.es=2,tencent.code.zh=3/2,aliyun.notice.zh=SMS_4"})
	if err != nil {
		t.Fatal(err)
	}
	tencent, aliyun := c.SMS.TemplatesFor("tencent"), c.SMS.TemplatesFor("aliyun")
	if len(tencent) != 2 || tencent["code.zh"] != (gateway.Template{ID: "3", Params: 2}) ||
		tencent["code.es"].ID != "2" {
		t.Errorf("%v", tencent)
	}
	if len(aliyun) != 3 || aliyun["code.zh"].ID != "1" || aliyun["notice.zh"].ID != "SMS_4" {
		t.Errorf("%v", aliyun)
	}
	if c.SMS.Daily != 5000 || c.SMS.CompanyDaily != 500 {
		t.Errorf("%d and %d a day", c.SMS.Daily, c.SMS.CompanyDaily)
	}
}

func TestSMSDocumentNamesEveryVariable(t *testing.T) {
	page, err := os.ReadFile("../docs/sms.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range smsSettings() {
		if !strings.Contains(string(page), "| `"+s.name+"` |") {
			t.Errorf("%s is not explained", s.name)
		}
	}
}

var smsSecret = "PORTICO_SMS_WEBHOOK_SECRET=" + configtest.RandomSecret()
