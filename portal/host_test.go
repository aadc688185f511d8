package portal_test

import (
	"fmt"
	"strings"
	"testing"

	"portico/portal"
	"portico/store"
	"portico/store/storetest"
)

// hostCase is a host and what it stands for. Where dev is set, a place in development differs from one in
// production: it is local.
type hostCase struct {
	host      string
	companyID string
	site      portal.Site
	variant   string
	company   int64
	origin    string // "": the base
	dev       bool
}

const baseOrigin = "http://portico.test"

var hostCases = []hostCase{
	// The platform's own hosts.
	{host: "portico.test", site: portal.SiteAccount},
	{host: "account.portico.test", site: portal.SiteAccount, origin: "http://account.portico.test"},
	{host: "api.portico.test", site: portal.SiteAPI, origin: "http://api.portico.test"},
	{host: "mgr.portico.test", site: portal.SiteMobileMgr, origin: "http://mgr.portico.test"},
	{host: "m.portico.test", site: portal.SiteMobileShop, origin: "http://m.portico.test"},
	{host: "am.portico.test", site: portal.SiteMobileShop, variant: "a", origin: "http://am.portico.test"},
	{host: "bm.portico.test", site: portal.SiteMobileShop, variant: "b", origin: "http://bm.portico.test"},
	{host: "store1001.portico.test", site: portal.SiteStore, company: 1001, origin: "http://store1001.portico.test"},
	{host: "astore1001.portico.test", site: portal.SiteStore, variant: "a", company: 1001, origin: "http://astore1001.portico.test"},
	{host: "bstore1002.portico.test", site: portal.SiteStore, variant: "b", company: 1002, origin: "http://bstore1002.portico.test"},
	{host: "store1004.portico.test", site: portal.SiteStore, company: 1004, origin: "http://store1004.portico.test"},
	{host: "jinsui.test", site: portal.SiteStore, company: 1001, origin: "http://jinsui.test"},

	// One spelling.
	{host: "STORE1001.Portico.Test.:443", site: portal.SiteStore, company: 1001, origin: "http://store1001.portico.test"},
	{host: "store1001.portico.test:8080", site: portal.SiteStore, company: 1001, origin: "http://store1001.portico.test"},
	{host: "store1001.portico.test.", site: portal.SiteStore, company: 1001, origin: "http://store1001.portico.test"},
	{host: "store1001.portico.test:", site: portal.SiteStore, company: 1001, origin: "http://store1001.portico.test"},
	{host: "JinSui.TEST.:8443", site: portal.SiteStore, company: 1001, origin: "http://jinsui.test"},

	// No such company.
	{host: "store9999.portico.test", site: portal.SiteStore, origin: "http://store9999.portico.test"},
	{host: "store0.portico.test", site: portal.SiteAccount},
	{host: "store01001.portico.test", site: portal.SiteAccount},
	{host: "store.portico.test", site: portal.SiteAccount},
	{host: "storefront.portico.test", site: portal.SiteAccount},
	{host: "cstore1001.portico.test", site: portal.SiteAccount},
	{host: "aastore1001.portico.test", site: portal.SiteAccount},
	{host: "xstore1001.portico.test", site: portal.SiteAccount},
	{host: "store-1.portico.test", site: portal.SiteAccount},
	{host: "store1e3.portico.test", site: portal.SiteAccount},
	{host: "store99999999999999999999.portico.test", site: portal.SiteAccount},
	{host: "store9223372036854775808.portico.test", site: portal.SiteAccount},
	{host: "store9223372036854775807.portico.test", site: portal.SiteStore, origin: "http://store9223372036854775807.portico.test"},
	{host: "cm.portico.test", site: portal.SiteAccount},
	{host: "aapi.portico.test", site: portal.SiteAccount},

	// The whole host must match.
	{host: "store1001.evil.test", site: portal.SiteAccount},
	{host: "store1001.portico.test.evil.test", site: portal.SiteAccount},
	{host: "store1001.evil.portico.test", site: portal.SiteAccount},
	{host: "store1001.account.portico.test", site: portal.SiteAccount},
	{host: "store1001portico.test", site: portal.SiteAccount},
	{host: "evilportico.test", site: portal.SiteAccount},
	{host: "evil.test", site: portal.SiteAccount},
	{host: "www.jinsui.test", site: portal.SiteAccount},
	{host: "jinsui.test.evil.test", site: portal.SiteAccount},
	{host: "xjinsui.test", site: portal.SiteAccount},
	{host: "store1001", site: portal.SiteAccount},

	// Not a host.
	{host: "", site: portal.SiteAccount},
	{host: ".", site: portal.SiteAccount},
	{host: ":8080", site: portal.SiteAccount},
	{host: "store1001.portico.test..", site: portal.SiteAccount},
	{host: ".store1001.portico.test", site: portal.SiteAccount},
	{host: "store1001..portico.test", site: portal.SiteAccount},
	{host: "store١٠٠١.portico.test", site: portal.SiteAccount},
	{host: "store１００１.portico.test", site: portal.SiteAccount},
	{host: "ѕtore1001.portico.test", site: portal.SiteAccount},
	{host: "store1001。portico.test", site: portal.SiteAccount},
	{host: "store1001%00.portico.test", site: portal.SiteAccount},
	{host: "store1001\x00.portico.test", site: portal.SiteAccount},
	{host: "store1001.portico.test\r\nX: y", site: portal.SiteAccount},
	{host: "store1001.portico.test,evil.test", site: portal.SiteAccount},
	{host: "store1001.portico.test evil.test", site: portal.SiteAccount},
	{host: "evil.test@store1001.portico.test", site: portal.SiteAccount},
	{host: "store1001.portico.test@evil.test", site: portal.SiteAccount},
	{host: "store1001.portico.test/x", site: portal.SiteAccount},
	{host: `store1001.portico.test\x`, site: portal.SiteAccount},
	{host: "store1001.portico.test:80x", site: portal.SiteAccount},
	{host: "store1001.portico.test:-1", site: portal.SiteAccount},
	{host: "store1001.portico.test:123456", site: portal.SiteAccount},
	{host: "store1001.portico.test:80:80", site: portal.SiteAccount},
	{host: "-store1001.portico.test", site: portal.SiteAccount},
	{host: "<script>.portico.test", site: portal.SiteAccount},
	{host: strings.Repeat("a", 64) + ".test", site: portal.SiteAccount},
	{host: strings.Repeat("a.", 127) + "test", site: portal.SiteAccount},
	{host: "[::1", site: portal.SiteAccount, companyID: "1001"},
	{host: "[::1]x", site: portal.SiteAccount, companyID: "1001"},
	{host: "::1", site: portal.SiteAccount, companyID: "1001"},
	{host: "[store1001.portico.test]", site: portal.SiteAccount, companyID: "1001"},
	{host: "[::1%<script>]", site: portal.SiteAccount, companyID: "1001"},
	{host: "[127.0.0.1]", site: portal.SiteAccount, companyID: "1001"},

	// ?companyId= counts on loopback and 192.168.x.x in development, nowhere else.
	{host: "localhost:8080", companyID: "1001", site: portal.SiteAccount, company: 1001, origin: "http://localhost", dev: true},
	{host: "LOCALHOST.", companyID: "1002", site: portal.SiteAccount, company: 1002, origin: "http://localhost", dev: true},
	{host: "127.0.0.1", companyID: "1001", site: portal.SiteAccount, company: 1001, origin: "http://127.0.0.1", dev: true},
	{host: "127.9.9.9", companyID: "1001", site: portal.SiteAccount, company: 1001, origin: "http://127.9.9.9", dev: true},
	{host: "[::1]:8080", companyID: "1001", site: portal.SiteAccount, company: 1001, origin: "http://[::1]", dev: true},
	{host: "192.168.1.20", companyID: "1003", site: portal.SiteAccount, company: 1003, origin: "http://192.168.1.20", dev: true},
	{host: "localhost", companyID: "", site: portal.SiteAccount, origin: "http://localhost", dev: true},
	{host: "localhost", companyID: "9999", site: portal.SiteAccount, origin: "http://localhost", dev: true},
	{host: "localhost", companyID: "01001", site: portal.SiteAccount, origin: "http://localhost", dev: true},
	{host: "localhost", companyID: "1001 ", site: portal.SiteAccount, origin: "http://localhost", dev: true},
	{host: "localhost", companyID: "-1001", site: portal.SiteAccount, origin: "http://localhost", dev: true},
	{host: "localhost", companyID: "1001' OR 1=1", site: portal.SiteAccount, origin: "http://localhost", dev: true},
	{host: "localhost", companyID: "99999999999999999999", site: portal.SiteAccount, origin: "http://localhost", dev: true},
	{host: "localhost.evil.test", companyID: "1001", site: portal.SiteAccount},
	{host: "xlocalhost", companyID: "1001", site: portal.SiteAccount},
	{host: "192.168.evil.test", companyID: "1001", site: portal.SiteAccount},
	{host: "192.168.1.1.evil.test", companyID: "1001", site: portal.SiteAccount},
	{host: "192.168.1", companyID: "1001", site: portal.SiteAccount},
	{host: "192.168.01.1", companyID: "1001", site: portal.SiteAccount},
	{host: "192.169.1.1", companyID: "1001", site: portal.SiteAccount},
	{host: "10.0.0.1", companyID: "1001", site: portal.SiteAccount},
	{host: "2130706433", companyID: "1001", site: portal.SiteAccount},
	{host: "0x7f.0.0.1", companyID: "1001", site: portal.SiteAccount},
	{host: "0.0.0.0", companyID: "1001", site: portal.SiteAccount},
	{host: "portico.test", companyID: "1001", site: portal.SiteAccount},
	{host: "account.portico.test", companyID: "1001", site: portal.SiteAccount, origin: "http://account.portico.test"},
	{host: "store1002.portico.test", companyID: "1001", site: portal.SiteStore, company: 1002, origin: "http://store1002.portico.test"},
	{host: "m.portico.test", companyID: "1001", site: portal.SiteMobileShop, origin: "http://m.portico.test"},
}

