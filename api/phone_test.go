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
	"portico/store"
)

const (
	fresh   = "kettle.rain7" // passwords the rule takes
	fresher = "copper_lake9"
	nobodys = "13912345678" // a phone nobody registered
)

// asking are the calls that send a code, with what makes them send one to a phone that suits them.
type asking struct {
	path    string
	params  []string
	login   string // whose token; "": none
	phone   string // that gets it
	purpose portal.Purpose
}

var askings = []asking{
	{"/v1/account/registCode", []string{"phone_", "139 1234 5678"}, "", nobodys, portal.ForRegister},
	{"/v1/base/experience/experienceCode", []string{"phone_", nobodys}, "", nobodys, portal.ForExperience},
	{"/v1/account/shopRegisterCode", []string{"phone_", nobodys, "company_id_", "1001"}, "", nobodys, portal.ForShopRegister},
	{"/v1/shopRegister/noAuth/registerCode", []string{"phone_", nobodys, "company_id_", "1001"}, "", nobodys, portal.ForApplication},
	{"/v1/account/resetCode", []string{"phone_", "13800000011"}, "", "13800000011", portal.ForReset},
	{"/v1/account/resetCode", []string{"login_", "jinsui"}, "", "13800000002", portal.ForReset},
	{"/v1/account/bindPhoneCode", []string{"phone_", nobodys}, "nophone", nobodys, portal.ForBind},
	{"/v1/account/unbindPhoneCode", nil, "13800000001", "13800000001", portal.ForUnbind},
}

// asks makes the calls, each with its caller's token.
func (s *site) asks(test func(a asking, ask func() answered)) {
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
	row, err := s.db.PhoneByNumber(s.t.Context(), phone)
	noError(s.t, err)
	noError(s.t, s.db.SetPhonePassword(s.t.Context(), row.ID, hash))
}

// signsIn holds a password to a phone or name.
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
	return s.post("", "/v1/account/resetPhonePassword", append(slices.Clone(who), "code_", code, "password_", password, "confirm_password_", password)...)
}

// other is a code that is not this one.
func other(code string) string {
	if code == "111111" {
		return "222222"
	}
	return "111111"
}

// Requirement 36.
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
			if m := messages[before]; m.Purpose != a.purpose || m.Lang != "en" || len(m.Code) != portal.CodeDigits || m.Notice != "" {
				t.Errorf("%s sent %+v", a.path, m)
			}
			s.advance(19_500 * time.Millisecond)
			again := ask().want(t, "code_already_sent", a.path)
			if again.http != http.StatusOK || again.detail(t).ResendAfter != 41 || !strings.Contains(again.Message, "41") {
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
		s.asks(func(a asking, _ func() answered) {
			token := ""
			if a.login != "" {
				token = s.signIn(a.login).token(t)
			}
			r := s.request(asked{method: get, path: a.path, params: a.params, token: token})
			before := len(s.sent(a.phone))
			s.send(r).want(t, "ok", a.path)
			s.advance(61 * time.Second)
			s.send(r).want(t, "sign_replayed", a.path)
			if n := len(s.sent(a.phone)); n != before+1 {
				t.Errorf("%s: %d messages", a.path, n-before)
			}
		})
	})
}

// Requirement 39: what was not sent neither counts nor waits.
func TestAFailedMessageCostsNothing(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		var down atomic.Bool
		s.options.SendSMS = func(ctx context.Context, m portal.Message) error {
			if m.Code != "" && down.Load() {
				return errors.New("the provider is away")
			}
			return s.keep(ctx, m)
		}
		s.restart()
		down.Store(true)
		s.asks(func(a asking, ask func() answered) {
			for range portal.MessagesPhoneHour + 1 {
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
		o.SendSMS = func(ctx context.Context, m portal.Message) error {
			return errors.Join(keep(ctx, m), portal.ErrMaybeSent)
		}
	})
}

// Requirement 37.
func TestAPhoneGetsFiveCodesAnHourAndTenADay(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		n := 0
		ask := func() answered {
			n++ // from an address each
			s.advance(61 * time.Second)
			return s.call(asked{method: get, path: "/v1/account/resetCode", params: []string{"phone_", "13800000001"}, address: fmt.Sprintf("198.51.%d.7", n)})
		}
		for half := range portal.MessagesPhoneDay / portal.MessagesPhoneHour {
			for i := range portal.MessagesPhoneHour {
				ask().want(t, "ok", half, i)
			}
			if got := ask().want(t, "too_many_attempts", half); got.http != http.StatusTooManyRequests || got.header.Get("Retry-After") == "" {
				t.Errorf("%d %v", got.http, got.header)
			}
			s.advance(time.Hour)
		}
		ask().want(t, "too_many_attempts", "in the third hour")
		if n := len(s.sent("13800000001")); n != portal.MessagesPhoneDay {
			t.Errorf("%d messages", n)
		}
		s.advance(24 * time.Hour)
		ask().want(t, "ok", "the next day")
	})
}

func TestAnAddressAsksForTwentyCodesAnHour(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		ask := func(i int, address string) answered {
			return s.call(asked{method: get, path: "/v1/account/registCode", params: []string{"phone_", fmt.Sprintf("1391234%04d", i)}, address: address})
		}
		for i := range portal.MessagesAddressHour {
			ask(i, "").want(t, "ok", i)
		}
		ask(100, "").want(t, "too_many_attempts")
		ask(100, "198.51.100.7").want(t, "ok", "from elsewhere")
	})
}

