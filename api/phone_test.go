package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode"

	"portico/portal"
	"portico/portal/access"
	"portico/portal/core"
	"portico/store/storetest"
)

const (
	newPassword       = "kettle.rain7" // the password rule accepts it, and secondPassword
	secondPassword    = "copper_lake9"
	unregisteredPhone = "13912345678" // a phone that nobody has registered
)

// codeCall is a call that sends a verification code, with parameters for which it sends one.
type codeCall struct {
	path    string
	params  []string
	login   string // signs in with this login and the demo password; "" calls without a token
	phone   string // receives the code
	purpose access.Purpose
}

// invitedPhone is a phone for which forEachCodeCall opens an account in company 1001.
const invitedPhone = "13800000012"

// codeCalls are all calls that send a verification code.
var codeCalls = []codeCall{
	{"/v1/account/registCode", []string{"phone_", "139 1234 5678"}, "", unregisteredPhone, core.ForRegister},
	{"/v1/base/experience/experienceCode", []string{"phone_", unregisteredPhone}, "", unregisteredPhone,
		core.ForExperience},
	{
		"/v1/account/shopRegisterCode",
		[]string{"phone_", invitedPhone, "company_id_", "1001"},
		"",
		invitedPhone,
		core.ForShopRegister,
	},
	{
		"/v1/shopRegister/noAuth/registerCode",
		[]string{"phone_", unregisteredPhone, "company_id_", "1001"},
		"",
		unregisteredPhone,
		core.ForApplication,
	},
	{"/v1/account/resetCode", []string{"phone_", "13800000011"}, "", "13800000011", core.ForReset},
	{"/v1/account/resetCode", []string{"login_", "jinsui"}, "", "13800000002", core.ForReset},
	{"/v1/account/bindPhoneCode", []string{"phone_", unregisteredPhone}, "nophone", unregisteredPhone,
		core.ForBind},
	{"/v1/account/unbindPhoneCode", nil, "13800000001", "13800000001", core.ForUnbind},
}

// forEachCodeCall runs a test with each call of codeCalls. requestCode makes the call with its caller's token.
func (s *site) forEachCodeCall(test func(c codeCall, requestCode func() apiResponse)) {
	s.t.Helper()
	s.openAccount(invitedPhone)
	for _, c := range codeCalls {
		token := ""
		if c.login != "" {
			token = s.signIn(c.login).token(s.t)
		}
		test(c, func() apiResponse { return s.get(token, c.path, c.params...) })
	}
}

// setPasswordHash replaces the password hash of a registered phone.
func (s *site) setPasswordHash(phone, hash string) {
	s.t.Helper()
	row, err := s.db.Persons.ByNumber(s.t.Context(), phone)
	noError(s.t, err)
	noError(s.t, s.db.Passwords.SetPerson(s.t.Context(), row.ID, hash))
}

// wantSignIn tries to sign in, checks the code of the response and returns the data of a successful sign-in.
func (s *site) wantSignIn(login, password, code string) loginData {
	s.t.Helper()
	got := s.post("", "/v1/account/mixedLogin", "login_", login, "password_", password).wantCode(s.t, code, login,
		password)
	if code != "ok" {
		return loginData{}
	}
	return dataOf[loginData](s.t, got)
}

// resetPassword sets a password by a code. subject is "phone_" or "login_", followed by its value.
func (s *site) resetPassword(subject []string, code, password string) apiResponse {
	s.t.Helper()
	return s.post(
		"",
		"/v1/account/resetPhonePassword",
		append(slices.Clone(subject), "code_", code, "password_", password, "confirm_password_", password)...)
}

// differentCode returns a code that is not the given one.
func differentCode(code string) string {
	if code == "111111" {
		return "222222"
	}
	return "111111"
}

func TestCodeIsSentAtMostOncePerMinute(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		s.forEachCodeCall(func(c codeCall, requestCode func() apiResponse) {
			before := len(s.messagesTo(c.phone))
			if sent := dataOf[codeSent](t, requestCode()); sent.ResendAfter != 60 {
				t.Errorf("%s: %+v", c.path, sent)
			}
			messages := s.messagesTo(c.phone)
			if len(messages) != before+1 {
				t.Fatalf("%s sent %v", c.path, messages)
			}
			if m := messages[before]; m.Purpose != c.purpose || m.Lang != "en" ||
				len(m.Code) != core.CodeDigits ||
				m.Notice != "" {
				t.Errorf("%s sent %+v", c.path, m)
			}
			s.advance(19_500 * time.Millisecond)
			again := requestCode().wantCode(t, "code_already_sent", c.path)
			if again.http != http.StatusOK || again.refusalDetail(t).ResendAfter != 41 ||
				!strings.Contains(again.Message, "41") {
				t.Errorf("%s: %d %s", c.path, again.http, again.body)
			}
			if len(s.messagesTo(c.phone)) != before+1 {
				t.Errorf("%s sent again", c.path)
			}
			s.advance(41 * time.Second)
			requestCode().wantCode(t, "ok", c.path, "a minute later")
			s.advance(time.Hour)
		})
	})
}

