package access_test

import (
	"fmt"
	"strings"
	"testing"

	"portico/portal"
	"portico/portal/access"
	"portico/portal/portaltest"
	"portico/store"
	"portico/store/storetest"
)

// HostCase is a host and the place that it must give. With Dev, the place in development is local, unlike in
// production.
type HostCase struct {
	Host      string
	CompanyID string
	Site      access.Site
	Variant   string
	Company   int64
	Origin    string // "": the base
	Dev       bool
}

const BaseOrigin = "http://portico.test"

var HostCases = []HostCase{
	// The platform's own hosts.
	{Host: "portico.test", Site: access.SiteAccount},
	{Host: "account.portico.test", Site: access.SiteAccount, Origin: "http://account.portico.test"},
	{Host: "api.portico.test", Site: access.SiteAPI, Origin: "http://api.portico.test"},
	{Host: "mgr.portico.test", Site: access.SiteMobileMgr, Origin: "http://mgr.portico.test"},
	{Host: "m.portico.test", Site: access.SiteMobileShop, Origin: "http://m.portico.test"},
	{Host: "am.portico.test", Site: access.SiteMobileShop, Variant: "a", Origin: "http://am.portico.test"},
	{Host: "bm.portico.test", Site: access.SiteMobileShop, Variant: "b", Origin: "http://bm.portico.test"},
	{Host: "store1001.portico.test", Site: access.SiteStore, Company: 1001, Origin: "http://store1001.portico.test"},
	{
		Host: "astore1001.portico.test", Site: access.SiteStore, Variant: "a", Company: 1001,
		Origin: "http://astore1001.portico.test",
	},
	{
		Host: "bstore1002.portico.test", Site: access.SiteStore, Variant: "b", Company: 1002,
		Origin: "http://bstore1002.portico.test",
	},
	{Host: "store1004.portico.test", Site: access.SiteStore, Company: 1004, Origin: "http://store1004.portico.test"},
	{Host: "jinsui.test", Site: access.SiteStore, Company: 1001, Origin: "http://jinsui.test"},

	// One spelling.
	{
		Host: "STORE1001.Portico.Test.:443", Site: access.SiteStore, Company: 1001,
		Origin: "http://store1001.portico.test",
	},
	{
		Host: "store1001.portico.test:8080", Site: access.SiteStore, Company: 1001,
		Origin: "http://store1001.portico.test",
	},
	{Host: "store1001.portico.test.", Site: access.SiteStore, Company: 1001, Origin: "http://store1001.portico.test"},
	{Host: "store1001.portico.test:", Site: access.SiteStore, Company: 1001, Origin: "http://store1001.portico.test"},
	{Host: "JinSui.TEST.:8443", Site: access.SiteStore, Company: 1001, Origin: "http://jinsui.test"},

	// No such company.
	{Host: "store9999.portico.test", Site: access.SiteStore, Origin: "http://store9999.portico.test"},
	{Host: "store0.portico.test", Site: access.SiteAccount},
	{Host: "store01001.portico.test", Site: access.SiteAccount},
	{Host: "store.portico.test", Site: access.SiteAccount},
	{Host: "storefront.portico.test", Site: access.SiteAccount},
	{Host: "cstore1001.portico.test", Site: access.SiteAccount},
	{Host: "aastore1001.portico.test", Site: access.SiteAccount},
	{Host: "xstore1001.portico.test", Site: access.SiteAccount},
	{Host: "store-1.portico.test", Site: access.SiteAccount},
	{Host: "store1e3.portico.test", Site: access.SiteAccount},
	{Host: "store99999999999999999999.portico.test", Site: access.SiteAccount},
	{Host: "store9223372036854775808.portico.test", Site: access.SiteAccount},
	{
		Host: "store9223372036854775807.portico.test", Site: access.SiteStore,
		Origin: "http://store9223372036854775807.portico.test",
	},
	{Host: "cm.portico.test", Site: access.SiteAccount},
	{Host: "aapi.portico.test", Site: access.SiteAccount},

	// The whole host must match.
	{Host: "store1001.evil.test", Site: access.SiteAccount},
	{Host: "store1001.portico.test.evil.test", Site: access.SiteAccount},
	{Host: "store1001.evil.portico.test", Site: access.SiteAccount},
	{Host: "store1001.account.portico.test", Site: access.SiteAccount},
	{Host: "store1001portico.test", Site: access.SiteAccount},
	{Host: "evilportico.test", Site: access.SiteAccount},
	{Host: "evil.test", Site: access.SiteAccount},
	{Host: "www.jinsui.test", Site: access.SiteAccount},
	{Host: "jinsui.test.evil.test", Site: access.SiteAccount},
	{Host: "xjinsui.test", Site: access.SiteAccount},
	{Host: "store1001", Site: access.SiteAccount},

	// Not a host.
	{Host: "", Site: access.SiteAccount},
	{Host: ".", Site: access.SiteAccount},
	{Host: ":8080", Site: access.SiteAccount},
	{Host: "store1001.portico.test..", Site: access.SiteAccount},
	{Host: ".store1001.portico.test", Site: access.SiteAccount},
	{Host: "store1001..portico.test", Site: access.SiteAccount},
	{Host: "store١٠٠١.portico.test", Site: access.SiteAccount},
	{Host: "store１００１.portico.test", Site: access.SiteAccount},
	{Host: "ѕtore1001.portico.test", Site: access.SiteAccount},
	{Host: "store1001。portico.test", Site: access.SiteAccount},
	{Host: "store1001%00.portico.test", Site: access.SiteAccount},
	{Host: "store1001\x00.portico.test", Site: access.SiteAccount},
	{Host: "store1001.portico.test\r\nX: y", Site: access.SiteAccount},
	{Host: "store1001.portico.test,evil.test", Site: access.SiteAccount},
	{Host: "store1001.portico.test evil.test", Site: access.SiteAccount},
	{Host: "evil.test@store1001.portico.test", Site: access.SiteAccount},
	{Host: "store1001.portico.test@evil.test", Site: access.SiteAccount},
	{Host: "store1001.portico.test/x", Site: access.SiteAccount},
	{Host: `store1001.portico.test\x`, Site: access.SiteAccount},
	{Host: "store1001.portico.test:80x", Site: access.SiteAccount},
	{Host: "store1001.portico.test:-1", Site: access.SiteAccount},
	{Host: "store1001.portico.test:123456", Site: access.SiteAccount},
	{Host: "store1001.portico.test:80:80", Site: access.SiteAccount},
	{Host: "-store1001.portico.test", Site: access.SiteAccount},
	{Host: "<script>.portico.test", Site: access.SiteAccount},
	{Host: strings.Repeat("a", 64) + ".test", Site: access.SiteAccount},
	{Host: strings.Repeat("a.", 127) + "test", Site: access.SiteAccount},
	{Host: "[::1", Site: access.SiteAccount, CompanyID: "1001"},
	{Host: "[::1]x", Site: access.SiteAccount, CompanyID: "1001"},
	{Host: "::1", Site: access.SiteAccount, CompanyID: "1001"},
	{Host: "[store1001.portico.test]", Site: access.SiteAccount, CompanyID: "1001"},
	{Host: "[::1%<script>]", Site: access.SiteAccount, CompanyID: "1001"},
	{Host: "[127.0.0.1]", Site: access.SiteAccount, CompanyID: "1001"},

	// ?companyId= counts on loopback and 192.168.x.x in development, nowhere else.
	{
		Host: "localhost:8080", CompanyID: "1001", Site: access.SiteAccount, Company: 1001, Origin: "http://localhost",
		Dev: true,
	},
	{
		Host: "LOCALHOST.", CompanyID: "1002", Site: access.SiteAccount, Company: 1002, Origin: "http://localhost",
		Dev: true,
	},
	{
		Host: "127.0.0.1", CompanyID: "1001", Site: access.SiteAccount, Company: 1001, Origin: "http://127.0.0.1",
		Dev: true,
	},
	{
		Host: "127.9.9.9", CompanyID: "1001", Site: access.SiteAccount, Company: 1001, Origin: "http://127.9.9.9",
		Dev: true,
	},
	{Host: "[::1]:8080", CompanyID: "1001", Site: access.SiteAccount, Company: 1001, Origin: "http://[::1]", Dev: true},
	{
		Host: "192.168.1.20", CompanyID: "1003", Site: access.SiteAccount, Company: 1003, Origin: "http://192.168.1.20",
		Dev: true,
	},
	{Host: "localhost", CompanyID: "", Site: access.SiteAccount, Origin: "http://localhost", Dev: true},
	{Host: "localhost", CompanyID: "9999", Site: access.SiteAccount, Origin: "http://localhost", Dev: true},
	{Host: "localhost", CompanyID: "01001", Site: access.SiteAccount, Origin: "http://localhost", Dev: true},
	{Host: "localhost", CompanyID: "1001 ", Site: access.SiteAccount, Origin: "http://localhost", Dev: true},
	{Host: "localhost", CompanyID: "-1001", Site: access.SiteAccount, Origin: "http://localhost", Dev: true},
	{Host: "localhost", CompanyID: "1001' OR 1=1", Site: access.SiteAccount, Origin: "http://localhost", Dev: true},
	{
		Host: "localhost", CompanyID: "99999999999999999999", Site: access.SiteAccount, Origin: "http://localhost",
		Dev: true,
	},
	{Host: "localhost.evil.test", CompanyID: "1001", Site: access.SiteAccount},
	{Host: "xlocalhost", CompanyID: "1001", Site: access.SiteAccount},
	{Host: "192.168.evil.test", CompanyID: "1001", Site: access.SiteAccount},
	{Host: "192.168.1.1.evil.test", CompanyID: "1001", Site: access.SiteAccount},
	{Host: "192.168.1", CompanyID: "1001", Site: access.SiteAccount},
	{Host: "192.168.01.1", CompanyID: "1001", Site: access.SiteAccount},
	{Host: "192.169.1.1", CompanyID: "1001", Site: access.SiteAccount},
	{Host: "10.0.0.1", CompanyID: "1001", Site: access.SiteAccount},
	{Host: "2130706433", CompanyID: "1001", Site: access.SiteAccount},
	{Host: "0x7f.0.0.1", CompanyID: "1001", Site: access.SiteAccount},
	{Host: "0.0.0.0", CompanyID: "1001", Site: access.SiteAccount},
	{Host: "portico.test", CompanyID: "1001", Site: access.SiteAccount},
	{Host: "account.portico.test", CompanyID: "1001", Site: access.SiteAccount, Origin: "http://account.portico.test"},
	{
		Host: "store1002.portico.test", CompanyID: "1001", Site: access.SiteStore, Company: 1002,
		Origin: "http://store1002.portico.test",
	},
	{Host: "m.portico.test", CompanyID: "1001", Site: access.SiteMobileShop, Origin: "http://m.portico.test"},
}

