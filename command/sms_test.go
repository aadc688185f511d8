package command

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"portico/command/doctor"
	"portico/config"
	"portico/config/configtest"
	"portico/gateway"
	"portico/locale"
	"portico/portal/access"
	"portico/portal/core"
)

func TestTheDoctorSendsWhatARealMessageSendsEachTimeWithAnotherID(t *testing.T) {
	var sent []gateway.SMS
	sink := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var message gateway.SMS
		if err := json.NewDecoder(r.Body).Decode(&message); err != nil {
			t.Error(err)
		}
		sent = append(sent, message)
	}))
	defer sink.Close()
	c, err := config.Read([]string{
		"PORTICO_SMS=webhook", "PORTICO_SMS_WEBHOOK=" + sink.URL,
		"PORTICO_SMS_WEBHOOK_SECRET=canary-secret-of-a-webhook",
	})
	if err != nil {
		t.Fatal(err)
	}
	areas, err := checks(t.Context(), c, "sms", "13912345678")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if results := areas[0].Check(t.Context()); len(results) != 1 || results[0].State != doctor.OK {
			t.Fatalf("%+v", results)
		}
	}
	if len(sent) != 2 || sent[0].ID == sent[1].ID {
		t.Fatalf("%+v", sent)
	}
	for _, got := range sent {
		want := toSMS(core.Message{
			ID: got.ID, Phone: "13912345678", Purpose: core.ForLogin, Code: got.Code, Lang: "zh",
			Host: "account." + c.Base.Host,
		})
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%+v\nwant\n%+v", got, want)
		}
	}
}