func TestWaitOfOneSecondIsSingular(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		requestCode := func() apiResponse { return s.get("", "/v1/account/registCode", "phone_", unregisteredPhone) }
		requestCode().wantCode(t, "ok")
		s.advance(59 * time.Second)
		message := requestCode().wantCode(t, "code_already_sent").Message
		if !strings.HasSuffix(message, " 1 second.") {
			t.Errorf("%s", message)
		}
	})
}

func TestParallelCodeRequestsSendOneMessage(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		var group sync.WaitGroup
		var ok atomic.Int64
		for range 10 {
			group.Go(func() {
				if got := s.get("", "/v1/account/registCode", "phone_", unregisteredPhone); got.Code == "ok" {
					ok.Add(1)
				} else {
					got.wantCode(t, "code_already_sent")
				}
			})
		}
		group.Wait()
		if n := len(s.messagesTo(unregisteredPhone)); n != 1 || ok.Load() != 1 {
			t.Errorf("%d messages, %d times ok", n, ok.Load())
		}
	})
}

func TestReplayedCodeRequestSendsNothing(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		address := 0
		s.forEachCodeCall(func(c codeCall, _ func() apiResponse) {
			address++ // no proof of work is required from a new address
			token := ""
			if c.login != "" {
				token = s.signIn(c.login).token(t)
			}
			r := s.request(apiRequest{
				method: get, path: c.path, params: c.params, token: token, address: fmt.Sprintf("198.51.%d.7", address),
			})
			before := len(s.messagesTo(c.phone))
			s.send(r).wantCode(t, "ok", c.path)
			s.advance(61 * time.Second) // the signature is still valid
			s.send(r).wantCode(t, "sign_replayed", c.path)
			if n := len(s.messagesTo(c.phone)); n != before+1 {
				t.Errorf("%s: %d messages", c.path, n-before)
			}
		})
	})
}

// A code that was not sent does not count towards the limits, and the next one can be requested at once.
func TestUnsentCodeDoesNotCountTowardsLimits(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		var down atomic.Bool
		s.options.SendSMS = func(ctx context.Context, m core.Message) error {
			if m.Code != "" && down.Load() {
				return errors.New("the provider is unavailable")
			}
			return s.recordMessage(ctx, m)
		}
		s.restart()
		down.Store(true)
		s.forEachCodeCall(func(c codeCall, requestCode func() apiResponse) {
			for range core.MessagesPhoneHour + 1 {
				got := requestCode().wantCode(t, "sms_unavailable", c.path)
				if got.http != http.StatusOK || strings.Contains(string(got.body), "provider") {
					t.Errorf("%s: %d %s", c.path, got.http, got.body)
				}
			}
		})
		down.Store(false)
		s.forEachCodeCall(func(c codeCall, requestCode func() apiResponse) {
			requestCode().wantCode(t, "ok", c.path)
			s.advance(61 * time.Second)
		})
	})
}

func TestPossiblySentCodeCountsTowardsLimits(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		subject := []string{"phone_", "13800000001"}
		s.get("", "/v1/account/resetCode", subject...).wantCode(t, "ok")
		s.get("", "/v1/account/resetCode", subject...).wantCode(t, "code_already_sent")
		s.resetPassword(subject, s.lastCode("13800000001"), newPassword).wantCode(t, "ok", "the code was sent")
	}, func(o *portal.Options) {
		keep := o.SendSMS
		o.SendSMS = func(ctx context.Context, m core.Message) error {
			return errors.Join(keep(ctx, m), core.ErrMaybeSent)
		}
	})
}

func TestCodesPerPhoneAreLimitedPerHourAndDay(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		n := 0
		requestCode := func() apiResponse {
			n++ // each request comes from its own address
			s.advance(61 * time.Second)
			return s.call(apiRequest{
				method: get, path: "/v1/account/resetCode", params: []string{"phone_", "13800000001"},
				address: fmt.Sprintf("198.51.%d.7", n),
			})
		}
		for half := range core.MessagesPhoneDay / core.MessagesPhoneHour {
			for i := range core.MessagesPhoneHour {
				requestCode().wantCode(t, "ok", half, i)
			}
			got := requestCode().wantCode(t, "too_many_attempts", half)
			if got.http != http.StatusTooManyRequests || got.header.Get("Retry-After") == "" {
				t.Errorf("%d %v", got.http, got.header)
			}
			s.advance(time.Hour)
		}
		requestCode().wantCode(t, "too_many_attempts", "in the third hour")
		if n := len(s.messagesTo("13800000001")); n != core.MessagesPhoneDay {
			t.Errorf("%d messages", n)
		}
		s.advance(24 * time.Hour)
		requestCode().wantCode(t, "ok", "the next day")
	})
}

