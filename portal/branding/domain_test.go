package branding_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"portico/portal"
	"portico/portal/access"
	"portico/portal/branding"
	"portico/portal/office"
	"portico/portal/portaltest"
	"portico/store"
	"portico/store/storetest"
)

// FakeDNS answers lookups of TXT records from Records and notes the names in Asked.
type FakeDNS struct {
	Mu      sync.Mutex
	Records map[string][]string
	Asked   []string
}

// LookUp returns the TXT records of a name, like portal.Options.LookUpTXT.
func (d *FakeDNS) LookUp(_ context.Context, name string) ([]string, error) {
	d.Mu.Lock()
	d.Asked = append(d.Asked, name)
	texts := d.Records[name]
	d.Mu.Unlock()
	if texts == nil {
		return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
	}
	return texts, nil
}

// Publish sets the TXT records of a name.
func (d *FakeDNS) Publish(name string, texts ...string) {
	d.Mu.Lock()
	defer d.Mu.Unlock()
	d.Records[name] = texts
}

// EachWithDNS runs a test with each database, on a platform that uses a FakeDNS.
func EachWithDNS(
	t *testing.T, test func(t *testing.T, p *portaltest.Platform, d *FakeDNS), change ...func(*portal.Options),
) {
	t.Helper()
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		d := &FakeDNS{Records: map[string][]string{}}
		p.Restart(append(change, func(o *portal.Options) { o.LookUpTXT = d.LookUp })...)
		test(t, p, d)
	})
}

// DomainProblem returns the problem of the domain field. It fails the test unless err is ValidationFailed.
func DomainProblem(t *testing.T, err error) access.Problem {
	t.Helper()
	return portaltest.Refused(t, err, access.ValidationFailed).Fields["domain"]
}

func TestADomainBelongsToTheCompanyOnceDNSProvesIt(t *testing.T) {
	EachWithDNS(t, func(t *testing.T, p *portaltest.Platform, d *FakeDNS) {
		here, ctx := p.Office("sur"), p.From(portaltest.HomeAddress)
		portaltest.NoError(t, p.Branding.ClaimDomain(ctx, here, " Tienda.Mariscos-Sur.com "))
		claim := readDomain(p, here, "tienda.mariscos-sur.com")
		if claim.Host != "tienda.mariscos-sur.com" || claim.Record != "_portico.tienda.mariscos-sur.com" ||
			!strings.HasPrefix(claim.Value, "portico=") || len(claim.Value) < 40 || claim.Proven {
			t.Fatalf("%+v", claim)
		}
		if place := p.Place(claim.Host); place.Company != nil {
			t.Error("it is served before it is proven")
		}
		if DomainProblem(t, p.Branding.ProveDomain(ctx, here, claim.Host)) != access.DomainUnproven {
			t.Error("no record is a proof")
		}
		for _, wrong := range []string{
			"", "portico=", "portico=" + strings.Repeat("a", 32), claim.Value + "x", strings.ToUpper(claim.Value),
			strings.TrimPrefix(claim.Value, "portico="),
		} {
			d.Publish(claim.Record, "v=spf1 -all", wrong)
			if DomainProblem(t, p.Branding.ProveDomain(ctx, here, claim.Host)) != access.DomainUnproven {
				t.Errorf("%q is a proof", wrong)
			}
		}
		d.Publish(claim.Record, "v=spf1 -all", claim.Value)
		portaltest.NoError(t, p.Branding.ProveDomain(ctx, here, claim.Host))
		portaltest.NoError(t, p.Branding.ProveDomain(ctx, here, claim.Host))
		if got := readDomain(p, here, claim.Host); !got.Proven || got.Value != "" {
			t.Errorf("%+v", got)
		}
		if place := p.Place(claim.Host); place.Company == nil || place.Company.ID != 1002 {
			t.Errorf("%+v", place)
		}
		if p.CountEvents(1002, "domain_claimed") != 1 || p.CountEvents(1002, "domain_verified") != 1 {
			t.Error("not in the audit log")
		}
		for _, name := range d.Asked {
			if name != claim.Record {
				t.Errorf("DNS was asked for %s", name)
			}
		}
	})
}