func TestACompanysCodesAreTheCompanys(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		for _, path := range []string{"/v1/account/shopRegisterCode", "/v1/shopRegister/noAuth/registerCode"} {
			for company, want := range map[string]string{"": "validation_failed", "9999": "not_found", "1004": "company_disabled", "1005": "trial_ended", "1006": "company_expired"} {
				s.get("", path, "phone_", nobodys, "company_id_", company).want(t, want, path, company)
			}
			s.get("", path, "phone_", "1391234", "company_id_", "1001").want(t, "validation_failed", path)
			if n := len(s.sent(nobodys)); n != 0 {
				t.Fatalf("%d messages", n)
			}
			for company, name := range map[string]string{"1001": "金穗粮油", "1002": "Mariscos del Sur"} { // one does not wait for the other
				s.get("", path, "phone_", nobodys, "company_id_", company).want(t, "ok", path, company)
				if sent := s.sent(nobodys); sent[len(sent)-1].Company != name {
					t.Errorf("%+v", sent)
				}
			}
			s.messages = nil
			s.advance(time.Hour)
		}
		closed := s.get("", "/v1/shopRegister/noAuth/registerCode", "phone_", nobodys, "company_id_", "1003").want(t, "registration_closed")
		if d := closed.detail(t); len(d.Contacts) == 0 || d.Contacts[0].Role != portal.RoleAdministrator {
			t.Errorf("%s", closed.body)
		}
	})
}

func TestCodesGoToWhomTheyConcern(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		s.get("", "/v1/account/registCode", "phone_", "13800000011").want(t, "phone_registered")
		s.get("", "/v1/account/resetCode", "phone_", nobodys).want(t, "phone_not_bound")
		s.get("", "/v1/account/resetCode", "login_", "nobody").want(t, "account_not_found")
		if d := s.get("", "/v1/account/resetCode", "login_", "nophone").want(t, "phone_not_bound").detail(t); len(d.Contacts) == 0 {
			t.Errorf("nobody can help: %+v", d)
		}
		s.get(s.signIn("13800000001").token(t), "/v1/account/bindPhoneCode", "phone_", nobodys).want(t, "wrong_parameters", "signed in by phone")
		s.get(s.signIn("buyer1").token(t), "/v1/account/bindPhoneCode", "phone_", nobodys).want(t, "wrong_parameters", "has a phone")
		s.get(s.signIn("nophone").token(t), "/v1/account/unbindPhoneCode").want(t, "wrong_parameters", "has none")
		for _, path := range []string{"registCode", "resetCode"} {
			for phone, problem := range map[string]string{"": "Enter your phone number.", "12345678901": "11 digits", "1380000000x": "11 digits"} {
				if d := s.get("", "/v1/account/"+path, "phone_", phone).want(t, "validation_failed", path, phone).detail(t); !strings.Contains(d.Fields["phone_"], problem) {
					t.Errorf("%s %q: %+v", path, phone, d)
				}
			}
		}
		if len(s.messages) != 0 {
			t.Errorf("sent %v", s.messages)
		}
	})
}

// Requirement 46: everything the old password opened ends, nothing else changes.
func TestAResetByPhoneSetsThePhonesPassword(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		phone, who := "13800000003", []string{"phone_", "138 0000 0003"}
		ticket, token := s.signIn(phone).Ticket, s.signIn(phone, "company_id_", "1002").token(t)
		pc := dataOf[answeredLogin](t, s.call(asked{method: post, path: "/v1/account/mixedLogin", kind: "PC", source: "PC", params: []string{"login_", phone, "password_", portal.DemoPassword, "company_id_", "1003"}})).token(t)
		byName, stranger := s.signIn("li.shop").token(t), s.signIn("13800000001").token(t)
		sent := dataOf[resetCodeSent](t, s.get("", "/v1/account/resetCode", who...))
		if sent.Phone != "138****0003" || sent.ResendAfter != 60 {
			t.Errorf("%+v", sent)
		}
		code := s.code(phone)
		s.reset(who, code[:3]+" "+code[3:], fresh).want(t, "ok", "a space in the code")
		for what, token := range map[string]string{"ticket": ticket, "token": token, "by name": byName} {
			if got := s.get(token, "/v1/account/getAccountList").want(t, "login_required", what); got.http != http.StatusUnauthorized {
				t.Errorf("%s: %d", what, got.http)
			}
		}
		s.call(asked{method: get, path: "/v1/account/getAccountList", token: pc, kind: "PC", source: "PC"}).want(t, "login_required")
		s.get(stranger, "/v1/account/getAccountList").want(t, "ok", "somebody else's token")
		s.signsIn(phone, portal.DemoPassword, "wrong_password")
		s.signsIn(phone, fresh, "ok")
		s.signsIn("li.shop", portal.DemoPassword, "ok") // the account's own password is another one
		s.reset(who, code, fresher).want(t, "code_expired", "used")
		s.signsIn(phone, fresh, "ok")
		s.portal.Stop(t.Context())
		if all := s.sent(phone); all[len(all)-1].Notice != portal.NoticePassword || all[len(all)-1].Code != "" {
			t.Errorf("the phone was not told: %+v", all)
		}
	})
}

func TestAResetByNameSetsTheAccountsPassword(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		who := []string{"login_", " Buyer1 "}
		byName, byPhone := s.signIn("buyer1").token(t), s.signIn("13800000001")
		sent := dataOf[resetCodeSent](t, s.get("", "/v1/account/resetCode", who...))
		if sent.Phone != "138****0001" {
			t.Errorf("%+v", sent)
		}
		code := s.code("13800000001")
		s.reset([]string{"phone_", "13800000001"}, code, fresh).want(t, "code_expired", "it is the account's, not the phone's")
		s.reset([]string{"login_", "nophone"}, code, fresh).want(t, "code_expired", "another account")
		s.reset([]string{"login_", "nobody"}, code, fresh).want(t, "code_expired", "no account")
		s.reset([]string{"login_", "a\u202eb"}, code, fresh).want(t, "validation_failed")
		s.reset(who, code, fresh).want(t, "ok")
		s.get(byName, "/v1/account/getAccountList").want(t, "login_required")
		s.get(byPhone.token(t), "/v1/account/getAccountList").want(t, "login_required", "acts as the account")
		s.signsIn("buyer1", portal.DemoPassword, "wrong_password")
		s.signsIn("buyer1", fresh, "ok")
		s.signsIn("13800000001", portal.DemoPassword, "ok")
	})
}