func TestTheHostDecidesSiteVariantAndCompany(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		for _, mode := range []string{"dev", "production"} {
			p.Restart(func(o *portal.Options) { o.Dev = mode == "dev" })
			for _, c := range HostCases {
				want := c
				if c.Dev && mode == "production" {
					want.Company, want.Origin = 0, ""
				}
				if want.Origin == "" {
					want.Origin = BaseOrigin
				}
				got, err := p.Access.Locate(t.Context(), access.LocateInput{Host: c.Host, CompanyID: c.CompanyID})
				portaltest.NoError(t, err)
				if got.Site != want.Site || got.Variant != want.Variant || got.CompanyID() != want.Company ||
					got.Origin != want.Origin ||
					got.Local != (c.Dev && mode == "dev") {
					t.Errorf(
						"%s: %q ?companyId=%s is %s %q company %d origin %s local %v", mode, c.Host, c.CompanyID,
						got.Site, got.Variant, got.CompanyID(), got.Origin, got.Local,
					)
				}
				if desktop := want.Site == access.SiteStore && want.Company != 0; got.Desktop() != desktop {
					t.Errorf("%s: %q serves the desktop sites: %v", mode, c.Host, got.Desktop())
				}
			}
		}
	})
}

func TestAnUnverifiedDomainBelongsToNoCompany(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		portaltest.NoError(t, p.DB.Hosts.Add(t.Context(), 1002, "unverified.test", 0))
		portaltest.NoError(t, p.DB.Hosts.Add(t.Context(), 1002, "jinsui.test", store.At(p.Clock.Now())))
		if got := p.Place("unverified.test"); got.CompanyID() != 0 || got.Site != access.SiteAccount {
			t.Errorf("an unverified domain is company %d", got.CompanyID())
		}
		if got := p.Place("jinsui.test"); got.CompanyID() != 1001 {
			t.Errorf("a second company took the domain over: %d", got.CompanyID())
		}
	})
}

