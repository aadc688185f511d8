package api

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/core"
	"portico/store"
)

// A repeated call with the same idempotency key gives the same company.
func TestCompanyIsCreatedOncePerIdempotencyKey(t *testing.T) {
	eachCondition(t, func(t *testing.T, s *site) {
		code, companies, accounts, sessions := s.registerCode(unregisteredPhone), s.countRows("companies"),
			s.countRows("accounts"), s.countRows("sessions")
		create := func(key string, change ...string) apiResponse {
			return s.call(apiRequest{
				method: post, path: createCompanyPath, params: companyParams(unregisteredPhone, code, change...),
				headers: map[string]string{"Idempotency-Key": key},
			})
		}
		answers := make(chan apiResponse, 20)
		var group sync.WaitGroup
		for range cap(answers) {
			group.Go(func() { answers <- create("key-1") })
		}
		group.Wait()
		close(answers)
		first := ""
		for got := range answers {
			if got.wantCode(t, "ok"); first == "" {
				first = string(got.Data)
			}
			if string(got.Data) != first {
				t.Errorf("two answers:\n%s\n%s", first, got.Data)
			}
		}
		if s.countRows("companies") == companies || s.countRows("accounts") == accounts ||
			s.countRows("sessions") == sessions {
			t.Error("nothing was created")
		}
		companies, accounts, sessions = s.countRows("companies"), s.countRows("accounts"), s.countRows("sessions")
		create("key-1", "company_name_", "別的").wantCode(t, "wrong_parameters", "other content")
		create("key-1", "password_", secondPassword).wantCode(t, "wrong_parameters", "another password")
		s.call(apiRequest{
			method: post, path: createCompanyPath, json: asJSON(companyParams(unregisteredPhone, code)),
			headers: map[string]string{"Idempotency-Key": "key-1"},
		}).
			wantCode(t, "wrong_parameters", "JSON in place of a form")
		create("key-2", "company_name_", "別的").wantCode(t, "wrong_parameters", "the same code with other content")
		s.restart()
		if got := create("key-1"); string(got.Data) != first {
			t.Errorf("after a restart: %s", got.body)
		}
		if s.countRows("companies") != companies || s.countRows("accounts") != accounts ||
			s.countRows("sessions") != sessions {
			t.Error("a repeated call created something")
		}
	})
}

// A repeated call with the same code gives the same company.
func TestSameCodeReturnsTheSameCompany(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		code := s.registerCode(unregisteredPhone)
		create := func(change ...string) apiResponse {
			return s.post("", createCompanyPath, companyParams(unregisteredPhone, code, change...)...)
		}
		made := dataOf[userData](t, create())
		companies, accounts := s.countRows("companies"), s.countRows("accounts")
		again := dataOf[userData](t, create())
		if again.ID != made.ID || again.CompanyID != made.CompanyID || again.Token == made.Token {
			t.Errorf("%+v, then %+v", made, again)
		}
		create("company_name_", "別的").wantCode(t, "wrong_parameters")
		create("name_", "別人").wantCode(t, "wrong_parameters")
		s.call(apiRequest{method: post, path: createCompanyPath, kind: "PC", source: "PC",
			params: companyParams(unregisteredPhone, code)}).
			wantCode(t, "code_expired", "another kind of client")
		for _, token := range []string{made.Token, again.Token} {
			s.get(token, "/v1/account/getAccountList").wantCode(t, "ok")
		}
		s.advance(core.RegistrationKept + time.Second)
		create().wantCode(t, "code_expired", "an hour later")
		if s.countRows("companies") != companies || s.countRows("accounts") != accounts {
			t.Error("a repeated call created something")
		}
	})
}

func TestParallelRegistrationsWithOneCodeCreateOneCompany(t *testing.T) {
	eachCondition(t, func(t *testing.T, s *site) {
		code := s.registerCode(unregisteredPhone)
		answers := make(chan apiResponse, 20)
		var group sync.WaitGroup
		for range cap(answers) {
			group.Go(func() { answers <- s.post("", createCompanyPath, companyParams(unregisteredPhone, code)...) })
		}
		group.Wait()
		close(answers)
		companies := map[int64]bool{}
		for got := range answers {
			companies[dataOf[userData](t, got).CompanyID] = true
		}
		if len(companies) != 1 {
			t.Errorf("companies %v", companies)
		}
	})
}