func TestAResetOpensAShutSignIn(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		for range portal.FreeFailures + 1 {
			s.signsIn("13800000001", "Wrong2026", "wrong_password")
		}
		s.signsIn("13800000001", portal.DemoPassword, "too_many_attempts")
		s.get("", "/v1/account/resetCode", "phone_", "13800000001").want(t, "ok")
		s.reset([]string{"phone_", "13800000001"}, s.code("13800000001"), fresh).want(t, "ok")
		s.signsIn("13800000001", fresh, "ok")
	})
}

func TestAPhoneOrANameAndNotBoth(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		both := []string{"phone_", "13800000001", "login_", "buyer1"}
		s.get("", "/v1/account/resetCode", both...).want(t, "wrong_parameters")
		s.reset(both, "123456", fresh).want(t, "wrong_parameters")
		for _, got := range []answered{s.get("", "/v1/account/resetCode"), s.reset(nil, "123456", fresh)} {
			if d := got.want(t, "validation_failed", "neither").detail(t); d.Fields["phone_"] == "" {
				t.Errorf("%s", got.body)
			}
		}
		if len(s.messages) != 0 {
			t.Errorf("sent %v", s.messages)
		}
	})
}

// Requirements 30 to 33.
func TestAWrongOldOrTiredCodeOpensNothing(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		phone, who := "13800000001", []string{"phone_", "13800000001"}
		ask := func() string {
			t.Helper()
			s.get("", "/v1/account/resetCode", who...).want(t, "ok")
			return s.code(phone)
		}
		for code, problem := range map[string]string{"": "Enter the code.", "12345": "A code has 6 digits.", "12345x": "A code has 6 digits.", strings.Repeat("1", 400): "A code has 6 digits."} {
			if d := s.reset(who, code, fresh).want(t, "validation_failed", code).detail(t); d.Fields["code_"] != problem {
				t.Errorf("%q: %+v", code, d)
			}
		}
		s.reset(who, "123456", fresh).want(t, "code_expired", "none was sent")

		code := ask()
		for range portal.CodeTries {
			s.reset(who, other(code), fresh).want(t, "code_wrong")
		}
		s.reset(who, code, fresh).want(t, "code_expired", "tried too often")

		s.advance(61 * time.Second)
		old := ask()
		s.advance(61 * time.Second)
		for code = ask(); code == old; code = ask() { // one in a million
			s.advance(61 * time.Second)
		}
		s.reset(who, old, fresh).want(t, "code_wrong", "a newer one was sent")

		s.advance(portal.CodeLife)
		s.reset(who, code, fresh).want(t, "code_expired", "after five minutes")
		code = ask()
		s.advance(portal.CodeLife - time.Second)
		s.signsIn(phone, portal.DemoPassword, "ok")
		s.reset(who, code, fresh).want(t, "ok", "within five minutes")
	})
}

func TestAPhonesCodesAreTriedTwentyTimesADay(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		who := []string{"phone_", "13800000001"}
		tries := 0
		for tries < portal.CodeTriesADay {
			s.get("", "/v1/account/resetCode", who...).want(t, "ok")
			for range portal.CodeTries {
				s.reset(who, other(s.code("13800000001")), fresh).want(t, "code_wrong", tries)
				tries++
			}
			s.advance(61 * time.Second)
		}
		s.get("", "/v1/account/resetCode", who...).want(t, "ok")
		if got := s.reset(who, s.code("13800000001"), fresh).want(t, "too_many_attempts"); got.http != http.StatusTooManyRequests || got.header.Get("Retry-After") == "" {
			t.Errorf("%d %v", got.http, got.header)
		}
		s.signsIn("13800000001", portal.DemoPassword, "ok") // the other way in stays
		s.advance(24 * time.Hour)
		s.get("", "/v1/account/resetCode", who...).want(t, "ok")
		s.reset(who, s.code("13800000001"), fresh).want(t, "ok", "the next day")
	})
}

// Requirement 32.
func TestOfManyUsesOfACodeOneSucceeds(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		who := []string{"phone_", "13800000001"}
		s.get("", "/v1/account/resetCode", who...).want(t, "ok")
		code := s.code("13800000001")
		var done sync.WaitGroup
		var ok atomic.Int64
		for i := range portal.CodeTries {
			done.Go(func() {
				got := s.reset(who, code, fmt.Sprintf("kettle.rain%d", i))
				if got.Code == "ok" {
					ok.Add(1)
				} else {
					got.want(t, "code_expired")
				}
			})
		}
		done.Wait()
		if ok.Load() != 1 {
			t.Errorf("%d succeeded", ok.Load())
		}
	})
}