func TestTheBaseHostIsRecognisedInEverySpelling(t *testing.T) {
	p := portaltest.NewPlatform(t, storetest.SQLite(t))
	p.Restart(func(o *portal.Options) {
		base := *o.Base
		base.Host = "Portico.TEST:8080"
		o.Base = &base
	})
	got := p.Place("store1001.portico.test:8080")
	if got.CompanyID() != 1001 || got.Origin != "http://store1001.portico.test:8080" {
		t.Errorf("company %d at %s", got.CompanyID(), got.Origin)
	}
}

func TestACompanysChangeIsSeenWithinASecond(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		if name := p.Place("store1001.portico.test").Company.Name; name != "金穗粮油" {
			t.Fatalf("name %s", name)
		}
		p.UpdateCompany(1001, func(c *store.Company) { c.Name = "新名" })
		p.Clock.Advance(1001e6)
		if name := p.Place("store1001.portico.test").Company.Name; name != "新名" {
			t.Errorf("a second later it is still %s", name)
		}
	})
}

func TestANewCompanyIsFoundWithinASecond(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		if id := p.Place("new.test").CompanyID(); id != 0 {
			t.Fatalf("company %d", id)
		}
		portaltest.NoError(t, p.DB.Hosts.Add(t.Context(), 1002, "new.test", store.At(p.Clock.Now())))
		p.Clock.Advance(1001e6)
		if id := p.Place("new.test").CompanyID(); id != 1002 {
			t.Errorf("a second later it is company %d", id)
		}
	})
}

