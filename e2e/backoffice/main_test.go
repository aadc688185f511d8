// Package backoffice tests the pages on which a company's staff work: people, customers, settings, statistics.
package backoffice

import (
	"testing"

	"portico/e2e/browser"
)

func TestMain(m *testing.M) { browser.Main(m) }
