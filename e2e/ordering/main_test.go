// Package ordering tests the shop and the orders of the back office.
package ordering

import (
	"testing"

	"portico/e2e/browser"
)

func TestMain(m *testing.M) { browser.Main(m) }