func TestHostsThatCannotBeACompanysOwnAreRefused(t *testing.T) {
	cases := map[access.Problem][]string{
		access.DomainRequired: {"", "  "},
		access.DomainMalformed: {
			"shop", "https://shop.acme.com", "shop.acme.com/", "shop.acme.com/path", "shop.acme.com:443",
			"shop.acme.com?x", "shop.acme.com#x", "a@shop.acme.com",
			"127.0.0.1", "[::1]", "::1", "2130706433", "0x7f.0.0.1", "10.1", "shop.acme.1", "*.acme.com", "*",
			"shop..acme.com", ".acme.com", "acme.com.",
			"-a.acme.com", "a-.acme.com", "a_b.acme.com", "shop acme.com", "shop.acme.com\r\nX: y", "shop.acme.com\n",
			"\tshop.acme.com", "shop.acme.com\x00",
			"xn--jnsui-eva.com", "shop.xn--fiqs8s", "ab--cd.com", "金穗.com", "jinsuı.com", "ac\u212ae.com",
			"shop\u200b.acme.com", "shop.acme.c",
			strings.Repeat("a", 64) + ".com", strings.Repeat("a.", 127) + "com", strings.Repeat("a", 5000) + ".com",
		},
		access.DomainOfPlatform: {
			"portico.test", "store1001.portico.test", "evil.portico.test", "PORTICO.test", "portico.test.evil.com",
			"a.portico.test.evil.com",
		},
		access.DomainReserved: {
			"shop.example", "shop.invalid", "a.onion", "1.0.0.127.in-addr.arpa", "router.home", "printer.lan",
		},
	}
	local := []string{"a.localhost", "shop.local", "shop.internal", "shop.test"}
	EachWithDNS(t, func(t *testing.T, p *portaltest.Platform, d *FakeDNS) {
		here, before := p.Office("sur"), p.DumpRows()
		for want, hosts := range cases {
			for _, host := range hosts {
				if got := DomainProblem(t, p.Branding.ClaimDomain(t.Context(), here, host)); got != want {
					t.Errorf("%q is %s, want %s", host, got, want)
				}
			}
		}
		for _, host := range append(local, "shop.acme.com", "x1.acme.co") {
			portaltest.Refused(t, p.Branding.ProveDomain(t.Context(), here, host), access.NotFound)
			portaltest.Refused(t, p.Branding.RemoveDomain(t.Context(), here, host), access.NotFound)
			portaltest.Refused(t, p.Branding.UseDomain(t.Context(), here, host), access.NotFound)
		}
		if p.DumpRows() != before || len(d.Asked) != 0 {
			t.Error("something was written, or DNS asked")
		}
		for _, host := range local {
			claimDomain(p, here, host)
		}
		p.Restart(portaltest.Production)
		if got := DomainProblem(t, p.Branding.ClaimDomain(t.Context(), here,
			"other.test")); got != access.DomainReserved {
			t.Errorf("in production: %s", got)
		}
	})
}

