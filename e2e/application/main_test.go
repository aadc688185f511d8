// Package application tests how a business applies to become a customer, and how the company decides.
package application

import (
	"testing"

	"portico/e2e/browser"
)

func TestMain(m *testing.M) { browser.Main(m) }
