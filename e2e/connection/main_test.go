// Package connection tests pages over connections that are slow, lose responses or end.
package connection

import (
	"testing"

	"portico/e2e/browser"
)

func TestMain(m *testing.M) { browser.Main(m) }