func TestAHostBelongsToOneCompanyAtATime(t *testing.T) {
	EachWithDNS(t, func(t *testing.T, p *portaltest.Platform, d *FakeDNS) {
		const host = "shop.acme.com"
		ours, theirs, ctx := p.Office("jinsui"), p.Office("sur"), p.From(portaltest.HomeAddress)
		first, second := claimDomain(p, ours, host), claimDomain(p, theirs, host) // either may claim it
		if first.Value == second.Value {
			t.Error("one proof for two companies")
		}
		d.Publish(first.Record, first.Value)
		if DomainProblem(t, p.Branding.ProveDomain(ctx, theirs, host)) != access.DomainUnproven {
			t.Error("another's proof is a proof")
		}
		portaltest.NoError(t, p.Branding.ProveDomain(ctx, ours, host))
		d.Publish(first.Record, first.Value, second.Value)
		if DomainProblem(t, p.Branding.ProveDomain(ctx, theirs, host)) != access.DomainTaken {
			t.Error("it moved")
		}
		if DomainProblem(t, p.Branding.ClaimDomain(ctx, p.Office("trial"), host)) != access.DomainTaken {
			t.Error("it may be claimed")
		}
		before := p.DumpRows("attempts")
		portaltest.Refused(t, p.Branding.UseDomain(ctx, theirs, host), access.NotFound)
		portaltest.Refused(t, p.Branding.RemoveDomain(ctx, p.Office("trial"), host), access.NotFound)
		portaltest.Refused(t, p.Branding.ProveDomain(ctx, p.Office("trial"), host), access.NotFound)
		if p.DumpRows("attempts") != before || p.Place(host).CompanyID() != 1001 {
			t.Error("something was written")
		}
		portaltest.NoError(t, p.Branding.RemoveDomain(ctx, ours, host))
		if p.Place(host).Company != nil {
			t.Error("it is still served")
		}
		portaltest.NoError(t, p.Branding.ProveDomain(ctx, theirs, host))
		if p.Place(host).CompanyID() != 1002 {
			t.Error("it is not free")
		}
		if claim := claimDomain(p, ours, "other.acme.com"); claim.Value == first.Value {
			t.Error("a proof serves twice")
		}
	})
}

func TestOnlyOneOfTwoCompaniesProvesAHostAtOnce(t *testing.T) {
	EachWithDNS(t, func(t *testing.T, p *portaltest.Platform, d *FakeDNS) {
		const host = "shop.acme.com"
		offices := []access.Landing{p.Office("jinsui"), p.Office("sur")}
		d.Publish("_portico."+host, claimDomain(p, offices[0], host).Value, claimDomain(p, offices[1], host).Value)
		var errs [2]error
		portaltest.Together(
			2, func(i int) { errs[i] = p.Branding.ProveDomain(p.From(portaltest.HomeAddress), offices[i], host) },
		)
		if (errs[0] == nil) == (errs[1] == nil) ||
			p.CountEvents(1001, "domain_verified")+p.CountEvents(1002, "domain_verified") != 1 {
			t.Errorf("%v, %v", errs[0], errs[1])
		}
	})
}

func TestASilentDNSServerProvesNothingAndDelaysNobody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := portaltest.NewPlatform(t, storetest.SQLite(t), func(o *portal.Options) {
			o.LookUpTXT = func(ctx context.Context, _ string) ([]string, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			}
		})
		here := p.Office("sur")
		claimDomain(p, here, "shop.acme.com")
		began := time.Now()
		if got := DomainProblem(
			t, p.Branding.ProveDomain(p.From(portaltest.HomeAddress), here, "shop.acme.com"),
		); got != access.DomainUnanswered {
			t.Error(got)
		}
		if took := time.Since(began); took != 3*time.Second {
			t.Errorf("it took %s", took)
		}
		if readDomain(p, here, "shop.acme.com").Proven {
			t.Error("proven")
		}
	})
}

func TestDomainsAndTheirChecksAreLimited(t *testing.T) {
	EachWithDNS(t, func(t *testing.T, p *portaltest.Platform, d *FakeDNS) {
		here, ctx := p.Office("jinsui"), p.From(portaltest.HomeAddress) // has jinsui.test already
		for _, host := range []string{"a.acme.com", "b.acme.com", "c.acme.com", "d.acme.com", "a.acme.com"} {
			portaltest.NoError(t, p.Branding.ClaimDomain(ctx, here, host))
		}
		if DomainProblem(t, p.Branding.ClaimDomain(ctx, here, "e.acme.com")) != access.DomainsFull {
			t.Error("a sixth")
		}
		for range 10 {
			DomainProblem(t, p.Branding.ProveDomain(ctx, here, "a.acme.com"))
		}
		with := portaltest.Refused(t, p.Branding.ProveDomain(ctx, here, "b.acme.com"), access.TooManyAttempts)
		if with.Wait <= 0 || len(d.Asked) != 10 {
			t.Errorf("%s, %d look-ups", with.Wait, len(d.Asked))
		}
		other := p.Office("sur")
		claimDomain(p, other, "a.acme.com")
		if DomainProblem(t, p.Branding.ProveDomain(ctx, other, "a.acme.com")) != access.DomainUnproven {
			t.Error("another company is refused")
		}
		p.Clock.Advance(time.Hour)
		if DomainProblem(t, p.Branding.ProveDomain(ctx, here, "b.acme.com")) != access.DomainUnproven {
			t.Error("refused for good")
		}
	})
}

