package api

import (
	"fmt"
	"slices"
	"testing"

	"portico/portal/onboarding"
)

func TestSignInReturnsAccountsInMgrAndShopLists(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		signedIn := dataOf[map[string]any](t, s.post("", "/v1/account/mixedLogin",
			"login_", "13800000003", "password_", onboarding.DemoPassword))
		if signedIn["phone_"] != "13800000003" {
			t.Errorf("phone_ is %v", signedIn["phone_"])
		}
		ticket, _ := signedIn["ticket_"].(string)
		want := map[string][]string{
			"mgrAccountList":  {"li.manager in 1001 by 13800000003", "sur in 1002 by 13800000003"},
			"shopAccountList": {"li.shop in 1001 by 13800000003", "li.lights in 1003 by 13800000003"},
		}
		for name, accounts := range want {
			if got := describeAccounts(signedIn[name]); !slices.Equal(got, accounts) {
				t.Errorf("%s: %q", name, got)
			}
		}
		merged := dataOf[[]map[string]any](t, s.get(ticket, "/v1/account/getAccountList"))
		if len(merged) != 3 {
			t.Fatalf("%d companies", len(merged))
		}
		for i, company := range []struct {
			id        float64
			mgr, shop []string
		}{
			{1001, want["mgrAccountList"][:1], want["shopAccountList"][:1]},
			{1002, want["mgrAccountList"][1:], nil},
			{1003, nil, want["shopAccountList"][1:]},
		} {
			entry := merged[i]
			mgr, shop := describeAccounts(entry["mgrAccountList"]), describeAccounts(entry["shopAccountList"])
			isCompany := entry["company_id_"] == company.id
			if !isCompany || !slices.Equal(mgr, company.mgr) || !slices.Equal(shop, company.shop) {
				t.Errorf("%v", entry)
			}
		}
	})
}

// describeAccounts returns one line per account of a list: its login, company and phone.
func describeAccounts(list any) (accounts []string) {
	entries, _ := list.([]any)
	for _, entry := range entries {
		account, _ := entry.(map[string]any)
		accounts = append(accounts,
			fmt.Sprintf("%v in %v by %v", account["login_"], account["company_id_"], account["phone_"]))
	}
	return accounts
}