// Requirement 34: phone, purpose, call and the program or browser that asked.
func TestACodeIsGoodForWhatItWasAskedForOnly(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		phone, who := "13800000001", []string{"phone_", "13800000001"}
		place, err := s.portal.Locate(t.Context(), portal.LocateInput{Host: "account.portico.test"})
		noError(t, err)
		browser := portal.NewFlow()
		ctx := portal.WithCaller(t.Context(), portal.Caller{Address: "198.51.100.7"})
		page := func(purpose portal.Purpose) string {
			t.Helper()
			_, err := s.portal.AskCode(ctx, portal.AskCodeInput{Purpose: purpose, Phone: phone, Flow: browser, Place: place})
			noError(t, err)
			return s.code(phone)
		}
		byCode := func(code string) error {
			_, err := s.portal.LoginByCode(ctx, portal.CodeLoginInput{Phone: phone, Code: code, Flow: browser, Place: place})
			return err
		}

		s.get("", "/v1/account/resetCode", who...).want(t, "ok")
		code := s.code(phone)
		if err := byCode(code); !errors.Is(err, portal.CodeExpired) {
			t.Errorf("a page signs in with a code of the API: %v", err)
		}
		if err := s.portal.ResetPassword(ctx, portal.ResetInput{Phone: phone, Code: code, Password: fresh, Confirm: fresh, Flow: browser, Place: place}); !errors.Is(err, portal.CodeExpired) {
			t.Errorf("a page resets with a code of the API: %v", err)
		}
		s.call(asked{method: post, path: "/v1/account/resetPhonePassword", kind: "PC", source: "PC", params: append(who, "code_", code, "password_", fresh, "confirm_password_", fresh)}).want(t, "code_expired", "another kind of program")
		s.reset([]string{"phone_", "13800000002"}, code, fresh).want(t, "code_expired", "another phone")
		s.reset([]string{"login_", "buyer1"}, code, fresh).want(t, "code_expired", "the account in place of the phone")
		s.reset(who, code, fresh).want(t, "ok", "by who asked")

		s.advance(61 * time.Second)
		s.reset(who, page(portal.ForReset), fresher).want(t, "code_expired", "asked for on a page")
		s.reset(who, page(portal.ForLogin), fresher).want(t, "code_expired", "for signing in")
		if err := byCode(s.code(phone)); err != nil {
			t.Errorf("the page it was asked on: %v", err)
		}

		s.advance(time.Hour)
		bind, unbind := s.signIn("nophone").token(t), s.signsIn(phone, fresh, "ok").token(t)
		for _, path := range []string{"/v1/base/experience/experienceCode", "/v1/account/shopRegisterCode", "/v1/shopRegister/noAuth/registerCode"} {
			s.get("", path, "phone_", phone, "company_id_", "1001").want(t, "ok", path)
			s.reset(who, s.code(phone), fresher).want(t, "code_expired", path)
			s.post(bind, "/v1/account/bindPhone", "phone_", phone, "code_", s.code(phone), "password_", fresh).want(t, "code_expired", path)
			s.post(unbind, "/v1/account/unbindPhone", "code_", s.code(phone)).want(t, "code_expired", path)
		}
		s.get(bind, "/v1/account/bindPhoneCode", "phone_", phone).want(t, "ok")
		s.reset(who, s.code(phone), fresher).want(t, "code_expired", "for binding")
		s.post(unbind, "/v1/account/unbindPhone", "code_", s.code(phone), "password_", fresh).want(t, "code_expired", "for binding")
		s.get(unbind, "/v1/account/unbindPhoneCode").want(t, "ok")
		s.post(bind, "/v1/account/bindPhone", "phone_", phone, "code_", s.code(phone), "password_", fresh).want(t, "code_wrong", "for unbinding")
		s.signsIn(phone, fresh, "ok")
	})
}

// Requirement 11: strict answers alike for known and unknown.
func TestStrictTellsNobodyWhoIsKnown(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		alike := func(what string, known, unknown answered) {
			t.Helper()
			plain := func(got answered) string { return strings.Replace(string(got.body), got.RequestID, "", 1) }
			if known.http != unknown.http || plain(known) != strings.Replace(plain(unknown), "139****5678", "138****0001", 1) {
				t.Errorf("%s:\n%s\n%s", what, known.body, unknown.body)
			}
		}
		known, unknown := []string{"phone_", "13800000001"}, []string{"phone_", nobodys}
		for range 2 { // the second time is too soon
			alike("registCode", s.get("", "/v1/account/registCode", known...), s.get("", "/v1/account/registCode", unknown...))
			alike("resetCode", s.get("", "/v1/account/resetCode", known...), s.get("", "/v1/account/resetCode", unknown...))
			alike("by name", s.get("", "/v1/account/resetCode", "login_", "jinsui"), s.get("", "/v1/account/resetCode", "login_", "nobody"))
		}
		for range portal.CodeTries + 1 {
			alike("resetPhonePassword", s.reset(known, "00000x", fresh), s.reset(unknown, "00000x", fresh))
		}
		alike("a password the rule does not take", s.reset(known, "000000", "123456"), s.reset(unknown, "000000", "123456"))
		s.portal.Stop(t.Context()) // messages go in the background
		i := slices.IndexFunc(s.sent("13800000001"), func(m portal.Message) bool { return m.Purpose == portal.ForReset })
		if i < 0 {
			t.Fatal("no code was sent")
		}
		right := s.sent("13800000001")[i].Code
		alike("a wrong code", s.reset(known, other(right), fresh).want(t, "code_wrong"), s.reset(unknown, other(right), fresh))
		s.reset(known, right, fresh).want(t, "ok")
		if sent := s.sent(nobodys); len(sent) != 1 || sent[0].Purpose != portal.ForRegister {
			t.Errorf("sent to a phone nobody registered: %+v", sent)
		}
	}, func(o *portal.Options) { o.Strict = true })
}

func TestChangingAPasswordEndsTheOtherTokens(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		change := func(token, old, password, confirm string) answered {
			return s.post(token, "/v1/account/modifyPwd", "old_password_", old, "password_", password, "confirm_password_", confirm)
		}
		for login, phone := range map[string]string{"13800000001": "13800000001", "jinsui": "13800000002"} {
			token, otherToken, stranger := s.signIn(login).token(t), s.signIn(login).token(t), s.signIn("nophone").token(t)
			for field, got := range map[string]answered{
				"old_password_": change(token, "", fresh, fresh), "password_": change(token, portal.DemoPassword, "", ""), "confirm_password_": change(token, portal.DemoPassword, fresh, fresher),
			} {
				if d := got.want(t, "validation_failed", field).detail(t); d.Fields[field] == "" {
					t.Errorf("%s: %s", field, got.body)
				}
			}
			change(token, strings.Repeat("a", 300), fresh, fresh).want(t, "validation_failed")
			change(token, "Wrong2026", fresh, fresh).want(t, "old_password_wrong")
			change(token, portal.DemoPassword, portal.DemoPassword, portal.DemoPassword).want(t, "validation_failed", "the same again")
			s.get(otherToken, "/v1/account/getAccountList").want(t, "ok", "nothing changed")

			change(token, portal.DemoPassword, fresh, fresh).want(t, "ok")
			s.get(token, "/v1/account/getAccountList").want(t, "ok", "its own")
			s.get(otherToken, "/v1/account/getAccountList").want(t, "login_required", "the other")
			s.get(stranger, "/v1/account/getAccountList").want(t, "ok", "somebody else's")
			s.signsIn(login, portal.DemoPassword, "wrong_password")
			s.signsIn(login, fresh, "ok")
			change(token, portal.DemoPassword, fresher, fresher).want(t, "old_password_wrong")
			s.portal.Stop(t.Context())
			if all := s.sent(phone); len(all) != 1 || all[0].Notice != portal.NoticePassword {
				t.Errorf("%s was told %+v", phone, all)
			}
		}
		change(s.signIn("nophone").token(t), portal.DemoPassword, fresh, fresh).want(t, "ok", "nobody to tell")
	})
}

