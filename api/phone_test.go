package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"portico/portal"
	"portico/portal/access"
	"portico/portal/verification"
)

const (
	fresh   = "kettle.rain7" // passwords that the rule accepts
	fresher = "copper_lake9"
	nobodys = "13912345678" // a phone that nobody has registered
)

// asking are the calls that send a code, each with parameters and a phone for which it sends one.
type asking struct {
	path    string
	params  []string
	login   string // whose token; "": none
	phone   string // that gets it
	purpose access.Purpose
}

// invited is a phone for which company 1001 opens an account before the calls are made.
const invited = "13800000012"

var askings = []asking{
	{"/v1/account/registCode", []string{"phone_", "139 1234 5678"}, "", nobodys, verification.ForRegister},
	{"/v1/base/experience/experienceCode", []string{"phone_", nobodys}, "", nobodys, verification.ForExperience},
	{
		"/v1/account/shopRegisterCode",
		[]string{"phone_", invited, "company_id_", "1001"},
		"",
		invited,
		verification.ForShopRegister,
	},
	{
		"/v1/shopRegister/noAuth/registerCode",
		[]string{"phone_", nobodys, "company_id_", "1001"},
		"",
		nobodys,
		verification.ForApplication,
	},
	{"/v1/account/resetCode", []string{"phone_", "13800000011"}, "", "13800000011", verification.ForReset},
	{"/v1/account/resetCode", []string{"login_", "jinsui"}, "", "13800000002", verification.ForReset},
	{"/v1/account/bindPhoneCode", []string{"phone_", nobodys}, "nophone", nobodys, verification.ForBind},
	{"/v1/account/unbindPhoneCode", nil, "13800000001", "13800000001", verification.ForUnbind},
}

// asks makes the calls, each with its caller's token.
func (s *site) asks(test func(a asking, ask func() answered)) {
	s.t.Helper()
	s.opened(invited)
	for _, a := range askings {
		token := ""
		if a.login != "" {
			token = s.signIn(a.login).token(s.t)
		}
		test(a, func() answered { return s.get(token, a.path, a.params...) })
	}
}

func (s *site) setPassword(phone, hash string) {
	s.t.Helper()
	row, err := s.db.Phones.ByNumber(s.t.Context(), phone)
	noError(s.t, err)
	noError(s.t, s.db.Passwords.SetPhone(s.t.Context(), row.ID, hash))
}

// signsIn tries to sign in and checks the code of the answer.
func (s *site) signsIn(login, password, code string) answeredLogin {
	s.t.Helper()
	got := s.post("", "/v1/account/mixedLogin", "login_", login, "password_", password).want(s.t, code, login, password)
	if code != "ok" {
		return answeredLogin{}
	}
	return dataOf[answeredLogin](s.t, got)
}

// reset sets a password by a code; who is phone_ or login_ and its value.
func (s *site) reset(who []string, code, password string) answered {
	s.t.Helper()
	return s.post(
		"",
		"/v1/account/resetPhonePassword",
		append(slices.Clone(who), "code_", code, "password_", password, "confirm_password_", password)...)
}

// other is a code that is not this one.
func other(code string) string {
	if code == "111111" {
		return "222222"
	}
	return "111111"
}

func TestACodeIsSentOnceAMinute(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		s.asks(func(a asking, ask func() answered) {
			before := len(s.sent(a.phone))
			if sent := dataOf[codeSent](t, ask()); sent.ResendAfter != 60 {
				t.Errorf("%s: %+v", a.path, sent)
			}
			messages := s.sent(a.phone)
			if len(messages) != before+1 {
				t.Fatalf("%s sent %v", a.path, messages)
			}
			if m := messages[before]; m.Purpose != a.purpose || m.Lang != "en" ||
				len(m.Code) != verification.CodeDigits ||
				m.Notice != "" {
				t.Errorf("%s sent %+v", a.path, m)
			}
			s.advance(19_500 * time.Millisecond)
			again := ask().want(t, "code_already_sent", a.path)
			if again.http != http.StatusOK || again.detail(t).ResendAfter != 41 ||
				!strings.Contains(again.Message, "41") {
				t.Errorf("%s: %d %s", a.path, again.http, again.body)
			}
			if len(s.sent(a.phone)) != before+1 {
				t.Errorf("%s sent again", a.path)
			}
			s.advance(41 * time.Second)
			ask().want(t, "ok", a.path, "a minute later")
			s.advance(time.Hour)
		})
	})
}

