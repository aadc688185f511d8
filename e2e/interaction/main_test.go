// Package interaction tests what holds on every page: keyboard, touch, back button, typing before scripts have arrived,
// connections that are slow, lose responses or end, native apps around the pages, and clients of the API.
package interaction

import (
	"testing"

	"portico/e2e/browser"
)

func TestMain(m *testing.M) { browser.Main(m) }
