// Package credentials tests passwords and phones: forgotten, changed, bound, unbound.
package credentials

import (
	"testing"

	"portico/e2e/browser"
)

func TestMain(m *testing.M) { browser.Main(m) }