func TestManyAsksAtOnceSendOneMessage(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		var done sync.WaitGroup
		var ok atomic.Int64
		for range 10 {
			done.Go(func() {
				if got := s.get("", "/v1/account/registCode", "phone_", nobodys); got.Code == "ok" {
					ok.Add(1)
				} else {
					got.want(t, "code_already_sent")
				}
			})
		}
		done.Wait()
		if n := len(s.sent(nobodys)); n != 1 || ok.Load() != 1 {
			t.Errorf("%d messages, %d times ok", n, ok.Load())
		}
	})
}

func TestAReplayedAskSendsNothing(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		address := 0
		s.asks(func(a asking, _ func() answered) {
			address++ // an address without earlier requests: no proof is due
			token := ""
			if a.login != "" {
				token = s.signIn(a.login).token(t)
			}
			r := s.request(asked{
				method: get, path: a.path, params: a.params, token: token, address: fmt.Sprintf("198.51.%d.7", address),
			})
			before := len(s.sent(a.phone))
			s.send(r).want(t, "ok", a.path)
			s.advance(61 * time.Second) // the signature is still valid
			s.send(r).want(t, "sign_replayed", a.path)
			if n := len(s.sent(a.phone)); n != before+1 {
				t.Errorf("%s: %d messages", a.path, n-before)
			}
		})
	})
}

// A code that was not sent does not count towards the limits, and the next one can be requested at once.
func TestAFailedMessageCostsNothing(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		var down atomic.Bool
		s.options.SendSMS = func(ctx context.Context, m verification.Message) error {
			if m.Code != "" && down.Load() {
				return errors.New("the provider is away")
			}
			return s.keep(ctx, m)
		}
		s.restart()
		down.Store(true)
		s.asks(func(a asking, ask func() answered) {
			for range verification.MessagesPhoneHour + 1 {
				got := ask().want(t, "sms_unavailable", a.path)
				if got.http != http.StatusOK || strings.Contains(string(got.body), "provider") {
					t.Errorf("%s: %d %s", a.path, got.http, got.body)
				}
			}
		})
		down.Store(false)
		s.asks(func(a asking, ask func() answered) {
			ask().want(t, "ok", a.path)
			s.advance(61 * time.Second)
		})
	})
}

func TestAMessageThatMayHaveBeenSentCounts(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		who := []string{"phone_", "13800000001"}
		s.get("", "/v1/account/resetCode", who...).want(t, "ok")
		s.get("", "/v1/account/resetCode", who...).want(t, "code_already_sent")
		s.reset(who, s.code("13800000001"), fresh).want(t, "ok", "its code is good")
	}, func(o *portal.Options) {
		keep := o.SendSMS
		o.SendSMS = func(ctx context.Context, m verification.Message) error {
			return errors.Join(keep(ctx, m), verification.ErrMaybeSent)
		}
	})
}

func TestAPhoneGetsFiveCodesAnHourAndTenADay(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		n := 0
		ask := func() answered {
			n++ // from an address each
			s.advance(61 * time.Second)
			return s.call(asked{
				method: get, path: "/v1/account/resetCode", params: []string{"phone_", "13800000001"},
				address: fmt.Sprintf("198.51.%d.7", n),
			})
		}
		for half := range verification.MessagesPhoneDay / verification.MessagesPhoneHour {
			for i := range verification.MessagesPhoneHour {
				ask().want(t, "ok", half, i)
			}
			got := ask().want(t, "too_many_attempts", half)
			if got.http != http.StatusTooManyRequests || got.header.Get("Retry-After") == "" {
				t.Errorf("%d %v", got.http, got.header)
			}
			s.advance(time.Hour)
		}
		ask().want(t, "too_many_attempts", "in the third hour")
		if n := len(s.sent("13800000001")); n != verification.MessagesPhoneDay {
			t.Errorf("%d messages", n)
		}
		s.advance(24 * time.Hour)
		ask().want(t, "ok", "the next day")
	})
}

