// Package interaction tests what people do on every page: keyboard, touch, back button, typing before scripts have
// arrived.
package interaction

import (
	"testing"

	"portico/e2e/browser"
)

func TestMain(m *testing.M) { browser.Main(m) }