func TestAPasswordChangesTenTimesADay(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		token, old := s.signIn("nophone").token(t), portal.DemoPassword
		change := func(password string) answered {
			return s.post(token, "/v1/account/modifyPwd", "old_password_", old, "password_", password, "confirm_password_", password)
		}
		for i := range portal.PasswordChanges {
			next := fmt.Sprintf("kettle.rain%d", i)
			change(next).want(t, "ok", i)
			old = next
		}
		if got := change(fresher).want(t, "too_many_attempts"); got.http != http.StatusTooManyRequests || got.header.Get("Retry-After") == "" {
			t.Errorf("%d %v", got.http, got.header)
		}
		s.signsIn("nophone", old, "ok")
		s.advance(24*time.Hour + time.Second)
		change(fresher).want(t, "ok", "the next day")
	})
}

// Requirement 18: the old password draws on the budget of sign-ins.
func TestWrongOldPasswordsCountAsFailedSignIns(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		token := s.signIn("13800000001").token(t)
		change := func(old string) answered {
			return s.post(token, "/v1/account/modifyPwd", "old_password_", old, "password_", fresh, "confirm_password_", fresh)
		}
		waited := 0
		for wrong := 0; wrong < portal.ProofFailures; {
			got := change("Wrong2026")
			if got.Code == "too_many_attempts" {
				if got.http != http.StatusTooManyRequests || got.header.Get("Retry-After") == "" {
					t.Fatalf("%d %v", got.http, got.header)
				}
				waited++
				s.advance(time.Second)
				continue
			}
			got.want(t, "old_password_wrong", wrong)
			wrong++
		}
		if waited == 0 {
			t.Error("ten wrong ones without a wait")
		}
		s.advance(portal.LongestWait - 5*time.Minute)
		change(portal.DemoPassword).want(t, "too_many_attempts", "a question would be due")
		s.post("", "/v1/account/mixedLogin", "login_", "13800000001", "password_", portal.DemoPassword).want(t, "validation_failed", "the question")
		s.advance(portal.FailureWindow)
		change(portal.DemoPassword).want(t, "ok", "later")
	})
}

func TestAPhoneWithoutAPasswordHasNoneToChange(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		token := s.signIn("13800000001").token(t)
		s.setPassword("13800000001", "")
		s.post(token, "/v1/account/modifyPwd", "old_password_", "Wrong2026", "password_", fresh, "confirm_password_", fresh).want(t, "password_not_set")
	})
}

// The rule for new passwords speaks the caller's language at every call that takes one.
func TestANewPasswordsProblemIsToldInThreeLanguages(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		change, unbind, binding := s.signIn("13800000001").token(t), s.signIn("13800000002").token(t), s.signIn("nophone").token(t)
		m, err := s.db.MembersByLogin(t.Context(), "jinsui")
		noError(t, err)
		noError(t, s.db.SetAccountPassword(t.Context(), 1001, m[0].ID, ""))
		s.get("", "/v1/account/resetCode", "phone_", "13800000001").want(t, "ok")
		s.get(unbind, "/v1/account/unbindPhoneCode").want(t, "ok")
		s.get(binding, "/v1/account/bindPhoneCode", "phone_", nobodys).want(t, "ok")
		s.post(binding, "/v1/account/bindPhone", "phone_", nobodys, "code_", s.code(nobodys)).want(t, "ok")
		for _, c := range []struct {
			token, path string
			params      []string
		}{
			{"", "/v1/account/resetPhonePassword", []string{"phone_", "13800000001", "code_", s.code("13800000001")}},
			{change, "/v1/account/modifyPwd", []string{"old_password_", portal.DemoPassword}},
			{binding, "/v1/account/bindPhone", []string{"phone_", nobodys, "code_", s.code(nobodys)}},
			{binding, "/v1/account/setBindPhonePassword", nil},
			{unbind, "/v1/account/unbindPhone", []string{"code_", s.code("13800000002")}},
		} {
			for password, told := range map[string][3]string{
				"a1b":                   {"至少 6", "al menos 6", "at least 6"},
				"aaaaaa1":               {"重复", "teclas repetidas", "repeated"},
				"Passw0rd":              {"很多人在用", "Mucha gente", "Many people"},
				"kettle rain":           {"半角", "solo admite", "only letters"},
				"long.kettle.rain.77x7": {"最多 20", "máximo 20", "at most 20"},
				"Portico2026":           {"不要有您的", "No incluya", "Leave your"},
			} {
				for i, lang := range []string{"zh", "es", "en"} {
					params := append(slices.Clone(c.params), "password_", password)
					if !strings.HasSuffix(c.path, "indPhone") { // the others want it twice
						params = append(params, "confirm_password_", password)
					}
					got := s.call(asked{method: post, path: c.path, token: c.token, lang: lang, params: params}).want(t, "validation_failed", c.path, password)
					if problem := got.detail(t).Fields["password_"]; !strings.Contains(problem, told[i]) || strings.Contains(problem, password) {
						t.Errorf("%s %q in %s: %s", c.path, password, lang, got.body)
					}
				}
			}
		}
		s.signsIn("13800000001", portal.DemoPassword, "ok")
	})
}

