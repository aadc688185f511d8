package pagestest

import (
	"strings"
	"testing"
)

const (
	OwnHost = "http://jinsui.test"
)

// RefreshOf returns the address that a page opens by itself.
func RefreshOf(t testing.TB, page string) string {
	t.Helper()
	return strings.ReplaceAll(Found(t, page, `http-equiv="refresh" content="0;url=([^"]+)"`), "&amp;", "&")
}
