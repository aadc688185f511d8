package api

import (
	"encoding/json"
	"fmt"
	"testing"

	"portico/portal/onboarding"
	"portico/store"
)

func TestSignInWithoutAccountReturnsApplicationState(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		const phone = "13800000011" // registered, and bound to no account
		a, _ := s.sendApplication(phone, "1001")
		signIn := func(password string) apiResponse {
			return s.post("", "/v1/account/mixedLogin", "login_", phone, "password_", password, "company_id_", "1001")
		}
		wrong := signIn("Wrong2026").wantCode(t, "wrong_password")
		if got := wrong.refusalDetail(t); got.Application != nil || got.CompanyID != 0 {
			t.Errorf("the application is disclosed after a wrong password: %s", wrong.body)
		}
		for _, c := range []struct {
			state  store.ApplicationState
			reason string
			want   string
		}{
			{store.ApplicationPending, "", "null"},
			{store.ApplicationRejected, "材料不全", `"材料不全"`},
		} {
			if c.reason != "" {
				s.decideApplication(a, c.state, c.reason)
			}
			got := signIn(onboarding.DemoPassword).wantCode(t, "under_review", c.state)
			var data struct {
				CompanyID   int64           `json:"company_id_"`
				Application json.RawMessage `json:"application_"`
			}
			noError(t, json.Unmarshal(got.Data, &data))
			want := fmt.Sprintf(`{"id_":%d,"state_":"%s","reject_reason_":%s}`, a.ID, c.state, c.want)
			if got.Status != 1013 || data.CompanyID != 1001 || string(data.Application) != want {
				t.Errorf("%d %s, want %s", got.Status, got.Data, want)
			}
		}
		s.post("", "/v1/account/mixedLogin", "login_", phone, "password_", onboarding.DemoPassword).
			wantCode(t, "under_review", "without a company")
		s.post("", "/v1/account/mixedLogin", "login_", phone, "password_", onboarding.DemoPassword, "company_id_",
			"1002").
			wantCode(t, "phone_not_bound", "another company")
	})
}
