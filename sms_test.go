package main

import (
	"strings"
	"testing"

	"portico/portal"
)

func TestADecisionLeadsOnAndSaysNothingOfPasswords(t *testing.T) {
	const way = "https://store1001.portico.test/register/result?id=4503599627370497"
	for lang, want := range map[string]string{"zh": "请", "es": "solicitud", "en": "application"} {
		for _, notice := range []portal.Notice{portal.NoticeApproved, portal.NoticeRejected} {
			sms := worded(portal.Message{ID: "1", Phone: "13800000001", Notice: notice, Lang: lang, Company: "金穗粮油", Way: way})
			if !strings.HasPrefix(sms.Text, "金穗粮油") || !strings.HasSuffix(sms.Text, way) || !strings.Contains(sms.Text, want) || !strings.HasSuffix(sms.Params[1], way) {
				t.Errorf("%s %s: %q, parameters %q", lang, notice, sms.Text, sms.Params)
			}
			for _, word := range []string{"密码", "contraseña", "password"} {
				if strings.Contains(sms.Text, word) {
					t.Errorf("%s %s: %q", lang, notice, sms.Text)
				}
			}
		}
	}
	changed := worded(portal.Message{ID: "1", Phone: "13800000001", Notice: portal.NoticePassword, Lang: "en", Company: "Acme"})
	if !strings.Contains(changed.Text, "reset your password") || strings.Contains(changed.Text, "{") {
		t.Errorf("%q", changed.Text)
	}
}