// binding is somebody signed in as "nophone" who was sent a code to the phone to bind.
func (s *site) binding(phone string) (in answeredLogin, bind func(password string) answered) {
	s.t.Helper()
	in = s.signIn("nophone")
	s.get(in.token(s.t), "/v1/account/bindPhoneCode", "phone_", phone).want(s.t, "ok", phone)
	code := s.code(phone)
	return in, func(password string) answered {
		s.t.Helper()
		params := []string{"phone_", phone, "code_", code}
		if password != "" {
			params = append(params, "password_", password)
		}
		return s.post(in.token(s.t), "/v1/account/bindPhone", params...)
	}
}

func (s *site) setBindPassword(token, password string) answered {
	s.t.Helper()
	return s.post(token, "/v1/account/setBindPhonePassword", "password_", password, "confirm_password_", password)
}

// boundTo holds the phone bound to "nophone".
func (s *site) boundTo(phone string) {
	s.t.Helper()
	members, err := s.db.MembersByLogin(s.t.Context(), "nophone")
	noError(s.t, err)
	if members[0].Phone != phone {
		s.t.Errorf("%q is bound, want %q", members[0].Phone, phone)
	}
}

// Contract section 5, the first case.
func TestBindingAPhoneNobodyRegistered(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		in, bind := s.binding(nobodys)
		if got := bind(""); string(dataRaw(t, got)) != `{"bind_phone_":null,"needs_password_":true}` {
			t.Errorf("%s", got.body)
		}
		s.boundTo("")
		if got := s.setBindPassword(in.token(t), fresh); string(dataRaw(t, got)) != `{"bind_phone_":"`+nobodys+`"}` {
			t.Errorf("%s", got.body)
		}
		s.boundTo(nobodys)
		if by := s.signsIn(nobodys, fresh, "ok"); by.User == nil || by.User.Login != "nophone" {
			t.Errorf("%+v", by)
		}
		s.signsIn("nophone", portal.DemoPassword, "ok")
		s.get(in.token(t), "/v1/account/getAccountList").want(t, "ok", "its own token stays")
		s.portal.Stop(t.Context())
		if all := s.sent(nobodys); all[len(all)-1].Notice != portal.NoticeBound {
			t.Errorf("the phone was not told: %+v", all)
		}
		for what, got := range map[string]answered{"bindPhone": bind(fresh), "setBindPhonePassword": s.setBindPassword(in.token(t), fresher), "bindPhoneCode": s.get(in.token(t), "/v1/account/bindPhoneCode", "phone_", "13912345679")} {
			got.want(t, "wrong_parameters", what, "again")
		}
		s.signsIn(nobodys, fresh, "ok")
	})
}

func TestBindingANewPhoneWithItsPasswordAtOnce(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		_, bind := s.binding(nobodys)
		if got := bind(fresh); string(dataRaw(t, got)) != `{"bind_phone_":"`+nobodys+`","needs_password_":false}` {
			t.Errorf("%s", got.body)
		}
		s.boundTo(nobodys)
		s.signsIn(nobodys, fresh, "ok")
	})
}

// The second case: the phone's password confirms.
func TestBindingARegisteredPhoneTakesItsPassword(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		in, bind := s.binding("13800000001")
		phones := s.signIn("13800000001").token(t)
		if got := bind(""); string(dataRaw(t, got)) != `{"bind_phone_":null,"needs_password_":true}` {
			t.Errorf("%s", got.body)
		}
		wrong := bind("Wrong2026").want(t, "wrong_password")
		if d := wrong.detail(t); d.Left == nil || *d.Left != portal.ProofFailures-1 {
			t.Errorf("%s", wrong.body)
		}
		s.boundTo("")
		s.signIn("13800000001") // clears the failure
		bind(portal.DemoPassword).want(t, "ok", "the code was right before and is still good")
		s.boundTo("13800000001")
		if by := s.signIn("13800000001"); len(by.Shop) != 2 {
			t.Errorf("%+v", by)
		}
		s.get(phones, "/v1/account/getAccountList").want(t, "ok", "its password is as it was")
		s.get(in.token(t), "/v1/account/getAccountList").want(t, "ok")
	})
}

func TestWrongPasswordsOfAPhoneToBindAreLimited(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		_, bind := s.binding("13800000001")
		for range portal.FreeFailures + 1 {
			bind("Wrong2026").want(t, "wrong_password")
		}
		if got := bind(portal.DemoPassword).want(t, "too_many_attempts"); got.http != http.StatusTooManyRequests || got.header.Get("Retry-After") == "" {
			t.Errorf("%d %v", got.http, got.header)
		}
		s.boundTo("")
	})
}

// The third: a new one is set, which becomes the phone's.
func TestBindingWithoutThePhonesPasswordSetsANewOne(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		in, bind := s.binding("13800000001")
		phones := s.signIn("13800000001").token(t)
		bind("").want(t, "ok")
		if d := s.setBindPassword(in.token(t), portal.DemoPassword).want(t, "validation_failed", "it is the old one").detail(t); d.Fields["password_"] == "" {
			t.Errorf("%+v", d)
		}
		s.setBindPassword(in.token(t), fresh).want(t, "ok")
		s.boundTo("13800000001")
		s.get(phones, "/v1/account/getAccountList").want(t, "login_required", "opened with the old password")
		s.get(in.token(t), "/v1/account/getAccountList").want(t, "ok", "its own token stays")
		s.signsIn("13800000001", portal.DemoPassword, "wrong_password")
		s.signsIn("13800000001", fresh, "ok")
		s.signsIn("buyer1", portal.DemoPassword, "ok") // the other account's own is another one
	})
}

