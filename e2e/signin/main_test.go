// Package signin tests signing in by password, code, WeChat and WeCom, choosing an account, arriving on a site, and
// passwords and phones: forgotten, changed, bound, unbound.
package signin

import (
	"testing"

	"portico/e2e/browser"
)

func TestMain(m *testing.M) { browser.Main(m) }
