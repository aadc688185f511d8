package api

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/portal/onboarding"
	"portico/portal/replay"
	"portico/portal/verification"
	"portico/store"
)

// A repeated call with the same idempotency key gives the same company.
func TestACompanyIsCreatedOnceUnderAKey(t *testing.T) {
	eachCondition(t, func(t *testing.T, s *site) {
		code, companies, accounts, sessions := s.registering(nobodys), s.rows("companies"), s.rows("accounts"), s.rows(
			"sessions",
		)
		create := func(key string, change ...string) answered {
			return s.call(asked{
				method: post, path: createPath, params: companyOf(nobodys, code, change...),
				headers: map[string]string{"Idempotency-Key": key},
			})
		}
		answers := make(chan answered, 20)
		var all sync.WaitGroup
		for range cap(answers) {
			all.Go(func() { answers <- create("key-1") })
		}
		all.Wait()
		close(answers)
		first := ""
		for got := range answers {
			if got.want(t, "ok"); first == "" {
				first = string(got.Data)
			}
			if string(got.Data) != first {
				t.Errorf("two answers:\n%s\n%s", first, got.Data)
			}
		}
		if s.rows("companies") == companies || s.rows("accounts") == accounts || s.rows("sessions") == sessions {
			t.Error("nothing was made")
		}
		companies, accounts, sessions = s.rows("companies"), s.rows("accounts"), s.rows("sessions")
		create("key-1", "company_name_", "別的").want(t, "wrong_parameters", "other content")
		create("key-1", "password_", fresher).want(t, "wrong_parameters", "another password")
		s.call(asked{
			method: post, path: createPath, json: asJSON(companyOf(nobodys, code)),
			headers: map[string]string{"Idempotency-Key": "key-1"},
		}).
			want(t, "wrong_parameters", "another form")
		create("key-2", "company_name_", "別的").want(t, "wrong_parameters", "the same proof for something else")
		s.restart()
		if got := create("key-1"); string(got.Data) != first {
			t.Errorf("after a restart: %s", got.body)
		}
		if s.rows("companies") != companies || s.rows("accounts") != accounts || s.rows("sessions") != sessions {
			t.Error("a repetition made something")
		}
	})
}

// A repeated call with the same code gives the same company.
func TestTheSameProofMakesTheSameCompany(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		code := s.registering(nobodys)
		create := func(change ...string) answered {
			return s.post("", createPath, companyOf(nobodys, code, change...)...)
		}
		made := dataOf[answeredUser](t, create())
		companies, accounts := s.rows("companies"), s.rows("accounts")
		again := dataOf[answeredUser](t, create())
		if again.ID != made.ID || again.CompanyID != made.CompanyID || again.Token == made.Token {
			t.Errorf("%+v, then %+v", made, again)
		}
		create("company_name_", "別的").want(t, "wrong_parameters")
		create("name_", "別人").want(t, "wrong_parameters")
		s.call(asked{method: post, path: createPath, kind: "PC", source: "PC", params: companyOf(nobodys, code)}).
			want(t, "code_expired", "another kind of client")
		for _, token := range []string{made.Token, again.Token} {
			s.get(token, "/v1/account/getAccountList").want(t, "ok")
		}
		s.advance(replay.RegistrationKept + time.Second)
		create().want(t, "code_expired", "an hour later")
		if s.rows("companies") != companies || s.rows("accounts") != accounts {
			t.Error("a repetition made something")
		}
	})
}

func TestOfManyUsesOfAProofAllGetOneCompany(t *testing.T) {
	eachCondition(t, func(t *testing.T, s *site) {
		code := s.registering(nobodys)
		answers := make(chan answered, 20)
		var all sync.WaitGroup
		for range cap(answers) {
			all.Go(func() { answers <- s.post("", createPath, companyOf(nobodys, code)...) })
		}
		all.Wait()
		close(answers)
		made := map[int64]bool{}
		for got := range answers {
			made[dataOf[answeredUser](t, got).CompanyID] = true
		}
		if len(made) != 1 {
			t.Errorf("companies %v", made)
		}
	})
}

