package pages_test

import (
	"net/url"
	"strings"
	"testing"
)

func TestAReturnThatBrowsersReadAsAnotherHostIsIgnored(t *testing.T) {
	s := newSite(t, options{})
	tricks := []string{"/%2fevil.test/x", "/%2f%2fevil.test", "/%5cevil.test", "//evil.test", `/\evil.test`}
	for _, back := range tricks {
		b := s.browser()
		page := text(t, b.get(account+"/login?"+url.Values{"return": {back}}.Encode()))
		if kept := b.jar["account.portico.test"]["portico_return"]; kept != nil || strings.Contains(page, "evil.test") {
			t.Errorf("%s is kept: %v", back, kept)
		}
	}
}
