package portal_test

import (
	"fmt"
	"testing"

	"portico/portal"
)

func TestSignInsAtOnceAllSucceed(t *testing.T) {
	eachCondition(t, func(t *testing.T, p *platform) {
		people := []string{"13800000001", "13800000002", "13800000003"}
		together(60, func(i int) {
			in := p.as(people[i%len(people)])
			if _, err := p.Login(p.from(fmt.Sprintf("198.51.100.%d", i%12)), in); err != nil {
				t.Errorf("sign-in %d: %v", i, err)
			}
		})
		if n := p.events(0, "sign_in"); n != 60 {
			t.Errorf("%d sign-ins were noted", n)
		}
	}, func(o *portal.Options) { o.NoLimit = true })
}