// Requirement 44.
func TestABindingsPasswordNeedsAFreshProofOfTheSameToken(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		in, bind := s.binding("13800000001")
		s.setBindPassword(in.token(t), fresh).want(t, "code_expired", "the code was not shown")
		bind("").want(t, "ok")
		second := s.signIn("nophone").token(t)
		s.setBindPassword(second, fresh).want(t, "code_expired", "another token of the account")
		s.post(second, "/v1/account/bindPhone", "phone_", "13800000001", "code_", s.code("13800000001"), "password_", portal.DemoPassword).want(t, "code_expired", "another token of the account")
		s.setBindPassword(s.signIn("northwind").token(t), fresh).want(t, "code_expired", "another account")
		s.setBindPassword("", fresh).want(t, "login_required")
		if d := s.post(in.token(t), "/v1/account/setBindPhonePassword", "password_", fresh, "confirm_password_", fresher).want(t, "validation_failed").detail(t); d.Fields["confirm_password_"] == "" {
			t.Errorf("%+v", d)
		}
		s.advance(portal.ProofLife)
		s.setBindPassword(in.token(t), fresh).want(t, "code_expired", "ten minutes later")
		bind(portal.DemoPassword).want(t, "code_expired", "ten minutes later")
		s.boundTo("")
		s.signsIn("13800000001", portal.DemoPassword, "ok")
	})
}

func TestAWrongCodeBindsNothing(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		in, bind := s.binding(nobodys)
		try := func(params ...string) answered { return s.post(in.token(t), "/v1/account/bindPhone", params...) }
		try("phone_", nobodys, "code_", other(s.code(nobodys)), "password_", fresh).want(t, "code_wrong")
		try("phone_", "13800000001", "code_", s.code(nobodys), "password_", portal.DemoPassword).want(t, "code_expired", "another phone")
		for field, got := range map[string]answered{"phone_": try("phone_", "123", "code_", "123456"), "code_": try("phone_", nobodys, "code_", "12")} {
			if d := got.want(t, "validation_failed").detail(t); d.Fields[field] == "" || len(d.Fields) != 1 {
				t.Errorf("%s: %s", field, got.body)
			}
		}
		s.boundTo("")
		bind(fresh).want(t, "ok")
	})
}

func TestACompanyMayKeepItsPhonesToItself(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		company, err := s.db.CompanyByID(t.Context(), 1001)
		noError(t, err)
		company.ID, company.ExclusivePhones = 1100, true
		_, err = s.db.SaveCompany(t.Context(), company)
		noError(t, err)
		phone := "13800000012" // company 1008's
		row, err := s.db.PhoneByNumber(t.Context(), phone)
		noError(t, err)
		_, err = s.db.AddAccount(t.Context(), store.Account{CompanyID: 1100, Side: store.Mgr, Type: store.TypeEmployee, Login: "keeper", PasswordHash: row.PasswordHash, State: store.AccountActive, CreatedAt: 1})
		noError(t, err)
		token := s.signIn("keeper").token(t)
		s.get(token, "/v1/account/bindPhoneCode", "phone_", phone).want(t, "ok")
		for _, password := range []string{"", portal.DemoPassword} {
			s.post(token, "/v1/account/bindPhone", "phone_", phone, "code_", s.code(phone), "password_", password).want(t, "phone_bound_elsewhere", password)
		}
		s.setBindPassword(token, fresh).want(t, "phone_bound_elsewhere")
		if by := s.signIn(phone); len(by.Mgr)+len(by.Shop) != 2 {
			t.Errorf("%+v", by)
		}
	})
}

func TestUnbindingAPhone(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		phone := "13800000001"
		byPhone, byName, elsewhere := s.signIn(phone), s.signIn("buyer1"), s.signIn("buyer1")
		unbind := func(token, code string, more ...string) answered {
			return s.post(token, "/v1/account/unbindPhone", append([]string{"code_", code}, more...)...)
		}
		unbind(byName.token(t), "123456").want(t, "code_expired", "none was sent")
		unbind(byName.token(t), "").want(t, "validation_failed")
		s.get(byName.token(t), "/v1/account/unbindPhoneCode").want(t, "ok")
		unbind(byPhone.token(t), s.code(phone)).want(t, "code_expired", "another token")
		unbind(byName.token(t), other(s.code(phone))).want(t, "code_wrong")
		if got := unbind(byName.token(t), s.code(phone)); string(dataRaw(t, got)) != `{}` {
			t.Errorf("%s", got.body)
		}
		s.get(byPhone.token(t), "/v1/account/getAccountList").want(t, "login_required", "opened by the phone")
		s.get(elsewhere.token(t), "/v1/account/getAccountList").want(t, "login_required", "another of the account")
		s.get(byName.token(t), "/v1/account/getAccountList").want(t, "ok", "the caller's")
		s.signsIn(phone, portal.DemoPassword, "phone_not_bound")
		if by := s.signIn("buyer1"); by.Phone != nil {
			t.Errorf("%+v", by)
		}
		unbind(byName.token(t), s.code(phone)).want(t, "wrong_parameters", "again")
		s.portal.Stop(t.Context())
		if all := s.sent(phone); all[len(all)-1].Notice != portal.NoticeUnbound {
			t.Errorf("the phone was not told: %+v", all)
		}
	})
}

func TestUnbindingLeavesAWayIn(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		phone := "13800000003" // of four accounts
		in := s.signIn(phone)
		noError(t, s.db.SetAccountPassword(t.Context(), 1001, in.Shop[0].ID, ""))
		chosen, rest := s.signIn(phone, "account_id_", fmt.Sprint(in.Shop[0].ID)).token(t), s.signIn(phone, "company_id_", "1002").token(t)
		s.get(chosen, "/v1/account/unbindPhoneCode").want(t, "ok")
		unbind := func(more ...string) answered {
			return s.post(chosen, "/v1/account/unbindPhone", append([]string{"code_", s.code(phone)}, more...)...)
		}
		if got := unbind().want(t, "password_not_set"); got.Status != 1028 || got.http != http.StatusOK {
			t.Errorf("%d %s", got.http, got.body)
		}
		unbind("password_", "123456").want(t, "validation_failed", "a password the rule does not take")
		s.get(chosen, "/v1/account/getAccountList").want(t, "ok", "nothing changed")
		unbind("password_", fresh).want(t, "ok")
		s.get(chosen, "/v1/account/getAccountList").want(t, "login_required", "the phone opens it no more")
		s.get(rest, "/v1/account/getAccountList").want(t, "ok", "another account of the phone")
		if by := s.signsIn("li.shop", fresh, "ok"); by.Phone != nil || by.User == nil {
			t.Errorf("%+v", by)
		}
		if by := s.signIn(phone); len(by.Mgr)+len(by.Shop) != 3 {
			t.Errorf("%+v", by)
		}
	})
}