func TestAProvenHostServesTheDesktopBackOfficeUntilItIsRemoved(t *testing.T) {
	EachWithDNS(t, func(t *testing.T, p *portaltest.Platform, _ *FakeDNS) {
		here, ctx := p.Office("jinsui"), p.From(portaltest.HomeAddress)
		portaltest.NoError(t, p.Branding.UseDomain(ctx, here, "jinsui.test"))
		if c := p.Company(1001); c.PCDomain != "http://jinsui.test" {
			t.Error(c.PCDomain)
		}
		if !readDomain(p, p.Office("jinsui"), "jinsui.test").Desktop {
			t.Error("it does not say so")
		}
		to := p.Enter(p.SignIn(portaltest.AccountHost, "jinsui"), portaltest.AccountHost, "jinsui", portaltest.Desktop)
		if !strings.HasPrefix(to.URL, "http://jinsui.test/mgr?auth_code_=") {
			t.Error(to.URL)
		}
		portaltest.NoError(t, p.Branding.UseDomain(ctx, here, ""))
		if c := p.Company(1001); c.PCDomain != "" {
			t.Error(c.PCDomain)
		}
		portaltest.NoError(t, p.Branding.UseDomain(ctx, here, "jinsui.test"))
		portaltest.NoError(t, p.Branding.RemoveDomain(ctx, here, "jinsui.test"))
		if c := p.Company(1001); c.PCDomain != "" || p.Place("jinsui.test").Company != nil {
			t.Error(c.PCDomain)
		}
		claim := claimDomain(p, here, "jinsui.test")
		portaltest.Refused(t, p.Branding.UseDomain(ctx, here, claim.Host), access.NotFound) // claimed is not proven
		if p.CountEvents(1001, "desktop_domain_set") != 3 || p.CountEvents(1001, "domain_removed") != 1 {
			t.Error("not in the audit log")
		}
	})
}

func TestOnlyAdministratorsManageDomains(t *testing.T) {
	EachWithDNS(t, func(t *testing.T, p *portaltest.Platform, d *FakeDNS) {
		claimDomain(p, p.Office("jinsui"), "shop.acme.com")
		p.UpdateCompany(
			1001, func(c *store.Company) { c.EmployeeRights = "orders customers applications people audit settings" },
		)
		before := p.DumpRows()
		for login, want := range map[string]access.Refusal{"li.manager": access.Forbidden, "buyer1": access.NotFound} {
			here := p.Office(login)
			_, err := p.Branding.Domains(t.Context(), here)
			portaltest.Refused(t, err, want)
			for _, host := range []string{"shop.acme.com", "jinsui.test", "new.acme.com", "::1"} {
				portaltest.Refused(t, p.Branding.ClaimDomain(t.Context(), here, host), want)
				portaltest.Refused(t, p.Branding.ProveDomain(t.Context(), here, host), want)
				portaltest.Refused(t, p.Branding.UseDomain(t.Context(), here, host), want)
				portaltest.Refused(t, p.Branding.RemoveDomain(t.Context(), here, host), want)
			}
		}
		if p.DumpRows() != before || len(d.Asked) != 0 {
			t.Error("something was written, or DNS asked")
		}
		p.UpdateCompany(1001, func(c *store.Company) { c.Sandbox = true })
		if DomainProblem(
			t, p.Branding.ClaimDomain(t.Context(), p.Office("jinsui"), "new.acme.com"),
		) != access.NotWhileTrying {
			t.Error("a sandbox claims domains")
		}
	})
}