func TestAnAddressAsksForTwentyCodesAnHour(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		ask := func(i int, address string) answered {
			phone := fmt.Sprintf("139%08d", 10_007*i) // no consecutive numbers
			return s.callWorking(asked{
				method: get, path: "/v1/account/registCode", params: []string{"phone_", phone}, address: address,
			})
		}
		for i := range 20 {
			ask(i, "").want(t, "ok", i)
		}
		ask(100, "").want(t, "too_many_attempts")
		ask(100, "198.51.100.7").want(t, "ok", "from elsewhere")
	})
}

func TestACompanysCodesAreTheCompanys(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		s.get("", "/v1/account/shopRegisterCode", "phone_", nobodys, "company_id_", "1001").
			want(t, "not_in_company")
			// that opened nothing for the phone
		for _, company := range []int64{1001, 1002, 1004, 1005, 1006} {
			s.openedIn(company, nobodys)
		}
		for _, path := range []string{"/v1/account/shopRegisterCode", "/v1/shopRegister/noAuth/registerCode"} {
			for company, want := range map[string]string{
				"": "validation_failed", "9999": "not_found", "1004": "company_disabled", "1005": "trial_ended",
				"1006": "company_expired",
			} {
				s.get("", path, "phone_", nobodys, "company_id_", company).want(t, want, path, company)
			}
			s.get("", path, "phone_", "1391234", "company_id_", "1001").want(t, "validation_failed", path)
			if n := len(s.sent(nobodys)); n != 0 {
				t.Fatalf("%d messages", n)
			}
			// The code of one company does not wait for the code of the other.
			for company, name := range map[string]string{"1001": "金穗粮油", "1002": "Mariscos del Sur"} {
				s.get("", path, "phone_", nobodys, "company_id_", company).want(t, "ok", path, company)
				if sent := s.sent(nobodys); sent[len(sent)-1].Company != name {
					t.Errorf("%+v", sent)
				}
			}
			s.messages = nil
			s.advance(time.Hour)
		}
		closed := s.get("", "/v1/shopRegister/noAuth/registerCode", "phone_", nobodys, "company_id_", "1003").
			want(t, "registration_closed")
		if d := closed.detail(t); len(d.Contacts) == 0 || d.Contacts[0].Role != access.RoleAdministrator {
			t.Errorf("%s", closed.body)
		}
	})
}

func TestCodesGoToWhomTheyConcern(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		s.get("", "/v1/account/registCode", "phone_", "13800000011").want(t, "phone_registered")
		s.get("", "/v1/account/resetCode", "phone_", nobodys).want(t, "phone_not_bound")
		s.get("", "/v1/account/resetCode", "login_", "nobody").want(t, "account_not_found")
		if d := s.get("", "/v1/account/resetCode", "login_", "nophone").
			want(t, "phone_not_bound").
			detail(t); len(
			d.Contacts,
		) == 0 {
			t.Errorf("nobody can help: %+v", d)
		}
		s.get(s.signIn("13800000001").token(t), "/v1/account/bindPhoneCode", "phone_", nobodys).
			want(t, "wrong_parameters", "signed in by phone")
		s.get(s.signIn("buyer1").token(t), "/v1/account/bindPhoneCode", "phone_", nobodys).
			want(t, "wrong_parameters", "has a phone")
		s.get(s.signIn("nophone").token(t), "/v1/account/unbindPhoneCode").want(t, "wrong_parameters", "has none")
		for _, path := range []string{"registCode", "resetCode"} {
			for phone, problem := range map[string]string{
				"": "Enter your phone number.", "12345678901": "11 digits", "1380000000x": "11 digits",
			} {
				if d := s.get("", "/v1/account/"+path, "phone_", phone).
					want(t, "validation_failed", path, phone).
					detail(t); !strings.Contains(
					d.Fields["phone_"],
					problem,
				) {
					t.Errorf("%s %q: %+v", path, phone, d)
				}
			}
		}
		if len(s.messages) != 0 {
			t.Errorf("sent %v", s.messages)
		}
	})
}

