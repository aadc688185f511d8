package pagestest

import (
	"strings"
	"testing"
)

const (
	OwnHost = "http://jinsui.test"
)

// RefreshTarget returns the address that a page opens by itself.
func RefreshTarget(t testing.TB, page string) string {
	t.Helper()
	return strings.ReplaceAll(FindIn(t, page, `http-equiv="refresh" content="0;url=([^"]+)"`), "&amp;", "&")
}
