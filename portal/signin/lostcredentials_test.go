package signin

import (
	"testing"

	"portico/e2e/testscope"
	"portico/store"
)

func TestLostCredentialsAreNotedAndReadAtTheSameTime(t *testing.T) {
	var lost lostCredentials
	kinds := []store.CredentialKind{store.WeChatAccount, store.WeComCorp}
	testscope.Together(8, 1000, func(goroutine, i int) {
		company, kind := int64(goroutine), kinds[i%len(kinds)]
		lost.set(company, kind, true)
		if !lost.has(company, kind) {
			t.Errorf("of company %d nothing is lost", company)
		}
		lost.all()
		lost.set(company, kind, company == 0)
	})
	if left := lost.all(); len(left) != len(kinds) {
		t.Errorf("lost at the end: %v", left)
	}
}
