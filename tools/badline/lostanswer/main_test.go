// Package lostanswer tests what browsers do by themselves when the response to a redirect is lost.
package lostanswer

import (
	"testing"

	"portico/e2e/browser"
)

func TestMain(m *testing.M) { browser.Main(m) }
