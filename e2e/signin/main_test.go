// Package signin tests signing in by password and code, choosing an account, and arriving on a site.
package signin

import (
	"testing"

	"portico/e2e/browser"
)

func TestMain(m *testing.M) { browser.Main(m) }