func TestTheHostAloneDecidesSiteVariantAndCompany(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		for _, mode := range []string{"dev", "production"} {
			p.restart(func(o *portal.Options) { o.Dev = mode == "dev" })
			for _, c := range hostCases {
				want := c
				if c.dev && mode == "production" {
					want.company, want.origin = 0, ""
				}
				if want.origin == "" {
					want.origin = baseOrigin
				}
				got, err := p.Locate(t.Context(), portal.LocateInput{Host: c.host, CompanyID: c.companyID})
				noError(t, err)
				if got.Site != want.site || got.Variant != want.variant || got.CompanyID() != want.company || got.Origin != want.origin || got.Local != (c.dev && mode == "dev") {
					t.Errorf("%s: %q ?companyId=%s is %s %q company %d origin %s local %v", mode, c.host, c.companyID, got.Site, got.Variant, got.CompanyID(), got.Origin, got.Local)
				}
				if desktop := want.site == portal.SiteStore && want.company != 0; got.Desktop() != desktop {
					t.Errorf("%s: %q serves the desktop sites: %v", mode, c.host, got.Desktop())
				}
			}
		}
	})
}

func TestADomainNobodyVerifiedIsNoCompanys(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		noError(t, p.db.AddCompanyHost(t.Context(), 1002, "unverified.test", 0))
		noError(t, p.db.AddCompanyHost(t.Context(), 1002, "jinsui.test", store.At(p.clock.now())))
		if got := p.place("unverified.test"); got.CompanyID() != 0 || got.Site != portal.SiteAccount {
			t.Errorf("an unverified domain is company %d", got.CompanyID())
		}
		if got := p.place("jinsui.test"); got.CompanyID() != 1001 {
			t.Errorf("a second company took the domain over: %d", got.CompanyID())
		}
	})
}

