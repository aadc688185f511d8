// Package page tests every page in every language: valid, accessible, legible, within its budget.
package page

import (
	"testing"

	"portico/e2e/browser"
)

func TestMain(m *testing.M) { browser.Main(m) }
