// Package lists tests the lists of the back office in browsers: searching, choosing rows and keyboards.
package lists

import (
	"testing"

	"portico/e2e/browser"
)

func TestMain(m *testing.M) { browser.Main(m) }