// All calls without a token share one flow, so a repeated call must not help to guess a used code.
func TestUsedCodeCannotBeGuessed(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		code := s.registerCode(unregisteredPhone)
		s.post("", createCompanyPath, companyParams(unregisteredPhone, code)...).wantCode(t, "ok")
		sessions := s.countRows("sessions")
		answeredGuesses := 0
		for i := range 3 * core.LookUpsADay {
			params := companyParams(unregisteredPhone, fmt.Sprintf("%06d", (i+1)*7919))
			if params[3] == code {
				continue
			}
			in := apiRequest{method: post, path: createCompanyPath, params: params,
				address: fmt.Sprintf("198.51.100.%d", i)}
			if i%2 == 1 { // an idempotency key or a JSON body changes nothing
				in.headers, in.json, in.params = map[string]string{"Idempotency-Key": fmt.Sprint(i)}, asJSON(
					params,
				), nil
			}
			got := s.call(in)
			if strings.Contains(string(got.body), "token_") || got.Status == 1 {
				t.Fatalf("a wrong code gave %s", got.body)
			}
			if got.Code != "too_many_attempts" {
				answeredGuesses++
				got.wantCode(t, "code_expired", i)
				continue
			}
			if got.http != http.StatusTooManyRequests || got.header.Get("Retry-After") == "" {
				t.Fatalf("%d %v", got.http, got.header)
			}
		}
		if answeredGuesses > core.LookUpsADay {
			t.Errorf("%d guesses were answered", answeredGuesses)
		}
		for _, source := range []string{"APP", "PC", "WEBAPP"} {
			got := s.call(apiRequest{method: post, path: createCompanyPath, kind: source,
				params: companyParams(unregisteredPhone, code)}).
				wantCode(t, "too_many_attempts", source)
			if strings.Contains(string(got.body), "token_") {
				t.Errorf("%s", got.body)
			}
		}
		if s.countRows("sessions") != sessions {
			t.Error("a guess signed in")
		}
	})
}

// Guessing codes that were never sent does not keep the holder of the phone from registering.
func TestGuessesBeforeACodeIsSentDoNotBlockThePhone(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		const invited, trying, registering = "13912345671", "13912345672", "13912345673"
		s.openAccount(invited)
		for range core.LookUpsADay + 5 {
			s.call(apiRequest{
				method: post, path: setupPath, params: setupParams(invited, "123456"), address: "198.51.100.66",
			})
			s.call(apiRequest{method: post, path: openSandboxPath, params: sandboxParams(trying, "123456"),
				address: "198.51.100.66"})
			s.call(apiRequest{
				method: post, path: createCompanyPath, params: companyParams(registering, "123456"),
				address: "198.51.100.66",
			})
		}
		s.post("", setupPath, setupParams(invited, s.setupCode(invited))...).wantCode(t, "ok", "setting up an account")
		s.get("", "/v1/base/experience/experienceCode", "phone_", trying).wantCode(t, "ok")
		s.post("", openSandboxPath, sandboxParams(trying, s.lastCode(trying))...).wantCode(t, "ok", "trying")
		s.post("", createCompanyPath, companyParams(registering, s.registerCode(registering))...).wantCode(t, "ok",
			"registering")
	})
}

func TestRepeatedRegistrationIsRefusedForBlockedCompany(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		code := s.registerCode(unregisteredPhone)
		user := dataOf[userData](t, s.post("", createCompanyPath, companyParams(unregisteredPhone, code)...))
		c, err := s.db.Companies.ByID(t.Context(), user.CompanyID)
		noError(t, err)
		change := func(f func(*store.Company)) {
			changed := c
			f(&changed)
			noError(t, s.db.Companies.Update(t.Context(), changed))
		}
		for _, block := range []struct {
			code   string
			change func(*store.Company)
			state  store.AccountState
		}{
			{"company_disabled", func(c *store.Company) { c.Disabled = true }, store.AccountActive},
			{"trial_ended", func(c *store.Company) { c.EndsAt = 1 }, store.AccountActive},
			{"company_expired", func(c *store.Company) { c.Standing, c.EndsAt = store.Formal, 1 }, store.AccountActive},
			{"account_disabled", func(*store.Company) {}, store.AccountDisabled},
		} {
			change(block.change)
			noError(t, s.db.Accounts.SetState(t.Context(), c.ID, user.ID, block.state))
			got := s.post("", createCompanyPath, companyParams(unregisteredPhone, code)...).wantCode(t, block.code)
			if strings.Contains(string(got.body), "token_") {
				t.Errorf("%s", got.body)
			}
		}
		noError(t, s.db.Accounts.SetState(t.Context(), c.ID, user.ID, store.AccountActive))
		change(func(*store.Company) {})
		s.post("", createCompanyPath, companyParams(unregisteredPhone, code)...).wantCode(t, "ok")
		s.advance(access.TrialLife)
		s.post(user.Token, initialisePath, "industry_id_", "118", "import_", "1").
			wantCode(t, "trial_ended", "at the next call")
	})
}
