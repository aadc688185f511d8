// Package chatlogin tests signing in with WeChat and WeCom.
package chatlogin

import (
	"testing"

	"portico/e2e/browser"
)

func TestMain(m *testing.M) { browser.Main(m) }