// All calls without a token share one flow, so the rule for repeated calls must not let anybody guess a used code.
func TestAUsedCodeIsNotGuessedByRepeating(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		code := s.registering(nobodys)
		s.post("", createPath, companyOf(nobodys, code)...).want(t, "ok")
		sessions := s.rows("sessions")
		answered := 0
		for i := range 3 * verification.LookUpsADay {
			params := companyOf(nobodys, fmt.Sprintf("%06d", (i+1)*7919))
			if params[3] == code {
				continue
			}
			in := asked{method: post, path: createPath, params: params, address: fmt.Sprintf("198.51.100.%d", i)}
			if i%2 == 1 { // a key changes nothing, nor does the form
				in.headers, in.json, in.params = map[string]string{"Idempotency-Key": fmt.Sprint(i)}, asJSON(
					params,
				), nil
			}
			got := s.call(in)
			if strings.Contains(string(got.body), "token_") || got.Status == 1 {
				t.Fatalf("a wrong code gave %s", got.body)
			}
			if got.Code != "too_many_attempts" {
				answered++
				got.want(t, "code_expired", i)
				continue
			}
			if got.http != http.StatusTooManyRequests || got.header.Get("Retry-After") == "" {
				t.Fatalf("%d %v", got.http, got.header)
			}
		}
		if answered > verification.LookUpsADay {
			t.Errorf("%d guesses were answered", answered)
		}
		for _, source := range []string{"APP", "PC", "WEBAPP"} {
			got := s.call(asked{method: post, path: createPath, kind: source, params: companyOf(nobodys, code)}).
				want(t, "too_many_attempts", source)
			if strings.Contains(string(got.body), "token_") {
				t.Errorf("%s", got.body)
			}
		}
		if s.rows("sessions") != sessions {
			t.Error("a guess signed in")
		}
	})
}

// Nobody keeps another person from registering by trying codes that were never sent.
func TestTriesWithoutACodeUseUpNobodysDay(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		const invited, trying, registering = "13912345671", "13912345672", "13912345673"
		s.opened(invited)
		for range verification.LookUpsADay + 5 {
			s.call(asked{
				method: post, path: completePath, params: completionOf(invited, "123456"), address: "198.51.100.66",
			})
			s.call(asked{method: post, path: tryPath, params: tryingOf(trying, "123456"), address: "198.51.100.66"})
			s.call(asked{
				method: post, path: createPath, params: companyOf(registering, "123456"), address: "198.51.100.66",
			})
		}
		s.post("", completePath, completionOf(invited, s.completing(invited))...).want(t, "ok", "setting up an account")
		s.get("", "/v1/base/experience/experienceCode", "phone_", trying).want(t, "ok")
		s.post("", tryPath, tryingOf(trying, s.code(trying))...).want(t, "ok", "trying")
		s.post("", createPath, companyOf(registering, s.registering(registering))...).want(t, "ok", "registering")
	})
}

func TestARepetitionEntersNoBlockedCompany(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		code := s.registering(nobodys)
		user := dataOf[answeredUser](t, s.post("", createPath, companyOf(nobodys, code)...))
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
			got := s.post("", createPath, companyOf(nobodys, code)...).want(t, block.code)
			if strings.Contains(string(got.body), "token_") {
				t.Errorf("%s", got.body)
			}
		}
		noError(t, s.db.Accounts.SetState(t.Context(), c.ID, user.ID, store.AccountActive))
		change(func(*store.Company) {})
		s.post("", createPath, companyOf(nobodys, code)...).want(t, "ok")
		s.advance(onboarding.TrialLife)
		s.post(user.Token, initialisePath, "industry_id_", "118", "import_", "1").
			want(t, "trial_ended", "at the next call")
	})
}