func TestFloodsOfHostsDoNotChangeTheAnswers(t *testing.T) {
	p := portaltest.NewPlatform(t, storetest.SQLite(t))
	for i := range 5000 {
		if id := p.Place(fmt.Sprintf("h%d.evil.test", i)).CompanyID(); id != 0 {
			t.Fatalf("h%d is company %d", i, id)
		}
		if i%500 == 0 && p.Place("jinsui.test").CompanyID() != 1001 {
			t.Fatalf("lost the real one after %d", i)
		}
	}
}

func TestOnlyPlainDecimalNumbersAreIds(t *testing.T) {
	for typed, want := range map[string]int64{"1": 1, "1001": 1001, "9223372036854775807": 1<<63 - 1} {
		if got, ok := access.DecimalID(typed); !ok || got != want {
			t.Errorf("%q is %d, %v", typed, got, ok)
		}
	}
	for _, typed := range []string{
		"", "0", "01", "-1", "+1", " 1", "1 ", "1e9", "1.0", "0x1", "1_000", "9223372036854775808",
		"99999999999999999999", "<b>", "１", "١", "1\x00",
	} {
		if got, ok := access.DecimalID(typed); ok || got != 0 {
			t.Errorf("%q is taken for %d", typed, got)
		}
	}
}

func FuzzNormalHost(f *testing.F) {
	for _, c := range HostCases {
		f.Add(c.Host)
	}
	f.Add("[fe80::1]:80")
	f.Add("[::ffff:1.2.3.4]")
	f.Fuzz(func(t *testing.T, raw string) {
		host, ok := access.NormalHost(raw)
		if !ok {
			if host != "" {
				t.Errorf("%q is refused, but gives %q", raw, host)
			}
			return
		}
		again := host
		if strings.Contains(host, ":") {
			again = "[" + host + "]"
		}
		if twice, ok := access.NormalHost(again); !ok || twice != host {
			t.Errorf("%q gives %q, which gives %q", raw, host, twice)
		}
		if strings.ContainsFunc(host, func(r rune) bool {
			return (r < 'a' || r > 'z') && (r < '0' || r > '9') && !strings.ContainsRune(".-_:", r)
		}) {
			t.Errorf("%q gives %q", raw, host)
		}
	})
}