func TestTheBaseIsRecognisedHoweverItIsWritten(t *testing.T) {
	p := newPlatform(t, storetest.SQLite(t))
	p.restart(func(o *portal.Options) {
		base := *o.Base
		base.Host = "Portico.TEST:8080"
		o.Base = &base
	})
	got := p.place("store1001.portico.test:8080")
	if got.CompanyID() != 1001 || got.Origin != "http://store1001.portico.test:8080" {
		t.Errorf("company %d at %s", got.CompanyID(), got.Origin)
	}
}

func TestACompanysChangeIsSeenWithinASecond(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		if name := p.place("store1001.portico.test").Company.Name; name != "金穗粮油" {
			t.Fatalf("name %s", name)
		}
		p.updateCompany(1001, func(c *store.Company) { c.Name = "新名" })
		p.clock.advance(1001e6)
		if name := p.place("store1001.portico.test").Company.Name; name != "新名" {
			t.Errorf("a second later it is still %s", name)
		}
	})
}

func TestACompanyThatAppearsIsFoundWithinASecond(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		if id := p.place("new.test").CompanyID(); id != 0 {
			t.Fatalf("company %d", id)
		}
		noError(t, p.db.AddCompanyHost(t.Context(), 1002, "new.test", store.At(p.clock.now())))
		p.clock.advance(1001e6)
		if id := p.place("new.test").CompanyID(); id != 1002 {
			t.Errorf("a second later it is company %d", id)
		}
	})
}