func TestDecisionMessageHasLinkAndNoPassword(t *testing.T) {
	const way = "https://store1001.portico.test/register/result?id=4503599627370497"
	for lang, want := range map[string]string{"zh": "请", "es": "solicitud", "en": "application"} {
		for _, notice := range []core.Notice{core.NoticeApproved, core.NoticeRejected} {
			sms := toSMS(
				core.Message{
					ID:      "1",
					Phone:   "13800000001",
					Notice:  notice,
					Lang:    lang,
					Company: "金穗粮油",
					Way:     way,
				},
			)
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
}

// evening is 18:49 in the time zone of notices.
var evening = time.Date(2026, 10, 1, 10, 49, 0, 0, time.UTC)

func TestNoticeNamesEventAccountPlaceAndTime(t *testing.T) {
	const phone = "13800000001"
	byName := core.Message{Login: "li·manager", Company: "金穗粮油", Device: "iPhone"}
	for _, c := range []struct {
		notice core.Notice
		m      core.Message
		en     string
	}{
		{
			core.NoticePassword, core.Message{Device: "iPhone"},
			"The password of 138****0001 was changed (iPhone, 18:49). " +
				"Not you? Reset this phone’s password now.",
		},
		{
			core.NoticePassword, core.Message{},
			"The password of 138****0001 was changed (18:49). " +
				"Not you? Reset this phone’s password now.",
		},
		{core.NoticePassword, byName,
			"The password of account li·manager at 金穗粮油 was changed (iPhone, 18:49). " +
				"Not you? Reset it now with the account name."},
		{core.NoticeBound, byName,
			"138****0001 was added to account li·manager at 金穗粮油 (iPhone, 18:49). " +
				"Not you? Reset this phone’s password now."},
		{core.NoticeBound, core.Message{Login: "sur", Ended: true},
			"138****0001 was added to account sur (18:49). " +
				"Older passwords for signing in by name no longer work. " +
				"Not you? Reset this phone’s password now."},
		{core.NoticeUnbound, byName,
			"138****0001 was removed from account li·manager at 金穗粮油 (iPhone, 18:49). " +
				"Not expected? Call your company’s administrator."},
		{core.NoticePhoneChanged, byName,
			"138****0001 no longer signs in to account li·manager at 金穗粮油: the number was changed (iPhone, 18:49). " +
				"Not expected? Call your company’s administrator."},
		{core.NoticePhoneChanged, core.Message{Device: "iPhone"},
			"138****0001 no longer signs in to its accounts: the number was changed (iPhone, 18:49). " +
				"Not expected? Call your company’s administrator."},
		{
			core.NoticeLinked, core.Message{App: access.WeChat, Nick: "小满", Device: "Android"},
			"WeChat ‘小满’ can now sign in to 138****0001 (Android, 18:49). " +
				"Not you? Reset this phone’s password now.",
		},
		{core.NoticeLinked, core.Message{App: access.WeCom, Login: "li·manager"},
			"WeCom can now sign in to account li·manager (18:49). " +
				"Not you? Reset it now with the account name."},
		{
			core.NoticeUnlinked, core.Message{App: access.WeChat, Nick: "小满", Device: "Mac"},
			"WeChat ‘小满’ can no longer sign in to 138****0001 (Mac, 18:49). " +
				"Not you? Reset this phone’s password now.",
		},
		{core.NoticeFirst, byName,
			"An administrator gave account li·manager at 金穗粮油 a temporary password (iPhone, 18:49). " +
				"Not expected? Call your company’s administrator."},
		{core.NoticeAdministrator, byName,
			"You are now an administrator: account li·manager at 金穗粮油 (iPhone, 18:49). " +
				"Not expected? Call your company’s administrator."},
		{core.NoticeEmployee, byName,
			"You are no longer an administrator: account li·manager at 金穗粮油 (iPhone, 18:49). " +
				"Not expected? Call your company’s administrator."},
		{core.NoticeRoles, byName,
			"The administrator’s role of account li·manager at 金穗粮油 changed (iPhone, 18:49). " +
				"Not expected? Check the people in the back office."},
	} {
		c.m.ID, c.m.Phone, c.m.Notice, c.m.At = "1", phone, c.notice, evening
		for _, lang := range []string{"zh", "es", "en"} {
			c.m.Lang = lang
			sms := toSMS(c.m)
			if lang == "en" && sms.Params[1] != c.en {
				t.Errorf("%s: %q, want %q", c.notice, sms.Params[1], c.en)
			}
			for _, part := range []string{c.m.Login, c.m.Company, c.m.Nick, c.m.Device, "18:49"} {
				if !strings.Contains(sms.Text, part) {
					t.Errorf("%s %s: %q does not say %q", lang, c.notice, sms.Text, part)
				}
			}
			if !strings.HasSuffix(sms.Text, sms.Params[1]) || strings.ContainsAny(sms.Text, "{}") ||
				strings.Contains(sms.Text, "sms.") || strings.Contains(sms.Text, phone) {
				t.Errorf("%s %s: %q, parameters %q", lang, c.notice, sms.Text, sms.Params)
			}
		}
	}
}

func TestCodeMessageNamesItsAccount(t *testing.T) {
	for purpose, want := range map[access.Purpose]string{
		core.ForBind: "Portico: your code to add this phone number to account li·manager at Acme is 482915.",
		core.ForUnbind: "Portico: your code to remove this phone number from account li·manager at Acme is " +
			"482915.",
		core.ForNewPhone: "Portico: your code to use this phone for account li·manager at Acme is 482915.",
		core.ForOldPhone: "Portico: your code to stop using this phone for account li·manager at Acme is " +
			"482915.",
		core.ForReset: "Portico: your code to reset the password of account li·manager at Acme is 482915.",
		core.ForRole: "Portico: your code to change the administrator’s role with account li·manager " +
			"at Acme is 482915.",
	} {
		m := core.Message{
			ID: "1", Phone: "13800000001", Purpose: purpose, Code: "482915", Lang: "en", Company: "Acme",
			Login: "li·manager",
		}
		if sms := toSMS(m); !strings.HasPrefix(sms.Text, want) {
			t.Errorf("%q, want %q", sms.Text, want)
		}
		for _, m.Lang = range []string{"zh", "es"} {
			if sms := toSMS(m); !strings.Contains(sms.Text, "li·manager") || strings.Contains(sms.Text, "sms.") {
				t.Errorf("%q", sms.Text)
			}
		}
	}
}

func TestReviewerMessageCountsPendingApplications(t *testing.T) {
	for waiting, want := range map[int]string{
		1:   "Portico: 1 application is waiting for review: https://store1.example.com/mgr/applications",
		3:   "Portico: 3 applications are waiting for review: https://store1.example.com/mgr/applications",
		99:  "Portico: 99 applications are waiting for review: https://store1.example.com/mgr/applications",
		100: "Portico: 99+ applications are waiting for review: https://store1.example.com/mgr/applications",
	} {
		m := core.Message{
			ID: "1", Phone: "13800000001", Notice: core.NoticeApplications, Waiting: waiting, Lang: "en",
			Way: "https://store1.example.com/mgr/applications",
		}
		if sms := toSMS(m); sms.Text != want {
			t.Errorf("%q, want %q", sms.Text, want)
		}
		for _, m.Lang = range []string{"zh", "es"} {
			if sms := toSMS(m); !strings.Contains(sms.Text, m.Way) || strings.ContainsAny(sms.Text, "{}") {
				t.Errorf("%q", sms.Text)
			}
		}
	}
}

// Providers send texts with characters beyond GSM 7-bit in parts of 67 characters.
func TestLongestNoticeFitsIntoThreeSMSParts(t *testing.T) {
	for _, notice := range []core.Notice{
		core.NoticePassword, core.NoticeBound, core.NoticeUnbound,
		core.NoticeLinked, core.NoticeUnlinked,
		core.NoticeFirst, core.NoticePhoneChanged, core.NoticeAdministrator,
		core.NoticeEmployee,
		core.NoticeRoles,
	} {
		m := core.Message{
			ID: "1", Phone: "13800000001", Notice: notice, App: access.WeChat, Device: "HarmonyOS", At: evening,
			Ended: notice == core.NoticeBound,
			Login: strings.Repeat("w", 20), Nick: strings.Repeat("w", 12), Company: strings.Repeat("金", 20),
		}
		for _, m.Lang = range []string{"zh", "es", "en"} {
			if n := utf8.RuneCountInString(toSMS(m).Text); n > 3*67+25 {
				t.Errorf("%s %s: %d characters: %q", m.Lang, notice, n, toSMS(m).Params[1])
			}
		}
	}
}

func TestEveryMessageNamesThePlatformAsSender(t *testing.T) {
	for lang, want := range map[string][4]string{
		"zh": {
			"【Portico 订货平台】验证码 123456，用于登录，5 分钟内有效。请勿告诉他人。", "【Portico 订货平台】验证码 123456，用于在金穗粮油登录，5 分钟内有效。请勿告诉他人。",
			"【Portico 订货平台】", "【Portico 订货平台】金穗粮油：",
		},
		"es": {
			"Portico: su código para entrar es 123456. Vence en 5 minutos. No lo comparta con nadie.",
			"Portico: su código para entrar en 金穗粮油 es 123456. Vence en 5 minutos. No lo comparta con nadie.",
			"Portico: ", "Portico, sobre 金穗粮油: ",
		},
		"en": {
			"Portico: your code to sign in is 123456. Valid for 5 minutes. Do not share it with anyone.",
			"Portico: your code to sign in at 金穗粮油 is 123456. Valid for 5 minutes. Do not share it with anyone.",
			"Portico: ", "Portico, about 金穗粮油: ",
		},
	} {
		for i, company := range []string{"", "金穗粮油"} {
			m := core.Message{ID: "1", Phone: "13800000001", Lang: lang, Company: company}
			m.Purpose, m.Code = core.ForLogin, "123456"
			if got := toSMS(m).Text; got != want[i] {
				t.Errorf("%s: %q, want %q", lang, got, want[i])
			}
			m.Purpose, m.Code, m.Notice = "", "", core.NoticePassword
			if got := toSMS(m).Text; !strings.HasPrefix(got, want[2+i]) {
				t.Errorf("%s: %q, want it to begin with %q", lang, got, want[2+i])
			}
		}
	}
}

func TestConfiguredProvidersReceiveMessages(t *testing.T) {
	var asked []string
	served := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("X-Acs-Action") != "":
			asked = append(asked, "aliyun")
			_, _ = io.WriteString(w, `{"Code":"isv.AMOUNT_NOT_ENOUGH"}`)
		case r.Header.Get("X-Tc-Action") != "":
			asked = append(asked, "tencent")
			_, _ = io.WriteString(w, `{"Response":{"SendStatusSet":[{"Code":"Ok"}]}}`)
		default:
			asked = append(asked, "webhook")
		}
	}))
	defer served.Close()
	for providers, want := range map[string]string{
		"inbox": "", "aliyun,tencent": "aliyun tencent", "tencent,aliyun": "tencent", "webhook": "webhook",
		"aliyun,inbox": "aliyun",
	} {
		c, err := config.Read([]string{
			"PORTICO_SMS=" + providers, "PORTICO_SMS_SIGN=Portico",
			"PORTICO_SMS_ALIYUN=LTAIexample:canary", "PORTICO_SMS_TENCENT=AKIDexample:canary:1400006666",
			"PORTICO_SMS_TEMPLATES=aliyun.code.zh=SMS_1,aliyun.notice.zh=SMS_2," +
				"tencent.code.zh=1110/2,tencent.notice.zh=1111",
			"PORTICO_SMS_ALIYUN_API=" + served.URL, "PORTICO_SMS_TENCENT_API=" + served.URL + "/",
			"PORTICO_SMS_WEBHOOK=" + served.URL, "PORTICO_SMS_WEBHOOK_SECRET=" + configtest.RandomSecret(),
		})
		if err != nil {
			t.Fatal(err)
		}
		asked = nil
		sender, inbox := newSender(c.SMS, dependencies{log: slog.New(slog.DiscardHandler)})
		err = sender.Send(t.Context(), gateway.SMS{
			Phone: "13800138000", Kind: gateway.Code, Lang: "zh", Params: []string{"482915", "5", "Acme"},
		})
		if err != nil || strings.Join(asked, " ") != want {
			t.Errorf("%s: asked %v, %v", providers, asked, err)
		}
		if (inbox != nil) != strings.Contains(providers, "inbox") ||
			inbox != nil && len(inbox.Messages("13800138000")) != 1 {
			t.Errorf("%s: inbox %v", providers, inbox)
		}
	}
}
