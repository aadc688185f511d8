// Package native tests programs of others: native apps around the pages, and clients of the API.
package native

import (
	"testing"

	"portico/e2e/browser"
)

func TestMain(m *testing.M) { browser.Main(m) }
