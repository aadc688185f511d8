// Package onboarding tests how a company begins: registration, trial, sample data, invited accounts.
package onboarding

import (
	"testing"

	"portico/e2e/browser"
)

func TestMain(m *testing.M) { browser.Main(m) }