// Requirement 42.
func TestAnOldSignInUnbindsWithThePasswordOnly(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		phone := "13800000001"
		token := s.signIn(phone).token(t)
		s.advance(portal.FreshSession + time.Second)
		s.get(token, "/v1/account/unbindPhoneCode").want(t, "ok")
		unbind := func(more ...string) answered {
			return s.post(token, "/v1/account/unbindPhone", append([]string{"code_", s.code(phone)}, more...)...)
		}
		if d := unbind().want(t, "validation_failed").detail(t); d.Fields["password_"] == "" {
			t.Errorf("%+v", d)
		}
		unbind("password_", "Wrong2026").want(t, "wrong_password")
		s.signIn(phone) // clears the failure
		unbind("password_", portal.DemoPassword).want(t, "ok")
		s.signsIn(phone, portal.DemoPassword, "phone_not_bound")

		bare := s.signIn("13800000002") // without a password of its own there is nothing to ask for
		noError(t, s.db.SetAccountPassword(t.Context(), 1001, bare.User.ID, ""))
		s.get(bare.token(t), "/v1/account/unbindPhoneCode").want(t, "ok")
		s.advance(portal.FreshSession + time.Second)
		s.post(bare.token(t), "/v1/account/unbindPhone", "code_", s.code("13800000002"), "password_", fresh).want(t, "login_required")
		s.get(bare.token(t), "/v1/account/unbindPhoneCode").want(t, "login_required")
	})
}

func TestTheReminderToBindStops(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		in, somebody := s.signIn("nophone"), s.signIn("buyer1")
		mark := func(token string, id int64, more ...string) answered {
			return s.post(token, fmt.Sprintf("/v1/account/noAuth/markDoNotRemindBindPhone/%d", id), more...)
		}
		reminded := func(id int64) bool {
			t.Helper()
			m, err := s.db.MemberByID(t.Context(), 1001, id)
			noError(t, err)
			return m.BindReminder
		}
		was := reminded(in.User.ID)
		mark("", in.User.ID).want(t, "login_required")
		mark(in.token(t), in.User.ID, "user_id_", fmt.Sprint(somebody.User.ID)).want(t, "wrong_parameters")
		foreign := mark(somebody.token(t), in.User.ID).want(t, "not_found")
		none := mark(somebody.token(t), 999_999).want(t, "not_found")
		if foreign.http != http.StatusNotFound || foreign.Message != none.Message || string(foreign.Data) != string(none.Data) {
			t.Errorf("%s %s", foreign.body, none.body)
		}
		if reminded(in.User.ID) != was || !was {
			t.Errorf("reminded %v, was %v", reminded(in.User.ID), was)
		}
		mark(in.token(t), in.User.ID, "user_id_", fmt.Sprint(in.User.ID)).want(t, "ok")
		mark(in.token(t), in.User.ID).want(t, "ok", "again, and by the path alone")
		if reminded(in.User.ID) || !reminded(somebody.User.ID) {
			t.Error("the wrong one is reminded")
		}
	})
}

// Requirement 45.
func TestFieldsAClientMayNotSetAreRefused(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		in, bind := s.binding(nobodys)
		bind("").want(t, "ok")
		before, err := s.db.Dump(t.Context())
		noError(t, err)
		for _, path := range []string{"resetPhonePassword", "modifyPwd", "bindPhone", "setBindPhonePassword", "unbindPhone", fmt.Sprintf("noAuth/markDoNotRemindBindPhone/%d", in.User.ID)} {
			for _, field := range []string{"phone_verified", "bind_phone_", "type_", "company_id_", "status", "role", "id_", "account_id_", "Session", "Flow", "flow", "New", "new_"} {
				s.call(asked{method: post, path: "/v1/account/" + path, token: in.token(t), json: `{"` + field + `":"1"}`}).want(t, "bad_request", path, field)
			}
		}
		after, err := s.db.Dump(t.Context())
		noError(t, err)
		if withoutSignatures(before) != withoutSignatures(after) {
			t.Error("something changed")
		}
		s.call(asked{method: post, path: "/v1/account/setBindPhonePassword", token: in.token(t), json: `{"password_":"` + fresh + `","confirm_password_":"` + fresh + `"}`}).want(t, "ok", "as JSON")
	})
}

func withoutSignatures(dump string) string {
	return strings.Join(slices.DeleteFunc(strings.Split(dump, "\n"), func(line string) bool { return strings.HasPrefix(line, "signatures ") }), "\n")
}

// Requirement 35: codes and passwords lie open nowhere, nor phones that are nobody's; the log names no phone at all.
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
		s.post(in.token(t), "/v1/account/bindPhone", "phone_", nobodys, "code_", s.code(nobodys), "password_", bind).want(t, "ok")
		s.portal.Stop(t.Context())

		if dump, err = s.db.Dump(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, phone := range phones {
			if strings.Contains(s.log.String(), phone) || strings.Contains(answers.String(), phone) {
				t.Errorf("%s is in the log or an answer", phone)
			}
			for _, m := range s.sent(phone) {
				if m.Code != "" && (hasWord(dump, m.Code) || hasWord(s.log.String(), m.Code) || hasWord(answers.String(), m.Code)) {
					t.Errorf("the code %s for %s lies open", m.Code, m.Purpose)
				}
			}
		}
		for _, password := range []string{"Canary.2026x", "Canary.2027x", bind} {
			if strings.Contains(dump, password) || strings.Contains(s.log.String(), password) || strings.Contains(answers.String(), password) {
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
