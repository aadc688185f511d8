package api

import (
	"strings"
	"testing"
	"time"
)

func TestAWaitOfOneSecondIsSingular(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		ask := func() answered { return s.get("", "/v1/account/registCode", "phone_", nobodys) }
		ask().want(t, "ok")
		s.advance(59 * time.Second)
		message := ask().want(t, "code_already_sent").Message
		if !strings.HasSuffix(message, " 1 second.") {
			t.Errorf("%s", message)
		}
	})
}
