package api

import "testing"

func TestEveryTokenTypeIsAcceptedWithEverySource(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		for _, kind := range []string{"APP", "WEBAPP", "PC"} {
			for _, source := range []string{"IOS", "ANDROID", "WEBAPP", "PC"} {
				s.call(apiRequest{method: get, path: "/v1/account/getCompanyById/1001", kind: kind, source: source}).
					wantCode(t, "ok", kind, source)
			}
		}
	})
}