func TestCodesPerAddressAreLimitedPerHour(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		requestCode := func(i int, address string) apiResponse {
			phone := fmt.Sprintf("139%08d", 10_007*i) // no consecutive numbers
			return s.callWithProof(apiRequest{
				method: get, path: "/v1/account/registCode", params: []string{"phone_", phone}, address: address,
			})
		}
		for i := range 20 {
			requestCode(i, "").wantCode(t, "ok", i)
		}
		requestCode(100, "").wantCode(t, "too_many_attempts")
		requestCode(100, "198.51.100.7").wantCode(t, "ok", "from another address")
	})
}

func TestCompanyCodesAreSeparatePerCompany(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		s.get("", "/v1/account/shopRegisterCode", "phone_", unregisteredPhone, "company_id_", "1001").
			wantCode(t, "not_in_company", "the company has opened no account for the phone")
		for _, company := range []int64{1001, 1002, 1004, 1005, 1006} {
			s.openAccountIn(company, unregisteredPhone)
		}
		for _, path := range []string{"/v1/account/shopRegisterCode", "/v1/shopRegister/noAuth/registerCode"} {
			for company, want := range map[string]string{
				"": "validation_failed", "9999": "not_found", "1004": "company_disabled", "1005": "trial_ended",
				"1006": "company_expired",
			} {
				s.get("", path, "phone_", unregisteredPhone, "company_id_", company).wantCode(t, want, path, company)
			}
			s.get("", path, "phone_", "1391234", "company_id_", "1001").wantCode(t, "validation_failed", path)
			if n := len(s.messagesTo(unregisteredPhone)); n != 0 {
				t.Fatalf("%d messages", n)
			}
			// The code of one company does not wait for the code of the other.
			for company, name := range map[string]string{"1001": "金穗粮油", "1002": "Mariscos del Sur"} {
				s.get("", path, "phone_", unregisteredPhone, "company_id_", company).wantCode(t, "ok", path, company)
				if sent := s.messagesTo(unregisteredPhone); sent[len(sent)-1].Company != name {
					t.Errorf("%+v", sent)
				}
			}
			s.messages = nil
			s.advance(time.Hour)
		}
		closed := s.get("", "/v1/shopRegister/noAuth/registerCode", "phone_", unregisteredPhone, "company_id_", "1003").
			wantCode(t, "registration_closed")
		if d := closed.refusalDetail(t); len(d.Contacts) == 0 || d.Contacts[0].Role != access.RoleAdministrator {
			t.Errorf("%s", closed.body)
		}
	})
}

func TestCodeIsSentOnlyToAllowedPhones(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		s.get("", "/v1/account/registCode", "phone_", "13800000011").wantCode(t, "phone_registered")
		s.get("", "/v1/account/resetCode", "phone_", unregisteredPhone).wantCode(t, "phone_not_bound")
		s.get("", "/v1/account/resetCode", "login_", "nobody").wantCode(t, "account_not_found")
		if d := s.get("", "/v1/account/resetCode", "login_", "nophone").
			wantCode(t, "phone_not_bound").
			refusalDetail(t); len(d.Contacts) != 0 {
			t.Errorf("a company's contact is told to somebody who has proven nothing to it: %+v", d)
		}
		s.get(s.signIn("13800000001").token(t), "/v1/account/bindPhoneCode", "phone_", unregisteredPhone).
			wantCode(t, "wrong_parameters", "signed in by phone")
		s.get(s.signIn("buyer1").token(t), "/v1/account/bindPhoneCode", "phone_", unregisteredPhone).
			wantCode(t, "wrong_parameters", "the account has a phone")
		s.get(s.signIn("nophone").token(t), "/v1/account/unbindPhoneCode").wantCode(t, "wrong_parameters",
			"the account has no phone")
		for _, path := range []string{"registCode", "resetCode"} {
			for phone, problem := range map[string]string{
				"":            "Enter your phone number.",
				"12345678901": "11-digit phone number", "1380000000x": "11-digit phone number",
			} {
				if d := s.get("", "/v1/account/"+path, "phone_", phone).
					wantCode(t, "validation_failed", path, phone).
					refusalDetail(t); !strings.Contains(
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
func TestPhoneCallsIgnoreFieldsThatTheServerSets(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		login, bind := s.beginBinding(unregisteredPhone)
		bind("").wantCode(t, "ok")
		send := func(path, body string) apiResponse {
			return s.call(apiRequest{method: post, path: "/v1/account/" + path, token: login.token(t), json: body})
		}
		reminder := fmt.Sprintf("noAuth/markDoNotRemindBindPhone/%d", login.User.ID)
		send(reminder, "{}").wantCode(t, "ok")
		before, err := storetest.Dump(t.Context(), s.db)
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
				send(path, `{"`+field+`":"1"}`).wantCode(t, without, path, field)
			}
		}
		after, err := storetest.Dump(t.Context(), s.db)
		noError(t, err)
		if withoutSignatures(before) != withoutSignatures(after) {
			t.Error("the database changed")
		}
		s.call(apiRequest{
			method: post, path: "/v1/account/setBindPhonePassword", token: login.token(t),
			json: `{"password_":"` + newPassword + `","confirm_password_":"` + newPassword + `"}`,
		}).
			wantCode(t, "ok", "as JSON")
	})
}