// Parameters for values that the server decides are ignored: the answer is the same with and without them.
func TestFieldsAClientMayNotSetAreIgnored(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		in, bind := s.binding(nobodys)
		bind("").want(t, "ok")
		send := func(path, body string) answered {
			return s.call(asked{method: post, path: "/v1/account/" + path, token: in.token(t), json: body})
		}
		reminder := fmt.Sprintf("noAuth/markDoNotRemindBindPhone/%d", in.User.ID)
		send(reminder, "{}").want(t, "ok")
		before, err := s.db.Dump(t.Context())
		noError(t, err)
		paths := []string{
			"resetPhonePassword", "modifyPwd", "bindPhone", "setBindPhonePassword", "unbindPhone", reminder,
		}
		for _, path := range paths {
			without := send(path, "{}").Code
			for _, field := range []string{
				"phone_verified", "bind_phone_", "type_", "company_id_", "status", "role", "id_", "account_id_",
				"Session", "Flow", "flow", "New", "new_",
			} {
				send(path, `{"`+field+`":"1"}`).want(t, without, path, field)
			}
		}
		after, err := s.db.Dump(t.Context())
		noError(t, err)
		if withoutSignatures(before) != withoutSignatures(after) {
			t.Error("something changed")
		}
		s.call(asked{
			method: post, path: "/v1/account/setBindPhonePassword", token: in.token(t),
			json: `{"password_":"` + fresh + `","confirm_password_":"` + fresh + `"}`,
		}).
			want(t, "ok", "as JSON")
	})
}

func withoutSignatures(dump string) string {
	return strings.Join(slices.DeleteFunc(strings.Split(dump, "\n"), func(line string) bool {
		return strings.HasPrefix(line, "signatures ") || strings.HasPrefix(line, "read_signatures ")
	}), "\n")
}

// Codes and passwords, and phones that nobody has registered, are stored nowhere in plain text. The log has no phone
// at all.
func TestNoCodePasswordOrPhoneIsLeftBehind(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		phones := []string{nobodys, "13800000001", "13800000002", "13800000011"}
		var answers strings.Builder
		s.asks(func(a asking, ask func() answered) {
			got := ask()
			answers.Write(got.body)
			got.want(t, "ok", a.path)
			answers.Write(ask().body)
		})
		dump, err := s.db.Dump(t.Context())
		noError(t, err)
		if strings.Contains(dump, nobodys) {
			t.Error("a phone that only asked for codes lies open in the database")
		}
		answers.Write(s.reset([]string{"phone_", "13800000011"}, s.code("13800000011"), "Canary.2026x").body)
		answers.Write(s.reset([]string{"phone_", "13800000011"}, "123456", "Canary.2027x").body)
		in, bind := s.signIn("nophone"), "Canary.2028x"
		s.advance(time.Hour + time.Second)
		s.get(in.token(t), "/v1/account/bindPhoneCode", "phone_", nobodys).want(t, "ok")
		s.post(in.token(t), "/v1/account/bindPhone", "phone_", nobodys, "code_", s.code(nobodys), "password_", bind).
			want(t, "ok")
		const third, canary = "13912345679", "Canary.2029x"
		code := s.registering(third)
		s.call(asked{
			method: post, path: createPath, params: companyOf(third, code, "password_", canary),
			headers: map[string]string{"Idempotency-Key": "k"},
		}).
			want(t, "ok")
		s.portal.Stop(t.Context())

		if dump, err = s.db.Dump(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, phone := range phones {
			if strings.Contains(s.log.String(), phone) || strings.Contains(answers.String(), phone) {
				t.Errorf("%s is in the log or an answer", phone)
			}
			for _, m := range s.sent(phone) {
				if m.Code != "" &&
					(hasWord(dump, m.Code) || hasWord(s.log.String(), m.Code) || hasWord(answers.String(), m.Code)) {
					t.Errorf("the code %s for %s lies open", m.Code, m.Purpose)
				}
			}
		}
		if hasWord(dump, code) || hasWord(s.log.String(), code) || strings.Contains(s.log.String(), third) {
			t.Errorf("the code %s for %s, or the phone, lies open", code, third)
		}
		for _, password := range []string{"Canary.2026x", "Canary.2027x", bind, canary} {
			if strings.Contains(dump, password) || strings.Contains(s.log.String(), password) ||
				strings.Contains(answers.String(), password) {
				t.Errorf("%s lies open", password)
			}
		}
	})
}

// hasWord finds a code that stands by itself: six digits occur within times and ids.
func hasWord(text, code string) bool {
	digits := func(r rune) bool { return r < '0' || r > '9' }
	return slices.Contains(strings.FieldsFunc(text, digits), code)
}

func dataRaw(t testing.TB, got answered) []byte {
	t.Helper()
	got.want(t, "ok")
	return got.Data
}