func TestAFailingResolverAndAMissingRecordGiveDifferentRefusals(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		p.Restart(func(o *portal.Options) {
			o.LookUpTXT = func(context.Context, string) ([]string, error) { return nil, errors.New("refused") }
		})
		here := p.Office("sur")
		claimDomain(p, here, "shop.acme.com")
		if got := DomainProblem(
			t, p.Branding.ProveDomain(p.From(portaltest.HomeAddress), here, "shop.acme.com"),
		); got != access.DomainUnanswered {
			t.Error(got)
		}
	})
}

func TestTheOperatorAssignsAndRemovesDomains(t *testing.T) {
	EachWithDNS(t, func(t *testing.T, p *portaltest.Platform, d *FakeDNS) {
		set := func(company int64, name, value string) error {
			return p.Operator.SetCompany(t.Context(), company, name, value)
		}
		claimDomain(p, p.Office("sur"), "shop.test")
		portaltest.NoError(t, set(1002, "domain", "shop.test"))
		if got := readDomain(p, p.Office("sur"), "shop.test"); !got.Proven ||
			p.Place("shop.test").CompanyID() != 1002 ||
			len(d.Asked) != 0 {
			t.Errorf("%+v", got)
		}
		portaltest.NoError(t, set(1002, "pc_domain", "http://shop.test"))
		before := p.DumpRows()
		for _, value := range []string{"jinsui.test", "portico.test", "https://a.com", "10.0.0.1", ""} {
			if err := set(1002, "domain", value); !errors.Is(err, office.ErrSetting) {
				t.Errorf("%q: %v", value, err)
			}
		}
		if err := set(1002, "no_domain", "jinsui.test"); !errors.Is(err, office.ErrSetting) {
			t.Error(err)
		}
		portaltest.Refused(t, set(4711, "domain", "other.test"), access.NotFound)
		if p.DumpRows() != before {
			t.Error("something was written")
		}
		portaltest.NoError(t, set(1002, "no_domain", "shop.test"))
		if p.Place("shop.test").Company != nil || p.Company(1002).PCDomain != "" {
			t.Error("it is still served")
		}
	})
}

func TestAMalformedHostBelongsToNoCompany(t *testing.T) {
	EachWithDNS(t, func(t *testing.T, p *portaltest.Platform, d *FakeDNS) {
		here, ctx, before := p.Office("sur"), p.From(portaltest.HomeAddress), p.DumpRows()
		for _, host := range []string{
			"a\x00.com", "\xff.com", "Tienda.Com", "a.com.", "a.com:80", strings.Repeat("a.", 500),
		} {
			for _, do := range []func(context.Context, access.Landing, string) error{
				p.Branding.ProveDomain, p.Branding.RemoveDomain, p.Branding.UseDomain,
			} {
				if err := do(ctx, here, host); !errors.Is(err, access.NotFound) {
					t.Errorf("%q: %v", host, err)
				}
			}
		}
		if p.DumpRows() != before || len(d.Asked) > 0 {
			t.Error("something changed")
		}
	})
}

// claimDomain claims a host for a company and returns the claim.
func claimDomain(p *portaltest.Platform, here access.Landing, host string) branding.Domain {
	p.T.Helper()
	portaltest.NoError(p.T, p.Branding.ClaimDomain(p.From(portaltest.HomeAddress), here, host))
	return readDomain(p, here, host)
}

// readDomain reads a company's claim of a host, zero for none.
func readDomain(p *portaltest.Platform, here access.Landing, host string) branding.Domain {
	p.T.Helper()
	all, err := p.Branding.Domains(p.T.Context(), here)
	portaltest.NoError(p.T, err)
	for _, d := range all {
		if d.Host == host {
			return d
		}
	}
	return branding.Domain{}
}