// withoutSignatures removes the used signatures from a dump of the database.
func withoutSignatures(dump string) string {
	return strings.Join(slices.DeleteFunc(strings.Split(dump, "\n"), func(line string) bool {
		return strings.HasPrefix(line, "signatures ") || strings.HasPrefix(line, "read_signatures ")
	}), "\n")
}

// Codes, passwords and unregistered phones are never stored in plain text. The log contains no phone at all.
func TestCodesPasswordsAndPhonesAreNotStoredInPlainText(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		phones := []string{unregisteredPhone, "13800000001", "13800000002", "13800000011"}
		var answers strings.Builder
		s.forEachCodeCall(func(c codeCall, requestCode func() apiResponse) {
			got := requestCode()
			answers.Write(got.body)
			got.wantCode(t, "ok", c.path)
			answers.Write(requestCode().body)
		})
		dump, err := storetest.Dump(t.Context(), s.db)
		noError(t, err)
		if strings.Contains(dump, unregisteredPhone) {
			t.Error("a phone that only requested codes is in the database in plain text")
		}
		answers.Write(s.resetPassword([]string{"phone_", "13800000011"}, s.lastCode("13800000011"),
			"Canary.2026x").body)
		answers.Write(s.resetPassword([]string{"phone_", "13800000011"}, "123456", "Canary.2027x").body)
		login, bind := s.signIn("nophone"), "Canary.2028x"
		s.advance(time.Hour + time.Second)
		s.get(login.token(t), "/v1/account/bindPhoneCode", "phone_", unregisteredPhone).wantCode(t, "ok")
		s.post(login.token(t), "/v1/account/bindPhone", "phone_", unregisteredPhone, "code_",
			s.lastCode(unregisteredPhone), "password_", bind).
			wantCode(t, "ok")
		const third, canary = "13912345679", "Canary.2029x"
		code := s.registerCode(third)
		s.call(apiRequest{
			method: post, path: createCompanyPath, params: companyParams(third, code, "password_", canary),
			headers: map[string]string{"Idempotency-Key": "k"},
		}).
			wantCode(t, "ok")
		s.portal.Stop(t.Context())

		if dump, err = storetest.Dump(t.Context(), s.db); err != nil {
			t.Fatal(err)
		}
		prices := regexp.MustCompile(`(?m)^(products|orders|order_lines) .*`) // they look like codes
		dump = prices.ReplaceAllString(dump, "")
		for _, phone := range phones {
			if strings.Contains(s.log.String(), phone) || strings.Contains(answers.String(), phone) {
				t.Errorf("%s is in the log or an answer", phone)
			}
			for _, m := range s.messagesTo(phone) {
				if m.Code != "" &&
					(hasWord(dump, m.Code) || hasWord(s.log.String(), m.Code) || hasWord(answers.String(), m.Code)) {
					t.Errorf("the code %s for %s is in plain text", m.Code, m.Purpose)
				}
			}
		}
		if hasWord(dump, code) || hasWord(s.log.String(), code) || strings.Contains(s.log.String(), third) {
			t.Errorf("the code %s for %s, or the phone, is in plain text", code, third)
		}
		for _, password := range []string{"Canary.2026x", "Canary.2027x", bind, canary} {
			if strings.Contains(dump, password) || strings.Contains(s.log.String(), password) ||
				strings.Contains(answers.String(), password) {
				t.Errorf("%s is in plain text", password)
			}
		}
	})
}

// hasWord reports whether a code is in a text as a word of its own. Times, ids and hashes may contain its six digits.
func hasWord(text, code string) bool {
	return slices.Contains(strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}), code)
}

// rawData returns the data of a successful response as it was sent.
func rawData(t testing.TB, got apiResponse) []byte {
	t.Helper()
	got.wantCode(t, "ok")
	return got.Data
}
