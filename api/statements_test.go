package api

import (
	"testing"
	"time"

	"portico/store/pool"
	"portico/store/storetest"
)

// Statements are half of the cost of a small call, so the session is read once and not anew for each rule about it.
func TestACallWithATokenReadsItsSessionOnce(t *testing.T) {
	s := newSite(t, storetest.SQLite(t))
	token := s.signIn("13800000001").token(t)
	in := apiRequest{path: "/v1/account/getAccountList", token: token}
	s.call(in).wantCode(t, "ok") // the first one notes that the token is used
	statements := 0
	s.db.Observe(pool.Observer{Done: func(pool.Kind, time.Duration) { statements++ }})
	s.call(in).wantCode(t, "ok")
	if statements > 5 {
		t.Errorf("%d statements", statements)
	}
}