func TestFloodsOfHostsLeaveTheRightAnswers(t *testing.T) {
	p := newPlatform(t, storetest.SQLite(t))
	for i := range 5000 {
		if id := p.place(fmt.Sprintf("h%d.evil.test", i)).CompanyID(); id != 0 {
			t.Fatalf("h%d is company %d", i, id)
		}
		if i%500 == 0 && p.place("jinsui.test").CompanyID() != 1001 {
			t.Fatalf("lost the real one after %d", i)
		}
	}
}

func TestOnlyPlainDecimalNumbersAreIds(t *testing.T) {
	for typed, want := range map[string]int64{"1": 1, "1001": 1001, "9223372036854775807": 1<<63 - 1} {
		if got, ok := portal.DecimalID(typed); !ok || got != want {
			t.Errorf("%q is %d, %v", typed, got, ok)
		}
	}
	for _, typed := range []string{"", "0", "01", "-1", "+1", " 1", "1 ", "1e9", "1.0", "0x1", "1_000", "9223372036854775808", "99999999999999999999", "<b>", "１", "١", "1\x00"} {
		if got, ok := portal.DecimalID(typed); ok || got != 0 {
			t.Errorf("%q is taken for %d", typed, got)
		}
	}
}

func FuzzNormalHost(f *testing.F) {
	for _, c := range hostCases {
		f.Add(c.host)
	}
	f.Add("[fe80::1]:80")
	f.Add("[::ffff:1.2.3.4]")
	f.Fuzz(func(t *testing.T, raw string) {
		host, ok := portal.NormalHost(raw)
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
		if twice, ok := portal.NormalHost(again); !ok || twice != host {
			t.Errorf("%q gives %q, which gives %q", raw, host, twice)
		}
		if strings.ContainsFunc(host, func(r rune) bool {
			return (r < 'a' || r > 'z') && (r < '0' || r > '9') && !strings.ContainsRune(".-_:", r)
		}) {
			t.Errorf("%q gives %q", raw, host)
		}
	})
}
