package web_test

import (
	"net/http/httptest"
	"testing"

	"portico/pages/web"
)

// TestAnySignOfAPhoneMakesADeviceMobile combines every User-Agent with every reported width and every client hint.
func TestAnySignOfAPhoneMakesADeviceMobile(t *testing.T) {
	const (
		phone   = "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 Chrome/120.0.0.0 Mobile Safari/537.36"
		desktop = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/120.0.0.0 Safari/537.36"
	)
	agents := map[string]bool{ // whether it is mobile by itself
		phone: true,
		"Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148": true,
		phone + " MicroMessenger/8.0.40":  true,
		phone + " wxwork/4.1":             true,
		desktop + " wxwork/4.1":           true,
		desktop:                           false,
		desktop + " MicroMessenger/7.0.1": false,
		"Mozilla/5.0 (Linux; Android 14; SM-X910) AppleWebKit/537.36 Chrome/120.0.0.0 Safari/537.36": false, // a tablet
		"Mozilla/5.0 (iPad; CPU OS 17_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148":           false,
		"": false,
	}
	widths := map[int]bool{ // of the page, whether it is a phone's
		0: false, -5: false, 360: true, 749: true, 750: false, 844: false, 1280: false, 999_999: false,
	}
	hints := []struct {
		name, value string
		mobile      bool
		width       bool // counts only when the page reported no width
	}{
		{},
		{name: "Sec-CH-UA-Mobile", value: "?1", mobile: true},
		{name: "Sec-CH-UA-Mobile", value: "?0"},
		{name: "Sec-CH-UA-Mobile", value: "1"},
		{name: "Sec-CH-Viewport-Width", value: "749", mobile: true, width: true},
		{name: "Sec-CH-Viewport-Width", value: `"749.5"`, mobile: true, width: true},
		{name: "Sec-CH-Viewport-Width", value: "750", width: true},
		{name: "Sec-CH-Viewport-Width", value: "0", width: true},
		{name: "Sec-CH-Viewport-Width", value: "wide", width: true},
	}
	for agent, byAgent := range agents {
		for width, byWidth := range widths {
			for _, hint := range hints {
				r := httptest.NewRequest("GET", "/login", nil)
				r.Header.Set("User-Agent", agent)
				if hint.name != "" {
					r.Header.Set(hint.name, hint.value)
				}
				counts := !hint.width || width <= 0 || width == 999_999
				want := byAgent || byWidth || hint.mobile && counts
				if got := web.DeviceOf(r, width).Mobile(); got != want {
					t.Errorf("%q, width %d, %s %s: mobile %v", agent, width, hint.name, hint.value, got)
				}
			}
		}
	}
}
