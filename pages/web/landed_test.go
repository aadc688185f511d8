package web_test

import (
	"net/http"
	"strings"
	"testing"

	"portico/pages/pagestest"
	"portico/pages/web"
)

func TestTheMarkOfALandingIsAddedAndRemoved(t *testing.T) {
	t.Parallel()
	for address, marked := range map[string]string{
		"/home":                           "/home?landed=1",
		"/home/orders?q=a%26b":            "/home/orders?q=a%26b&landed=1",
		"/home?x=1#top":                   "/home?x=1&landed=1#top",
		"/home#":                          "/home?landed=1#",
		"http://m.portico.test/shop?x&y=": "http://m.portico.test/shop?x&y=&landed=1",
	} {
		if got := web.WithLanded(address); got != marked {
			t.Errorf("%s is marked as %s", address, got)
		}
		for _, with := range []string{marked, address} {
			if got := web.WithoutLanded(with); got != address {
				t.Errorf("without its mark %s is %s", with, got)
			}
		}
	}
	for with, want := range map[string]string{
		"/home?landed=1&q=rice": "/home?q=rice", "/home?l%61nded&landed=2": "/home", "/home?q=landed": "/home?q=landed",
	} {
		if got := web.WithoutLanded(with); got != want {
			t.Errorf("without its mark %s is %s", with, got)
		}
	}
}

func TestTheMarkOfALandingLeavesTheAddressOnceACookieComesBack(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.SignInByPhone("13800000002")
	for address, want := range map[string]string{
		"/mgr?landed=1": "/mgr", "/mgr/orders?q=rice&landed=1&limit=50": "/mgr/orders?q=rice&limit=50",
		"/nowhere?l%61nded=1": "/nowhere",
	} {
		if to := b.Get("http://store1001.portico.test" + address).Header.Get("Location"); to != want {
			t.Errorf("%s leads to %s", address, to)
		}
	}
	for _, address := range []string{"//evil.test/x?landed=1", "/%2fevil.test?landed=1", `/\evil.test?landed=1`} {
		r := b.Get("http://store1001.portico.test" + address)
		if to := r.Header.Get("Location"); r.StatusCode != http.StatusNotFound || strings.Contains(to, "evil") {
			t.Errorf("%s: %d, %s", address, r.StatusCode, to)
		}
	}
	blocks := s.Browser().Get("http://store1001.portico.test/mgr?landed=1")
	pagestest.WantPage(t, blocks, http.StatusForbidden, "阻止了 Cookie")
}
