// Package company tests what people do at one company: register it, apply to become its customer, order, and work in
// its back office.
package company

import (
	"testing"

	"portico/e2e/browser"
)

func TestMain(m *testing.M) { browser.Main(m) }
