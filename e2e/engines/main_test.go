// Package engines tests the main flows in the engines of iPhones and of Firefox, which the other browser tests do not
// use. `make engines` installs what it needs.
package engines

import (
	"testing"

	"portico/e2e/browser"
)

func TestMain(m *testing.M) { browser.Main(m) }
