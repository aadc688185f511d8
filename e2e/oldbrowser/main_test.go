// Package oldbrowser tests the pages in Chromium 83 of 2020, which is as old as the web views of many phones.
package oldbrowser

import (
	"testing"

	"portico/e2e/browser"
)

func TestMain(m *testing.M) { browser.Main(m) }
