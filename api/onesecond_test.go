package api

import (
	"strings"
	"testing"
	"time"
)

func TestWaitOfOneSecondIsSingular(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *site) {
		ask := func() apiResponse { return s.get("", "/v1/account/registCode", "phone_", unregisteredPhone) }
		ask().wantCode(t, "ok")
		s.advance(59 * time.Second)
		message := ask().wantCode(t, "code_already_sent").Message
		if !strings.HasSuffix(message, " 1 second.") {
			t.Errorf("%s", message)
		}
	})
}
