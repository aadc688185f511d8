// Package branding tests a company's style sheet and its own domain.
package branding

import (
	"testing"

	"portico/e2e/browser"
)

func TestMain(m *testing.M) { browser.Main(m) }
