package main

import (
	"strings"
	"testing"

	"portico/locale"
	"portico/portal"
)

func TestADecisionLeadsOnAndSaysNothingOfPasswords(t *testing.T) {
	const way = "https://store1001.portico.test/register/result?id=4503599627370497"
	for lang, want := range map[string]string{"zh": "请", "es": "solicitud", "en": "application"} {
		for _, notice := range []portal.Notice{portal.NoticeApproved, portal.NoticeRejected} {
			sms := worded(portal.Message{ID: "1", Phone: "13800000001", Notice: notice, Lang: lang, Company: "金穗粮油", Way: way})
			sender := strings.HasPrefix(strings.TrimPrefix(sms.Text, "【"), locale.Lang(lang).T("platform"))
			wording := strings.Contains(sms.Text, "金穗粮油") && strings.Contains(sms.Text, want)
			if !sender || !wording || !strings.HasSuffix(sms.Text, way) || !strings.HasSuffix(sms.Params[1], way) {
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

func TestThePlatformIsTheSenderOfEveryMessage(t *testing.T) {
	for lang, want := range map[string][4]string{
		"zh": {
			"【Portico 订货平台】验证码 123456，用于登录，5 分钟内有效。请勿告诉他人。", "【Portico 订货平台】验证码 123456，用于在金穗粮油登录，5 分钟内有效。请勿告诉他人。",
			"【Portico 订货平台】", "【Portico 订货平台】金穗粮油：",
		},
		"es": {
			"Portico: su código para entrar es 123456. Vale 5 minutos. No lo comparta con nadie.",
			"Portico: su código para entrar en 金穗粮油 es 123456. Vale 5 minutos. No lo comparta con nadie.",
			"Portico: ", "Portico, sobre 金穗粮油: ",
		},
		"en": {
			"Portico: your code to sign in is 123456. Valid for 5 minutes. Do not share it with anyone.",
			"Portico: your code to sign in at 金穗粮油 is 123456. Valid for 5 minutes. Do not share it with anyone.",
			"Portico: ", "Portico, about 金穗粮油: ",
		},
	} {
		for i, company := range []string{"", "金穗粮油"} {
			m := portal.Message{ID: "1", Phone: "13800000001", Lang: lang, Company: company}
			m.Purpose, m.Code = portal.ForLogin, "123456"
			if got := worded(m).Text; got != want[i] {
				t.Errorf("%s: %q, want %q", lang, got, want[i])
			}
			m.Purpose, m.Code, m.Notice = "", "", portal.NoticePassword
			if got := worded(m).Text; !strings.HasPrefix(got, want[2+i]) {
				t.Errorf("%s: %q, want it to begin with %q", lang, got, want[2+i])
			}
		}
	}
}
